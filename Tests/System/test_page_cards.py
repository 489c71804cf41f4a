"""Prompts that come and go while a person is about to answer: no press reaches another prompt."""

import pytest

from house.deletions import ask_to_delete
from house.page import stop_clock
from house.person import wait_for
from house.scene import exceed_allowance


@pytest.fixture
def window(scene, page):
    """A window with a stopped clock, tall enough for all prompts."""
    window = page.open_window(size=(1280, 1700), reduced_motion="no-preference")
    stop_clock(window)
    yield window
    assert window.problems == []


@pytest.fixture
def apps(scene):
    apps = []
    for number in range(3):
        app = scene.broker.app(uid=scene.app.uid)
        app.introduce(identifier=f"org.example.app-{number}", name=f"App {number}")
        apps.append(app)
    return apps


def card(window, number):
    return window.get_by_role("article", name=f"App {number}")


def deny(window, number):
    return card(window, number).get_by_role("button", name="Decline")


def waiting_apps(scene):
    return sorted(prompt["app"]["displayName"] for prompt in scene.owner.prompts())


def is_clickable(button):
    return button.get_attribute("aria-disabled") is None


def test_a_new_prompt_ignores_early_clicks_and_keys(scene, apps, window):
    apps[0].begin_request()
    button = deny(window, 0)
    button.wait_for()
    assert not is_clickable(button)
    button.click(force=True)
    toast = window.locator(".toast")
    toast.get_by_text("Nothing was done").wait_for()
    button.focus()
    window.keyboard.press("Enter")
    window.keyboard.press("Space")
    window.clock.run_for(999)
    window.keyboard.press("Enter")
    assert not apps[0].has_answered() and waiting_apps(scene) == ["App 0"]
    window.clock.run_for(1)
    assert is_clickable(button)
    window.keyboard.press("Enter")
    assert apps[0].hear()["status"] == "denied"


def test_a_new_prompt_ignores_early_choices(apps, window):
    apps[0].begin_request()
    choice = card(window, 0).get_by_label("For how long")
    choice.wait_for()
    before = choice.input_value()
    assert not is_clickable(choice)
    choice.click(force=True)
    window.locator(".toast").get_by_text("Nothing was done").wait_for()

    def choose():
        for key in ("ArrowDown", "ArrowDown", "Enter"):
            window.keyboard.press(key)
        return choice.input_value() != before

    choice.focus()
    assert not any(choose() for _ in range(3))
    window.clock.run_for(1000)
    assert is_clickable(choice)
    choice.focus()
    # The list opens at the first key, and takes others a moment later.
    wait_for(choose, "the choice")


def ask(scene, kind):
    if kind == "deletion":
        scene.allow()
        scene.set_terms(deletions="ask")
        ask_to_delete(scene, 0)
    elif kind == "picker":
        scene.app.begin("io.photobroker.Picker.Present", selectionLimit=3)
    else:
        exceed_allowance(scene)


@pytest.mark.parametrize("kind, answer", [("deletion", "Decline"), ("picker", "Cancel"), ("pause", "Resume")])
def test_a_new_card_of_another_kind_ignores_early_presses(scene, window, kind, answer):
    lists = {"ListDeletions": "deletions", "ListPickers": "pickers", "ListPrompts": "prompts"}
    waiting = lambda: sum(len(scene.owner.call(method)[name]) for method, name in lists.items())
    ask(scene, kind)
    button = window.get_by_role("article", name="Request of Journal").get_by_role("button", name=answer, exact=True)
    button.wait_for()
    assert not is_clickable(button)
    button.click(force=True)
    window.locator(".toast").get_by_text("Nothing was done").wait_for()
    button.focus()
    window.keyboard.press("Enter")
    window.clock.run_for(999)
    window.keyboard.press("Space")
    assert waiting() == 1
    window.clock.run_for(1)
    assert is_clickable(button)
    window.keyboard.press("Enter")
    wait_for(lambda: waiting() == 0, "the answer")


def test_a_prompt_answered_elsewhere_moves_no_other(scene, apps, window):
    for number, app in enumerate(apps):
        app.begin_request()
        card(window, number).wait_for()
    window.clock.run_for(1000)
    window.evaluate("() => Promise.all(document.getAnimations().map(animation => animation.finished)).then(() => {})")
    places = [card(window, number).bounding_box() for number in (1, 2)]
    prompts = {prompt["app"]["displayName"]: prompt for prompt in scene.owner.prompts()}
    scene.owner.answer(prompts["App 0"], "deny")
    window.get_by_text("App 0: This request waits no longer: it was answered elsewhere").wait_for()
    assert [card(window, number).bounding_box() for number in (1, 2)] == places
    # A prompt answered in this window moves no other either; the second click hits nothing.
    deny(window, 1).dblclick()
    assert apps[1].hear()["status"] == "denied"
    window.get_by_text("App 1: Answered").wait_for()
    assert card(window, 2).bounding_box() == places[1]
    assert waiting_apps(scene) == ["App 2"] and not apps[2].has_answered()
    assert is_clickable(deny(window, 2)), "it did not move"
    deny(window, 2).click()
    assert apps[2].hear()["status"] == "denied"
    window.get_by_text("Nothing is waiting for you").wait_for()
    assert window.locator(".gone").count() == 0


def test_a_moved_prompt_ignores_early_clicks(scene, apps, window):
    for number in (0, 1):
        apps[number].begin_request()
        card(window, number).wait_for()
    window.clock.run_for(1000)
    window.evaluate("() => Promise.all(document.getAnimations().map(animation => animation.finished)).then(() => {})")
    place = card(window, 1).bounding_box()
    # The broker's error appears below the buttons and moves the next card.
    window.route(
        "**/call/AnswerPrompt",
        lambda route: route.fulfill(
            status=503,
            content_type="application/json",
            body='{"error":"io.photobroker.Admin.Failed","parameters":{"message":"The disk is full."}}',
        ),
    )
    deny(window, 0).click()
    card(window, 0).get_by_text("The disk is full.").wait_for()
    window.unroute("**/call/AnswerPrompt")
    assert card(window, 1).bounding_box()["y"] > place["y"]
    deny(window, 1).click(force=True)
    window.locator(".toast").get_by_text("Nothing was done").wait_for()
    assert waiting_apps(scene) == ["App 0", "App 1"]
    assert is_clickable(deny(window, 0)), "that one stayed where it was"
    window.clock.run_for(1000)
    deny(window, 1).click()
    assert apps[1].hear()["status"] == "denied"


def test_a_card_below_a_closed_dialog_ignores_early_clicks(scene, apps, window):
    for number in (0, 1):
        apps[number].begin_request()
        card(window, number).wait_for()
    window.clock.run_for(1000)
    card(window, 0).get_by_role("button", name="Allow all").click()
    window.get_by_role("dialog").wait_for()
    prompts = {prompt["app"]["displayName"]: prompt for prompt in scene.owner.prompts()}
    scene.owner.answer(prompts["App 0"], "deny")
    window.locator(".toast").get_by_text("answered elsewhere").wait_for()
    assert not is_clickable(deny(window, 1))
    wait_for(lambda: apps[0].has_answered(), "the answer")


# Delays requests of a path until the test resolves `window.early`, and their answers until it resolves
# `window.late`.
LATE = """late => {
  const fetched = window.fetch
  window.fetch = async (path, ...rest) => {
    if (path === late) await window.early
    const response = await fetched(path, ...rest)
    if (path === late) await window.late
    return response
  }
}"""


@pytest.mark.parametrize("kind", ["selection", "picker", "cancelled picker"])
def test_a_prompt_answered_here_is_not_reported_as_answered_elsewhere(scene, apps, page, kind):
    window = page.open_window(size=(1280, 1700), reduced_motion="no-preference")
    window.evaluate(LATE, "/wait")
    if kind == "selection":
        apps[0].begin_request()
    else:
        apps[0].begin("io.photobroker.Picker.Present", selectionLimit=3)
    card(window, 0).wait_for()
    apps[1].begin_request()
    card(window, 1).wait_for()
    window.evaluate("() => { window.late = new Promise(done => { window.hear = done }) }")
    if kind == "cancelled picker":
        card(window, 0).get_by_role("button", name="Cancel").click()
        window.locator(".gone", has_text="Answered").wait_for()
    else:
        card(window, 0).get_by_role("button", name="Select photos" if kind == "selection" else "Pick…").click()
        window.get_by_role("option").nth(2).click()
        window.get_by_role("button", name="Allow 1 photo" if kind == "selection" else "Give 1 photo").click()
        window.get_by_role("heading", name="Requests").wait_for()
        card(window, 1).wait_for()
        assert card(window, 0).count() == 0, "it was answered"
    apps[0].hear()
    window.evaluate("() => { const { hear } = window; window.late = undefined; hear() }")
    apps[2].begin_request()
    card(window, 2).wait_for()
    assert card(window, 0).count() == 0 and window.get_by_text("answered elsewhere").count() == 0
    assert window.problems == []


def decline_while_held(moment, apps, page):
    """Declines the first of two requests in a new window; `window.go()` ends the delay of that call."""
    window = page.open_window(size=(1280, 1700), reduced_motion="no-preference")
    window.evaluate(LATE, "/call/AnswerPrompt")
    for number in (0, 1):
        apps[number].begin_request()
        card(window, number).wait_for()
    window.evaluate("moment => { window[moment] = new Promise(done => { window.go = done }) }", moment)
    deny(window, 0).click()
    return window


def test_an_own_answer_is_told_by_its_reply_even_if_the_news_come_first(apps, page):
    window = decline_while_held("late", apps, page)
    assert apps[0].hear()["status"] == "denied"
    # Newer news than that of the answer.
    apps[2].begin_request()
    card(window, 2).wait_for()
    assert card(window, 0).count() == 1
    window.evaluate("() => window.go()")
    window.get_by_text("App 0: Answered").wait_for()
    assert window.problems == []


def test_a_late_answer_says_that_another_one_came_first(scene, apps, page):
    window = decline_while_held("early", apps, page)
    prompts = {prompt["app"]["displayName"]: prompt for prompt in scene.owner.prompts()}
    scene.owner.answer(prompts["App 0"], "deny")
    apps[2].begin_request()
    card(window, 2).wait_for()
    window.evaluate("() => window.go()")
    window.locator(".toast").get_by_text("answered elsewhere").wait_for()
    window.locator(".gone").get_by_text("App 0: This request waits no longer").wait_for()
    assert window.problems == []


def test_only_scrolling_text_has_a_shade_at_its_end(scene, page):
    """Only a text that must be scrolled has a shade at its end."""
    window = page.open_window(reduced_motion="no-preference")
    for number, words in enumerate(["Puts the photos that you choose into a frame.", "So many words of mine. " * 80]):
        app = scene.broker.app(uid=scene.app.uid)
        app.introduce(
            identifier=f"org.example.words-{number}", name=f"App {number}", NSPhotoLibraryUsageDescription=words
        )
        app.begin_request()
        card(window, number).wait_for()
    wait_for(
        lambda: card(window, 1).get_by_text("scroll to read all of them").is_visible(), "that there is more to be told"
    )
    shades = [
        card(window, number).locator("blockquote p").evaluate("e => getComputedStyle(e).backgroundImage")
        for number in (0, 1)
    ]
    assert shades[0] == "none" and "gradient" in shades[1]
