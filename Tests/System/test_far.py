"""Storages outside this machine's folders.

A transfer ends with the right to it, large files are read in parts, and an added file is one photo,
whether the call or the scan reports it first.
"""

import time
import base64
import hashlib
import os

import pytest
from photobroker import Connection

from house.client_functions import begin_all, hear_all, read_begin_of_stream
from house.person import wait_for
from house.pictures import day, jpeg
from house.plugins import DISTANT, Distant


@pytest.fixture
def distant(broker):
    return Distant(broker)


@pytest.fixture
def distant_scene(make_scene, distant):
    scene = make_scene(4, backend=(distant, "distant")[1])
    distant.folder = scene.album.folder
    return scene


def test_R52_transfers_from_a_stalled_storage_end_with_their_right_and_delay_no_one(distant_scene, distant):
    """Attenuate one app and revoke another, both with all transfers that a user may have."""
    owner, first, second = distant_scene.owner, distant_scene.app, distant_scene.broker.app(uid=distant_scene.app.uid)
    second.introduce("org.example.other")
    for app in (first, second):
        distant_scene.limit(0, 1, 2, app=app)
    names = [distant_scene.pictures[n] for n in (0, 1)]
    before = len(distant.reads(*names))
    halts = [distant_scene.album.folder / f"{name}.halt" for name in names]
    try:
        for halt in halts:
            halt.touch()
        for number, app in enumerate((first, second), 1):
            assets = [app.named(name)["localIdentifier"] for name in names]
            calls = [
                ("ReadBytes", {"asset": assets[0], "offset": 0, "length": 100}),
                ("GetThumbnail", {"asset": assets[1], "maxPixels": 64}),
                ("OpenResource", {"asset": assets[0]}),
                ("StreamResource", {"asset": assets[1]}),
            ]
            # Connections are read in any order, and two calls for one photo share a transfer.
            app.run(begin_all, tokens=[app.own_token, app.token], calls=calls[:2])
            wait_for(
                lambda: len(distant.reads(*names)) == before + 2 * number, "as many transfers as an app has turns for"
            )
            app.run(begin_all, tokens=[app.own_token, app.token], calls=calls[2:])
        distant_scene.unselect(0, 1, app=first)
        assert first.run(hear_all) == ["identifierNotFound"] * 4
        owner.call("Revoke", library=distant_scene.library, app=second.name)
        assert second.run(hear_all) == ["accessUserDenied"] * 4
        # The storage still stalls: cancelled transfers hold neither a turn nor a process.
        kept = first.named(distant_scene.pictures[2])["localIdentifier"]
        first.begin("OpenResource", asset=kept)
        assert first.hear(seconds=30)["size"] == (distant_scene.album.folder / distant_scene.pictures[2]).stat().st_size
    finally:
        for halt in halts:
            halt.unlink()
    for app in (first, second):
        entries = owner.call("ReadLedger", library=distant_scene.library, app=app.name)["entries"]
        assert {e["asset"] for e in entries if e["rendition"] != "metadata"} <= {
            owner.identifier(distant_scene.library, distant_scene.pictures[2])
        }
    library = owner.library(distant_scene.library)
    assert (library["state"], library.get("problem")) == ("online", None), "the plugin is not to blame"


def begin_and_cancel(agent, token, asset, times):
    """Request a file and disconnect before its first byte, repeatedly."""
    for _ in range(times):
        connection = Connection(agent.path, timeout=60)
        connection.call("io.photobroker.Library.Attach", token=token)
        connection.send("io.photobroker.Library.OpenResource", {"asset": asset}, more=False)
        time.sleep(0.1)
        connection.close()


def test_R129_one_users_long_transfers_and_cancelled_ones_delay_no_one(distant_scene, distant):
    """One user has all the transfers allowed, while another begins and cancels."""
    owner, first = distant_scene.owner, distant_scene.app
    other = distant_scene.broker.app()
    owner.call("OfferLibrary", name=distant_scene.library, offeredTo=[first.uid, other.uid])
    second = distant_scene.broker.app(uid=first.uid)
    for app, name in ((second, "org.example.second"), (other, "org.example.other")):
        app.introduce(name)
    for app in (first, second, other):
        distant_scene.limit(0, 1, 2, app=app)
    stalled, wanted = distant_scene.pictures[0], distant_scene.pictures[1]
    halt = distant_scene.album.folder / f"{stalled}.halt"
    asked = {app: app.named(stalled)["localIdentifier"] for app in (first, second, other)}
    before = len(distant.reads(stalled))
    threads = lambda: len(os.listdir(f"/proc/{distant_scene.broker.process.pid}/task"))
    halt.touch()
    try:
        for app in (first, second):
            calls = [
                ("ReadBytes", {"asset": asked[app], "offset": 0, "length": 100}),
                ("OpenResource", {"asset": asked[app]}),
            ]
            app.run(begin_all, tokens=[app.own_token, app.token], calls=calls)
        wait_for(lambda: len(distant.reads(stalled)) > before, "the long transfers")
        rest = threads()
        other.run(begin_and_cancel, token=other.token, asset=asked[other], times=50)
        # Some threads of the long transfers may start only now; fifty would be left behind.
        wait_for(lambda: threads() <= rest + 25, "the threads of what was given up to end")
        kept = other.named(wanted)["localIdentifier"]
        assert other.digest(kept) == hashlib.sha256((distant_scene.album.folder / wanted).read_bytes()).hexdigest()
    finally:
        halt.unlink()
    assert first.run(hear_all) and second.run(hear_all)
    library = owner.library(distant_scene.library)
    assert (library["state"], library.get("problem")) == ("online", None), "the plugin is not to blame"


def test_R141_a_remote_file_too_large_to_copy_is_read_in_ranges(distant_scene, distant):
    distant_scene.allow()
    app, piece = distant_scene.app, 524_288
    sizes = {"large.jpg": 300 << 20, "film.jpg": 3 << 30}
    starts = {name: jpeg(day(20 + n), note=name.encode(), padding=100_000)[:-2] for n, name in enumerate(sizes)}
    for name, size in sizes.items():
        distant.put(name, starts[name], size)
    distant_scene.owner.wait_for_library(distant_scene.library, 6)
    if distant_scene.house.has_media:
        assert sum(distant.reads(*sizes)) < 4 << 20, "they are looked into without being read"
    assets = {name: app.named(name)["localIdentifier"] for name in sizes}
    before, sent = distant_scene.broker.held_bytes(), sum(distant.reads(*sizes))
    count = 0
    for name, size in sizes.items():
        whole = [(0, starts[name]), (size - 2, b"\xff\xd9")]
        for offset in (0, 100, size // 2, size - piece, size - 7):
            reply = app.call("ReadBytes", asset=assets[name], offset=offset, length=piece)
            expected = bytearray(min(piece, size - offset))
            for place, data in whole:
                begin, end = max(place, offset), min(place + len(data), offset + len(expected))
                expected[max(0, begin - offset) : max(0, end - offset)] = (
                    data[begin - place : end - place] if begin < end else b""
                )
            assert base64.b64decode(reply["data"]) == expected
            assert (reply["size"], reply["isLast"]) == (size, offset + piece >= size)
        reply = app.call("ReadBytes", asset=assets[name], offset=1 << 40, length=piece)
        assert (reply["data"], reply["size"], reply["isLast"]) == ("", size, True), (
            "nothing is beyond the end, however far"
        )
        count = len(starts[name]) + 300_000
        assert app.run(read_begin_of_stream, tokens=[app.own_token, app.token], asset=assets[name], count=count) == [
            size,
            hashlib.sha256(starts[name] + bytes(300_000)).hexdigest(),
            "operationInterrupted",
        ]
    assert distant_scene.broker.held_bytes() - before < 64 << 20
    assert sum(distant.reads(*sizes)) - sent < 100 << 20, "a few parts of each"
    refusal = app.refusal("OpenResource", asset=assets["film.jpg"])
    assert refusal.reason == "requestNotSupportedForAsset" and "ReadBytes" in refusal.parameters["message"]
    # A file up to the limit for descriptors is fetched once, as a whole.
    whole = hashlib.sha256()
    with open(distant_scene.album.folder / "large.jpg", "rb") as file:
        while data := file.read(1 << 24):
            whole.update(data)
    assert app.digest(assets["large.jpg"]) == whole.hexdigest()
    # A moved file without a stable identity: its size and its ends identify it.
    sent = sum(distant.reads("film.jpg", "moved.jpg"))
    (distant_scene.album.folder / "film.jpg").rename(distant_scene.album.folder / "moved.jpg")
    wait_for(lambda: "moved.jpg" in app.names() and "film.jpg" not in app.names(), "the move to be found", 60)
    assert app.named("moved.jpg")["localIdentifier"] == assets["film.jpg"]
    assert sum(distant.reads("film.jpg", "moved.jpg")) - sent < 1 << 20


def test_R141_large_remote_files_read_in_parallel_are_fetched_once(distant_scene, distant):
    distant_scene.allow()
    names = [f"large-{n}.jpg" for n in range(6)]
    for number, name in enumerate(names):
        distant.put(name, jpeg(day(20 + number), note=name.encode()), 300 << 20)
    distant_scene.owner.wait_for_library(distant_scene.library, 10)
    assets, piece, most = [distant_scene.app.named(name)["localIdentifier"] for name in names], 524_288, 4 << 20
    sent = sum(distant.reads(*names))
    for offset in range(0, most, piece):
        for asset in assets:
            distant_scene.app.call("ReadBytes", asset=asset, offset=offset, length=piece)
    assert sum(distant.reads(*names)) - sent <= 3 * most * len(names)


@pytest.mark.parametrize("is_seen_first", [True, False], ids=["the storage's list", "the app"])
def test_R43_an_added_photo_is_one_asset_whether_call_or_scan_reports_it_first(distant_scene, distant, is_seen_first):
    """A scan finds the new file too, before or after the app's call returns."""
    distant_scene.let_broker_add()
    distant_scene.limit(0)
    hold, halt = distant_scene.album.folder / "hold", distant_scene.album.folder / "PhotoBroker/new.jpg.halt"
    picture = jpeg(day(30), note=b"added by an app")
    hold.touch()
    if not is_seen_first:
        halt.touch()
    try:
        distant_scene.app.begin("AddAsset", filename="new.jpg", contents=base64.b64encode(picture).decode())
        if is_seen_first:
            distant_scene.owner.wait_for_library(distant_scene.library, 5)
        else:
            wait_for(lambda: distant.reads("PhotoBroker/new.jpg"), "the look that found the file to read it")
        hold.unlink()
        identifier = distant_scene.app.hear()["localIdentifier"]
    finally:
        for path in (hold, halt):
            path.unlink(missing_ok=True)
    if is_seen_first:
        assert distant_scene.owner.library(distant_scene.library)["assets"] == 5
    for _ in range(2):
        library = distant_scene.owner.rescan(distant_scene.library)
        assert library["assets"] == 5
        assert {a["localIdentifier"] for a in distant_scene.app.fetch() if a["filename"] == "new.jpg"} == {identifier}
    assert (
        distant_scene.app.count() == 2 and distant_scene.app.digest(identifier) == hashlib.sha256(picture).hexdigest()
    )


# A storage that drops the given bytes and claims that an owner's file is the result.
CLAIMING = DISTANT.replace(
    '    elif method == "Add":\n',
    """\
    elif method == "Add":
        with os.fdopen(pipes.pop(0), "rb"): pass
        answer({"item": item(names()[0])})
    elif method == "Withdraw" or method == "Trash":
        os.unlink(os.path.join(root, parameters["locator"]))
        answer({})
    elif method == "Stage" and @STAGES@:
        with os.fdopen(pipes.pop(0), "rb"): pass
        answer({"staged": names()[0], "identityHint": str(os.stat(os.path.join(root, names()[0])).st_ino)})
    elif method == "Discard": answer({})
    elif method == "never":
""",
).replace('"root": None,', '"root": root,')


@pytest.mark.parametrize(
    "name, change, stages",
    [
        ("claims-by-hint", ('"1"', '"1"'), False),
        ("claims-by-place", ('"identityHint": str(facts.st_ino)', '"identityHint": None'), False),
        ("claims-to-stage", ('"1"', '"1"'), True),
    ],
)
def test_R43_a_storages_earlier_file_is_not_mistaken_for_an_addition(make_scene, broker, name, change, stages):
    path = broker.house.programs / f"{name}.plugin"
    path.write_text(CLAIMING.replace(*change).replace("@STAGES@", str(stages)))
    path.chmod(0o755)
    scene = make_scene(3, backend=name)
    files = {p.name: p.read_bytes() for p in scene.album.folder.glob("*.jpg")}
    scene.limit(2)
    shown = scene.app.names()
    mine = base64.b64encode(jpeg(day(90), b"mine")).decode()
    steps = [{"kind": "createAsset", "filename": "mine.jpg", "contents": mine}]
    assert (
        scene.app.refusal("AddAsset", filename="mine.jpg", contents=mine, level="readWrite").reason == "internalError"
    )
    assert scene.app.refusal("PerformChanges", changes=steps).reason == "internalError"
    assert scene.app.names() == shown and len(scene.owner.names(scene.library)) == 3
    assert "a storage's plugin is faulty" in broker.log
    # The broker removes none of the owner's files, not even after a full scan.
    scene.owner.rescan(scene.library)
    assert {p.name: p.read_bytes() for p in scene.album.folder.glob("*.jpg")} == files
    assert scene.app.names() == shown and len(scene.owner.names(scene.library)) == 3
