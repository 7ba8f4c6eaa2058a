#!/usr/bin/python3
"""figures_test.py ROOT: bench/figures makes of results what pages show of them."""
import csv
import importlib.machinery
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
FIGURES = ROOT / "bench/figures"
sys.path[:0] = [str(FIGURES), str(ROOT / "python")]


def script(name):
    """A script without .py, as a module."""
    loader = importlib.machinery.SourceFileLoader(name, str(FIGURES / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(name, loader))
    loader.exec_module(module)
    return module


class Releases(unittest.TestCase):
    releases = script("releases")
    results = ROOT / "docs/results"

    def test_the_page_has_the_table_of_what_is_kept(self):
        text = (self.results / "releases.md").read_text(encoding="utf-8")
        self.assertEqual(self.releases.page(text, self.results / "releases"), text, "run bench/figures/releases")
        self.assertIn("| 0.1.0 |", text)

    def test_an_unreleased_version_has_what_the_tree_has(self):
        version = re.search(r"^## (\S+) \(not released\)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
        if not version:
            self.skipTest("every version is released")
        kept = json.loads((self.results / f"releases/{version[1]}.json").read_text(encoding="utf-8"))["rows"]
        self.assertEqual(kept, self.releases.rounded(self.releases.measured(ROOT)), f"run bench/figures/releases {version[1]}")

    def test_every_result_of_the_tree_comes_to_a_number(self):
        rows = dict(self.releases.measured(ROOT))
        for words in ("Open MPI's own MPI-IO", "MPICH's own MPI-IO", "library's choice", "predicted times", "memory-conscious",
                      "aligned realms", "HDF5's collective"):
            self.assertTrue(any(words in name for name in rows), words)
        for name, values in rows.items():
            self.assertTrue(values and all(value > 0 for value in values.values()), name)

    def test_what_a_comparison_comes_to(self):
        text = ("| 4 | MPICH | a | 1 / 1 | 2 / 8 | 2.00 / 8.00 | 1 / 1 | list |\n"
                "| 4 | MPICH | b | 1 / 1 | 8 / 2 | 8.00 / 2.00 | 1 / 1 | list |\n")
        (name, means), = self.releases.compared(text)
        self.assertEqual(name, "times as fast as MPICH's own MPI-IO, 4 ranks, mean over 2 patterns")
        self.assertAlmostEqual(means["write"], 4)
        self.assertAlmostEqual(means["read"], 4)

    def test_how_good_choices_were(self):
        lines = [{"regret": "1.02", "list_measured_ms": "2", "list_predicted_ms": "1", "auto_predicted_ms": "9"},
                 {"regret": "1.25", "list_measured_ms": "2", "list_predicted_ms": "2", "auto_predicted_ms": ""}]
        within, worst, error = (values["all"] for _, values in self.releases.regret(lines))
        self.assertAlmostEqual(within, 50)
        self.assertAlmostEqual(worst, 25)
        self.assertAlmostEqual(error, 25)

    def test_later_releases_stand_first(self):
        with tempfile.TemporaryDirectory() as folder:
            for version, rows in (("0.9.0", {"a": {"write": 1, "read": 2}}), ("0.10.0", {"b": {"all": 3}})):
                path = pathlib.Path(folder) / f"{version}.json"
                path.write_text(json.dumps({"version": version, "rows": rows}), encoding="utf-8")
            self.assertEqual(self.releases.table(pathlib.Path(folder)).splitlines(),
                             ["|  | 0.10.0 | 0.9.0 |", "| --- | --- | --- |", "| b | 3.00 | - |",
                              "| a: write / read | - | 1.00 / 2.00 |"])


class Table(unittest.TestCase):
    def test_results_replace_the_rows_of_the_page(self):
        table = script("table")
        side = {"write_mib_per_second": 100.4, "read_mib_per_second": 50, "peak_growth_bytes": 3 << 19}
        ours = {"write_mib_per_second": 251, "read_mib_per_second": 25, "peak_growth_bytes": 1 << 20}
        result = {"comparisons": [{"ranks": 2, "mpi": "mpich", "pattern": "interleaved:64", "own": side, "concilio": ours,
                                   "methods": "two_phase, list"}]}
        page = f"before\n\n{table.HEAD} ... |\n| --- |\n| old |\n| row |\n\nafter\n"
        row = "| 2 | MPICH | 64 B interleaved | 100 / 50 | 251 / 25 | 2.50 / 0.50 | 1.5 / 1.0 | two_phase |"
        self.assertEqual(table.with_rows(page, [result]), f"before\n\n{table.HEAD} ... |\n| --- |\n{row}\n\nafter\n")


class Hosts(unittest.TestCase):
    hosts = script("hosts")

    def test_the_page_has_the_table_of_what_is_kept(self):
        kept = json.loads((ROOT / "docs/results/hosts.json").read_text(encoding="utf-8"))
        self.assertIn(self.hosts.section(kept), (ROOT / "docs/figures.md").read_text(encoding="utf-8"), "run bench/figures/hosts")
        self.assertEqual(list(kept), list(self.hosts.SIDES))
        for side, comparisons in kept.items():
            self.assertEqual([one["pattern"] for one in comparisons], self.hosts.PATTERNS, side)

    def test_a_comparison_is_a_row(self):
        side, ours = ({"write_mib_per_second": write, "read_mib_per_second": 50} for write in (100.4, 251))
        table = self.hosts.section({"mpich5": [{"pattern": "block3d", "own": side, "concilio": ours, "methods": "list, sieve"}]})
        self.assertTrue(table.endswith("| MPICH 5, ROMIO | 3-D block | 100 / 50 | 251 / 50 | 2.50 / 1.00 | list |\n\n"), table)


class Overview(unittest.TestCase):
    def test_the_table_of_figures_has_what_is_drawn(self):
        if not importlib.util.find_spec("matplotlib"):
            self.skipTest("no matplotlib")
        overview = script("overview")
        rates = overview.rates_of((ROOT / "docs/figures.md").read_text(encoding="utf-8"))
        for mpi in ("Open MPI", "MPICH"):
            for name in overview.PATTERNS:
                self.assertTrue(all(rate > 0 for side in rates[mpi, name] for rate in side), (mpi, name))


class CondensedStudy(unittest.TestCase):
    def test_what_is_kept_of_a_study(self):
        if not importlib.util.find_spec("matplotlib"):
            self.skipTest("no matplotlib")
        recorded = ROOT / "tests/study/recorded.json"
        from concilio.study import regret
        measured = json.loads(recorded.read_text(encoding="utf-8"))["results"]
        situations = regret.situations_of([one for one in measured if one["experiment"] == "regret"])
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            words = [FIGURES / "condense_study", folder, "--output", folder]
            self.assertEqual(subprocess.run(words, check=False, stderr=subprocess.DEVNULL).returncode, 2)
            (folder / "study.json").write_bytes(recorded.read_bytes())
            (folder / "regret.json").write_text(json.dumps({"situations": situations}), encoding="utf-8")
            subprocess.run(words, check=True)
            lines = list(csv.DictReader((folder / "regret.csv").read_text(encoding="utf-8").splitlines()))
            self.assertEqual([(one["pattern"], one["best"]) for one in lines],
                             [(one["pattern"], one["best"]) for one in situations])
            for line, one in zip(lines, situations):
                self.assertAlmostEqual(float(line["auto_measured_ms"]) / (1e3 * one["seconds"]["auto"]), 1, places=3)
            rates = list(csv.DictReader((folder / "storages.csv").read_text(encoding="utf-8").splitlines()))
            self.assertEqual({one["experiment"] for one in rates}, {"ior", "romio", "checkpoint", "mpiio_test", "contrast"})
            self.assertIn("</svg>", (folder / "regret.svg").read_text(encoding="utf-8"))


if __name__ == "__main__":
    unittest.main()
