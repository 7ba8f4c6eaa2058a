#!/usr/bin/python3
"""nothing_destroyed_test.py NM OBJDUMP AR COMPILER: the test of nothing_destroyed.py. It must find every way in which
something of a library is destroyed when the process ends, and nothing else."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

import nothing_destroyed

NM, OBJDUMP, AR, COMPILER = (sys.argv.pop(1) for _ in range(4))


class NothingDestroyed(unittest.TestCase):
    def faults(self, **sources):
        """Of an archive of these sources; none of what they say is about another one of them."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in sources.items():
                (pathlib.Path(folder) / f"{name}.cpp").write_text("#include <map>\n#include <string>\n" + text,
                                                                  encoding="utf-8")
            objects = [f"{name}.cpp.o" for name in sources]
            for made in objects:
                subprocess.run([COMPILER, "-std=c++20", "-O2", "-fPIC", "-c", made[:-2], "-o", made], cwd=folder, check=True)
            archive = f"{folder}/libsample.a"
            subprocess.run([AR, "rcs", archive, *objects], cwd=folder, check=True)
            return list(nothing_destroyed.faults(NM, OBJDUMP, [archive]))

    def assert_right(self, text):
        self.assertEqual(self.faults(other="int other() { return 1; }\n", right=text), [])

    def assert_wrong(self, text, *words):
        found = self.faults(other="int other() { return 1; }\n", wrong=text)
        self.assertEqual(len(found), 1, (found, text))
        for word in ("libsample.a", "wrong.cpp.o", *words):
            self.assertIn(word, found[0])

    def test_statics_that_nobody_destroys(self):
        self.assert_right("const std::string& name() { static auto& it = *new std::string(\"a\"); return it; }\n")
        self.assert_right("static int numbers[4]; int* all() { return numbers; }\n")
        self.assert_right("thread_local int depth; int& here() { return depth; }\n")

    def test_static_of_a_function(self):
        self.assert_wrong("std::map<int, int>& known() { static std::map<int, int> it; return it; }\n", "known()")

    def test_static_of_a_file(self):
        self.assert_wrong("std::string name(3, 'a');\n")

    def test_static_of_a_thread(self):
        self.assert_wrong("std::string& name() { thread_local std::string it; return it; }\n")

    def test_static_of_a_template(self):
        self.assert_wrong("template <typename T> T& one() { static T it; return it; }\n"
                          "std::string& name() { return one<std::string>(); }\n")

    def test_function_given_to_atexit(self):
        self.assert_wrong("#include <cstdlib>\nvoid bye() {}\nvoid prepare() { std::atexit(bye); }\n", "prepare()")

    def test_function_that_runs_at_unloading(self):
        self.assert_wrong("int open_files; __attribute__((destructor)) void bye() { open_files = 0; }\n", "unloaded")

    def test_nothing_to_look_at(self):
        self.assertEqual(len(list(nothing_destroyed.faults(NM, OBJDUMP, []))), 1)


if __name__ == "__main__":
    unittest.main()
