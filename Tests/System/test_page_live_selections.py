"""Live selections on the page: shown in words, and edited by taking photos out."""

import pytest

from house.person import wait_for

pytestmark = pytest.mark.library("own")


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
