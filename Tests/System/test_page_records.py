"""The page's lists of the past: photos handed over, and decisions with their undo."""

import re
from datetime import datetime, timedelta, timezone

import pytest

from house import page as pages
from house.page import stop_clock
from house.page_views import open_app
from house.person import wait_for
from house.pictures import day, jpeg


def read_often(agent, assets, times):
    connection = agent.connection()
    for number in range(times):
        connection.call("io.photobroker.Library.ReadBytes", asset=assets[number % len(assets)], offset=0, length=16)


@pytest.fixture
def controlled_answers(window):
    """Fates of the page's next requests for decisions; the last fate applies to all later ones.

    "hold" fetches the answer now and delivers it on release, "fail" aborts, "pass" continues.
    """

    class Answers:
        fates, held, failed = ["pass"], [], 0

        def meet(self, route):
            fate = self.fates.pop(0) if len(self.fates) > 1 else self.fates[0]
            if fate == "hold":
                self.held.append((route, route.fetch()))
            elif fate == "fail":
                self.failed += 1
                route.abort()
            else:
                route.continue_()

        def release(self):
            route, response = self.held.pop()
            route.fulfill(response=response)

    answers = Answers()
    window.route("**/call/ListDecisions", answers.meet)
    return answers


def test_R139_over_a_thousand_entries_are_listed_in_pages_and_counted_in_the_chart(scene, window):
    # The ledger merges more than four reads of one photo within a second.
    for number in range(300):
        scene.album.put(f"more-{number}.jpg", jpeg(day(number), note=b"%d" % number))
    scene.owner.wait_for_library(scene.library, 306, 60)
    scene.allow()
    assets = [asset["localIdentifier"] for asset in scene.app.fetch(limit=306)]
    scene.app.run(read_often, assets=assets, times=4 * len(assets))
    everything, cursor = [], None
    while True:
        page = scene.owner.call(
            "ReadLedger", library=scene.library, limit=1000, **({"cursor": cursor} if cursor else {})
        )
        everything += page["entries"]
        cursor = page.get("cursor")
        if cursor is None:
            break
    assert len(everything) > 1200
    window.get_by_role("link", name="Activity").click()
    picture = window.get_by_role("img", name=re.compile("handed over in the last 30 days"))
    # The chart counts each photo once, however often it was read.
    items = len({entry["asset"] for entry in everything if not entry["gap"]})
    assert items == len(assets)
    wait_for(
        lambda: f"{items:,} items" in (picture.get_attribute("aria-label") or ""), "the picture to count all of it"
    )
    pages = 1
    more = window.get_by_role("button", name="Show earlier ones")
    while more.is_visible():
        with window.expect_response(lambda response: response.url.endswith("/call/ReadLedger")):
            more.click()
        window.wait_for_timeout(50)
        pages += 1
    # The page fetches the rest of a group by itself, so that the group's count is right.
    assert 1 < pages < -(-len(everything) // 200)
    window.get_by_label("App", exact=True).select_option(label="Journal")
    window.get_by_text("Originals").first.wait_for()
    # New entries appear without a reload.
    before = scene.owner.call("ReadLedger", library=scene.library, limit=1)["entries"][0]
    scene.app.run(read_often, assets=assets[:1], times=3)
    assert scene.owner.call("ReadLedger", library=scene.library, limit=1)["entries"][0] != before
    scene.album.put("later.jpg", jpeg(day(400)))
    scene.owner.wait_for_library(scene.library, 307, 60)
    scene.app.run(read_often, assets=[scene.app.named("later.jpg")["localIdentifier"]], times=1)
    wait_for(lambda: f"{items + 1:,} items" in (picture.get_attribute("aria-label") or ""), "what came since")


def test_R139_the_filters_follow_newly_known_apps(scene, window):
    app = window.get_by_label("App", exact=True)
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("heading", name="Activity", level=1).wait_for()
    assert app.count() == 0, "nobody decided about the app yet"
    scene.limit(0, 1)
    app.select_option(label="Journal")
    # The choice stays when another app becomes known.
    other = scene.broker.app(scene.app.uid)
    other.introduce(identifier="org.example.second")
    other.begin("RequestAuthorization", level="readWrite")
    wait_for(lambda: app.locator("option").count() == 3, "the second app")
    # Both apps have the same name.
    chosen = f"Journal · user {scene.app.uid} · org.example.journal"
    assert app.locator("option:checked").inner_text() == chosen
    window.get_by_role("button", name="Decisions").click()
    app.select_option(label=chosen)
    window.locator("[data-decision]").first.wait_for()


def test_R131_every_kind_of_edit_is_undone_on_the_page(scene, window):
    scene.limit(0, 1)
    scene.unselect(1)
    assert scene.owner.grant(scene.library, scene.app.name)["selected"] == 1
    open_app(window)
    newest = window.locator("[data-decision]").first
    assert re.search("2 selected photos.* → 1 selected photo", newest.inner_text().replace("\u00a0", " "))
    newest.get_by_role("button", name="Undo").click()
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["selected"] == 2, "the edit to be taken back")
    window.get_by_text("Undid a decision").first.wait_for()


def test_R131_the_undo_beside_a_message_undoes_the_latest_action(scene, window):
    scene.limit(0, 1)
    open_app(window)
    window.get_by_role("switch", name=re.compile("Pause")).click()
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["paused"], "the pause")
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(lambda: not scene.owner.grant(scene.library, scene.app.name)["paused"], "the pause to be taken back")
    window.get_by_role("button", name="Change selection").click()
    window.get_by_role("option", selected=True).nth(1).wait_for()
    window.get_by_role("option").nth(0).click()
    window.get_by_role("button", name="Save 3 photos").click()
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name)["selected"] == 3, "the selection")
    window.locator(".toast").get_by_role("button", name="Undo").click()
    wait_for(
        lambda: scene.owner.grant(scene.library, scene.app.name)["selected"] == 2, "the selection to be taken back"
    )


def test_R131_undo_reverts_only_its_own_change(scene, window):
    scene.limit(0, 1)
    open_app(window)
    window.get_by_role("switch", name=re.compile("Pause")).click()
    undo = window.locator(".toast").get_by_role("button", name="Undo")
    undo.wait_for()
    # Another edit comes in between, from outside the page.
    scene.select(2)
    undo.click()
    wait_for(lambda: not scene.owner.grant(scene.library, scene.app.name)["paused"], "the pause to be taken back")
    assert scene.owner.grant(scene.library, scene.app.name)["selected"] == 3, "the edit from elsewhere stays"
    decisions = scene.owner.call("ListDecisions", library=scene.library, limit=3)["decisions"]
    assert [d["action"] for d in decisions] == ["undo", "select", "pause"] and decisions[0]["undoes"] == decisions[2][
        "decision"
    ]


def test_R131_a_refused_undo_says_why(scene, window):
    scene.limit(0, 1)
    open_app(window)
    window.get_by_label(re.compile("^Ends")).select_option("7")
    undo = window.locator(".toast").get_by_role("button", name="Undo")
    undo.wait_for()
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", expires=0)
    undo.click()
    window.locator(".toast").get_by_text("its end was changed").wait_for()
    assert not scene.owner.grant(scene.library, scene.app.name).get("expires")


def test_R131_library_wide_decisions_are_listed_and_undone(scene, window):
    before = scene.owner.library(scene.library)["offeredTo"]
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("button", name="Decisions").click()
    row = window.locator("[data-decision]", has_text="Offered the library to others").first
    assert scene.library in row.inner_text() and "you, in settings" in row.inner_text()
    row.get_by_role("button", name="Undo").click()
    wait_for(lambda: scene.owner.library(scene.library)["offeredTo"] == before, "the offer to be taken back")
    # A decision made elsewhere appears by itself.
    scene.owner.set(scene.library, scene.app.name, "denied")
    window.locator("[data-decision]", has_text="Declined").first.wait_for()
    window.go_back()
    window.get_by_role("button", name="Handed over").wait_for()


def test_an_app_connecting_and_disconnecting_does_not_refetch_its_activity_and_history(scene, window):
    scene.limit(0, 1)
    # The app reads one photo now and another one later, because the chart counts each only once.
    scene.app.digest(scene.app.call("FetchAssets", limit=1)["assets"][0]["localIdentifier"])
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_text("Connected now").wait_for()
    total = window.locator(".part-activity .chart-total")
    wait_for(lambda: total.inner_text().startswith(("1 ", "2 ", "3 ")), "the picture")
    before = int(total.inner_text().split()[0])
    row = window.locator("[data-decision]").first.element_handle()
    counted = []
    window.on(
        "request",
        lambda request: counted.append(request.post_data_json) if request.url.endswith("/call/ReadLedger") else None,
    )
    scene.app.new_connection()
    window.get_by_text("Not connected").wait_for()
    scene.app.digest(scene.app.fetch()[1]["localIdentifier"])
    window.get_by_text("Connected now").wait_for()
    wait_for(lambda: int(total.inner_text().split()[0]) > before, "what came since, in the picture")
    assert counted and not [asked for asked in counted if "since" in asked], "all of it was counted again"
    assert row.evaluate("row => row.isConnected"), "the decisions were drawn anew"
    assert window.problems == []


def delivered_items(scene):
    return {line["asset"] for line in scene.owner.call("ReadLedger", library=scene.library, limit=1000)["entries"]}


def test_an_asset_delivered_during_a_count_is_counted_once(scene, window):
    scene.limit(0, 1)
    first, second = [asset["localIdentifier"] for asset in scene.app.fetch()]
    scene.app.digest(first)
    came = []

    def come(route):
        if "since" in route.request.post_data_json and not came:
            came.append(scene.app.digest(second))
        route.continue_()

    window.route("**/call/ReadLedger", come)
    stop_clock(window)
    window.get_by_role("link", name="Activity").click()
    total = window.locator(".chart-total")
    wait_for(lambda: total.count() and came, "the picture")
    # The page reads newer entries every five seconds.
    for _ in range(2):
        with window.expect_response(
            lambda response: (
                response.url.endswith("/call/ReadLedger") and "since" not in response.request.post_data_json
            )
        ):
            window.clock.run_for(5000)
        wait_for(lambda: int(total.inner_text().split()[0]) == len(delivered_items(scene)), "each to be counted once")


@pytest.mark.parametrize(
    "path, method, words",
    [("/activity", "ReadLedger", "Nothing was handed over"), ("/activity/decisions", "ListDecisions", "None yet.")],
)
def test_a_list_that_failed_to_load_is_shown_once_it_loads(scene, window, path, method, words):
    empty = {"entries": [], "trimmed": False} if method == "ReadLedger" else {"decisions": []}
    failed = []

    def answer(route):
        if failed:
            return route.fulfill(json=empty)
        failed.append(route.abort())

    window.route(f"**/call/{method}", answer)
    window.get_by_role("link", name="Activity").click()
    if path.endswith("decisions"):
        window.get_by_role("button", name="Decisions").click()
    away = window.locator("main").get_by_text("The broker is not answering")
    away.wait_for()
    away.wait_for(state="detached")
    window.get_by_text(words).wait_for()


def test_an_earlier_answer_does_not_replace_a_later_list_of_decisions(scene, window, controlled_answers):
    scene.limit(0)
    controlled_answers.fates = ["hold", "pass"]
    open_part = window.locator(".part-history h2")
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    open_part.wait_for()
    wait_for(lambda: open_part.is_visible() and controlled_answers.held, "the first answer")
    scene.select(1)
    rows = window.locator("[data-decision]")
    rows.first.wait_for()
    shown = rows.count()
    controlled_answers.release()
    window.wait_for_timeout(300)
    assert rows.count() == shown


def test_decisions_stay_visible_when_a_later_request_fails(scene, window, controlled_answers):
    scene.limit(0)
    open_app(window)
    rows = window.locator("[data-decision]")
    rows.first.wait_for()
    shown = rows.count()
    controlled_answers.fates = ["hold", "fail"]
    scene.select(1)
    wait_for(lambda: rows.count() == shown and controlled_answers.held, "an answer")
    scene.select(2)
    wait_for(lambda: rows.count() == shown and controlled_answers.failed, "a failure after it")
    controlled_answers.release()
    wait_for(lambda: rows.count() > shown, "what was asked for before the failure")
    undo = rows.first.get_by_role("button", name="Undo")
    undo.click()
    window.locator(".toast").get_by_text("Undone").wait_for()
    wait_for(undo.is_enabled, "the button to take clicks again, where its list could not be read")


def test_many_decisions_are_paged(scene, window):
    scene.limit()
    for number in range(40):
        scene.select(number % 6)
        scene.unselect(number % 6)
    open_app(window)
    rows = window.locator("[data-decision]")
    wait_for(lambda: rows.count() == 50, "the first page")
    window.locator(".part-history").get_by_role("button", name="Show earlier ones").click()
    wait_for(lambda: rows.count() > 80, "the second page")


def test_R139_an_activity_entry_expands_to_all_its_photos_by_name(make_scene, browser):
    scene = make_scene(30)
    scene.allow()
    for asset in scene.app.fetch():
        scene.app.digest(asset["localIdentifier"])
    gone = scene.pictures[4]
    page = pages.Page(scene.broker, scene.owner, browser)
    try:
        window = page.open_window()
        open_app(window)
        part = window.locator(".part-activity")
        row = part.locator("li", has=window.get_by_text("Originals")).first
        row.locator("summary", has_text="Which 30").focus()
        window.keyboard.press("Enter")
        photos = row.locator("details li")
        photos.nth(29).wait_for()
        assert sorted(photos.all_inner_texts()) == sorted(scene.pictures)
        window.wait_for_function(
            "() => [...document.querySelectorAll('details li img')].every(image => image.naturalWidth > 1)"
        )
        # A removed photo is still listed as handed over.
        (scene.album.folder / gone).unlink()
        scene.owner.wait_for_library(scene.library, 29)
        page.end()
        page = pages.Page(scene.broker, scene.owner, browser)
        window = page.open_window()
        window.get_by_role("link", name="Activity").click()
        row = window.locator("li", has=window.get_by_text("Originals")).last
        row.get_by_text("Which 30").click()
        row.locator("details li").nth(29).wait_for()
        names = row.locator("details li").all_inner_texts()
        assert sorted(names) == sorted([name for name in scene.pictures if name != gone] + ["No longer in the library"])
        assert window.problems == []
    finally:
        page.end()


def test_R139_the_charts_days_are_the_viewers_days(scene, page):
    scene.allow()
    scene.app.digest(scene.app.fetch()[0]["localIdentifier"])
    # A time zone whose date now differs from UTC's.
    hours, zone = (-11, "Pacific/Pago_Pago") if datetime.now(timezone.utc).hour < 11 else (14, "Pacific/Kiritimati")
    today = datetime.now(timezone(timedelta(hours=hours)))
    window = page.open_window(timezone_id=zone)
    window.get_by_role("link", name="Activity").click()
    window.locator(".chart").wait_for()
    # The chart appears before the count is complete.
    wait_for(lambda: window.locator(".bars > .bar:not(.none)").count() > 0, "what was counted")
    titles = window.locator(".bars > span").evaluate_all("all => all.map(bar => bar.title)")
    assert titles[-1] == f"{today.day} {today:%b}: {len(delivered_items(scene))}"
    assert all(title.endswith(": 0") for title in titles[:-1]) and window.problems == []


def test_R131_the_history_calls_no_existing_app_removed(scene, page, window):
    scene.allow()
    scene.app.fetch(limit=1)
    scene.owner.set(scene.library, scene.app.name, "notDetermined")
    assert [app["withoutAccess"] for app in scene.owner.call("ListApps")["apps"]] == [[scene.library]], (
        "nothing is decided on it any more"
    )
    window.get_by_role("link", name="Activity").click()
    window.locator(".row").filter(has_text="Journal").first.wait_for()
    window.get_by_role("button", name="Decisions").click()
    window.locator("[data-decision]").filter(has_text="Journal").first.wait_for()
    assert window.get_by_text("(removed)").count() == 0
    scene.owner.set(scene.library, scene.app.name, "denied")
    scene.owner.call("RemoveApp", app=scene.app.name)
    window.get_by_text("(removed)").first.wait_for()
