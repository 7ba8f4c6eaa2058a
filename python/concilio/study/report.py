"""The page: one HTML file that needs nothing else, whose every figure and table says whether its storage was real."""
import re

from . import contrast, figures, findings, regret, tables
from .comparisons import document as comparison
from .drawing import inline
from .experiments import ALL, KIB
from .results import points_of, select
from .tables import escaped

STYLE = """
body { font: 15px/1.5 sans-serif; color: #1a1a1a; max-width: 72em; margin: 2em auto; padding: 0 1em; }
h1, h2, h3 { line-height: 1.2; } h2 { margin-top: 2.5em; border-bottom: 1px solid #ccc; }
table { border-collapse: collapse; margin: 1em 0; font-size: 13px; } caption { text-align: left; font-weight: bold; }
th, td { padding: .2em .7em; text-align: right; border-bottom: 1px solid #ddd; } th { vertical-align: bottom; }
th:first-child, td:first-child { text-align: left; } td.best { font-weight: bold; background: #eef6ee; }
.wide { overflow-x: auto; } figure { margin: 1.5em 0; } figcaption { font-weight: bold; } svg { max-width: 100%; height: auto; }
.pass { color: #006b2d; } .fail { color: #b00020; } .real { color: #006b2d; } .modelled { color: #8a4b00; }
pre, code { background: #f4f4f4; } pre { padding: .7em; overflow-x: auto; } .note { color: #555; }
"""
BUSY = 0.5  # a load above it is told of
LABELS = {"checkpoint": ("layout", "ranks"), "ior": ("transfer", "ranks"), "romio": ("application", "ranks"),
          "mpiio_test_block": ("block",), "mpiio_test_clients": ("clients",)}


def paragraph(text, kind=""):
    return f"<p{f' class={kind}' if kind else ''}>{escaped(text)}</p>"


def listed(lines):
    return "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>" if lines else ""


def verdict_line(passed, text):
    return f"<b class={'pass' if passed else 'fail'}>{'PASS' if passed else 'FAIL'}</b> {escaped(text)}"


def without_marks(text):
    """Of Markdown."""
    return re.sub(r"`|\*\*", "", str(text))


def storage_text(compared):
    """What a comparison's storage was, real or modelled."""
    real = f"real storage: {compared['machine']['file_system']}"
    slowed = any("CONCILIO_THROTTLE" in variant["env"] for case in compared["cases"].values()
                 for variant in case["variants"].values())
    return f"{real}; slow storage is modelled on it" if slowed else real


class Page:
    def __init__(self, data, draw=True, compared=None):
        self.data = data
        self.draw = draw
        self.compared = compared or {}
        self.storages = {one["name"]: one for one in data["storages"]}

    def results(self, experiment):
        return [one for one in self.data["results"] if one["experiment"] == experiment]

    def title_of(self, name):
        """Of a storage; never without whether it is real."""
        return self.storages[name]["title"] if name in self.storages else f"unknown storage: {name}"

    def figure(self, title, svg):
        return f"<figure><figcaption>{escaped(title)}</figcaption>{svg}</figure>"

    def drawn(self, points, drawing, storage):
        caption = f"{drawing.title} ({self.title_of(storage)})"
        if not self.draw:
            return ""
        return self.figure(caption, figures.figure_of(points, drawing, f"{drawing.name}-{storage}"))

    def experiment(self, one):
        """A section; empty where nothing of it was measured."""
        results = self.results(one.name)
        points = points_of(results)
        body = []
        for storage in dict.fromkeys(result["storage"] for result in results):
            here = select(points, storage=storage)
            if not here:
                continue
            body.append(f"<h3>{escaped(self.title_of(storage))}</h3>")
            body.append(listed([escaped(line) for line in findings.findings_of(one.name, here)]))
            for drawing in one.drawings:
                some = select(here, **drawing.where)
                if drawing.name == "mpiio_test_clients":
                    # The block sweep's point at 64 KiB belongs to this sweep too.
                    some = some + [{**point, "clients": point["ranks"]} for point in self.block_points(storage)]
                if some:
                    body.append(self.drawn(some, drawing, storage))
                    body.append(tables.rates(some, LABELS[drawing.name],
                                             f"{drawing.title}, MiB/s ({self.title_of(storage)})"))
        sentence = findings.storage_contrast(one.name, points, self.storages)
        if sentence:
            body.insert(0, paragraph(sentence))
        return body

    def block_points(self, storage):
        found = []
        for result in self.results("mpiio_test"):
            labels = result["labels"]
            if result["storage"] == storage and labels.get("sweep") == "block" and labels["block"] == 64 * KIB:
                found += [{**point, "ranks": result["ranks"]} for point in points_of([result])]
        return found

    def device(self):
        if not self.data["devices"]:
            return []
        titles = {name: one["title"] for name, one in self.storages.items()}
        return [tables.device_rates(self.data["devices"], titles)]

    def regret(self):
        situations = regret.situations_of(self.results("regret"))
        summary = regret.summary_of(situations)
        if not summary:
            return []
        names = {name: one["title"] for name, one in self.storages.items()}
        titled = [{**one, "storage": names.get(one["storage"], one["storage"])} for one in situations]
        body = [listed([verdict_line(one["passed"], f"{one['name']}: {one['value']} (wanted: {one['wanted']})")
                        for one in summary["verdicts"]]),
                paragraph(f"{summary['left_out']} pairs of a situation and a method were not measured, as their calls would have "
                          "taken too long (see the methods left out below); they are in none of these numbers.", "note")]
        if self.draw:
            short = [{**one, "storage": f"{one['storage']} ({self.kind(one['storage'])})"} for one in situations]
            named = "by storage; each is named real or modelled below"
            body.append(self.figure(f"Regret, {named}", figures.regret_figure(short)))
            body.append(self.figure(f"Predicted against measured times, {named}", figures.prediction_figure(short)))
        body.append(tables.regret_summaries(regret.by(titled, "storage"), "storage"))
        for name in ("pattern", "ranks", "operation"):
            body.append(tables.regret_summaries(regret.by(situations, name), name))
        body.append("<details><summary>Every situation, worst first</summary>" +
                    tables.situations(titled, "Medians; storage is real or modelled as its name says") + "</details>")
        return body

    def kind(self, storage):
        return "real" if self.storages.get(storage, {}).get("real") else "modelled"

    def contrast(self):
        body = []
        for result in self.results("contrast"):
            lines = [verdict_line(one["passed"], f"{one['finding']}. {one['numbers']}") for one in contrast.verdicts_of([result])]
            if lines:
                network = f"{contrast.HOSTS} hosts, network capped at {contrast.RATE}; " \
                    if result["labels"]["finding"] == contrast.SLOW_NETWORK else ""
                body += [f"<h3>{escaped(network + self.title_of(result['storage']))}</h3>", listed(lines)]
        return body

    def comparison(self, name, compared):
        """A section of what was started by turns."""
        made, where = comparison.table_of(name, compared), storage_text(compared)
        lines = [[without_marks(cell) for cell in line] for line in made.lines]
        body = [f"<h2 id={name}>{escaped(compared['title'])}</h2>",
                paragraph(without_marks(comparison.facts_text(name, compared))),
                tables.table(f"{compared['title']}, {comparison.unit_of(name)} ({where})", map(without_marks, made.head), lines),
                *(paragraph(without_marks(sentence)) for sentence in made.sentences)]
        if self.draw:
            body.append(self.figure(f"{compared['title']} ({where})", inline(comparison.figure_of(name, compared), name)))
        return "\n".join(body)

    def section(self, one):
        own = {"device": self.device, "regret": self.regret, "contrast": self.contrast}
        body = own[one.name]() if one.name in own else self.experiment(one)
        if not body:
            return ""
        return "\n".join([f"<h2 id={one.name}>{escaped(one.title)}</h2>", paragraph(one.text), *body])

    def head(self):
        data, machine = self.data, self.data["machine"]
        cores = f"{machine['cores']} cores ({machine['processor']})"
        rows = [["machine", f"{cores}, {machine['memory_gib']} GiB, {machine['kernel']}"],
                ["MPI", data.get("library") or "unknown"], ["Concilio", data["version"]],
                ["date", f"{machine['date']} to {data.get('ended', 'now')}"], ["load before", machine["load"]],
                ["command", data["command"]]]
        but = ", but for comparisons, which tell it themselves" if self.compared else ""
        lines = [tables.table(f"How it was measured{but}", ["", ""], rows)]
        if data.get("quick"):
            lines.append(paragraph("Measured with --quick: few and small, to see that it works; not to be compared.", "note"))
        if machine["load"] > BUSY:
            lines.append(paragraph(f"The machine had other work when the study began (load {machine['load']}), so that times "
                                   "vary more than the storage's own; look at the ranges.", "note"))
        if data.get("interrupted"):
            lines.append(paragraph("The study was interrupted: what had been measured until then is here.", "note"))
        names = "".join(f"<tr><td class={'real' if one['real'] else 'modelled'}>{'real' if one['real'] else 'modelled'}</td>"
                        f"<td>{escaped(name)}</td><td>{escaped(one['title'])}</td></tr>"
                        for name, one in self.storages.items())
        lines.append("<div class='wide'><table><caption>Storage: what was real and what was modelled</caption>"
                     f"<tbody>{names}</tbody></table></div>")
        lines.append(paragraph("Modelled storage is the first folder's, which the library itself slows down to what the model "
                               "says (CONCILIO_THROTTLE); the MPI's own MPI-IO cannot be slowed down so, and is shown on real "
                               "storage alone. Rates are medians; shaded is the range. Bytes were checked."))
        return "\n".join(lines)

    def text(self):
        sections = [(one.name, one.title, self.section(one)) for one in ALL.values()]
        sections += [(name, one["title"], self.comparison(name, one)) for name, one in self.compared.items()]
        contents = listed([f"<a href='#{name}'>{escaped(title)}</a>" for name, title, text in sections if text])
        left = [[one["what"], one["why"]] for one in self.data["left_out"]]
        missing = tables.failures(self.data["results"])
        if left:
            missing += tables.table("Left out", ["what", "why"], left)
        return "\n".join([
            "<!DOCTYPE html>", "<html lang=en><head><meta charset=utf-8><meta name=viewport content='width=device-width'>",
            "<title>Concilio: a study of this storage</title>",
            f"<style>{STYLE}</style></head><body>", "<h1>Collective I/O on this storage</h1>",
            paragraph("This study repeats the evaluations of papers. The experiments are those of an early evaluation of Optane "
                      "with HPC I/O, and of data sieving and collective I/O in ROMIO; the comparisons are the figures of three "
                      "other papers. Absolute figures are those of this machine. What may compare with the papers is who wins, "
                      "and where that turns."),
            self.head(), "<h2>Contents</h2>", contents, *(text for _, _, text in sections if text),
            f"<h2>Failed and left out</h2>{missing}" if missing else "", "</body></html>", ""])


def page_of(data, draw=True, compared=None):
    return Page(data, draw, compared).text()
