"""A broker with little memory survives: copies wait for each other, across users."""

import base64
import os
import struct
import time
import zlib

import pytest
from house.broker import BROKER, Album, Broker
from house.memory_group import MemoryGroup
from house.person import wait_for
from house.pictures import day, jpeg
from house.sampling import Sampling

# All users' copies have 512 MiB, those of one user 384.
TWO_HAVE_ROOM = 171 << 20
ONE_OF_A_USERS_HAS_ROOM = 200 << 20


class PeakMemory(Sampling):
    """The most bytes of memory files that a group held at a time."""

    def __init__(self, group):
        super().__init__()
        self.group, self.bytes = group, 0

    def look(self):
        self.bytes = max(self.bytes, self.group.shared())


@pytest.fixture
def low_memory_broker(house):
    """A broker with less memory than a test's copies need in total."""
    name = f"photobroker-test-{os.getpid()}-{house.fresh_uid()}"
    try:
        group = MemoryGroup(name, 540 << 20)
    except OSError as refusal:
        pytest.skip(f"no control group with a limit of memory can be made here: {refusal}")
    broker = Broker(house, name=name)
    broker.before, broker.group = group.command(), group
    yield broker.start()
    killed = group.killed()
    is_running = broker.is_running
    broker.end()
    group.end()
    assert is_running and killed == 0


def chunk(kind, data):
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def picture(size, note):
    """Return the start of a PNG of `size` bytes; the rest is one sparse chunk of zeros.

    The media worker skips chunks of a PNG. It would search a JPEG's zeros, which under load can
    exceed its timeout.
    """
    head = chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)) + chunk(b"tEXt", b"Comment\0" + note)
    whole = b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(bytes(72))) + chunk(b"IEND", b"")
    return whole + struct.pack(">I", size - len(whole) - 12) + b"fiLl"


def test_R129_large_files_are_inspected_within_available_memory(low_memory_broker):
    # This memory allows four libraries, and one owner at most two of them.
    owners = [low_memory_broker.owner(), low_memory_broker.owner()] * 2
    hidden = []
    for number, owner in enumerate(owners):
        album = Album(low_memory_broker.house, f"large-{number}", owner.uid)
        owner.add_library(f"large-{number}", album.folder, [], 0)
        hidden.append(album.put(f".{number}.png", picture(TWO_HAVE_ROOM, b"%d" % number)))
        os.truncate(hidden[-1], TWO_HAVE_ROOM)
    with PeakMemory(low_memory_broker.group) as peak:
        # All files appear at the same time.
        for path in hidden:
            path.rename(path.with_name(path.name[1:]))
        for number, owner in enumerate(owners):
            owner.wait_for_library(f"large-{number}", 1, 120)
    assert TWO_HAVE_ROOM <= peak.bytes < 3 * TWO_HAVE_ROOM, "two copies at a time"
    assert low_memory_broker.is_running


def hold_unfinished_call(agent, size, picture):
    """Send a large memory file, then a pipe that receives it byte by byte until told to end."""
    head = agent.connection()
    large = os.memfd_create("large")
    os.write(large, bytes.fromhex(picture))
    os.truncate(large, size)
    reader, writer = os.pipe()
    head.send(
        "io.photobroker.Library.PerformChanges",
        {
            "level": "addOnly",
            "changes": [
                {"kind": "createAsset", "filename": "large.png", "descriptor": 0},
                {"kind": "createAsset", "filename": "slow.jpg", "descriptor": 1},
            ],
        },
        descriptors=[large, reader],
    )
    for descriptor in (reader, large):
        os.close(descriptor)
    for _ in range(12):
        os.write(writer, b"x")
        time.sleep(0.3)
    os.close(writer)
    try:
        head.receive()
        return "made"
    except Exception as refusal:
        return str(refusal)


def test_R129_bytes_from_one_users_apps_are_held_within_available_memory(low_memory_broker):
    """The quota is per user, across libraries."""
    owner, other, size = low_memory_broker.owner(), low_memory_broker.owner(), ONE_OF_A_USERS_HAS_ROOM
    apps = []
    for place, person in enumerate([owner, owner, owner, other]):
        album = Album(low_memory_broker.house, f"handed-{place}", person.uid)
        album.add(0)
        folder = album.folder / "PhotoBroker"
        folder.mkdir()
        os.chown(folder, BROKER, BROKER)
        person.add_library(f"handed-{place}", album.folder, [], 1)
        app = low_memory_broker.app(uid=person.uid)
        app.introduce(f"org.example.adding-{place}")
        person.set(f"handed-{place}", app.name, "authorized", level="addOnly")
        assert app.request(level="addOnly", library=f"handed-{place}") == "authorized"
        apps.append(app)
    with PeakMemory(low_memory_broker.group) as peak:
        for app in apps[:3]:
            app.start(hold_unfinished_call, size=size, picture=picture(size, b"handed").hex())
        wait_for(lambda: low_memory_broker.group.shared() >= size, "one of them to be held")
        # Another user's photo waits for none of them.
        contents = base64.b64encode(jpeg(day(2), note=b"mine")).decode()
        apps[3].call(
            "PerformChanges",
            level="addOnly",
            changes=[{"kind": "createAsset", "filename": "mine.jpg", "contents": contents}],
        )
        for app in apps[:3]:
            assert "made" != app.hear(120), "one byte after the other is no photo"
    assert size <= peak.bytes < 2 * size, "one copy at a time"
    assert low_memory_broker.is_running
