"""Descriptors whose close can block for ever: a file on a FUSE that never answers, a lingering
socket.

Their sender alone waits.
"""

import os
import pathlib
import signal
import socket
import struct
import time

import pytest
from photobroker import Connection, VarlinkError

from house.person import ADMIN, LIBRARY, wait_for
from house.silent import GAMES


def send(agent, path, tokens, calls, file=None, linger=0):
    """Send calls with a descriptor each; return the numbers of calls and answers."""
    agent.kept = getattr(agent, "kept", [])
    answered = sent = 0
    for method, parameters in calls:
        connection = Connection(path, timeout=5)
        try:
            connection.call("org.varlink.service.GetInfo")
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            if file:
                descriptor = os.open(file, os.O_RDONLY)
                agent.kept.append(descriptor)
            else:
                listener = socket.create_server(("127.0.0.1", 0))
                one = socket.create_connection(listener.getsockname())
                other, _ = listener.accept()
                other.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
                agent.kept += [listener, other]
                one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, linger))
                one.setblocking(False)
                try:
                    while True:
                        one.send(b"x" * 65536)
                except BlockingIOError:
                    pass
                descriptor = one.detach()
            try:
                connection.send(method, parameters, descriptors=[descriptor])
                sent += 1
            finally:
                if not file:
                    # The last copy is the broker's; an unsent one must not linger here.
                    own = socket.socket(fileno=descriptor)
                    own.close()
            connection.receive()
            answered += 1
        except VarlinkError:
            answered += 1
        except OSError:
            pass
        connection.close()
    return [sent, answered]


INFO = ["org.varlink.service.GetInfo", {}]
ADD = [LIBRARY + "AddAsset", {"filename": "added.jpg", "descriptor": 0}]
LIBRARY_ADDED = [
    ADMIN + "AddLibrary",
    {"name": "silent", "options": {"path": "/"}, "credentials": [{"option": "password", "descriptor": 0}]},
]


def slowest_while(scene, stranger, seconds=60):
    """Return the longest delay of the owner and another app meanwhile, and the sender's result."""
    worst = 0
    deadline = time.monotonic() + seconds
    while True:
        ends = stranger.has_answered()
        begun = time.monotonic()
        scene.owner.call("GetStatus")
        scene.app.call("org.varlink.service.GetInfo")
        worst = max(worst, time.monotonic() - begun)
        if ends:
            return worst, stranger.hear()
        assert time.monotonic() < deadline, f"the other one does not end; the owner waited {worst} s"
        time.sleep(0.02)


def check_others(scene, sender, **order):
    scene.owner.call("GetStatus")
    sender.start(send, **order)
    worst, found = slowest_while(scene, sender)
    assert worst < 1, (worst, found)
    # New connections and revocations work as well.
    scene.owner.new_connection()
    begun = time.monotonic()
    scene.owner.call("Revoke", library=scene.library)
    assert time.monotonic() - begun < 1
    return found


@pytest.mark.parametrize(
    "calls", [[INFO] * 6, [LIBRARY_ADDED] * 3, [INFO] * 200], ids=["a call that takes none", "credentials", "many"]
)
def test_R129_a_strangers_silent_file_system_at_the_owners_socket_delays_no_one(own_scene, silent_folder, calls):
    scene = own_scene
    stranger = scene.broker.stranger(GAMES)
    folder = silent_folder(stranger.uid)
    sent, answered = check_others(
        scene, stranger, path=str(scene.broker.admin_socket), tokens=[], calls=calls, file=folder.file
    )
    assert sent and answered
    assert answered <= 140, "and whoever has too many is not served with more of them"
    folder.end()
    scene.owner.call("GetStatus")


def test_R129_an_add_only_apps_silent_file_system_delays_no_one(own_scene, silent_folder):
    scene = own_scene
    scene.let_broker_add()
    scene.owner.call("OfferLibrary", name=scene.library, add=[GAMES])
    adder = scene.broker.app(GAMES)
    adder.introduce("org.example.scanner")
    scene.allow(adder, level="addOnly")
    scene.allow()
    folder = silent_folder(adder.uid)
    tokens = [adder.own_token, adder.token]
    sent, answered = check_others(
        scene,
        adder,
        path=str(scene.broker.app_socket),
        tokens=tokens,
        calls=[INFO, ADD, INFO, ADD, ADD, ADD, ADD, ADD],
        file=folder.file,
    )
    assert sent == 8 and answered == 8
    folder.end()


def test_R129_an_app_without_add_access_sends_no_descriptor(own_scene, silent_folder):
    scene = own_scene
    scene.allow()
    scene.owner.call("OfferLibrary", name=scene.library, add=[GAMES])
    other = scene.broker.app(GAMES)
    other.introduce("org.example.viewer")
    folder = silent_folder(other.uid)
    sent, _ = check_others(
        scene, other, path=str(scene.broker.app_socket), tokens=[other.own_token], calls=[INFO, ADD], file=folder.file
    )
    assert sent == 0
    folder.end()


def test_R129_a_lingering_socket_delays_no_one(own_scene):
    scene = own_scene
    stranger = scene.broker.stranger()
    sent, answered = check_others(
        scene, stranger, path=str(scene.broker.admin_socket), tokens=[], calls=[INFO] * 3, linger=10
    )
    assert sent == answered == 3


def connect(agent, path):
    agent.kept = [Connection(path, timeout=5)]
    agent.kept[0].call("org.varlink.service.GetInfo")


def is_stopped(pid):
    return all(
        task.read_text().rsplit(")", 1)[1].split()[0] == "T"
        for task in pathlib.Path(f"/proc/{pid}/task").glob("*/stat")
    )


def leave_unread(agent, linger):
    """Send an invalid call, and behind it a message with a lingering socket."""
    connection = agent.kept[0].socket
    listener = socket.create_server(("127.0.0.1", 0))
    one = socket.create_connection(listener.getsockname())
    agent.kept += [listener, listener.accept()[0]]
    one.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, linger))
    one.setblocking(False)
    try:
        while True:
            one.send(b"x" * 65536)
    except BlockingIOError:
        pass
    # The broker stops reading behind a message with descriptors.
    socket.send_fds(connection, [b"no call\0"], [listener.fileno()])
    socket.send_fds(connection, [b"x"], [one.fileno()])
    one.close()


def test_R129_unread_bytes_in_a_closed_connection_delay_no_one(own_scene):
    scene = own_scene
    stranger = scene.broker.stranger()
    stranger.run(connect, path=str(scene.broker.admin_socket))
    # All of it is ready when the broker reads.
    scene.broker.process.send_signal(signal.SIGSTOP)
    wait_for(lambda: is_stopped(scene.broker.process.pid), "the broker to stand still")
    try:
        stranger.run(leave_unread, linger=10)
    finally:
        scene.broker.process.send_signal(signal.SIGCONT)
    worst, until = 0, time.monotonic() + 2
    while time.monotonic() < until:
        begun = time.monotonic()
        scene.owner.call("GetStatus")
        worst = max(worst, time.monotonic() - begun)
    assert worst < 1, worst


def test_R133_a_broker_blocked_by_a_file_system_ends_its_service_and_another_starts(own_scene, silent_folder):
    """A blocked thread keeps the old process, but its sockets and state are free."""
    scene = own_scene
    broker = scene.broker
    stranger = broker.stranger(GAMES)
    folder = silent_folder(stranger.uid)
    stranger.run(send, path=str(broker.admin_socket), tokens=[], calls=[INFO], file=folder.file)
    before = broker.process
    before.send_signal(signal.SIGTERM)
    wait_for(lambda: not broker.answers(), "the end of its service", seconds=10)
    broker.start()
    scene.owner.new_connection()
    assert scene.owner.library(scene.library)["name"] == scene.library
    assert before.poll() is None, "nothing was kept, so that this shows nothing"
    folder.end()
    assert before.wait(10) == 0
