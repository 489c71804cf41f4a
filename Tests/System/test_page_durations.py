"""The choice on the page of how long access lasts, and the suggestion after its end."""

import time

import pytest

from house.page_focus import tab_to
from house.person import wait_for


def grant(scene):
    return scene.owner.grant(scene.library, scene.app.name)


def test_R160_a_person_chooses_by_key_how_long_access_lasts(scene, window):
    scene.app.begin_request()
    choice = window.get_by_label("For how long")
    choice.wait_for()
    assert choice.locator("option").all_inner_texts() == [
        "Until I revoke it",
        "Once, until it closes",
        "A day",
        "30 days",
    ]
    assert choice.input_value() == "always"
    wait_for(choice.is_enabled, "the card to take a press")
    tab_to(window, choice)
    window.keyboard.press("ArrowDown")
    window.wait_for_timeout(300)
    window.keyboard.press("ArrowDown")
    window.keyboard.press("ArrowDown")
    window.keyboard.press("Enter")
    wait_for(lambda: choice.input_value() == "day", "the choice")
    window.get_by_role("button", name="Select photos").click()
    window.get_by_text("For how long: A day").wait_for()
    window.get_by_role("button", name="Cancel").click()
    assert choice.input_value() == "day", "leaving the photos keeps it"
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").first.click()
    window.get_by_role("button", name="Allow 1 photo").click()
    assert scene.app.hear_request() == "limited"
    assert 0.9 < (grant(scene)["expires"] / 1e6 - time.time()) / 86_400 < 1.1


@pytest.mark.parametrize(
    "language, name, always",
    [("en-GB", "For how long", "Until I revoke it"), ("de-DE", "Für wie lange", "Bis ich ihn entziehe")],
)
def test_R160_access_for_once_is_shown_and_becomes_a_suggestion(scene, page, language, name, always):
    window = page.open_window(language=language)
    scene.app.begin_request()
    choice = window.get_by_label(name)
    assert choice.locator("option").first.inner_text() == always
    choice.select_option("once")
    window.locator("[data-answer=select]").click()
    for place in (0, 1):
        window.get_by_role("option").nth(place).click()
    window.locator(".chooser-actions .primary").click()
    assert scene.app.hear_request() == "limited" and grant(scene)["once"]
    names = set(scene.app.names())
    scene.app.end()
    wait_for(lambda: grant(scene) is None, "the end")
    later = scene.broker.app(uid=scene.app.uid)
    later.name, later.own_token = scene.app.name, scene.app.own_token
    later.use(later.own_token)
    later.begin_request()
    window.locator("[data-answer=select]").click()
    window.get_by_role("option", selected=True).nth(1).wait_for()
    assert window.get_by_role("option", selected=True).count() == 2
    # The suggestion is taken as it is.
    done = window.locator(".chooser-actions .primary")
    wait_for(done.is_enabled, "everything to have come")
    done.click()
    assert later.hear_request() == "limited" and set(later.names()) == names
    assert not grant(scene)["once"], "each request is answered for itself"
    assert window.problems == []


def test_R160_adding_is_allowed_for_a_time_too(scene, window):
    scene.take_additions()
    scene.app.begin_request("addOnly")
    window.get_by_label("For how long").select_option("month")
    window.get_by_role("button", name="Allow adding").click()
    assert scene.app.hear_request() == "authorized"
    days = (scene.owner.grant(scene.library, scene.app.name, "addOnly")["expires"] / 1e6 - time.time()) / 86_400
    assert 29.9 < days < 30.1
