"""The owner's switch for deletions by apps; by default an app that edits may delete."""

import base64
import os

import pytest

from house.person import Refused, wait_for
from house.pictures import day, jpeg
from house.scene import Scene

MESSAGE = (
    "The owner of this library lets no app delete photos; hide them in your own list, or ask the owner to delete them."
)
ABSENT = "0" * 31 + "1"


@pytest.fixture
def scene(own_broker):
    """An app with full access and a limited app with two photos; each added one."""

    scene = Scene(own_broker, 6)
    os.chmod(scene.album.folder, 0o770)
    scene.let_broker_add()
    scene.allow()
    scene.limited = own_broker.app(uid=scene.app.uid)
    scene.limited.introduce("org.example.limited")
    scene.limit(0, 1, app=scene.limited)
    for number, app in enumerate((scene.app, scene.limited)):
        picture = base64.b64encode(jpeg(day(40 + number), b"own %d" % number)).decode()
        app.added = app.call("AddAsset", filename=f"own-{number}.jpg", contents=picture)["localIdentifier"]
    scene.owner.wait_for_library(scene.library, 8)
    return scene


def deletion(*assets):
    return {"kind": "delete", "assets": list(assets)}


def verbs(app):
    return set(app.call("DescribeAccess", level="readWrite")["verbs"])


def is_refused(app, *changes):
    for dry in (True, False):
        refused = app.refusal("PerformChanges", changes=list(changes), dryRun=dry)
        assert (refused.parameters["code"], refused.reason) == (3300, "changeNotSupported"), dry
        assert refused.parameters["message"] == MESSAGE, "the same, whatever it names"


def allow(scene, allows):
    reply = scene.owner.call("AllowDeletions", name=scene.library, allow=allows)
    assert reply["library"]["appsDelete"] is allows


def test_R131_R142_refused_deletions_stop_running_apps_until_allowed_again(scene):
    scene.let_broker_add()
    scene.owner.rescan(scene.library)
    owner, names = scene.owner, scene.owner.names(scene.library)
    assert owner.library(scene.library)["appsDelete"] is True
    for app in (scene.app, scene.limited):
        assert "delete" in verbs(app)
    allow(scene, False)
    for app in (scene.app, scene.limited):
        one = app.named(scene.name(0))["localIdentifier"]
        is_refused(app, deletion(one))
        is_refused(app, deletion(app.added))
        is_refused(app, deletion(ABSENT))
        is_refused(app, {"kind": "setFavorite", "assets": [one], "favorite": True}, deletion(one))
        assert not app.named(scene.name(0))["isFavorite"], "all or nothing"
        assert "delete" not in verbs(app) and "edit" in verbs(app)
    assert (
        owner.names(scene.library) == names and owner.call("FetchTrashedAssets", library=scene.library)["assets"] == []
    )
    one = scene.app.named(scene.name(0))["localIdentifier"]
    scene.app.call("PerformChanges", changes=[{"kind": "setFavorite", "assets": [one], "favorite": True}])
    assert scene.app.named(scene.name(0))["isFavorite"], "other edits go on"
    album = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}])["createdAlbums"][0]
    scene.app.call("PerformChanges", changes=[{"kind": "deleteAlbum", "album": album}])
    decisions = owner.call("ListDecisions", library=scene.library)["decisions"]
    decision = next(decision for decision in decisions if decision["role"] == "owner")
    assert (decision["action"], decision["before"], decision["after"]) == (
        "deletions",
        "apps delete",
        "apps delete nothing",
    )
    owner.call("UndoDecision", decision=decision["decision"])
    assert owner.library(scene.library)["appsDelete"] is True
    for app in (scene.app, scene.limited):
        assert "delete" in verbs(app)
        app.call("PerformChanges", changes=[deletion(app.added)])
    wait_for(lambda: owner.library(scene.library)["awaitingTrash"] == 0, "the files to be moved")
    trash = owner.call("FetchTrashedAssets", library=scene.library)["assets"]
    assert {asset["filename"] for asset in trash} == {"own-0.jpg", "own-1.jpg"}


def test_R126_R131_refused_deletions_survive_a_restart_and_only_owners_decide_on_them(scene):
    broker, owner = scene.broker, scene.owner
    scene.app.call("PerformChanges", changes=[deletion(scene.app.added)])
    wait_for(lambda: owner.library(scene.library)["awaitingTrash"] == 0, "the file to be moved")
    said = broker.photobroker(owner.uid, "library", "set", scene.library, "--deletions", "no").stdout
    assert "apps delete no photos" in said
    shown = broker.photobroker(owner.uid, "library", "show", scene.library).stdout
    assert "deletions by apps refused" in " ".join(shown.split())
    broker.restart()
    owner.wait_for_library(scene.library, 7)
    assert owner.library(scene.library)["appsDelete"] is False
    is_refused(scene.app, deletion(scene.app.named(scene.name(1))["localIdentifier"]))
    trash = [asset["identifier"] for asset in owner.call("FetchTrashedAssets", library=scene.library)["assets"]]
    assert owner.call("RestoreAssets", library=scene.library, identifiers=trash) == {"restored": 1}
    with pytest.raises(Refused) as refused:
        broker.owner(0).call("AllowDeletions", name=scene.library, allow=True)
    assert refused.value.error == "NotPermitted"
    said = broker.photobroker(
        owner.uid, "library", "set", scene.library, "--deletions", "yes", "--originals", "yes"
    ).stdout
    assert "apps may delete photos" in said and "the originals too" in said
    scene.app.call("PerformChanges", changes=[deletion(scene.app.named(scene.name(1))["localIdentifier"])])
