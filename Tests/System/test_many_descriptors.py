"""Many descriptors from apps, owners and strangers: a quota for each user leaves room for
others."""

import socket
import resource
import array
import base64

import os
import pytest
from photobroker import Connection

from house.pictures import day, jpeg
from house.silent import GAMES, SilentFolder


def hold_descriptors(agent, path, tokens, connections, each, file="/dev/null"):
    """Send `each` descriptors on each connection with an endless call; return how many arrived."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    agent.held = getattr(agent, "held", [])
    opened = []
    for _ in range(connections):
        try:
            connection = Connection(path, timeout=5)
            for token in tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            if not tokens:
                connection.call("org.varlink.service.GetInfo")
            opened.append(connection)
        except OSError:
            break
    agent.held += opened
    agent.file = os.open(file, os.O_RDONLY)
    taken = 0
    for connection in opened:
        try:
            connection.socket.sendmsg(
                [b'{"method":"io.photobroker.Library.AddAsset","par'],
                [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [agent.file] * each))],
            )
            taken += each
        except OSError:
            pass
    return len(opened), taken


def add_photo(agent, path, tokens, filename, data):
    file = os.memfd_create("photo")
    os.write(file, base64.b64decode(data))
    with Connection(path, timeout=20) as connection:
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        return connection.call(
            "io.photobroker.Library.AddAsset", descriptors=[file], filename=filename, descriptor=0, level="addOnly"
        )


def check_others(scene, adder):
    """Add by descriptor as another user's app, and revoke as the owner on a new connection."""
    adder.run(
        add_photo,
        path=str(scene.broker.app_socket),
        tokens=[adder.own_token, adder.token],
        filename="other.jpg",
        data=base64.b64encode(jpeg(day(50), b"other")).decode(),
    )
    scene.owner.new_connection()
    scene.owner.call("Revoke", library=scene.library)


@pytest.fixture
def add_only(own_scene):
    """A scene with an add-only app of another user."""
    scene = own_scene
    scene.let_broker_add()
    other = scene.broker.app()
    scene.owner.call("OfferLibrary", name=scene.library, add=[other.uid])
    other.introduce("org.example.other")
    scene.allow(other, level="addOnly")
    scene.other = other
    return scene


def allowed_descriptors(scene, sent, connections):
    """Return the broker's extra descriptors: one user's quota and a few per connection."""
    return sent + 3 * connections + 64


def test_R129_descriptors_are_limited_per_user_over_all_connections(add_only):
    scene = add_only
    scene.allow(level="addOnly")
    before = scene.broker.settled_descriptor_count()
    most = scene.app.call("GetLimits")["limits"]["descriptorsPerUser"]
    again = scene.broker.app(scene.app.uid)
    for sender in (scene.app, again):
        opened, _ = sender.run(
            hold_descriptors,
            path=str(scene.broker.app_socket),
            tokens=[scene.app.own_token, scene.app.token],
            connections=60,
            each=60,
        )
        assert opened == 60
    assert scene.broker.settled_descriptor_count() - before < allowed_descriptors(scene, most, 120)
    _, taken = again.run(
        hold_descriptors,
        path=str(scene.broker.app_socket),
        tokens=[scene.app.own_token, scene.app.token],
        connections=1,
        each=1,
    )
    assert taken == 0, "whoever has too many can send none"
    check_others(scene, scene.other)


def test_R129_strangers_descriptors_leave_room_for_apps_and_owners(add_only):
    scene = add_only
    before = scene.broker.settled_descriptor_count()
    strangers = [scene.broker.stranger() for _ in range(9)]
    connections = 0
    for stranger in strangers:
        opened, _ = stranger.run(
            hold_descriptors, path=str(scene.broker.admin_socket), tokens=[], connections=14, each=60
        )
        connections += opened
    assert scene.broker.settled_descriptor_count() - before < allowed_descriptors(scene, 2_048, connections)
    check_others(scene, scene.other)


def test_R129_descriptors_that_never_close_are_bounded_on_every_socket(add_only, house):
    scene = add_only
    before = scene.broker.settled_descriptor_count()
    stranger = scene.broker.stranger(GAMES)
    folder = SilentFolder(house, stranger.uid)
    try:
        # Each call exceeds the quota and closes its connection, but not its descriptors.
        opened, _ = stranger.run(
            hold_descriptors, path=str(scene.broker.admin_socket), tokens=[], connections=60, each=250, file=folder.file
        )
        assert opened == 60
        assert scene.broker.settled_descriptor_count() - before < allowed_descriptors(scene, 384, opened)
        for _ in range(3):
            stranger.run(
                hold_descriptors,
                path=str(scene.broker.admin_socket),
                tokens=[],
                connections=60,
                each=250,
                file=folder.file,
            )
        assert scene.broker.settled_descriptor_count() - before < allowed_descriptors(scene, 384, opened)
        check_others(scene, scene.other)
    finally:
        folder.end()
