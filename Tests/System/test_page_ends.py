"""Locking the page, going back, or losing the library ends everything that a view began."""

import pytest

from house.page import stop_clock
from house.page_views import browse, open_large_view
from house.person import wait_for
from house.soak import WHOLE

# Records every video element from now on, also those that leave the document.
NOTE_FILMS = """() => {
  window.films = []
  const make = document.createElement.bind(document)
  document.createElement = (name, ...rest) => {
    const element = make(name, ...rest)
    if (name === 'video') window.films.push(element)
    return element
  }
}"""
NONE_PLAYS = "() => window.films.every(film => film.paused)"


@pytest.fixture
def window(page):
    window = page.open_window(size=(1400, 2600))
    yield window
    assert window.problems == []


def leave(window, way):
    if way == "lock":
        window.evaluate("() => import('/main.js').then(page => page.modules['server.js'].lock())")
        window.locator(".locked").wait_for()
    else:
        # The first step back closes the large view.
        window.go_back()
        window.locator("dialog.viewer").wait_for(state="detached")
        window.go_back()
        window.get_by_role("heading", name="Libraries", exact=True).wait_for()


@pytest.mark.parametrize(
    "way, moment",
    [(way, moment) for way in ("lock", "back") for moment in ("prepared", "played")]
    if WHOLE
    else [("lock", "prepared"), ("back", "played")],
)
def test_a_video_stops_when_its_view_closes(films, window, way, moment):
    browse(window)
    window.evaluate(NOTE_FILMS)
    viewer = open_large_view(window, "small.webm")
    if moment == "prepared":
        # The broker has answered, but the response has not reached the page.
        held = []
        window.route("**/preview", lambda route: held.append((route, route.fetch())))
    viewer.get_by_role("button", name="Play").click()
    if moment == "prepared":
        wait_for(lambda: held or window.wait_for_timeout(50), "the film")
    else:
        window.wait_for_function("() => window.films.some(film => !film.paused && film.currentTime > 0)")
    leave(window, way)
    if moment == "prepared":
        route, response = held[0]
        try:
            route.fulfill(response=response)
        except Exception:
            """Nobody waits for it any more."""
    window.wait_for_timeout(1500)
    assert window.evaluate(NONE_PLAYS), "a film plays out of sight"
    assert window.locator("video").count() == 0


@pytest.mark.parametrize("way", ["lock", "back"])
def test_an_abandoned_large_picture_is_no_longer_requested(scene, window, way):
    browse(window)
    window.route(
        "**/thumbnail", lambda route: None if route.request.post_data_json["maxPixels"] > 480 else route.continue_()
    )
    asked = []
    window.on("request", lambda request: asked.append(request.url) if "GetOwnedProgress" in request.url else None)
    stop_clock(window)
    window.get_by_role("option").first.dblclick()
    wait_for(lambda: window.clock.run_for(200) or asked, "the page to ask how far it is")
    leave(window, way)
    asked.clear()
    for _ in range(4):
        window.clock.run_for(1000)
    window.evaluate("true")
    assert asked == []


def test_the_back_button_closes_only_the_open_dialog(scene, window):
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").nth(2).wait_for()
    window.get_by_role("option").nth(2).click()
    viewer = window.locator("dialog.viewer")
    for number in (1, 4):
        window.wait_for_timeout(600)
        window.get_by_role("option").nth(number).dblclick()
        viewer.locator(".viewer-name").get_by_text(scene.newest_first[number]).wait_for()
        window.go_back()
        viewer.wait_for(state="detached")
        assert window.get_by_role("option", selected=True).count() == 1 and window.get_by_role("dialog").count() == 0
    window.get_by_role("button", name="Cancel").click()
    question = window.get_by_role("dialog", name="Leave without saving?")
    question.wait_for()
    window.go_back()
    question.wait_for(state="detached")
    assert window.get_by_role("option", selected=True).count() == 1
    assert "/prompt/" in window.url


def test_a_locked_page_sends_no_requests_and_announces_nothing(scene, window):
    scene.limit(0, 1)
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("button", name="Revoke access").click()
    window.get_by_role("dialog").get_by_role("button", name="Revoke access").wait_for()
    leave(window, "lock")
    asked = []
    window.on("request", lambda request: asked.append(request.url))
    window.wait_for_timeout(2500)
    assert asked == [] and window.get_by_role("dialog").count() == 0
    assert (
        "org.example" not in window.locator("body").inner_text()
        and scene.library not in window.locator("body").inner_text()
    )
    assert scene.owner.grant(scene.library, scene.app.name)["status"] == "limited"


def test_the_back_button_does_not_unlock_a_page(scene, window):
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").wait_for()
    window.get_by_role("link", name="Apps").click()
    window.get_by_role("heading", name="Apps", exact=True).wait_for()
    leave(window, "lock")
    asked = []
    window.on("request", lambda request: asked.append(request.url) if not request.url.endswith("/icon.svg") else None)
    window.evaluate("() => history.back()")
    window.wait_for_timeout(1500)
    assert window.title() == "PhotoBroker" and asked == [], (window.title(), asked)
    assert window.locator(".locked").is_visible()


@pytest.mark.parametrize("ends", ["saved", "failed"])
def test_a_late_save_does_not_return_to_its_view(scene, window, ends):
    scene.limit(0, 1)
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("button", name="Change selection").click()
    window.get_by_role("option", selected=True).nth(1).wait_for()
    window.get_by_role("option", selected=False).first.click()
    held = []
    window.route("**/call/EditSelection", lambda route: held.append(route))
    window.get_by_role("button", name="Save 3 photos").click()
    wait_for(lambda: held or window.wait_for_timeout(50), "the selection to be on its way")
    window.get_by_role("button", name="Cancel").click()
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("heading", name="Activity", level=1).wait_for()
    if ends == "saved":
        held[0].continue_()
        window.locator(".toast").get_by_text("3 photos").or_(
            window.locator(".toast").get_by_role("button", name="Undo")
        ).first.wait_for()
    else:
        held[0].fulfill(status=503)
        window.locator(".toast").get_by_text("Nothing was changed").wait_for()
    window.wait_for_timeout(500)
    assert window.get_by_role("heading", name="Activity", level=1).is_visible()


@pytest.mark.parametrize("what", ["selection", "pick"])
def test_closing_or_reloading_asks_while_something_would_be_lost(scene, window, what):
    if what == "selection":
        scene.app.begin_request()
    else:
        scene.app.begin("io.photobroker.Picker.Present", selectionLimit=0)
    asked, answers = [], []

    def ask(dialog):
        asked.append(dialog.type)
        dialog.accept() if answers.pop(0) == "leave" else dialog.dismiss()

    window.on("dialog", ask)
    window.get_by_role("button", name="Select photos" if what == "selection" else "Pick…").click()
    photo = window.get_by_role("option").first
    photo.click()
    chosen = window.get_by_role("option", selected=True)
    assert chosen.count() == 1
    for leave in (lambda: window.evaluate("location.reload()"), lambda: window.close(run_before_unload=True)):
        answers.append("stay")
        leave()
        wait_for(lambda: window.evaluate("true") and not answers, "the browser to ask")
        assert chosen.count() == 1 and not window.locator(".locked").is_visible()
    assert asked == ["beforeunload"] * 2
    # Once the change is undone nothing is unsaved, so no question comes.
    photo.click()
    assert chosen.count() == 0
    with window.expect_navigation():
        window.evaluate("location.reload()")
    photo.wait_for()
    assert len(asked) == 2


def test_leaving_a_changed_selection_is_confirmed(scene, window):
    scene.limit(0, 1)
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    question = window.get_by_role("dialog", name="Leave without saving?")
    settings = window.get_by_role("heading", name="2 selected photos")

    def change():
        window.get_by_role("button", name="Change selection").click()
        window.get_by_role("option", selected=True).nth(1).wait_for()
        window.get_by_role("option", selected=True).first.click()
        window.get_by_role("button", name="Save 1 photo").wait_for()

    for leave in (lambda: window.get_by_role("button", name="Cancel").click(), window.go_back):
        change()
        # The selection survives each dismissed question.
        for _ in range(2):
            leave()
            question.wait_for()
            window.keyboard.press("Escape")
            window.locator("dialog").wait_for(state="detached")
            assert window.get_by_role("button", name="Save 1 photo").is_enabled()
            assert window.evaluate("() => location.hash").endswith("/select")
        leave()
        question.get_by_role("button", name="Leave").click()
        settings.wait_for()
        assert not window.evaluate("() => location.hash").endswith("/select")
    # An unchanged selection is left without a question.
    window.get_by_role("button", name="Change selection").click()
    first = window.get_by_role("option").first
    first.wait_for()
    first.click()
    first.click()
    window.go_back()
    settings.wait_for()
    assert question.count() == 0
    assert scene.owner.grant(scene.library, scene.app.name)["selected"] == 2


def test_a_late_failure_of_an_answer_is_reported(scene, window):
    scene.app.begin_request()
    held = []
    window.route("**/call/AnswerPrompt", lambda route: held.append(route))
    refuse = window.get_by_role("button", name="Decline")
    refuse.wait_for()
    window.wait_for_timeout(700)
    refuse.click()
    wait_for(lambda: held or window.wait_for_timeout(50), "the answer to be on its way")
    window.get_by_role("link", name="Apps").click()
    held[0].fulfill(status=503)
    window.locator(".toast").get_by_text("Nothing was changed").wait_for()


def forget_toasts(window):
    window.evaluate("document.querySelector('.toasts').replaceChildren()")


def test_removing_a_library_closes_its_views_with_a_message(scene, window):
    for path in (
        "/photos/{library}",
        "/app/{app}/{library}",
        "/app/{app}/{library}/select",
        "/app/{app}/{library}/sees",
        "/trash/{library}",
    ):
        if not scene.owner.library(scene.library):
            scene.owner.add_library(scene.library, scene.album.folder, [scene.app.uid], 6)
        scene.limit(0, 1)
        window.get_by_role("link", name="Apps").click()
        app = scene.owner.grant(scene.library, scene.app.name)["app"]
        window.locator(f"a.row[href*='/{scene.library}']", has_text="2 photos").wait_for()
        forget_toasts(window)
        window.evaluate("path => { location.hash = path }", path.format(library=scene.library, app=app))
        window.locator("main.sheet, main.chooser").first.wait_for()
        window.wait_for_timeout(500)
        scene.owner.call("RemoveLibrary", name=scene.library)
        window.locator(".toast").get_by_text("is not here any more").wait_for()
        window.get_by_role("heading", name="Libraries", exact=True).wait_for()
        assert window.get_by_role("option").count() == 0, path


def test_a_link_to_a_missing_page_leads_to_an_existing_one(scene, window):
    for path, heading in (
        ("/photos/gone", "Libraries"),
        ("/trash/gone", "Libraries"),
        ("/app/gone/gone", "Libraries"),
        ("/app/gone/{library}", "Apps"),
        ("/app/gone/{library}/select", "Apps"),
        ("/app/gone/{library}/sees", "Apps"),
    ):
        window.get_by_role("heading", name="Nothing is waiting for you").wait_for()
        forget_toasts(window)
        window.evaluate("path => { location.hash = path }", path.format(library=scene.library))
        window.get_by_role("heading", name=heading, exact=True).wait_for()
        assert window.locator(".toast").count() == 1, path
        window.go_back()
    window.get_by_role("heading", name="Nothing is waiting for you").wait_for()


def test_a_page_without_an_answer_gives_advice(scene, page):
    """Without JavaScript the page shows its static text."""
    context = page.browser.new_context(java_script_enabled=False)
    try:
        window = context.new_page()
        window.goto(page.link())
        assert "photobroker open" in window.locator("#page").inner_text()
    finally:
        context.close()


def test_a_page_without_its_first_answer_still_appears(scene, page):
    context = page.browser.new_context(locale="fr-FR")
    try:
        window = context.new_page()
        window.route("**/wait", lambda route: None)
        window.goto(page.link())
        window.get_by_text("PhotoBroker opens").wait_for()
        window.locator(".banner").wait_for(timeout=30_000)
        window.unroute("**/wait")
        window.locator(".banner").wait_for(state="hidden", timeout=30_000)
        window.get_by_role("heading", name="Requests").wait_for()
    finally:
        context.close()


def test_leaving_a_locked_page_asks_nothing(scene, window):
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").first.click()
    window.get_by_role("button", name="Allow 1 photo").wait_for()
    window.evaluate("async () => (await import('/main.js')).modules['server.js'].lock()")
    window.get_by_role("heading", name="This page is locked").wait_for()
    assert window.evaluate("() => dispatchEvent(new Event('beforeunload', { cancelable: true }))")
