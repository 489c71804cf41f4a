"""R131 for decisions about whole libraries, their rules, and the broker: recorded, and undone."""

import json
import os
import sqlite3

import pytest

from house.broker import BROKER
from house.person import Refused, wait_for
from house.terminal import run_on_terminal


pytestmark = pytest.mark.library("shared")


def is_offered(scene):
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    return scene.library in scene.app.call("ListLibraries")["libraries"]


def test_R127_R131_an_offer_is_undone(own_scene):
    scene = own_scene
    scene.limit(0)
    before = scene.owner.library(scene.library)["offeredTo"]
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    offered = scene.owner.newest_decision(library=scene.library)
    assert (offered["action"], offered["undoable"]) == ("offer", True) and str(scene.app.uid) in offered["before"]
    assert str(scene.app.uid) not in offered["after"] and not is_offered(scene)
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    reply = scene.owner.call("UndoDecision", decision=offered["decision"])
    assert reply.get("grant") is None, "it is about no single grant"
    undone = scene.owner.newest_decision(library=scene.library)
    assert (undone["action"], undone["undoes"], undone["source"]) == ("undo", offered["decision"], "undo")
    assert scene.owner.library(scene.library)["offeredTo"] == before and is_offered(scene)
    # The grant was kept, so access returns without a prompt.
    assert scene.app.request() == "limited" and scene.app.names() == [scene.pictures[0]]
    refused = scene.owner.refusal("UndoDecision", decision=offered["decision"])
    assert refused.error == "Refused" and "since then" in refused.parameters["message"]
    reason = refused.parameters["reason"]
    assert reason["code"] == "movedOn" and [part["code"] for part in reason["parts"]] == ["offerMoved"], reason
    scene.owner.call("UndoDecision", decision=undone["decision"])
    assert not is_offered(scene)


@pytest.mark.library("own")
def test_R126_R130_R131_a_change_of_co_owners_is_undone(scene):
    partner, root = scene.broker.owner(), scene.broker.owner(0)
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[partner.uid], administratorsSee=True)
    delegated = scene.owner.newest_decision(library=scene.library)
    assert (delegated["action"], delegated["undoable"]) == ("delegate", True)
    scene.broker.accept(partner.uid, scene.library)
    assert partner.library(scene.library) and len(root.assets(scene.library)) == 6
    assert partner.refusal("UndoDecision", decision=delegated["decision"]).error == "NotPermitted", (
        "the first owner's alone"
    )
    result = scene.broker.photobroker(scene.owner.uid, "undo", str(delegated["decision"]))
    assert f"Decision {delegated['decision']} is undone." in result.stdout
    assert partner.library(scene.library) is None
    assert root.refusal("FetchOwnedAssets", library=scene.library).error == "NotPermitted"
    scene.owner.call("UndoDecision", decision=scene.owner.newest_decision(library=scene.library)["decision"])
    assert partner.library(scene.library) and len(root.assets(scene.library)) == 6


@pytest.mark.library("own")
def test_R131_rule_edits_are_undone(scene):
    def rule(answer):
        return {
            "library": scene.library,
            "name": "frames",
            "uid": scene.app.uid,
            "level": "readWrite",
            "answer": answer,
        }

    scene.owner.call("Apply", rules=[rule("deny")])
    scene.owner.call("Apply", rules=[rule("allow")])
    assert scene.owner.call("ListRules", library=scene.library)["rules"][0]["answer"] == "allow"
    scene.owner.call("UndoDecision", decision=scene.owner.newest_decision(library=scene.library)["decision"])
    [kept] = scene.owner.call("ListRules", library=scene.library)["rules"]
    assert kept["answer"] == "deny"
    scene.owner.call("RemoveRule", library=scene.library, name="frames")
    removed = scene.owner.newest_decision(library=scene.library)
    assert removed["undoable"] and scene.owner.call("ListRules", library=scene.library)["rules"] == []
    scene.owner.call("UndoDecision", decision=removed["decision"])
    assert scene.owner.call("ListRules", library=scene.library)["rules"] == [kept], "as it was, author and time too"
    assert scene.app.request() == "denied", "and it answers again"
    assert scene.owner.refusal("UndoDecision", decision=removed["decision"]).error == "Refused"


def test_R131_an_applied_file_is_undone_entry_by_entry(scene):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    everything = {"library": scene.library, "level": "readWrite"}
    scene.owner.call(
        "Apply",
        grants=[
            {**everything, "app": scene.app.name, "status": "limited", "select": [{"last": 2}]},
            {**everything, "app": other.name, "status": "authorized"},
        ],
    )
    assert scene.app.request() == "limited" and len(scene.app.names()) == 2 and other.request() == "authorized"
    applied = scene.owner.call("ListDecisions", library=scene.library, limit=2)["decisions"]
    assert all(d["undoable"] and d["source"] == "file" for d in applied)
    for decision in applied:
        scene.owner.call("UndoDecision", decision=decision["decision"])
    assert scene.app.status() == other.status() == "notDetermined"
    assert [a.refusal("RequestAuthorization", level="readWrite", wait=False).error for a in (scene.app, other)] == [
        "PromptPending"
    ] * 2


def test_R130_R131_naming_administrators_is_recorded_and_undone(own_broker):
    root, steward, owner = own_broker.owner(0), own_broker.owner(), own_broker.owner()
    root.call("SetAdministrators", administrators=[steward.uid])
    named = root.newest_decision()
    assert (named["action"], named["before"], named["after"]) == ("administrators", "nobody", f"users {steward.uid}")
    assert named.get("library") is None and named.get("app") is None and named["undoable"]
    assert steward.newest_decision()["decision"] == named["decision"], "administrators see who made them one"
    assert owner.call("ListDecisions")["decisions"] == [], "owners are told nothing of it"
    assert owner.refusal("UndoDecision", decision=named["decision"]).error == "NotFound"
    assert steward.refusal("UndoDecision", decision=named["decision"]).error == "NotPermitted"
    assert str(named["decision"]) in own_broker.photobroker(0, "decisions").stdout
    own_broker.restart()
    root.new_connection()
    root.call("UndoDecision", decision=named["decision"])
    assert root.call("ListAdministrators")["named"] == []
    steward.new_connection()
    assert steward.refusal("ListAdministrators").error == "NotPermitted"
    undone = json.loads(own_broker.photobroker(0, "decisions", "--json").stdout)["decisions"][0]
    assert (undone["action"], undone["undoes"], undone["after"]) == ("undo", named["decision"], "nobody")


def test_R13_R131_marks_are_recorded_and_undone(own_scene):
    scene = own_scene
    scene.allow()
    scene.app.observe()

    def mark(selector, **marks):
        scene.owner.call("MarkAssets", library=scene.library, selector=selector, **marks)
        return scene.owner.newest_decision(library=scene.library)

    loved = mark({"filename": scene.pictures[5]}, favorite=True)
    assert (loved["before"], loved["after"], loved["undoable"]) == ("1 no favourites", "1 favourites", True)
    hidden = mark({"last": 2}, hidden=True)
    assert (hidden["action"], hidden["before"], hidden["after"], hidden["undoable"]) == (
        "mark",
        "2 shown",
        "2 hidden",
        True,
    )
    assert (hidden["actor"], hidden["role"]) == (scene.owner.uid, "owner") and hidden.get("app") is None
    assert not [p for p in scene.pictures if p in str(hidden)], "no photo is named"
    both = mark({"filename": scene.pictures[0]}, neverShare=True, hidden=True)
    assert (both["before"], both["after"]) == ("1 shown, 1 shareable", "1 hidden, 1 never shared")
    assert mark({"filename": scene.pictures[0]}, neverShare=True)["decision"] == both["decision"], (
        "what changes nothing is none"
    )
    assert set(scene.app.names()) == set(scene.pictures[1:4])
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 6)
    scene.app.new_connection()
    scene.app.observe("again")
    scene.owner.call("UndoDecision", decision=hidden["decision"])
    assert set(scene.app.names()) == set(scene.pictures[1:])
    undone = scene.owner.newest_decision(library=scene.library)
    assert (undone["action"], undone["undoes"], undone["after"]) == ("undo", hidden["decision"], "2 shown")
    # An undo of the undo hides them again, and observers get an event.
    scene.owner.call("UndoDecision", decision=undone["decision"])
    assert set(scene.app.names()) == set(scene.pictures[1:4])
    wait_for(lambda: sum(len(e["removed"]) for e in scene.app.events("again")) == 2, "the event")
    mark({"filename": scene.pictures[0]}, hidden=False)
    refused = scene.owner.refusal("UndoDecision", decision=both["decision"])
    assert refused.error == "Refused" and "marks of these assets were changed" in refused.parameters["message"]
    steward = scene.broker.owner(0)
    assert steward.refusal("UndoDecision", decision=hidden["decision"]).error == "NotPermitted", (
        "an administrator shows nothing"
    )


def undo(owner, decision):
    return owner.call("UndoDecision", decision=decision["decision"])


def refusal(owner, decision):
    refused = owner.refusal("UndoDecision", decision=decision["decision"])
    assert refused.error == "Refused"
    return refused.parameters["message"]


def test_R131_album_edits_are_undone_and_apps_see_it_at_once(own_scene):
    scene = own_scene
    scene.limit(0, 1)
    scene.owner.call(
        "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="shared-read"
    )

    def edit(**fields):
        album = scene.owner.call("EditOwnedAlbum", library=scene.library, **fields).get("album")
        return album and album["album"], scene.owner.newest_decision(library=scene.library)

    def titles():
        return [(a["title"], a["count"]) for a in scene.app.call("FetchAlbums")["albums"]]

    album, made = edit(title="Family", add=scene.owner.naming(scene.library, scene.pictures[:3]), shared=True)
    identifier = scene.app.call("FetchAlbums")["albums"][0]["localIdentifier"]
    assert titles() == [("Family", 2)] and made["undoable"]
    _, unshared = edit(album=album, shared=False)
    assert titles() == []
    undo(scene.owner, unshared)
    assert titles() == [("Family", 2)]
    _, fewer = edit(album=album, remove={"filename": scene.pictures[0]})
    _, renamed = edit(album=album, title="All of us")
    assert titles() == [("All of us", 1)]
    undo(scene.owner, fewer)
    assert titles() == [("All of us", 2)], "the later title stays"
    _, deleted = edit(album=album, delete=True)
    assert titles() == [] and "deleted" in refusal(scene.owner, renamed)
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    scene.app.new_connection()
    undo(scene.owner, deleted)
    assert titles() == [("All of us", 2)]
    assert scene.app.call("FetchAlbums")["albums"][0]["localIdentifier"] == identifier, "the same album"
    assert scene.app.names(album=identifier) == [scene.pictures[1], scene.pictures[0]]
    undo(scene.owner, renamed)
    assert titles() == [("Family", 2)]
    undone = scene.owner.newest_decision(library=scene.library)
    assert (undone["action"], undone["undoes"], undone["source"]) == ("undo", renamed["decision"], "undo")
    undo(scene.owner, made)
    assert titles() == [] and scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"] == []
    assert "the album was deleted" in refusal(scene.owner, made)


def test_R131_adding_a_library_is_undone_and_its_files_stay(own_scene):
    scene = own_scene
    owner = scene.owner
    added = next(d for d in owner.call("ListDecisions", library=scene.library)["decisions"] if d["action"] == "add")
    scene.limit(0)
    assert "access to it was decided" in refusal(owner, added)
    owner.call("RemoveApp", app=scene.app.name)
    owner.call("MarkAssets", library=scene.library, selector={"last": 1}, hidden=True)
    message = refusal(owner, added)
    assert "marked" in message and "access" not in message
    undo(owner, owner.newest_decision(library=scene.library))
    before = sorted(p.name for p in scene.album.folder.iterdir())
    assert scene.broker.photobroker(owner.uid, "undo", str(added["decision"])).returncode == 0
    assert owner.call("ListLibraries")["libraries"] == []
    assert sorted(p.name for p in scene.album.folder.iterdir()) == before
    scene.broker.restart()
    owner.new_connection()
    assert owner.call("ListLibraries")["libraries"] == []
    owner.add_library(scene.library, scene.album.folder, [scene.app.uid], len(scene.pictures))


def test_R131_registering_an_app_and_minting_a_token_are_undone(scene):
    manifest = {"identifier": "org.example.early", "name": "Early", "NSPhotoLibraryUsageDescription": "Why."}
    app = scene.owner.call("AddApp", manifest=manifest, uid=scene.app.uid)["app"]["app"]
    registered = scene.owner.newest_decision(library=scene.library)
    assert registered["app"] == app and registered["action"] == "addApp" and registered["undoable"]
    scene.owner.set(scene.library, app, "limited")
    assert "its access was decided" in refusal(scene.owner, registered)
    token = scene.owner.call("MintToken", library=scene.library, app=app, level="readWrite")["token"]
    minted = scene.owner.newest_decision(library=scene.library)
    holder = scene.broker.app(uid=scene.app.uid)
    holder.call("Attach", token=token)
    assert holder.names() == []
    reply = undo(scene.owner, minted)
    assert reply["grant"]["status"] == "limited" and reply["receipt"]["connections"] >= 0
    assert holder.refusal("FetchAssets").error != ""
    fresh = scene.broker.app(uid=scene.app.uid)
    assert fresh.refusal("Attach", token=token).error == "TokenRefused"
    assert "refused already" in refusal(scene.owner, minted)
    scene.owner.call("SetGrant", library=scene.library, app=app, level="readWrite", status="notDetermined")
    for person in (holder, fresh):
        person.end()
    undo(scene.owner, registered)
    assert app not in [a["app"] for a in scene.owner.call("ListApps")["apps"]]
    assert "removed already" in refusal(scene.owner, registered)


def test_R131_a_decision_with_damaged_undo_data_is_still_listed(own_scene):
    scene = own_scene
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Meer", add={"last": 1})
    known = [decision["decision"] for decision in scene.owner.call("ListDecisions")["decisions"]]
    state = scene.broker.state
    scene.broker.stop()
    database = sqlite3.connect(state / "state.db")
    assert (
        database.execute("UPDATE decision_changes SET change = x'07ff' WHERE decision = ?", (known[0],)).rowcount == 1
    )
    database.commit()
    database.close()
    for path in state.iterdir():
        os.chown(path, BROKER, BROKER)
    scene.broker.start()
    scene.owner.new_connection()
    listed = scene.owner.call("ListDecisions")["decisions"]
    assert [decision["decision"] for decision in listed] == known and listed[0].get("albumTitle") is None


@pytest.mark.parametrize("who", ["owner", "co-owner", "administrator", "root"])
def test_R130_R131_the_listed_undoable_decisions_are_those_the_caller_may_undo(own_scene, who):
    scene = own_scene
    owner, partner, steward, root = scene.owner, scene.broker.owner(), scene.broker.owner(), scene.broker.owner(0)
    root.call("SetAdministrators", administrators=[steward.uid])
    rule = {"library": scene.library, "uid": 77777, "level": "readWrite"}
    scene.limit(0, 1)
    owner.call("DelegateLibrary", name=scene.library, coOwners=[partner.uid])
    scene.broker.accept(partner.uid, scene.library)
    owner.call("OfferLibrary", name=scene.library, add=[77777])
    owner.call("ShareOriginals", name=scene.library, share=True)
    owner.call("MarkAssets", library=scene.library, selector={"last": 1}, hidden=True)
    owner.call("EditOwnedAlbum", library=scene.library, title="Lake", add={"last": 1})
    owner.call("Apply", rules=[{**rule, "name": "own", "answer": "deny"}])
    steward.call("Apply", rules=[{**rule, "name": "restricts", "answer": "restrict"}])
    owner.call(
        "AddApp", manifest={"identifier": "org.example.later", "NSPhotoLibraryUsageDescription": "x"}, uid=scene.app.uid
    )
    steward.call("PauseGrant", library=scene.library, paused=True)
    caller = {"owner": owner, "co-owner": partner, "administrator": steward, "root": root}[who]
    undone = {}
    for decision in caller.call("ListDecisions", library=scene.library)["decisions"]:
        if decision["action"] in ("add", "delegate"):
            # Undone, the first would remove the library, the second the co-owner.
            assert decision["undoable"] == (
                who in {"add": ("owner", "root"), "delegate": ("owner", "co-owner")}[decision["action"]]
            )
            continue
        try:
            caller.call("UndoDecision", decision=decision["decision"])
            fails = None
        except Refused as refused:
            fails = refused.parameters["message"]
        assert decision["undoable"] == (fails is None), (decision, fails)
        undone[f"{decision['action']} by {decision['role']}"] = fails is None
    assert undone["rule by administrator"], "an owner takes it back like anything that is decided in the library (R131)"
    assert (
        undone["album by owner"]
        == undone["mark by owner"]
        == undone["offer by owner"]
        == (who in ("owner", "co-owner"))
    )
    assert undone["addApp by owner"] == (who != "co-owner")
    restricts = [r["name"] for r in owner.call("ListRules", library=scene.library)["rules"]]
    assert "restricts" not in restricts


def test_R130_R131_an_owner_removes_an_administrators_rule_and_an_impossible_undo_asks_nothing(scene):
    steward = scene.broker.owner(0)
    steward.call(
        "Apply",
        rules=[
            {"library": scene.library, "name": "restricts", "uid": 77777, "level": "readWrite", "answer": "restrict"}
        ],
    )
    scene.broker.photobroker(scene.owner.uid, "--yes", "rule", "remove", scene.library, "restricts")
    assert scene.owner.call("ListRules", library=scene.library)["rules"] == []
    scene.limit(0)
    steward.set(scene.library, scene.app.name, "restricted")
    scene.owner.set(scene.library, scene.app.name, "authorized")
    lifted = scene.owner.newest_decision(library=scene.library)
    assert not lifted["undoable"], "restricted is an administrator's to set again"
    status, text = run_on_terminal(scene, "undo", lifted["decision"], answers="y", meanwhile=lambda: None)
    assert status == 65 and "Undo this?" not in text and "Only an administrator" in text


def test_R131_an_apps_edits_of_foreign_albums_are_recorded_with_its_name_and_undone(own_scene):
    scene = own_scene
    scene.allow()
    scene.owner.set(scene.library, scene.app.name, "authorized", albumPolicy="full")
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    album = scene.owner.call(
        "EditOwnedAlbum", library=scene.library, title="Wedding", add=scene.owner.naming(scene.library, scene.pictures)
    )["album"]["album"]
    [seen] = wait_for(lambda: scene.app.call("FetchAlbums")["albums"], "the album")
    [first] = [a["localIdentifier"] for a in scene.app.fetch() if a["filename"] == scene.pictures[0]]
    for change in (
        {"kind": "renameAlbum", "text": "Mine"},
        {"kind": "removeFromAlbum", "assets": [first]},
        {"kind": "deleteAlbum"},
    ):
        scene.app.call("PerformChanges", changes=[{"album": seen["localIdentifier"], **change}])
    scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Own"}])
    assert [a["title"] for a in scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]] == ["Own"]
    own, *entered = scene.owner.call("ListDecisions", library=scene.library, limit=4)["decisions"]
    assert own["albumTitle"] == "Own" and own["before"] == "no album" and own["undoable"]
    for decision in entered:
        assert (decision["action"], decision["role"], decision["source"], decision["actor"]) == (
            "album",
            "app",
            "app",
            scene.app.uid,
        )
        assert (
            decision["app"] == scene.app.name
            and decision["identifier"] == "org.example.journal"
            and decision["undoable"]
        )
    assert entered[0]["after"] == "no album" and [d["albumTitle"] for d in entered] == ["Mine", "Mine", "Mine"]
    listed = scene.broker.photobroker(scene.owner.uid, "decisions", scene.library).stdout
    assert len([line for line in listed.splitlines() if "org.example.journal" in line and " album " in line]) == 4
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    for decision in entered:
        undo(scene.owner, decision)
    [wedding] = [a for a in scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"] if a["title"] != "Own"]
    assert (wedding["album"], wedding["title"], wedding["count"]) == (album, "Wedding", len(scene.pictures))
    scene.app.new_connection()
    assert ("Wedding", seen["localIdentifier"]) in [
        (a["title"], a["localIdentifier"]) for a in scene.app.call("FetchAlbums")["albums"]
    ]
