#!/usr/bin/python3
"""packaging.py ROOT: the recipes in packaging/ are of this version, and need what scripts/packages.sh says is needed to
build. Containers read that list themselves."""
import ast
import pathlib
import re
import sys
import types

# What recipes call Debian's packages. A compiler is asked for in each one's own way, and MPI is one package or two.
NAMES = {
    # Debian:            Spack            conda             EasyBuild
    "g++": ("cxx", '${{ compiler("cxx") }}', "gompi"),
    "cmake": ("cmake", "cmake", "CMake"),
    "ninja-build": ("ninja", "ninja", "Ninja"),
    "libfmt-dev": ("fmt", "fmt", "fmt"),
    "nlohmann-json3-dev": ("nlohmann-json", "nlohmann_json", "nlohmann_json"),
    "libcli11-dev": ("cli11", "cli11", "CLI11"),
    "liburing-dev": ("liburing", "liburing", "liburing"),
    "libopenmpi-dev": ("mpi", "openmpi", "gompi"),
    "openmpi-bin": ("mpi", "openmpi", "gompi"),
    "libmpich-dev": ("mpi", "mpich", "gompi"),
    "mpich": ("mpi", "mpich", "gompi"),
}
# What they fetch, as they have no package of it: the archive of D3, whose one file has all of it.
FETCHED = {"node-d3-axis", "node-d3-brush", "node-d3-scale"}
SPACK = "packaging/spack/spack_repo/concilio/packages/concilio/package.py"
# What they name besides: a C compiler, the C library.
BESIDES = [{"c"}, {'${{ compiler("c") }}', '${{ stdlib("c") }}'}, set()]


def needed(packages):
    """Debian's names of what a build for Open MPI and MPICH needs."""
    return set(re.findall(r"^(?:build|mpich) +(\S+)", packages, re.MULTILINE))


def of_spack(recipe):
    """Version and dependencies, by the calls of the class's body."""
    calls = [node for node in ast.walk(ast.parse(recipe)) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    first = [(call.func.id, call.args[0].value) for call in calls
             if call.func.id in ("version", "depends_on") and isinstance(call.args[0], ast.Constant)]
    return ([value for name, value in first if name == "version"],
            {value.split("@")[0] for name, value in first if name == "depends_on"})


class StandIn(types.ModuleType):
    """A module that has every name: a function that does nothing."""
    __all__ = ("depends_on", "generator", "join_path", "license", "requires", "resource", "version")

    def __getattr__(self, name):
        return lambda *words, **settings: None


def mpis_of_spack(recipe, root):
    """What CMake is told of the MPI, by name and version, if Spack is a stand-in. The recipe's source is this tree."""
    build = StandIn("spack_repo.builtin.build_systems.cmake")
    build.CMakePackage = type("CMakePackage", (), {"define": lambda self, name, value: (name, value)})
    sys.modules.update({name: types.ModuleType(name) for name in ("spack", "spack_repo", "spack_repo.builtin",
                                                                 "spack_repo.builtin.build_systems")})
    sys.modules.update({"spack.package": StandIn("spack.package"), build.__name__: build})
    space = {"__file__": str(root / SPACK)}
    exec(compile(recipe, SPACK, "exec"), space)
    concilio = space["Concilio"]()
    if concilio.git != root.resolve().as_uri():
        yield "", "", f"the source {concilio.git}"
    for name, major in (("openmpi", 4), ("openmpi", 5), ("mpich", 4), ("mpich", 5)):
        mpi = types.SimpleNamespace(name=name, satisfies=lambda range, major=major: range == "@:4" and major <= 4,
                                    prefix=types.SimpleNamespace(bin=types.SimpleNamespace(mpicc="/mpi/bin/mpicc")))
        concilio.spec = {"mpi": mpi}
        concilio.stage = types.SimpleNamespace(source_path="/stage")
        yield name, major, dict(concilio.cmake_args())["CONCILIO_MPIS"]


def of_conda(recipe):
    requirements = re.search(r"^requirements:\n(.*?)^\S", recipe, re.DOTALL | re.MULTILINE)[1]
    words = re.findall(r"^ *(?:- (?!if:)|then: |else: )(.*)$", requirements, re.MULTILINE)
    names = {word if word.startswith("$") else word.split()[0] for word in words}
    return re.findall(r'^  version: "([^"]*)"$', recipe, re.MULTILINE), names


def of_easybuild(recipe):
    values = {}
    for statement in ast.parse(recipe).body:
        if isinstance(statement, ast.Assign):
            try:
                values[statement.targets[0].id] = ast.literal_eval(statement.value)
            except ValueError:
                pass  # made of EasyBuild's own names
    dependencies = {name for name, _ in values["builddependencies"] + values.get("dependencies", [])}
    return [values["version"]], dependencies | {values["toolchain"]["name"]}


def of_debian(control):
    names = re.search(r"^Build-Depends:\n((?: .*\n)*)", control, re.MULTILINE)[1]
    return {name.split(" ")[0] for name in re.findall(r"^ (.*),$", names, re.MULTILINE)}


def faults(root, files):
    """FILES: the text of each file, by its name in the tree."""
    version = re.search(r"project\(concilio VERSION ([\d.]+)", files["CMakeLists.txt"])[1]
    debian = needed(files["scripts/packages.sh"])
    for name in sorted(debian - set(NAMES) - FETCHED):
        yield f"scripts/packages.sh has {name}: add to NAMES what recipes call it"
    recipes = [(SPACK, of_spack), ("packaging/conda/recipe.yaml", of_conda),
               (next((name for name in files if name.endswith(".eb")), "packaging/easybuild/*.eb"), of_easybuild)]
    archives = set()
    for column, (path, read) in enumerate(recipes):
        versions, names = read(files[path])
        if versions != [version]:
            yield f"{path} is of version {', '.join(versions)}, not {version}"
        wanted = {NAMES[name][column] for name in debian if name in NAMES}
        for name in sorted(wanted - names):
            yield f"{path} lacks {name}"
        for name in sorted(names - wanted - BESIDES[column]):
            yield f"{path} has {name}, which scripts/packages.sh does not have"
        archives.add(tuple(re.findall(r"\bd3-[\d.]+\.tgz\b|\b[0-9a-f]{64}\b|CONCILIO_D3\b", files[path])))
        if path.endswith(".eb") and f"/Concilio-{version}-" not in path:
            yield f"{path} is not named by version {version}"
    if len(archives) != 1 or len(min(archives)) != 3:
        yield f"recipes do not fetch one D3, by name and checksum, and tell CMake: {archives}"
    changed = re.match(r"concilio \(([\d.]+)-\d+\)", files["packaging/debian/changelog"])
    if not changed or changed[1] != version:
        yield f"packaging/debian/changelog does not begin with version {version}"
    difference = of_debian(files["packaging/debian/control"]) ^ (debian | {"debhelper-compat"})
    if difference:
        yield f"packaging/debian/control and scripts/packages.sh differ in {', '.join(sorted(difference))}"
    said = list(mpis_of_spack(files[SPACK], root))
    wanted = [(name, major, f"{name}{major if major > 4 else ''}:/mpi/bin/mpicc") for name, major, _ in said]
    if len(said) != 4 or said != wanted:
        yield f"{SPACK} builds for {said}, not {wanted}"
    for path in ("packaging/containers/Dockerfile", "packaging/containers/concilio.def"):
        if not re.search(r"source scripts/packages.sh && install_missing build mpich\b", files[path]):
            yield f"{path} does not read scripts/packages.sh"


def files_of(root):
    paths = [root / "CMakeLists.txt", root / "scripts/packages.sh", *(root / "packaging").rglob("*")]
    return {str(path.relative_to(root)): path.read_text(encoding="utf-8") for path in paths
            if path.is_file() and path.suffix != ".pyc"}


def tested(root, files):
    """Each fault that a recipe may have must be found."""
    changes = [("CMakeLists.txt", "VERSION ", "VERSION 9", 5), ("packaging/conda/recipe.yaml", "    - fmt\n", "", 1),
               (SPACK, 'depends_on("ninja"', 'depends_on("nonsense"', 2),
               ("packaging/conda/recipe.yaml", "d3-5", "d3-4", 1), (SPACK, "CONCILIO_D3", "D3", 1),
               ("packaging/debian/control", " libfmt-dev,\n", "", 1),
               ("packaging/containers/Dockerfile", "install_missing", "install", 1)]
    for path, old, new, count in changes:
        assert old in files[path], (path, old)
        found = list(faults(root, {**files, path: files[path].replace(old, new)}))
        if len(found) < count:
            yield f"of {path} with '{new}' in place of '{old}' only this was said: {found}"


def main():
    root = pathlib.Path(sys.argv[1])
    files = files_of(root)
    found = list(faults(root, files)) or list(tested(root, files))
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
