"""Ratios to a C floor in the same run: client and servers on one core, alternating calls, medians.
Run by scripts/bench."""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

import library
import peers

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/System"))
import agents  # noqa: E402
import commands  # noqa: E402
import indexing  # noqa: E402
import photographs  # noqa: E402
import plugins  # noqa: E402
import revocation  # noqa: E402
import terms  # noqa: E402
from house.broker import BROKER, Album, Broker, House  # noqa: E402
from house.person import ADMIN, LIBRARY, as_user  # noqa: E402


# The number of 3 MB photos that are each read once.
COLD = 40


class PinnedBroker(Broker):
    core = 0

    def command(self):
        return ["taskset", "-c", str(self.core), *super().command()]


def build(folder):
    for name in ("floor", "client"):
        subprocess.run(
            ["gcc", "-O2", "-Wall", "-Wextra", "-o", folder / name, ROOT / f"Tests/Bench/{name}.c"], check=True
        )


def frame(method, interface=LIBRARY, **parameters):
    return json.dumps({"method": interface + method, "parameters": parameters}, separators=(",", ":"))


class Bench:
    def __init__(self, house, broker, uid, tokens, core):
        self.house, self.broker, self.uid, self.core = house, broker, uid, core
        self.attach = "".join(frame("Attach", token=token) + "\n" for token in tokens)

    def client(self, *arguments, pin=True, uid=None):
        command = [
            *(["taskset", "-c", str(self.core)] if pin else []),
            self.house.programs / "client",
            *map(str, arguments),
        ]
        result = subprocess.run(
            as_user(uid or self.uid, command), input=self.attach, text=True, capture_output=True, cwd="/"
        )
        if result.returncode:
            raise SystemExit(f"bench: {result.stderr.strip()}")
        words = [line.split() for line in result.stdout.splitlines()]
        return {w[0]: [int(n) for n in w[1:]] for w in words}

    def against(self, what, goal, mine, theirs, unit="us", faster=True):
        """Prints a comparison of nanoseconds, or of values in `unit`, with a peer's."""
        if theirs is None:
            return print(f"   {what:66} skipped: not installed", flush=True)
        scale = 1_000 if unit == "us" else 1
        ratio = theirs / mine if faster else mine / theirs
        word = "faster" if faster else "of it"
        print(
            f"   {what:66} {mine / scale:11,.1f} {theirs / scale:11,.1f} {unit}  {ratio:8.1f}x {word:6}  goal {goal}",
            flush=True,
        )

    def show(self, what, goal, found):
        (mine, mine99), (floor, floor99), (size,) = found["broker"], found["floor"], found["bytes"]
        print(
            f"   {what:58} {mine / 1000:9.1f} us {floor / 1000:9.1f} us   {mine / floor:5.2f}x   {goal:9}  p99 "
            f"{mine99 / floor99:5.2f}x"
            f"   {size:,} bytes",
            flush=True,
        )


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--assets", type=int, default=2_000)
    parser.add_argument("--rounds", type=int, default=500)
    parser.add_argument("--photos", type=int, default=1_000_000, help="of the large library; 0: leave it out")
    parser.add_argument(
        "--files", type=int, default=100_000, help="that are indexed while a client calls; 0: leave it out"
    )
    parser.add_argument("--library", type=pathlib.Path, help="a folder of photos that is indexed instead, from a copy")
    parser.add_argument("--photographs", type=int, default=2_000, help="real ones that are indexed; 0: leave it out")
    parser.add_argument("--only-indexing", action="store_true", help="leave everything else out")
    parser.add_argument("--only-photographs", action="store_true", help="leave everything but real photographs out")
    parser.add_argument("--only-plugins", action="store_true", help="leave everything but plugins out")
    parser.add_argument("--only-terms", action="store_true", help="leave everything but terms out")
    parser.add_argument("--only-agents", action="store_true", help="leave everything but an agent's looks out")
    parser.add_argument("--only-commands", action="store_true", help="leave everything but the owner's commands out")
    parser.add_argument("--only-revocation", action="store_true", help="leave everything but revocations out")
    parser.add_argument("--revocations", type=int, default=400)
    parser.add_argument("--core", type=int, default=max(os.sched_getaffinity(0)))
    options = parser.parse_args()
    house = House(options.bin.resolve())
    if options.only_plugins:
        try:
            return plugins.measure(house, 100_000)
        finally:
            house.end()
    if options.only_photographs:
        try:
            return photographs.measure(house, options.photographs)
        finally:
            house.end()
    if options.only_terms:
        try:
            return terms.measure(house)
        finally:
            house.end()
    if options.only_agents:
        try:
            return agents.measure(house)
        finally:
            house.end()
    if options.only_commands:
        try:
            return commands.measure(house)
        finally:
            house.end()
    build(house.programs)
    if options.only_revocation:
        try:
            return revocation.measure(house, options.revocations)
        finally:
            house.end()
    PinnedBroker.core = options.core
    broker = PinnedBroker(house).start()
    floor_folder = house.make_folder("floor", BROKER, mode=0o755)
    floor = subprocess.Popen(
        as_user(BROKER, ["taskset", "-c", str(options.core), house.programs / "floor", floor_folder / "sock"])
    )
    try:
        if not options.only_indexing:
            measure(house, broker, floor_folder / "sock", options)
        broker.end()
        if not options.only_indexing:
            revocation.measure(house, options.revocations)
            terms.measure(house)
            agents.measure(house)
            commands.measure(house)
        if options.files:
            broker = Broker(house, "indexing").start()
            measure_indexing(house, broker, options)
            broker.end()
        if options.photographs and not options.only_indexing:
            photographs.measure(house, options.photographs)
        if options.photos and not options.only_indexing:
            broker = PinnedBroker(house, "large")
            measure_large(house, broker, floor_folder / "sock", options)
        plugins.measure(house, 100_000)
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
    for number in range(COLD):
        album.add(3_002, f"cold-{number:02}.jpg", padding=3_000_000)
    print(
        f"== {options.assets + 1 + COLD} photos, every second one selected; broker, floor and client on core "
        f"{options.core}; "
        f"load {os.getloadavg()[0]:.1f}",
        flush=True,
    )
    owner.call("AddLibrary", name="bench", options={"path": str(album.folder)}, offeredTo=[app.uid])
    owner.wait_for_library("bench", options.assets + 1 + COLD, seconds=600)
    app.introduce()
    # The files as they are, like the peers'; terms.py measures copies without places.
    owner.set("bench", app.name, "limited", terms={"location": True})
    chosen = [a["identifier"] for a in owner.assets("bench")]
    names = ["large.jpg"] + [f"cold-{number:02}.jpg" for number in range(COLD)]
    chosen = chosen[::2] + [owner.identifier("bench", name) for name in names]
    for start in range(0, len(chosen), 1_000):
        owner.call("EditSelection", library="bench", app=app.name, add={"identifiers": chosen[start : start + 1_000]})
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
        (
            "authorise one photo (CountAssets) / echo of 200 bytes",
            "1.5x",
            frame("CountAssets", options={"identifiers": [one]}),
            0,
            rounds,
        ),
        ("authorise one photo (GetResources) / echo of 200 bytes", "1.5x", frame("GetResources", asset=one), 0, rounds),
        ("first page of 100 / the same bytes", "2.5x", frame("FetchAssets", limit=100), -1, rounds // 4),
        (
            "first 100 favourites / the same bytes",
            "2.5x",
            frame("FetchAssets", options={"favorite": True}, limit=100),
            -1,
            rounds // 4,
        ),
        (
            f"page at offset {pages * 100} / the same bytes",
            "",
            frame("FetchAssets", limit=100, cursor=cursor),
            -1,
            rounds // 4,
        ),
    ]:
        bench.show(what, goal, bench.client("calls", broker.app_socket, floor, rounds, request, back))
    copy = house.folder / "large.jpg"
    shutil.copyfile(album.folder / "large.jpg", copy)
    copy.chmod(0o644)
    found = bench.client("bytes", broker.app_socket, copy, rounds, frame("OpenResource", asset=large, role="original"))
    bench.show("open and read 3 MB, hot / open and read the file", "2x", found)
    print("== the same beside other programs; compared are medians of this run")
    authorised = bench.client("calls", broker.app_socket, floor, rounds, frame("GetResources", asset=one), 0)["broker"][
        0
    ]
    store = house.make_folder("permission", 0, mode=0o755)
    bench.against(
        "authorise one photo / xdg-permission-store GetPermission",
        "7x",
        authorised,
        peers.permission_store(store, options.core, 2_000),
    )
    linked = None
    if shutil.which("nginx"):
        nginx = peers.Nginx(house.make_folder("nginx", 0, mode=0o755), options.core, copy)
        try:
            answer = bench.client("http", nginx.port, nginx.link(), rounds)
            assert answer["bytes"] == found["bytes"], "nginx gave another file"
            linked = answer["peer"][0]
        finally:
            nginx.end()
    bench.against("open and read 3 MB, hot / nginx secure_link", "1.5x", found["broker"][0], linked)
    cold = app.run(read_once, assets=[app.named(name)["localIdentifier"] for name in names[1:]], core=options.core)
    files = [album.folder / name for name in names[1:]]
    through = peers.document_portal(house.make_folder("portal", 0, mode=0o755), options.core, files)
    assert through is None or through[1] == cold["bytes"], "the document portal gave another file"
    bench.against("open and read 3 MB, cold / xdg-document-portal", "1.5x", cold["median"], through and through[0])
    print(f"   the broker's resident memory: {resident(broker):.1f} MiB")


def read_once(agent, assets, core):
    """The median, in nanoseconds, of opening and reading photos for the first time, in the app's
    process."""
    import os, statistics, time

    os.sched_setaffinity(0, {core})
    connection, times = agent.connection(), []
    piece = bytearray(8 << 20)
    for asset in assets:
        start = time.monotonic_ns()
        reply, descriptors = connection.call_with_descriptors(
            "io.photobroker.Library.OpenResource", asset=asset, role="original"
        )
        count = os.preadv(descriptors[reply["descriptor"]], [piece], 0)
        os.close(descriptors[0])
        times.append(time.monotonic_ns() - start)
    return {"median": statistics.median(times), "bytes": count}


def measure_indexing(house, broker, options):
    """On all cores, as in normal use; the floor too."""
    owner, app = broker.owner(), broker.app()
    album = Album(house, "filling", owner.uid)
    for number in range(200):
        album.add(number)
    owner.call("AddLibrary", name="filling", options={"path": str(album.folder)}, offeredTo=[app.uid])
    owner.wait_for_library("filling", 200)
    app.introduce()
    owner.set("filling", app.name, "limited")
    owner.call(
        "EditSelection",
        library="filling",
        app=app.name,
        add={"identifiers": [a["identifier"] for a in owner.assets("filling")]},
    )
    assert app.request() == "limited"
    place = house.make_folder("floor-of-indexing", BROKER, mode=0o755) / "sock"
    floor = subprocess.Popen(as_user(BROKER, [house.programs / "floor", place]))
    print(f"== a folder fills, on {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}", flush=True)
    try:
        indexing.measure(
            Bench(house, broker, app.uid, [app.own_token, app.token], options.core),
            owner,
            place,
            "filling",
            album.folder,
            options,
            frame("FetchAssets", limit=100),
        )
    finally:
        floor.terminate()
        floor.wait()


def resident(broker):
    with open(f"/proc/{broker.process.pid}/status") as status:
        return int(next(line.split()[1] for line in status if line.startswith("VmRSS"))) / 1024


def first_answer(broker, house, app, frames):
    """Seconds from the start of the process to its first answer about the library."""
    start = time.monotonic()
    broker.process = subprocess.Popen(
        as_user(BROKER, broker.command()),
        env=broker.environment(),
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    script = (
        "import socket,sys,time\n"
        "frames=sys.stdin.read().split('\\n')\n"
        "while True:\n"
        "  peer=socket.socket(socket.AF_UNIX)\n"
        "  try: peer.connect(sys.argv[1]); break\n"
        "  except OSError: time.sleep(0.0005)\n"
        "for text in frames:\n"
        "  peer.sendall(text.encode()+b'\\0'); got=b''\n"
        "  while not got.endswith(b'\\0'): got+=peer.recv(1<<20)\n"
        "  assert b'error' not in got, got\n"
        "print(time.monotonic())\n"
    )
    result = subprocess.run(
        as_user(app.uid, ["/usr/bin/python3", "-S", "-c", script, broker.app_socket]),
        input="\n".join(frames),
        capture_output=True,
        text=True,
        check=True,
        cwd="/",
        timeout=120,
    )
    return float(result.stdout) - start


def measure_large(house, broker, floor, options):
    broker.start()
    owner, app = broker.owner(), broker.app()
    album = Album(house, "large", owner.uid)
    album.add(1)
    owner.call("AddLibrary", name="large", options={"path": str(album.folder)}, offeredTo=[app.uid])
    owner.wait_for_library("large", 1)
    app.introduce()
    owner.set("large", app.name, "limited")
    assert app.request() == "limited"
    others = []
    for number in range(10):
        other = broker.app()
        others.append(other.introduce(identifier=f"org.example.other{number}"))
        owner.call(
            "OfferLibrary",
            name="large",
            offeredTo=[person.uid for person in broker.people if person.interface == LIBRARY],
        )
        owner.set("large", others[-1], "limited")
    assert broker.stop() == 0
    album.folder.rename(album.folder.with_suffix(".away"))
    database, first, count = broker.state / "state.db", 100, options.photos
    library.fill(database, count, first)
    library.select(database, app.name, first, count)
    for path in broker.state.iterdir():
        os.chown(path, BROKER, BROKER)
    bench = Bench(house, broker, app.uid, [app.own_token, app.token], options.core)
    print(f"== {count:,} photos, {count // library.SELECTED:,} selected; load {os.getloadavg()[0]:.1f}", flush=True)
    frames = bench.attach.splitlines() + [frame("FetchAssets", limit=1)]
    taken = []
    for _ in range(6):
        taken.append(first_answer(broker, house, app, frames))
        time.sleep(1)
        memory = resident(broker)
        assert broker.stop() == 0
    scanned = sorted(library.scan(database) for _ in range(3))[1]
    # Only the first start finds no kept catalogue.
    bench.against(
        "start to first answer / a SQLite scan of the library", "40x", sorted(taken[1:])[2] * 1e3, scanned * 1e3, "ms"
    )
    bench.against("the first start of all, which reads every row / the same", "", taken[0] * 1e3, scanned * 1e3, "ms")
    for other in others:
        library.select(database, other, first, count)
    for path in broker.state.iterdir():
        os.chown(path, BROKER, BROKER)
    first_answer(broker, house, app, frames)
    time.sleep(1)
    print(
        f"   resident memory: {memory:.1f} MiB (goal 64); each grant of {count // library.SELECTED:,} photos "
        f"{(resident(broker) - memory) * 1024 / len(others):.0f} KB (goal 130)",
        flush=True,
    )
    large_calls(bench, broker, floor, options, owner, app, first)
    broker.stop()


def large_calls(bench, broker, floor, options, owner, app, first):
    rounds, favourites = options.rounds // 4, frame("FetchAssets", options={"favorite": True}, limit=100)
    app.new_connection()
    owner.new_connection()
    print(f"   {'':58} {'broker':>12} {'floor':>12}   ratio    goal")
    found = bench.client("calls", broker.app_socket, floor, rounds, favourites, -1)
    bench.show("first 100 favourites / the same bytes", "2.5x", found)
    page = bench.client("calls", broker.app_socket, floor, rounds, frame("FetchAssets", limit=100), -1)
    bench.show("first page of 100 / the same bytes", "2.5x", page)
    cursor = None
    for _ in range(40):
        cursor = app.call("FetchAssets", limit=100, **({"cursor": cursor} if cursor else {}))["cursor"]
    later = bench.client("calls", broker.app_socket, floor, rounds, frame("FetchAssets", limit=100, cursor=cursor), -1)
    bench.against(
        "page at offset 4,000 / the first page", "at most 1.3x", later["broker"][0], page["broker"][0], faster=False
    )
    chosen = [a["identifier"] for a in owner.call("FetchOwnedAssets", library="large", limit=1_000)["assets"]]
    edits = [
        frame("EditSelection", ADMIN, library="large", app=app.name, **{action: {"identifiers": chosen}})
        for action in ("add", "remove")
    ]
    mine = bench.client("pair", broker.admin_socket, 20, *edits, uid=owner.uid)["broker"][0] / 1e9
    rows = bench.house.make_folder("rows", 0)
    bench.against(
        "durable edit of 1,000 photos / a row per photo in SQLite",
        "4x",
        mine * 1e3,
        library.row_per_photo(rows / "rows.sqlite", 20) * 1e3,
        "ms",
    )
    owner.call("EditSelection", library="large", app=app.name, add={"identifiers": chosen})
    if not peers.has_postgres():
        return print("   PostgreSQL: skipped: not installed")
    postgres = peers.Postgres(bench.house.make_folder("postgres", 0, mode=0o755), options.core)
    try:
        postgres.fill(first, options.photos)
        names = [a["filename"] for a in app.call("FetchAssets", options={"favorite": True}, limit=100)["assets"]]
        wanted = [name for name in names if int(name[4:11]) % library.SELECTED == 0]
        for query in (postgres.SECURED, postgres.BEST):
            assert postgres.names(query)[: len(wanted)] == wanted, "PostgreSQL gave other photos"
        mine = found["broker"][0]
        bench.against(
            "first 100 favourites / PostgreSQL, row-level security", "500x", mine, postgres.median(postgres.SECURED, 20)
        )
        bench.against(
            "first 100 favourites / PostgreSQL, its best table", "3x", mine, postgres.median(postgres.BEST, 2_000)
        )
        for process in (broker.process, postgres.server):
            subprocess.run(
                ["taskset", "-a", "-p", hex((1 << os.cpu_count()) - 1), str(process.pid)], stdout=subprocess.DEVNULL
            )
        replies = (
            bench.client("many", broker.app_socket, 8, 4, frame("FetchAssets", limit=100), pin=False)["replies"][0] / 4
        )
        rate = postgres.rate(postgres.PAGE, 8, 4)
        bench.against(
            "8 clients, pages a second / PostgreSQL, its best table", "1.5x", replies, rate, "/s", faster=False
        )
    finally:
        postgres.end()


main()
