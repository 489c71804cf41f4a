"""Edits that files contradict, decided on the page: in a list and in the photo's large view."""

import pytest

from house.person import wait_for
from house.pictures import day, jpeg, segment
from test_edits_and_files import EDITED, conflicts, edit, edited_date, rewrite


@pytest.fixture
def contested(scene):
    """Three photos whose files say another date than the app's edit."""
    scene.limit(0, 1, 2)
    assets = [edited_date(scene, number) for number in range(3)]
    for number in range(3):
        rewrite(scene, number, 70 + number)
    wait_for(lambda: conflicts(scene)["total"] == 3, "the conflicts")
    return assets


@pytest.fixture
def window(contested, page):
    window = page.window()
    yield window
    assert window.problems == []


def date_of(scene, number):
    return next(a["creationDate"] for a in scene.owner.assets(scene.library) if a["filename"] == scene.pictures[number])


def described(picture, description):
    packet = (
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="" '
        + description
        + b'</rdf:Description></rdf:RDF></x:xmpmeta>'
    )
    return picture[:2] + segment(0xE1, b"http://ns.adobe.com/xap/1.0/\0" + packet) + picture[2:]


def placed(picture):
    """With a place, as XMP says one."""
    return described(
        picture, b'xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="47,22.5N" exif:GPSLongitude="8,32.5E">'
    )


def captioned(picture, words):
    """With a caption, as XMP says one."""
    return described(
        picture,
        b'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt><rdf:li xml:lang="x-default">'
        + words
        + b"</rdf:li></rdf:Alt></dc:description>",
    )


def of_file(number):
    return int(day(70 + number).timestamp()) * 1_000_000


def test_conflicts_are_listed_and_decided_one_by_one_or_all_at_once(scene, contested, window):
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="3 edits in conflict").click()
    rows = window.locator("[data-conflict]")
    rows.nth(2).wait_for()
    first = rows.filter(has_text=scene.pictures[0])
    assert (
        "Edit: 9 Sept 2001, 01:46:40 UTC" in first.inner_text()
        and "File: 11 Mar 2024, 12:00:00 UTC" in first.inner_text()
    )
    first.get_by_role("button", name=f"Take the file’s: {scene.pictures[0]}").click()
    wait_for(lambda: rows.count() == 2, "the end of one")
    assert date_of(scene, 0) == of_file(0)
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: rows.count() == 3, "what was taken back")
    assert date_of(scene, 0) == EDITED
    first.get_by_role("button", name=f"Take the file’s: {scene.pictures[0]}").click()
    wait_for(lambda: rows.count() == 2, "the end of one")
    # Another one comes while the list is open.
    edit(
        scene.app,
        kind="setLocation",
        assets=[scene.app.named(scene.pictures[2])["localIdentifier"]],
        latitude=10.5,
        longitude=-20.25,
    )
    window.get_by_role("button", name="Keep all edits").click()
    window.get_by_role("dialog").get_by_role("button", name="Keep all edits").click()
    window.get_by_text("No edit is in conflict").wait_for()
    assert conflicts(scene)["total"] == 0
    assert [date_of(scene, number) for number in (1, 2)] == [EDITED, EDITED]
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: rows.count() == 2, "both again")
    assert [
        decision["action"]
        for decision in scene.owner.call("ListDecisions", library=scene.library, limit=4)["decisions"]
    ] == ["undo", "resolve", "resolve", "undo"]


def test_R131_both_captions_are_shown_before_one_is_chosen(scene, page):
    scene.limit(0)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    edit(scene.app, kind="setCaption", assets=[asset], text="of the edit")
    scene.album.put(scene.pictures[0], captioned(jpeg(day(70), note=b"captioned"), b"of the file"))
    wait_for(lambda: conflicts(scene)["total"] == 1, "the conflict")
    shown = conflicts(scene)["conflicts"][0]
    assert (shown["fields"], shown["caption"], shown["fileCaption"]) == (["caption"], "of the edit", "of the file")
    text = scene.broker.photobroker(scene.owner.uid, "asset", "conflicts", scene.library).stdout
    assert "of the edit" in text and "of the file" in text
    edit(scene.app, kind="setCaption", assets=[asset], text="edited again")
    stale = {"library": scene.library, "identifiers": [shown["asset"]], "versions": [shown["version"]], "keep": "edit"}
    assert scene.owner.call("ResolveConflicts", **stale)["resolved"] == 0, "another edit than the one that was shown"
    window = page.window()
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="1 edit in conflict").click()
    row = window.locator("[data-conflict]")
    row.wait_for()
    assert "Edit: edited again" in row.inner_text() and "File: of the file" in row.inner_text()
    row.get_by_role("button", name=f"Take the file’s: {scene.pictures[0]}").click()
    window.get_by_text("No edit is in conflict").wait_for()
    assert scene.app.call("GetDetails", asset=asset)["caption"] == "of the file"
    assert window.problems == []


def test_the_large_view_says_that_a_file_contradicts_and_asks(scene, contested, window):
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option", name=scene.pictures[1]).dblclick()
    viewer = window.locator("dialog.viewer")
    note = viewer.get_by_role("region", name="The file says something else")
    note.get_by_text("12 Mar 2024").wait_for()
    note.get_by_role("button", name="Take the file’s").click()
    note.wait_for(state="detached")
    wait_for(lambda: date_of(scene, 1) == of_file(1), "what the file says")
    assert conflicts(scene)["total"] == 2
    # Beside the photo, where it can be pressed and is read out.
    assert viewer.locator("#announcer").count() == 1
    viewer.locator(".toast").get_by_role("button", name="Undo").click()
    note.get_by_text("12 Mar 2024").wait_for()
    assert date_of(scene, 1) == EDITED
    viewer.get_by_role("button", name="Close").click()
    window.get_by_role("option", name=scene.pictures[5]).dblclick()
    viewer.locator(".viewer-name").get_by_text(scene.pictures[5]).wait_for()
    assert note.count() == 0, "of a photo that nothing contradicts"


def test_conflicts_pass_an_automated_check_for_accessibility_and_fit_a_narrow_window(scene, contested, page):
    from axe_playwright_python.sync_playwright import Axe

    window = page.window(size=(320, 860), language="de-DE", bypass_csp=True)
    window.get_by_role("link", name="Mediatheken").click()
    window.get_by_role("button", name="3 Änderungen im Konflikt").click()
    window.locator("[data-conflict]").nth(2).wait_for()
    window.wait_for_timeout(350)
    assert [v["id"] for v in Axe().run(window).response["violations"]] == []
    assert window.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def test_all_that_are_settled_at_once_are_those_that_the_question_counted(scene, contested, window):
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="3 edits in conflict").click()
    rows = window.locator("[data-conflict]")
    rows.nth(2).wait_for()
    rows.filter(has_text=scene.pictures[0]).get_by_role("button", name=f"Take the file’s: {scene.pictures[0]}").click()
    wait_for(lambda: rows.count() == 2, "the end of one")
    window.get_by_role("button", name="Take all from the files").click()
    dialog = window.get_by_role("dialog")
    dialog.wait_for()
    # The one that was decided is in conflict again, while the question is open.
    scene.owner.call(
        "UndoDecision",
        decision=scene.owner.call("ListDecisions", library=scene.library, limit=1)["decisions"][0]["decision"],
    )
    assert conflicts(scene)["total"] == 3
    dialog.get_by_role("button", name="Take all from the files").click()
    wait_for(lambda: conflicts(scene)["total"] == 1, "the two to be settled")
    assert date_of(scene, 0) == EDITED
    wait_for(lambda: rows.count() == 1, "the other one to be shown")


@pytest.mark.parametrize("keep, holds", [("Take all from the files", "file"), ("Keep all edits", "edit")])
def test_what_came_into_conflict_while_it_was_asked_stays_so(scene, contested, window, keep, holds):
    """Another field of a photo that the question is about; and another word of a file on the same field."""
    edit(
        scene.app,
        kind="setLocation",
        assets=[scene.app.named(scene.pictures[1])["localIdentifier"]],
        latitude=10.5,
        longitude=-20.25,
    )
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="3 edits in conflict").click()
    rows = window.locator("[data-conflict]")
    rows.nth(2).wait_for()
    window.get_by_role("button", name=keep).click()
    dialog = window.get_by_role("dialog")
    dialog.wait_for()
    scene.album.put(scene.pictures[1], placed(jpeg(day(71), note=b"placed")))
    rewrite(scene, 2, 99)

    def now():
        return {conflict["asset"]: conflict for conflict in conflicts(scene)["conflicts"]}

    wait_for(
        lambda: (
            "location" in now()[contested[1]]["fields"]
            and now()[contested[2]]["fileCreationDate"] == int(day(99).timestamp()) * 1_000_000
        ),
        "both to be otherwise",
    )
    dialog.get_by_role("button", name=keep).click()
    window.locator(".toast").get_by_text("2 edits stay in conflict").wait_for()
    assert {conflict["asset"] for conflict in conflicts(scene)["conflicts"]} == set(contested[1:])
    assert (
        date_of(scene, 0) == (of_file(0) if holds == "file" else EDITED)
        and date_of(scene, 1) == date_of(scene, 2) == EDITED
    )
    wait_for(lambda: rows.count() == 2, "those two to be shown")


def test_a_conflict_that_was_shown_otherwise_is_passed_over(scene, contested):
    shown = {conflict["asset"]: conflict["version"] for conflict in conflicts(scene)["conflicts"]}
    assert len(set(shown.values())) == 3
    rewrite(scene, 0, 99)
    wait_for(
        lambda: all(
            c["version"] != shown[contested[0]] for c in conflicts(scene)["conflicts"] if c["asset"] == contested[0]
        ),
        "the file's new word",
    )
    versions = [shown[asset] for asset in contested[:2]]
    for wrong in (versions[:1], [*versions, "x"], ["", ""], []):
        assert (
            scene.owner.refusal(
                "ResolveConflicts", library=scene.library, identifiers=contested[:2], versions=wrong, keep="edit"
            ).error
            == "InvalidParameter"
        )
    told = scene.owner.call(
        "ResolveConflicts", library=scene.library, identifiers=contested[:2], versions=versions, keep="edit"
    )
    assert told["resolved"] == 1 and len(told["decisions"]) == 1
    again = scene.owner.call(
        "ResolveConflicts", library=scene.library, identifiers=contested[:1], versions=versions[:1], keep="edit"
    )
    assert again == {"resolved": 0, "decisions": []}
    assert (
        scene.owner.call("ResolveConflicts", library=scene.library, identifiers=contested[:1], keep="edit")["resolved"]
        == 1
    )
