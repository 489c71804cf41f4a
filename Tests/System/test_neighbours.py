"""R129: load or faults in one library change no answer in another."""

import contextlib
import json
import os
import pathlib
import select
import signal
import socket
import threading
import time

import pytest
from photobroker import Connection, VarlinkError

from house.person import wait_for
from house.pictures import day, jpeg
from house.scene import Scene


@pytest.fixture
def sound_and_faulty(own_broker):
    """A sound library and a faulty one, of two owners, for apps of two users."""
    well, ill = (Scene(own_broker, 4) for _ in range(2))
    well.limit(0, 1, 2)
    ill.limit(0, 1)
    return well, ill


def all_answers(scene, since):
    """Return all answers to the sound library's app and owner, but for values that calls change."""
    app, owner, library = scene.app, scene.owner, scene.library
    assets = app.fetch()
    first = assets[0]["localIdentifier"]
    return {
        "assets": assets,
        "count": app.count(),
        "digest": app.digest(first),
        "inline": app.digest_inline(first),
        "resources": app.call("GetResources", asset=first),
        "albums": app.call("FetchAlbums")["albums"],
        "status": app.status(),
        "libraries": app.call("ListLibraries"),
        "limits": app.call("GetLimits"),
        "changes": {
            k: v for k, v in app.call("FetchPersistentChanges", since=since)["event"].items() if k != "changeToken"
        },
        "owned": owner.names(library),
        "grants": owner.call("ListGrants", library=library)["grants"],
        "decisions": owner.call("ListDecisions", library=library),
        "rules": owner.call("ListRules", library=library),
        "prompts": owner.prompts(),
        "library": {k: v for k, v in owner.library(library).items() if k != "revision"},
    }


def read_and_watch(agent, token, stop):
    count = 0
    while not os.path.exists(stop):
        with Connection(agent.path, timeout=30) as connection:
            try:
                connection.call("io.photobroker.Library.Attach", token=token)
                for asset in connection.call("io.photobroker.Library.FetchAssets", limit=1000)["assets"][:20]:
                    connection.call(
                        "io.photobroker.Library.ReadBytes", asset=asset["localIdentifier"], offset=0, length=524_288
                    )
                    count += 1
                next(connection.stream("io.photobroker.Library.ObserveChanges"))
            except (VarlinkError, ConnectionError):
                pass
    return count


def edit_and_mark(agent, library, app, taken, stop):
    connection, count = agent.connection(), 0
    while not os.path.exists(stop):
        for marked in (True, False):
            connection.call("io.photobroker.Admin.MarkAssets", library=library, selector={"all": True}, favorite=marked)
            change = {"add": {"all": True}} if marked else {"remove": taken}
            connection.call("io.photobroker.Admin.EditSelection", library=library, app=app, **change)
            connection.call("io.photobroker.Admin.RescanLibrary", name=library)
        count += 1
    return count


def test_R129_load_in_one_library_changes_no_answer_in_another(sound_and_faulty):
    well, ill = sound_and_faulty
    since = well.app.call("FetchPersistentChanges")["event"]["changeToken"]
    expected = all_answers(well, since)
    well.app.observe()
    place = ill.house.make_folder(f"stop-{ill.app.uid}", 0, mode=0o755) / "now"
    # A cleaned copy takes longer than the selection lasts here.
    ill.set_terms(location=True)
    readers = [ill.broker.app(uid=ill.app.uid) for _ in range(3)]
    for reader in readers:
        reader.start(read_and_watch, token=ill.app.token, stop=str(place))
    # Edits refuse reads of photos that they take away, so one photo stays selected.
    taken = ill.owner.naming(ill.library, ill.pictures[1:])
    ill.owner.start(edit_and_mark, library=ill.library, app=ill.app.name, taken=taken, stop=str(place))
    picture = jpeg(day(40), b"more of it", padding=20_000)
    for number in range(100):
        ill.album.put(f"more/{number}.jpg", picture + b"%d" % number)
        if number % 10 == 0:
            assert all_answers(well, since) == expected
    place.write_text("")
    reads, edits = sum(reader.hear() for reader in readers), ill.owner.hear()
    assert reads > 0 and edits > 0
    assert all_answers(well, since) == expected
    assert well.app.events() == []
    well.select(3)
    wait_for(lambda: well.app.events(), "the event")


def ask_often(agent, library, count):
    """Ask as `count` apps of this user; return refusals other than the expected one."""
    agent.asking, refused = [], []
    for number in range(count):
        connection = Connection(agent.path, timeout=30)
        connection.call(
            "io.photobroker.Library.Introduce",
            manifest={
                "identifier": f"org.example.crowd{number}",
                "name": "Crowd",
                "NSPhotoLibraryUsageDescription": "Why.",
            },
        )
        try:
            connection.call(
                "io.photobroker.Library.RequestAuthorization", level="readWrite", library=library, wait=False
            )
        except VarlinkError as error:
            if not error.name.endswith("PromptPending"):
                refused.append(error.parameters.get("reason"))
        agent.asking.append(connection)
    return refused


def test_R129_a_full_quota_in_one_library_leaves_another_unaffected(sound_and_faulty):
    well, ill = sound_and_faulty
    limits = well.app.call("GetLimits")["limits"]
    crowd = [ill.broker.app() for _ in range(limits["promptsPerLibrary"] // limits["promptsPerUser"] + 1)]
    ill.owner.call("OfferLibrary", name=ill.library, offeredTo=[ill.app.uid, well.app.uid, *[c.uid for c in crowd]])
    well.owner.call("OfferLibrary", name=well.library, offeredTo=[well.app.uid, *[c.uid for c in crowd]])
    since = well.app.call("FetchPersistentChanges")["event"]["changeToken"]
    expected = all_answers(well, since)
    refused = [c.run(ask_often, library=ill.library, count=limits["promptsPerUser"]) for c in crowd]
    assert refused[:-1] == [[]] * (len(crowd) - 1) and set(refused[-1]) == {"limitExceeded"}, (
        "the questions of one library are full"
    )
    rules = [
        {"library": ill.library, "name": f"rule-{n}", "uid": 4_000_000, "level": "readWrite", "answer": "deny"}
        for n in range(limits["rulesPerLibrary"])
    ]
    ill.owner.call("Apply", rules=rules)
    assert ill.owner.refusal("Apply", rules=[{**rules[0], "name": "one-more"}]).error == "Refused"
    most = limits["coOwnersPerLibrary"]
    ill.owner.call("DelegateLibrary", name=ill.library, coOwners=list(range(4_000_000, 4_000_000 + most)))
    assert (
        ill.owner.refusal("DelegateLibrary", name=ill.library, coOwners=list(range(4_000_000, 4_000_001 + most))).error
        == "Refused"
    )

    assert all_answers(well, since) == expected
    # A user with a refused request in one library may ask in the other.
    assert crowd[-1].run(ask_often, library=well.library, count=1) == []
    assert [p["library"] for p in well.owner.prompts()] == [well.library]
    well.owner.call("Apply", rules=[{**rules[0], "library": well.library}])
    well.owner.call("DelegateLibrary", name=well.library, coOwners=[4_000_000])
    assert [r["name"] for r in well.owner.call("ListRules", library=well.library)["rules"]] == ["rule-0"]


def connect(agent, count, token=None):
    """Open connections with a token; each gets an answer, which proves that it was accepted."""
    agent.sockets = []
    for _ in range(count):
        agent.sockets.append(Connection(agent.path, timeout=120))
        if token:
            agent.sockets[-1].call("io.photobroker.Library.Attach", token=token)
        else:
            agent.sockets[-1].call("org.varlink.service.GetInfo")


def send(agent, method, parameters, count):
    message = json.dumps({"method": method, "parameters": parameters}).encode() + b"\0"
    for connection in agent.sockets:
        connection.socket.sendall(message * count)
    return True


def count_answers(agent, count):
    """Return how many calls were answered with a number."""
    counted = 0
    for connection in agent.sockets:
        left = count
        while left:
            received = connection.socket.recv(1 << 16)
            assert received, "the connection was closed"
            left -= received.count(b"\0")
            counted += received.count(b'"count"')
        connection.close()
    return counted


def is_stopped(pid):
    return all(
        s.read_text().rpartition(")")[2].split()[0] == "T" for s in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")
    )


@contextlib.contextmanager
def stopped_broker(broker):
    """Stop the broker, so that everything sent meanwhile is ready at once when it continues."""
    broker.process.send_signal(signal.SIGSTOP)
    try:
        wait_for(lambda: is_stopped(broker.process.pid), "the broker to stand still", seconds=60)
        yield
    finally:
        broker.process.send_signal(signal.SIGCONT)


@pytest.mark.library("shared")
def test_R129_a_revocation_waits_for_one_call_of_each_user_at_most(scene):
    scene.limit(0, 1)
    connections, calls = 16, 64
    scene.app.run(connect, count=connections, token=scene.app.token)
    scene.owner.run(connect, count=1)
    # The calls arrive in this order while the broker is stopped, so it reads all of them at once.
    with stopped_broker(scene.broker):
        scene.app.run(send, method=scene.app.method("CountAssets"), parameters={}, count=calls)
        scene.owner.run(
            send,
            method=scene.owner.method("Revoke"),
            parameters={"library": scene.library, "app": scene.app.name},
            count=1,
        )
    scene.owner.run(count_answers, count=1)
    counted = scene.app.run(count_answers, count=calls)
    assert counted < calls, f"{counted} of {connections * calls} calls went before the revocation"


def call_and_exit(agent, token, message):
    """Start a process that connects, calls on command, and ends without reading the answer."""
    read, write = os.pipe()
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        connection = Connection(agent.path, timeout=120)
        connection.call("io.photobroker.Library.Attach", token=token)
        os.write(tell, b"1")
        os.read(read, 1)
        connection.socket.sendall(message.encode() + b"\0")
        os._exit(0)
    os.read(told, 1)
    agent.leaving = (child, write)
    return child


def end_child(agent):
    child, write = agent.leaving
    os.write(write, b"1")
    return os.waitpid(child, 0)[1]


@pytest.mark.parametrize(
    "kinds", [["oneway"], ["oneway"] * 3, ["call", "oneway", "call"]], ids=lambda kinds: "-".join(kinds)
)
def test_R14_changes_sent_before_an_app_ended_are_carried_out(scene, kinds):
    """Calls queued behind another call count too."""
    scene.limit(*range(len(kinds)))
    changes = []
    for number, kind in enumerate(kinds):
        asset = scene.app.named(scene.pictures[number])["localIdentifier"]
        changes.append(
            {
                "method": scene.app.method("PerformChanges"),
                **({"oneway": True} if kind == "oneway" else {}),
                "parameters": {"changes": [{"kind": "setFavorite", "assets": [asset], "favorite": True}]},
            }
        )
    scene.app.run(call_and_exit, token=scene.app.token, message="\0".join(map(json.dumps, changes)))
    with stopped_broker(scene.broker):
        assert scene.app.run(end_child) == 0
    wait_for(lambda: all(asset["isFavorite"] for asset in scene.app.fetch()), "every change", seconds=60)


def test_pending_reads_of_an_ended_app_are_dropped(scene):
    """Changes sent before the app ended are made; reads are dropped and leave no ledger entry."""
    scene.limit(0, 1)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    resource = {
        "method": scene.app.method("ReadBytes"),
        "parameters": {"asset": asset, "role": "original", "offset": 0, "length": 100},
    }
    change = {
        "method": scene.app.method("PerformChanges"),
        "parameters": {"changes": [{"kind": "setFavorite", "assets": [asset], "favorite": True}]},
    }

    def entries():
        told = scene.owner.call("ReadLedger", library=scene.library)["entries"]
        return [entry for entry in told if entry["rendition"] != "metadata"]

    before = entries()
    scene.app.run(
        call_and_exit, token=scene.app.token, message="\0".join(map(json.dumps, [resource, resource, change]))
    )
    with stopped_broker(scene.broker):
        assert scene.app.run(end_child) == 0
    wait_for(lambda: scene.app.named(scene.pictures[0])["isFavorite"], "the change", seconds=60)
    assert entries() == before


def answered_count(agent):
    return len(select.select([connection.socket for connection in agent.sockets], [], [], 0)[0])


def test_long_messages_of_one_user_alternate_with_others_calls(broker):
    stranger = broker.stranger()
    count, call = 150, b'{"method":"org.varlink.service.GetInfo"}\0'
    stranger.run(connect, count=count)
    with socket.socket(socket.AF_UNIX) as other:
        other.connect(str(broker.app_socket))

        def ask():
            other.sendall(call)
            while not other.recv(1 << 16).endswith(b"\0"):
                pass

        ask()
        with stopped_broker(broker):
            stranger.run(send, method="org.varlink.service.GetInfo", parameters={"x": "y" * 180_000}, count=1)
        for _ in range(5):
            ask()
        with stopped_broker(broker):
            done = stranger.run(answered_count)
    assert done < count // 2, f"{done} long messages were read to their end beside five short ones"
    wait_for(lambda: stranger.run(answered_count) == count, "every answer")


def connect_and_call(agent, count):
    agent.burst = [socket.socket(socket.AF_UNIX) for _ in range(count)]
    for connection in agent.burst:
        connection.setblocking(False)
        connection.connect(agent.path)
        connection.send(b'{"method":"org.varlink.service.GetInfo"}\0')


def watch_answers(agent, begun):
    """Return for each poll the number of answers so far, and the seconds since `begun`."""
    open_ones, looks = set(agent.burst), []
    while open_ones:
        ready = select.select(list(open_ones), [], [], 60)[0]
        assert ready, "some are never answered"
        for connection in ready:
            assert connection.recv(1 << 16).endswith(b"\0"), "one was closed"
        open_ones -= set(ready)
        looks.append((len(agent.burst) - len(open_ones), time.monotonic() - begun))
    return looks


@pytest.mark.library("shared")
def test_R129_repeated_connections_are_accepted_at_a_limited_rate_and_a_burst_is_not_refused(scene):
    """A burst may fill the socket's queue before anybody else connects."""
    limits = scene.app.call("GetLimits")["limits"]
    stranger = scene.broker.stranger()
    others = [stranger, scene.broker.stranger(uid=stranger.uid)]
    count = 500 // len(others)
    assert limits["connectionBurst"] < len(others) * count and count < limits["connectionsPerProcess"]
    with stopped_broker(scene.broker):
        for person in others:
            person.run(connect_and_call, count=count)
        begun = time.monotonic()
    for person in others:
        person.start(watch_answers, begun=begun)
    scene.limit(0)
    scene.app.new_connection()
    assert scene.app.count() == 1
    looks = [person.hear() for person in others]
    assert [each[-1][0] for each in looks] == [count] * len(others)
    for moment in [seconds for each in looks for _, seconds in each]:
        answered = sum(max((n for n, seconds in each if seconds <= moment), default=0) for each in looks)
        assert answered <= limits["connectionBurst"] + limits["connectionsPerSecond"] * moment + 1, (answered, moment)


def wait_to_connect(agent, folder):
    """Connect to a socket with a full queue: with a short timeout, and until there is room."""
    path = os.path.join(folder, "full")
    with socket.socket(socket.AF_UNIX) as listener, socket.socket(socket.AF_UNIX) as first:
        listener.bind(path)
        listener.listen(0)
        first.connect(path)
        try:
            Connection(path, timeout=0.05)
            return "connected"
        except TimeoutError:
            pass
        threading.Timer(0.2, lambda: listener.accept()[0].close()).start()
        with Connection(path, timeout=60) as connection:
            return connection.socket.gettimeout()


def test_a_client_waits_to_connect_as_long_as_for_answers(broker):
    stranger = broker.stranger()
    folder = broker.house.make_folder(f"full-{stranger.uid}", stranger.uid)
    assert stranger.run(wait_to_connect, folder=str(folder)) == 60
