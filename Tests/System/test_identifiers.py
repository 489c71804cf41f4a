import os

import pytest

from house.changes import fetched, replay
from house.person import wait_for
from house.pictures import day, jpeg


@pytest.mark.library("shared")
def test_R95_identifiers_survive_unselecting_selecting_revoking_and_granting(scene):
    scene.limit(0, 1)
    before = scene.app.identifiers()
    scene.unselect(0)
    scene.select(0)
    assert scene.app.identifiers() == before
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    scene.owner.set(scene.library, scene.app.name, "notDetermined")
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    scene.limit(0, 1)
    assert scene.app.identifiers() == before


def test_R95_identifiers_survive_a_move_while_the_broker_runs(scene):
    scene.allow()
    before = scene.app.identifiers()
    folder = scene.album.folder / "sub"
    folder.mkdir()
    os.chown(folder, scene.album.uid, 61_001)
    folder.chmod(0o750)
    os.rename(scene.album.folder / scene.pictures[0], folder / scene.pictures[0])
    os.rename(scene.album.folder / scene.pictures[1], scene.album.folder / "renamed.jpg")
    now = wait_for(
        lambda: (lambda found: found if "renamed.jpg" in found else None)(scene.app.identifiers()), "the moves"
    )
    assert now["renamed.jpg"] == before[scene.pictures[1]]
    assert now[scene.pictures[0]] == before[scene.pictures[0]]
    assert len(now) == len(before)
    wait_for(
        lambda: any(a["path"] == f"sub/{scene.pictures[0]}" for a in scene.owner.assets(scene.library)), "the new path"
    )


def test_R95_identifiers_survive_a_restart_and_moves_while_stopped(own_scene):
    scene = own_scene
    scene.allow()
    before = scene.app.identifiers()
    assert scene.broker.stop() == 0
    os.rename(scene.album.folder / scene.pictures[0], scene.album.folder / "moved.jpg")
    (scene.album.folder / scene.pictures[2]).unlink()
    scene.album.add(30, "late.jpg")
    scene.broker.start()
    scene.owner.new_connection()
    scene.app.new_connection()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    now = wait_for(
        lambda: (lambda f: f if {"moved.jpg", "late.jpg"} <= set(f) else None)(scene.app.identifiers()),
        "the library to follow",
    )
    assert now["moved.jpg"] == before[scene.pictures[0]]
    assert {n: now[n] for n in scene.pictures[3:]} == {n: before[n] for n in scene.pictures[3:]}
    assert scene.pictures[2] not in now
    assert now["late.jpg"] not in before.values()


def test_saving_by_rename_is_a_change_and_a_copy_is_a_new_asset(scene):
    scene.allow()
    before = scene.app.identifiers()
    scene.album.put(scene.pictures[0], jpeg(day(0), b"saved again", width=128), day(3).timestamp())
    scene.album.put("copy.jpg", (scene.album.folder / scene.pictures[1]).read_bytes())
    now = wait_for(lambda: (lambda f: f if "copy.jpg" in f else None)(scene.app.identifiers()), "the copy")
    assert now[scene.pictures[0]] == before[scene.pictures[0]]
    assert now["copy.jpg"] not in before.values()


def test_added_changed_and_removed_files_are_followed(scene):
    scene.allow()
    start = scene.app.fetch()
    scene.app.observe()
    scene.album.add(20, "new.jpg")
    scene.album.add(21, "deep/er/folder.jpg")
    (scene.album.folder / scene.pictures[0]).unlink()
    wanted = (set(scene.pictures) | {"new.jpg", "folder.jpg"}) - {scene.pictures[0]}
    wait_for(lambda: set(scene.app.names()) == wanted, "the library to follow")

    wait_for(lambda: replay(start, scene.app.events()) == fetched(scene.app), "the events to give the fetch")


@pytest.mark.library("shared")
def test_R96_identifiers_belong_to_one_library(make_scene):
    one, two = make_scene(3), make_scene(3)
    one.allow()
    two.allow()
    assert not set(one.app.identifiers().values()) & set(two.app.identifiers().values())
    foreign = next(iter(two.app.identifiers().values()))
    assert one.app.refusal("GetResources", asset=foreign).parameters["code"] == 3201


def test_unreadable_files_are_skipped_and_reported(scene):
    scene.allow()
    scene.album.put("words.jpg", b"these are words and no picture\n" * 50)
    scene.album.put("empty.jpg", b"")
    locked = scene.album.put("locked.jpg", jpeg(day(41), b"locked"))
    locked.chmod(0)
    scene.album.add(42, "fine.jpg")
    wait_for(lambda: "fine.jpg" in scene.app.names(), "the good picture")
    names = set(scene.app.names())
    assert names == {*scene.pictures, "fine.jpg"}, names
    # Pictures appear during a scan; the skipped files are known at its end.
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 3, "the skipped files to be reported")
    reported = {file["path"] for file in scene.owner.library(scene.library)["skippedFiles"]}
    assert reported == {"words.jpg", "empty.jpg", "locked.jpg"}
    scene.album.add(43, "words.jpg")
    wait_for(lambda: "words.jpg" in scene.app.names(), "the file that is a photo now")
