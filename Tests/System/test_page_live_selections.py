"""Live selections on the page: shown in words, and edited by taking photos out."""

import pytest

from house.person import wait_for

pytestmark = pytest.mark.library("own")


def grant(scene):
    return scene.owner.grant(scene.library, scene.app.name)


@pytest.mark.parametrize(
    "language, words, without, refused",
    [
        ("en-GB", "Kept up to date: favourites, in the album “Trips”", "without 1 photo", "by its conditions"),
        ("de-DE", "Hält sich aktuell: Favoriten, im Album „Trips“", "ohne 1 Foto", "durch ihre Bedingungen"),
    ],
)
def test_R154_the_page_shows_a_live_selection_and_takes_photos_out(scene, page, language, words, without, refused):
    album = scene.make_album("Trips", 0, 1, 2)["album"]
    scene.mark(0, 1, favorite=True)
    scene.app.begin_request()
    scene.owner.answer(scene.owner.wait_for_prompt(), "select", selector={"album": album, "favorite": True}, live=True)
    assert scene.app.hear_request() == "limited"
    window = page.open_window(language=language)
    window.evaluate(f"location.hash = '/app/{scene.app.name}/{scene.library}'")
    window.get_by_text(words).wait_for()
    window.evaluate(f"location.hash = '/app/{scene.app.name}/{scene.library}/select'")
    window.get_by_role("option", selected=True).nth(1).wait_for()
    done = window.locator(".chooser-actions .primary")

    def save():
        wait_for(done.is_enabled, "the button")
        done.click()

    newest, oldest = (window.locator("[role=option]").nth(place) for place in (0, 5))
    # A photo that does not fit.
    newest.click()
    save()
    window.get_by_text(refused).wait_for()
    newest.click()
    oldest.click()
    save()
    window.locator("dialog .primary").click()
    wait_for(lambda: scene.app.count() == 1, "the photo to be taken out")
    window.evaluate(f"location.hash = '/app/{scene.app.name}/{scene.library}'")
    window.get_by_text(f"{words}, {without}").wait_for()
    assert scene.owner.grant(scene.library, scene.app.name)["live"]["excluded"] == 1
    assert window.problems == []


@pytest.mark.parametrize("size, scheme", [((1280, 860), "light"), ((390, 844), "dark")])
def test_R154_an_owner_keeps_a_selection_up_to_date_and_ends_that(scene, page, size, scheme):
    album = scene.make_album("Trips", 0, 1, 2)["album"]
    scene.mark(0, 1, favorite=True)
    scene.limit(0, 5)
    window = page.open_window(size=size, scheme=scheme)
    window.evaluate(f"location.hash = '/app/{scene.app.name}/{scene.library}'")
    window.get_by_role("button", name="Keep up to date…").click()
    dialog = window.get_by_role("dialog")
    keep = dialog.get_by_role("button", name="Keep up to date", exact=True)
    assert keep.is_disabled() and dialog.get_by_role("button", name="Stop").count() == 0
    dialog.get_by_label("Album").select_option(label="Trips")
    dialog.get_by_text("3 photos fit now +2 added −1 unselected").wait_for()
    # All conditions apply together, and each change is shown before it can be set.
    dialog.get_by_label("Favourites only").check()
    dialog.get_by_text("2 photos fit now +1 added −1 unselected").wait_for()
    assert dialog.locator(".strip img").count() == 2
    dialog.get_by_label("Folder").fill("wher*")
    dialog.get_by_text("A live selection takes a whole folder").wait_for()
    assert keep.is_disabled()
    dialog.get_by_label("Folder").fill("")
    dialog.get_by_label("Taken since").fill("2024-01-02")
    dialog.get_by_text("1 photo fits now +1 added −2 unselected").wait_for()
    dialog.get_by_label("Type").select_option("image")
    wait_for(keep.is_enabled, "the preview")
    keep.click()
    window.locator(".toast").get_by_text("Saved for Journal").wait_for()
    assert scene.app.names() == [scene.pictures[1]]
    conditions = {k: v for k, v in grant(scene)["live"]["conditions"].items() if v is not None}
    assert conditions == {
        "album": album,
        "createdFrom": 1_704_153_600_000_000,
        "favorite": True,
        "mediaType": "image",
    }
    scene.mark(2, favorite=True)
    wait_for(lambda: scene.app.count() == 2, "the photo that fits by now")
    window.get_by_text("Kept up to date: favourites").wait_for()
    window.get_by_role("button", name="Keep up to date…").click()
    dialog.get_by_text("2 photos fit now").wait_for()
    assert dialog.get_by_label("Taken since").input_value() == "2024-01-02"
    assert dialog.get_by_label("Album").locator("option:checked").inner_text() == "Trips"
    dialog.get_by_role("button", name="Stop").click()
    window.locator(".toast").get_by_text("The selection of Journal stays as it is now").wait_for()
    assert not grant(scene).get("live") and scene.app.count() == 2
    assert window.problems == []


@pytest.mark.parametrize("size, scheme", [((1280, 860), "light"), ((390, 844), "dark")])
def test_R154_a_request_is_answered_with_a_live_selection_on_the_page(scene, page, size, scheme):
    scene.make_album("Trips", 0, 1, 2)
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    window = page.open_window(size=size, scheme=scheme)
    window.evaluate(f"location.hash = '/prompt/{prompt}'")
    # Chosen photos do not hinder a live answer.
    window.locator("[role=option]").nth(5).click()
    window.get_by_role("button", name="Keep up to date…").click()
    dialog = window.get_by_role("dialog")
    keep = dialog.get_by_role("button", name="Keep up to date", exact=True)
    assert keep.is_disabled() and dialog.get_by_role("button", name="Stop").count() == 0
    dialog.get_by_label("Album").select_option(label="Trips")
    dialog.get_by_text("3 photos fit now").wait_for()
    assert dialog.locator(".strip img").count() == 3
    wait_for(keep.is_enabled, "the preview")
    keep.click()
    window.locator(".toast").get_by_text("Saved for Journal").wait_for()
    assert scene.app.hear_request() == "limited" and set(scene.app.names()) == set(scene.pictures[:3])
    assert grant(scene)["live"]["albumTitle"] == "Trips" and scene.owner.prompts() == []
    wait_for(lambda: window.evaluate("location.hash") in ("", "#/"), "the way back")
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: scene.app.status() == "notDetermined", "the undo")
    assert window.problems == []


def test_R154_a_live_answer_shows_what_it_gives_and_fails_if_that_changed(scene, page):
    scene.mark(0, favorite=True)
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    window = page.open_window()
    window.evaluate(f"location.hash = '/prompt/{prompt}'")
    window.get_by_role("button", name="Keep up to date…").click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_label("Favourites only").check()
    dialog.get_by_text("1 photo fits now").wait_for()
    scene.mark(1, favorite=True)
    keep = dialog.get_by_role("button", name="Keep up to date", exact=True)
    wait_for(keep.is_enabled, "the preview")
    keep.click()
    dialog.get_by_text("2 photos fit now").wait_for()
    assert scene.owner.wait_for_prompt()["prompt"] == prompt, "nothing was decided"
    wait_for(keep.is_enabled, "the new preview")
    keep.click()
    assert scene.app.hear_request() == "limited" and scene.app.count() == 2
    assert window.problems == []
