"""The distributed file system of Concilio's own tests, for as long as a study needs it."""
import os
import shutil
import subprocess

from . import measure
from .hosts import HARNESS


class TestPfs:
    def __init__(self, folder):
        self.folder = os.path.join(folder, "pfs")
        self.made = False

    def mount(self):
        """The folder where it is mounted; Failed where it cannot be made here."""
        if not (HARNESS / "testpfs").exists():
            raise measure.Failed("--testpfs needs Concilio's source tree (tests/harness/testpfs); give --dir a folder of yours")
        if os.geteuid() != 0 or not shutil.which("glusterd", path=os.environ.get("PATH", "") + ":/usr/sbin"):
            raise measure.Failed("--testpfs needs root, FUSE and GlusterFS (Debian's glusterfs-server, glusterfs-client)")
        self.made = True
        told = subprocess.run([HARNESS / "testpfs", "up", self.folder], capture_output=True, text=True, check=False)
        if told.returncode:
            raise measure.Failed("--testpfs: " + measure.last_words(told.stderr))
        return os.path.join(self.folder, "mnt")

    def close(self):
        if self.made:
            subprocess.run([HARNESS / "testpfs", "down", self.folder], capture_output=True, check=False, start_new_session=True)
            self.made = False
