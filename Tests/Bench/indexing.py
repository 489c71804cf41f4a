"""Latency of one call per millisecond before, during and after the indexing of 100,000 files. It
runs on all cores, as in normal use: the media worker and the client compete for them. Calls to a C
floor at the same time show the machine's own share."""

import os
import shutil
import subprocess
import time

from house.broker import BROKER
from house.person import as_user
from house.pictures import day, jpeg


class Steady:
    """A client that calls at an even pace."""

    def __init__(self, bench, floor, request, back):
        end, self.signal = os.pipe()
        command = [
            "bash",
            "-c",
            f'exec 3<&{end}; exec "$@"',
            "steady",
            bench.house.programs / "client",
            "steady",
            bench.broker.app_socket,
            floor,
            request,
            back,
        ]
        self.process = subprocess.Popen(
            as_user(bench.uid, command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            pass_fds=[end],
            cwd="/",
        )
        os.close(end)
        self.process.stdin.write(bench.attach)
        self.process.stdin.close()
        assert self.process.stdout.readline() == "ready\n", "the client could not attach"

    def end(self):
        os.close(self.signal)
        found = {w[0]: [int(n) for n in w[1:]] for w in map(str.split, self.process.stdout.read().splitlines())}
        assert self.process.wait() == 0
        return found


def fill(folder, count, owner):
    """Folders of 1,000 small pictures, each with its own bytes and date."""
    for number in range(count):
        place = folder / f"{number // 1_000:03}"
        if number % 1_000 == 0:
            place.mkdir(parents=True)
        (place / f"picture-{number:06}.jpg").write_bytes(jpeg(day(number % 3_000), note=b"%d" % number))
    give(folder, owner)


def give(folder, owner):
    subprocess.run(["chown", "-R", f"{owner}:{BROKER}", folder], check=True)
    subprocess.run(["chmod", "-R", "u=rwX,g=rX,o=", folder], check=True)


def copy(source, folder, owner):
    shutil.copytree(source, folder, symlinks=True)
    give(folder, owner)


def look(bench, floor, request, back, seconds):
    steady = Steady(bench, floor, request, back)
    time.sleep(seconds)
    return steady.end()


def measure(bench, owner, floor, library, folder, options, request, back=-1, idle_seconds=15):
    beside = folder.parent / "arriving"
    if options.library:
        copy(options.library, beside, owner.uid)
    else:
        fill(beside, options.files, owner.uid)
    # The new files must not be written back during the measurement.
    os.sync()
    files = sum(len(names) for _, _, names in os.walk(beside))
    before = look(bench, floor, request, back, idle_seconds)
    had = owner.library(library)["assets"]
    steady, start, progress, last = Steady(bench, floor, request, back), time.monotonic(), set(), None
    os.rename(beside, folder / "arriving")
    while True:
        time.sleep(0.25)
        state = owner.library(library)
        progress.add((state["indexed"], state["toIndex"]))
        if state["assets"] > had and state["toIndex"] == 0 and last == state["assets"]:
            break
        last = state["assets"]
    seconds, during = time.monotonic() - start, steady.end()
    after = look(bench, floor, request, back, idle_seconds)
    print(
        f"   {files:,} files became {state['assets'] - had:,} assets ({state['skipped']} skipped) in {seconds:.0f} s, "
        f"{files / seconds:.0f} a second; progress was told {len(progress)} times; a client at one call a millisecond:"
    )
    for what, found in (("before", before), ("while they are indexed", during), ("after", after)):
        (mine, mine99), (base, base99), (slow, base_slow), (samples,) = (
            found[k] for k in ("broker", "floor", "slowest", "samples")
        )
        print(
            f"   {what:24} median {mine / 1e3:8.1f} us  p99 {mine99 / 1e3:8.1f} us  slowest {slow / 1e6:6.1f} ms;  "
            f"floor: median {base / 1e3:8.1f} us  p99 {base99 / 1e3:8.1f} us  slowest {base_slow / 1e6:6.1f} ms  "
            f"({samples} calls)"
        )
    idle = min(before["broker"][1], after["broker"][1])
    still = min(before["floor"][1], after["floor"][1])
    print(
        f"   p99 while {files:,} files are indexed / idle: {during['broker'][1] / idle:.2f}x, of the floor's "
        f"{during['floor'][1] / still:.2f}x   goal at most 2x",
        flush=True,
    )
