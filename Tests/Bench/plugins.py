"""The cost of a plugin's own process: calls and lists in each way to run one, as `photobroker
plugin check` measures them."""

import hashlib
import json
import os
import shutil
import statistics
import subprocess
import time
import zipfile

from house.broker import BROKER, Broker
from house.faults import AT_START, TOLD, install_faulty
from house.neighbour import call_continuously, p99
from house.person import as_user
from house.pictures import ROOT, day, jpeg
from house.remotes import WebDAV


def check(house, path, *words):
    done = subprocess.run(
        as_user(BROKER, [house.programs / "photobroker", "plugin", "check", path, "--json", *words]),
        text=True,
        cwd="/",
        capture_output=True,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
    )
    if done.returncode:
        raise SystemExit(f"bench: plugin check {path}: {done.stdout[-2000:]}{done.stderr}")
    return json.loads(done.stdout)["plugins"]


WAYS = ("inside of the daemon (`--trust`)", "a process of its own", "a program in Python")


class Table:
    """A table of times for each way, in the form of the guide for authors."""

    def __init__(self):
        self.rows = {}

    def add(self, what, way, seconds):
        self.rows.setdefault(what, {})[way] = seconds
        print(f"   {what:52} {WAYS[way]:34} {told(seconds):>10}", flush=True)

    def show(self):
        print(f"\n| what | {' | '.join(WAYS)} | own process against inside |\n|---|---|---|---|---|")
        for what, taken in self.rows.items():
            cells = [told(taken[way]) if way in taken else "" for way in range(len(WAYS))]
            ratio = f"{taken[1] / taken[0]:.1f}x" if 0 in taken and 1 in taken else ""
            print(f"| {what} | {' | '.join(cells)} | {ratio} |")
        print(flush=True)


def told(seconds):
    """Formats a time with about two significant digits and a unit."""
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size or unit == "us":
            value = seconds / size
            return f"{value:,.0f} {unit}" if value >= 10 else f"{value:.1f} {unit}"


def measure(house, photos):
    print(f"== plugins: each way to run one; {photos:,} files; load {os.getloadavg()[0]:.1f}", flush=True)
    table, listed = Table(), {}
    folder = house.make_folder("many-photos", BROKER)
    for number in range(photos):
        place = folder / f"{number // 1000:03}"
        place.mkdir(exist_ok=True)
        (place / f"{number}.jpg").touch()
    subprocess.run(["chown", "-R", f"{BROKER}:{BROKER}", folder], check=True)

    def take(what, speed, way, rate, count=1):
        table.add(what, way, count / speed[rate])

    call, listing = "a call of a storage", f"a list of {photos:,} photos"
    question, naming = "a question to an album policy", "a question to a cloud mapping"
    [plugin] = check(house, house.programs / "libdirectory.so", "--option", f"path={folder}", "--in-process")
    for way, speed in enumerate((plugin["inProcess"], plugin["speed"])):
        take(call, speed, way, "callsPerSecond")
        take(listing, speed, way, "itemsPerSecond", photos)
    listed.update({"inside": plugin["inProcess"]["items"], "own process": plugin["speed"]["items"]})
    [plugin] = check(house, house.programs / "libalbum-policies.so", "--name", "own", "--in-process")
    for way, speed in enumerate((plugin["inProcess"], plugin["speed"])):
        take(question, speed, way, "callsPerSecond")
    [plugin] = check(house, house.programs / "libcontent.so", "--in-process")
    for way, speed in enumerate((plugin["inProcess"], plugin["speed"])):
        take(naming, speed, way, "callsPerSecond")
        take("1,000 cloud mappings in one call", speed, way, "namesPerSecond", 1_000)
    program = house.make_folder("measured", BROKER, mode=0o755) / "measured.plugin"
    shutil.copy2(ROOT / "Tests/Bench/measured.plugin", program)
    program.chmod(0o755)
    os.chown(program, BROKER, BROKER)
    policy, mapping = check(house, program)
    take(question, policy["speed"], 2, "callsPerSecond")
    take(naming, mapping["speed"], 2, "callsPerSecond")
    take("1,000 cloud mappings in one call", mapping["speed"], 2, "namesPerSecond", 1_000)
    archive = house.make_folder("many-zipped", BROKER, mode=0o755) / "a.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for number in range(photos):
            made.writestr(f"{number // 1000:03}/{number}.jpg", b"x")
    archive.chmod(0o644)
    program = archive.with_name("archive.plugin")
    shutil.copy2(ROOT / "Examples/python/archive.plugin", program)
    os.chown(program, BROKER, BROKER)
    [plugin] = check(house, program, "--option", f"path={archive}")
    take(call, plugin["speed"], 2, "callsPerSecond")
    take(listing, plugin["speed"], 2, "itemsPerSecond", photos)
    listed["Python"] = plugin["speed"]["items"]
    assert set(listed.values()) == {photos}, f"the lists are not of the same files: {listed}"
    shutil.rmtree(folder)
    os.unlink(archive)
    table.show()
    measure_remote(house)
    measure_neighbour(house)


def open_each(agent, assets):
    """Seconds to open each asset for the first time, and the SHA-256 of its bytes."""
    import hashlib
    import os
    import time

    connection, taken, digests = agent.connection("remote"), [], []
    for asset in assets:
        began = time.perf_counter()
        _, files = connection.call_with_descriptors("io.photobroker.Library.OpenResource", asset=asset, role="original")
        taken.append(time.perf_counter() - began)
        for file in files:
            digests.append(hashlib.sha256(os.pread(file, 1 << 26, 0)).hexdigest())
            os.close(file)
    return taken, digests


def measure_remote(house, count=20):
    what = "3 MB of a WebDAV server through rclone and the broker, and with curl"
    if WebDAV.missing or not shutil.which("rclone") or not shutil.which("curl"):
        return print(f"   {what}: skipped: apache2-bin, rclone or curl is not installed", flush=True)
    remote = WebDAV(house, "bench-webdav")
    broker = Broker(house, "bench-remote")
    broker.arguments = ["--network", "rclone"]
    try:
        broker.start()
        for number in range(count):
            remote.put(
                f"picture-{number}.jpg",
                jpeg(day(number), note=str(number).encode(), detail=3_000_000),
                day(number).timestamp(),
            )
        owner, app = broker.owner(), broker.app()
        owner.call(
            "AddLibrary",
            name="far",
            backend="rclone",
            offeredTo=[app.uid],
            options={"remote": remote.remote, "config": str(remote.config)},
        )
        owner.wait_for_library("far", count, seconds=120)
        app.introduce()
        owner.set("far", app.name, "authorized")
        assert app.request() == "authorized"
        mine, digests = app.run(open_each, assets=[asset["localIdentifier"] for asset in app.fetch()])
        fetched, theirs, same = house.make_folder("bench-curl", 0) / "picture.jpg", [], []
        for number in range(count):
            began = time.perf_counter()
            subprocess.run(
                [
                    "curl",
                    "--silent",
                    "--fail",
                    "--user",
                    "owner:a secret",
                    "--output",
                    fetched,
                    f"http://127.0.0.1:{remote.port}/picture-{number}.jpg",
                ],
                check=True,
            )
            theirs.append(time.perf_counter() - began)
            same.append(hashlib.sha256(fetched.read_bytes()).hexdigest())
        assert sorted(digests) == sorted(same), "the broker and curl brought other bytes"
        mine, theirs = statistics.median(mine), statistics.median(theirs)
        print(f"   {what}: {told(mine)} and {told(theirs)}, {mine / theirs:.1f}x", flush=True)
    finally:
        broker.end()
        remote.stop()


def measure_neighbour(house, seconds=20):
    """The effect of libraries with faulty plugins on an app of a sound library."""
    install_faulty(house)
    broker = Broker(house, "bench-town")
    broker.arguments = ["--plugin-answer", "5", "--library-photos", "20000"]
    trigger = house.make_folder("bench-trigger", BROKER, mode=0o755) / "now"
    faults = sorted(set(TOLD) - AT_START)
    try:
        broker.start()
        owner, app = broker.owner(), broker.app()
        owner.call(
            "AddLibrary", name="right", offeredTo=[app.uid], options={"path": str(pictures(house, "right", owner.uid))}
        )
        owner.wait_for_library("right", 4)
        app.introduce()
        owner.set("right", app.name, "authorized")
        assert app.request() == "authorized"
        asset = app.fetch()[0]["localIdentifier"]
        quiet = app.run(call_continuously, seconds=seconds, asset=asset)
        root = broker.owner(BROKER)
        for number, fault in enumerate(faults):
            folder = pictures(house, f"wrong-{number}", BROKER)
            root.call(
                "AddLibrary",
                name=f"wrong-{number}",
                backend="faulty",
                options={"path": str(folder), "fault": fault, "trigger": str(trigger)},
            )
        for number in range(len(faults)):
            root.wait_for_library(f"wrong-{number}", 4)
        trigger.touch()
        for number in range(len(faults)):
            root.call("RescanLibrary", name=f"wrong-{number}")
        loud = app.run(call_continuously, seconds=seconds, asset=asset)
        assert quiet["errors"] == loud["errors"] == [], (quiet["errors"][:3], loud["errors"][:3])
        print("\n| calls of a neighbour | p99 | worst |\n|---|---|---|")
        for what, found in (("alone", quiet), (f"beside {len(faults)} libraries with faulty plugins", loud)):
            print(
                f"| {what} ({len(found['taken']):,} calls) | {told(p99(found['taken']) / 1000)} | "
                f"{told(max(found['taken']) / 1000)} |"
            )
        print(flush=True)
    finally:
        broker.end()


def pictures(house, name, uid):
    """A folder with four photos."""
    folder = house.make_folder(f"bench-{name}", uid, mode=0o755)
    for number in range(4):
        path = folder / f"picture-{number}.jpg"
        path.write_bytes(jpeg(day(number), note=f"{name} {number}".encode()))
        os.chown(path, uid, uid)
    return folder
