"""Hidden and never-share marks follow a file: out of a pair, into another photo, between
folders."""

import base64
import os

import pytest

from house.broker import BROKER, Broker
from house.pictures import day, jpeg
from house.scene import Scene

MARKS = [{"neverShare": True}, {"hidden": True}]


def make_folder(scene, name):
    made = scene.album.folder / name
    made.mkdir()
    os.chown(made, scene.owner.uid, BROKER)
    made.chmod(0o750)


def put(scene, name):
    data = jpeg(day(9), note=name.encode())
    scene.album.put(name, data)
    return data


def marked(scene, mark):
    return {a["path"] for a in scene.owner.assets(scene.library) if a.get(next(iter(mark)))}


def start_again(scene):
    """Restart the broker, and have the app request its grant again."""
    scene.broker.start()
    for person in scene.broker.people:
        person.new_connection()
    scene.app.introduce()
    scene.app.request()


def move(scene, here, there, stopped):
    if stopped:
        scene.broker.stop()
    os.rename(scene.album.folder / here, scene.album.folder / there)
    if stopped:
        start_again(scene)
    scene.owner.wait_for_library(scene.library)
    scene.owner.rescan(scene.library)


def reads(scene, *secrets):
    """Return which of these bytes the app can read, by any role of any visible asset."""

    def data(asset, role):
        return base64.b64decode(scene.app.call("ReadBytes", asset=asset, role=role, offset=0, length=100_000)["data"])

    return [
        (asset["filename"], resource["role"])
        for asset in scene.app.fetch()
        for resource in scene.app.call("GetResources", asset=asset["localIdentifier"])["resources"]
        if data(asset["localIdentifier"], resource["role"]) in secrets
    ]


@pytest.mark.parametrize("stopped", [False, True])
@pytest.mark.parametrize("given", MARKS, ids=["never", "hidden"])
@pytest.mark.parametrize(
    "here, there", [("b-edited.jpg", "away/b-edited.jpg"), ("b.jpg", "c.jpg"), ("b-edited.jpg", "other.jpg")]
)
def test_R13_R95_a_file_that_leaves_a_withheld_photo_is_withheld(own_scene, here, there, given, stopped):
    scene = own_scene
    secrets = [put(scene, "b.jpg"), put(scene, "b-edited.jpg")]
    make_folder(scene, "away")
    scene.owner.wait_for_library(scene.library, 7)
    scene.allow()
    scene.mark("b.jpg", **given)
    move(scene, here, there, stopped)
    assert marked(scene, given) == {there, "b-edited.jpg" if here == "b.jpg" else "b.jpg"}
    assert scene.owner.library(scene.library)["assets"] == 8
    assert reads(scene, *secrets) == [] and sorted(scene.app.names()) == scene.pictures


@pytest.mark.parametrize("given", MARKS, ids=["never", "hidden"])
def test_R13_a_temporarily_missing_file_returns_unchanged(own_scene, given):
    """A scan misses it, the broker restarts, and another scan finds it elsewhere."""
    scene = own_scene
    secrets = [put(scene, "b.jpg"), put(scene, "b-edited.jpg"), put(scene, "alone.jpg")]
    make_folder(scene, "back")
    scene.owner.wait_for_library(scene.library, 8)
    scene.allow()
    scene.mark("b.jpg", "alone.jpg", **given)
    for name in ("b-edited.jpg", "alone.jpg"):
        move(scene, name, f"../{scene.library}-{name}", stopped=False)
    scene.owner.wait_for_library(scene.library, 7)
    for name in ("b-edited.jpg", "alone.jpg"):
        move(scene, f"../{scene.library}-{name}", f"back/{name}", stopped=True)
    assert marked(scene, given) == {"b.jpg", "back/b-edited.jpg", "back/alone.jpg"}
    assert reads(scene, *secrets) == [] and sorted(scene.app.names()) == scene.pictures


@pytest.mark.parametrize("stopped", [False, True])
@pytest.mark.parametrize("given", MARKS, ids=["never", "hidden"])
def test_R13_a_withheld_file_stays_withheld_as_part_of_another_photo(own_scene, given, stopped):
    scene = own_scene
    put(scene, "b.jpg")
    secret = put(scene, "secret.jpg")
    scene.owner.wait_for_library(scene.library, 8)
    scene.allow()
    scene.app.observe()
    scene.mark("secret.jpg", **given)
    move(scene, "secret.jpg", "b-edited.jpg", stopped)
    assert marked(scene, given) == {"b.jpg"}
    assert reads(scene, secret) == [] and sorted(scene.app.names()) == scene.pictures
    scene.mark("b.jpg", **{name: False for name in given})
    scene.owner.rescan(scene.library)
    assert reads(scene, secret), "its owner gives it back"


MANY = 1_300


@pytest.fixture(scope="module")
def many(house):
    """A library with a folder of so many photos that are never shared."""
    broker = Broker(house, name=f"own-{house.fresh_uid()}").start()
    scene = Scene(broker, 6)
    make_folder(scene, "private")
    for number in range(MANY):
        scene.album.put(f"private/{number:04}.jpg", jpeg(day(number % 300), note=b"%d" % number))
    scene.owner.rescan(scene.library)
    scene.owner.wait_for_library(scene.library, 6 + MANY, 120)
    scene.allow()
    broker.photobroker(scene.owner.uid, "asset", "mark", scene.library, "--glob", "private/**", "--never-share")
    yield scene
    broker.end()


@pytest.mark.parametrize("how", ["moved", "stopped", "ignored"])
def test_R13_any_number_of_temporarily_missing_files_returns_unchanged(many, how):
    scene = many
    assert sorted(scene.app.names()) == scene.pictures
    here, away = scene.album.folder / "private", scene.house.folder / f"away-{scene.owner.uid}"
    if how == "ignored":
        scene.owner.call("SetUpLibrary", name=scene.library, options={"ignore": "private"})
    else:
        if how == "stopped":
            scene.broker.stop()
        os.rename(here, away)
        if how == "stopped":
            scene.broker.start()
            scene.owner.new_connection()
    scene.owner.wait_for_library(scene.library, 6, 120)
    if how == "stopped":
        scene.broker.restart()
        for person in scene.broker.people:
            person.new_connection()
        scene.app.introduce()
        scene.app.request()
    if how == "ignored":
        scene.owner.call("SetUpLibrary", name=scene.library, options={"ignore": ""})
    else:
        os.rename(away, here)
    scene.owner.wait_for_library(scene.library, 6 + MANY, 120)
    assert len(marked(scene, {"neverShare": True})) == MANY
    assert sorted(scene.app.names()) == scene.pictures


def keep_beside(file, new, gone):
    os.rename(file, file.with_name("old-" + file.name))
    os.rename(new, file)


def keep_in_folder(file, new, gone):
    os.rename(file, file.parent / "originals" / file.name)
    os.rename(new, file)


def write_anew(file, new, gone):
    os.unlink(file)
    gone()
    os.rename(new, file)


@pytest.mark.parametrize("stopped", [False, True])
@pytest.mark.parametrize("given", MARKS, ids=["never", "hidden"])
@pytest.mark.parametrize(
    "save, kept", [(keep_beside, "old-b.jpg"), (keep_in_folder, "originals/b.jpg"), (write_anew, None)]
)
def test_R13_a_file_saved_over_a_withheld_one_is_withheld(own_scene, save, kept, given, stopped):
    scene = own_scene
    put(scene, "b.jpg")
    make_folder(scene, "originals")
    scene.owner.wait_for_library(scene.library, 7)
    scene.allow()
    scene.mark("b.jpg", **given)
    new = scene.house.folder / f"new-{scene.owner.uid}"
    new.write_bytes(jpeg(day(9), note=b"another version", width=96, height=64))
    os.chown(new, scene.owner.uid, BROKER)
    new.chmod(0o640)
    if stopped:
        scene.broker.stop()
    # A broker that runs has seen it go.
    save(scene.album.folder / "b.jpg", new, lambda: stopped or scene.owner.wait_for_library(scene.library, 6))
    if stopped:
        start_again(scene)
    scene.owner.wait_for_library(scene.library, 8 if kept else 7)
    scene.owner.rescan(scene.library)
    assert marked(scene, given) == {"b.jpg", kept} - {None}
    assert sorted(scene.app.names()) == scene.pictures
    scene.mark("b.jpg", **{name: False for name in given})
    assert "b.jpg" in scene.app.names()
