#!/usr/bin/python3
"""python_and_c.py --mpi MPI -n N --launcher L --python PYTHON --counterpart PROGRAM --library LIBRARY SEED...

Files that Python and C write for the same seed hold the same, by h5diff and by h5py; each reads what the other wrote.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77

# It runs in a process of its own, so that it does not matter how h5py is built.
LOOK = """
import re, sys
import h5py, numpy
file, datasets = h5py.File(sys.argv[1], "r"), 0
def look(name, what):
    global datasets
    if isinstance(what, h5py.Dataset) and name.startswith("Group "):
        number = int(re.search(r"Data (\\d+)", name)[1])
        places = numpy.arange(what.size).reshape(what.shape)
        assert numpy.array_equal(what[()], (places * 7 + number * 13) % 101), name
        assert (what.compression == "gzip") == (number % 4 == 3), name
        datasets += 1
file.visititems(look)
assert datasets == 20, datasets
assert file["Made/Inner/Inside"][()].tolist() == list(range(1, int(sys.argv[2]) + 1))
assert isinstance(file.get("Shortcut", getlink=True), h5py.SoftLink)
"""


def main():
    parser = argparse.ArgumentParser()
    for option in ("mpi", "launcher", "python", "counterpart", "library"):
        parser.add_argument(f"--{option}", required=True)
    parser.add_argument("-n", type=int, required=True)
    parser.add_argument("seeds", nargs="+")
    chosen = parser.parse_args()
    if not shutil.which("h5diff"):
        print("skipped: no h5diff")
        return SKIPPED
    environment = {"PYTHONPATH": os.path.join(HERE, "../../../python"), "PYTHONDONTWRITEBYTECODE": "1",
                   "CONCILIO_SCORPIO_LIBRARY": chosen.library}
    python = [chosen.python, os.path.join(HERE, "python_counterpart.py")]
    sides = {"c": [chosen.counterpart], "python": python}

    def run(*words):
        settings = [word for item in environment.items() for word in ("--env", "=".join(item))]
        subprocess.run([os.path.join(HERE, "../../harness/mpi_test"), "--mpi", chosen.mpi, "-n", str(chosen.n),
                        "--launcher", chosen.launcher, "--timeout", "60", *settings, "--", *words], check=True)

    layouts = {subprocess.run([*side, "layout"], env={**os.environ, **environment}, check=True, capture_output=True,
                              text=True).stdout for side in sides.values()}
    if len(layouts) != 1 or "iocomm" not in layouts.pop():
        print("C and Python disagree on the structures")
        return 1
    with tempfile.TemporaryDirectory(prefix="concilio-test-") as folder:
        for seed in chosen.seeds:
            files = {name: os.path.join(folder, f"{name}-{seed}.h5") for name in sides}
            for name, side in sides.items():
                run(*side, "write", files[name], seed)
            difference = subprocess.run(["h5diff", "-v", *files.values()], check=False, capture_output=True, text=True)
            if difference.returncode:
                print(f"seed {seed}:\n{difference.stdout}{difference.stderr}")
                return 1
            for name, side in sides.items():
                run(*side, "check", files["c" if name == "python" else "python"], seed)
            subprocess.run(["/usr/bin/python3", "-c", LOOK, files["python"], str(chosen.n)], check=True)
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except subprocess.CalledProcessError as error:
        print(error)
        sys.exit(1)
