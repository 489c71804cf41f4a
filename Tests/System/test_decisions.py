"""R131: every edit of rights is on record, with who, when, from where, before and after. Each method of owners says here whether it is
one; a new method must."""
import time

import pytest

from house.person import wait_for

# No edits of rights: they show, they index, they serve pages, or they ask.
NO_EDITS = {
    "GetStatus", "ListLibraries", "WatchLibrary", "RescanLibrary", "ListAdministrators", "ListApps", "ListGrants", "ListPrompts", "ListTokens",
    "FetchOwnedAssets", "FetchOwnedColumns", "FetchTrashedAssets", "GetOwnedThumbnail", "GetOwnedPreview", "GetOwnedProgress",
    "ReadLedger", "ListDecisions", "ListRules", "BackUp",
    "ListPickers", "ListPickerApps", "ListOwnedAlbums", "ServePage", "OpenPage", "RedeemPageCode", "ListPlugins", "ListConflicts",
    # A draft is no answer yet; content and metadata of the owner's own; a library's coming and an app's registration give nobody access.
    "DraftAnswer", "RestoreAssets", "ResolveConflicts", "AddLibrary", "AddApp", "MintToken",
    # Plugins are the machine's, and on record in their own log.
    "InstallPlugin", "SetPluginEnabled", "RemovePlugin", "ReadPluginLog",
    # Who may see an album follows from it, by the policy that a grant has: albums are the owner's content.
    "EditOwnedAlbum",
}
LIMITED = {"level": "readWrite", "status": "limited"}


def rule(scene, answer="deny"):
    return {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "answer": answer}


def prompt(scene):
    scene.app.refusal("RequestAuthorization", level="addOnly", wait=False)
    return scene.owner.wait_for_prompt()["prompt"]


def picker(scene):
    scene.app.begin("io.photobroker.Picker.Present")
    return wait_for(lambda: scene.owner.call("ListPickers")["pickers"], "the picker")[0]["picker"]


def place(scene):
    return {"library": scene.library, "app": scene.app.name}


# What each edit is called with, and the action on record.
EDITS = {
    "OfferLibrary": (lambda s: {"name": s.library, "offeredTo": [s.app.uid, 7]}, "offer"),
    "DelegateLibrary": (lambda s: {"name": s.library, "coOwners": [7]}, "delegate"),
    "SetUpLibrary": (lambda s: {"name": s.library, "cloudMapping": ""}, "set up"),
    "RemoveLibrary": (lambda s: {"name": s.library}, "remove"),
    "RemoveApp": (lambda s: {"app": s.app.name}, None),
    "SetGrant": (lambda s: {**place(s), "level": "readWrite", "status": "authorized"}, None),
    "EditSelection": (lambda s: {**place(s), "add": {"last": 1}}, "select"),
    "PauseGrant": (lambda s: {**place(s), "paused": True}, "pause"),
    "Revoke": (lambda s: place(s), "revoke"),
    "AnswerPrompt": (lambda s: {"prompt": prompt(s), "answer": "allow"}, "allow"),
    "MarkAssets": (lambda s: {"library": s.library, "selector": {"last": 1}, "neverShare": True}, "mark"),
    "UndoDecision": (lambda s: {"decision": s.owner.call("ListDecisions", library=s.library, limit=1)["decisions"][0]["decision"]}, "undo"),
    "Apply": (lambda s: {"grants": [{**place(s), "level": "readWrite", "status": "authorized"}], "rules": [rule(s)]}, None),
    "RemoveRule": (lambda s: {"library": s.library, "name": "frames"}, "removeRule"),
    "AnswerPicker": (lambda s: {"picker": picker(s), "assets": [s.owner.identifier(s.library, s.pictures[0])]}, "pick"),
    "SetAdministrators": (lambda s: {"administrators": [7]}, "administrators"),
}
# Those whose replies name the decisions that they entered.
TELLING = {"OfferLibrary", "SetGrant", "EditSelection", "PauseGrant", "Revoke", "MarkAssets", "UndoDecision", "Apply", "RemoveRule"}


def test_R131_every_method_says_whether_it_edits_rights(scene):
    import re
    text = scene.owner.call("org.varlink.service.GetInterfaceDescription", interface="io.photobroker.Admin")["description"]
    assert set(re.findall(r"^method (\w+)", text, re.M)) == NO_EDITS | set(EDITS)


@pytest.mark.parametrize("method", EDITS)
def test_R131_each_edit_records_who_when_from_where_before_and_after(own_scene, method):
    scene = own_scene
    scene.limit(0)
    if method == "RemoveRule":
        scene.owner.call("Apply", rules=[rule(scene)])
    parameters, action = EDITS[method]
    parameters = parameters(scene)
    who = scene.broker.owner(0) if method in ("SetAdministrators", "RemoveLibrary") else scene.owner
    reader = scene.broker.owner(0)
    known = {d["decision"] for d in reader.call("ListDecisions", limit=1000)["decisions"]}
    begun = time.time()
    reply = who.call(method, **parameters)
    if method == "AnswerPicker":
        scene.app.hear()
    new = [d for d in reader.call("ListDecisions", limit=1000)["decisions"] if d["decision"] not in known]
    assert new, f"{method} left nothing on record"
    if "decisions" in reply:
        assert reply["decisions"] == sorted(d["decision"] for d in new), "the reply names exactly what it entered"
    assert ("decisions" in reply) == (method in TELLING)
    assert len(new) == (2 if method == "Apply" else 1) or method == "RemoveApp", new
    for decision in new:
        assert begun - 1 < decision["time"] / 1e6 < time.time() + 1
        assert decision["actor"] == (scene.app.uid if decision["role"] == "app" else who.uid), decision
        assert decision["origin"] and decision["source"], decision
        assert decision["before"] != decision["after"], decision
        assert action is None or decision["action"] == action, decision
        # What erased keys, handed something out, or may have set a secret is past undoing; everything else is not.
        assert decision["undoable"] == (method not in ("RemoveLibrary", "RemoveApp", "AnswerPicker", "SetUpLibrary")), decision
    if method not in ("RemoveLibrary", "SetAdministrators"):
        seen = scene.owner.call("ListDecisions", library=scene.library, limit=1000)["decisions"]
        assert {d["decision"] for d in new} <= {d["decision"] for d in seen}, "its owner sees it"
    for grant in [] if method == "RemoveLibrary" else scene.owner.call("ListGrants", library=scene.library)["grants"]:
        assert grant["source"] and grant["decider"] == scene.owner.uid and grant["program"], "each grant shows where it came from"
