"""How far it is: rich's bar on a terminal where that is installed, else a line for each case."""
import sys
import time


def rough(seconds):
    return f"{seconds:.0f} s" if seconds < 100 else f"{seconds / 60:.0f} min"


class Plain:
    def __init__(self, total, stream=None):
        self.total, self.done, self.stream = total, 0, stream or sys.stderr
        self.started = time.monotonic()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        pass

    def say(self, text):
        print(text, file=self.stream, flush=True)

    def begin(self, text):
        pass

    def end(self, text):
        self.done += 1
        left = (time.monotonic() - self.started) / self.done * (self.total - self.done)
        self.say(f"[{self.done}/{self.total}] {text}" + (f"; about {rough(left)} left" if self.done < self.total else ""))


class Rich(Plain):
    def __init__(self, total):
        super().__init__(total)
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
        self.bar = Progress(TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn(),
                            console=Console(stderr=True))
        self.task = self.bar.add_task("study", total=total)

    def __enter__(self):
        self.bar.start()
        return self

    def __exit__(self, *_):
        self.bar.stop()

    def say(self, text):
        self.bar.console.print(text, markup=False, highlight=False)

    def begin(self, text):
        self.bar.update(self.task, description=text[:60])

    def end(self, text):
        self.bar.advance(self.task)


def progress(total):
    if sys.stderr.isatty():
        try:
            return Rich(total)
        except ImportError:
            pass
    return Plain(total)
