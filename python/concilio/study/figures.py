"""A drawing's points as an inline SVG. Titles are put above it by the report."""
from .drawing import bars, curve, doubling, inline, legend_below, name_once, panels, same_rates
from .experiments import counted, size_text
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
        return counted(value, "rank")
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


def draw_bars(axis, points, drawing):
    names, places = order_of(points), values_of(points, drawing.x)
    groups = [{one["series"]: median_and_range(one) for one in select(points, **{drawing.x: place})}
              for place in places]
    bars(axis, groups, names, colour_of, [size_text(place) if drawing.x in SIZES else place for place in places])


def spread(points):
    """Whether rates differ so much that small ones would lie on the axis."""
    rates = [one["rate"] for one in points]
    return max(rates) > 20 * min(rates)


def is_a_curve(points, drawing):
    """Two points are no curve, and are bars beside each other."""
    return drawing.kind == "lines" and len(values_of(points, drawing.x)) > 2


def figure_of(points, drawing, name):
    """Points of one storage as SVG text. All panels have the same axes, each with its name once."""
    parts = panels_of(points, drawing.panels)
    columns = len(values_of(points, drawing.panels[-1])) if len(drawing.panels) > 1 else len(parts)
    figure, axes = panels(len(parts), max(2, min(columns, 4)))
    curves = is_a_curve(points, drawing)
    for axis, (title, some) in zip(axes, parts):
        (draw_lines if curves else draw_bars)(axis, some, drawing)
        axis.set_title(title)
    same_rates(axes, spread(points))
    name_once(axes, drawing.x_title, "MiB/s")
    legend_below(figure, axes)
    return inline(figure, name)


PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#777777")


def by_storage(situations):
    return [(colour, storage, select(situations, storage=storage))
            for colour, storage in zip(PALETTE * 3, values_of(situations, "storage"))]


def regret_figure(situations, name="regret"):
    """Every situation's regret, sorted, a curve a storage, with the bounds."""
    figure, (axis,) = panels(1, 1, 5.5, 3.2)
    for colour, storage, here in by_storage(situations):
        ordered = sorted(one["regret"] for one in here)
        share = [100 * (i + 1) / len(ordered) for i in range(len(ordered))]
        axis.plot(share, ordered, color=colour, label=storage, marker=".", markersize=3, linewidth=1.2)
    for bound in (1.1, 1.3):
        axis.axhline(bound, color="#777777", linewidth=0.8, linestyle="--")
    worst = max(one["regret"] for one in situations)
    if worst > 3:
        axis.set_yscale("log")
    else:
        axis.set_ylim(top=max(1.35, worst * 1.05))
    axis.set_xlabel("situations, %")
    axis.set_ylabel("time of auto over that of the best")
    legend_below(figure, [axis])
    return inline(figure, name)


def prediction_figure(situations, name="prediction"):
    """Predicted against measured times, a point a method of a situation."""
    figure, (axis,) = panels(1, 1, 5.5, 3.2)
    for colour, storage, here in by_storage(situations):
        pairs = [(one["seconds"][method] * 1e3, one["predicted"][method] * 1e3) for one in here for method in one["predicted"]
                 if one["predicted"][method] > 0]
        axis.plot([x for x, _ in pairs], [y for _, y in pairs], ".", color=colour, markersize=3, alpha=0.6, label=storage)
    axis.set_xscale("log")
    axis.set_yscale("log")
    low, high = axis.get_xlim()
    axis.plot([low, high], [low, high], color="#777777", linewidth=0.8)
    axis.set_xlabel("measured, ms")
    axis.set_ylabel("predicted, ms")
    legend_below(figure, [axis])
    return inline(figure, name)
