"""Revocation under constant reads: no data leaves after the acknowledgement."""

import bisect
import os
import select
import time

import pytest
from photobroker import Connection, VarlinkError

from house.person import wait_for
from house.soak import WHOLE
from house.tokens import attenuated

pytestmark = pytest.mark.library("shared")


def read_continuously(agent, token, asset, seconds):
    """Read as fast as possible; return when answered reads began, and the last refusal."""
    connection = Connection(agent.path, timeout=20)
    try:
        connection.call("io.photobroker.Library.Attach", token=token)
    except VarlinkError:
        # On a busy machine the revocation may come before this reader's start.
        return {"count": 0, "last": None, "first": None, "refused": 1}
    answered, refused, first_refusal = [], 0, None
    end = time.monotonic() + seconds
    calls = [
        ("CountAssets", {}),
        ("FetchAssets", {"limit": 10}),
        ("GetResources", {"asset": asset}),
        ("ReadBytes", {"asset": asset, "role": "original", "offset": 0, "length": 4096}),
    ]
    step = 0
    while time.monotonic() < end:
        method, parameters = calls[step % len(calls)]
        step += 1
        began = time.monotonic()
        try:
            connection.call("io.photobroker.Library." + method, **parameters)
            answered.append(began)
        except VarlinkError:
            refused += 1
            first_refusal = first_refusal or time.monotonic()
            if refused > 200:
                break
        except ConnectionError:
            refused += 1
            break
    return {
        "count": len(answered),
        "last": max(answered, default=None),
        "first": min(answered, default=None),
        "refused": refused,
    }


def test_no_read_that_begins_after_the_acknowledgement_succeeds(scene):
    scene.limit(0, 1)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    readers = [scene.app, *[scene.broker.app(uid=scene.app.uid) for _ in range(2)]]
    answered = 0
    for round in range(40 if WHOLE else 3):
        for reader in readers:
            reader.start(read_continuously, token=scene.app.token, asset=asset, seconds=2)
        time.sleep(0.3 + 0.02 * round)
        scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
        acknowledged = time.monotonic()
        histories = [reader.hear() for reader in readers]
        answered += sum(h["count"] for h in histories)
        for history in histories:
            assert history["refused"] > 0
            assert history["last"] is None or history["last"] < acknowledged, history
        scene.owner.set(scene.library, scene.app.name, "notDetermined")
        scene.app.use(scene.app.own_token)
        scene.app.new_connection()
        scene.limit(0, 1)
    assert answered > 100, "the readers read before"


def test_R132_pausing_and_resuming_hold_under_load(scene):
    scene.limit(0)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    reader = scene.broker.app(uid=scene.app.uid)
    for _ in range(20 if WHOLE else 2):
        reader.start(read_continuously, token=scene.app.token, asset=asset, seconds=0.6)
        time.sleep(0.2)
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
        acknowledged = time.monotonic()
        history = reader.hear()
        assert history["refused"] and (history["last"] is None or history["last"] < acknowledged)
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    assert scene.app.names() == [scene.pictures[0]]


def test_R132_one_command_revokes_by_app_user_library_or_everything(make_scene):
    scene, theirs = make_scene(3), make_scene(2)
    theirs.limit(0)
    twin, stranger = scene.broker.app(uid=scene.app.uid), scene.broker.app()
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[scene.app.uid, stranger.uid])
    apps = [scene.app, twin, stranger]
    for app in apps[1:]:
        app.introduce("org.example.other")
    for scope, met in (
        ({"app": scene.app.name}, apps[:1]),
        ({"uid": scene.app.uid}, apps[:2]),
        ({"library": scene.library}, apps),
        ({"everything": True}, apps),
    ):
        for number, app in enumerate(apps):
            app.use(app.own_token)
            app.new_connection()
            scene.limit(number, app=app)
            assert app.names() == [scene.pictures[number]], "what was selected before is kept, and nothing more is seen"
        receipt = scene.owner.call("Revoke", **scope)["receipt"]
        assert receipt["grants"] == len(met), scope
        assert [bool(app.is_refused()) for app in apps] == [app in met for app in apps], scope
    assert theirs.app.names() == [theirs.pictures[0]], "everything is all that is one's own"
    assert scene.owner.refusal("Revoke").error == "Refused", "everything must be said"


def test_R134_the_receipt_counts_earlier_deliveries(scene):
    scene.limit(0, 1, 2)
    sizes = 0
    for name in scene.pictures[:2]:
        scene.app.digest(scene.app.named(name)["localIdentifier"])
        sizes += (scene.album.folder / name).stat().st_size
    scene.app.observe()
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    assert (receipt["grants"], receipt["assetsDelivered"], receipt["bytesDelivered"]) == (1, 2, sizes)
    assert receipt["connections"] >= 2


@pytest.mark.library("own")
def test_R131_every_edit_is_recorded(scene):
    scene.limit(0)
    scene.select(1)
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    decisions = wait_for(lambda: scene.owner.call("ListDecisions", library=scene.library)["decisions"], "the decisions")
    assert len(decisions) >= 4
    # The app's user accepted the owner's offer.
    assert {(d["actor"], d["role"]) for d in decisions if d["action"] == "accept"} == {(scene.app.uid, "user")}
    assert all(d["actor"] == scene.owner.uid and d["role"] == "owner" for d in decisions if d["action"] != "accept")
    newest = decisions[0]
    assert "limited, 2 selected" in newest["before"] and newest["after"] != newest["before"]


def read_until(agent, token, asset, seconds):
    connection = Connection(agent.path, timeout=20)
    connection.call("io.photobroker.Library.Attach", token=token)
    spans, end, refused = [], time.monotonic() + seconds, 0
    while time.monotonic() < end:
        began = time.monotonic()
        try:
            connection.call("io.photobroker.Library.ReadBytes", asset=asset, role="original", offset=0, length=2048)
            spans.append((began, time.monotonic()))
        except VarlinkError:
            refused += 1
    return {"spans": spans, "refused": refused}


def pause_often(agent, library, app, cycles):
    """Pause and resume; return the spans between an acknowledgement and the next call."""
    spans, connection = [], agent.connection()
    for _ in range(cycles):
        connection.call("io.photobroker.Admin.PauseGrant", library=library, app=app, paused=True)
        acknowledged = time.monotonic()
        time.sleep(0.002)
        spans.append((acknowledged, time.monotonic()))
        connection.call("io.photobroker.Admin.PauseGrant", library=library, app=app, paused=False)
        time.sleep(0.001)
    return spans


def test_many_revocations_hold_under_readers(scene):
    """No answered read lies wholly between an acknowledgement and the next resume."""
    scene.limit(0)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    readers = [scene.app, *[scene.broker.app(uid=scene.app.uid) for _ in range(2)]]
    for reader in readers:
        reader.start(read_until, token=scene.app.token, asset=asset, seconds=30 if WHOLE else 2)
    cycles = 10_000 if WHOLE else 300
    spans = scene.owner.run(pause_often, library=scene.library, app=scene.app.name, cycles=cycles)
    histories = [reader.hear() for reader in readers]
    answered = sum(len(h["spans"]) for h in histories)
    refused = sum(h["refused"] for h in histories)
    assert answered > 10 and refused > 10 and len(spans) == cycles, (answered, refused)
    ends = [end for _, end in spans]
    for history in histories:
        for began, ended in history["spans"]:
            at = bisect.bisect_left(ends, ended)
            assert at == len(spans) or began < spans[at][0], f"a read of {1000 * (ended - began):.2f} ms lay in a pause"


@pytest.mark.library("own")
def test_queued_replies_do_not_leave_after_the_acknowledgement(scene):
    """Many replies and streams are unread: afterwards the kernel's buffers alone arrive."""
    scene.album.add(40, "long.jpg", padding=3_000_000)
    scene.allow()
    asset = wait_for(lambda: [a for a in scene.app.fetch() if a["filename"] == "long.jpg"], "the picture")[0][
        "localIdentifier"
    ]
    limits = scene.app.call("GetLimits")["limits"]

    def begin(agent, tokens, asset, count):
        agent.queued, agent.streams = [], []
        for _ in range(count):
            connection = Connection(agent.path, timeout=20)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            for step in range(6):
                connection.send(
                    "io.photobroker.Library.ReadBytes",
                    {"asset": asset, "role": "original", "offset": step * 400_000, "length": 400_000},
                )
            agent.queued.append(connection)
        for _ in range(count):
            connection = Connection(agent.path, timeout=20)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            replies = connection.stream("io.photobroker.Library.StreamResource", asset=asset, role="original")
            _, descriptors = next(replies)
            os.read(descriptors[0], 100)
            agent.streams.append((connection, replies, descriptors[0]))
        time.sleep(0.3)

    def rest(agent):
        """Return the bytes still readable, by queue and by pipe, and how each ended."""
        queued, piped, ends = [], [], []
        for connection in agent.queued:
            data = b""
            try:
                while piece := connection.socket.recv(1 << 16):
                    data += piece
                    if data.endswith(b"\0") and data.count(b"\0") == 6:
                        break
                ends.append("refused" if b"accessUserDenied" in data else "closed")
            except ConnectionError:
                ends.append("closed")
            queued.append(len(data))
        for connection, replies, descriptor in agent.streams:
            count = 0
            while piece := os.read(descriptor, 1 << 16):
                count += len(piece)
            piped.append(count)
        return {"queued": queued, "piped": piped, "ends": ends}

    scene.app.run(begin, tokens=[scene.app.own_token, scene.app.token], asset=asset, count=12)
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    found = scene.app.run(rest)
    assert receipt["streams"] == 12
    # The kernel doubles the number and counts its own overhead in it.
    assert max(found["queued"]) <= 2 * limits["sendBufferBytes"] + 65_536, found
    assert max(found["piped"]) <= 4096, found
    assert set(found["ends"]) <= {"closed", "refused"}


def test_revoking_answers_beside_a_thousand_waiting_connections(scene):
    """R133: the revocation waits for no reader; measured to its acknowledgement."""
    scene.limit(0)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]

    def connect_many(agent, tokens, asset, count):
        agent.many = []
        for _ in range(count):
            connection = Connection(agent.path, timeout=20)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            connection.send("io.photobroker.Library.FetchAssets", {})
            agent.many.append(connection)

    apps = [scene.app, *[scene.broker.app(uid=scene.app.uid) for _ in range(3)]]
    for app in apps:
        app.run(connect_many, tokens=[scene.app.own_token, scene.app.token], asset=asset, count=240)
    taken = []
    for _ in range(5):
        began = time.monotonic()
        receipt = scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)["receipt"]
        taken.append(time.monotonic() - began)
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    assert receipt["connections"] >= 900
    assert min(taken) < 0.25, taken


def keep_half_of_a_reply(agent, asset):
    """Request more than a socket buffers, wait for the first part, and read nothing."""
    connection = agent.connection("slow")
    for _ in range(2):
        connection.send(
            "io.photobroker.Library.ReadBytes", {"asset": asset, "role": "original", "offset": 0, "length": 524_288}
        )
    # A file opened during the edit would be decided again, and served.
    assert select.select([connection.socket], [], [], 30)[0]


def read_the_rest(agent):
    connection, sizes = agent.connection("slow"), []
    try:
        for _ in range(2):
            sizes.append(len(connection.receive()[0]["data"]))
    except ConnectionError:
        sizes.append("closed")
    return sizes


AWAY = {
    "deleted": lambda scene, other, name: other.call(
        "PerformChanges", changes=[{"kind": "delete", "assets": [other.named(name)["localIdentifier"]]}]
    ),
    "never shared": lambda scene, other, name: scene.owner.call(
        "MarkAssets", library=scene.library, selector=scene.owner.naming(scene.library, [name]), neverShare=True
    ),
    "hidden": lambda scene, other, name: scene.owner.call(
        "MarkAssets", library=scene.library, selector=scene.owner.naming(scene.library, [name]), hidden=True
    ),
    "gone": lambda scene, other, name: (
        (scene.album.folder / name).unlink(),
        scene.owner.wait_for_library(scene.library, len(scene.pictures) - 1),
    ),
}


@pytest.mark.library("own")
@pytest.mark.parametrize("how", AWAY)
@pytest.mark.parametrize("is_visible", [True, False])
def test_R40_R71_a_pending_reply_ends_with_its_visible_photo_and_with_no_other(make_scene, how, is_visible):
    scene = make_scene(3)
    scene.album.add(9, "large.jpg", padding=700_000)
    scene.pictures.append("large.jpg")
    scene.owner.wait_for_library(scene.library, 4)
    scene.limit("large.jpg", 0)
    other = scene.broker.app(scene.app.uid)
    other.introduce("org.example.other")
    scene.allow(other)
    asset = scene.app.named("large.jpg")["localIdentifier"]
    before = scene.app.call("FetchVersions")["changeToken"]
    scene.app.run(keep_half_of_a_reply, asset=asset)
    AWAY[how](scene, other, scene.name(0 if is_visible else 1))
    piece = 4 * -(-524_288 // 3)
    assert scene.app.run(read_the_rest) == (["closed"] if is_visible else [piece, piece])
    event = scene.app.call("FetchPersistentChanges", since=before)["event"]
    assert len(event["removed"]) == (1 if is_visible else 0)


@pytest.mark.library("own")
@pytest.mark.parametrize("how", ["hidden", "taken from the selection", "gone"])
def test_R40_R125_an_attenuated_tokens_pending_reply_survives_the_loss_of_another_photo(make_scene, how):
    """Other photos of the app do not matter to an attenuated token; the app's own reply ends."""
    scene = make_scene(3)
    scene.album.add(9, "large.jpg", padding=700_000)
    scene.pictures.append("large.jpg")
    scene.owner.wait_for_library(scene.library, 4)
    scene.limit("large.jpg", 0)
    asset = scene.app.named("large.jpg")["localIdentifier"]
    helper = scene.broker.app(scene.app.uid)
    helper.use(attenuated(scene.app.token, "assets = " + asset))
    for person in (helper, scene.app):
        person.new_connection()
        person.run(keep_half_of_a_reply, asset=asset)
    if how == "taken from the selection":
        scene.unselect(0)
    else:
        AWAY[how](scene, None, scene.name(0))
    piece = 4 * -(-524_288 // 3)
    assert helper.run(read_the_rest) == [piece, piece]
    assert scene.app.run(read_the_rest) == ["closed"]
