"""A broker with little memory stays: copies are made one after the other where there is no room for all, whosever they are."""

import base64
import os
import time

import pytest
from house.broker import BROKER, Album, Broker
from house.memory_group import MemoryGroup
from house.person import wait_for
from house.pictures import day, jpeg
from house.soak import cross

SIZE = 240 << 20


@pytest.fixture
def small(house):
    """In 900 MiB, of which copies may take 512 at a time."""
    name = f"photobroker-test-{house.fresh_uid()}"
    try:
        group = MemoryGroup(name, 900 << 20)
    except OSError as refusal:
        pytest.skip(f"no control group with a limit of memory can be made here: {refusal}")
    broker = Broker(house, name=name)
    broker.before = group.command()
    yield broker.start()
    killed = group.killed()
    is_running = broker.is_running
    broker.end()
    group.end()
    assert is_running and killed == 0


def large(album, name, number):
    """A photo with so many empty bytes after it, which cost nothing on the disk."""
    path = album.put(f".{name}", jpeg(day(number), note=name.encode()))
    os.truncate(path, SIZE)
    path.rename(album.folder / name)


def test_R129_libraries_of_large_files_are_looked_into_as_there_is_memory_for_it(small):
    # Two owners: one alone has no more libraries than are left for all others.
    owners = [small.owner(), small.owner()]
    libraries = cross(3, 5)
    for library in range(libraries):
        owner = owners[library % 2]
        album = Album(small.house, f"large-{library}", owner.uid)
        for number in range(2):
            large(album, f"{library}-{number}.jpg", 2 * library + number)
        owner.call("AddLibrary", name=f"large-{library}", options={"path": str(album.folder)}, offeredTo=[])
    for library in range(libraries):
        wait_for(lambda: owners[library % 2].library(f"large-{library}")["assets"] == 2, f"library {library}", 120)
    assert small.is_running


def hold(agent, size, picture):
    """Sends a memory file of so many bytes, then a pipe into which they come one by one, until told to end."""
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
                {"kind": "createAsset", "filename": "large.jpg", "descriptor": 0},
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


def test_R129_what_one_users_apps_hand_over_is_held_as_there_is_memory_for_it(small):
    """Each of a user's own libraries could hold what one may."""
    owner, other = small.owner(), small.owner()
    picture = jpeg(day(1), note=b"handed").hex()
    apps = []
    for place, person in enumerate([owner, owner, owner, other]):
        album = Album(small.house, f"handed-{place}", person.uid)
        album.add(0)
        folder = album.folder / "PhotoBroker"
        folder.mkdir()
        os.chown(folder, BROKER, BROKER)
        person.add_library(f"handed-{place}", album.folder, [], 1)
        app = small.app(uid=person.uid)
        app.introduce(f"org.example.adding-{place}")
        person.set(f"handed-{place}", app.name, "authorized", level="addOnly")
        assert app.request(level="addOnly", library=f"handed-{place}") == "authorized"
        apps.append(app)
    for app in apps[:3]:
        app.start(hold, size=400 << 20, picture=picture)
    time.sleep(2)
    # Another user's photo waits for none of them.
    contents = base64.b64encode(jpeg(day(2), note=b"mine")).decode()
    apps[3].call(
        "PerformChanges",
        level="addOnly",
        changes=[{"kind": "createAsset", "filename": "mine.jpg", "contents": contents}],
    )
    for app in apps[:3]:
        assert "made" != app.hear(120), "one byte after the other is no photo"
    assert small.is_running
