"""R131: every edit of rights is on record, with actor, time, place, and state before and after.

Each owners' method is listed here as an edit or as none; a new method must be.
"""

import re
import time

import pytest

from house.broker import Album
from house.deletions import ask_to_delete
from house.person import Refused, wait_for
from house.pickers import present

pytestmark = pytest.mark.library("shared")

# Methods that show, index, serve pages or ask.
NO_EDITS = {
    "GetStatus",
    "ListLibraries",
    "WatchLibrary",
    "RescanLibrary",
    "ListAdministrators",
    "ListApps",
    "ListGrants",
    "ListPrompts",
    "ListTokens",
    "FetchOwnedAssets",
    "FetchOwnedColumns",
    "FetchSearchHints",
    "FetchTrashedAssets",
    "ListSkippedFiles",
    "GetOwnedThumbnail",
    "GetOwnedPreview",
    "GetOwnedProgress",
    "GetOwnedDetails",
    "ReadLedger",
    "VerifyLedger",
    "ListDecisions",
    "ListRules",
    "BackUp",
    "ListOffers",
    "ListPickers",
    "ListDeletions",
    "ListPickerApps",
    "ListOwnedAlbums",
    "ServePage",
    "OpenPage",
    "RedeemPageCode",
    "ListPlugins",
    # Drafts are neither answers nor edits; restored assets are the owner's own content.
    "DraftAnswer",
    "DraftSelection",
    "RestoreAssets",
    # Plugins belong to the machine and have a log of their own.
    "InstallPlugin",
    "SetPluginEnabled",
    "RemovePlugin",
    "ReadPluginLog",
}
LIMITED = {"level": "readWrite", "status": "limited"}


def rule(scene, answer="deny"):
    return {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "answer": answer}


def prompt(scene):
    scene.take_additions()
    scene.app.refusal("RequestAuthorization", level="addOnly", wait=False)
    return scene.owner.wait_for_prompt()["prompt"]


def second_library(scene):
    album = Album(scene.house, f"second-{scene.owner.uid}", scene.owner.uid)
    return {"name": f"second-{scene.owner.uid}", "options": {"path": str(album.folder)}, "offeredTo": [7]}


def place(scene):
    return {"library": scene.library, "app": scene.app.name}


def edited_photo(scene):
    photo = {"identifiers": [scene.owner.identifier(scene.library, scene.pictures[0])]}
    scene.owner.call("MarkAssets", library=scene.library, selector=photo, favorite=True)
    return {"library": scene.library, **photo}


def asked_deletion(scene):
    scene.set_terms(deletions="ask")
    return {"deletion": ask_to_delete(scene, 0)["deletion"], "allow": False}


# The parameters of each edit, and the action on record.
EDITS = {
    "OfferLibrary": (lambda s: {"name": s.library, "offeredTo": [s.app.uid, 7]}, "offer"),
    "AnswerOffer": (lambda s: {"library": s.library, "accept": False}, "decline"),
    "AnswerOffers": (lambda s: {"user": s.owner.uid, "accept": False}, "decline"),
    "DelegateLibrary": (lambda s: {"name": s.library, "coOwners": [7]}, "delegate"),
    "AddLibrary": (second_library, "add"),
    "AddApp": (lambda s: {"manifest": {"identifier": "org.example.new", "name": "New"}, "uid": s.app.uid}, "addApp"),
    "MintToken": (lambda s: {**place(s), "level": "readWrite"}, "mint"),
    "EditOwnedAlbum": (
        lambda s: {"library": s.library, "title": "Summer", "add": {"last": 2}, "shared": True},
        "album",
    ),
    "ShareOriginals": (lambda s: {"name": s.library, "share": True}, "originals"),
    "AllowDeletions": (lambda s: {"name": s.library, "allow": False}, "deletions"),
    "SetDefaultTerms": (lambda s: {"name": s.library, "terms": {"captions": False}}, "terms"),
    "SetUpLibrary": (lambda s: {"name": s.library, "cloudMapping": ""}, "set up"),
    "RemoveLibrary": (lambda s: {"name": s.library}, "remove"),
    "RemoveApp": (lambda s: {"app": s.app.name}, None),
    "SetGrant": (lambda s: {**place(s), "level": "readWrite", "status": "authorized"}, None),
    "EditSelection": (lambda s: {**place(s), "add": {"last": 1}}, "select"),
    "PauseGrant": (lambda s: {**place(s), "paused": True}, "pause"),
    "Revoke": (lambda s: place(s), "revoke"),
    "AnswerPrompt": (lambda s: {"prompt": prompt(s), "answer": "allow"}, "allow"),
    "MarkAssets": (lambda s: {"library": s.library, "selector": {"last": 1}, "neverShare": True}, "mark"),
    "EditAsset": (
        lambda s: {
            "library": s.library,
            "asset": s.owner.identifier(s.library, s.pictures[0]),
            "caption": "lake",
            "location": {"latitude": 47.0, "longitude": 8.0},
        },
        "editPhoto",
    ),
    "ResetAssets": (edited_photo, "resetPhoto"),
    "UndoDecision": (
        lambda s: {"decision": s.owner.call("ListDecisions", library=s.library, limit=1)["decisions"][0]["decision"]},
        "undo",
    ),
    "Apply": (
        lambda s: {"grants": [{**place(s), "level": "readWrite", "status": "authorized"}], "rules": [rule(s)]},
        None,
    ),
    "RemoveRule": (lambda s: {"library": s.library, "name": "frames"}, "removeRule"),
    "AnswerPicker": (
        lambda s: {"picker": present(s, s.app)["picker"], "assets": [s.owner.identifier(s.library, s.pictures[0])]},
        "pick",
    ),
    "AnswerDeletion": (asked_deletion, "confirm"),
    "SetAdministrators": (lambda s: {"administrators": [7]}, "administrators"),
}
# Methods whose replies name the decisions they entered.
TELLING = {
    "OfferLibrary",
    "DelegateLibrary",
    "ShareOriginals",
    "AllowDeletions",
    "SetDefaultTerms",
    "SetGrant",
    "EditSelection",
    "PauseGrant",
    "Revoke",
    "AnswerPrompt",
    "MarkAssets",
    "UndoDecision",
    "Apply",
    "RemoveRule",
    "EditOwnedAlbum",
    "EditAsset",
    "ResetAssets",
}


def test_R131_every_method_declares_whether_it_edits_rights(scene):
    text = scene.owner.call("org.varlink.service.GetInterfaceDescription", interface="io.photobroker.Admin")[
        "description"
    ]
    assert set(re.findall(r"^method (\w+)", text, re.M)) == NO_EDITS | set(EDITS)


@pytest.mark.parametrize("method", EDITS)
def test_R131_each_edit_records_author_time_origin_before_and_after(own_scene, method):
    scene = own_scene
    scene.limit(0)
    if method == "RemoveRule":
        scene.owner.call("Apply", rules=[rule(scene)])
    parameters, action = EDITS[method]
    parameters = parameters(scene)
    who = scene.broker.owner(0) if method in ("SetAdministrators", "RemoveLibrary") else scene.owner
    if method in ("AnswerOffer", "AnswerOffers"):
        who = scene.broker.owner(scene.app.uid)
    reader = scene.broker.owner(0)
    known = {d["decision"] for d in reader.call("ListDecisions", limit=1000)["decisions"]}
    begun = time.time()
    reply = who.call(method, **parameters)
    if method == "AnswerPicker":
        scene.app.hear()
    if method == "AnswerDeletion":
        with pytest.raises(Refused):
            scene.app.hear()
    new = [d for d in reader.call("ListDecisions", limit=1000)["decisions"] if d["decision"] not in known]
    assert new, f"{method} left nothing on record"
    if "decisions" in reply:
        assert reply["decisions"] == sorted(d["decision"] for d in new), "the reply names exactly what it entered"
    assert ("decisions" in reply) == (method in TELLING)
    assert len(new) == (2 if method == "Apply" else 1) or method == "RemoveApp", new
    theirs = {d["decision"]: d for d in who.call("ListDecisions", limit=1000)["decisions"]}
    for decision in new:
        assert begun - 1 < decision["time"] / 1e6 < time.time() + 1
        assert decision["actor"] == (scene.app.uid if decision["role"] == "app" else who.uid), decision
        assert decision["origin"] and decision["source"], decision
        assert decision["before"] != decision["after"], decision
        assert action is None or decision["action"] == action, decision
        # Erased keys, disclosures and secrets cannot be undone, and answers by their user alone.
        mine = theirs.get(decision["decision"], decision)
        assert mine["undoable"] == (
            method
            not in (
                "RemoveLibrary",
                "RemoveApp",
                "AnswerPicker",
                "AnswerDeletion",
                "SetUpLibrary",
                "AnswerOffer",
                "AnswerOffers",
            )
        ), decision
        # An administrator without the right to decide cannot undo the owner's decision.
        if mine["undoable"] and not decision["undoable"]:
            assert reader.refusal("UndoDecision", decision=decision["decision"]).error == "NotPermitted"
        if not mine["undoable"]:
            refused = who.refusal("UndoDecision", decision=decision["decision"])
            assert refused.error in ("Refused", "NotFound") and not "too old" in refused.parameters.get(
                "message", ""
            ), refused.parameters
        assert not any(name in str(decision) for name in (*scene.pictures, "Summer")), (
            "administrators read this and see no photos"
        )
    if method not in ("RemoveLibrary", "SetAdministrators", "AddLibrary"):
        seen = scene.owner.call("ListDecisions", library=scene.library, limit=1000)["decisions"]
        assert {d["decision"] for d in new} <= {d["decision"] for d in seen}, "its owner sees it"
    for grant in [] if method == "RemoveLibrary" else scene.owner.call("ListGrants", library=scene.library)["grants"]:
        assert grant["source"] and grant["decider"] == scene.owner.uid and grant["program"], (
            "each grant shows where it came from"
        )


@pytest.mark.library("own")
def test_R131_favourites_are_recorded_and_undone(scene):
    def favourites():
        return {a["filename"] for a in scene.owner.assets(scene.library) if a["favorite"]}

    scene.owner.call("MarkAssets", library=scene.library, selector={"last": 2}, favorite=True)
    assert len(favourites()) == 2
    decision = scene.owner.call("ListDecisions", library=scene.library, limit=1)["decisions"][0]
    assert (decision["action"], decision["before"], decision["after"]) == ("mark", "2 no favourites", "2 favourites")
    scene.owner.call("UndoDecision", decision=decision["decision"])
    assert favourites() == set()


def test_R139_identifiers_returned_by_a_selection_page_are_in_the_ledger(scene):
    scene.limit(0)
    scene.app.begin("PresentLimitedLibraryPicker")
    prompt = scene.owner.wait_for_prompt("selection")
    scene.owner.answer(
        prompt,
        "select",
        selector={"identifiers": [scene.owner.identifier(scene.library, scene.pictures[n]) for n in (0, 3)]},
    )
    assert len(scene.app.hear()["added"]) == 1
    told = wait_for(lambda: scene.owner.call("ReadLedger", library=scene.library)["entries"], "the entry")
    assert [e["asset"] for e in told] == [scene.owner.identifier(scene.library, scene.pictures[3])]
    assert told[0]["rendition"] == "metadata"
