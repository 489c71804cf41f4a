"""Edits whose files changed: the large view shows both values, and a decision records it."""

import pytest

from house.edits import edited_date, noted_differences
from house.person import wait_for
from house.pictures import day, jpeg, placed


@pytest.fixture
def differing_photo(scene):
    """A photo whose file has another date and place than an app's edits."""
    scene.limit(0, 1)
    scene.set_terms(location=True)
    asset = edited_date(scene, 0)
    name = scene.app.named(scene.pictures[0])["localIdentifier"]
    scene.app.change("setLocation", assets=[name], latitude=10.5, longitude=-20.25)
    scene.album.put(scene.pictures[0], placed(jpeg(day(70), note=b"placed")))
    wait_for(lambda: noted_differences(scene), "the decision")
    return asset


def open_differences(window, number, scene):
    window.get_by_role("option", name=scene.pictures[number]).dblclick()
    viewer = window.locator("dialog.viewer")
    viewer.locator(".viewer-name").get_by_text(scene.pictures[number]).wait_for()
    return viewer.get_by_role("region", name="The file has another value than the edit")


def test_the_large_view_shows_a_changed_files_values_beside_the_edits(scene, differing_photo, window):
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    note = open_differences(window, 0, scene)
    note.wait_for()
    assert note.locator("dl > div").all_inner_texts() == [
        "Taken\nEdit: 9 Sept 2001, 01:46:40 UTC\nFile: 11 Mar 2024, 12:00:00 UTC",
        "Place\nEdit: 10.50000 · -20.25000\nFile: 47.37500 · 8.54167",
    ]
    # After edits to the file's values nothing differs.
    name = scene.app.named(scene.pictures[0])["localIdentifier"]
    scene.app.change("setCreationDate", assets=[name], creationDate=int(day(70).timestamp()) * 1_000_000)
    scene.app.change("setLocation", assets=[name], latitude=47.375, longitude=8.5416667)
    note.wait_for(state="detached")
    window.keyboard.press("Escape")
    assert open_differences(window, 5, scene).count() == 0, "a photo that nobody edited"


def test_an_apps_view_shows_no_value_of_a_changed_file(scene, differing_photo, page):
    window = page.open_window()
    app = scene.owner.grant(scene.library, scene.app.name)["app"]
    window.evaluate(f"location.hash = '/app/{app}/{scene.library}/sees'")
    with window.expect_response(lambda response: response.url.endswith("/call/GetOwnedDetails")):
        note = open_differences(window, 0, scene)
    window.wait_for_timeout(300)
    assert note.count() == 0 and window.problems == []


def test_a_decision_names_the_photo_with_the_differing_file(scene, differing_photo, window):
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("button", name="Decisions").click()
    row = window.locator("[data-decision]").filter(has_text="Edit kept: a changed file differs")
    row.get_by_text(scene.pictures[0]).wait_for()
    assert row.get_by_role("button").count() == 0 and differing_photo[:8] not in row.inner_text()


def test_the_large_view_of_a_changed_file_is_accessible_and_fits_a_narrow_window(scene, differing_photo, page):
    from axe_playwright_python.sync_playwright import Axe

    window = page.open_window(size=(320, 860), language="de-DE", bypass_csp=True)
    window.get_by_role("link", name="Mediatheken").click()
    window.get_by_role("button", name="Ansehen").click()
    window.get_by_role("option", name=scene.pictures[0]).dblclick()
    window.get_by_role("region", name="Die Datei hat einen anderen Wert als die Änderung").wait_for()
    window.wait_for_timeout(350)
    assert [v["id"] for v in Axe().run(window).response["violations"]] == []
    assert window.evaluate("() => document.documentElement.scrollWidth <= document.documentElement.clientWidth")
