"""Live selections: photos join and leave by themselves, and the app sees an ordinary selection."""

import time

import pytest

from house.person import Refused, wait_for
from house.pictures import day, jpeg, microseconds

pytestmark = pytest.mark.library("own")


def answer(scene, *words):
    """Answer the app's request on the command line, and return what it printed."""
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    said = scene.broker.photobroker(scene.owner.uid, "--yes", "request", "answer", prompt, "select", "--live", *words)
    assert scene.app.hear_request() == "limited"
    return said.stdout


def unlike(scene, *names):
    scene.mark(*names, favorite=False)


def test_R154_a_photo_that_arrives_in_the_folder_is_heard_by_the_app(scene):
    said = answer(scene, "--glob", "trips/**")
    assert "live: in trips/**" in said, said
    scene.app.observe()
    scene.album.put("trips/a.jpg", jpeg(day(11)))
    scene.album.put("elsewhere/b.jpg", jpeg(day(12)))
    scene.owner.rescan(scene.library)
    wait_for(lambda: scene.app.events(), "the arrival")
    assert [a["filename"] for e in scene.app.events() for a in e["inserted"]] == ["a.jpg"]
    assert scene.app.names() == ["a.jpg"]
    (scene.album.folder / "trips/a.jpg").rename(scene.album.folder / "elsewhere/a.jpg")
    scene.owner.rescan(scene.library)
    wait_for(lambda: scene.app.count() == 0, "the photo to leave")
    assert "a.jpg" in scene.owner.names(scene.library)


def test_R154_a_photo_that_is_no_favourite_any_more_is_gone_at_once(scene):
    scene.mark(0, 1, favorite=True)
    answer(scene, "--favorite")
    assert set(scene.app.names()) == {scene.pictures[0], scene.pictures[1]}
    known = scene.app.named(scene.pictures[0])["localIdentifier"]
    scene.app.observe()
    unlike(scene, 0)
    for method, parameters in (
        ("GetResources", {}),
        ("OpenResource", {"role": "original"}),
        ("ReadBytes", {"role": "original", "offset": 0, "length": 16}),
        ("GetThumbnail", {"maxPixels": 64}),
    ):
        assert scene.app.refusal(method, asset=known, **parameters).parameters["code"] == 3201, method
    assert scene.app.names() == [scene.pictures[1]]
    wait_for(lambda: scene.app.events(), "the removal")
    assert [e["removed"] for e in scene.app.events()] == [[known]]


def test_R154_the_album_of_a_live_selection_is_named_and_photos_are_taken_out(scene):
    album = scene.make_album("Trips", 0, 1, 2)["album"]
    scene.mark(0, 1, 3, favorite=True)
    said = answer(scene, "--album", album, "--favorite")
    assert "live: of album “Trips”, favourites" in said, said
    run = lambda *words: scene.broker.photobroker(scene.owner.uid, "--yes", "grant", *words).stdout
    first = scene.owner.identifier(scene.library, scene.pictures[0])
    run("unselect", scene.library, scene.app.name, "--id", first)
    assert "live: of album “Trips”, favourites, without 1 asset" in run("show", scene.library, scene.app.name)
    assert scene.app.names() == [scene.pictures[1]]
    unlike(scene, 0)
    scene.mark(0, 2, favorite=True)
    assert set(scene.app.names()) == {scene.pictures[1], scene.pictures[2]}
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, delete=True)
    assert scene.app.names() == []
    assert "of album (deleted)" in run("show", scene.library, scene.app.name)
    scene.owner.call("UndoDecision", decision=scene.owner.newest_decision(library=scene.library)["decision"])
    assert set(scene.app.names()) == {scene.pictures[1], scene.pictures[2]}
    run("select", scene.library, scene.app.name, "--not-live")
    unlike(scene, 1)
    assert set(scene.app.names()) == {scene.pictures[1], scene.pictures[2]}
    assert scene.owner.grant(scene.library, scene.app.name).get("live") is None


def test_R154_a_live_selection_is_previewed_begun_and_undone(scene):
    scene.limit(0, 1)
    scene.mark(1, 2, favorite=True)
    run = lambda *words: scene.broker.photobroker(scene.owner.uid, *words).stdout
    words = ["grant", "select", scene.library, scene.app.name, "--live", "--favorite"]
    assert "1 asset would be added; 2 would be selected." in run(*words, "--preview")
    assert set(scene.app.names()) == {scene.pictures[0], scene.pictures[1]}
    run("--yes", *words)
    scene.mark(3, favorite=True)
    assert set(scene.app.names()) == {scene.pictures[1], scene.pictures[2], scene.pictures[3]}
    decision = scene.owner.newest_decision(library=scene.library, app=scene.app.name)
    assert decision["after"].startswith("limited, 2 selected, live") and decision["undoable"]
    scene.owner.call("UndoDecision", decision=decision["decision"])
    assert set(scene.app.names()) == {scene.pictures[0], scene.pictures[1]}


@pytest.mark.parametrize(
    "selector, why",
    [
        ({"createdFrom": 2, "createdBefore": 2}, "No photo can ever fit"),
        ({"last": 3}, "and nothing else"),
        ({"all": True}, "and nothing else"),
        ({"favorite": False}, "and nothing else"),
        ({}, "and nothing else"),
        (None, "and nothing else"),
        ({"glob": "*/a/**"}, "takes a whole folder"),
        ({"glob": "/**"}, "takes a whole folder"),
        ({"glob": "trips/../**"}, "takes a whole folder"),
        ({"glob": "a/b.jpg"}, "takes a whole folder"),
    ],
)
def test_R154_conditions_that_make_no_live_selection_are_refused_with_the_reason(scene, selector, why):
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    refused = scene.owner.refusal("AnswerPrompt", prompt=prompt, answer="select", selector=selector, live=True)
    assert refused.error == "Refused" and why in refused.parameters["message"], refused.parameters
    assert [p["prompt"] for p in scene.owner.prompts()] == [prompt]


def undo_newest(scene):
    newest = scene.owner.newest_decision(library=scene.library, app=scene.app.name)
    scene.owner.call("UndoDecision", decision=newest["decision"])


def edit(scene, **parameters):
    return scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, **parameters)


WAYS_BACK = {
    "put back": (lambda scene: scene.unselect("a.jpg"), lambda scene: scene.select("a.jpg")),
    "undo of taking out": (lambda scene: scene.unselect("a.jpg"), undo_newest),
    "undo of the end": (lambda scene: edit(scene, live=False), undo_newest),
    "undo of other conditions": (lambda scene: edit(scene, add={"glob": "other/**"}, live=True), undo_newest),
}


@pytest.mark.parametrize("way", WAYS_BACK)
def test_R154_a_photo_that_left_the_folder_comes_back_by_no_decision(scene, way):
    for name in ("a.jpg", "b.jpg"):
        scene.album.put(f"trips/{name}", jpeg(day(11), name.encode()))
    scene.owner.rescan(scene.library)
    answer(scene, "--glob", "trips/**")
    assert set(scene.app.names()) == {"a.jpg", "b.jpg"}
    take, give_back = WAYS_BACK[way]
    take(scene)
    (scene.album.folder / "elsewhere").mkdir()
    (scene.album.folder / "trips/a.jpg").rename(scene.album.folder / "elsewhere/a.jpg")
    scene.album.put("trips/c.jpg", jpeg(day(13)))
    scene.owner.rescan(scene.library)
    scene.app.observe()
    give_back(scene)
    wait_for(lambda: {"b.jpg", "c.jpg"} <= set(scene.app.names()), "what lies in the folder")
    assert "a.jpg" not in scene.app.names()
    assert not [a for e in scene.app.events() for a in e["inserted"] if a["filename"] == "a.jpg"]


def test_R154_the_same_conditions_again_bring_back_no_photo_that_is_leaving(scene):
    scene.mark(0, 1, favorite=True)
    answer(scene, "--favorite")
    entry = {
        "library": scene.library,
        "app": scene.app.name,
        "level": "readWrite",
        "live": True,
        "select": [{"favorite": True}],
    }
    other, chosen = scene.broker.owner(scene.owner.uid), scene.owner.naming(scene.library, [scene.pictures[1]])
    for turn in range(40):
        other.begin("MarkAssets", library=scene.library, selector=chosen, favorite=False)
        # The application falls into the mark's commit in most turns.
        time.sleep(turn % 15 * 0.0003)
        scene.owner.call("Apply", grants=[entry])
        other.hear()
        assert scene.app.names() == [scene.pictures[0]], turn
        scene.mark(1, favorite=True)
        wait_for(lambda: len(scene.app.names()) == 2, "the favourite to join")


def test_R154_a_live_selection_stays_live_when_its_app_asks_for_more(scene):
    scene.mark(0, 1, favorite=True)
    answer(scene, "--favorite")
    scene.owner.show_requests()
    scene.app.begin("PresentLimitedLibraryPicker")
    prompt = scene.owner.wait_for_prompt("selection")
    shown = [scene.pictures[0], scene.pictures[1]]
    with pytest.raises(Refused, match="selectionIsLive"):
        chosen = scene.owner.naming(scene.library, [*shown, scene.pictures[2]])
        scene.owner.answer(prompt, "select", selector=chosen)
    scene.owner.answer(prompt, "select", selector=scene.owner.naming(scene.library, shown[:1]))
    assert scene.app.hear()["added"] == []
    assert scene.app.names() == shown[:1]
    scene.mark(3, favorite=True)
    wait_for(lambda: set(scene.app.names()) == {shown[0], scene.pictures[3]}, "another favourite to join")


def test_R40_R154_a_photo_that_never_fits_leaves_no_trace(own_broker):
    """Two worlds: in one of them photos change that never fit."""
    from house.scene import Scene

    scene = Scene(own_broker, 6)
    scene.mark(0, favorite=True)
    answer(scene, "--favorite")
    scene.app.observe()

    def seen():
        token = scene.app.call("FetchPersistentChanges")["event"]
        return scene.app.fetch(), scene.app.count(), token["inserted"], token["changed"], token["removed"]

    before, since = seen(), scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    scene.album.put("quiet.jpg", jpeg(day(17)))
    scene.owner.rescan(scene.library)
    wait_for(lambda: "quiet.jpg" in scene.owner.names(scene.library), "the scan")
    scene.mark(1, 2, hidden=True)
    scene.make_album("Quiet", 1, 3)
    later = scene.app.call("FetchPersistentChanges", since=since)["event"]
    assert later["changeToken"] == since or not (later["inserted"] or later["changed"] or later["removed"])
    assert seen() == before and scene.app.events() == []
    described = scene.app.call("DescribeAccess", level="readWrite")
    assert "favo" not in str(described).lower() and "live" not in described, described


def test_R8_R154_a_rule_and_a_file_give_live_selections(scene):
    scene.mark(0, favorite=True)
    rule = {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite"}
    rule |= {"answer": "select", "select": [{"favorite": True}], "live": True}
    scene.owner.call("Apply", rules=[rule])
    assert scene.app.request() == "limited" and scene.app.names() == [scene.pictures[0]]
    assert scene.owner.call("ListRules", library=scene.library)["rules"][0]["live"]
    scene.mark(1, favorite=True)
    assert set(scene.app.names()) == {scene.pictures[0], scene.pictures[1]}
    entry = {"library": scene.library, "app": scene.app.name, "level": "readWrite", "live": True}
    assert scene.owner.refusal("Apply", grants=[{**entry, "select": [{"last": 1}]}]).error == "Refused"
    since = microseconds(day(4))
    scene.owner.call("Apply", grants=[{**entry, "select": [{"createdFrom": since, "mediaType": "image"}]}])
    assert set(scene.app.names()) == {scene.pictures[4], scene.pictures[5]}
    scene.album.put("later.jpg", jpeg(day(20)))
    scene.owner.rescan(scene.library)
    wait_for(lambda: "later.jpg" in scene.app.names(), "the arrival")


def test_R8_R154_a_rule_with_a_live_selection_takes_an_album(scene):
    album = scene.make_album("Frame", 0, 1)["album"]
    rule = {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite"}
    rule |= {"answer": "select", "select": [{"album": album, "mediaType": "image"}]}
    refused = scene.owner.refusal("Apply", rules=[rule])
    assert refused.reason["code"] == "ruleByName" and "live" in refused.parameters["message"]
    rule["live"] = True
    for wrong in ("0" * 32, "x"):
        with_wrong = {**rule, "select": [{"album": wrong}]}
        assert scene.owner.refusal("Apply", rules=[with_wrong]).error == "NotFound", wrong
    scene.owner.call("Apply", rules=[rule])
    [told] = scene.owner.call("ListRules", library=scene.library)["rules"]
    assert told["live"] and (told["select"][0]["album"], told["albumTitle"]) == (album, "Frame")
    listed = lambda: scene.broker.photobroker(scene.owner.uid, "rule", "list").stdout
    assert "of album “Frame”" in listed() and album not in listed()
    assert scene.app.request() == "limited" and set(scene.app.names()) == set(scene.pictures[:2])
    asset = scene.owner.identifier(scene.library, scene.pictures[3])
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, add={"identifiers": [asset]})
    assert scene.pictures[3] in scene.app.names()
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, delete=True)
    wait_for(lambda: scene.app.count() == 0, "the album's photos to leave")
    assert "of album (deleted)" in listed() and "albumTitle" not in scene.owner.call("ListRules")["rules"][0]
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.later")
    assert other.request() == "limited" and other.count() == 0, "a deleted album selects nothing"
