"""Owners, co-owners and administrators: decisions, rules, their files, the record, and undo."""

import json
import subprocess
import time

import pytest

from house.app import USAGE
from house.broker import Album
from house.owner import cursor_after
from house.person import as_user, wait_for


def json_of(broker, uid, *arguments, expect=0):
    return json.loads(broker.photobroker(uid, *arguments, "--json", expect=expect).stdout)


def test_R8_R126_a_former_co_owners_rule_is_suspended_and_says_so(scene):
    partner = scene.broker.owner()
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[partner.uid])
    scene.broker.accept(partner.uid, scene.library)
    rule = {"library": scene.library, "name": "theirs", "uid": scene.app.uid, "level": "readWrite", "answer": "allow"}
    partner.call("Apply", rules=[rule])

    def listed():
        return [r["rests"] for r in scene.owner.call("ListRules", library=scene.library)["rules"]]

    assert listed() == [False]
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[])
    assert listed() == [True]
    assert "inactive" in scene.broker.photobroker(scene.owner.uid, "rule", "list").stdout
    assert scene.app.refusal("RequestAuthorization", level="readWrite", wait=False).error == "PromptPending"
    made = scene.owner.call("Apply", rules=[rule])["rules"]
    assert [change["changed"] for change in made] == [True] and listed() == [False], "it is its owner's now"
    assert scene.app.request() == "authorized"


@pytest.mark.library("shared")
def test_R131_an_owner_undoes_decisions(scene):
    scene.limit(0, 1)
    scene.unselect(1)
    assert scene.app.names() == [scene.pictures[0]]
    decisions = json_of(scene.broker, scene.owner.uid, "decisions", scene.library)["decisions"]
    assert decisions[0]["undoable"] and decisions[0]["identifier"] == "org.example.journal"
    scene.broker.photobroker(scene.owner.uid, "undo", str(decisions[0]["decision"]))
    assert sorted(scene.app.names()) == scene.pictures[:2]
    grant = scene.owner.grant(scene.library, scene.app.name)
    assert (grant["source"], grant["decider"]) == ("undo", scene.owner.uid) and grant["program"] == "photobroker", (
        "by its own word, since its file cannot be read"
    )
    # An undone revocation restores the access with a new token.
    scene.owner.call("Revoke", uid=scene.app.uid)
    revoked = scene.owner.newest_decision(library=scene.library)["decision"]
    old = scene.app.token
    scene.owner.call("UndoDecision", decision=revoked)
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    assert scene.app.refusal("Attach", token=old).error == "TokenRefused"
    assert scene.app.request() == "limited" and scene.app.token != old
    assert sorted(scene.app.names()) == scene.pictures[:2]
    refused = scene.owner.refusal("UndoDecision", decision=revoked)
    assert refused.error == "Refused" and "since then" in refused.parameters["message"]
    result = scene.broker.photobroker(scene.owner.uid, "undo", str(revoked), expect=65)
    assert "since then" in result.stderr
    accessor = scene.owner.call("ListTokens", library=scene.library, app=scene.app.name)["tokens"][-1]["accessor"]
    scene.owner.call("Revoke", accessor=accessor)
    refused = scene.owner.refusal(
        "UndoDecision", decision=scene.owner.newest_decision(library=scene.library)["decision"]
    )
    assert refused.error == "Refused" and "never comes back" in refused.parameters["message"]


def test_R131_undo_data_survive_a_restart(own_scene):
    scene = own_scene
    scene.limit(0, 1)
    scene.owner.set(scene.library, scene.app.name, "denied")
    number = scene.owner.newest_decision(library=scene.library)["decision"]
    scene.broker.restart()
    scene.owner.call("UndoDecision", decision=number)
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    assert scene.app.request() == "limited"
    assert sorted(scene.app.names()) == scene.pictures[:2]


def test_R139_the_ledger_names_a_removed_app_and_is_filtered_by_that_name(scene):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    for app in (scene.app, other):
        scene.limit(0, app=app)
        app.digest(app.fetch()[0]["localIdentifier"])
    owner, gone = scene.owner, scene.app.name
    owner.call("RemoveApp", app=gone)
    # A new app of the same name is another app.
    again = scene.broker.app(uid=scene.app.uid)
    again.introduce()
    scene.limit(1, app=again)
    again.fetch()
    for restarts in (False, True):
        if restarts:
            scene.broker.restart()
        entries = owner.call("ReadLedger", library=scene.library, limit=100)["entries"]
        assert {(e["app"], e["identifier"], e["removed"]) for e in entries if not e["gap"]} == {
            (gone, "org.example.journal", True),
            (other.name, "org.example.other", False),
            (again.name, "org.example.journal", False),
        }
        named = owner.call("ReadLedger", library=scene.library, identifier="org.example.journal")["entries"]
        assert {e["app"] for e in named if not e["gap"]} == {gone, again.name}
        assert owner.call("ReadLedger", library=scene.library, identifier="org.example.other", app=gone)["entries"] in (
            [],
            [e for e in entries if e["gap"]],
        )
        decisions = owner.call("ListDecisions", library=scene.library, identifier="org.example.journal")["decisions"]
        assert {(d["app"], d["identifier"], d["removed"]) for d in decisions} == {
            (gone, "org.example.journal", True),
            (again.name, "org.example.journal", False),
        }
        assert "remove" in {d["action"] for d in decisions if d["app"] == gone}
        assert owner.call("ListDecisions", library=scene.library, identifier="org.example.nobody")["decisions"] == []
        assert {e["filename"] for e in entries if not e["gap"]} == {scene.pictures[0], scene.pictures[1]}
        assert not any(d["undoable"] for d in decisions if d["app"] == gone)
        log = scene.broker.photobroker(owner.uid, "log", scene.library, "--app", "org.example.journal").stdout
        assert scene.pictures[0] in log
        assert "org.example.journal (removed)" in log and "org.example.other" not in log and gone not in log
        assert "org.example.journal (removed)" in scene.broker.photobroker(owner.uid, "decisions", scene.library).stdout


def test_R139_the_ledger_is_filtered_by_app_asset_and_time_in_pages(scene):
    scene.limit(0, 1, 2)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, app=other)
    for app in (scene.app, other):
        for asset in app.fetch():
            app.digest(asset["localIdentifier"])
    since = int(time.time() * 1e6)
    scene.app.digest(scene.app.fetch()[0]["localIdentifier"])

    def pages(limit, **filters):
        found, cursor = [], None
        while True:
            more = {"cursor": cursor} if cursor else {}
            page = scene.owner.call("ReadLedger", library=scene.library, limit=limit, **filters, **more)
            assert len(page["entries"]) <= limit
            found += page["entries"]
            cursor = page.get("cursor")
            if cursor is None:
                assert page["trimmed"] is False
                return found

    whole = pages(1_000)
    assert len(whole) == 9, "four assets told of, five times bytes"
    for limit in (1, 2, 3, 9):
        assert pages(limit) == whole
    asset = scene.owner.identifier(scene.library, scene.pictures[0])
    assert pages(2, app=other.name) == [e for e in whole if e["app"] == other.name]
    assert pages(1, asset=asset) == [e for e in whole if e["asset"] == asset]
    assert pages(1, app=scene.app.name, asset=asset) == [
        e for e in whole if e["asset"] == asset and e["app"] == scene.app.name
    ]
    assert [e["rendition"] for e in pages(5, since=since)] == ["original"]
    for bad in ("x", "-1", "0", "9" * 30):
        assert scene.owner.refusal("ReadLedger", library=scene.library, cursor=bad).error == "InvalidParameter"
    shown = json_of(
        scene.broker,
        scene.owner.uid,
        "log",
        scene.library,
        "--app",
        other.name,
        "--asset",
        asset,
        "--since",
        "-1h",
        "--limit",
        "1",
    )
    assert len(shown["entries"]) == 1
    second = json_of(
        scene.broker,
        scene.owner.uid,
        "log",
        scene.library,
        "--app",
        other.name,
        "--limit",
        "1",
        "--cursor",
        shown["cursor"],
    )
    assert second["entries"][0]["rendition"] == "metadata" and second["entries"][0]["asset"] == asset
    assert json_of(scene.broker, scene.owner.uid, "log", scene.library, "--since", "+1h")["entries"] == []


@pytest.mark.library("shared")
def test_R131_decisions_are_filtered_by_app_and_time_in_pages(scene):
    scene.limit(0)
    for _ in range(4):
        scene.select(1)
        scene.unselect(1)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(2, app=other)
    whole = scene.owner.call("ListDecisions", library=scene.library, limit=1_000)["decisions"]
    found, cursor = [], None
    while True:
        page = scene.owner.call(
            "ListDecisions", library=scene.library, limit=3, **({"cursor": cursor} if cursor else {})
        )
        found += page["decisions"]
        cursor = page.get("cursor")
        if cursor is None:
            break
    assert found == whole and len({d["decision"] for d in whole}) == len(whole) >= 12
    mine = scene.owner.call("ListDecisions", library=scene.library, app=other.name)["decisions"]
    assert mine == [d for d in whole if d.get("app") == other.name] and len(mine) == 2
    since = whole[3]["time"]
    assert scene.owner.call("ListDecisions", library=scene.library, since=since)["decisions"] == [
        d for d in whole if d["time"] >= since
    ]


@pytest.mark.library("shared")
def test_R126_a_co_owner_is_prompted_and_decides_until_removed(scene):
    scene.take_additions()
    partner = scene.broker.owner()
    assert partner.refusal("ListGrants", library=scene.library).error == "NotFound"
    scene.broker.photobroker(scene.owner.uid, "library", "delegate", scene.library, "--add-owner", str(partner.uid))
    scene.app.begin_request()
    scene.owner.wait_for_prompt()
    assert partner.library(scene.library) is None and partner.prompts() == [], (
        "before they accept it they have no part in it"
    )
    scene.broker.accept(partner.uid, scene.library)
    prompt = partner.wait_for_prompt()
    assert [p["prompt"] for p in scene.owner.prompts()] == [prompt["prompt"]]
    partner.answer(prompt, "select", selector={"filename": scene.pictures[2]})
    assert scene.app.hear_request() == "limited" and scene.app.names() == [scene.pictures[2]]
    grant = scene.owner.grant(scene.library, scene.app.name)
    assert (grant["origin"], grant["source"], grant["decider"]) == ("owner", "prompt", partner.uid)
    assert scene.owner.prompts() == [] and len(partner.assets(scene.library)) == 6
    assert partner.refusal("RemoveLibrary", name=scene.library).error == "NotPermitted"
    assert partner.refusal("DelegateLibrary", name=scene.library, coOwners=[partner.uid, 7]).error == "NotPermitted"
    watched = partner.watch("prompts", "ListPrompts")
    assert watched["prompts"] == []
    scene.broker.photobroker(
        scene.owner.uid, "library", "delegate", scene.library, "--remove-owner", str(partner.uid), "--yes"
    )
    for method, parameters in [
        ("ListGrants", {"library": scene.library}),
        ("FetchOwnedAssets", {"library": scene.library}),
        ("UndoDecision", {"decision": scene.owner.newest_decision(library=scene.library)["decision"]}),
    ]:
        assert partner.refusal(method, **parameters).error == "NotFound", method
    assert partner.call("ListLibraries")["libraries"] == [] and partner.call("ListDecisions")["decisions"] == []
    scene.app.refusal("RequestAuthorization", level="addOnly", wait=False)
    wait_for(scene.owner.prompts, "the owner's question")
    assert all(reply["prompts"] == [] for reply in partner.seen("prompts")), "nothing is told to who was taken out"
    record = scene.owner.newest_decision(library=scene.library)
    assert record["action"] == "delegate" and record.get("app") is None and str(partner.uid) in record["before"]


@pytest.mark.library("shared")
def test_R29_R126_every_watcher_of_prompts_hears_their_outcome(scene):
    scene.take_additions()
    watchers = {"plain": {}, "german": {"language": "de-AT,de"}, "again": {"language": "de-AT,de"}}
    for name, parameters in watchers.items():
        assert scene.owner.watch(name, "ListPrompts", **parameters)["prompts"] == []

    def hear(prompts):
        for name in watchers:
            wait_for(
                lambda: [p["prompt"] for p in scene.owner.seen(name)[-1]["prompts"]] == prompts,
                f"what waits by now, at {name}",
            )

    for level in ("readWrite", "addOnly"):
        scene.app.refusal("RequestAuthorization", level=level, wait=False)
    asked = scene.owner.prompts()
    assert len(asked) == 2
    hear([p["prompt"] for p in asked])
    scene.owner.answer(asked[0], "deny")
    hear([asked[1]["prompt"]])
    scene.owner.answer(asked[1], "deny")
    hear([])


def test_R130_administrators_revoke_in_every_library_and_neither_grant_nor_see(scene):
    scene.limit(0, 1)
    steward = scene.broker.owner()
    assert steward.refusal("ListAdministrators").error == "NotPermitted"
    assert scene.broker.photobroker(steward.uid, "administrator", "add", "7", expect=None).returncode == 77
    scene.broker.photobroker(0, "administrator", "add", str(steward.uid))
    listed = json_of(scene.broker, steward.uid, "administrator", "list")
    assert listed == {"named": [steward.uid], "administrators": [0, steward.uid]}
    try:
        grant = steward.grant(scene.library, scene.app.name)
        assert (grant["status"], grant["selected"], grant["uid"] if "uid" in grant else None) == ("limited", 2, None)
        place = {"library": scene.library, "app": scene.app.name}
        asset = scene.owner.identifier(scene.library, scene.pictures[0])
        unseen = [
            ("FetchOwnedAssets", {"library": scene.library}),
            ("ReadLedger", {"library": scene.library}),
            ("GetOwnedThumbnail", {"library": scene.library, "asset": asset, "maxPixels": 16}),
            ("EditSelection", {**place, "add": {"all": True}}),
            ("EditSelection", {**place, "add": {"all": True}, "preview": True}),
            ("MarkAssets", {"library": scene.library, "selector": {"all": True}, "hidden": False}),
            ("GetOwnedPreview", {"library": scene.library, "asset": asset}),
            ("GetOwnedProgress", {"library": scene.library, "asset": asset}),
            ("GetOwnedDetails", {"library": scene.library, "asset": asset}),
            ("ListOwnedAlbums", {"library": scene.library, "app": scene.app.name}),
        ]
        ungiven = [
            ("SetGrant", {**place, "level": "readWrite", "status": "authorized"}),
            ("PauseGrant", {**place, "paused": False}),
            ("SetGrant", {**place, "level": "readWrite", "status": "denied"}),
            ("MintToken", {**place, "level": "readWrite"}),
            ("SetGrant", {**place, "level": "readWrite", "status": "notDetermined"}),
            ("OfferLibrary", {"name": scene.library, "offeredTo": [7]}),
            ("Apply", {"grants": [{**place, "level": "readWrite", "status": "limited", "select": [{"all": True}]}]}),
            ("UndoDecision", {"decision": scene.owner.newest_decision(library=scene.library)["decision"]}),
            ("DelegateLibrary", {"name": scene.library, "administratorsSee": True}),
            ("RemoveLibrary", {"name": scene.library}),
        ]
        for method, parameters in unseen + ungiven:
            assert steward.refusal(method, **parameters).error == "NotPermitted", method
        info = steward.library(scene.library)
        assert info.get("options") is None and info.get("skippedFiles") is None
        scene.owner.call("EditOwnedAlbum", library=scene.library, title="Our Secret", add={"last": 1})
        scene.owner.call(
            "Apply",
            rules=[
                {
                    "library": scene.library,
                    "name": "frames",
                    "uid": scene.house.fresh_uid(),
                    "level": "readWrite",
                    "answer": "select",
                    "select": [{"glob": "our-secret/**"}],
                }
            ],
        )
        kept = json.dumps(scene.owner.call("ListDecisions", library=scene.library)).lower()
        assert "our secret" in kept and "our-secret" in kept, "its owner is told"
        assert "secret" not in json.dumps(steward.call("ListDecisions", library=scene.library)).lower()
        text = json.dumps(
            [
                steward.call(m)
                for m in (
                    "ListLibraries",
                    "ListApps",
                    "ListGrants",
                    "ListTokens",
                    "ListDecisions",
                    "ListPrompts",
                    "ListRules",
                )
            ]
        )
        assert (
            not [p for p in scene.pictures if p in text] and asset not in text and str(scene.album.folder) not in text
        )
        # Administrators can take away: shorten, pause, restrict, revoke by app, user, library, all.
        end = int(time.time() * 1e6) + 3_600_000_000
        steward.call("SetGrant", **place, level="readWrite", expires=end)
        assert steward.refusal("SetGrant", **place, level="readWrite", expires=end + 1).error == "NotPermitted"
        receipt = steward.call("PauseGrant", uid=scene.app.uid, paused=True)["receipt"]
        assert receipt["grants"] == 1 and scene.app.is_refused()
        scene.owner.call("PauseGrant", **place, paused=False)
        scene.broker.photobroker(steward.uid, "grant", "revoke", "--library", scene.library, "--yes")
        assert scene.app.status() == "restricted"
        grant = scene.owner.grant(scene.library, scene.app.name)
        assert (grant["source"], grant["decider"]) == ("administrator", steward.uid)
        # The owner lets them see photos, and then decide.
        scene.owner.call("DelegateLibrary", name=scene.library, administratorsSee=True)
        assert len(steward.assets(scene.library)) == 6
        assert steward.refusal(*unseen[3][:1], **unseen[3][1]).error == "NotPermitted"
        scene.owner.call("DelegateLibrary", name=scene.library, administratorsDecide=True)
        steward.set(scene.library, scene.app.name, "limited")
        steward.call("EditSelection", **place, add={"filename": scene.pictures[3]})
        scene.app.use(scene.app.own_token)
        scene.app.new_connection()
        assert scene.app.request() == "limited" and scene.pictures[3] in scene.app.names()
        scene.owner.call("DelegateLibrary", name=scene.library, administratorsSee=False, administratorsDecide=False)
        assert steward.refusal("FetchOwnedAssets", library=scene.library).error == "NotPermitted"
    finally:
        scene.broker.photobroker(0, "administrator", "remove", str(steward.uid), "--yes")
    assert steward.refusal("ListGrants", library=scene.library).error == "NotFound"


@pytest.mark.library("shared")
def test_a_file_of_decisions_is_previewed_and_applied_atomically(scene, tmp_path):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, app=other)
    entry = {
        "library": scene.library,
        "app": scene.app.name,
        "level": "readWrite",
        "status": "limited",
        "expires": "+1d",
        "select": [{"filename": scene.pictures[1]}, {"last": 1}],
    }
    swap = {
        "library": scene.library,
        "app": other.name,
        "level": "readWrite",
        "select": [{"filename": scene.pictures[4]}],
        "replace": True,
    }

    def apply(document, *options, expect=0):
        return scene.broker.photobroker(
            scene.owner.uid, "apply", "-", *options, input=json.dumps(document), expect=expect
        )

    preview = json.loads(apply({"grants": [entry, swap]}, "--preview", "--json").stdout)
    assert [(c["added"], c["removed"], c["after"]["selected"]) for c in preview["grants"]] == [(2, 0, 2), (1, 1, 1)]
    assert {a["filename"] for a in preview["grants"][0]["sample"]} == {scene.pictures[1], scene.pictures[5]}
    joined, left = ([a["filename"] for a in preview["grants"][1][key]] for key in ("sample", "left"))
    assert (joined, left) == ([scene.pictures[4]], [scene.pictures[0]])
    words = apply({"grants": [swap]}, "--preview").stdout
    assert f"1 join the selection: {scene.pictures[4]}; 1 leave the selection: {scene.pictures[0]}." in words
    assert scene.app.status() == "notDetermined" and other.names() == [scene.pictures[0]]
    for wrong, said in ({"expires": "whenever"}, "takes a date"), ({"select": [{"createdFrom": "x"}]}, "takes a date"):
        assert said in apply({"grants": [{**entry, **wrong}]}, expect=65).stderr
    ended = {
        "library": scene.library,
        "app": scene.app.name,
        "level": "readWrite",
        "status": "denied",
        "expires": "+1d",
    }
    assert "Without access there is nothing to end" in apply({"grants": [ended]}, expect=65).stderr
    lifetime = {
        "library": scene.library,
        "name": "a",
        "uid": 1,
        "level": "readWrite",
        "answer": "deny",
        "lifetime": "+1d",
    }
    assert "a length of time such as 30d" in apply({"rules": [lifetime]}, expect=65).stderr
    bad = apply({"grants": [entry, {**swap, "level": "addOnly"}]}, expect=65)
    assert "Entry 2" in bad.stderr
    assert scene.app.status() == "notDetermined", "nothing of a file that is refused"
    apply({"grants": [entry, swap]})
    assert scene.app.request() == "limited" and sorted(scene.app.names()) == [scene.pictures[1], scene.pictures[5]]
    assert other.names() == [scene.pictures[4]]
    assert {g["source"] for g in scene.owner.call("ListGrants", library=scene.library)["grants"]} == {"file"}


def test_R131_removing_an_app_reports_rules_that_would_answer_it_again(scene):
    scene.allow()
    for name, identifier in (("all", None), ("others", "org.example.other")):
        rule = {"library": scene.library, "name": name, "uid": scene.app.uid, "level": "readWrite", "answer": "allow"}
        scene.owner.call("Apply", rules=[{**rule, **({"identifier": identifier} if identifier else {})}])
    said = scene.broker.photobroker(scene.owner.uid, "app", "remove", scene.app.name, "--yes")
    assert (
        f"To prevent that: photobroker rule remove {scene.library} all" in said.stderr + said.stdout
        and "others" not in said.stderr + said.stdout
    )


def test_a_file_of_decisions_reports_replaced_rules_and_records_no_repetition(scene):
    def rule(answer):
        return {"library": scene.library, "name": "all", "uid": scene.app.uid, "level": "readWrite", "answer": answer}

    def apply(document, *options):
        return scene.broker.photobroker(scene.owner.uid, "apply", "-", *options, input=json.dumps(document)).stdout

    scene.app.begin_request()
    scene.owner.wait_for_prompt()
    words = apply({"rules": [rule("deny")]}, "--preview")
    assert (
        "decline see and change for any app" in words
        and "answers 1 waiting request." in words
        and "replaces" not in words
    )
    apply({"rules": [rule("deny")]})
    count = len(scene.owner.call("ListDecisions", library=scene.library)["decisions"])
    again = apply({"rules": [rule("deny")]})
    assert "stays as it is" in again
    listed = json.loads(
        scene.broker.photobroker(scene.owner.uid, "rule", "list", "--library", scene.library, "--json").stdout
    )
    assert {"author", "made", "rests"} <= set(listed["rules"][0]) and "stays as it is" in apply(
        {"rules": listed["rules"]}
    )
    assert len(scene.owner.call("ListDecisions", library=scene.library)["decisions"]) == count
    assert (
        "allow see and change" in (words := apply({"rules": [rule("allow")]}, "--preview"))
        and "replaces: decline see and change" in words
    )


@pytest.mark.library("shared")
def test_a_file_of_decisions_is_limited(scene):
    limits = scene.app.call("GetLimits")["limits"]
    entry = {"library": scene.library, "app": scene.app.name, "level": "readWrite", "status": "limited"}

    def message(*numbers):
        grants = [{**entry, "select": [{"last": 1}] * number} for number in numbers]
        return scene.owner.refusal("Apply", grants=grants).parameters["message"]

    per_entry, in_all = limits["selectorsPerRule"], limits["selectorsPerApplication"]
    full = [per_entry] * (in_all // per_entry)
    assert f"at most {per_entry} choices" in message(per_entry + 1)
    assert f"At most {in_all} choices" in message(*full, 1)
    assert "twice" in message(*full), "only that they are all the same is wrong with these"
    many = [entry] * (limits["decisionsPerFile"] + 1)
    assert "At most" in scene.owner.refusal("Apply", grants=many).parameters["message"]
    assert scene.app.status() == "notDetermined"


def rule(scene, **keys):
    return {
        "library": scene.library,
        "name": "backups",
        "identifier": "org.example.journal",
        "uid": scene.app.uid,
        "level": "readWrite",
        "answer": "select",
        "select": [{"glob": "*-00[!9]*"}],
        **keys,
    }


def test_R8_a_rule_answers_for_a_person_and_survives_a_restart(own_scene):
    scene = own_scene
    scene.owner.call("Apply", rules=[rule(scene, select=[{"glob": "picture-00*"}, {"last": 1}], lifetime=3600)])
    scene.broker.restart()
    assert scene.app.request(wait=False) == "limited"
    assert len(scene.app.names()) == 6
    grant = scene.owner.grant(scene.library, scene.app.name)
    assert (grant["source"], grant["origin"], grant["program"], grant["decider"]) == (
        "rule",
        "rule",
        "backups",
        scene.owner.uid,
    )
    assert grant["expires"] and scene.owner.prompts() == []
    # A rule answers the first operation too (R19). A rule for another user does not apply.
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce()
    assert other.count() == 6
    shown = scene.broker.photobroker(scene.owner.uid, "rule", "list").stdout
    assert (
        "backups" in shown and "select in picture-00*; or the last 1, see and change for org.example.journal" in shown
    )
    scene.broker.photobroker(scene.owner.uid, "rule", "remove", scene.library, "backups", "--yes")
    third = scene.broker.app(uid=scene.app.uid)
    third.introduce()
    assert third.refusal("RequestAuthorization", level="readWrite", wait=False).error == "PromptPending"
    for bad in [
        {"answer": "restrict"},
        {"select": []},
        {"select": [{"identifiers": ["0" * 32]}]},
        {"name": "X"},
        {"lifetime": 0},
    ]:
        assert scene.owner.refusal("Apply", rules=[rule(scene, **bad)]).error in ("Refused", "NotPermitted"), bad


INSIDE = """
import json, os, sys, time
from photobroker import Connection, VarlinkError
path, how, manifest = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
library = 'io.photobroker.Library.'
with Connection(path, timeout=60) as c:
    if how == 'beforehand':
        for token in sys.argv[4:]:
            c.call(library + 'Attach', token=token)
    else:
        c.call(library + 'Introduce', manifest=manifest)
        while True:
            try:
                answer = c.call(library + 'RequestAuthorization', level='readWrite', wait=(how == 'await'))
                break
            except VarlinkError as error:
                assert how == 'poll' and error.name.endswith('PromptPending'), error.name
                print('asked', flush=True)
                time.sleep(0.05)
    assets = c.call(library + 'FetchAssets', limit=100)['assets']
    print(json.dumps({'uid': os.getuid(), 'pid': os.getpid(), 'names': [a['filename'] for a in assets]}))
"""


@pytest.mark.parametrize("how", ["await", "poll", "beforehand", "rule"])
def test_an_app_without_a_screen_in_a_container_is_served(scene, how):
    """It has its own user and process namespace, the socket's folder, and no desktop."""
    script = scene.house.folder / f"inside-{scene.app.uid}-{how}.py"
    script.write_text(INSIDE)
    script.chmod(0o644)
    arguments = []
    if how == "beforehand":
        scene.limit(0)
        arguments = [scene.app.own_token, scene.app.token]
    if how == "rule":
        scene.owner.call(
            "Apply", rules=[rule(scene, identifier="org.example.cron", select=[{"filename": scene.pictures[0]}])]
        )
    mounted = scene.house.folder / f"socket-{scene.app.uid}-{how}"
    mounted.mkdir(mode=0o755)
    inside = f"mount --bind {scene.broker.runtime} {mounted} && exec /usr/bin/python3 \"$@\""
    manifest = {"identifier": "org.example.cron", "name": "Nightly", "hasScreen": False, **USAGE}
    process = subprocess.Popen(
        as_user(
            scene.app.uid,
            [
                "unshare",
                "--user",
                "--map-root-user",
                "--mount",
                "--pid",
                "--fork",
                "--kill-child",
                "sh",
                "-c",
                inside,
                "sh",
                script,
                mounted / "photobroker.sock",
                "await" if how == "rule" else how,
                json.dumps(manifest),
                *arguments,
            ],
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "PYTHONPATH": str(scene.house.python)},
    )
    try:
        if how in ("await", "poll"):
            prompt = scene.owner.wait_for_prompt()
            assert prompt["app"]["uid"] == scene.app.uid, "verified from outside, whatever it takes itself for"
            assert len(scene.owner.prompts()) == 1
            scene.owner.answer(prompt, "select", selector={"filename": scene.pictures[0]})
        output, errors = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0, errors
    found = json.loads(output.splitlines()[-1])
    assert found == {"uid": 0, "pid": 1, "names": [scene.pictures[0]]}
    assert scene.owner.prompts() == [], "no question at the start of a life cycle for an app without a screen"


@pytest.mark.library("shared")
def test_DescribeAccess_reports_all_access_in_one_call(scene, tmp_path):
    scene.limit(0, 1)
    end = int(time.time() * 1e6) + 3_600_000_000
    scene.owner.call(
        "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", expires=end, albumPolicy="none"
    )
    access = scene.app.call("DescribeAccess", level="readWrite")
    assert {k: access[k] for k in ("library", "level", "status", "visible", "expires", "paused", "albumPolicy")} == {
        "library": scene.library,
        "level": "readWrite",
        "status": "limited",
        "visible": 2,
        "expires": end,
        "paused": False,
        "albumPolicy": "none",
    }
    assert access["limits"] == scene.app.call("GetLimits")["limits"] and "read" in access["verbs"]
    folder = scene.house.make_folder(f"token-{scene.app.uid}", scene.app.uid)
    token = folder / "token"
    token.write_text(scene.app.token)
    token.chmod(0o644)
    arguments = ["describe", "access", str(token), "--app-socket", str(scene.broker.app_socket)]
    told = json_of(scene.broker, scene.app.uid, *arguments)
    assert told == access
    text = scene.broker.photobroker(scene.app.uid, *arguments).stdout
    assert "visible     2 assets" in text and "token ends  with the grant" in text
    scene.owner.call("Revoke", library=scene.library)
    assert scene.broker.photobroker(scene.app.uid, *arguments, expect=None).returncode != 0
    assert scene.app.call("DescribeAccess", level="readWrite")["status"] == "denied"


LISTS = [
    "ListLibraries",
    "ListApps",
    "ListGrants",
    "ListPrompts",
    "ListTokens",
    "ListPickers",
    "ListDeletions",
    "ListOffers",
    "ListRules",
    "ListPickerApps",
]
BAD_CURSORS = ("", "x", "0", "0" * 35)


@pytest.mark.library("shared")
@pytest.mark.parametrize("method", LISTS)
def test_an_invented_cursor_is_refused_by_name(scene, method):
    for cursor in BAD_CURSORS:
        refused = scene.owner.refusal(
            method, cursor=cursor, **({"library": scene.library} if method == "ListPickerApps" else {})
        )
        assert (refused.error, refused.parameters["parameter"]) == ("InvalidParameter", "cursor")


@pytest.mark.library("shared")
def test_an_apps_invented_cursor_is_refused_by_name(scene):
    for cursor in BAD_CURSORS:
        refused = scene.app.refusal("ListLibraries", cursor=cursor)
        assert (refused.error, refused.parameters["parameter"]) == ("InvalidParameter", "cursor")


@pytest.mark.library("shared")
def test_R127_libraries_are_listed_to_apps_in_pages(scene):
    stranger = scene.broker.owner()
    names = [f"aa-{stranger.uid}", f"zz-{stranger.uid}"]
    for name in names:
        folder = Album(scene.house, name, stranger.uid).folder
        stranger.call("AddLibrary", name=name, options={"path": str(folder)}, offeredTo=[scene.app.uid])
    names = sorted([scene.library, *names])
    assert scene.app.call("ListLibraries") == {"libraries": names}
    for at, name in enumerate(names):
        assert scene.app.call("ListLibraries", cursor=cursor_after("String", name)) == {"libraries": names[at + 1 :]}


def test_R146_rules_and_their_selectors_are_listed_in_pages_that_fit_a_message(scene):
    selects = [{"glob": f"{'x' * 200}/{number:02}/**", "filename": "y" * 200} for number in range(16)]
    names = [f"rule-{number:03}" for number in range(200)]
    for start in range(0, len(names), 50):
        scene.owner.call(
            "Apply",
            rules=[
                {
                    "library": scene.library,
                    "name": name,
                    "uid": 4_000_000,
                    "level": "readWrite",
                    "answer": "select",
                    "select": selects,
                }
                for name in names[start : start + 50]
            ],
        )
    told, cursor, pages = [], None, 0
    while pages == 0 or cursor:
        page = scene.owner.call("ListRules", library=scene.library, cursor=cursor)
        told += page["rules"]
        cursor, pages = page.get("cursor"), pages + 1
    assert [rule["name"] for rule in told] == names and pages > 1
    assert json_of(scene.broker, scene.owner.uid, "rule", "list", "--library", scene.library)["rules"] == told
    # An administrator who sees no photos is not told the selector of a rule.
    scene.owner.call(
        "Apply",
        rules=[
            {
                "library": scene.library,
                "name": "a-few",
                "uid": 4_000_000,
                "level": "readWrite",
                "answer": "select",
                "select": [{"mediaType": "image", "glob": "secret/**", "last": 3}, {"favorite": True}],
            }
        ],
    )
    [line] = [
        line
        for line in scene.broker.photobroker(scene.owner.uid, "rule", "list").stdout.splitlines()
        if "a-few" in line
    ]
    assert "select images, in secret/**, the last 3; or favourites, see and change for any app" in line
    [line] = [line for line in scene.broker.photobroker(0, "rule", "list").stdout.splitlines() if "a-few" in line]
    assert "select see and change for any app" in line


def test_R126_R127_the_command_line_answers_offers_and_co_ownership_separately(scene):
    other = scene.broker.owner()
    scene.owner.call("OfferLibrary", name=scene.library, add=[other.uid])
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[other.uid])

    def say(*words):
        return scene.broker.photobroker(other.uid, "library", *words).stdout

    assert "for your programs. It is offered for you as co-owner too; your answer to that stays: none yet." in say(
        "accept", scene.library, "--programs", "--yes"
    )
    assert other.library(scene.library) is None and "your programs: accepted, you as co-owner: none yet" in say(
        "offers"
    )
    assert "You are not a co-owner of" in say("decline", scene.library, "--co-owner")
    info = scene.owner.library(scene.library)
    assert (info["acceptedBy"], info["declinedBy"], info["declinedCoOwners"], info["invited"]) == (
        sorted([scene.owner.uid, scene.app.uid, other.uid]),
        [],
        [other.uid],
        [other.uid],
    )
    shown = scene.broker.photobroker(scene.owner.uid, "library", "show", scene.library).stdout.splitlines()
    rows = {
        line[:16].strip(): line[16:].strip()
        for line in shown
        if str(other.uid) in line or line.startswith("declined by")
    }
    assert rows["declined by"] == "nobody" and rows["declined owning"] == str(other.uid)
    say("accept", scene.library, "--co-owner")
    assert other.library(scene.library) and scene.owner.library(scene.library)["declinedCoOwners"] == []
    say("decline", scene.library, "--programs")
    assert other.library(scene.library)["declinedBy"] == [other.uid], "and decides there still"
    say("decline", scene.library)
    assert other.library(scene.library) is None and "declined" in say("offers")
    assert [
        d["after"]
        for d in scene.owner.call("ListDecisions", library=scene.library, limit=5)["decisions"]
        if d["actor"] == other.uid
    ] == [
        f"declined by user {other.uid}",
        f"declined by user {other.uid} for programs, accepted by user {other.uid} as co-owner",
        f"accepted by user {other.uid}",
        f"accepted by user {other.uid} for programs, declined by user {other.uid} as co-owner",
        f"accepted by user {other.uid} for programs, offered to user {other.uid} as co-owner",
    ]


def test_R126_R127_a_new_offer_asks_again_in_either_role_and_overrides_no_refusal(scene):
    other, owner = scene.broker.owner(), scene.owner
    owner.is_trusted = False

    def said():
        return [
            (offer["programsAnswer"], offer["coOwnerAnswer"])
            for offer in other.call("ListOffers")["offers"]
            if offer["library"] == scene.library
        ]

    def offer():
        owner.call("OfferLibrary", name=scene.library, add=[other.uid])
        owner.call("DelegateLibrary", name=scene.library, coOwners=[other.uid])

    def withdraw():
        owner.call("OfferLibrary", name=scene.library, remove=[other.uid])
        owner.call("DelegateLibrary", name=scene.library, coOwners=[])
        return [d["decision"] for d in owner.call("ListDecisions", library=scene.library, limit=2)["decisions"]]

    offer()
    other.call("AnswerOffer", library=scene.library, accept=True)
    for decision in withdraw():
        owner.call("UndoDecision", decision=decision)
    assert said() == [("accepted", "accepted")] and other.library(scene.library)
    withdraw()
    offer()
    assert said() == [("waiting", "waiting")] and other.library(scene.library) is None
    other.call("AnswerOffer", library=scene.library, accept=False)
    withdraw()
    offer()
    assert said() == [("declined", "declined")]
    # An acceptance of one role leaves the refusal of another, while that is not offered.
    owner.call("DelegateLibrary", name=scene.library, coOwners=[])
    other.call("AnswerOffer", library=scene.library, accept=True, programs=True, coOwner=False)
    offer()
    assert said() == [("accepted", "declined")]


def test_R126_declined_co_ownership_alone_is_distinguished(scene):
    silent, other = scene.broker.owner(), scene.broker.owner()
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[silent.uid, other.uid])
    other.call("AnswerOffer", library=scene.library, accept=False)
    info = scene.owner.library(scene.library)
    assert (info["declinedBy"], info["declinedCoOwners"], info["invited"]) == (
        [],
        [other.uid],
        sorted([silent.uid, other.uid]),
    )
