"""The owner's command line as a person uses it: unnamed requests, short identifiers, lists that fit."""

import pwd
import re

import pytest

from house.person import wait_for
from house.terminal import run_on_terminal

WHOLE = re.compile("[0-9a-f]{32}")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_lists_fit_the_terminal_and_their_identifiers_are_taken(scene, columns):
    scene.limit(0, 1)
    scene.app.digest(scene.app.named(scene.pictures[0])["localIdentifier"])
    lists = ["log", scene.library], ["decisions"], ["app", "list"], ["grant", "list"], ["asset", "list", scene.library]
    for words in lists:
        status, text = run_on_terminal(scene, *words, columns=columns)
        assert status == 0 and not WHOLE.search(text.split("\r\n\r\n")[0]), text
        assert max(map(len, text.split("\r\n"))) <= columns, text
        whole = scene.broker.photobroker(scene.owner.uid, *words).stdout
        assert run_on_terminal(scene, *words, "--wide", columns=columns)[1].replace("\r\n", "\n") == whole
    for row in run_on_terminal(scene, *lists[-1], columns=columns)[1].splitlines()[1:]:
        short = row.split()[0]
        shown = scene.broker.photobroker(scene.owner.uid, "asset", "show", scene.library, short).stdout
        assert len(short) >= 8 and shown.startswith("File: ")
        marked = scene.broker.photobroker(scene.owner.uid, "asset", "mark", scene.library, "--favorite", "--id", short)
        assert marked.stdout == "1 asset changed.\n"


def test_the_last_photos_of_a_selection_are_those_that_the_app_has(scene):
    scene.limit(0, 1, 2)
    run = lambda *words: scene.broker.photobroker(scene.owner.uid, "grant", "unselect", scene.library, *words).stdout
    assert scene.pictures[5] not in scene.app.names(), "the library's latest photo is not selected"
    preview = run(scene.app.name, "--last", "2", "--preview")
    assert scene.pictures[2] in preview and scene.pictures[1] in preview and "2 assets would be removed; 1" in preview
    assert "2 assets would be removed" in run(scene.app.name, "--all", "--last", "2", "--preview")
    assert len(scene.app.names()) == 3
    assert "1 asset removed; 2 are selected" in run(scene.app.name, "--last", "1")
    assert scene.app.names() == [scene.pictures[1], scene.pictures[0]]
    assert "2 assets removed; 0 are selected" in run(scene.app.name, "--all")
    album = scene.make_album("Trip", 0, 1)["album"]
    scene.broker.photobroker(scene.owner.uid, "album", "remove", scene.library, album, "--last", "1")
    [left] = scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]
    assert left["count"] == 1


def test_R131_the_only_request_is_answered_and_the_latest_decision_undone_without_names(scene):
    scene.app.begin_request()
    scene.owner.wait_for_prompt()
    answered = scene.broker.photobroker(scene.owner.uid, "request", "answer", "decline").stdout
    assert "org.example.journal" in answered and scene.app.hear_request() == "denied"
    again = scene.broker.photobroker(scene.owner.uid, "request", "answer", "decline", expect=66)
    assert "No request waits" in again.stderr
    status, text = run_on_terminal(scene, "undo", answers="y")
    assert status == 0 and "not asked yet became no access" in text, text
    assert scene.owner.grant(scene.library, scene.app.name) is None


def test_of_several_requests_a_person_chooses_one_and_its_answer(scene):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    for app in (scene.app, other):
        app.begin_request()
    wait_for(lambda: len(scene.owner.prompts()) == 2, "both requests")
    listed = scene.broker.photobroker(scene.owner.uid, "request", "answer", "allow", expect=64).stderr
    assert "2 requests wait" in listed and "org.example.other" in listed
    # Ctrl-D, then an empty line.
    for typed in ("\x04", "", "1\n\x04"):
        status, text = run_on_terminal(scene, "request", "answer", answers=typed, question="Which request, 1 to 2?")
        assert status == 1 and "Nothing was changed" in text, text
    place = [prompt["app"]["app"] for prompt in scene.owner.prompts()].index(other.name) + 1
    status, text = run_on_terminal(
        scene, "request", "answer", answers=f"{place}\ndecline", question="Which request, 1 to 2?"
    )
    assert status == 0 and "Answer, one of allow, select, decline:" in text, text
    assert other.hear_request() == "denied" and len(scene.owner.prompts()) == 1


def test_an_app_is_named_by_the_start_of_its_name_and_users_by_theirs(scene):
    scene.limit(0, 1)
    run = lambda *words, **options: scene.broker.photobroker(scene.owner.uid, *words, **options)
    assert "Paused" in run("grant", "pause", "--app", scene.app.name[:12]).stdout
    assert "Resumed" in run("grant", "resume", "--app", scene.app.name[:12]).stdout
    name = pwd.getpwuid(0).pw_name
    run("library", "offer", scene.library, "--add", name)
    assert f"0 ({name})" in run("library", "list").stdout
    run("library", "offer", scene.library, "--remove", name)
    refused = run("library", "offer", scene.library, "--add", "no-such-user", expect=64)
    assert "no user no-such-user" in refused.stderr
