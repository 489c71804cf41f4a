"""Revocations after a backup hold after its restore, even without a grant that records them
(R144)."""

import os

import pytest
from house.backups import backup, maintain
from house.pictures import day, jpeg


@pytest.fixture
def house_scene(own_scene):
    scene = own_scene
    scene.limit(0, 1)
    scene.outside = scene.house.make_folder(f"outside-{scene.owner.uid}", scene.owner.uid)
    return scene


def part(scene, name):
    count = len(scene.owner.names(scene.library))
    os.rename(scene.album.folder / name, scene.outside / name)
    scene.owner.wait_for_library(scene.library, count - 1)


def come_back(scene, name):
    count = len(scene.owner.names(scene.library))
    os.rename(scene.outside / name, scene.album.folder / name)
    scene.owner.wait_for_library(scene.library, count + 1)


def restore(scene, path):
    """Restore a backup, and return the command's output."""
    broker = scene.broker
    broker.stop()
    said = maintain(broker, "restore", path).stdout
    broker.start()
    for person in broker.people:
        person.new_connection()
    scene.owner.wait_for_library(scene.library)
    return said


def resume_and_list(scene):
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    # A restore withdraws the library's offers.
    scene.owner.call("OfferLibrary", name=scene.library, add=[scene.app.uid])
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    scene.app.request(library=scene.library)
    return scene.app.names()


def test_R51_R144_a_missing_photo_deselected_since_waits_for_its_owner(house_scene):
    scene, name = house_scene, house_scene.name(0)
    path = backup(scene.broker)
    part(scene, name)
    scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, remove={"glob": name})
    restore(scene, path)
    assert all(grant["paused"] for grant in scene.owner.call("ListGrants", library=scene.library)["grants"])


def test_R51_R144_an_answer_without_the_missing_photo_waits_for_its_owner(house_scene):
    scene, name = house_scene, house_scene.name(0)
    path = backup(scene.broker)
    part(scene, name)
    scene.owner.show_requests()
    scene.app.begin("PresentLimitedLibraryPicker")
    scene.owner.answer(
        scene.owner.wait_for_prompt("selection"), "select", selector=scene.owner.naming(scene.library, [scene.name(1)])
    )
    scene.app.hear()
    restore(scene, path)
    assert all(grant["paused"] for grant in scene.owner.call("ListGrants", library=scene.library)["grants"])


@pytest.mark.parametrize("when", ["before", "while", "after"])
@pytest.mark.parametrize("is_back", [False, True])
def test_R13_R144_a_photo_marked_while_missing_stays_marked(house_scene, when, is_back):
    """The backup is from before the photo went, or from its absence; or the photo came after it."""
    scene, owner, name = house_scene, house_scene.owner, house_scene.name(0)
    path = backup(scene.broker) if when != "while" else None
    if when == "after":
        name = "came-since.jpg"
        scene.album.put(name, jpeg(day(9), note=b"since"))
        owner.wait_for_library(scene.library, len(scene.pictures) + 1)
    for never_share in (True, False):
        owner.call("MarkAssets", library=scene.library, selector={"filename": name}, neverShare=never_share)
    unmarked = next(d for d in owner.call("ListDecisions", library=scene.library)["decisions"] if d["action"] == "mark")
    part(scene, name)
    path = path or backup(scene.broker)
    owner.call("UndoDecision", decision=unmarked["decision"])
    if is_back:
        come_back(scene, name)
        part(scene, name)
    assert "stay so: 1." in restore(scene, path)
    assert name not in resume_and_list(scene)
    come_back(scene, name)
    assert [a["filename"] for a in owner.assets(scene.library) if a["neverShare"]] == [name]
    assert name not in scene.app.names()


@pytest.mark.parametrize("who", ["app", "root"])
def test_R4_R144_a_revoked_token_no_longer_identifies_its_app(house_scene, who):
    scene, broker = house_scene, house_scene.broker
    stolen = scene.app.own_token
    path = backup(broker)
    uid = {"app": scene.app.uid, "root": 0}[who]
    own = [t for t in broker.owner(uid=uid).call("ListTokens")["tokens"] if not t.get("library")]
    broker.photobroker(uid, "--yes", "token", "revoke", own[0]["accessor"])
    restore(scene, path)
    assert all(grant["paused"] for grant in scene.owner.call("ListGrants", library=scene.library)["grants"])
    assert scene.app.refusal("Attach", token=stolen).error == "TokenRefused"


def test_R144_a_removed_librarys_rules_give_nothing(own_scene):
    scene = own_scene
    rule = {"library": scene.library, "name": "gives", "uid": scene.app.uid, "level": "readWrite", "answer": "allow"}
    scene.owner.call("Apply", rules=[rule])
    path = backup(scene.broker)
    scene.owner.call("RemoveLibrary", name=scene.library)
    restore(scene, path)
    assert scene.owner.call("ListRules", library=scene.library)["rules"] == []


def test_R17_R144_a_removed_app_without_access_is_not_recognized_again(own_scene):
    scene = own_scene
    token = scene.app.own_token
    path = backup(scene.broker)
    scene.broker.owner(uid=scene.app.uid).call("RemoveApp", app=scene.app.name)
    restore(scene, path)
    assert scene.app.refusal("Attach", token=token).error == "TokenRefused"
