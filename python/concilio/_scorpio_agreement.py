"""How the ranks stay together when one of them fails in Python."""
import numpy
from mpi4py import MPI

from . import _scorpio_c as c

# Where a rank is when ranks meet: in a call, or closing something; what is opened inside of another has a lower number.
_CALL = 0
GROUP = 1 << 62


class ScorpioError(OSError):
    """What went wrong, with file, dataset and cause. Raised on all ranks alike."""


class Agreement:
    """The ranks of a communicator, who agree before they call the library."""

    def __init__(self, comm):
        self.comm = comm
        self._is_open = False
        self._opened_count = 0

    def _new_place(self):
        self._opened_count += 1
        return GROUP - self._opened_count

    def _check(self, result):
        if result == c.FAILURE:
            raise ScorpioError((c.library.scorpio_last_error() or b"").decode(errors="replace"))
        return result

    # Before the library is called, the ranks agree that all of them will call it: a rank with a wrong argument, or one
    # that leaves a `with` by an exception of its own, then makes the others fail and not wait.

    def _meet(self, place, error=None):
        """All ranks come here; returns the least and the highest place they are at. An error of one rank is raised on
        those in a call."""
        text = f"rank {self.comm.rank}: {type(error).__name__}: {error}"
        mine = numpy.array([place, -place, self.comm.rank if error else -1], "int64")
        ours = numpy.empty_like(mine)
        self.comm.Allreduce(mine, ours, MPI.MAX)
        highest, lowest, faulty = int(ours[0]), -int(ours[1]), int(ours[2])
        if faulty >= 0:
            text = self.comm.bcast(text, root=faulty)
        elif lowest != highest:
            text = "another rank has closed the file or the I/O group, and this one has not"
        else:
            return lowest, highest
        if place == _CALL:
            raise ScorpioError(text) from error
        return lowest, highest

    def _prepared(self, prepare):
        if not self._is_open:
            raise ScorpioError("the I/O group is closed")
        return self._agreed(prepare)

    def _agreed(self, prepare):
        """What prepare() returns; if it raises on one rank, ScorpioError on all."""
        try:
            made, error = prepare(), None
        except Exception as problem:  # whatever it is, the others must hear of it
            made, error = None, problem
        self._meet(_CALL, error)
        return made

    def _depart(self, place, error):
        """Waits until all ranks close what is at that place. False if some close the group instead, without it."""
        while True:
            lowest, highest = self._meet(place, error)
            if lowest == highest:
                return True
            if lowest != _CALL and place != highest:
                return False
