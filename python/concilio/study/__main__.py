"""Run by `concilio study`, as a folder, or as `python3 -m concilio.study`."""
import pathlib
import sys

if not __package__:
    # Of a folder that is run, Python looks in that folder alone.
    sys.path[0] = str(pathlib.Path(__file__).resolve().parents[2])

from concilio.study import command

sys.exit(command.main())
