"""The quota of photos over all users' libraries: new files wait, the owner is told, known ones
stay."""

import base64
import os

from house.person import wait_for
from house.pictures import day, jpeg
from house.scene import Scene


def indexed_and_waiting(owner, library):
    found = owner.library(library)
    reason = found.get("problemReason") or {}
    return found["assets"], int(reason["values"]["count"]) if reason.get("code") == "photosWait" else 0


def test_photos_beyond_the_limit_wait_and_known_ones_stay(own_broker):
    broker = own_broker
    scene = Scene(broker, 3)
    scene.limit(0, 1)
    seen = scene.app.fetch()

    def start(*arguments):
        broker.stop()
        broker.arguments = list(arguments)
        broker.start()
        for person in broker.people:
            person.new_connection()
        scene.owner.wait_for_library(scene.library)

    start("--photos", "10")
    for number in range(10, 15):
        scene.album.put(f"new-{number}.jpg", jpeg(day(number), note=b"new %d" % number))
    wait_for(lambda: indexed_and_waiting(scene.owner, scene.library) == (5, 3), "half of ten, and the others to wait")
    text = broker.photobroker(scene.owner.uid, "library", "list").stdout
    assert "3 new photos not added" in text and "--photos" in text

    # Another user gets half of the remaining quota, and the first user's other library nothing.
    other = Scene(broker, 0)
    other.album.fill(6)
    wait_for(lambda: indexed_and_waiting(other.owner, other.library) == (2, 4), "half of what is left")

    # Fewer than the known photos: these stay, and no others are added.
    start("--photos", "2")
    assert indexed_and_waiting(scene.owner, scene.library) == (5, 3)
    scene.app.introduce()
    scene.app.request()
    assert scene.app.fetch() == seen
    os.unlink(scene.album.folder / "new-14.jpg")
    scene.owner.rescan(scene.library)
    assert indexed_and_waiting(scene.owner, scene.library) == (5, 2)

    # Freed quota is used without a request.
    known = other.owner.names(other.library)
    for file in other.album.folder.glob("picture-*"):
        if file.name not in known:
            file.unlink()
    start("--photos", "14")
    scene.owner.wait_for_library(scene.library, 6)
    assert indexed_and_waiting(scene.owner, scene.library) == (6, 1)
    other.owner.call("RemoveLibrary", name=other.library)
    wait_for(lambda: indexed_and_waiting(scene.owner, scene.library) == (7, 0), "the last one")


def test_adding_to_a_full_library_is_refused(own_broker):
    own_broker.stop()
    own_broker.arguments = ["--photos", "6"]
    own_broker.start()
    scene = Scene(own_broker, 3)
    scene.let_broker_add()
    scene.allow()
    before = sorted(p.name for p in (scene.album.folder / "PhotoBroker").iterdir())
    contents = base64.b64encode(jpeg(day(30), note=b"added")).decode()
    refused = scene.app.refusal("AddAsset", filename="added.jpg", contents=contents, level="readWrite")
    assert refused.parameters["code"] == 3305
    assert sorted(p.name for p in (scene.album.folder / "PhotoBroker").iterdir()) == before


def test_users_who_can_make_room_are_notified_and_removed_files_no_longer_wait(own_broker):
    broker = own_broker
    broker.stop()
    broker.arguments = ["--photos", "8"]
    broker.start()
    scene = Scene(broker, 0)
    scene.album.fill(7)
    wait_for(lambda: indexed_and_waiting(scene.owner, scene.library) == (4, 3), "half of eight, and the others to wait")
    assert "there is no room for new photos" in broker.log
    assert "3 new photos not added" in broker.photobroker(0, "library", "list").stdout, (
        "root starts the broker with a larger number"
    )
    looked = broker.photobroker(scene.owner.uid, "library", "rescan", scene.library, "--wait").stdout
    assert "3 new photos not added" in looked
    known = scene.owner.names(scene.library)
    for file in scene.album.folder.glob("picture-*"):
        if file.name not in known:
            file.unlink()
    wait_for(lambda: indexed_and_waiting(scene.owner, scene.library) == (4, 0), "what is gone to wait no more", 60)
