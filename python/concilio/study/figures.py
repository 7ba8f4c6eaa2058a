"""A drawing's points as an inline SVG. Titles are put above it by the report."""
from .drawing import bars, curve, doubling, inline, legend_below, panels
from .experiments import size_text
from .results import select, values_of

# Distinct in grey and to the colour-blind too.
COLOURS = {"auto": "#000000", "POSIX": "#e69f00", "Unix-style": "#e69f00", "independent": "#56b4e9",
           "MPI independent": "#56b4e9", "list": "#cc79a7", "sieve": "#009e73", "data sieving": "#009e73",
           "two_phase": "#0072b2", "MPI collective": "#0072b2", "collective": "#0072b2", "mapped": "#d55e00",
           "the MPI's own, collective": "#777777", "the MPI's own, independent": "#bbbbbb"}
SIZES = ("transfer", "block")


def colour_of(series):
    return COLOURS.get(series, "#999933")


def label_of(name, value):
    if name == "ranks":
        return f"{value} rank{'' if value == 1 else 's'}"
    return size_text(value) if name in SIZES else str(value)


def panels_of(points, names):
    """(title, points) of each combination of the labels that there is."""
    groups = {}
    for point in points:
        groups.setdefault(tuple(point.get(name) for name in names), []).append(point)
    order = sorted(groups, key=lambda key: [(str(type(one)), one) for one in key], reverse=False)
    # Writing before reading.
    order.sort(key=lambda key: "write" not in key)
    return [(", ".join(label_of(name, value) for name, value in zip(names, key)), groups[key]) for key in order]


def order_of(points):
    known = list(COLOURS)
    return sorted(values_of(points, "series"), key=lambda name: known.index(name) if name in known else len(known))


def median_and_range(point):
    return point["rate"], point["low"], point["high"]


def draw_lines(axis, points, drawing):
    for series in order_of(points):
        here = sorted(select(points, series=series), key=lambda one: one[drawing.x])
        auto = series == "auto"
        curve(axis, [(one[drawing.x], *median_and_range(one)) for one in here], colour_of(series), 0.1, label=series,
              linewidth=2.2 if auto else 1.2, linestyle="--" if auto else "-", zorder=3 if auto else 2)
    doubling(axis, values_of(points, drawing.x), size_text if drawing.x in SIZES else str)
    axis.set_xlabel(drawing.x_title)


def draw_bars(axis, points, drawing):
    names, places = order_of(points), values_of(points, drawing.x)
    groups = [{one["series"]: median_and_range(one) for one in select(points, **{drawing.x: place})}
              for place in places]
    bars(axis, groups, names, colour_of, places)


def spread(points):
    """Whether rates differ so much that small ones would lie on the axis."""
    rates = [one["rate"] for one in points]
    return max(rates) > 20 * min(rates)


def figure_of(points, drawing, name):
    """Points of one storage as SVG text."""
    parts = panels_of(points, drawing.panels)
    columns = len(values_of(points, drawing.panels[-1])) if len(drawing.panels) > 1 else len(parts)
    figure, axes = panels(len(parts), max(2, min(columns, 4)))
    for axis, (title, some) in zip(axes, parts):
        (draw_bars if drawing.kind == "bars" else draw_lines)(axis, some, drawing)
        if spread(some):
            axis.set_yscale("log")
        else:
            axis.set_ylim(bottom=0)
        axis.set_title(title)
        axis.set_ylabel("MiB/s")
    legend_below(figure, axes)
    return inline(figure, name)


def regret_figure(situations, name="regret"):
    """Every situation's regret, sorted, a curve a storage, with the bounds."""
    figure, (regrets, errors) = panels(2, 2, 4.6, 3.2)
    palette = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777")
    for colour, storage in zip(palette * 3, values_of(situations, "storage")):
        here = select(situations, storage=storage)
        ordered = sorted((one["regret"] - 1) * 100 for one in here)
        share = [100 * (i + 1) / len(ordered) for i in range(len(ordered))]
        regrets.plot(share, ordered, color=colour, label=storage, marker=".", markersize=3, linewidth=1.2)
        pairs = [(one["seconds"][method] * 1e3, one["predicted"][method] * 1e3) for one in here for method in one["predicted"]
                 if one["predicted"][method] > 0]
        errors.plot([x for x, _ in pairs], [y for _, y in pairs], ".", color=colour, markersize=3, alpha=0.6)
    for bound in (10, 30):
        regrets.axhline(bound, color="#777777", linewidth=0.8, linestyle="--")
    worst = max(one["regret"] - 1 for one in situations) * 100
    if worst > 100:
        regrets.set_yscale("symlog", linthresh=30)
    else:
        regrets.set_ylim(top=max(35, worst * 1.05))
    regrets.set_xlabel("situations, %")
    regrets.set_ylabel("auto behind the best, %")
    errors.set_xscale("log")
    errors.set_yscale("log")
    low, high = errors.get_xlim()
    errors.plot([low, high], [low, high], color="#777777", linewidth=0.8)
    errors.set_xlabel("measured, ms")
    errors.set_ylabel("predicted, ms")
    legend_below(figure, [regrets])
    return inline(figure, name)
