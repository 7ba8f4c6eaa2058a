#!/usr/bin/python3
"""python_imports.py ROOT: fails where modules of ROOT/python import each other in a circle.

An import inside of a function counts like any other: it only hides the circle until it is called. A package's own
__init__.py counts where something is imported from it by name.
"""
import ast
import pathlib
import sys


def modules_below(folder):
    """{"concilio.study.report": path, ...}."""
    found = {}
    for path in sorted(folder.rglob("*.py")):
        parts = path.relative_to(folder).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported_by(name, path, modules):
    """The modules that this one imports."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name in modules)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[:len(package.split(".")) - node.level + 1] if node.level else []
            source = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                target = f"{source}.{alias.name}"
                if target in modules:
                    yield target
                elif source in modules:
                    yield source


def circle_in(arrows):
    """Modules each of which imports the next, and the last the first; None where there are none."""
    done, path = set(), []

    def visit(name):
        if name in path:
            return path[path.index(name):]
        if name in done:
            return None
        path.append(name)
        for other in arrows[name]:
            if found := visit(other):
                return found
        path.pop()
        done.add(name)
        return None

    return next((found for name in arrows if (found := visit(name))), None)


def arrows_of(folder):
    modules = modules_below(folder)
    return {name: sorted(set(imported_by(name, path, modules)) - {name}) for name, path in modules.items()}


def main():
    arrows = arrows_of(pathlib.Path(sys.argv[1]) / "python")
    circle = circle_in(arrows)
    if circle:
        print("imported in a circle: " + " -> ".join([*circle, circle[0]]))
    elif not any(arrows.values()):
        print("no module imports another")
    return 1 if circle or not any(arrows.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
