"""R152: an app's changes of photos and albums are recorded; the owner undoes one, or all of an app."""

import datetime
import json
import os

import pytest

from house.edits import EDITED
from house.page import Page
from house.person import wait_for
from house.pictures import captioned, day, jpeg


@pytest.fixture
def edited(own_scene):
    """A scene with an app that may change and add everything."""
    scene = own_scene
    scene.let_broker_add()
    os.chmod(scene.album.folder, 0o770)
    scene.allow()
    return scene


def changes(scene, person=None):
    """The app's recorded changes, newest first."""
    decisions = (person or scene.owner).call("ListDecisions", library=scene.library)["decisions"]
    return [decision for decision in decisions if decision["role"] == "app"]


def change(scene, kind, number, **fields):
    scene.app.change(kind, assets=[scene.app.named(scene.pictures[number])["localIdentifier"]], **fields)


def details(scene, number):
    asset = scene.owner.identifier(scene.library, scene.pictures[number])
    return scene.owner.call("GetOwnedDetails", library=scene.library, asset=asset)


def run(scene, *arguments, **options):
    return scene.broker.photobroker(scene.owner.uid, *arguments, **options)


def test_R131_R152_an_edit_is_recorded_with_its_values_for_the_owner_alone_and_undone(edited):
    scene = edited
    change(scene, "setCaption", 0, text="Our \n house")
    asset = scene.owner.identifier(scene.library, scene.pictures[0])
    [told] = changes(scene)
    assert (told["action"], told["before"], told["after"]) == ("editPhoto", "", f"asset {asset}")
    assert (told["actor"], told["app"], told["source"], told["undoable"]) == (
        scene.app.uid,
        scene.app.name,
        "app",
        True,
    )
    assert told["photo"] == {
        "asset": asset,
        "filename": scene.pictures[0],
        "before": {"fields": ["caption"]},
        "after": {"fields": ["caption"], "caption": "Our \n house"},
    }
    [seen] = changes(scene, scene.broker.owner(0))
    assert seen["action"] == "editPhoto" and not seen["undoable"] and seen.get("photo") is None
    assert "house" not in repr(seen) and scene.pictures[0] not in repr(seen)
    stranger = scene.broker.owner()
    assert stranger.call("ListDecisions")["decisions"] == []
    assert stranger.refusal("UndoDecision", decision=told["decision"]).error == "NotFound"
    assert scene.broker.owner(0).refusal("UndoDecision", decision=told["decision"]).error == "NotPermitted"
    listed = run(scene, "decisions", "--app", "org.example.journal").stdout
    assert f"changed the caption of {scene.pictures[0]}" in listed and "house" in listed and "no caption" in listed
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 6)
    run(scene, "undo", str(told["decision"]))
    assert details(scene, 0).get("caption") is None
    scene.app.new_connection()
    change(scene, "setCaption", 0, text="again")
    assert "another caption" in run(scene, "undo", str(told["decision"]), expect=65).stderr


def test_R152_all_changes_of_an_app_since_a_time_are_undone_newest_first(edited):
    scene = edited
    date = details(scene, 1)["creationDate"]
    change(scene, "setFavorite", 0, favorite=True)
    first = datetime.datetime.fromtimestamp((changes(scene)[0]["time"] + 1) / 1e6, datetime.UTC)
    since = first.isoformat()
    for text in ("one", "two", "three"):
        change(scene, "setCaption", 1, text=text)
    change(scene, "setCreationDate", 1, creationDate=EDITED)
    change(scene, "setLocation", 2, latitude=47.0, longitude=8.0)
    change(scene, "setFavorite", 3, favorite=True)
    album = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Theirs"}])["createdAlbums"][0]
    scene.app.change("addToAlbum", album=album, assets=[scene.app.named(scene.pictures[0])["localIdentifier"]])
    scene.app.add("mine.jpg", jpeg(day(40), b"mine"), level="readWrite")
    change(scene, "delete", 4)
    wait_for(lambda: not scene.owner.library(scene.library)["awaitingTrash"], "the trash")
    # Somebody else changes one of them again.
    marked = {"identifiers": [scene.owner.identifier(scene.library, scene.pictures[3])]}
    scene.owner.call("MarkAssets", library=scene.library, selector=marked, favorite=False)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.allow(app=other)
    other.change("setCaption", assets=[other.named(scene.pictures[5])["localIdentifier"]], text="others")
    told = run(scene, "undo", "--app", "org.example.journal", "--since", since, "--json", "--yes")
    assert json.loads(told.stdout) == {"undone": 9, "refused": 1} and "favourite mark" in told.stderr
    now = details(scene, 1)
    assert now.get("caption") is None and now["creationDate"] == date
    assert details(scene, 2).get("location") is None
    assert scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"] == []
    assert sorted(scene.owner.names(scene.library)) == sorted(scene.pictures)
    assert scene.app.named(scene.pictures[0])["isFavorite"], "before that time"
    assert details(scene, 5)["caption"] == "others"
    wait_for(lambda: not (scene.album.folder / "mine.jpg").exists(), "the added photo to be in the trash")
    assert (scene.album.folder / scene.pictures[4]).exists()
    again = run(scene, "undo", "--app", "org.example.journal", "--since", since, "--json", "--yes")
    assert json.loads(again.stdout) == {"undone": 0, "refused": 1}


def test_an_owner_edits_a_photo_and_a_running_app_sees_it_at_once(edited):
    scene = edited
    asset = scene.owner.identifier(scene.library, scene.pictures[0])
    before = details(scene, 0)
    run(scene, "asset", "edit", scene.library, asset, "--caption", "lake", "--date", "2001-02-03", "--place", "47.5,-8")
    shown = scene.app.named(scene.pictures[0])
    assert shown["creationDateOrigin"] == "edited" and shown["creationDate"] != before["creationDate"]
    edit = scene.owner.newest_decision(library=scene.library)
    assert (edit["action"], edit["undoable"], edit["actor"]) == ("editPhoto", True, scene.owner.uid)
    assert set(edit["photo"]["after"]["fields"]) == {"caption", "creationDate", "location"}
    assert "Nothing changed" in run(scene, "asset", "edit", scene.library, asset, "--caption", "lake").stdout
    run(scene, "asset", "edit", scene.library, asset, "--no-place")
    assert details(scene, 0).get("location") is None and details(scene, 0)["caption"] == "lake"
    run(scene, "undo", "--yes")
    assert details(scene, 0)["location"] == {"latitude": 47.5, "longitude": -8.0}
    run(scene, "undo", str(edit["decision"]))
    now = details(scene, 0)
    assert now["creationDate"] == before["creationDate"] and now.get("caption") is now.get("location") is None
    for wrong in (["--place", "91,0"], ["--place", "1"], ["--place", "1,2", "--no-place"], []):
        run(scene, "asset", "edit", scene.library, asset, *wrong, expect=64)
    assert "1024 bytes" in run(scene, "asset", "edit", scene.library, asset, "--caption", "x" * 1025, expect=65).stderr
    refused = scene.broker.owner(0).refusal("EditAsset", library=scene.library, asset=asset, caption="x")
    assert refused.error == "NotPermitted"


def test_R152_a_photo_is_reset_to_its_file_and_that_is_undone(edited):
    scene = edited
    scene.album.put(scene.pictures[0], captioned(jpeg(day(70), note=b"reset"), b"in the file"))
    wait_for(lambda: details(scene, 0).get("caption") == "in the file", "the caption")
    date = details(scene, 0)["creationDate"]
    change(scene, "setCaption", 0, text="theirs")
    change(scene, "setCreationDate", 0, creationDate=EDITED)
    change(scene, "setFavorite", 0, favorite=True)
    asset = scene.owner.identifier(scene.library, scene.pictures[0])
    assert "1 asset reset" in run(scene, "asset", "reset", scene.library, asset).stdout
    now = details(scene, 0)
    assert (now["caption"], now["creationDate"]) == ("in the file", date)
    shown = scene.app.named(scene.pictures[0])
    assert not shown["isFavorite"] and shown["creationDateOrigin"] != "edited"
    reset = scene.owner.newest_decision(library=scene.library)
    assert (reset["action"], reset["undoable"], reset["actor"]) == ("resetPhoto", True, scene.owner.uid)
    assert reset["photo"]["before"]["caption"] == "theirs" and reset["photo"]["after"]["caption"] == "in the file"
    # The photo follows its file again.
    scene.album.put(scene.pictures[0], captioned(jpeg(day(80), note=b"later"), b"in the file"))
    wait_for(lambda: details(scene, 0)["creationDate"] != date, "the file's date")
    assert "another date" in run(scene, "undo", str(reset["decision"]), expect=65).stderr
    scene.album.put(scene.pictures[0], captioned(jpeg(day(70), note=b"reset"), b"in the file"))
    wait_for(lambda: details(scene, 0)["creationDate"] == date, "the earlier date")
    run(scene, "undo", str(reset["decision"]))
    now = details(scene, 0)
    assert (now["caption"], now["creationDate"]) == ("theirs", EDITED)
    assert scene.app.named(scene.pictures[0])["isFavorite"]
    refused = scene.broker.owner(0).refusal("ResetAssets", library=scene.library, identifiers=[asset])
    assert refused.error == "NotPermitted"


def test_R152_the_app_page_undoes_its_changes(edited, browser):
    scene = edited
    change(scene, "setCaption", 0, text="theirs")
    with Page(scene.broker, scene.owner, browser) as page:
        window = page.open_window()
        window.evaluate("path => { location.hash = path }", f"/app/{scene.app.name}/{scene.library}")
        row = window.locator("[data-decision]").filter(has_text="Changed a photo")
        row.get_by_text("Caption: nothing → theirs").wait_for()
        assert scene.pictures[0] in row.inner_text()
        window.get_by_role("button", name="Undo its changes").click()
        window.get_by_role("dialog").get_by_role("button", name="Undo", exact=True).click()
        window.locator(".toast").get_by_text("1 change undone").wait_for()
        assert details(scene, 0).get("caption") is None
        assert window.problems == []


def test_R152_the_changes_of_one_photo_are_listed_and_undone(edited):
    scene = edited
    for number in (0, 1, 0):
        change(scene, "setCaption", number, text=f"words {number} {scene.app.count()}")
    change(scene, "setFavorite", 0, favorite=True)
    asset, other = (scene.owner.identifier(scene.library, scene.pictures[number]) for number in (0, 1))

    def listed(asset, person=scene.owner, **filters):
        return person.call("ListDecisions", library=scene.library, asset=asset, **filters)["decisions"]

    told = listed(asset)
    assert told == [d for d in changes(scene) if d["photo"]["asset"] == asset] and len(told) >= 2
    assert told[0]["photo"]["before"]["favorite"] is False and told[0]["photo"]["after"]["favorite"] is True
    assert [d["photo"]["filename"] for d in listed(other)] == [scene.pictures[1]]
    assert listed(asset, limit=1) == told[:1] and listed(asset, app=scene.app.name) == told
    assert listed("0" * 32) == [] and scene.owner.refusal("ListDecisions", asset="x").error == "NotFound"
    # Other people learn neither the photo nor its values.
    stranger = scene.broker.owner()
    assert stranger.call("ListDecisions", asset=asset)["decisions"] == []
    assert stranger.refusal("ListDecisions", library=scene.library, asset=asset).error == "NotFound"
    assert all(d.get("photo") is None for d in listed(asset, scene.broker.owner(0)))
    shown = run(scene, "decisions", scene.library, "--asset", asset[:8]).stdout
    assert scene.pictures[0] in shown and scene.pictures[1] not in shown
    run(scene, "decisions", "--asset", asset, expect=64)
    run(scene, "undo", str(told[0]["decision"]))
    undone, *earlier = listed(asset)
    assert undone["undoes"] == told[0]["decision"] and earlier == [{**told[0], **earlier[0]}, *told[1:]]


def test_R152_the_large_view_shows_a_photos_changes_and_takes_them_back(edited, house, browser):
    scene = edited
    change(scene, "setCaption", 0, text="The lake")
    page = Page(scene.broker, scene.owner, browser)
    window = page.open_window()
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()

    def open_photo(number):
        window.get_by_role("option", name=scene.pictures[number]).dblclick()
        viewer = window.locator("dialog.viewer")
        viewer.locator(".viewer-name").get_by_text(scene.pictures[number]).wait_for()
        return viewer.get_by_role("region", name="Changes of this photo")

    note = open_photo(0)
    text = note.get_by_role("listitem").first.inner_text()
    assert "Changed a photo" in text and "Journal" in text and "The lake" in text, text
    note.get_by_role("button", name="Undo").click()
    wait_for(lambda: details(scene, 0).get("caption") is None, "the undo")
    note.get_by_text("undone").wait_for()
    window.keyboard.press("Escape")
    with window.expect_response(lambda response: response.url.endswith("/call/ListDecisions")):
        note = open_photo(1)
    assert note.count() == 0, "a photo that nobody changed"
    assert window.problems == []
    page.end()
