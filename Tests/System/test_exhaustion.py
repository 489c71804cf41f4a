"""What one user can use up, and what the others notice of it."""
import os
import resource
import statistics
import time

import pytest

from house.broker import Broker

import conftest


@pytest.fixture
def modest_scene(house):
    """A broker that may open as few files as the service's unit allows it, or fewer."""
    broker = Broker(house, name=f"modest-{house.fresh_uid()}")
    broker.start(preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (2048, 2048)))
    yield conftest.Scene(broker, 6)
    broker.end()


def open_and_never_read(agent, tokens, asset, connections, calls):
    """Asks for descriptors on many connections and takes none of them."""
    from photobroker import Connection
    agent.stuck = []
    message = json.dumps({"method": "io.photobroker.Library.OpenResource", "parameters": {"asset": asset, "role": "original"}}).encode() + b"\0"
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


def is_open(agent):
    import socket
    open_ones = 0
    for connection in agent.stuck:
        try:
            open_ones += connection.socket.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT) != b""
        except BlockingIOError:
            open_ones += 1
        except OSError:
            pass
    return open_ones


def test_descriptors_that_nobody_takes_keep_no_other_from_theirs(modest_scene):
    """In-flight descriptors are charged to the broker's user: 32 clients that never read must not use them up."""
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
    time.sleep(0.3)
    for _ in range(20):
        neighbour.digest(other)

    def half_close(agent):
        import socket
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


def test_a_reader_of_many_descriptors_gets_them_all(modest_scene):
    """The bound is on what is not taken: who pipelines and reads is not refused."""
    scene = modest_scene
    scene.allow()

    def pipeline(agent, tokens, asset, calls):
        from photobroker import Connection
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


def test_a_reader_that_takes_nothing_is_dropped_and_a_late_one_is_not(modest_scene):
    scene = modest_scene
    scene.allow()
    limits = scene.app.call("GetLimits")["limits"]
    asset = scene.app.fetch()[0]["localIdentifier"]
    tokens = [scene.app.own_token, scene.app.token]
    before = scene.broker.descriptor_count()
    scene.app.run(open_and_never_read, tokens=tokens, asset=asset, connections=4, calls=150)
    time.sleep(0.2)
    # One over what may be in flight waits; so many replies at most hold a descriptor of the broker meanwhile.
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
    assert scene.app.run(is_open) == 3
    time.sleep(limits["stallSeconds"] + 0.2)
    assert scene.app.run(is_open) == 3, "what was sent stays readable"
    assert scene.broker.descriptor_count() - before <= 8, "and the broker holds no more than their sockets"
