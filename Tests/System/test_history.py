"""Concurrent edits and reads, and a checker for reads that contradict the acknowledged edits."""

import os
import random
import signal
import time

import pytest
from photobroker import Connection, VarlinkError

from house.disks import reads_fail_when_full, small_broker
from house.person import Refused, storage_processes, wait_for
from house.scene import Scene


def edit_often(agent, library, app, assets, seed, times, stop, half=None):
    """Edit a grant `times` times, for 10 s at most, and then stop the readers.

    Returns each edit's begin, its acknowledgement, and the visible names from then on, or None for
    no access. Halfway it makes the file `half`, and waits until that is removed.
    """
    rng = random.Random(seed)
    connection = agent.connection()
    names = sorted(assets)
    shown, is_paused = set(names[:2]), False
    history = [(0.0, 0.0, sorted(shown), [])]
    end = time.monotonic() + 10
    while len(history) <= times and (half or time.monotonic() < end):
        if half and (len(history) > times // 2 or time.monotonic() >= end):
            open(half, "w").close()
            while os.path.exists(half):
                time.sleep(0.01)
            half, end = None, time.monotonic() + 10
        before = set() if is_paused else set(shown)
        kind = rng.randrange(5)
        wanted, pauses = set(shown), is_paused
        if kind == 0:
            pauses = not is_paused
            call = ("PauseGrant", {"library": library, "app": app, "paused": pauses})
        else:
            joining = {n for n in names if n not in shown and rng.random() < 0.4}
            leaving = {n for n in shown if rng.random() < 0.4}
            wanted = shown - leaving | joining
            call = (
                "EditSelection",
                {
                    "library": library,
                    "app": app,
                    "add": {"identifiers": [assets[n] for n in joining]},
                    "remove": {"identifiers": [assets[n] for n in leaving]},
                },
            )
        begun = time.monotonic()
        try:
            connection.call("io.photobroker.Admin." + call[0], **call[1])
        except VarlinkError as refused:
            # On a full disk grants fail and revocations hold. An edit without effect fails too.
            gives = wanted - shown or is_paused and not pauses
            takes = shown - wanted or pauses and not is_paused
            if half is None or takes and not gives or refused.name != "io.photobroker.Admin.Failed":
                raise
            wanted, pauses = shown & wanted, is_paused or pauses
        shown, is_paused = wanted, pauses
        after = set() if is_paused else set(shown)
        # Revocations act at once and grants with the commit, so both states share the intersection.
        history.append((begun, time.monotonic(), None if is_paused else sorted(after), sorted(before & after)))
    open(stop, "w").close()
    return history


def read_often(agent, token, stop):
    connection = Connection(agent.path, timeout=30)
    connection.call("io.photobroker.Library.Attach", token=token)
    reads = []
    while not os.path.exists(stop):
        begun = time.monotonic()
        try:
            found = sorted(
                a["filename"] for a in connection.call("io.photobroker.Library.FetchAssets", limit=100)["assets"]
            )
        except VarlinkError:
            found = None
        except ConnectionError:
            # A half-sent reply closes the connection when access shrinks.
            connection = Connection(agent.path, timeout=30)
            connection.call("io.photobroker.Library.Attach", token=token)
            found = None
        reads.append((begun, time.monotonic(), found))
    return reads


def contradiction(edits, reads, refuses=False):
    """Return the first read that no order of the edits explains, or None.

    A read sees the state of one moment between its begin and its end, and a reader's later reads
    never see an older state.

    `refuses`: reads may be refused at any time, as while the disk is full.
    """
    states = []  # (earliest begin, latest end, visible names), in order
    for begun, acknowledged, seen, between in edits:
        states.append((begun, acknowledged, between))
        states.append((begun, acknowledged, seen))
    oldest = 0
    for begun, ended, found in reads:
        # Among edits acknowledged before the read began, only the last one's state is possible.
        first = max((i for i, s in enumerate(states) if s[1] <= begun), default=0)
        last = max(i for i, s in enumerate(states) if s[0] <= ended)
        possible = range(max(oldest, first), last + 1)
        if found is None:
            # A refusal is right without access, or if access changed during the read.
            if first == last and states[last][2] is not None and not refuses:
                return begun, ended, found, states[last]
            continue
        match = next((i for i in possible if states[i][2] == found), None)
        if match is None:
            return begun, ended, found, [states[i] for i in possible]
        oldest = match
    return None


def test_the_checker_finds_contradictions():
    edits = [(0, 0, ["a"], []), (1, 2, ["a", "b"], ["a"]), (3, 4, ["b"], ["b"]), (5, 6, None, [])]
    assert (
        contradiction(
            edits, [(0.1, 0.2, ["a"]), (1.1, 1.2, ["a"]), (1.5, 1.6, ["a", "b"]), (3.5, 3.6, ["b"]), (7, 8, None)]
        )
        is None
    )
    for bad in [
        [(2.1, 2.2, ["a"])],  # an acknowledged addition is missing
        [(4.1, 4.2, ["a", "b"])],  # a revoked photo is visible
        [(0.5, 0.6, ["a", "b"])],  # before its grant
        [(1.5, 1.6, ["a", "b"]), (1.7, 1.8, ["a"])],  # back in time
        [(6.5, 6.6, ["b"])],  # paused
        [(2.5, 2.6, None)],  # refused without a reason
        [(3.1, 3.9, [])],  # a state that never was
    ]:
        assert contradiction(edits, bad) is not None, bad


@pytest.fixture(params=["plain", "under load", "storage offline", "plugin stopped"])
def condition(request, own_broker):
    """A scene whose storage works, is missing, is halted (R133), or has other readers."""
    scene = Scene(own_broker, 6)
    scene.limit(0, 1)
    scene.crowd = 6 if request.param == "under load" else 0
    away = scene.album.folder.with_name(scene.album.folder.name + "-away")
    hosts = []
    if request.param == "storage offline":
        os.rename(scene.album.folder, away)
        scene.owner.call("RescanLibrary", name=scene.library)
        wait_for(lambda: scene.owner.library(scene.library)["state"] == "offline", "the library to be offline")
    elif request.param == "plugin stopped":
        hosts = storage_processes(own_broker)
        assert hosts
        for pid in hosts:
            os.kill(pid, signal.SIGSTOP)
    yield scene
    for pid in hosts:
        try:
            os.kill(pid, signal.SIGCONT)
        except ProcessLookupError:
            pass


def test_R133_no_read_contradicts_the_order_of_acknowledged_edits(condition):
    scene = condition
    assets = {a["filename"]: a["identifier"] for a in scene.owner.assets(scene.library)}
    readers = [scene.app, scene.broker.app(uid=scene.app.uid)]
    stop = str(scene.house.make_folder(f"stop-{scene.app.uid}", scene.owner.uid, mode=0o755) / "now")
    others = [scene.broker.app(uid=scene.app.uid) for _ in range(scene.crowd)]
    for number, other in enumerate(others):
        other.introduce(f"org.example.crowd{number}")
        scene.allow(app=other)
    for reader in readers + others:
        reader.start(read_often, token=getattr(reader, "token", None) or scene.app.token, stop=stop)
    scene.owner.start(edit_often, library=scene.library, app=scene.app.name, assets=assets, seed=7, times=80, stop=stop)
    edits = scene.owner.hear()
    histories = [reader.hear() for reader in readers]
    for other in others:
        assert {tuple(found) for _, _, found in other.hear()} == {tuple(sorted(scene.pictures))}, (
            "edits of one app change nothing for others"
        )
    assert len(edits) > 10 and sum(map(len, histories)) > 20, "edits and reads went on side by side"
    assert any(read[2] is None for h in histories for read in h) and any(read[2] for h in histories for read in h)
    for history in histories:
        assert contradiction(edits, history) is None
    begun = time.monotonic()
    receipt = scene.owner.call("Revoke", everything=True)["receipt"]
    assert receipt["grants"] == 1 + scene.crowd and time.monotonic() - begun < 2
    assert scene.app.is_refused().reason == "accessUserDenied"


def test_R133_no_read_contradicts_acknowledged_edits_on_a_full_disk_and_afterwards(house):
    with small_broker(house) as broker:
        scene = Scene(broker, 6)
        scene.limit(0, 1)
        other = broker.app(uid=scene.app.uid)
        other.introduce("org.example.other")
        scene.allow(app=other)
        asset = other.fetch()[0]["localIdentifier"]
        assets = {a["filename"]: a["identifier"] for a in scene.owner.assets(scene.library)}
        place = scene.house.make_folder(f"stop-{scene.app.uid}", scene.owner.uid, mode=0o755)
        wait_for(lambda: reads_fail_when_full(broker, other, asset), "reads to stop")
        readers = [scene.app, broker.app(uid=scene.app.uid)]
        for reader in readers:
            reader.start(read_often, token=scene.app.token, stop=str(place / "now"))
        scene.owner.start(
            edit_often,
            library=scene.library,
            app=scene.app.name,
            assets=assets,
            seed=11,
            times=80,
            stop=str(place / "now"),
            half=str(place / "half"),
        )
        # If the editor ended early, its error says why.
        wait_for(
            lambda: (place / "half").exists() or scene.owner.has_answered() and scene.owner.hear(), "half of the edits"
        )
        (broker.state / "ballast").unlink()

        def reads_again():
            try:
                return other.digest(asset)
            except Refused:
                return None

        wait_for(reads_again, "reads to come back")
        (place / "half").unlink()
        edits = scene.owner.hear()
        histories = [reader.hear() for reader in readers]
        assert len(edits) > 10 and any(read[2] for history in histories for read in history)
        for history in histories:
            assert contradiction(edits, history, refuses=True) is None
        # Revocations made on the full disk hold after a restart.
        seen = edits[-1][2]
        broker.kill()
        broker.start()
        scene.app.use(scene.app.own_token, scene.app.token)
        scene.app.new_connection()
        if seen is None:
            assert scene.app.is_refused()
        else:
            assert sorted(scene.app.names()) == seen
