"""The broker's own disk is full.

Reads stop, because they could not be recorded. Revocations go on. With free space again, all works.
"""

import base64
import os
import subprocess

import pytest

from house.broker import BROKER, Album
from house.disks import fill_disk, reads_fail_when_full, small_broker
from house.person import Refused, wait_for
from house.pictures import day, jpeg
from house.scene import Scene


@pytest.fixture
def small_disk_scene(house):
    with small_broker(house) as broker:
        yield Scene(broker, 6)


def test_R133_on_a_full_disk_revoking_works_and_reads_recover_later(small_disk_scene):
    scene = small_disk_scene
    scene.limit(0, 1, 2)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(3, app=other)
    scene.app.observe()
    asset = scene.app.fetch()[0]["localIdentifier"]
    fill_disk(scene.broker)

    wait_for(lambda: reads_fail_when_full(scene.broker, scene.app, asset), "reads to stop", 20)
    assert "full" not in str(scene.app.is_refused() or ""), "no word to an app of whose disk it is"
    # A grant is refused, or committed if the database had free pages; a revocation is acknowledged.
    shown = {scene.pictures[3]}
    try:
        scene.owner.call("EditSelection", library=scene.library, app=other.name, add={"all": True})
        shown = set(scene.pictures)
    except Refused as refused:
        assert refused.error == "Failed" and "full" in refused.parameters["message"]
    scene.unselect(0)
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    assert receipt["grants"] == 1
    wait_for(lambda: scene.app.end_of("observer"), "the observer's end")
    assert scene.owner.call("GetStatus")["version"]
    scene.broker.kill()
    scene.broker.start()
    scene.owner.new_connection()
    scene.app.use()
    scene.app.new_connection()
    other.new_connection()
    assert scene.app.refusal("Attach", token=scene.app.token).error == "TokenRefused"
    (scene.broker.state / "ballast").unlink()

    def reads_again():
        try:
            return other.digest(other.fetch()[0]["localIdentifier"])
        except Refused:
            return None

    wait_for(reads_again, "reads to come back", 20)
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    assert set(other.names()) == shown
    scene.select(4, app=other)
    assert set(other.names()) == shown | {scene.pictures[4]}


def test_R133_the_broker_starts_and_revokes_on_a_full_disk(small_disk_scene):
    scene = small_disk_scene
    scene.limit(0)
    scene.broker.stop()
    fill_disk(scene.broker)
    scene.broker.start()
    scene.owner.new_connection()
    assert scene.owner.call("ListLibraries")["libraries"][0]["name"] == scene.library
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    assert receipt["grants"] == 1
    (scene.broker.state / "ballast").unlink()
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))


@pytest.mark.parametrize("end", ["stop", "kill"])
def test_R17_a_start_on_a_full_disk_loses_nothing(house, end):
    with small_broker(house) as broker:
        scene = Scene(broker, 6)
        for number in range(20):
            app = broker.app(uid=scene.app.uid)
            app.introduce(f"org.example.app{number}")
            scene.limit(*range(6), app=app)
            app.end()
        scene.limit(*range(6))
        fill_disk(broker)
        # Revocations go on in the write-ahead log, although a checkpoint has no space.
        for picture in scene.pictures[:3]:
            scene.unselect(picture)
            fill_disk(broker)

        def grants():
            found = scene.owner.call("ListGrants", library=scene.library)["grants"]
            return sorted((grant["identifier"], grant["status"], grant["selected"], grant["paused"]) for grant in found)

        before = grants()
        getattr(broker, end)()
        broker.start()
        scene.owner.new_connection()
        assert grants() == before and len(before) == 21
        assert scene.owner.call("Revoke", library=scene.library)["receipt"]["grants"] == 21
        (broker.state / "ballast").unlink()
        broker.restart()
        assert {status for _, status, _, _ in grants()} == {"denied"}


def free_bytes(folder):
    facts = os.statvfs(folder)
    return facts.f_bavail * facts.f_frsize


def test_R142_an_addition_to_a_full_disk_is_refused_completely(own_broker):
    owner, app = own_broker.owner(), own_broker.app()
    album = Album(own_broker.house, f"small-{owner.uid}", owner.uid)
    subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size=1m,mode=0750,uid={owner.uid},gid={BROKER}", "tmpfs", str(album.folder)],
        check=True,
    )
    try:
        pictures = [p.name for p in album.fill(2)]
        (album.folder / "PhotoBroker").mkdir()
        os.chown(album.folder / "PhotoBroker", BROKER, BROKER)
        owner.add_library("small", album.folder, [app.uid], len(pictures))
        app.introduce()
        owner.set("small", app.name, "authorized")
        app.request()
        kept = {a["filename"]: a["localIdentifier"] for a in app.fetch()}
        large = jpeg(day(40), b"large", padding=1_200_000)
        path = own_broker.house.make_folder(f"large-{app.uid}", app.uid) / "large.jpg"
        path.write_bytes(large)
        before = free_bytes(album.folder)
        for _ in range(3):
            try:
                app.order(
                    do="call_with_file",
                    method="io.photobroker.Library.AddAsset",
                    path=str(path),
                    parameters={"filename": "large.jpg", "descriptor": 0},
                )
                raise AssertionError("it cannot be there whole")
            except Refused as refused:
                assert (refused.parameters["code"], refused.reason) == (3305, "notEnoughSpace"), refused
                assert "make room" in refused.parameters["message"], "what to do"
        assert free_bytes(album.folder) == before and list((album.folder / "PhotoBroker").iterdir()) == [], (
            "nothing of it is left"
        )
        assert "notEnoughSpace" in own_broker.log
        assert {a["filename"]: a["localIdentifier"] for a in app.fetch()} == kept and all(
            map(app.digest, kept.values())
        )
        small = app.call("AddAsset", filename="small.jpg", contents=base64.b64encode(jpeg(day(41), b"small")).decode())[
            "localIdentifier"
        ]
        assert app.digest(small)
        assert owner.library("small")["state"] == "online"
    finally:
        owner.call("RemoveLibrary", name="small")
        subprocess.run(["umount", "-l", str(album.folder)], check=True)
