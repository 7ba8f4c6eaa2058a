#!/usr/bin/python3
"""The test of namespaces.py: it must fail on a namespace that is not the folder's, and on nothing else."""
import pathlib
import tempfile
import unittest

import namespaces


def in_namespace(name, text="int one();\n"):
    return f"namespace {name} {{\n\n{text}\n}}  // namespace {name}\n"


class Namespaces(unittest.TestCase):
    def faults(self, name, text):
        return list(namespaces.faults_of(pathlib.PurePosixPath(name), text))

    def assert_right(self, name, text):
        self.assertEqual(self.faults(name, text), [])

    def assert_wrong(self, name, text):
        self.assertEqual(len(self.faults(name, text)), 1, (name, text))

    def test_the_folder_is_the_namespace(self):
        self.assert_right("src/plan/plan.h", in_namespace("concilio::plan"))
        self.assert_right("src/plan/layout/realms/even.cpp", in_namespace("concilio::plan"))
        self.assert_right("tools/launch/flavour.h", in_namespace("concilio::tools"))
        self.assert_right("bench/data/a.h", in_namespace("concilio::bench"))
        self.assert_right("bench/scorpio/a.h", in_namespace("concilio::bench::scorpio"))
        self.assert_wrong("src/plan/plan.h", in_namespace("concilio"))
        self.assert_wrong("src/plan/plan.h", in_namespace("concilio::exec"))
        self.assert_wrong("src/plan/layout/a.h", in_namespace("concilio::plan::layout"))
        self.assert_wrong("bench/data/a.h", in_namespace("concilio::bench::data"))
        self.assert_wrong("tools/a.h", in_namespace("concilio"))
        self.assert_wrong("tools/a.h", in_namespace("tools"))

    def test_base_is_concilio_itself(self):
        self.assert_right("src/base/text/a.h", in_namespace("concilio"))
        self.assert_wrong("src/base/text/a.h", in_namespace("concilio::base"))

    def test_tests(self):
        self.assert_right("tests/unit/base/a.cpp", in_namespace("concilio"))
        self.assert_right("tests/unit/plan/a.cpp", in_namespace("concilio::plan"))
        self.assert_right("tests/unit/plan/a.h", in_namespace("concilio::plan::naive"))
        self.assert_right("tests/unit/a.h", in_namespace("concilio::test"))
        self.assert_right("tests/common/a.h", in_namespace("tests"))
        self.assert_right("tests/mpi/oracle/a.h", in_namespace("oracle"))
        self.assert_right("tests/mpi/oracle/inner/a.h", in_namespace("oracle"))
        self.assert_right("tests/scorpio/oracle/a.h", in_namespace("scorpio_oracle"))
        self.assert_right("tests/mpi/a.cpp", "using namespace concilio;\n\nnamespace {\n\nint one;\n\n}  // namespace\n")
        self.assert_wrong("tests/unit/plan/a.cpp", in_namespace("concilio"))
        self.assert_wrong("tests/unit/plan/a.cpp", in_namespace("concilio::exec"))
        self.assert_wrong("tests/unit/base/a.cpp", in_namespace("concilio::plan"))
        self.assert_wrong("tests/unit/a.h", in_namespace("concilio"))
        self.assert_wrong("tests/mpi/oracle/a.h", in_namespace("scorpio_oracle"))
        self.assert_wrong("tests/mpi/oracle/a.h", in_namespace("concilio::mpi"))

    def test_unnamed_namespaces(self):
        inside = in_namespace("", "int one;\n").replace("namespace  {", "namespace {")
        self.assert_right("src/plan/a.cpp", in_namespace("concilio::plan", inside))
        self.assert_right("bench/a.cpp", inside + "\nint main() {}\n")
        self.assert_wrong("src/plan/a.cpp", inside)

    def test_details_are_inside(self):
        self.assert_right("src/plan/a.h", in_namespace("concilio::plan", in_namespace("detail")))
        self.assertIn("has the namespace detail; that of its folder is concilio::plan",
                      self.faults("src/plan/a.h", in_namespace("detail")))

    def test_declarations_of_what_others_define(self):
        own = in_namespace("concilio::exec")
        types = "class One;\nstruct Two;\nenum class Three : int;\ntemplate <typename T> class Four;\n"
        self.assert_right("src/exec/a.h", in_namespace("concilio::plan", types) + own)
        self.assert_right("src/exec/a.h", in_namespace("concilio", types) + own)
        self.assert_wrong("src/exec/a.h", in_namespace("concilio::plan", types + "int function();\n") + own)
        self.assert_wrong("src/exec/a.h", in_namespace("concilio::plan", "struct One { int a; };\n") + own)
        self.assert_wrong("src/exec/a.h", in_namespace("concilio::mpiio", types) + own)

    def test_sources_without_a_namespace(self):
        self.assert_right("src/exec/a.h", "// Nothing.\n#pragma once\n#define ONE(a) \\\n  int a;\n#if 0\n#endif\n")
        self.assert_right("src/bind/a.cpp", 'using namespace concilio::bind;\n\nextern "C" {\nint one;\n}\n')
        self.assert_wrong("src/exec/a.h", "#pragma once\nint one();\n")
        self.assert_wrong("src/exec/a.cpp", "using namespace concilio;\nint one() { return 1; }\n")

    def test_comments_are_no_namespaces(self):
        self.assert_right("src/plan/a.h", "/*\nnamespace concilio {\n*/\n" + in_namespace("concilio::plan"))


    def test_headers_of_c(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            (root / "bench" / "one").mkdir(parents=True)
            for source in ("a.c", "a.h"):
                (root / "bench" / "one" / source).write_text("int one(void);\n", encoding="utf-8")
            for top in ("src", "tools", "tests"):
                (root / top).mkdir()
            (root / "tools" / "a.h").write_text(in_namespace("concilio::tools"), encoding="utf-8")
            self.assertEqual(list(namespaces.faults(root)), [])
            (root / "bench" / "one" / "a.cpp").write_text(in_namespace("concilio::bench"), encoding="utf-8")
            self.assertEqual(len(list(namespaces.faults(root))), 1)


if __name__ == "__main__":
    unittest.main()
