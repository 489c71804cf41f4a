"""Backup and restore of the whole state."""

import contextlib
import json
import os
import sqlite3

import pytest
from house.backups import backup, maintain
from house.broker import BROKER
from house.person import wait_for
from house.pictures import day, jpeg


def test_R144_a_restore_brings_back_no_revoked_grant(own_scene):
    scene, broker = own_scene, own_scene.broker
    scene.limit(0, 1)
    token = scene.app.token
    path = backup(broker)
    assert path.stat().st_mode & 0o777 == 0o600
    assert len(scene.app.names()) == 2
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    broker.stop()
    maintain(broker, "restore", path)
    broker.start()
    owner = broker.owner(uid=scene.owner.uid)
    grants = owner.call("ListGrants")["grants"]
    assert [grant["paused"] for grant in grants] == [True], "the selection is back, and nobody sees it"
    assert [(grant["source"], grant["origin"]) for grant in grants] == [("restore", "rule")], "and it says why"
    assert "restore" in broker.photobroker(owner.uid, "grant", "list").stdout
    again = broker.app(uid=scene.app.uid)
    assert again.refusal("Attach", token=token).error == "TokenRefused", (
        "what was revoked after the backup opens nothing"
    )


def test_R13_R144_a_missing_photo_marked_since_the_backup_stays_marked_when_it_returns(own_scene):
    scene, broker = own_scene, own_scene.broker
    path = backup(broker)
    names = [scene.name(1), scene.name(2)]
    scene.owner.call(
        "MarkAssets", library=scene.library, selector=scene.owner.naming(scene.library, names), neverShare=True
    )
    away = {name: scene.house.folder / f"away-{scene.owner.uid}-{name}" for name in names}
    for name in names:
        os.rename(scene.album.folder / name, away[name])
    scene.owner.wait_for_library(scene.library, len(scene.pictures) - 2)
    broker.stop()
    assert "stay so: 2." in maintain(broker, "restore", path).stdout
    # The first file is back before any scan, the second after a scan that misses it.
    os.rename(away[names[0]], scene.album.folder / names[0])
    broker.start()
    owner = broker.owner(uid=scene.owner.uid)
    owner.wait_for_library(scene.library, len(scene.pictures) - 1)
    os.rename(away[names[1]], scene.album.folder / names[1])
    owner.wait_for_library(scene.library, len(scene.pictures))
    assert {a["path"] for a in owner.assets(scene.library) if a["neverShare"]} == set(names)


@pytest.mark.parametrize("marked", ["before the backup", "since"])
def test_R13_R144_a_marked_photo_saved_anew_and_renamed_since_stays_marked(own_scene, marked):
    scene, broker = own_scene, own_scene.broker
    secret = scene.album.folder / scene.name(2)

    def mark():
        scene.owner.call(
            "MarkAssets",
            library=scene.library,
            selector=scene.owner.naming(scene.library, [secret.name]),
            neverShare=True,
        )

    if marked == "before the backup":
        mark()
    path = backup(broker)
    if marked == "since":
        mark()
    scene.album.put(secret.name, jpeg(day(9), note=b"edited", width=96, height=64))
    scene.owner.rescan(scene.library)
    renamed = scene.album.folder / "renamed.jpg"
    secret.rename(renamed)
    scene.owner.rescan(scene.library)
    assert [a["path"] for a in scene.owner.assets(scene.library) if a["neverShare"]] == [renamed.name]
    broker.stop()
    maintain(broker, "restore", path)
    broker.start()
    owner = broker.owner(uid=scene.owner.uid)
    owner.wait_for_library(scene.library, len(scene.pictures))
    assert [a["path"] for a in owner.assets(scene.library) if a["neverShare"]] == [renamed.name]


def test_R13_R144_revocations_and_marks_since_the_backup_stay(own_scene):
    scene, broker = own_scene, own_scene.broker
    owner, root = scene.owner, broker.owner(uid=0)
    owner.call("ShareOriginals", name=scene.library, share=True)
    root.call("SetAdministrators", administrators=[scene.app.uid])
    scene.allow()
    path = backup(broker)
    owner.call(
        "MarkAssets", library=scene.library, selector=owner.naming(scene.library, [scene.name(2)]), neverShare=True
    )
    broker.stop()
    told = maintain(broker, "restore", path).stdout
    assert "stay so: 1." in told and "administrators" in told
    broker.start()
    scene.owner = owner = broker.owner(uid=scene.owner.uid)
    root = broker.owner(uid=0)
    library = owner.library(scene.library)
    assert library["offeredTo"] == [owner.uid] and not library["sharesOriginals"]
    assert root.call("ListAdministrators")["named"] == []
    # The owner undoes the restore's decisions. The marks are known, so no decision is about them.
    decisions = {
        d["action"]: d["decision"]
        for d in owner.call("ListDecisions", library=scene.library)["decisions"]
        if d["source"] == "restore"
    }
    assert set(decisions) == {"pause", "offer", "originals", "deletions"}
    assert library["appsDelete"] is False
    for action in ("offer", "originals", "deletions"):
        owner.call("UndoDecision", decision=decisions[action])
    owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    app = broker.app(uid=scene.app.uid)
    app.introduce("org.example.new")
    scene.allow(app)
    assert set(app.names()) == set(scene.pictures) - {scene.name(2)}
    library = owner.library(scene.library)
    assert (
        set(library["offeredTo"]) == {owner.uid, scene.app.uid} and library["sharesOriginals"] and library["appsDelete"]
    )


def test_R13_R127_R144_a_newer_never_share_photo_and_a_declined_library_stay_so(own_scene):
    scene, broker = own_scene, own_scene.broker
    scene.allow()
    path = backup(broker)
    scene.album.add(50, "secret.jpg")
    owner = scene.owner
    owner.rescan(scene.library)
    owner.call(
        "MarkAssets", library=scene.library, selector=owner.naming(scene.library, ["secret.jpg"]), neverShare=True
    )
    user = broker.owner(uid=scene.app.uid)
    user.call("AnswerOffer", library=scene.library, accept=False)
    broker.stop()
    told = maintain(broker, "restore", path).stdout
    assert "never shared since stay so: 1." in told
    broker.start()
    scene.owner = owner = broker.owner(uid=scene.owner.uid)
    owner.rescan(scene.library)
    owner.is_trusted = False
    owner.call("OfferLibrary", name=scene.library, add=[scene.app.uid])
    user = broker.owner(uid=scene.app.uid)
    assert [offer["declined"] for offer in user.call("ListOffers")["offers"]] == [True]
    user.call("AnswerOffer", library=scene.library, accept=True)
    app = broker.app(uid=scene.app.uid)
    app.introduce("org.example.new")
    scene.allow(app)
    assert set(app.names()) == set(scene.pictures)
    assert [a["filename"] for a in owner.assets(scene.library) if a["neverShare"]] == ["secret.jpg"]


def test_R13_R144_an_unreadable_replaced_state_keeps_grants_paused_until_marks_are_confirmed(
    own_scene,
):
    scene, broker = own_scene, own_scene.broker
    scene.allow()
    path = backup(broker)
    marking = {"selector": scene.owner.naming(scene.library, [scene.name(2)]), "neverShare": True}
    scene.owner.call("MarkAssets", library=scene.library, **marking)
    broker.stop()
    (broker.state / "state.db").write_bytes(b"no database")
    assert "hidden or marked as never shared after the backup are not known" in maintain(broker, "restore", path).stdout
    broker.start()
    owner = broker.owner(uid=scene.owner.uid)
    owner.wait_for_library(scene.library, len(scene.pictures))
    resuming = {"library": scene.library, "app": scene.app.name, "paused": False}
    assert "photobroker decisions" in owner.refusal("PauseGrant", **resuming).parameters["message"]
    marking["selector"] = owner.naming(scene.library, [scene.name(2)])
    owner.call("MarkAssets", library=scene.library, **marking)
    decisions = owner.call("ListDecisions", library=scene.library)["decisions"]
    note = next(d for d in decisions if d["action"] == "mark" and d["source"] == "restore")
    broker.photobroker(owner.uid, "--yes", "undo", note["decision"])
    owner.call("PauseGrant", **resuming)
    assert [grant["paused"] for grant in owner.call("ListGrants")["grants"]] == [False]


@pytest.mark.parametrize("times", [1, 2])
def test_R17_R132_R144_a_restore_keeps_apps_known_by_token_except_removed_ones(own_scene, times):
    scene, broker = own_scene, own_scene.broker
    scene.allow()
    gone = broker.app(uid=scene.app.uid)
    gone.introduce("org.example.gone")
    scene.allow(gone)
    path = backup(broker)
    owner = scene.owner
    owner.call("RemoveApp", app=gone.name)
    broker.stop()
    for _ in range(times):
        maintain(broker, "restore", path)
    broker.start()
    owner = broker.owner(uid=scene.owner.uid)
    offers = [
        d["decision"]
        for d in owner.call("ListDecisions", library=scene.library)["decisions"]
        if d["action"] == "offer" and d["source"] == "restore"
    ]
    owner.call("UndoDecision", decision=offers[0])
    app = broker.app(uid=scene.app.uid)
    refusal = app.refusal("Attach", token=scene.app.token)
    assert refusal.name.endswith("TokenRefused") and "introduce it anew" in refusal.parameters["message"]
    app.call("Attach", token=scene.app.own_token)
    assert app.refusal("Attach", token=gone.own_token).name.endswith("TokenRefused")
    owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    app.own_token = scene.app.own_token
    assert app.request() == "authorized"
    assert set(app.names()) == set(scene.pictures) and not owner.prompts()


def test_removing_a_library_reports_the_contents_of_its_trash(scene):
    os.chmod(scene.album.folder, 0o770)
    scene.allow()
    scene.app.call(
        "PerformChanges", changes=[{"kind": "delete", "assets": [a["localIdentifier"] for a in scene.app.fetch()[:2]]}]
    )
    wait_for(lambda: scene.owner.library(scene.library)["awaitingTrash"] == 0, "the files to be moved")
    told = scene.broker.photobroker(scene.owner.uid, "--yes", "library", "remove", scene.library).stdout
    assert "2 deleted photos" in told and "trash" in told


def test_R144_a_restore_without_a_revocation_since_changes_nothing(own_scene):
    scene, broker = own_scene, own_scene.broker
    scene.limit(0, 1)
    token = scene.app.token
    path = backup(broker)
    broker.stop()
    maintain(broker, "restore", path, uid=0)
    assert {p.stat().st_uid for p in broker.state.iterdir()} == {BROKER}, "what root restores is the broker's"
    broker.start()
    again = broker.app(uid=scene.app.uid)
    again.call("Attach", token=token)
    assert len(again.call("FetchAssets")["assets"]) == 2


def test_R130_only_root_and_the_brokers_user_back_up_the_state(own_scene):
    scene, broker = own_scene, own_scene.broker
    folder = broker.house.make_folder("mine", scene.owner.uid)
    result = broker.photobroker(scene.owner.uid, "backup", folder / "state", expect=77)
    assert "sudo" in result.stderr
    assert os.listdir(folder) == [], "nothing is left of what was refused"


def test_a_running_broker_is_not_restored_and_a_backup_overwrites_no_file(own_scene):
    broker = own_scene.broker
    path = backup(broker)
    before = path.read_bytes()
    broker.photobroker(BROKER, "backup", path, expect=73)
    assert path.read_bytes() == before
    result = maintain(broker, "restore", path, expect=1)
    assert "in use" in result.stderr
    assert "in use" in json.loads(maintain(broker, "restore", path, "--json", expect=1).stderr)["message"]
    # The state counts as in use even without its lock file.
    (broker.state / "lock").unlink()
    assert "in use" in maintain(broker, "restore", path, expect=1).stderr
    own_scene.limit(0)
    assert own_scene.app.names() == [own_scene.pictures[0]], "it goes on"


@pytest.mark.parametrize("step", [-1, 1], ids=["older", "newer"])
def test_R145_a_state_of_another_version_is_refused_by_name_and_kept(own_scene, step):
    scene, broker = own_scene, own_scene.broker
    scene.limit(0)
    path = backup(broker)
    broker.stop()
    database = sqlite3.connect(broker.state / "state.db")
    (version,) = database.execute("PRAGMA user_version").fetchone()
    database.execute(f"PRAGMA user_version = {version + step}")
    database.close()
    before = (broker.state / "state.db").read_bytes()
    # Its sockets may exist for a moment before it reads the state.
    with contextlib.suppress(AssertionError):
        broker.start()
    assert broker.process.wait(20) == 78, "the unit does not start it again"
    assert f"The state has version {version + step}, and this broker reads version {version} only" in broker.log
    assert ("empty state folder" if step < 0 else "Install the newer broker") in broker.log
    assert f"restore a backup of version {version}" in broker.log.replace("Restore", "restore")
    assert (broker.state / "state.db").read_bytes() == before
    refused = maintain(broker, "restore", broker.state / "state.db", expect=1).stderr
    assert f"The backup has version {version + step}" in refused and "Nothing was changed" in refused
    said = maintain(broker, "restore", path).stdout
    assert "marked as never shared after the backup are not known" in said
    broker.start()
    again = broker.app(uid=scene.app.uid)
    again.call("Attach", token=scene.app.token)
    assert len(again.call("FetchAssets")["assets"]) == 1


def test_restoring_a_file_that_is_not_a_backup_changes_nothing(own_scene):
    scene, broker = own_scene, own_scene.broker
    scene.limit(0)
    folder = broker.house.make_folder("odd", BROKER)
    (folder / "text").write_text("this is no backup")
    os.chown(folder / "text", BROKER, BROKER)
    broker.stop()
    result = maintain(broker, "restore", folder / "text", expect=1)
    assert "not a backup of the broker" in result.stderr and "The state is unchanged" in result.stderr
    broker.start()
    again = broker.app(uid=scene.app.uid)
    again.call("Attach", token=scene.app.token)
    assert len(again.call("FetchAssets")["assets"]) == 1


def test_R144_a_damaged_backup_is_refused_and_a_missing_digest_is_reported(own_scene):
    scene, broker = own_scene, own_scene.broker
    scene.limit(0)
    path = backup(broker)
    whole = path.read_bytes()
    for offset in (len(whole) // 2, len(whole) - 9):
        path.write_bytes(whole[:offset] + bytes([whole[offset] ^ 1]) + whole[offset + 1 :])
        if broker.process.poll() is None:
            broker.stop()
        assert "damaged" in maintain(broker, "restore", path, expect=1).stderr
    path.write_bytes(whole)
    assert "no digest" not in maintain(broker, "restore", path).stdout
    # A backup without its last line has no digest, like a plain copy of the database.
    path.write_bytes(whole[: len(whole) // 4096 * 4096])
    assert "has no digest" in maintain(broker, "restore", path).stdout
    broker.start()
    again = broker.app(uid=scene.app.uid)
    again.call("Attach", token=scene.app.token)
    assert again.names() == [scene.name(0)]
