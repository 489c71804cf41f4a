"""A control group of the kernel with so much memory and no more, as a small machine or a unit's MemoryMax has."""

import os
import pathlib
import time

ROOT = pathlib.Path("/sys/fs/cgroup")


class MemoryGroup:
    def __init__(self, name, limit):
        """Raises OSError where this machine lets nobody make one."""
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
        """What runs the arguments after it in the group."""
        return ["/bin/sh", "-c", f'echo $$ > {self.folder}/cgroup.procs; exec "$@"', "sh"]

    def killed(self):
        """How many processes the kernel ended in it."""
        return int(dict(line.split() for line in (self.folder / self.events).read_text().splitlines())["oom_kill"])

    def end(self):
        """Once its processes have ended."""
        for _ in range(100):
            try:
                return os.rmdir(self.folder)
            except OSError:
                time.sleep(0.1)
        os.rmdir(self.folder)
