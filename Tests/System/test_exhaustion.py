"""Resources that one user can exhaust, and the effect on others."""

import array
import base64
import json
import os
import resource
import socket
import statistics
import threading
import time

import pytest
from photobroker import Connection

from house.broker import Broker
from house.person import wait_for
from house.scene import Scene
from house.soak import WHOLE


@pytest.fixture
def modest_scene(house):
    """A broker with at most as many open files as the service's unit allows."""
    broker = Broker(house, name=f"modest-{house.fresh_uid()}")
    broker.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 2048)))
    yield Scene(broker, 6)
    broker.end()


def open_and_never_read(agent, tokens, asset, connections, calls):
    """Request descriptors on many connections without receiving any."""
    agent.stuck = []
    message = (
        json.dumps(
            {"method": "io.photobroker.Library.OpenResource", "parameters": {"asset": asset, "role": "original"}}
        ).encode()
        + b"\0"
    )
    for _ in range(connections):
        connection = Connection(agent.path, timeout=10)
        try:
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            connection.socket.setblocking(False)
            connection.socket.send(message * calls)
        except OSError:
            pass
        agent.stuck.append(connection)


def count_open(agent):
    open_ones = 0
    for connection in agent.stuck:
        try:
            open_ones += connection.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            open_ones += 1
        except OSError:
            pass
    return open_ones


def test_unreceived_descriptors_do_not_block_others(modest_scene):
    """The kernel charges descriptors in flight to the broker's user, whom 32 could exhaust."""
    scene = modest_scene
    scene.allow()
    neighbour = scene.broker.app(uid=scene.app.uid + 5000)
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[scene.app.uid, neighbour.uid])
    neighbour.introduce("org.example.neighbour")
    scene.allow(app=neighbour)
    asset = scene.app.fetch()[0]["localIdentifier"]
    other = neighbour.fetch()[0]["localIdentifier"]
    tokens = [scene.app.own_token, scene.app.token]
    scene.app.run(open_and_never_read, tokens=tokens, asset=asset, connections=32, calls=200)
    for _ in range(20):
        neighbour.digest(other)

    def half_close(agent):
        for connection in agent.stuck:
            try:
                connection.socket.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    scene.app.run(half_close)
    time.sleep(0.2)
    scene.app.run(open_and_never_read, tokens=tokens, asset=asset, connections=32, calls=200)
    time.sleep(0.3)
    for _ in range(20):
        neighbour.digest(other)


def test_a_reader_of_many_descriptors_receives_them_all(modest_scene):
    """The quota counts unreceived descriptors, so a client that reads is not refused."""
    scene = modest_scene
    scene.allow()

    def pipeline(agent, tokens, asset, calls):
        connection = Connection(agent.path, timeout=20)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)

        def ask():
            for _ in range(calls):
                connection.send("io.photobroker.Library.OpenResource", {"asset": asset, "role": "original"})

        threading.Thread(target=ask, daemon=True).start()
        count = 0
        for _ in range(calls):
            _, descriptors, _ = connection.receive()
            count += len(descriptors)
            for descriptor in descriptors:
                os.close(descriptor)
        return count

    asset = scene.app.fetch()[0]["localIdentifier"]
    began = time.monotonic()
    assert scene.app.run(pipeline, tokens=[scene.app.own_token, scene.app.token], asset=asset, calls=300) == 300
    assert time.monotonic() - began < 5


def test_a_client_that_reads_nothing_is_dropped_and_a_late_reader_is_not(modest_scene):
    scene = modest_scene
    scene.allow()
    limits = scene.app.call("GetLimits")["limits"]
    asset = scene.app.fetch()[0]["localIdentifier"]
    tokens = [scene.app.own_token, scene.app.token]
    before = scene.broker.settled_descriptor_count()
    scene.app.run(open_and_never_read, tokens=tokens, asset=asset, connections=4, calls=150)
    time.sleep(0.2)
    # One reply beyond the limit waits, and each of them holds a descriptor of the broker.
    assert scene.broker.descriptor_count() - before <= 4 * (limits["queuedDescriptors"] + 1) + 8

    def read_one(agent, limit):
        connection, count = agent.stuck.pop(), 0
        connection.socket.setblocking(True)
        for _ in range(limit + 1):
            _, descriptors, _ = connection.receive()
            for descriptor in descriptors:
                os.close(descriptor)
            count += len(descriptors)
        return count

    assert scene.app.run(read_one, limit=limits["descriptorsInFlight"]) == limits["descriptorsInFlight"] + 1
    assert scene.app.run(count_open) == 3
    time.sleep(limits["stallSeconds"] + 0.2)
    assert scene.app.run(count_open) == 3, "what was sent stays readable"
    assert scene.broker.descriptor_count() - before <= 8, "and the broker holds no more than their sockets"


def call_durations(agent, calls):
    """Return the sorted durations of calls, in milliseconds."""
    connection = agent.connection("timed")
    taken = []
    for _ in range(calls):
        began = time.perf_counter()
        connection.call("io.photobroker.Library.FetchAssets", limit=10)
        taken.append((time.perf_counter() - began) * 1000)
        time.sleep(0.001)
    return sorted(taken)


def hold_slowly(agent, silent, slow, seconds):
    """Hold connections that send nothing or single bytes, and reopen those that are closed."""
    message = b'{"method":"io.photobroker.Library.GetLimits"}'

    def connect():
        client = socket.socket(socket.AF_UNIX)
        client.setblocking(False)
        try:
            client.connect(agent.path)
        except OSError:
            return None
        return client

    held = [[connect(), 0] for _ in range(silent + slow)]
    end, made = time.monotonic() + seconds, len(held)
    while time.monotonic() < end:
        for number, entry in enumerate(held):
            client, sent = entry
            try:
                if client is None or client.recv(1) == b"":
                    raise OSError
            except BlockingIOError:
                pass
            except OSError:
                entry[:] = [connect(), 0]
                made += 1
                continue
            if number >= silent and sent < len(message):
                try:
                    client.send(message[sent : sent + 1])
                    entry[1] += 1
                except OSError:
                    pass
        time.sleep(0.05)
    return made


def test_silent_and_slow_connections_delay_no_neighbour(scene):
    """D-Bus CVE-2014-3639: the broker must not wait for any of them."""
    scene.limit(0, 1, 2)
    attackers = [scene.broker.stranger() for _ in range(2)]
    for attacker in attackers:
        attacker.start(hold_slowly, silent=120, slow=120, seconds=2.5)
    time.sleep(0.4)
    taken = scene.app.run(call_durations, calls=600)
    assert all(attacker.hear() >= 240 for attacker in attackers)
    assert len(taken) == 600 and max(taken) < 2_000, (
        f"worst {max(taken):.1f} ms, p99 {statistics.quantiles(taken, n=100)[-1]:.2f} ms"
    )


def test_a_flood_of_descriptors_leaves_none_open(scene):
    """D-Bus CVE-2020-12049: thousands of messages with unrequested descriptors."""
    scene.limit(0)
    before = scene.broker.settled_descriptor_count()

    def flood(agent, seconds, wanted):
        refused = closed = 0
        with open("/dev/null") as file:
            data = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [file.fileno()] * 8))]
            message = [b'{"method":"io.photobroker.Library.GetLimits"}\0']
            end = time.monotonic() + seconds
            client = None
            while refused + closed < wanted and time.monotonic() < end:
                if client is None:
                    client = socket.socket(socket.AF_UNIX)
                    client.connect(agent.path)
                try:
                    client.sendmsg(message, data, socket.MSG_DONTWAIT)
                    closed += 1
                    client.recv(1 << 16)
                    client.close()
                    client = None
                except PermissionError:
                    refused += 1
                except OSError:
                    closed += 1
                    client.close()
                    client = None
        return refused + closed

    attacker = scene.broker.stranger()
    messages = 100_000 if WHOLE else 10_000
    assert attacker.run(flood, seconds=60, wanted=messages) == messages
    attacker.end()
    assert scene.broker.wait_until_descriptors(before) <= before
    assert scene.app.names() == [scene.pictures[0]]


def test_undrained_subscriptions_use_constant_memory(make_scene):
    """D-Bus CVE-2014-3638: sixty observers never read, and the library changes constantly."""
    scene = make_scene(20)
    scene.allow()

    def observe(agent, tokens, count):
        agent.undrained = []
        for _ in range(count):
            connection = Connection(agent.path, timeout=10)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            connection.send("io.photobroker.Library.ObserveChanges", {}, more=True)
            agent.undrained.append(connection)

    scene.app.run(observe, tokens=[scene.app.own_token, scene.app.token], count=60)

    def edit(rounds):
        for step in range(rounds):
            scene.owner.call("MarkAssets", library=scene.library, selector={"all": True}, favorite=step % 2 == 0)

    edit(60)
    before = scene.broker.resident_bytes()
    edit(240)
    grown = scene.broker.resident_bytes() - before
    assert grown < 24 << 20, f"{grown >> 20} MiB"
    assert scene.app.count() == 20

    def drain(agent):
        ended = 0
        for connection in agent.undrained:
            connection.socket.settimeout(5)
            connection.receive()
            ended += 1
        return ended

    assert scene.app.run(drain) == 60, "each is told, when it reads"


def test_thousands_of_requests_cause_one_prompt(scene):
    """Consent bombing: each app has at most one open question."""

    def bomb(agent, tokens, seconds, wanted):
        message = json.dumps(
            {
                "method": "io.photobroker.Library.RequestAuthorization",
                "parameters": {"level": "readWrite", "wait": False},
            }
        )
        message = message.encode() + b"\0"
        connections = []
        for _ in range(16):
            connection = Connection(agent.path, timeout=20)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            connections.append(connection)
        answers, end, batch = {}, time.monotonic() + seconds, 40
        while sum(answers.values()) < wanted and time.monotonic() < end:
            for connection in connections:
                connection.socket.sendall(message * batch)
            for connection in connections:
                left = batch
                while left:
                    data = connection.socket.recv(1 << 16)
                    left -= data.count(b"\0")
                    name = "pending" if b"PromptPending" in data else "other"
                    answers[name] = answers.get(name, 0) + data.count(b"\0")
        return answers

    wanted = 100_000 if WHOLE else 10_000
    answers = scene.app.run(bomb, tokens=[scene.app.own_token], seconds=120, wanted=wanted)
    assert answers.get("pending", 0) >= wanted and "other" not in answers, answers
    prompts = scene.owner.prompts()
    assert len(prompts) == 1
    scene.owner.answer(prompts[0], "deny")
    scene.app.run(bomb, tokens=[scene.app.own_token], seconds=5, wanted=2_000)
    assert scene.owner.prompts() == [], "denied is denied: asking again asks nobody"


def test_closing_a_connection_frees_its_uploads_memory(own_scene):
    own_scene.let_broker_add()
    own_scene.allow(level="addOnly")

    def upload(agent, pieces):
        data = base64.b64encode(bytes(524_288)).decode()
        for number in range(4):
            line = agent.connection(f"uploads-{number}")
            name = line.call("io.photobroker.Library.BeginUpload")["upload"]
            for _ in range(pieces):
                line.call("io.photobroker.Library.AppendUpload", upload=name, data=data)

    before = own_scene.broker.resident_bytes()
    pieces = 100 if WHOLE else 25
    own_scene.app.run(upload, pieces=pieces)
    assert own_scene.broker.resident_bytes() - before > pieces * 1_900_000, (
        "it is held as long as the connections are there"
    )
    own_scene.app.new_connection()
    wait_for(lambda: own_scene.broker.resident_bytes() - before < 16 << 20, "its memory to go back")


def hold_connections(agent, count, seconds):
    """Hold so many connections, and reopen those that are closed."""
    held = [None] * count
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for place, connection in enumerate(held):
            if connection is not None:
                try:
                    if connection.recv(1):
                        continue
                except BlockingIOError:
                    continue
                except OSError:
                    pass
                connection.close()
            held[place] = socket.socket(socket.AF_UNIX)
            held[place].setblocking(False)
            try:
                held[place].connect(agent.path)
            except OSError:
                held[place].close()
                held[place] = None
        time.sleep(0.02)
    return sum(connection is not None for connection in held)


@pytest.mark.parametrize("files", [1024, 4096])
def test_R14_a_low_open_file_limit_does_not_prevent_a_revocation(house, files):
    broker = Broker(house, name=f"few-files-{house.fresh_uid()}")
    broker.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
    try:
        scene = Scene(broker, 2)
        scene.limit(0)
        assert "the limit of open files is low" in broker.log
        strangers = [broker.stranger() for _ in range(8)]
        for stranger in strangers:
            stranger.start(hold_connections, count=300, seconds=4)
        time.sleep(1.5)
        for _ in range(8):
            owner = broker.owner(scene.owner.uid)
            owner.call("GetStatus")
            owner.end()
        assert scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]["grants"] == 1
        for stranger in strangers:
            stranger.hear()
        assert "accepting connections pauses" not in broker.log
    finally:
        broker.end()
