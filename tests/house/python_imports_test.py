#!/usr/bin/python3
"""The test of python_imports.py: it must find a circle however it is imported, and none where there is none."""
import pathlib
import tempfile
import unittest

import python_imports


class Circles(unittest.TestCase):
    def circle(self, files):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"p/__init__.py": "", "p/q/__init__.py": "", **files}.items():
                path = pathlib.Path(folder, name)
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            return python_imports.circle_in(python_imports.arrows_of(pathlib.Path(folder)))

    def test_downward_alone(self):
        self.assertIsNone(self.circle({"p/a.py": "from . import b\nfrom .c import name\nimport os",
                                       "p/b.py": "from .c import name", "p/c.py": "name = 1",
                                       "p/q/d.py": "from .. import a\nfrom ..b import name"}))

    def test_two_modules(self):
        self.assertEqual(self.circle({"p/a.py": "from . import b", "p/b.py": "from .a import name"}), ["p.a", "p.b"])

    def test_inside_of_a_function(self):
        self.assertEqual(self.circle({"p/a.py": "from . import b", "p/b.py": "def f():\n    from .a import name"}),
                         ["p.a", "p.b"])

    def test_over_folders_and_by_absolute_names(self):
        self.assertEqual(self.circle({"p/a.py": "import p.q.d", "p/q/d.py": "from ..b import name", "p/b.py": "from p import a"}),
                         ["p.a", "p.q.d", "p.b"])

    def test_through_a_package(self):
        self.assertEqual(self.circle({"p/q/__init__.py": "from .d import name", "p/q/d.py": "from ..q import name"}),
                         ["p.q", "p.q.d"])


if __name__ == "__main__":
    unittest.main()
