"""The check of the record of deliveries."""

import json
import sqlite3

import pytest

from house.backups import backup, maintain
from house.person import wait_for


def edit(scene, *statements):
    """Changes the stored record as a person with the broker's own rights could."""
    scene.broker.stop()
    database = sqlite3.connect(scene.broker.state / "state.db")
    for statement in statements:
        assert database.execute(statement).rowcount > 0, statement
    database.commit()
    database.close()
    scene.broker.start()
    owner = scene.broker.owner(uid=scene.owner.uid)
    owner.wait_for_library(scene.library)
    return owner


def deliver(scene, count=3):
    scene.limit(*range(count))
    for number in range(count):
        scene.app.digest(scene.app.named(scene.pictures[number])["localIdentifier"])


def test_R156_a_whole_record_is_called_whole(own_scene):
    scene = own_scene
    deliver(scene)
    reply = scene.owner.call("VerifyLedger", library=scene.library)
    assert reply["intact"] and reply["entries"] >= 6 and "damagedAt" not in reply
    said = scene.broker.photobroker(scene.owner.uid, "log", scene.library, "--verify").stdout
    assert said == f"The record of {scene.library} is whole: {reply['entries']} entries.\n"
    owner = edit(scene, "UPDATE libraries SET name = name")
    assert owner.call("VerifyLedger", library=scene.library) == reply
    assert "problem" not in owner.library(scene.library)


def test_R144_R156_a_restored_record_is_whole_and_goes_on(own_scene):
    scene = own_scene
    deliver(scene)
    before = scene.owner.call("VerifyLedger", library=scene.library)
    copy = backup(scene.broker)
    scene.app.digest(scene.app.named(scene.pictures[0])["localIdentifier"])
    scene.broker.stop()
    maintain(scene.broker, "restore", copy)
    scene.broker.start()
    owner = scene.broker.owner(uid=scene.owner.uid)
    owner.wait_for_library(scene.library)
    restored = owner.call("VerifyLedger", library=scene.library)
    assert restored["intact"] and restored["entries"] >= before["entries"]
    said = scene.broker.photobroker(scene.owner.uid, "log", scene.library, "--verify").stdout
    assert said == f"The record of {scene.library} is whole: {restored['entries']} entries.\n"
    # Restored access waits for its owner; what follows continues the record.
    owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    app = scene.broker.app(uid=scene.app.uid)
    app.name, app.own_token = scene.app.name, scene.app.own_token
    app.use(app.own_token)
    assert app.request() == "limited"
    app.digest(app.named(scene.pictures[0])["localIdentifier"])
    later = owner.call("VerifyLedger", library=scene.library)
    assert later["intact"] and later["entries"] > restored["entries"]


@pytest.mark.parametrize(
    "statements",
    [
        ["DELETE FROM ledger_blocks WHERE first = (SELECT min(first) FROM ledger_blocks)"],
        ["DELETE FROM ledger_blocks WHERE first = (SELECT max(first) FROM ledger_blocks)"],
        ["DELETE FROM ledger_blocks", "DELETE FROM ledgers"],
        ["UPDATE ledger_blocks SET entries = zeroblob(length(entries))"],
    ],
    ids=["the first", "the last", "all", "edited"],
)
def test_R156_a_changed_record_is_reported_at_the_start_and_never_called_empty(own_scene, statements):
    scene = own_scene
    deliver(scene)
    owner = edit(scene, *statements)
    wait_for(lambda: owner.library(scene.library).get("problem"), "the problem")
    library = owner.library(scene.library)
    assert library["problemReason"]["code"] == "ledgerDamaged" and library["state"] == "online"
    assert "a ledger is damaged library=" + scene.library in scene.broker.log
    reply = owner.call("VerifyLedger", library=scene.library)
    assert not reply["intact"] and reply["damagedAt"] >= 1 and "entries" not in reply
    assert owner.call("ReadLedger", library=scene.library)["damaged"]
    listed = scene.broker.photobroker(scene.owner.uid, "log", scene.library)
    assert "changed or cut" in listed.stdout and "No app received anything" not in listed.stdout
    checked = scene.broker.photobroker(scene.owner.uid, "log", scene.library, "--verify", "--json", expect=74)
    assert json.loads(checked.stdout)["intact"] is False
    # Later deliveries are recorded, and do not mend it.
    app = scene.broker.app(uid=scene.app.uid)
    app.call("Attach", token=scene.app.token)
    app.digest(app.named(scene.pictures[0])["localIdentifier"])
    assert not owner.call("VerifyLedger", library=scene.library)["intact"]
    assert owner.call("ReadLedger", library=scene.library)["entries"]


def test_R156_an_administrator_who_sees_no_photos_verifies_no_record(own_scene):
    scene = own_scene
    stranger = scene.broker.owner()
    assert stranger.refusal("VerifyLedger", library=scene.library).error == "NotFound"
