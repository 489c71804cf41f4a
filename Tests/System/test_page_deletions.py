"""The page's question before an app deletes photos."""

import pytest

from house.deletions import ask_to_delete, deletion
from house.page_views import open_app
from house.person import Refused, wait_for


@pytest.fixture
def asking(scene):
    scene.allow()
    scene.set_terms(deletions="ask")
    return scene


@pytest.fixture
def window(asking, page):
    window = page.open_window(size=(1280, 1400))
    yield window
    assert window.problems == []


def card(window, name="Journal"):
    return window.get_by_role("article", name=f"Request of {name}")


def trashed(scene):
    return [a["filename"] for a in scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]]


def test_R153_the_page_shows_the_photos_and_a_person_deletes_them(asking, window):
    ask_to_delete(asking, 0, 1)
    card(window).get_by_text("would like to delete 2 photos").wait_for()
    pictures = card(window).get_by_role("img")
    wait_for(lambda: pictures.count() == 2, "the pictures")
    names = {pictures.nth(n).get_attribute("alt") for n in range(2)}
    assert names == {asking.name(0), asking.name(1)}
    drawn = "() => [...document.querySelectorAll('.card .strip img')].every(image => image.naturalWidth > 10)"
    wait_for(lambda: window.evaluate(drawn), "the pictures to be drawn")
    assert card(window).locator(".primary").count() == 0, "no answer is the main one"
    card(window).get_by_role("button", name="Delete 2 photos").click()
    asking.app.hear()
    assert sorted(trashed(asking)) == sorted([asking.name(0), asking.name(1)])
    card(window).wait_for(state="detached")


def test_R153_a_person_refuses_on_the_page(asking, window):
    ask_to_delete(asking, 0)
    card(window).get_by_role("button", name="Decline").click()
    with pytest.raises(Refused) as refused:
        asking.app.hear()
    assert refused.value.parameters["code"] == 3072 and trashed(asking) == []


@pytest.mark.library("own")
def test_R153_R158_the_page_says_if_the_files_will_stay(asking, window):
    ask_to_delete(asking, 0)
    card(window).get_by_text("the files stay where they are").wait_for()
    asking.take_changes()
    wait_for(lambda: asking.owner.library(asking.library)["storageRefuses"] == [], "the storage to take deletions")
    window.reload()
    card(window).get_by_text("Deleted photos move to the trash").wait_for()
    card(window).get_by_role("button", name="Decline").click()
    with pytest.raises(Refused):
        asking.app.hear()


def test_R153_a_question_that_ended_leaves_the_page(asking, window):
    ask_to_delete(asking, 0)
    card(window).wait_for()
    asking.owner.call("Revoke", library=asking.library, app=asking.app.name)
    card(window).wait_for(state="detached")


def test_R153_an_owner_chooses_the_right_to_delete_on_the_apps_page(asking, window):
    open_app(window)
    choice = window.get_by_label("Deletions")
    assert choice.input_value() == "ask"
    choice.select_option("allow")
    window.get_by_text("Deletions: Without asking", exact=True).wait_for()
    asking.app.perform(deletion(asking.app.named(asking.name(0))["localIdentifier"]))
    assert trashed(asking) == [asking.name(0)]
