"""Records of the app descriptions that a person agreed to, kept when the description changes."""

import json

import pytest

from house.agreements import agreement, answer_request, introduce_again
from house.backups import backup, copy_of, maintain, put_back
from house.person import wait_for

pytestmark = pytest.mark.library("shared")

READ = "Shows the photos that you choose."


def test_R28_R131_an_answer_keeps_the_words_that_were_shown(scene):
    introduce_again(scene, localizations={"de": {"NSPhotoLibraryUsageDescription": "Zeigt Ihre Fotos."}})
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()
    scene.owner.answer(prompt, "select", selector={"last": 2}, language="de-AT,en")
    assert scene.app.hear_request() == "limited"
    decision, agreed = scene.owner.newest_decision(library=scene.library), agreement(scene)
    words = decision["words"]
    assert (words["usageDescription"], words["language"]) == ("Zeigt Ihre Fotos.", "de")
    assert (words["identifier"], words["displayName"]) == (prompt["app"]["identifier"], prompt["app"]["displayName"])
    assert (words.get("verifiedIdentity"), words.get("executable")) == (
        prompt["app"].get("verifiedIdentity"),
        prompt["app"].get("executable"),
    )
    assert (
        agreed["words"] == words
        and agreed["actor"] == scene.owner.uid
        and not agreed["changed"]
        and not agreed.get("present")
    )
    assert prompt["asked"] < agreed["time"] <= decision["time"]
    introduce_again(scene, name="Bank", localizations={"de": {"NSPhotoLibraryUsageDescription": "Schickt alles fort."}})
    later = agreement(scene)
    assert later["words"] == words and later["changed"]
    renamed, kept = scene.owner.call("ListDecisions", library=scene.library, limit=2)["decisions"]
    assert renamed["action"] == "rename" and "words" not in renamed and kept["words"] == words
    assert (later["present"]["displayName"], later["present"]["usageDescription"]) == ("Bank", "Schickt alles fort.")
    # A list of all grants carries only the flag.
    [listed] = scene.owner.call("ListGrants", library=scene.library)["grants"]
    assert (
        listed["agreement"]["changed"]
        and not listed["agreement"].get("words")
        and not listed["agreement"].get("present")
    )


def test_R28_a_level_keeps_its_words_until_it_changes_and_undo_restores_them(scene):
    answer_request(scene, "select", selector={"last": 1})
    agreed = agreement(scene)
    assert agreed["words"]["usageDescription"] == READ and agreed["words"].get("language") is None
    scene.select(0)
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    assert agreement(scene) == agreed and not scene.owner.newest_decision(library=scene.library).get("words")
    [widened] = scene.owner.set(scene.library, scene.app.name, "authorized")["decisions"]
    assert agreement(scene) is None, "nobody was asked about that"
    scene.owner.call("UndoDecision", decision=widened)
    assert agreement(scene) == agreed
    revoked = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["decisions"]
    assert agreement(scene) is None
    scene.broker.restart()
    scene.owner.new_connection()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    scene.owner.call("UndoDecision", decision=revoked[0])
    assert agreement(scene) == agreed


@pytest.mark.library("own")
@pytest.mark.parametrize("selector", [None, {"all": True}])
def test_R8_R28_an_answer_by_rule_has_no_words(scene, selector):
    rule = {
        "library": scene.library,
        "name": "all",
        "uid": scene.app.uid,
        "level": "readWrite",
        "answer": "select" if selector else "allow",
    }
    scene.owner.call("Apply", rules=[{**rule, **({"select": [selector]} if selector else {})}])
    assert scene.app.request() == ("limited" if selector else "authorized")
    assert agreement(scene) is None and not scene.owner.newest_decision(library=scene.library).get("words")


def test_R28_R130_administrators_see_the_words_but_strangers_and_apps_do_not(scene):
    answer_request(scene)
    root, stranger = scene.broker.owner(uid=0), scene.broker.owner()
    assert (
        agreement(scene, root) == agreement(scene)
        and root.newest_decision(library=scene.library)["words"]
        == scene.owner.newest_decision(library=scene.library)["words"]
    )
    assert stranger.call("ListDecisions")["decisions"] == [] and stranger.call("ListGrants")["grants"] == []
    assert READ not in json.dumps(
        [
            scene.app.call("DescribeAccess", level="readWrite"),
            scene.app.call("GetAuthorizationStatus", level="readWrite"),
        ]
    )


@pytest.mark.library("own")
def test_R28_R131_a_decision_keeps_the_words_of_a_removed_app(scene):
    scene.take_additions()
    answer_request(scene, level="addOnly")
    words = scene.owner.newest_decision(library=scene.library)["words"]
    assert words["usageDescription"] == "Saves pictures of its own."
    scene.owner.call("RemoveApp", app=scene.app.name)
    kept = [d for d in scene.owner.call("ListDecisions", library=scene.library)["decisions"] if d.get("words")]
    assert [(d["words"], d["removed"]) for d in kept] == [(words, True)]


def test_R28_R144_a_restore_brings_back_the_words_of_a_backup(own_scene):
    scene, broker = own_scene, own_scene.broker
    answer_request(scene)
    agreed, decision = agreement(scene), scene.owner.newest_decision(library=scene.library)
    path = backup(broker)
    introduce_again(scene, NSPhotoLibraryUsageDescription="Uploads everything.")
    broker.stop()
    maintain(broker, "restore", path)
    broker.start()
    scene.owner.new_connection()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    assert agreement(scene) == agreed
    decisions = scene.owner.call("ListDecisions", library=scene.library)["decisions"]
    assert [d["words"] for d in decisions if d["decision"] == decision["decision"]] == [decision["words"]]


def test_R28_R144_grants_paused_by_a_restore_show_their_words(own_scene):
    scene = own_scene
    answer_request(scene)
    agreed = agreement(scene)
    copy = copy_of(scene.broker.state, f"agreed-{scene.owner.uid}")
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    wait_for(lambda: agreement(scene) is None, "the revocation")
    scene.broker.kill()
    put_back(scene.broker.state, copy, "database")
    scene.broker.start()
    scene.owner.new_connection()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    assert scene.owner.grant(scene.library, scene.app.name)["paused"] and agreement(scene) == agreed


def test_R28_the_command_line_shows_the_words_of_an_answer(scene):
    owner = scene.owner
    hostile = "Shows\nthem “all” \\ שלום. " + "A" * 1_900
    introduce_again(scene, NSPhotoLibraryUsageDescription=hostile)
    scene.app.begin_request()
    prompt = owner.wait_for_prompt()["prompt"]
    scene.broker.photobroker(owner.uid, "request", "answer", prompt, "allow")
    assert scene.app.hear_request() == "authorized"
    # Its quotation marks become others, so that it cannot end the quotation.
    shown = hostile.replace("\\", "\\\\").replace("\n", "\\u{a}").replace("“", '"').replace("”", '"')
    lines = scene.broker.photobroker(owner.uid, "grant", "show", scene.library, scene.app.name).stdout.splitlines()
    assert "you said yes on" in lines[-1] and lines[-1].endswith(f"“{shown}”")
    assert any(
        line.endswith(f"“{shown}”")
        for line in scene.broker.photobroker(owner.uid, "decisions", scene.library).stdout.splitlines()
    )
    document = json.loads(
        scene.broker.photobroker(owner.uid, "grant", "show", scene.library, scene.app.name, "--json").stdout
    )
    assert document["grants"][0]["agreement"]["words"]["usageDescription"] == hostile
    introduce_again(scene, NSPhotoLibraryUsageDescription="Uploads everything.")
    lines = scene.broker.photobroker(owner.uid, "grant", "show", scene.library, scene.app.name).stdout.splitlines()
    assert lines[-2].endswith(f"“{shown}”") and lines[-1].endswith("“Uploads everything.”")
