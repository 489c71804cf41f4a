"""A control group with a memory limit, like a small machine or a unit with MemoryMax."""

import os
import pathlib
import time

ROOT = pathlib.Path("/sys/fs/cgroup")


class MemoryGroup:
    def __init__(self, name, limit):
        """Raises OSError if this machine allows no control group."""
        is_older = (ROOT / "memory/memory.limit_in_bytes").exists()
        self.folder = (ROOT / "memory" if is_older else ROOT) / name
        self.folder.mkdir()
        self.events = "memory.oom_control" if is_older else "memory.events"
        try:
            (self.folder / ("memory.limit_in_bytes" if is_older else "memory.max")).write_text(str(limit))
        except OSError:
            self.folder.rmdir()
            raise

    def command(self):
        """A command prefix that runs its arguments in the group."""
        return ["/bin/sh", "-c", f'echo $$ > {self.folder}/cgroup.procs; exec "$@"', "sh"]

    def killed(self):
        """The number of its processes that the kernel killed."""
        return int(dict(line.split() for line in (self.folder / self.events).read_text().splitlines())["oom_kill"])

    def shared(self):
        """Bytes of memory files that it holds."""
        return int(dict(line.split() for line in (self.folder / "memory.stat").read_text().splitlines())["shmem"])

    def end(self):
        """Removes the group once its processes have ended."""
        for _ in range(100):
            try:
                return os.rmdir(self.folder)
            except OSError:
                time.sleep(0.1)
        os.rmdir(self.folder)
