"""Selectors of owners: the preview and the grant hold the same photos (R13, R45, R146)."""

import os
import re

import pytest

from house.broker import Album
from house.person import wait_for
from house.pickers import filenames, present
from house.pictures import day, jpeg
from house.plugins import install_shared
from house.scene import Scene
from house.terminal import run_on_terminal


def printed_names(result):
    return re.findall(r"\S+\.jpg", result.stdout)


def begin_prompt(scene):
    scene.app.begin_request()
    return scene.owner.wait_for_prompt()


def test_R13_R146_a_preview_of_an_answer_shows_its_result(scene):
    newest = scene.newest_first
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": newest[0]}, neverShare=True)
    prompt = begin_prompt(scene)
    preview = scene.broker.photobroker(
        scene.owner.uid, "request", "answer", prompt["prompt"], "select", "--last", "2", "--preview"
    )
    assert printed_names(preview) == newest[1:3] and "2 assets would be selected" in preview.stdout
    scene.broker.photobroker(scene.owner.uid, "request", "answer", prompt["prompt"], "select", "--last", "2")
    assert scene.app.hear_request() == "limited" and scene.app.names() == printed_names(preview)


def test_R13_R146_a_preview_of_a_pick_shows_its_items(picking):
    newest = picking.newest_first
    picking.owner.call("MarkAssets", library=picking.library, selector={"filename": newest[0]}, neverShare=True)
    picker = present(picking, selectionLimit=2)
    preview = picking.broker.photobroker(
        picking.owner.uid, "picker", "answer", picker["picker"], "--last", "2", "--preview"
    )
    assert printed_names(preview) == newest[1:3]
    picking.broker.photobroker(picking.owner.uid, "picker", "answer", picker["picker"], "--last", "2")
    assert filenames(picking.picker.hear()) == printed_names(preview)


def test_R45_R146_others_shared_photos_are_offered_to_pickers_and_not_for_selections(own_broker):
    owner, app = own_broker.owner(), own_broker.app()
    album = Album(own_broker.house, f"shared-{owner.uid}", owner.uid)
    for number, name in enumerate(["own-0.jpg", "own-1.jpg", "shared/theirs-2.jpg"]):
        album.add(number, name)
    os.chmod(album.folder, 0o755)
    owner.call(
        "AddLibrary",
        name="mixed",
        backend=install_shared(own_broker.house),
        options={"path": str(album.folder)},
        offeredTo=[app.uid],
    )
    owner.wait_for_library("mixed", 3)
    assert (
        owner.names("mixed", selector={"last": 1})
        == owner.names("mixed", selector={"last": 1}, purpose="picker")
        == ["theirs-2.jpg"]
    )
    assert owner.names("mixed", selector={"last": 1}, purpose="selection") == ["own-1.jpg"]
    app.introduce()
    owner.set("mixed", app.name, "limited")
    assert owner.call("EditSelection", library="mixed", app=app.name, add={"last": 1})["added"] == 1
    app.request()
    assert app.names() == ["own-1.jpg"]
    assert owner.refusal("FetchOwnedAssets", library="mixed", purpose="looking").parameters["parameter"] == "purpose"


def test_R13_R146_an_owners_album_takes_any_photo_and_widens_no_apps_view(scene):
    owner, newest = scene.owner, scene.newest_first
    owner.call("MarkAssets", library=scene.library, selector={"filename": newest[0]}, neverShare=True)
    assert owner.names(scene.library, selector={"last": 1}) == newest[:1]
    made = owner.call("EditOwnedAlbum", library=scene.library, title="Never", add={"last": 1}, shared=True)["album"]
    assert made["count"] == 1 and owner.names(scene.library, selector={"album": made["album"]}) == newest[:1]
    owner.call(
        "EditOwnedAlbum", library=scene.library, album=made["album"], add=owner.naming(scene.library, [newest[1]])
    )
    scene.allow()
    owner.set(scene.library, scene.app.name, "authorized", albumPolicy="shared-read")
    [album] = wait_for(lambda: scene.app.call("FetchAlbums")["albums"], "the album that is shared")
    assert album["count"] == 1 and scene.app.names(album=album["localIdentifier"]) == [newest[1]]


@pytest.mark.library("shared")
@pytest.mark.parametrize("answer", ["allow", "deny"])
def test_R12_R21_a_choice_of_photos_beside_an_answer_without_one_is_refused(scene, answer):
    prompt = begin_prompt(scene)
    draft = scene.owner.call("DraftAnswer", prompt=prompt["prompt"], selector={"last": 1})["draft"]
    for name, value in [("selector", {"last": 1}), ("draft", draft)]:
        refused = scene.owner.refusal("AnswerPrompt", prompt=prompt["prompt"], answer=answer, **{name: value})
        assert refused.parameters["parameter"] == name, refused.parameters
        assert "this answer chooses no photos" in refused.parameters["problem"]
    assert scene.owner.prompts() and scene.owner.grant(scene.library, scene.app.name) is None, "nothing was decided"
    scene.owner.answer(prompt, "select", draft=draft)
    assert scene.app.hear_request() == "limited" and scene.app.names() == scene.newest_first[:1]


def test_R146_an_applied_edit_equals_its_preview(scene):
    scene.take_additions()
    scene.limit(0, 1)
    entry = {
        "library": scene.library,
        "app": scene.app.name,
        "level": "readWrite",
        "status": "limited",
        "select": [{"last": 2}],
        "replace": True,
    }
    rule = {"library": scene.library, "name": "later", "uid": scene.app.uid, "level": "addOnly", "answer": "deny"}

    def preview():
        reply = scene.owner.call("Apply", grants=[entry], rules=[rule], preview=True)
        return reply["outcome"], [asset["filename"] for asset in reply["grants"][0]["sample"]]

    old, names = preview()
    assert sorted(names) == sorted(scene.newest_first[:2]) and preview()[0] == old, (
        "where nothing changed it comes to the same"
    )
    new = scene.album.add(30).name
    scene.owner.wait_for_library(scene.library, 7)
    before = scene.owner.call("ListDecisions", library=scene.library)["decisions"]
    refused = scene.owner.refusal("Apply", grants=[entry], rules=[rule], outcome=old)
    assert refused.error == "Refused" and refused.parameters["reason"]["code"] == "outcomeChanged"
    assert scene.owner.call("ListDecisions", library=scene.library)["decisions"] == before
    assert scene.owner.call("ListRules", library=scene.library)["rules"] == []
    assert sorted(scene.app.names()) == scene.pictures[:2], "nothing of it was applied"
    seen, names = preview()
    assert seen != old and sorted(names) == sorted([new, scene.newest_first[0]])
    # The rule answers the next request, which the preview did not mention.
    scene.app.begin_request("addOnly")
    prompt = scene.owner.wait_for_prompt()
    assert prompt["level"] == "addOnly"
    assert (
        scene.owner.refusal("Apply", grants=[entry], rules=[rule], outcome=seen).parameters["reason"]["code"]
        == "outcomeChanged"
    )
    assert scene.owner.call("Apply", grants=[entry], rules=[rule], outcome=preview()[0]).get("outcome") is None
    assert scene.app.hear()["status"] == "denied" and sorted(scene.app.names()) == sorted([new, scene.newest_first[0]])


def test_R146_a_file_is_applied_on_a_terminal_as_previewed_or_not_at_all(scene):
    scene.limit(0, 1)
    file = scene.house.folder / f"decisions-{scene.owner.uid}.json"
    file.write_text(
        '{"grants": [{"library": "%s", "app": "%s", "level": "readWrite", "select": [{"last": 2}], "replace": true}]}'
        % (scene.library, scene.app.name)
    )
    file.chmod(0o644)

    def photo_comes():
        scene.album.add(30)
        scene.owner.wait_for_library(scene.library, 7)

    status, text = run_on_terminal(scene, "apply", file, answers="y", meanwhile=photo_comes)
    assert status == 65 and "would differ from the preview" in text, (status, text)
    assert sorted(scene.app.names()) == scene.pictures[:2]
    status, text = run_on_terminal(scene, "apply", file, answers="y", meanwhile=lambda: None)
    assert status == 0 and "picture-030.jpg" in text, (status, text)
    assert sorted(scene.app.names()) == sorted(["picture-030.jpg", scene.newest_first[0]])


@pytest.mark.parametrize("changes", [True, False], ids=["changed", "unchanged"])
def test_R146_many_photos_are_given_on_a_terminal_as_previewed_or_not_at_all(make_scene, changes):
    """More photos than the command line names, for a selection and for an answer."""
    scene = make_scene(52)
    count = len(scene.pictures)

    def meanwhile():
        nonlocal count
        if changes:
            scene.album.add(count)
            count += 1
            scene.owner.wait_for_library(scene.library, count)

    def say(*words):
        status, text = run_on_terminal(scene, *words, "--last", "51", answers="y", meanwhile=meanwhile)
        assert status == (65 if changes else 0), (status, text)
        assert ("would differ from the preview" in text) == changes, text

    prompt = begin_prompt(scene)
    say("request", "answer", prompt["prompt"], "select")
    assert bool(scene.owner.prompts()) == changes, "what is refused decides nothing"
    scene.owner.set(scene.library, scene.app.name, "limited")
    chosen = [] if changes else scene.newest_first[:51]
    assert scene.owner.names(scene.library, app=scene.app.name) == chosen
    scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, remove={"all": True})
    say("grant", "select", scene.library, scene.app.name)
    assert scene.owner.names(scene.library, app=scene.app.name) == chosen


def test_R43_R146_a_prompt_counts_the_apps_own_photos_and_the_answer_includes_them(own_broker):
    scene = Scene(own_broker, 6)
    scene.let_broker_add()
    scene.allow(level="addOnly")
    for number, name in enumerate(["a.jpg", "b.jpg"]):
        scene.app.add(name, jpeg(day(60 + number), name.encode()))
    prompt = begin_prompt(scene)
    assert prompt["joining"] == 2
    preview = scene.broker.photobroker(
        scene.owner.uid, "request", "answer", prompt["prompt"], "select", "--name", "a.jpg", "--preview"
    )
    assert "1 asset would be selected, and the 1 other that the app added itself." in preview.stdout
    status, text = run_on_terminal(
        scene, "request", "answer", prompt["prompt"], "select", "--none", answers="y", meanwhile=lambda: None
    )
    assert status == 0 and "the app will see only the 2 assets that it added itself" in text, text
    assert scene.app.hear_request() == "limited" and sorted(scene.app.names()) == ["a.jpg", "b.jpg"]
    # Deselected photos join again once the decision is forgotten. The help and the command say so.
    scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, remove={"all": True})
    assert "unselected" in scene.broker.photobroker(scene.owner.uid, "grant", "level", "--help").stdout
    scene.owner.set(scene.library, scene.app.name, "notDetermined")
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    prompt = begin_prompt(scene)
    name = scene.pictures[0]
    status, text = run_on_terminal(
        scene, "request", "answer", prompt["prompt"], "select", "--name", name, answers="y", meanwhile=lambda: None
    )
    assert status == 0 and "this asset, and the 2 others that the app added itself?" in text, text
    assert scene.app.hear_request() == "limited" and sorted(scene.app.names()) == sorted(["a.jpg", "b.jpg", name])
