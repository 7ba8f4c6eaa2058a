"""How far it is: rich's bar on a terminal where that is installed, else a line for each step."""
import sys
import time


def rough(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


class Plain:
    """`totals`: how many steps there are of each kind. Steps of one kind take about equally long, those of several need not."""

    def __init__(self, totals, stream=None, clock=time.monotonic):
        self.totals, self.stream, self.clock = totals, stream or sys.stderr, clock
        self.taken = {kind: [] for kind in totals}
        self.last = clock()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def say(self, text):
        print(text, file=self.stream, flush=True)

    def begin(self, text):
        pass

    @property
    def done(self):
        return sum(map(len, self.taken.values()))

    @property
    def total(self):
        return sum(self.totals.values())

    def step(self, kind):
        """Counts what took the time since the last step."""
        now = self.clock()
        self.taken[kind].append(now - self.last)
        self.last = now

    def left(self):
        """In words. Of steps of a kind that has not been seen yet nobody knows how long they take."""
        seconds, all_known = 0, True
        for kind, total in self.totals.items():
            taken, to_come = self.taken[kind], total - len(self.taken[kind])
            if to_come > 0 and taken:
                seconds += sum(taken) / len(taken) * to_come
            all_known = all_known and (to_come <= 0 or bool(taken))
        if self.done == self.total or not all_known and seconds < 1:
            return ""
        return f"{'about' if all_known else 'more than'} {rough(seconds)} left"

    def end(self, text, kind="case"):
        self.step(kind)
        left = self.left()
        self.say(f"[{self.done}/{self.total}] {text}" + (f"; {left}" if left else ""))


class Rich(Plain):
    def __init__(self, totals):
        super().__init__(totals)
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
        self.bar = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(),
                            TextColumn("{task.fields[left]}"), console=Console(stderr=True))
        self.task = self.bar.add_task("study", total=self.total, left="")

    def __enter__(self):
        self.bar.start()
        return self

    def __exit__(self, *_):
        self.bar.stop()

    def say(self, text):
        self.bar.console.print(text, markup=False, highlight=False)

    def begin(self, text):
        self.bar.update(self.task, description=text[:60])

    def end(self, text, kind="case"):
        self.step(kind)
        self.bar.update(self.task, advance=1, left=self.left())


def progress(totals):
    if sys.stderr.isatty():
        try:
            return Rich(totals)
        except ImportError:
            pass
    return Plain(totals)
