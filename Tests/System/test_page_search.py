"""The page's search offers folders and towns, and shows the photos that are there."""

import os

import pytest

from house import page as pages
from house.page_views import browse, shown_names
from house.person import wait_for

ZURICH = {"latitude": 47.37, "longitude": 8.54}
FIELD = "Search names, dates, places"


@pytest.fixture
def travels(make_scene, browser):
    """Photos in folders, two of them taken in Zurich, and a window that shows them."""
    scene = make_scene(3)
    for number, name in enumerate(("trips/2024/zebra.jpg", "trips/lion.jpg", "trips2/bear.jpg"), start=10):
        scene.album.add(number, name=name)
    scene.owner.wait_for_library(scene.library, 6)
    for name in (scene.pictures[0], "lion.jpg"):
        identifier = scene.owner.identifier(scene.library, name)
        scene.owner.call("EditAsset", library=scene.library, asset=identifier, location=ZURICH)
    page = pages.Page(scene.broker, scene.owner, browser)
    scene.page = page
    yield scene
    page.end()


def hints(scene, text):
    found = scene.owner.call("FetchSearchHints", library=scene.library, text=text)
    return (
        [(folder["path"], folder["count"]) for folder in found["folders"]],
        [(town["town"]["name"], town["town"]["country"], town["count"]) for town in found["towns"]],
    )


def names_in(scene, **part):
    found, skip = [], 0
    while skip is not None:
        page = scene.owner.call("FetchOwnedColumns", library=scene.library, skip=skip, limit=1, **part)
        found += page["names"]
        skip = page.get("next")
    assert page["total"] == len(found)
    return sorted(found)


def test_folders_and_towns_with_photos_are_found(travels):
    assert hints(travels, "TRIP") == ([("trips", 2), ("trips2", 1)], [])
    assert hints(travels, "2024") == ([("trips/2024", 1)], [])
    assert hints(travels, "ips/2") == ([("trips/2024", 1)], [])
    assert hints(travels, "zurich") == hints(travels, "ZÜR") == ([], [("Zürich", "CH", 2)])
    assert hints(travels, "genev") == ([], []), "no photo was taken there"
    [town] = travels.owner.call("FetchSearchHints", library=travels.library, text="zur")["towns"]
    assert names_in(travels, folder="trips") == ["lion.jpg", "zebra.jpg"]
    assert names_in(travels, place=town["place"]) == sorted([travels.pictures[0], "lion.jpg"])
    assert names_in(travels, folder="trips", place=town["place"]) == ["lion.jpg"]
    assert names_in(travels, folder="trip") == names_in(travels, folder="") == []
    for more in ({"app": travels.app.name}, {"seenBy": travels.app.name}, {"since": 1}):
        refused = travels.owner.refusal("FetchOwnedColumns", library=travels.library, folder="trips", **more)
        assert refused.parameters["parameter"] == "folder"


def test_photos_in_the_trash_are_in_no_folder_and_no_town(travels):
    travels.allow()
    os.chmod(travels.album.folder / "trips", 0o770)
    os.chmod(travels.album.folder, 0o770)
    travels.app.delete("lion.jpg")
    assert hints(travels, "trips") == ([("trips", 1), ("trips2", 1)], [])
    assert hints(travels, "zurich") == ([], [("Zürich", "CH", 1)])
    assert names_in(travels, folder="trips") == ["zebra.jpg"]


def test_R75_a_folder_and_a_town_are_chosen_on_the_page(travels):
    window = travels.page.open_window()
    browse(window)
    search, part = window.get_by_label(FIELD), window.locator(".part")
    search.fill("trip")
    window.get_by_role("button", name="trips 2", exact=True).click()
    wait_for(lambda: sorted(shown_names(window)) == ["lion.jpg", "zebra.jpg"], "the folder's photos")
    assert search.input_value() == "" and part.get_attribute("aria-label") == "Show more than trips"
    search.fill("lion")
    wait_for(lambda: shown_names(window) == ["lion.jpg"], "the names in the folder")
    # A new photo in the folder is shown at once.
    search.fill("")
    travels.album.add(20, name="trips/tiger.jpg")
    wait_for(lambda: sorted(shown_names(window)) == ["lion.jpg", "tiger.jpg", "zebra.jpg"], "the new photo")
    part.click()
    wait_for(lambda: len(shown_names(window)) == 7, "all photos")
    # By keyboard alone.
    search.fill("zür")
    hint = window.get_by_role("button", name="Zürich, Switzerland")
    hint.wait_for()
    search.press("ArrowDown")
    assert hint.evaluate("e => e === document.activeElement")
    window.keyboard.press("Escape")
    hint.wait_for(state="hidden")
    assert search.evaluate("e => e === document.activeElement") and search.input_value() == "zür"
    search.fill("züri")
    hint.wait_for()
    search.press("ArrowDown")
    window.keyboard.press("Enter")
    wait_for(lambda: sorted(shown_names(window)) == sorted([travels.pictures[0], "lion.jpg"]), "the town's photos")
    assert window.problems == []


# Numbers of the photos, which are of the first three days of 2024; the page's clock stands in 2025.
DATES = {
    "1 January 2024": [0],
    "2. jan. 2024": [1],
    "January 3, 2024": [2],
    "2.1.2024": [1],
    "2024/01/03": [2],
    "2.1.2024 – 3.1.2024": [1, 2],
    "2 jan 2024 to 9 märz 2024": [1, 2],
    "2023-2024": [0, 1, 2],
    "last year": [0, 1, 2],
    "letzten Monat": [],
    "this week": [],
    "3/1/2024": [],
    "30.2.2024": [],
}


def test_R75_dates_and_their_spans_are_found_in_both_languages(make_scene, browser):
    scene = make_scene(3)
    with pages.Page(scene.broker, scene.owner, browser) as page:
        window = page.open_window()
        window.clock.set_fixed_time("2025-06-05T12:00:00Z")
        browse(window)
        search = window.get_by_role("searchbox")
        for text, numbers in DATES.items():
            before, shown = ("no such photo", 0) if numbers else ("picture", 3)
            search.fill(before)
            wait_for(lambda shown=shown: len(shown_names(window)) == shown, "the other photos")
            search.fill(text)
            names = sorted(scene.pictures[number] for number in numbers)
            wait_for(lambda names=names: sorted(shown_names(window)) == names, f"those of {text}")
        assert window.problems == []


def test_an_apps_view_offers_neither_folders_nor_towns(travels):
    travels.allow()
    window = travels.page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.get_by_role("button", name="See as this app").click()
    search = window.get_by_label("Search names and dates")
    search.fill("lion")
    wait_for(lambda: shown_names(window) == ["lion.jpg"], "the photo")
    assert not any(url.endswith("FetchSearchHints") for url in window.requests)


def test_the_large_view_tells_place_folder_size_and_kind(travels):
    window = travels.page.open_window()
    browse(window)
    size = (travels.album.folder / "trips/lion.jpg").stat().st_size
    window.get_by_role("option", name="lion.jpg").dblclick()
    facts = window.locator(".viewer-facts")
    facts.get_by_text("near Zürich, Switzerland").wait_for()
    assert facts.inner_text() == f"near Zürich, Switzerland · trips · JPEG, {size} B"
    assert facts.locator("[title='47.37000 · 8.54000']").count() == 1
    window.keyboard.press("Escape")
    # Far from all towns, the degrees are told.
    identifier = travels.owner.identifier(travels.library, "bear.jpg")
    travels.owner.call(
        "EditAsset", library=travels.library, asset=identifier, location={"latitude": 35.0, "longitude": -40.0}
    )
    window.get_by_role("option", name="bear.jpg").dblclick()
    facts.get_by_text("35.00000 · -40.00000 · trips2").wait_for()
    assert window.problems == []
