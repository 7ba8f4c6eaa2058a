"""Numbers as HTML tables. All text that comes from outside is escaped here."""
import html

from . import device
from .experiments import counted, size_text
from .figures import SIZES, order_of


def escaped(value):
    return html.escape(str(value))


def number(value):
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def milliseconds(seconds):
    return "–" if seconds is None else number(seconds * 1e3)


def table(caption, head, rows, marks=()):
    """`marks`: cells, as (row, column), that are to stand out."""
    lines = ["<div class='wide'><table>", f"<caption>{escaped(caption)}</caption>",
             "<thead><tr>" + "".join(f"<th>{escaped(one)}</th>" for one in head) + "</tr></thead><tbody>"]
    for i, row in enumerate(rows):
        cells = "".join(f"<td{' class=best' if (i, j) in marks else ''}>{escaped(one)}</td>" for j, one in enumerate(row))
        lines.append(f"<tr>{cells}</tr>")
    return "\n".join([*lines, "</tbody></table></div>"])


def rates(points, labels, caption):
    """A row for each point, a column for each series, MiB/s; the fastest of each row stands out."""
    series = order_of(points)
    groups = {}
    for point in points:
        key = (point["operation"], *(point.get(name, "") for name in labels))
        groups.setdefault(key, {})[point["series"]] = point
    rows, marks = [], set()
    for i, (key, found) in enumerate(groups.items()):
        shown = [size_text(value) if name in SIZES and value != "" else value
                 for name, value in zip(("operation", *labels), key)]
        rows.append([*shown, *(number(found[name]["rate"]) if name in found else "–" for name in series),
                     found.get("auto", {}).get("taken") or "–"])
        best = max(found, key=lambda name: found[name]["rate"])
        marks.add((i, 1 + len(labels) + series.index(best)))
    return table(caption, ["", *labels, *series, "auto took"], rows, marks)


def device_rates(devices, titles):
    head = ["storage"]
    columns = [(operation, order, size) for operation in ("write", "read") for size in (device.SMALL, device.LARGE)
               for order in ("random", "sequential")]
    head += [f"{operation}, {order}, {size_text(size)}" for operation, order, size in columns]
    rows = [[f"{titles.get(name, name)}, {way}",
             *(number(found.get(f"{operation} {order} {size}")) for operation, order, size in columns)]
            for name, ways in devices.items() for way, found in ways.items()]
    caption = "MB/s (a million bytes) of one client, by concilio probe; each storage is real or modelled as its name says"
    return table(caption, head, rows)


def regret_summaries(summaries, what):
    head = [what, "situations", "within 10 %", "worst", "median regret", "prediction error", "of what was chosen"]
    rows = []
    for value, one in summaries.items():
        percent = [f"{one[name]:.0%}" if one[name] is not None else "–"
                   for name in ("prediction_error", "prediction_error_chosen")]
        rows.append([value, one["situations"], f"{one['share_within']:.0%}", f"{one['worst'] - 1:+.0%}",
                     f"{one['median_regret'] - 1:+.1%}", *percent])
    return table(f"Regret by {what}", head, rows)


def situations(found, caption):
    """Every situation: medians in ms; the best forced method stands out."""
    methods = sorted({name for one in found for name in one["seconds"]} - {"auto"})
    rows, marks = [], set()
    for i, one in enumerate(sorted(found, key=lambda one: -one["regret"])):
        error = one["errors"].get("auto")
        rows.append([one["storage"], one["pattern"], one["ranks"], one["operation"], milliseconds(one["seconds"]["auto"]),
                     milliseconds(one["predicted"].get("auto")), one["taken"] or "–",
                     *(milliseconds(one["seconds"].get(name)) for name in methods), f"{one['regret'] - 1:+.0%}",
                     "–" if error is None else f"{error:.0%}"])
        marks.add((i, 7 + methods.index(one["best"])))
    return table(caption, ["storage", "pattern", "ranks", "", "auto, ms", "predicted, ms", "auto took",
                           *(f"{name}, ms" for name in methods), "regret", "prediction error"], rows, marks)


def failures(results):
    """What went wrong or was left out, case by case."""
    rows = []
    for result in results:
        where = f"{result['experiment']}: {result['storage']}, {result['pattern']}, {counted(result['ranks'], 'rank')}"
        if result["failure"]:
            rows.append([where, "", result["failure"]])
        rows += [[where, f"{row['operation']}, {row['series']}", row["failure"]] for row in result["rows"]
                 if row.get("failure")]
    return table("Cases without a number", ["case", "", "why"], rows) if rows else ""


