"""mpi4py_own_tests.py SOURCES FOLDER: mpi4py's own tests of files, with temporary files in FOLDER.

SOURCES is where fetch_mpi4py_tests put them. A test that Concilio cannot pass is named in UNSUPPORTED, with the reason.
"""
import os
import sys
import tempfile
import unittest

MODULES = ["test_file", "test_io", "test_errhandler", "test_exceptions"]
UNSUPPORTED = {}


def tests_of(suite):
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from tests_of(test)
        else:
            yield test


def main():
    import mpi4py
    tempfile.tempdir = sys.argv[2]
    sys.path.insert(0, os.path.join(sys.argv[1], f"mpi4py-{mpi4py.__version__}", "test"))
    from mpi4py import MPI
    chosen, left_out = unittest.TestSuite(), set()
    for test in tests_of(unittest.defaultTestLoader.loadTestsFromNames(MODULES)):
        name = test.id().rpartition(".")[2]
        if name in UNSUPPORTED:
            left_out.add(name)
        else:
            chosen.addTest(test)
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(chosen)
    failed = MPI.COMM_WORLD.allreduce(len(result.failures) + len(result.errors))
    if MPI.COMM_WORLD.rank == 0:
        print(f"mpi4py {mpi4py.__version__}: {result.testsRun} tests on {MPI.COMM_WORLD.size} ranks, {failed} failed, "
              f"{len(result.skipped)} skipped by mpi4py; left out: {sorted(left_out)}")
    return 1 if failed or result.testsRun < 50 else 0


if __name__ == "__main__":
    sys.exit(main())
