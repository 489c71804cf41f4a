"""Attacks on the running broker: those by which one user would keep others from it."""
import os
import resource
import time

import pytest

from house.broker import Broker
from house.person import Refused


def test_strangers_at_the_owners_socket_keep_no_owner_from_revoking(scene):
    scene.limit(0)
    held = []
    for _ in range(3):
        stranger = scene.broker.stranger()
        held.append(stranger.run(take_at_the_owners, path=str(scene.broker.admin_socket), count=100))
    assert held == [64, 64, 0]
    scene.owner.new_connection()
    scene.unselect(0)
    assert scene.app.names() == []


def test_those_who_made_libraries_to_own_keep_no_owner_from_revoking_either(scene, make_scene):
    scene.limit(0)
    others = [make_scene(1).owner for _ in range(4)]
    held = [other.run(take_at_the_owners, path=str(scene.broker.admin_socket), count=64) for other in others]
    assert sum(held) > 200
    scene.owner.new_connection()
    scene.unselect(0)
    assert scene.app.names() == []


def test_a_library_that_somebody_else_offers_takes_from_no_app_what_it_has(scene, make_scene):
    scene.limit(0)
    fresh = scene.broker.app(uid=scene.app.uid)
    intruder = make_scene(1, introduce=False)
    intruder.owner.call("OfferLibrary", name=intruder.library, offeredTo=[intruder.app.uid, scene.app.uid])
    assert scene.app.names() == [scene.pictures[0]]
    assert scene.app.call("GetAuthorizationStatus", level="readWrite")["status"] == "limited"
    # Nobody knows what an app means that has nothing yet.
    fresh.introduce("org.example.fresh")
    with pytest.raises(Refused) as refused:
        fresh.call("GetAuthorizationStatus", level="readWrite")
    assert "name one" in refused.value.parameters["message"]
    assert fresh.call("GetAuthorizationStatus", level="readWrite", library=scene.library)["status"] == "notDetermined"


def take_at_the_owners(agent, path, count):
    import socket
    agent.clients = []
    for _ in range(count):
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(5)
        try:
            client.connect(path)
            client.sendall(b'{"method":"org.varlink.service.GetInfo"}\0')
            if not client.recv(1 << 16):
                break
        except OSError:
            break
        agent.clients.append(client)
    return len(agent.clients)


def test_observers_that_are_gone_before_their_first_reply_are_not_counted(scene):
    scene.limit(0)

    def ask_and_go(agent, tokens, times):
        from photobroker import Connection
        for _ in range(times):
            connection = Connection(agent.path, timeout=10)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            connection.socket.sendall(b'{"method":"io.photobroker.Library.ObserveChanges","more":true}\0')
            connection.socket.close()
    scene.app.run(ask_and_go, tokens=[scene.app.own_token, scene.app.token], times=200)

    def observe(agent, tokens):
        from photobroker import Connection
        connection = Connection(agent.path, timeout=10)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        for reply, _ in connection.stream("io.photobroker.Library.ObserveChanges"):
            return sorted(reply)
    assert scene.app.run(observe, tokens=[scene.app.own_token, scene.app.token])


def test_processes_that_connected_once_and_stay_hold_few_descriptors(scene):
    scene.limit(0)
    before = scene.broker.settled_descriptor_count()
    attacker = scene.broker.stranger()

    def leave_processes(agent, count):
        import os
        import signal
        import socket
        children = []
        for _ in range(count):
            child = os.fork()
            if child == 0:
                try:
                    client = socket.socket(socket.AF_UNIX)
                    client.connect(agent.path)
                    client.sendall(b'{"method":"io.photobroker.Library.GetLimits"}\0')
                    client.recv(1 << 16)
                    client.close()
                except OSError:
                    pass
                finally:
                    signal.pause()
                    os._exit(0)
            children.append(child)
        agent.children = children
    attacker.run(leave_processes, count=600)
    time.sleep(3)
    held = scene.broker.descriptor_count() - before
    assert scene.app.names() == [scene.pictures[0]]

    def end_processes(agent):
        import os
        import signal
        for child in agent.children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    attacker.run(end_processes)
    assert held <= 512 + 8, held
    assert scene.broker.wait_until_descriptors(before + 4) <= before + 4


def test_the_broker_may_open_as_many_files_as_the_system_lets_it(house):
    def few():
        hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        resource.setrlimit(resource.RLIMIT_NOFILE, (256, hard))
    broker = Broker(house, name=f"few-{house.fresh_uid()}").start(preexec_fn=few)
    try:
        line = next(l for l in open(f"/proc/{broker.process.pid}/limits") if l.startswith("Max open files"))
        soft, hard = line.split()[3:5]
        assert soft == hard, line
    finally:
        broker.end()


def test_descriptors_before_the_end_of_a_call_do_not_pile_up(scene):
    scene.allow(level="addOnly")
    before = scene.broker.settled_descriptor_count()

    def pile(agent, tokens):
        import socket
        from photobroker import Connection
        connection = Connection(agent.path, timeout=10)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        sent = 0
        with open("/dev/null") as file:
            try:
                for _ in range(200):
                    socket.send_fds(connection.socket, [b" "], [file.fileno()] * 16)
                    sent += 16
            except OSError:
                pass
        agent.pile = connection
        return sent
    sent = scene.app.run(pile, tokens=[scene.app.own_token, scene.app.token])
    time.sleep(0.5)
    assert sent > 0 and scene.broker.descriptor_count() - before <= 64 + 4, sent


def resident(broker):
    with open(f"/proc/{broker.process.pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def test_unfinished_messages_of_one_user_are_bounded_together(scene):
    """R129: many connections that each send most of a message cost their own user, and no neighbour."""
    scene.limit(0)
    limit = scene.app.call("GetLimits")["limits"]["heldBytesPerUser"]
    attacker = scene.broker.stranger()
    before = resident(scene.broker)

    def begin_messages(agent, count, size):
        import socket
        agent.clients = []
        for _ in range(count):
            client = socket.socket(socket.AF_UNIX)
            client.settimeout(5)
            client.connect(agent.path)
            client.sendall(b'{"method":"io.photobroker.Library.GetLimits"}\0')
            client.recv(1 << 16)
            try:
                client.sendall(b'{"method":"io.photobroker.Library.GetLimits","parameters":{"x":"' + b"x" * size)
            except OSError:
                pass
            agent.clients.append(client)

        def is_open(client):
            client.setblocking(False)
            try:
                return client.recv(1) != b""
            except BlockingIOError:
                return True
            except OSError:
                return False
        return sum(map(is_open, agent.clients))
    size = 1_000_000
    left = attacker.run(begin_messages, count=limit // size + 60, size=size)
    grown = resident(scene.broker) - before
    assert limit // size - 3 <= left <= limit // size, left
    assert grown < limit * 1.5 + (16 << 20), f"{grown >> 20} MiB"
    assert scene.app.names() == [scene.pictures[0]], "another user"
    neighbour = scene.broker.stranger(uid=attacker.uid)
    for _ in range(20):
        assert neighbour.call("GetLimits")["limits"], "an ordinary connection of the same user"


def test_replies_that_nobody_reads_are_bounded_together(make_scene):
    scene = make_scene(60)
    scene.allow()
    limit = scene.app.call("GetLimits")["limits"]["heldBytesPerUser"]
    before = resident(scene.broker)

    def never_read(agent, tokens, count):
        from photobroker import Connection
        for number in range(count):
            connection = Connection(agent.path, timeout=10)
            try:
                for token in tokens:
                    connection.call("io.photobroker.Library.Attach", token=token)
                connection.socket.setblocking(False)
                connection.socket.send(b'{"method":"io.photobroker.Library.FetchAssets"}\0' * 400)
            except OSError:
                pass
            agent.connections[f"stuck {number}"] = connection
    scene.app.run(never_read, tokens=[scene.app.own_token, scene.app.token], count=60)
    time.sleep(1)
    grown = resident(scene.broker) - before
    assert grown < limit * 1.5 + (16 << 20), f"{grown >> 20} MiB"
    assert scene.owner.library(scene.library)["assets"] == 60
    assert scene.owner.call("Revoke", app=scene.app.name)["receipt"]["grants"] == 1


def test_one_user_has_a_limit_of_connections_to_the_owners_socket(scene):
    limits = scene.app.call("GetLimits")["limits"]
    stranger = scene.broker.stranger()
    allowed = limits["administrationConnectionsPerUser"]
    assert stranger.run(take_at_the_owners, path=str(scene.broker.admin_socket), count=allowed + 1) == allowed


def test_subscriptions_that_end_leave_nothing_on_their_connection(scene):
    """R68: an observer that is refused again and again on one connection costs no memory that stays."""
    scene.allow()

    def begin_and_end(agent, tokens, asset, times):
        import os
        from photobroker import Connection
        connection = Connection(agent.path, timeout=30)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        for _ in range(times):
            for _, descriptors in connection.stream("io.photobroker.Library.StreamResource", asset=asset, role="original"):
                for descriptor in descriptors:
                    while os.read(descriptor, 1 << 16):
                        pass
                    os.close(descriptor)
        agent.connections["kept"] = connection
    asset = scene.app.fetch()[0]["localIdentifier"]
    tokens = [scene.app.own_token, scene.app.token]
    scene.app.run(begin_and_end, tokens=tokens, asset=asset, times=500)
    before, descriptors = resident(scene.broker), scene.broker.settled_descriptor_count()
    scene.app.run(begin_and_end, tokens=tokens, asset=asset, times=1500)
    assert resident(scene.broker) - before < 4 << 20
    assert scene.broker.descriptor_count() <= descriptors + 2


def test_a_refused_reply_ends_its_call_with_more_to_come(scene):
    """What is refused in a stream of replies is the last answer: nothing follows it, and the next call is served."""
    scene.allow()
    name = scene.app.name

    def follow(agent, tokens):
        connection = __import__("photobroker").Connection(agent.path, timeout=20)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        connection.send("io.photobroker.Library.ObserveChanges", {}, more=True)
        connection.send("io.photobroker.Library.GetLimits", {})
        connection.receive()
        agent.connections["followed"] = connection
    scene.app.run(follow, tokens=[scene.app.own_token, scene.app.token])
    scene.owner.call("Revoke", app=name)

    def rest(agent):
        from photobroker import VarlinkError
        connection, seen = agent.connections["followed"], []
        while len(seen) < 2:
            try:
                reply, _, continues = connection.receive()
                seen.append([sorted(reply)[0], continues])
            except VarlinkError as error:
                seen.append(error.name.rsplit(".", 1)[-1])
        connection.socket.settimeout(0.3)
        try:
            seen.append(len(connection.receive()))
        except TimeoutError:
            pass
        return seen
    seen = scene.app.run(rest)
    assert seen[0] == "PhotosError" and seen[1] == ["limits", False] and len(seen) == 2, seen
