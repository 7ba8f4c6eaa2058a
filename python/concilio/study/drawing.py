"""What figures are drawn with: matplotlib, which is imported here alone, and the marks that figures have in common."""
import importlib.util
import io
import re


def available():
    return importlib.util.find_spec("matplotlib") is not None


def library():
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plot
    plot.rcParams.update({"svg.fonttype": "none", "font.size": 9, "axes.grid": True, "grid.color": "#dddddd",
                          "axes.axisbelow": True, "axes.spines.top": False, "axes.spines.right": False,
                          "legend.frameon": False, "font.family": "sans-serif"})
    return plot


def panels(count, columns=3, width=3.6, height=2.7):
    """A figure with so many axes."""
    columns = min(columns, count)
    lines = -(-count // columns)
    figure, axes = library().subplots(lines, columns, figsize=(max(width * columns, 5), height * lines), squeeze=False,
                                      layout="constrained")
    flat = list(axes.flat)
    for unused in flat[count:]:
        unused.axis("off")
    return figure, flat[:count]


def legend_below(figure, axes, inches=1.5):
    """One legend of all panels, whose entries take so many inches each."""
    found = {}
    for axis in axes:
        for handle, label in zip(*axis.get_legend_handles_labels()):
            found.setdefault(label, handle)
    columns = min(len(found), max(2, int(figure.get_figwidth() / inches)))
    # Room below the panels: a line of the legend takes about a fifth of an inch.
    room = (-(-len(found) // columns) * 0.2 + 0.1) / figure.get_figheight()
    figure.get_layout_engine().set(rect=(0, room, 1, 1 - room))
    figure.legend(found.values(), found.keys(), loc="lower center", ncols=columns)


def same_rates(axes, logarithmic):
    """The same axis of rates in all panels, whose numbers then compare at a glance."""
    if logarithmic:
        for axis in axes:
            axis.set_yscale("log")
    low = min(axis.get_ylim()[0] for axis in axes) if logarithmic else 0
    high = max(axis.get_ylim()[1] for axis in axes)
    for axis in axes:
        axis.set_ylim(low, high)


def name_once(axes, across, along):
    """The names of the axes, at the first panel of a line and at the last of a column."""
    for axis in axes:
        place = axis.get_subplotspec()
        if place.is_first_col():
            axis.set_ylabel(along)
    columns = {}
    for axis in axes:
        columns[axis.get_subplotspec().colspan.start] = axis
    for axis in columns.values():
        axis.set_xlabel(across)


def doubling(axis, values, text=str):
    """Along the axis, values that double, each with its name."""
    axis.set_xscale("log", base=2)
    axis.set_xticks(values, [text(value) for value in values])
    axis.minorticks_off()


def curve(axis, points, colour, shade=0.12, **style):
    """Medians of (x, median, lowest, highest), shaded from the lowest to the highest."""
    x, medians, low, high = zip(*points)
    axis.plot(x, medians, color=colour, marker="o", markersize=3, **style)
    axis.fill_between(x, low, high, color=colour, alpha=shade, linewidth=0)


def bars(axis, groups, names, colour_of, labels):
    """A bar of each name in each group, {name: (median, lowest, highest)}, with its range."""
    for place, group in enumerate(groups):
        for i, name in enumerate(names):
            if name not in group:
                continue
            median, low, high = group[name]
            axis.bar(place + (i - (len(names) - 1) / 2) * 0.8 / len(names), median, 0.75 / len(names), color=colour_of(name),
                     label=name, yerr=[[median - low], [high - median]], ecolor="#555555")
    axis.set_xticks(range(len(groups)), labels)
    axis.grid(axis="x", visible=False)


def svg_of(figure, salt):
    """The figure as SVG, which is not needed any more then. Two drawings of the same numbers are the same bytes."""
    plot, text = library(), io.StringIO()
    with plot.rc_context({"svg.hashsalt": salt}):
        figure.savefig(text, format="svg", metadata={"Date": None})
    plot.close(figure)
    return text.getvalue()


def inline(figure, name):
    """As an element of a page. Names in it are this figure's own, since a page has several."""
    svg = svg_of(figure, name)
    svg = svg[svg.index("<svg"):]
    safe = re.sub(r"\W", "-", name)
    return re.sub(r'(id="|href="#|url\(#)', lambda found: found[1] + safe + "-", svg)
