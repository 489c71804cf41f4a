"""Deletions by apps that a person confirms."""

import os
import pathlib
import pwd
import time

import pytest

from house.deletions import answer_deletion, ask_to_delete, deletion, wait_for_deletion
from house.person import Refused, wait_for
from house.pictures import day, jpeg


@pytest.fixture
def asking(make_scene):
    """An app with full access whose deletions are confirmed, in a library with four photos."""
    scene = make_scene(4)
    scene.let_broker_add()
    scene.owner.rescan(scene.library)
    scene.allow()
    assert scene.set_terms(deletions="ask")["terms"]["deletions"] == "ask"
    return scene


def refused(app):
    with pytest.raises(Refused) as caught:
        app.hear()
    return caught.value.parameters["code"]


def waiting(scene):
    return scene.owner.call("ListDeletions")["deletions"]


def trashed(scene):
    return sorted(a["filename"] for a in scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"])


def test_R153_a_new_grant_asks_before_deletions(make_scene):
    scene = make_scene(1)
    grant = {"library": scene.library, "app": scene.app.name, "level": "readWrite"}
    scene.owner.call("SetGrant", **grant, status="authorized")
    assert scene.owner.grant(scene.library, scene.app.name)["terms"]["deletions"] == "ask"


def test_R153_an_allowed_deletion_moves_its_photos_to_the_trash_as_one_change(asking):
    question = ask_to_delete(asking, 0, 2)
    assert not asking.app.has_answered()
    said = asking.broker.photobroker(asking.owner.uid, "status").stdout
    assert "1 waiting: photobroker deletion list" in said
    owned = asking.owner.naming(asking.library, [asking.name(0), asking.name(2)])["identifiers"]
    assert (question["assets"], question["library"]) == (owned, asking.library)
    assert question["app"]["displayName"] == "Journal" and trashed(asking) == []
    answer_deletion(asking.owner, question, True)
    asking.app.hear()
    assert trashed(asking) == sorted([asking.name(0), asking.name(2)]) and waiting(asking) == []
    assert sorted(asking.app.names()) == sorted([asking.name(1), asking.name(3)])
    decisions = asking.owner.call("ListDecisions", library=asking.library, limit=3)["decisions"]
    confirmed = next(d for d in decisions if d["action"] == "confirm")
    assert (confirmed["role"], confirmed["source"], confirmed["before"], confirmed["after"]) == (
        "owner",
        "prompt",
        "2 to delete",
        "deletion allowed",
    )
    assert sum(d["action"] == "editPhoto" or d["role"] == "app" for d in decisions) == 2, "the deletions themselves"


def test_R153_a_refused_deletion_is_cancelled_by_the_user_and_changes_nothing(asking):
    known = asking.app.identifiers()
    favourite = {"kind": "setFavorite", "assets": [known[asking.name(1)]], "favorite": True}
    question = ask_to_delete(asking, 0, changes=[favourite])
    answer_deletion(asking.owner, question, False)
    assert refused(asking.app) == 3072
    assert trashed(asking) == [] and not asking.app.named(asking.name(1))["isFavorite"], "the whole request"
    assert asking.owner.newest_decision()["after"] == "deletion refused"
    assert asking.owner.refusal("AnswerDeletion", deletion=question["deletion"], allow=True).error == "NotFound"


def test_R153_deletions_are_allowed_or_forbidden_for_one_app(asking):
    known = asking.app.identifiers()
    asking.set_terms(deletions="never")
    assert asking.app.refusal("PerformChanges", changes=[deletion(known[asking.name(0)])]).parameters["code"] == 3311
    verbs = asking.app.call("DescribeAccess", level="readWrite")["verbs"]
    assert "delete" not in verbs and "edit" in verbs
    asking.set_terms(deletions="allow")
    asking.app.perform(deletion(known[asking.name(0)]))
    assert trashed(asking) == [asking.name(0)] and waiting(asking) == []


def test_R153_nobody_to_ask_is_an_error_by_name_at_once(own_scene):
    """A program of the owner that shows no requests, such as `photobroker log`, does not count."""
    scene = own_scene
    scene.allow()
    scene.set_terms(deletions="ask")
    asset = scene.app.identifiers()[scene.name(0)]
    # The broker forgets who listed requests with the connection.
    scene.owner.new_connection()
    scene.owner.call("GetStatus")
    name = pwd.getpwuid(scene.owner.uid).pw_name if scene.owner.uid in known_users() else f"user {scene.owner.uid}"
    refused = scene.app.refusal("PerformChanges", changes=[deletion(asset)])
    assert refused.error.endswith("NobodyToAsk") and refused.parameters["owners"] == [name]
    message = refused.parameters["message"]
    assert name in message and "photobroker open" in message and "nothing was deleted" in message
    assert waiting(scene) == [] and trashed(scene) == []
    # Now the owner's connection lists requests.
    answer_deletion(scene.owner, ask_to_delete(scene, 0), True)
    scene.app.hear()
    assert trashed(scene) == [scene.name(0)]


def known_users():
    return {account.pw_uid for account in pwd.getpwall()}


def test_R153_an_app_hears_at_once_for_whom_its_request_waits(make_scene):
    scene = make_scene(1)
    scene.owner.show_requests()
    for method, parameters in (
        ("RequestAuthorization", {"level": "readWrite"}),
        ("io.photobroker.Picker.Present", {"selectionLimit": 3}),
    ):
        first = scene.app.watch(method, method, **parameters)
        assert first["waiting"]["shown"] and len(first["waiting"]["owners"]) == 1
    scene.owner.answer(scene.owner.wait_for_prompt(), "allow")
    wait_for(lambda: scene.app.end_of("RequestAuthorization"), "the answer")
    assert scene.app.seen("RequestAuthorization")[-1]["status"] == "authorized"


def test_R153_only_deletions_ask(asking):
    """An album loses members, and a dry run changes nothing."""
    known = asking.app.identifiers()
    album = asking.app.perform({"kind": "createAlbum", "text": "Mine"})["createdAlbums"][0]
    members = {"album": album, "assets": [known[asking.name(0)]]}
    asking.app.perform({"kind": "addToAlbum", **members})
    asking.app.perform({"kind": "removeFromAlbum", **members})
    asking.app.perform(deletion(known[asking.name(0)]), dryRun=True)
    asking.app.perform({"kind": "deleteAlbum", "album": album})
    assert waiting(asking) == [] and trashed(asking) == []


def test_R153_a_request_that_fails_asks_nobody(asking):
    refusal = asking.app.refusal("PerformChanges", changes=[deletion("0" * 31 + "1")])
    assert refusal.parameters["code"] == 3201 and waiting(asking) == []


@pytest.mark.parametrize(
    "end, code",
    [
        (lambda scene: scene.owner.call("Revoke", library=scene.library, app=scene.app.name), 3301),
        (lambda scene: scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True), 3301),
        (lambda scene: scene.set_terms(deletions="never"), 3301),
        (lambda scene: scene.set_terms(changes=False), 3301),
        (lambda scene: scene.owner.call("AllowDeletions", name=scene.library, allow=False), 3301),
        (lambda scene: scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[]), 3301),
    ],
    ids=["revoked", "paused", "never", "read-only", "no-deletions", "not-offered"],
)
def test_R153_a_question_ends_with_the_right_to_delete(asking, end, code):
    question = ask_to_delete(asking, 0)
    end(asking)
    assert refused(asking.app) == code and waiting(asking) == [] and trashed(asking) == []
    assert asking.owner.refusal("AnswerDeletion", deletion=question["deletion"], allow=True).error == "NotFound"


def test_R153_a_photo_that_left_the_selection_meanwhile_is_not_deleted(asking):
    asking.limit(0, 1, 2)
    asking.set_terms(deletions="ask")
    question = ask_to_delete(asking, 0, 1)
    asking.unselect(1)
    answer_deletion(asking.owner, question, True)
    assert refused(asking.app) == 3201
    assert trashed(asking) == [] and len(asking.app.fetch()) == 2, "all or nothing"


def test_R153_a_photo_that_changed_meanwhile_is_not_deleted(asking):
    question = ask_to_delete(asking, 0)
    asking.mark(0, favorite=True)
    answer_deletion(asking.owner, question, True)
    assert refused(asking.app) == 3301 and trashed(asking) == []


def test_R153_a_question_ends_with_its_connection_and_with_its_process(asking):
    other = asking.broker.app(uid=asking.app.uid)
    other.use(asking.app.own_token, asking.app.token)
    known = asking.app.identifiers()
    asking.owner.show_requests()
    other.begin("PerformChanges", changes=[deletion(known[asking.name(0)])])
    wait_for(lambda: waiting(asking), "the question")
    other.end()
    wait_for(lambda: not waiting(asking), "the question to go")
    assert trashed(asking) == []


def test_R153_each_request_is_a_question_of_its_own_and_refusals_pause_them(asking):
    for _ in range(3):
        question = ask_to_delete(asking, 0)
        answer_deletion(asking.owner, question, False)
        assert refused(asking.app) == 3072
    known = asking.app.identifiers()
    refusal = asking.app.refusal("PerformChanges", changes=[deletion(known[asking.name(0)])])
    assert refusal.parameters["code"] == 3307 and "left alone" in refusal.parameters["message"]


def test_R126_R153_a_co_owner_answers_and_strangers_do_not(asking):
    broker = asking.broker
    strangers = [broker.owner(), broker.owner(0)]
    question = ask_to_delete(asking, 0)
    for stranger in strangers:
        assert stranger.call("ListDeletions")["deletions"] == []
        assert stranger.refusal("AnswerDeletion", deletion=question["deletion"], allow=True).error == "NotFound"
    answer_deletion(asking.owner, question, True)
    asking.app.hear()
    assert trashed(asking) == [asking.name(0)]


def test_R153_the_command_line_shows_the_photos_and_answers(asking):
    def run(*words, **more):
        return asking.broker.photobroker(asking.owner.uid, *words, **more).stdout

    assert "No deletion waits for you." in run("deletion", "list")
    question = ask_to_delete(asking, 0, 1)["deletion"]
    assert question in run("deletion", "list")
    shown = run("deletion", "answer", question, "allow", "--preview")
    assert asking.name(0) in shown and asking.name(1) in shown and asking.name(2) not in shown
    assert "may delete" in run("--yes", "deletion", "answer", question, "allow")
    asking.app.hear()
    assert trashed(asking) == sorted([asking.name(0), asking.name(1)])
    said = run("grant", "terms", asking.library, asking.app.name, "--deletions", "never")
    assert "no deletions" in said
    assert "deletes without asking" in run("grant", "terms", asking.library, asking.app.name, "--deletions", "allow")


def test_R153_a_rule_names_the_right_to_delete(make_scene):
    scene = make_scene(1)
    rule = {"library": scene.library, "name": "ours", "uid": scene.app.uid, "level": "readWrite", "answer": "allow"}
    scene.owner.call("Apply", rules=[rule | {"terms": {"deletions": "allow"}}])
    assert scene.app.request() == "authorized"
    assert scene.owner.grant(scene.library, scene.app.name)["terms"]["deletions"] == "allow"
    refusal = scene.owner.refusal("Apply", rules=[rule | {"terms": {"deletions": "often"}}])
    assert (refusal.error, refusal.parameters["parameter"]) == ("InvalidParameter", "terms.deletions")


def test_R153_an_owner_who_follows_the_questions_is_told(asking):
    asking.owner.watch("deletions", "ListDeletions")
    question = ask_to_delete(asking, 0)
    last = lambda: asking.owner.seen("deletions")[-1]["deletions"]
    wait_for(lambda: [d["deletion"] for d in last()] == [question["deletion"]], "the question to be told")
    answer_deletion(asking.owner, question, False)
    assert refused(asking.app) == 3072
    wait_for(lambda: last() == [], "its end to be told")


def delete_while_adding(agent, asset, go, picture):
    """Delete a photo in a request whose new asset arrives by a pipe, which the app closes on command."""
    connection = agent.connection()
    reader, writer = os.pipe()
    changes = [
        {"kind": "createAsset", "filename": "slow.jpg", "descriptor": 0},
        {"kind": "delete", "assets": [asset]},
    ]
    connection.send("io.photobroker.Library.PerformChanges", {"changes": changes}, descriptors=[reader])
    os.close(reader)
    os.write(writer, bytes.fromhex(picture))
    while not os.path.exists(go):
        time.sleep(0.1)
    os.close(writer)
    return connection.receive()


@pytest.fixture
def going(house):
    """A file that the app waits for, and the function that makes it."""
    folder = house.make_folder(f"going-{time.monotonic_ns()}", 0, mode=0o755)
    return str(folder / "go"), lambda: pathlib.Path(folder / "go").write_text("")


@pytest.mark.parametrize("begins", ["allow", "ask"])
def test_R153_consent_is_checked_when_the_photos_are_deleted(asking, going, begins):
    """An app decides when its new assets are complete, and so when the request is carried out."""
    path, go = going
    asking.set_terms(deletions=begins)
    asset = asking.app.identifiers()[asking.name(0)]
    asking.owner.show_requests()
    asking.app.start(delete_while_adding, asset=asset, go=path, picture=jpeg(day(9), b"slow").hex())
    if begins == "ask":
        answer_deletion(asking.owner, wait_for_deletion(asking.owner, asking.app), True)
        asking.mark(0, favorite=True)
    else:
        time.sleep(1)
        asking.set_terms(deletions="ask")
    go()
    assert refused(asking.app) == 3301
    assert trashed(asking) == [] and waiting(asking) == []


def test_R150_facts_withheld_during_the_question_are_not_set(asking):
    asset = asking.app.identifiers()[asking.name(1)]
    question = ask_to_delete(asking, 0, changes=[{"kind": "setCaption", "assets": [asset], "text": "guess"}])
    asking.set_terms(captions=False)
    answer_deletion(asking.owner, question, True)
    assert refused(asking.app) == 3311 and trashed(asking) == []


@pytest.mark.parametrize("status", ["limited", "authorized"])
def test_R153_access_that_comes_back_asks_before_deletions(asking, status):
    asking.set_terms(deletions="allow")
    grant = {"library": asking.library, "app": asking.app.name, "level": "readWrite"}
    asking.owner.call("SetGrant", **grant, status="denied")
    terms = asking.owner.call("SetGrant", **grant, status=status)["grant"]["terms"]
    assert terms["deletions"] == "ask"
