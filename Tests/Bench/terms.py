"""What terms cost: files and pages without places, and live selections. Two apps take turns, one with
places and one without, so that both meet the same machine."""

import base64
import os
import statistics

from house.broker import Album, Broker
from house.pictures import day, jpeg, placed

PHOTOS = 2_000
# Files of 3 MB that each app reads twice, and as many that it reads from the disk.
FILES = 20
PAGES = 400
ADDED = 100


def measure(house):
    broker = Broker(house, "terms").start()
    try:
        print(f"== what terms cost, with {PHOTOS:,} photos; load {os.getloadavg()[0]:.1f}", flush=True)
        measure_facts(house, broker)
        measure_live(house, broker)
    finally:
        broker.end()


def timed(agent, token, method, calls):
    """The nanoseconds of each call, on a new connection."""
    connection = Connection(agent.path, timeout=60)  # noqa: F821
    connection.call("io.photobroker.Library.Attach", token=token)
    times = []
    for parameters in calls:
        start = time.perf_counter_ns()  # noqa: F821
        _, descriptors = connection.call_with_descriptors(method, **parameters)
        times.append(time.perf_counter_ns() - start)  # noqa: F821
        for descriptor in descriptors:
            os.close(descriptor)
    connection.close()
    return times


def in_turns(apps, method, calls, before=lambda turn: None):
    """The times of both apps; `calls(turn, which)` are those of one turn. They begin turns by turns."""
    found = [], []
    for turn, pair in enumerate(calls):
        for which in (0, 1) if turn % 2 else (1, 0):
            app = apps[which]
            before(turn)
            found[which].extend(app.run(timed, token=app.token, method=app.method(method), calls=pair[which]))
    return found


def show(what, goal, found):
    theirs, mine = map(statistics.median, found)
    print(f"   {what:60} {mine / 1e3:9.1f} us {theirs / 1e3:9.1f} us  {mine / theirs:5.2f}x  goal {goal}", flush=True)


def measure_facts(house, broker):
    owner = broker.owner()
    album = Album(house, "terms", owner.uid)
    for number in range(PHOTOS):
        album.add(number, f"picture-{number:06}.jpg")
    names = [f"large-{number:02}.jpg" for number in range(2 * FILES)]
    for name in names:
        album.put(name, placed(jpeg(day(PHOTOS), note=name.encode(), detail=3_000_000)), day(PHOTOS).timestamp())
    owner.call("AddLibrary", name="terms", options={"path": str(album.folder)})
    owner.wait_for_library("terms", PHOTOS + 2 * FILES, seconds=600)
    apps, files = [], []
    for name, location in (("with", True), ("without", False)):
        app = broker.app(uid=owner.uid)
        app.introduce(f"org.example.{name}")
        owner.set("terms", app.name, "authorized", terms={"location": location})
        assert app.request(library="terms") == "authorized"
        apps.append(app)
        files.append([app.named(name)["localIdentifier"] for name in names])
    opened = [[[{"asset": mine[number]}] for mine in files] for number in range(2 * FILES)]
    opened, stored = opened[:FILES], opened[FILES:]

    def drop(turn):
        """Take a file out of the system's cache."""
        with open(album.folder / names[FILES + turn], "rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)

    show("a 3 MB JPEG without places / with, from the disk", "1.3x", in_turns(apps, "OpenResource", stored, drop))
    show("the same from the system's cache", "-", in_turns(apps, "OpenResource", opened))
    show("the same again", "1.05x", in_turns(apps, "OpenResource", opened))
    page = [{"limit": 100}] * (PAGES // 20)
    show("first page of 100 without places / with", "1.05x", in_turns(apps, "FetchAssets", [[page, page]] * 20))


def measure_live(house, broker):
    owner, apps = broker.owner(), []
    for name, rules in (("plain", 0), ("live", 10)):
        album = Album(house, name, owner.uid)
        for number in range(PHOTOS):
            album.add(number, f"picture-{number:06}.jpg")
        album.let_broker_add()
        owner.call("AddLibrary", name=name, options={"path": str(album.folder)})
        owner.wait_for_library(name, PHOTOS, seconds=600)
        for number in range(rules):
            reader = broker.app(uid=owner.uid)
            reader.introduce(f"org.example.reader{number}")
            owner.set(name, reader.name, "limited")
            since = {"createdFrom": (number + 1) * 1_000_000}
            owner.call("EditSelection", library=name, app=reader.name, add=since, live=True)
        app = broker.app(uid=owner.uid)
        app.introduce(f"org.example.adds-{name}")
        owner.set(name, app.name, "authorized", level="addOnly")
        assert app.request("addOnly", library=name) == "authorized"
        apps.append(app)
    contents = lambda number: base64.b64encode(jpeg(day(number), note=b"added %d" % number)).decode()
    added = [[[{"filename": f"added-{n}.jpg", "contents": contents(n)}]] * 2 for n in range(ADDED)]
    show("a photo added beside 10 live selections / beside none", "2x", in_turns(apps, "AddAsset", added))
