"""The owner's page in trouble: many windows, a restart of the broker, slow storage, dying apps.

Also its lock after inactivity, and the time zones of its dates.
"""

import signal
from datetime import datetime, timedelta, timezone

import pytest

from house import page as pages
from house.broker import Album
from house.page import stop_clock
from house.page_views import open_app
from house.person import wait_for
from house.pictures import ROOT, jpeg
from house.plugins import install_halting


def test_a_change_in_one_window_appears_in_the_other(scene, page):
    scene.limit(0)
    first, second = page.open_window(), page.open_window(language="de-DE")
    open_app(first)
    second.get_by_role("link", name="Apps").click()
    second.locator("a.row", has_text="1 Foto").wait_for()
    first.get_by_role("button", name="Change selection").click()
    first.get_by_role("option", selected=True).wait_for()
    first.get_by_role("option", selected=False).nth(1).click()
    first.get_by_role("option", selected=False).nth(1).click()
    first.get_by_role("button", name="Save 3 photos").click()
    second.locator("a.row", has_text="3 Fotos").wait_for()
    second.locator("a.row").click()
    second.get_by_role("heading", name="3 ausgewählte Fotos").wait_for()
    first.get_by_role("heading", name="3 selected photos").wait_for()
    second.get_by_role("button", name="Zugriff entziehen").click()
    second.get_by_role("dialog").get_by_role("button", name="Zugriff entziehen").click()
    first.get_by_role("radio", name="No access", exact=False).and_(first.locator(":checked")).wait_for()
    assert first.problems == [] and second.problems == []


def test_many_windows_share_the_browsers_connections(scene, page):
    """A browser has six connections; each of its windows waits for changes and fetches pictures."""
    first = page.open_window()
    others = []
    for _ in range(7):
        window = first.context.new_page()
        window.goto(page.link())
        window.wait_for_selector("main")
        others.append(window)
    scene.app.begin_request()
    for window in [first, *others]:
        window.bring_to_front()
        window.get_by_role("button", name="Select photos").wait_for()
    others[-1].get_by_role("button", name="Select photos").click()
    wait_for(lambda: others[-1].locator(".tile.loaded").count() == 6, "the pictures")
    scene.app.process.kill()
    scene.app.waiting = False


def test_a_selection_survives_a_broker_restart(own_scene, browser):
    own_scene.limit(0)
    page = pages.Page(own_scene.broker, own_scene.owner, browser)
    try:
        window = page.open_window()
        open_app(window)
        window.get_by_role("button", name="Change selection").click()
        window.get_by_role("option", selected=True).wait_for()
        window.get_by_role("option").nth(0).click()
        own_scene.broker.stop()
        window.get_by_text("The broker is not answering. This page goes on").wait_for()
        window.get_by_role("option").nth(1).click()
        window.get_by_role("button", name="Save 3 photos").click()
        window.get_by_text("Nothing was changed; try again").wait_for()
        own_scene.broker.start()
        for person in own_scene.broker.people:
            person.new_connection()
        window.get_by_text("The broker is not answering. This page goes on").wait_for(state="hidden")
        own_scene.owner.wait_for_library(own_scene.library, 6)
        window.get_by_role("button", name="Save 3 photos").click()
        window.get_by_role("heading", name="3 selected photos").wait_for()
        assert own_scene.owner.grant(own_scene.library, own_scene.app.name)["selected"] == 3
    finally:
        page.end()


def test_a_page_without_its_server_says_how_to_open_another(scene, browser):
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window, german = page.open_window(), page.open_window(language="de-DE")
        # A failed request is retried, and the page recovers.
        window.route("**/wait", lambda route: route.abort())
        scene.app.begin_request()
        banner = window.locator(".banner")
        banner.get_by_text("If that stays so, open the page anew in a terminal: photobroker open").wait_for()
        window.unroute("**/wait")
        banner.wait_for(state="hidden")
        window.get_by_role("button", name="Decline").wait_for()
        page.server.kill()
        banner.get_by_text("The program behind this page is not answering.").wait_for()
        german.locator(".banner").get_by_text("öffnen Sie die Seite im Terminal neu: photobroker open").wait_for()
        scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
        assert scene.app.hear()["status"] == "denied"
    finally:
        page.end()


def test_pictures_load_after_the_broker_returns(own_scene, browser):
    """Failed requests for pictures are retried without a click."""
    page = pages.Page(own_scene.broker, own_scene.owner, browser)
    try:
        window = page.open_window()
        window.route("**/thumbnail", lambda route: route.abort())
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        window.get_by_role("option").nth(5).wait_for()
        window.wait_for_timeout(1500)
        assert window.locator(".tile.loaded").count() == 0 and window.locator(".tile.awaited").count() == 6
        window.unroute("**/thumbnail")
        wait_for(lambda: window.locator(".tile.loaded:not(.blank)").count() == 6, "the pictures")
    finally:
        page.end()


def test_a_slow_broker_shows_a_waiting_message(own_scene, browser):
    """A view without its answer says so, long before the broker counts as unreachable."""
    page = pages.Page(own_scene.broker, own_scene.owner, browser)
    try:
        window = page.open_window()
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").wait_for()
        own_scene.broker.process.send_signal(signal.SIGSTOP)
        try:
            window.get_by_role("button", name="Browse").click()
            close = window.get_by_role("button", name="Close")
            place = close.bounding_box()
            window.get_by_role("status").get_by_text("The broker takes long to answer.").wait_for(timeout=15_000)
            assert close.bounding_box() == place, "nothing moves under a pointer"
        finally:
            own_scene.broker.process.send_signal(signal.SIGCONT)
        window.get_by_role("option").nth(5).wait_for()
        window.get_by_text("The broker takes long to answer.").wait_for(state="hidden")
        assert window.problems == []
    finally:
        page.end()


def test_a_view_opened_during_an_outage_fills_itself(scene, page):
    """A new view retries its failed requests."""
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    window = page.open_window()
    stop_clock(window)
    for path, method, shown in (
        (f"/photos/{scene.library}", "FetchOwnedColumns", "[role=option]"),
        (f"/trash/{scene.library}", "FetchTrashedAssets", ".empty"),
        (f"/prompt/{prompt}", "FetchOwnedColumns", "[role=option]"),
    ):
        lost = []
        window.route(f"**/call/{method}", lambda route: lost.append(route.abort()))
        window.evaluate(
            "path => { history.pushState(null, '', '/#' + path); dispatchEvent(new PopStateEvent('popstate')) }", path
        )
        wait_for(lambda: window.clock.run_for(500) or len(lost) > 1, "the page to ask once more")
        assert window.locator(shown).count() == 0
        window.unroute(f"**/call/{method}")
        wait_for(lambda: window.clock.run_for(500) or window.locator(shown).count(), f"{path} to fill")
    assert window.problems == []


def test_a_module_that_failed_to_load_is_fetched_again(scene, page):
    """Browsers try a script once; without a retry the page would stay empty."""
    for part in ("main.js", "page.css"):
        context = page.browser.new_context()
        page.contexts.append(context)
        window = context.new_page()
        lost = []

        def lose(route):
            lost.append(route.request.url)
            (route.abort if len(lost) <= 2 else route.continue_)()

        window.route(f"**/{part}", lose)
        window.goto(page.link())
        window.get_by_role("heading", name="Requests").wait_for(timeout=30_000)
        window.wait_for_function("() => getComputedStyle(document.querySelector('header.top')).position === 'sticky'")
        assert lost and "#" not in window.url and window.evaluate("() => history.state") is None, part


def test_a_module_that_never_loads_is_not_requested_endlessly(scene, page):
    context = page.browser.new_context(locale="en-GB")
    page.contexts.append(context)
    window = context.new_page()
    tries = []
    window.on("request", lambda request: request.is_navigation_request() and tries.append(request.url))
    lost = []
    window.route("**/main.js", lambda route: lost.append(route.abort()))
    window.clock.install()
    window.goto(page.link())
    wait_for(lambda: window.clock.run_for(500) or len(lost) == 4, "the page to be loaded four times")
    window.wait_for_load_state()
    for _ in range(9):
        window.clock.run_for(1000)
    assert len(tries) == 4
    window.get_by_text("If nothing more comes, load this page again").wait_for()


def test_a_slow_storage_shows_a_waiting_message_and_delays_nothing_else(far, browser):
    page = pages.Page(far.broker, far.owner, browser)
    try:
        window = page.open_window()
        far.remote.freeze()
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        window.locator(".tile.awaited").nth(4).wait_for()
        window.get_by_role("option").first.dblclick()
        window.get_by_text("Fetching the photo…").wait_for()
        window.keyboard.press("Escape")
        window.get_by_role("button", name="Close").click()
        # Pictures are pending; the page and the broker still answer.
        with window.expect_response("**/call/ReadLedger"):
            window.get_by_role("link", name="Activity").click()
        window.get_by_role("heading", name="Activity", level=1).wait_for()
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        window.locator(".tile.awaited").nth(4).wait_for()
        far.remote.thaw()
        wait_for(lambda: window.locator(".tile.loaded:not(.blank)").count() == 5, "the pictures", 60)
        assert window.problems == []
    finally:
        far.remote.thaw()
        page.end()


def test_empty_pictures_have_a_reason_in_browsing_and_choosing(scene, page):
    scene.app.begin_request()
    scene.owner.wait_for_prompt()
    away = scene.album.folder.with_name(scene.album.folder.name + "-away")
    scene.album.folder.rename(away)
    try:
        wait_for(lambda: scene.owner.library(scene.library)["state"] == "offline", "the library to be offline", 60)
        window = page.open_window()
        window.get_by_role("button", name="Select photos").click()
        window.get_by_role("option").nth(5).wait_for()
        said = window.get_by_text("The storage cannot be reached: pictures")
        said.wait_for()
        window.get_by_role("button", name="Cancel").click()
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        said.wait_for()
        window.get_by_role("option").first.dblclick()
        window.get_by_text("The photo comes as soon as it can.").wait_for()
        window.keyboard.press("Escape")
    finally:
        away.rename(scene.album.folder)
    said.wait_for(state="hidden")
    assert window.problems == []
    scene.app.process.kill()
    scene.app.waiting = False


def test_indexing_shows_its_progress(broker, browser):
    owner = broker.owner()
    name = f"far-{owner.uid}"
    album = Album(broker.house, name, owner.uid)
    album.fill(100)
    unlisted, halt = album.folder / "unlisted", album.folder / "picture-070.jpg.halt"
    unlisted.write_text("")
    halt.write_text("")
    owner.call("AddLibrary", name=name, backend=install_halting(broker.house), options={"path": str(album.folder)})
    page = pages.Page(broker, owner, browser)
    try:
        window = page.open_window()
        window.get_by_role("link", name="Libraries").click()
        bar = window.get_by_role("progressbar", name="Indexing")
        bar.wait_for()
        assert bar.evaluate("e => e.position") == -1, "nobody knows yet how many there are"
        unlisted.unlink()
        # Progress is reported every 64 files.
        window.get_by_text("64%, 64 of 100 files").wait_for()
        assert bar.evaluate("e => [e.value, e.max]") == [64, 100]
        window.get_by_role("button", name="Browse").click()
        window.get_by_text("64%, 64 of 100 files").wait_for()
        assert bar.evaluate("e => [e.value, e.max]") == [64, 100]
        halt.unlink()
        bar.wait_for(state="hidden")
        window.locator(".tile[aria-setsize='100']").first.wait_for()
        assert window.problems == []
    finally:
        unlisted.unlink(missing_ok=True)
        halt.unlink(missing_ok=True)
        page.end()


def test_a_dead_apps_prompt_can_be_answered(scene, page):
    """The answer holds when the app returns, without another prompt."""
    window, other = page.open_window(), page.open_window()
    scene.app.begin_request()
    other.get_by_role("button", name="Select photos").wait_for()
    window.get_by_role("button", name="Select photos").click()
    window.get_by_role("option").nth(0).click()
    scene.app.process.kill()
    scene.app.waiting = False
    wait_for(lambda: scene.owner.call("ListApps")["apps"][0]["connections"] == 0, "the broker to notice")
    window.wait_for_timeout(1000)
    window.get_by_role("option").nth(1).click()
    window.get_by_role("button", name="Allow 2 photos").click()
    window.get_by_text("Nothing is waiting for you").wait_for()
    other.get_by_text("Nothing is waiting for you").wait_for()
    again = scene.broker.app(scene.app.uid)
    again.own_token = scene.app.own_token
    again.use(again.own_token)
    assert again.request() == "limited"
    assert again.names() == scene.newest_first[:2]
    assert window.problems == [] and other.problems == []


@pytest.fixture
def short_page(scene, browser):
    page = pages.Page(scene.broker, scene.owner, browser, "--lock-seconds", "3")
    yield page
    page.end()


def test_an_idle_page_locks_and_hides_everything(scene, short_page):
    scene.limit(0, 1)
    window = short_page.open_window()
    open_app(window)
    window.get_by_role("button", name="Change selection").click()
    wait_for(lambda: window.locator(".tile.loaded").count() == 6, "the pictures")
    for _ in range(5):
        window.wait_for_timeout(1000)
        window.mouse.move(300 + _, 300)
    assert window.locator(".tile").count() == 6, "moving the mouse keeps it open"
    window.get_by_role("heading", name="This page is locked").wait_for(timeout=10_000)
    assert window.locator("img:not([src='/icon.svg'])").count() == 0
    text = window.locator("html").inner_text()
    assert scene.library not in text and scene.pictures[0] not in window.content()
    assert window.title() == "PhotoBroker"
    # The server has ended the session too, so going back shows nothing.
    window.go_back()
    window.wait_for_timeout(500)
    window.get_by_role("heading", name="This page is locked").wait_for()


def test_a_page_about_to_lock_warns_of_losses(scene, browser):
    page = pages.Page(scene.broker, scene.owner, browser, "--lock-seconds", "8")
    try:
        window = page.open_window()
        warning = window.locator(".toast", has_text="about to lock itself")
        scene.app.begin_request()
        window.get_by_role("button", name="Select photos").click()
        window.get_by_role("option").nth(2).click()
        for words in ("what is selected here would be lost", "Any key or movement keeps it open"):
            warning.wait_for()
            assert words in warning.inner_text()
            window.keyboard.press("Shift")
            warning.wait_for(state="detached")
        window.wait_for_timeout(2000)
        assert window.get_by_role("option", selected=True).count() == 1
        window.get_by_role("heading", name="This page is locked").wait_for(timeout=15_000)
        assert warning.count() == 0 and window.problems == []
    finally:
        page.end()


def test_locking_manually_ends_the_session(scene, page):
    window = page.open_window()
    secrets = []
    window.on("request", lambda request: secrets.append(request.headers.get("x-photobroker-session")))
    window.get_by_role("link", name="Apps").click()
    wait_for(lambda: any(secrets) or window.wait_for_timeout(100), "a request with the secret", 30)
    window.get_by_role("button", name="Lock").click()
    window.get_by_role("heading", name="This page is locked").wait_for()
    secret = next(s for s in secrets if s)
    answer = window.evaluate(
        """async secret => (await fetch('/call/ListLibraries', { method: 'POST', body: '{}',
      headers: { 'Content-Type': 'application/json', 'X-PhotoBroker-Session': secret } })).status""",
        secret,
    )
    assert answer == 401


def test_a_prompts_waiting_time_is_updated(scene, page):
    window = page.open_window()
    window.clock.install()
    window.get_by_role("link", name="Apps").click()
    scene.app.begin_request()
    window.get_by_role("link", name="Requests").click()
    window.get_by_role("article").get_by_text("just now").wait_for()
    window.clock.fast_forward("05:00")
    window.get_by_role("article").get_by_text("5 minutes ago").wait_for()


def test_dates_are_in_the_photos_local_time(scene, browser):
    """A photo's own offset comes first, then the library's, then the browser's."""
    when = datetime(2024, 12, 31, 23, 30)
    for hours in (-10, 9):
        scene.album.put(
            f"east-{hours}.jpg",
            jpeg(when.replace(tzinfo=timezone(timedelta(hours=hours))), note=b"%d" % hours),
            1_700_000_000,
        )
    scene.album.put("camera.jpg", jpeg(when, note=b"camera"), 1_700_000_000)
    scene.album.put(
        "undated.jpg", jpeg(None, note=b"undated"), datetime(2025, 7, 1, 22, 30, tzinfo=timezone.utc).timestamp()
    )
    scene.owner.wait_for_library(scene.library, 10)
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window(timezone_id="Asia/Kolkata")
        window.get_by_role("link", name="Libraries").click()
        window.get_by_role("button", name="Browse").click()
        option = window.get_by_role("option")
        option.nth(9).wait_for()
        labels = option.evaluate_all("all => all.map(e => e.getAttribute('aria-label'))")
        found = {label.split(", ")[-1]: label for label in labels}
        assert "31 Dec 2024, 23:30" in found["east--10.jpg"] and "31 Dec 2024, 23:30" in found["east-9.jpg"]
        assert "2 Jul 2025, 04:00" in found["undated.jpg"], "the time of the file, which counts in UTC"
        assert "31 Dec 2024, 23:30" in found["camera.jpg"], "the camera's clock, whatever the library's zone"
        assert "1 Jan 2024, 12:00" in found[scene.pictures[0]]
        headings = window.get_by_role("heading", level=2).all_inner_texts()
        assert headings == ["July 2025", "December 2024", "January 2024"]
    finally:
        page.end()


def test_the_page_requests_its_modules_as_one_script(scene, page):
    """A request for each would take longer than all else that opens the page."""
    origin = page.link().split("#")[0]
    window = page.open_window()
    fetched = [url.removeprefix(origin) for url in window.requests if url.endswith((".js", ".json"))]
    assert fetched == ["start.js", "main.js"]
    assert set(window.evaluate("async () => Object.keys((await import('/main.js')).modules)")) == {
        path.name
        for path in (ROOT / "Sources/CWebPage/page").iterdir()
        if path.suffix in (".js", ".json") and path.name != "start.js"
    }


def test_broker_messages_do_not_cover_selection_controls(scene, page):
    scene.limit(0)
    window = page.open_window(size=(900, 600))
    open_app(window)
    window.get_by_role("button", name="Change selection").click()
    window.get_by_role("option", selected=True).wait_for()
    held = []
    window.route("**/call/EditSelection", lambda route: held.append(route))
    window.get_by_role("option").first.click()
    window.get_by_role("button", name="Save 2 photos").click()
    banner = window.get_by_text("The broker takes long to answer")
    wait_for(lambda: window.wait_for_timeout(100) or banner.is_visible(), "the word that it takes long")
    lies, foot = banner.bounding_box(), window.locator("footer").bounding_box()
    assert lies["y"] + lies["height"] <= foot["y"] + 1, (lies, foot)
    held[0].continue_()
    window.get_by_role("heading", name="2 selected photos").wait_for()
    assert window.problems == []
