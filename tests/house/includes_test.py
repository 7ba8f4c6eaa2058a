#!/usr/bin/python3
"""The test of includes.py: it must fail on a wrong arrow, and on nothing else."""
import pathlib
import tempfile
import unittest

import includes


class Includes(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for place in ("src", "tools", "bench", "include"):
                (root / place).mkdir()
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return [fault for _, fault in includes.faults(root)]

    def assert_right(self, name, text):
        self.assertEqual(self.faults({name: text}), [])

    def assert_wrong(self, name, text):
        self.assertEqual(len(self.faults({name: text})), 1, (name, text))

    def test_arrows_that_run_the_right_way(self):
        self.assert_right("src/plan/a.cpp", '#include "base/result.h"\n#include "pattern/access.h"\n#include <vector>\n')
        self.assert_right("src/exec/a.cpp", '#include <mpi.h>\n#include "store/store.h"\n#include "mpi/nodes/team.h"\n')
        self.assert_right("src/bind/a.cpp", '#include "mpiio/api.h"\n#include "concilio/concilio.h"\n')
        self.assert_right("bench/a.cpp", '#include "base/median.h"\n')
        self.assert_right("bench/copy_bench.cpp", '#include "pattern/copy.h"\n')
        self.assert_right("bench/methods/stored_file.cpp", '#include "store/wrappers/stack.h"\n')
        self.assert_right("bench/a.cpp", '#include "sim/patterns/btio.h"\n')
        self.assert_right("bench/simulated/a.cpp", '#include "sim/record.h"\n#include "pattern/access.h"\n')
        self.assert_wrong("bench/measure/a.cpp", '#include "sim/record.h"\n')
        self.assert_right("src/sim/a.cpp", '#include "plan/plan.h"\n#include "pattern/access.h"\n')
        self.assert_right("tools/a.cpp", '#include "base/settings/config.h"\n#include "plan/plan.h"\n#include "own.h"\n')

    def test_every_arrow_that_is_not_allowed(self):
        for folder, allowed in includes.ALLOWED.items():
            for other in includes.ALLOWED.keys() - allowed:
                self.assert_wrong(f"src/{folder}/a.h", f'#include "{other}/b.h"\n')

    def test_arrows_within_a_folder(self):
        self.assert_right("src/plan/plan.h", '#include "plan/choose/cost.h"\n')
        self.assert_wrong("src/plan/plan.h", '#include "plan/show/explain.h"\n')
        self.assert_wrong("src/plan/facts/a.h", '#include "plan/layout/layout.h"\n')
        self.assert_right("src/plan/layout/realms/a.h", '#include "plan/layout/layout.h"\n')
        self.assert_wrong("src/plan/else/a.h", '#include "plan/layout/layout.h"\n')

    def test_arrows_within_the_programs(self):
        self.assert_right("tools/a.cpp", '#include "launch/flavour.h"\n#include "subcommands.h"\n')
        self.assert_right("tools/launch/a.cpp", '#include "launch/flavour.h"\n#include "system/process.h"\n')
        self.assert_wrong("tools/launch/a.cpp", '#include "summary/records.h"\n')
        self.assert_wrong("tools/launch/a.cpp", '#include "subcommands.h"\n')
        self.assert_wrong("bench/data/a.cpp", '#include "measure/harness.h"\n')
        self.assert_wrong("tools/else/a.cpp", '#include "system/process.h"\n')

    def test_spaces_do_not_hide_an_arrow(self):
        self.assert_wrong("src/base/a.cpp", '  #  include   "plan/plan.h"\n')

    def test_include_in_a_comment_is_none(self):
        self.assert_right("src/base/a.cpp", '// #include "plan/plan.h"\n/*\n#include "plan/plan.h"\n*/\n')

    def test_mpi_below_the_adapters(self):
        for folder in ("base", "pattern", "plan", "sim", "store", "counter"):
            self.assert_wrong(f"src/{folder}/a.cpp", "#include <mpi.h>\n")

    def test_clock_in_planning(self):
        self.assert_wrong("src/plan/a.cpp", "#include <chrono>\n")

    def test_environment_outside_base(self):
        self.assert_wrong("src/exec/a.cpp", 'auto v = std::getenv ("HOME");\n')
        self.assert_wrong("src/plan/a.cpp", 'auto v = secure_getenv("HOME");\n')
        self.assert_right("src/base/a.cpp", 'auto v = std::getenv("HOME");\n')
        self.assert_right("src/exec/a.cpp", '// getenv("HOME")\nauto v = "getenv(";\n')

    def test_mathematics_that_differs_between_processors(self):
        self.assert_wrong("src/plan/a.cpp", "double d = std::log2(x);\n")
        self.assert_wrong("src/plan/choose/a.cpp", "double d = exp (x);\n")
        self.assert_right("src/plan/a.cpp", "// std::log(x)\ndouble d = binary_logarithm(x) + std::floor(x);\n")
        self.assert_right("src/sim/a.cpp", "double d = std::cbrt(x);\n")

    def test_include_without_folder(self):
        self.assert_wrong("src/exec/a.cpp", '#include "collective.h"\n')

    def test_unknown_folder(self):
        self.assert_wrong("src/misc/a.cpp", "")

    def test_programs_that_see_too_much(self):
        self.assert_wrong("tools/a.cpp", '#include "exec/collective.h"\n')
        self.assert_wrong("bench/copy_bench.cpp", '#include "exec/collective.h"\n')
        self.assert_wrong("bench/a.cpp", '#include "base/settings/config.h"\n')
        self.assert_wrong("bench/a.cpp", '#include "store/wrappers/stack.h"\n')
        self.assert_wrong("bench/a.cpp", '#include "sim/pattern.h"\n')
        self.assert_wrong("bench/a.cpp", '#include "../src/base/settings/config.h"\n')

    def test_installed_header_in_cpp(self):
        self.assert_wrong("include/concilio/a.h", "#include <cstdint>\n")
        self.assert_right("include/concilio/a.h", "#include <stdint.h>\n")

    def test_nothing_to_read(self):
        self.assertEqual(len(self.faults({})), 1)


if __name__ == "__main__":
    unittest.main()
