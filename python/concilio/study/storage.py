"""Storage: a folder as it is, or the same slowed down by the library's throttle to stand for other devices."""
import dataclasses
import os
import subprocess

# Seconds, about, that a request costs, only to size what is measured; the library has its own table of devices.
DEVICES = {"hdd": 6e-3, "ssd": 8e-5, "nvm": 1e-5, "nfs": 3e-4, "lustre": 3e-4}
CHOICES = "real, hdd, ssd, nvm, nfs, lustre:OSTS or a file of costs"


class Wrong(Exception):
    """A storage that the user named cannot be."""


@dataclasses.dataclass(frozen=True)
class Storage:
    name: str  # short, for file names and keys
    folder: str
    throttle: str = ""  # of CONCILIO_THROTTLE; empty: real
    file_system: str = ""
    distributed: bool = False
    request_seconds: float = 0  # of the model, about

    @property
    def real(self):
        return not self.throttle

    @property
    def title(self):
        """Says what it is in truth: never leave this out of a caption."""
        if self.real:
            return f"real storage: {self.file_system} at {self.folder}"
        return f"modelled storage: {self.name} ({self.throttle}), on {self.file_system}"

    @property
    def short(self):
        return f"{self.name} ({'real' if self.real else 'modelled'})"

    def environment(self):
        return {"CONCILIO_THROTTLE": self.throttle} if self.throttle else {}

    def described(self):
        return {**dataclasses.asdict(self), "real": self.real, "title": self.title}


def file_system_of(folder):
    told = subprocess.run(["df", "--output=fstype", folder], capture_output=True, text=True, check=False)
    return told.stdout.split()[-1] if told.returncode == 0 and told.stdout.split() else "unknown file system"


DISTRIBUTED = ("nfs", "nfs4", "lustre", "gpfs", "beegfs", "ceph", "fuse.glusterfs", "pvfs2", "cifs", "9p", "orangefs")


def check_folder(folder):
    """The folder's absolute path; Wrong if nothing can be written there."""
    path = os.path.abspath(folder)
    if not os.path.isdir(path):
        raise Wrong(f"--dir {folder}: there is no such folder")
    if not os.access(path, os.W_OK | os.X_OK):
        raise Wrong(f"--dir {folder}: nothing can be written there; name a folder of your own")
    return path


def request_seconds_of(throttle):
    seconds = 0.0
    for part in throttle.split(";"):
        name, _, value = part.partition("=")
        try:
            if name == "device":
                seconds = max(seconds, DEVICES.get(value.partition(":")[0], 0.0))
            elif name in ("request", "seek", "seek_read", "seek_write"):
                seconds = max(seconds, float(value) / 1e3)
        except ValueError:
            continue  # the library says better what is wrong with it
    return seconds


def throttle_of_file(path):
    """The text of a file of costs: `name value` or `name=value`, a line each; # begins a comment."""
    try:
        with open(path, encoding="utf-8") as file:
            lines = [line.partition("#")[0].strip() for line in file]
    except (OSError, UnicodeDecodeError) as error:
        raise Wrong(f"--storage {path}: {getattr(error, 'strerror', None) or 'it is no text'}") from error
    costs = []
    for line in filter(None, lines):
        words = line.replace("=", " ", 1).split()
        if len(words) != 2 or ";" in line:
            raise Wrong(f"--storage {path}: '{line}' is no cost; write a name and a value a line, as in 'seek 8'")
        costs.append("=".join(words))
    if not costs:
        raise Wrong(f"--storage {path}: it names no cost")
    return ";".join(costs)


def throttle_of(word):
    """(name, throttle) of what --storage named; ("real", "") for storage as it is."""
    if word == "real":
        return "real", ""
    device, colon, count = word.partition(":")
    if device == "lustre":
        if not count.isdigit() or not 1 <= int(count) <= 100000:
            raise Wrong(f"--storage {word}: say how many OSTs, as in lustre:4")
        return word, f"device={word}"
    if device in DEVICES and not colon:
        return word, f"device={word}"
    if os.path.isfile(word):
        return os.path.splitext(os.path.basename(word))[0], throttle_of_file(word)
    raise Wrong(f"--storage {word}: there is {CHOICES}")


def storages_of(words, folders):
    """Every folder as it is where "real" is among the words; models on the first folder, which others would slow further."""
    paths = [check_folder(folder) for folder in folders]
    found = []
    for word in dict.fromkeys(words):
        name, throttle = throttle_of(word)
        if throttle:
            if any(name == one.name for one in found):
                raise Wrong(f"--storage {word}: there are two storages called {name}; name the files differently")
            found.append(Storage(name, paths[0], throttle, file_system_of(paths[0]), False, request_seconds_of(throttle)))
            continue
        for path in dict.fromkeys(paths):
            system = file_system_of(path)
            taken = [one.name for one in found]
            base = system.replace(" ", "-")
            name = base
            while name in taken:
                name = f"{base}-{sum(one.startswith(base) for one in taken) + 1}"
            found.append(Storage(name, path, "", system, system in DISTRIBUTED))
    return found
