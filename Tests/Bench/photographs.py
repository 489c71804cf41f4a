"""Indexing of real photographs beside its parts, in the same run: reading and hashing the bytes, and
the media worker's answers. A library has one scan, so these follow each other on one core at a time."""

import hashlib
import importlib.machinery
import importlib.util
import os
import pathlib
import shutil
import subprocess
import time

from indexing import give
from house.broker import Album, Broker
from house.person import wait_for
from house.pictures import ROOT, real_photographs

# Files whose parts are measured; all other copies have the same content but for a number.
SAMPLE = 1_000
SIDECARS = (".xmp", ".json", ".thm", ".txt", ".md", ".tsv")


def multiply(source, folder, count):
    """Copies the photographs until there are `count`, each with its own number behind its bytes."""
    names = sorted(p for p in source.rglob("*") if p.is_file() and "LICENSES" not in p.parts)
    photos = [p for p in names if p.suffix.lower() not in SIDECARS]
    made = []
    while len(made) < count:
        tree = folder / f"{len(made) // len(photos):05}"
        for path in names:
            place = tree / path.relative_to(source)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, place)
            if path in photos:
                with open(place, "ab") as file:
                    file.write(b"%08d" % len(made))
                made.append(place)
    return made


def load_worker(house):
    """The media worker alone, as scripts/oracle asks it."""
    loader = importlib.machinery.SourceFileLoader("oracle", str(ROOT / "scripts/oracle"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("oracle", loader))
    loader.exec_module(module)
    os.environ["PHOTOBROKER_BIN"] = str(house.programs)
    return module.Worker()


def seconds(action):
    start = time.monotonic()
    action()
    return time.monotonic() - start


def hash_all(paths):
    for path in paths:
        with open(path, "rb") as file:
            hashlib.file_digest(file, "sha256")


def ask_all(worker, paths):
    for path in paths:
        worker.facts(path)


def processor_seconds(pid):
    """The processor time of a process, and of its children, also those that ended."""
    with open(f"/proc/{pid}/stat") as file:
        times = [int(text) / os.sysconf("SC_CLK_TCK") for text in file.read().rpartition(")")[2].split()[11:15]]
    # Each thread lists the processes that it started.
    children = [
        child for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children") for child in task.read_text().split()
    ]
    return sum(times[:2]), sum(times[2:]) + sum(sum(processor_seconds(child)) for child in children)


def measure(house, count):
    source = real_photographs()
    if source is None:
        return print("== real photographs: skipped: they are not beside this checkout", flush=True)
    broker = Broker(house, "photographs").start()
    try:
        measure_with(house, broker, source, count)
    finally:
        broker.end()


def measure_with(house, broker, source, count):
    owner = broker.owner()
    album = Album(house, "photographs", owner.uid)
    paths = multiply(source, album.folder, count)
    give(album.folder, owner.uid)
    os.sync()
    sample = paths[:SAMPLE]
    size = sum(path.stat().st_size for path in paths)
    print(f"== {len(paths):,} real photographs, {size / len(paths) / 1e3:.0f} KB on average", flush=True)
    each = lambda action: seconds(action) / len(sample)
    hashed = each(lambda: hash_all(sample))
    worker = load_worker(house)
    asked = each(lambda: ask_all(worker, sample))
    worker.socket.close()
    worker.process.wait(10)
    names = "\n".join(map(str, sample))
    command = ["exiftool", "-fast", "-q", "-m", "-n", "-j", "-@", "-"]
    told = each(
        lambda: subprocess.run(command, input=names, text=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    )
    before = processor_seconds(broker.process.pid)
    owner.call("AddLibrary", name="photographs", options={"path": str(album.folder)}, offeredTo=[])

    def index():
        wait_for(lambda: owner.library("photographs")["assets"] > 0, "the first photos", 600)
        owner.wait_for_library("photographs", seconds=3_600)

    whole = seconds(index) / len(paths)
    mine, workers = ((now - then) / len(paths) for now, then in zip(processor_seconds(broker.process.pid), before))
    assets = owner.library("photographs")["assets"]
    print(
        f"   {assets:,} assets, {1 / whole:.0f} photos and {size / len(paths) / whole / 1e6:.0f} MB a second; a photo took "
        f"{whole * 1e3:.1f} ms: SHA-256 {hashed * 1e3:.1f} ms, the media worker alone {asked * 1e3:.1f} ms; processor time "
        f"{mine * 1e3:.1f} ms of the broker, {workers * 1e3:.1f} ms of its children",
        flush=True,
    )
    print(
        f"   photo indexed / SHA-256 and the media worker alone   {whole / (hashed + asked):.2f}x   goal at most 1.5x"
    )
    print(f"   photo indexed / exiftool -fast, one process   {told / whole:.1f}x faster   goal 1.5x faster")
    measure_rescan(owner, album.folder, broker)


def measure_rescan(owner, folder, broker):
    start = os.times()
    subprocess.run(["find", folder, "-printf", "%s %T@ %i"], stdout=subprocess.DEVNULL)
    listed = sum(os.times()[2:4]) - sum(start[2:4])
    before = sum(processor_seconds(broker.process.pid))
    owner.rescan("photographs")
    mine = sum(processor_seconds(broker.process.pid)) - before
    print(
        f"   rescan without a change / find of sizes and times, processor time   {mine / listed:.1f}x  "
        f"({mine * 1e3:.0f} ms, {listed * 1e3:.0f} ms)   goal at most 10x",
        flush=True,
    )
