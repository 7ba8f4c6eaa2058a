#!/usr/bin/python3
"""examples.py MPI LAUNCHER LIBRARY LANGUAGE=PROGRAM...: the examples print what docs/scorpio-examples.md shows, on any
number of ranks, and write the same."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
HEADINGS = {"c": "C", "py": "Python", "f90": "Fortran"}


def shown_output(language):
    """What the page has below the command that runs the program."""
    with open(os.path.join(ROOT, "docs/scorpio-examples.md"), encoding="utf-8") as page:
        sections = re.split(r"^## ", page.read(), flags=re.MULTILINE)
    [section] = [text for text in sections if text.startswith(HEADINGS[language] + "\n")]
    [block] = [block for block in re.findall(r"```console\n(.*?)```", section, re.DOTALL) if "\npattern 1: " in block]
    return [line for line in block.splitlines() if not line.startswith("$")]


def main():
    mpi, launcher, library, *programs = sys.argv[1:]
    settings = {"PYTHONPATH": os.path.join(ROOT, "python"), "PYTHONDONTWRITEBYTECODE": "1",
                "CONCILIO_SCORPIO_LIBRARY": library}
    settings = [word for item in settings.items() for word in ("--env", "=".join(item))]
    with tempfile.TemporaryDirectory(prefix="concilio-test-") as folder:
        outputs = []
        for language, program in (word.split("=", 1) for word in programs):
            command = ["/usr/bin/python3", program] if language == "py" else [program]
            expected = shown_output(language)
            for ranks in (1, 3, 4):
                run = [os.path.join(ROOT, "tests/harness/mpi_test"), "--mpi", mpi, "-n", str(ranks), "--launcher",
                       launcher, "--timeout", "60", *settings, "--", *command, folder]
                done = subprocess.run(run, check=False, stdout=subprocess.PIPE, text=True)
                if done.returncode or done.stdout.splitlines() != expected or not expected:
                    print(f"{language} on {ranks} ranks, exit code {done.returncode}:\n{done.stdout}expected:\n"
                          + "\n".join(expected))
                    return 1
                outputs.append(os.path.join(folder, f"{language}-{ranks}.h5"))
                os.rename(os.path.join(folder, "output.h5"), outputs[-1])
        if shutil.which("h5diff"):
            for output in outputs[1:]:
                if subprocess.run(["h5diff", outputs[0], output], check=False).returncode:
                    print(f"{output} is not {outputs[0]}")
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
