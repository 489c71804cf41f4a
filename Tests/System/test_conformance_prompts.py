"""The question at a life cycle's start, the selection page, and events about both (R33, R53 to
R71)."""

import os
import subprocess

import pytest
from photobroker import Connection

from house.person import as_user, wait_for
from house.scene import Scene

pytestmark = pytest.mark.library("shared")

AUTOMATIC = "PHPhotoLibraryPreventAutomaticLimitedAccessAlert"


@pytest.fixture
def asking(make_scene):
    """A limited app whose manifest allows the question."""
    scene = make_scene(4, introduce=False)
    scene.app.introduce(**{AUTOMATIC: None})
    scene.limit_earlier(0, 1)
    return scene


def test_R53_R54_R55_R57_the_first_fetch_prompts_once_and_does_not_wait(asking):
    scene = asking
    scene.app.call("GetAuthorizationStatus", level="readWrite")
    scene.app.call("DescribeAccess", level="readWrite")
    scene.app.call("GetLimits")
    assert scene.owner.prompts("keepSelection") == [], (
        "connecting, asking for the status and reading the manifest are no fetch"
    )
    assert set(scene.app.names()) == set(scene.pictures[:2]), "the fetch answers at once from the current selection"
    assert len(scene.owner.prompts("keepSelection")) == 1
    scene.owner.answer(scene.owner.prompts("keepSelection")[0], "keep")
    for _ in range(3):
        scene.app.names()
        scene.app.count()
    scene.app.new_connection()
    scene.app.names()
    assert scene.owner.prompts("keepSelection") == [], "a reconnect is the same life cycle"
    tokens = [scene.app.own_token, scene.app.token]
    uid = scene.app.uid
    # A new life cycle begins when all its processes have ended.
    scene.app.end()
    again = scene.broker.app(uid=uid)
    again.use(*tokens)
    assert set(again.names()) == set(scene.pictures[:2])
    wait_for(lambda: scene.owner.prompts("keepSelection"), "the question of the next life cycle")


def test_R53_an_edit_arrives_by_observer(asking):
    scene = asking
    scene.app.observe()
    scene.app.names()
    scene.owner.answer(
        scene.owner.prompts("keepSelection")[0],
        "change",
        selector=scene.owner.naming(scene.library, scene.pictures[1:3]),
    )
    wait_for(scene.app.events, "the event")
    event = scene.app.events()[0]
    assert [a["filename"] for a in event["inserted"]] == [scene.pictures[2]] and len(event["removed"]) == 1
    assert set(scene.app.names()) == set(scene.pictures[1:3])


@pytest.mark.parametrize("answer", ["keep", "change"])
def test_R56_keep_changes_nothing_and_change_opens_the_selection_page(asking, answer):
    scene = asking
    scene.app.names()
    prompt = scene.owner.prompts("keepSelection")[0]
    assert set(prompt["answers"]) == {"keep", "change"}
    chosen = {"selector": scene.owner.naming(scene.library, scene.pictures[2:3])}
    scene.owner.answer(prompt, answer, **(chosen if answer == "change" else {}))
    wanted = {"keep": scene.pictures[:2], "change": scene.pictures[2:3]}[answer]
    assert set(scene.app.names()) == set(wanted)
    assert scene.app.status() == "limited"


def test_R54_five_workers_of_one_app_cause_one_prompt(asking):
    scene = asking

    def five(agent, tokens):
        children = []
        for _ in range(5):
            child = os.fork()
            if child == 0:
                with Connection(agent.path) as connection:
                    for token in tokens:
                        connection.call("io.photobroker.Library.Attach", token=token)
                    count = len(connection.call("io.photobroker.Library.FetchAssets")["assets"])
                os._exit(count)
            children.append(child)
        return [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]

    scene.app.call("GetLimits")
    assert scene.app.run(five, tokens=[scene.app.own_token, scene.app.token]) == [2] * 5
    assert len(scene.owner.prompts("keepSelection")) == 1


@pytest.mark.parametrize("status", ["authorized", "denied"])
def test_R58_full_denied_and_add_only_access_causes_no_selection_prompt(asking, status):
    scene = asking
    scene.owner.set(scene.library, scene.app.name, status)
    scene.owner.set(scene.library, scene.app.name, "authorized", level="addOnly")
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    scene.app.request("addOnly")
    if status == "authorized":
        scene.app.request()
        scene.app.names()
    else:
        assert scene.app.is_refused()
    assert scene.owner.prompts("keepSelection") == []


def test_R33_R60_R61_the_manifest_key_suppresses_only_the_selection_prompt(make_scene):
    scene = make_scene(4, introduce=False)
    scene.app.introduce(**{AUTOMATIC: True})
    scene.app.begin_request()
    scene.owner.answer(
        scene.owner.wait_for_prompt(), "select", selector=scene.owner.naming(scene.library, scene.pictures[:1])
    )
    assert scene.app.hear_request() == "limited", "the authorization prompt appears all the same"
    scene.app.names()
    assert scene.owner.prompts("keepSelection") == []
    scene.app.begin("PresentLimitedLibraryPicker")
    scene.owner.answer(scene.owner.wait_for_prompt("selection"), "cancel")
    assert scene.app.hear() == {"added": []}, "and so does the selection page"


def test_R53_an_app_without_a_screen_causes_no_prompt_at_its_start(make_scene):
    scene = make_scene(3, introduce=False)
    scene.app.introduce(**{AUTOMATIC: None, "hasScreen": False})
    scene.limit_earlier(0)
    assert scene.app.names() == [scene.pictures[0]]
    assert scene.owner.prompts("keepSelection") == []


def test_R59_one_selection_page_serves_first_choice_prompt_and_request(asking):
    """All three take the same selector."""
    scene = asking
    selector = {"filename": scene.pictures[3]}
    scene.app.names()
    scene.owner.answer(scene.owner.prompts("keepSelection")[0], "change", selector=selector)
    assert scene.app.names() == [scene.pictures[3]]
    scene.app.begin("PresentLimitedLibraryPicker")
    scene.owner.answer(scene.owner.wait_for_prompt("selection"), "select", selector=selector)
    assert scene.app.hear() == {"added": []}
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.first")
    other.begin_request()
    prompt = wait_for(lambda: [p for p in scene.owner.prompts() if p["kind"] == "authorization"], "the question")[0]
    scene.owner.answer(prompt, "select", selector=selector)
    assert other.hear_request() == "limited" and other.names() == [scene.pictures[3]]


def test_R62_the_selection_page_opens_at_any_time_and_any_number_of_times(scene):
    scene.limit(0)
    for name, added in [(1, 1), (1, 0), (2, 1)]:
        scene.app.begin("PresentLimitedLibraryPicker")
        prompt = scene.owner.wait_for_prompt("selection")
        scene.owner.answer(
            prompt, "select", selector=scene.owner.naming(scene.library, [scene.name(0), scene.name(name)])
        )
        reply = scene.app.hear()
        assert len(reply["added"]) == added
        assert set(scene.app.names()) == {scene.name(0), scene.name(name)}


@pytest.mark.library("own")
def test_R69_selection_page_settings_and_synced_deletions_all_notify_observers(scene):
    scene.limit(0, 1)
    known = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch()}
    scene.app.observe()
    events = scene.app.events
    scene.app.begin("PresentLimitedLibraryPicker")
    scene.owner.answer(
        scene.owner.wait_for_prompt("selection"),
        "select",
        selector=scene.owner.naming(scene.library, scene.pictures[:3]),
    )
    scene.app.hear()
    wait_for(lambda: len(events()) >= 1, "an event from the page")
    assert [a["filename"] for a in events()[0]["inserted"]] == [scene.pictures[2]]
    scene.unselect(1)
    wait_for(lambda: len(events()) >= 2, "an event from settings")
    assert events()[1]["removed"] == [known[scene.pictures[1]]]
    (scene.album.folder / scene.pictures[0]).unlink()
    wait_for(lambda: len(events()) >= 3, "an event from the deletion")
    assert events()[2]["removed"] == [known[scene.pictures[0]]]


def test_R71_a_slow_observer_receives_the_final_state(scene):
    """Unread edits arrive as one event, which still leads to the current list."""
    scene.limit(0)
    start = {a["localIdentifier"] for a in scene.app.fetch()}
    scene.app.observe()
    for _ in range(20):
        scene.select(1, 2)
        scene.unselect(1)
    final = {a["localIdentifier"] for a in scene.app.fetch()}

    def replayed():
        have = set(start)
        for event in scene.app.events():
            assert not event["resynchronize"]
            have -= set(event["removed"])
            have |= {a["localIdentifier"] for a in event["inserted"]}
        return have

    wait_for(lambda: replayed() == final, "the last state")


def test_prompts_are_followed_across_a_restart(own_broker):

    scene = Scene(own_broker, 1)
    heard = scene.house.folder / f"heard-{scene.owner.uid}"
    command = [own_broker.programs / "photobroker", "--socket", own_broker.admin_socket, "request", "wait", "--follow"]
    with open(heard, "w") as output:
        waiting = subprocess.Popen(
            as_user(scene.owner.uid, command),
            stdout=output,
            stderr=output,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
        )
    try:
        scene.app.begin_request()
        prompt = scene.owner.wait_for_prompt()
        wait_for(lambda: prompt["prompt"] in heard.read_text(), "the first question")
        scene.owner.call("AnswerPrompt", prompt=prompt["prompt"], answer="deny")
        scene.app.hear_request()
        own_broker.restart()
        wait_for(lambda: "The broker is gone" in heard.read_text(), "word of the end")
        other = own_broker.app(uid=scene.app.uid)
        other.introduce("org.example.other")
        other.begin_request()
        later = scene.owner.wait_for_prompt()
        wait_for(lambda: later["prompt"] in heard.read_text(), "the question after the restart")
        assert waiting.poll() is None
    finally:
        waiting.terminate()
        waiting.wait(10)
