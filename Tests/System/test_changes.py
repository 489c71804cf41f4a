"""Edits of the selection, and the events that a running app gets."""

import random
import time

import pytest

from house.changes import fetched, replay
from house.person import Refused, wait_for
from house.soak import WHOLE

pytestmark = pytest.mark.library("shared")


def test_R51_R52_an_edit_is_in_force_once_acknowledged(scene):
    scene.limit(0, 1)
    for number in (2, 3, 4):
        scene.select(number)
        assert scene.pictures[number] in scene.app.names()
    scene.unselect(0, 3)
    assert scene.app.names() == [scene.pictures[n] for n in (4, 2, 1)]


def test_R146_R51_a_preview_shows_an_edits_count_and_names(scene):
    scene.limit(0)
    edit = scene.owner.call(
        "EditSelection",
        library=scene.library,
        app=scene.app.name,
        add={"last": 3},
        remove={"filename": scene.pictures[0]},
        preview=True,
    )
    assert (edit["added"], edit["removed"], edit["selected"]) == (3, 1, 3)
    assert [a["filename"] for a in edit["sample"]] == [scene.pictures[n] for n in (5, 4, 3, 0)], "as a fetch gives them"
    assert scene.app.names() == [scene.pictures[0]]


@pytest.mark.parametrize(
    "selector, numbers",
    [
        ({"last": 2}, [5, 4]),
        ({"glob": "picture-00?.jpg"}, [5, 4, 3, 2, 1, 0]),
        ({"glob": "**/*2.jpg"}, [2]),
        ({"glob": "*/*2.jpg"}, []),
        ({"glob": "**2.jpg"}, [2]),
        ({"filename": "picture-003.jpg"}, [3]),
        ({"mediaType": "video"}, []),
        ({"mediaType": "image"}, [5, 4, 3, 2, 1, 0]),
        ({"all": True}, [5, 4, 3, 2, 1, 0]),
        ({"createdFrom": 1704283200000000, "createdBefore": 1704369600000001}, [3, 2]),
    ],
)
def test_R146_an_owner_selects_by_every_kind_of_selector(scene, selector, numbers):
    scene.limit()
    edit = scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, add=selector)
    assert edit["added"] == len(numbers)
    assert scene.app.names() == [scene.pictures[n] for n in numbers]


def test_R63_R64_the_selection_page_returns_the_added_photos(scene):
    scene.limit(0, 1)
    scene.app.begin("PresentLimitedLibraryPicker")
    prompt = scene.owner.wait_for_prompt("selection")
    keep = [scene.owner.identifier(scene.library, scene.pictures[n]) for n in (1, 3, 4)]
    scene.owner.answer(prompt, "select", selector={"identifiers": keep})
    added = scene.app.hear()["added"]
    assert scene.app.names() == [scene.pictures[n] for n in (4, 3, 1)], "R64: a fetch sees the new selection"
    assert set(added) == {scene.app.named(scene.pictures[n])["localIdentifier"] for n in (3, 4)}


def test_R63_a_cancelled_selection_page_adds_nothing(scene):
    scene.limit(0, 1)
    scene.app.begin("PresentLimitedLibraryPicker")
    scene.owner.answer(scene.owner.wait_for_prompt("selection"), "cancel")
    assert scene.app.hear()["added"] == []
    assert scene.app.names() == [scene.pictures[1], scene.pictures[0]]


@pytest.mark.parametrize("status", ["authorized", "denied", None])
def test_R65_only_limited_access_opens_a_selection_page(scene, status):
    if status:
        scene.owner.set(scene.library, scene.app.name, status)
    refused = scene.app.refusal("PresentLimitedLibraryPicker")
    assert (refused.error, refused.parameters["status"]) == ("NotLimited", status or "notDetermined")
    assert scene.owner.prompts() == []


@pytest.mark.library("own")
def test_R67_R68_one_observer_reports_selection_and_library_changes(scene):
    scene.limit(0, 1)
    start = scene.app.fetch()
    first = scene.app.observe()
    assert (first["inserted"], first["changed"], first["removed"]) == ([], [], [])
    scene.select(2)
    scene.unselect(0)
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, favorite=True)
    (scene.album.folder / scene.pictures[2]).unlink()
    wait_for(
        lambda: replay(start, scene.app.events()) == fetched(scene.app) and len(scene.app.fetch()) == 1, "the events"
    )
    assert [a["isFavorite"] for a in scene.app.fetch()] == [True]


def test_R70_an_app_without_an_observer_receives_no_event(scene):
    scene.limit(0)

    def listen(agent):
        connection = agent.connection()
        connection.socket.settimeout(1)
        try:
            return connection.socket.recv(1).hex()
        except TimeoutError:
            return "silence"
        finally:
            connection.socket.settimeout(120)

    scene.app.start(listen)
    scene.select(1)
    assert scene.app.hear() == "silence"


@pytest.mark.library("own")
def test_R71_changes_of_an_unselected_photo_are_not_reported(scene):
    scene.limit(0)
    scene.app.observe()
    scene.album.add(30, "hidden-new.jpg")
    scene.album.add(31, scene.pictures[4])
    (scene.album.folder / scene.pictures[5]).unlink()
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[3]}, favorite=True)
    wait_for(
        lambda: (
            "hidden-new.jpg" in scene.owner.names(scene.library)
            and scene.pictures[5] not in scene.owner.names(scene.library)
        ),
        "the library to follow",
    )
    scene.select(1)
    wait_for(scene.app.events, "the event that the app may know of")
    events = scene.app.events()
    assert [a["filename"] for e in events for a in e["inserted"]] == [scene.pictures[1]]
    assert not any(e["changed"] or e["removed"] for e in events)
    assert len(events) == 1, "not even an empty event"


@pytest.mark.library("own")
@pytest.mark.parametrize("seed", range(10 if WHOLE else 1))
def test_R71_replaying_random_edits_equals_the_fetch(make_scene, seed):
    scene = make_scene(14)
    scene.limit(0, 1, 2)
    start = scene.app.fetch()
    scene.app.observe()
    random_ = random.Random(seed)
    for step in range(25):
        some = random_.sample(scene.pictures, random_.randint(1, 4))
        action = random_.choice(["select", "unselect", "mark", "hide", "show"])
        if action in ("select", "unselect"):
            getattr(scene, action)(*some)
        else:
            mark = {"mark": {"favorite": bool(step % 2)}, "hide": {"hidden": True}, "show": {"hidden": False}}[action]
            identifiers = [scene.owner.identifier(scene.library, n) for n in some]
            scene.owner.call("MarkAssets", library=scene.library, selector={"identifiers": identifiers}, **mark)
    wanted = fetched(scene.app)
    wait_for(lambda: replay(start, scene.app.events()) == wanted, f"the replay to give the fetch (seed {seed})")


def test_R18_a_change_of_level_asks_for_a_full_fetch(scene):
    scene.limit(0)
    scene.app.observe()
    scene.owner.set(scene.library, scene.app.name, "authorized")
    event = wait_for(scene.app.events, "the event")[-1]
    assert (event["status"], event["resynchronize"], event["inserted"]) == ("authorized", True, [])


def test_a_change_token_lets_an_app_catch_up(own_scene):
    scene = own_scene
    scene.limit(0, 1)
    start = scene.app.fetch()
    token = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    scene.select(2)
    scene.unselect(0)
    event = scene.app.call("FetchPersistentChanges", since=token)["event"]
    assert replay(start, [event]) == fetched(scene.app)
    assert scene.app.call("FetchPersistentChanges", since=event["changeToken"])["event"]["inserted"] == []
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    scene.select(3)
    event = scene.app.call("FetchPersistentChanges", since=token)["event"]
    assert event["resynchronize"] or replay(start, [event]) == fetched(scene.app)


def test_a_change_token_is_valid_for_its_grant_only(scene):
    scene.limit(0)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(1, app=other)
    token = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    assert other.refusal("FetchPersistentChanges", since=token).parameters["code"] == 3105


def test_R68_an_observer_ends_when_access_ends(scene):
    scene.limit(0)
    scene.app.observe()
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    end = wait_for(lambda: scene.app.end_of("observer"), "the observer's end")
    assert end["error"] is not None
    with pytest.raises(Refused):
        scene.app.observe("again")


@pytest.mark.library("own")
@pytest.mark.parametrize("status", ["limited", "authorized"])
def test_R68_an_album_change_is_reported_once_and_also_by_change_token(scene, status):
    if status == "limited":
        scene.limit(0, 1)
    else:
        scene.allow()
    scene.app.observe()
    for number in range(12):
        before = len(scene.app.events())
        token = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
        album = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": f"Album {number}"}])[
            "createdAlbums"
        ][0]
        event = scene.app.call("FetchPersistentChanges", since=token)["event"]
        assert event["albumsChanged"] and not event["resynchronize"], "the token tells of it"
        assert album in [a["localIdentifier"] for a in scene.app.call("FetchAlbums")["albums"]]
        wait_for(lambda: len(scene.app.events()) > before, "the event")
        time.sleep(0.05)
        told = scene.app.events()[before:]
        assert [e["albumsChanged"] for e in told] == [True], told
        assert scene.app.call("FetchPersistentChanges", since=told[0]["changeToken"])["event"]["albumsChanged"] is False
