"""The page's question about an app that took more photos than it may in a day."""

import pytest

from house.page_views import open_app
from house.person import wait_for
from house.scene import exceed_allowance


@pytest.fixture
def window(scene, page):
    window = page.open_window(size=(1280, 1400))
    yield window
    assert window.problems == []


@pytest.mark.parametrize("button, paused", [("Resume", False), ("Leave paused", True)])
def test_R157_the_page_asks_whether_to_resume_an_app(scene, window, button, paused):
    exceed_allowance(scene)
    card = window.get_by_role("article", name="Request of Journal")
    card.get_by_text("took more photos today than it may").wait_for()
    assert card.locator(".primary").count() == 0, "no answer is the main one"
    card.get_by_role("button", name=button, exact=True).click()
    card.wait_for(state="detached")
    wait_for(lambda: scene.owner.prompts() == [], "the answer")
    assert scene.owner.grant(scene.library, scene.app.name)["paused"] is paused


def test_R157_the_apps_page_says_that_an_allowance_is_the_default(scene, window):
    scene.limit(0, 1)
    open_app(window)
    choice = window.get_by_label("Allowance")
    assert choice.locator("option:checked").inner_text() == "500 photos a day (default)"
    choice.select_option("0")
    wait_for(lambda: "photosPerDay" not in scene.owner.grant(scene.library, scene.app.name)["terms"], "the choice")
    assert choice.locator("option:checked").inner_text() == "No limit"


def test_R157_the_page_sets_a_further_allowance_and_names_it_in_the_question(scene, window):
    scene.allow()
    open_app(window)
    choice = window.get_by_label("Further limit")
    assert choice.locator("option:checked").inner_text() == "No limit"
    choice.select_option(label="1 GB a day")
    window.locator(".toast").get_by_text("Journal gets at most 1 GB a day").wait_for()
    assert scene.owner.grant(scene.library, scene.app.name)["terms"]["bytesPerDay"] == 1_000_000_000
    scene.set_terms(photosPerHour=7)
    wait_for(lambda: choice.locator("option:checked").inner_text() == "7 photos an hour, 1 GB a day", "both limits")
    # One limit replaces the others.
    choice.select_option(label="50 photos an hour")
    terms = lambda: scene.owner.grant(scene.library, scene.app.name)["terms"]
    wait_for(lambda: terms()["photosPerHour"] == 50 and "bytesPerDay" not in terms(), "the choice")
    wait_for(lambda: choice.locator("option:checked").inner_text() == "50 photos an hour", "its words")
    scene.set_terms(bytesPerHour=1)
    asset = scene.app.fetch()[0]["localIdentifier"]
    assert scene.app.refusal("ReadBytes", asset=asset, offset=0, length=10).reason == "accessUserDenied"
    window.get_by_role("link", name="Requests").click()
    window.get_by_text("took more data in an hour than it may").wait_for()
