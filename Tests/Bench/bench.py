"""Ratios against a C floor in the same run: client and servers on one core, calls in turn, medians. Run by scripts/bench."""
import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/System"))
from house.broker import BROKER, Album, Broker, House  # noqa: E402
from house.person import as_user, wait_for  # noqa: E402

LIBRARY = "io.photobroker.Library."


class PinnedBroker(Broker):
    core = 0

    def command(self):
        return ["taskset", "-c", str(self.core), *super().command()]


def build(folder):
    for name in ("floor", "client"):
        subprocess.run(["gcc", "-O2", "-Wall", "-Wextra", "-o", folder / name, ROOT / f"Tests/Bench/{name}.c"], check=True)


def frame(method, **parameters):
    return json.dumps({"method": LIBRARY + method, "parameters": parameters}, separators=(",", ":"))


class Bench:
    def __init__(self, house, broker, uid, tokens, core):
        self.house, self.broker, self.uid, self.core = house, broker, uid, core
        self.attach = "".join(frame("Attach", token=token) + "\n" for token in tokens)

    def client(self, *arguments):
        command = ["taskset", "-c", str(self.core), self.house.programs / "client", *map(str, arguments)]
        result = subprocess.run(as_user(self.uid, command), input=self.attach, text=True, capture_output=True, cwd="/")
        if result.returncode:
            raise SystemExit(f"bench: {result.stderr.strip()}")
        words = [line.split() for line in result.stdout.splitlines()]
        return {w[0]: [int(n) for n in w[1:]] for w in words}

    def show(self, what, goal, found):
        (mine, mine99), (floor, floor99), (size,) = found["broker"], found["floor"], found["bytes"]
        print(f"   {what:58} {mine / 1000:9.1f} us {floor / 1000:9.1f} us   {mine / floor:5.2f}x   {goal:9}  p99 {mine99 / floor99:5.2f}x"
              f"   {size:,} bytes", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--assets", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    options = parser.parse_args()
    house = House(options.bin.resolve())
    build(house.programs)
    PinnedBroker.core = options.core
    broker = PinnedBroker(house).start()
    floor_folder = house.make_folder("floor", BROKER, mode=0o755)
    floor = subprocess.Popen(as_user(BROKER, ["taskset", "-c", str(options.core), house.programs / "floor", floor_folder / "sock"]))
    try:
        measure(house, broker, floor_folder / "sock", options)
    finally:
        floor.terminate()
        floor.wait()
        broker.end()
        house.end()


def measure(house, broker, floor, options):
    owner, app = broker.owner(), broker.app()
    album = Album(house, "bench", owner.uid)
    for number in range(options.assets):
        album.add(number % 3_000, f"picture-{number:06}.jpg")
    album.add(3_001, "large.jpg", padding=3_000_000)
    print(f"== {options.assets + 1} photos, every second one selected; broker, floor and client on core {options.core}; "
          f"load {os.getloadavg()[0]:.1f}", flush=True)
    owner.call("AddLibrary", name="bench", options={"path": str(album.folder)}, offeredTo=[app.uid])
    owner.wait_for_library("bench", options.assets + 1, seconds=600)
    app.introduce()
    owner.set("bench", app.name, "limited")
    chosen = [a["identifier"] for a in owner.assets("bench")]
    chosen = chosen[::2] + [owner.identifier("bench", "large.jpg")]
    for start in range(0, len(chosen), 1_000):
        owner.call("EditSelection", library="bench", app=app.name, add={"identifiers": chosen[start:start + 1_000]})
    owner.call("MarkAssets", library="bench", selector={"identifiers": chosen[:400]}, favorite=True)
    assert app.request() == "limited"
    large = app.named("large.jpg")["localIdentifier"]
    one = app.call("FetchAssets", limit=1)["assets"][0]["localIdentifier"]
    cursor, pages = None, 0
    while pages < 4:
        page = app.call("FetchAssets", limit=100, **({"cursor": cursor} if cursor else {}))
        if not page.get("cursor"):
            break
        cursor, pages = page["cursor"], pages + 1
    bench = Bench(house, broker, app.uid, [app.own_token, app.token], options.core)
    print(f"   {'':58} {'broker':>12} {'floor':>12}   ratio    goal")
    rounds = options.rounds
    for what, goal, request, back, rounds in [
        ("authorise one photo (CountAssets) / echo of 200 bytes", "1.5x", frame("CountAssets", options={"identifiers": [one]}), 0, rounds),
        ("authorise one photo (GetResources) / echo of 200 bytes", "1.5x", frame("GetResources", asset=one), 0, rounds),
        ("first page of 100 / the same bytes", "2.5x", frame("FetchAssets", limit=100), -1, rounds // 4),
        ("first 100 favourites / the same bytes", "2.5x", frame("FetchAssets", options={"favorite": True}, limit=100), -1, rounds // 4),
        (f"page at offset {pages * 100} / the same bytes", "", frame("FetchAssets", limit=100, cursor=cursor), -1, rounds // 4),
    ]:
        bench.show(what, goal, bench.client("calls", broker.app_socket, floor, rounds, request, back))
    copy = house.folder / "large.jpg"
    shutil.copyfile(album.folder / "large.jpg", copy)
    copy.chmod(0o644)
    found = bench.client("bytes", broker.app_socket, copy, rounds, frame("OpenResource", asset=large, role="original"))
    bench.show("open and read 3 MB, hot / open and read the file", "2x", found)
    with open(f"/proc/{broker.process.pid}/status") as status:
        resident = next(line.split()[1] for line in status if line.startswith("VmRSS"))
    print(f"   the broker's resident memory: {int(resident) / 1024:.1f} MiB")


main()
