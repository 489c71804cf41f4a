"""An open grid fetches only changes; an open photo, a selection or a save is not disturbed."""

import json

import pytest

from house.page_views import browse, shown_names, zoom_in
from house.person import wait_for


def hold_columns(window):
    """Hold the next answer with a library's columns until `let_go`."""
    held = []
    window.route("**/call/FetchOwnedColumns", lambda route: held.append((route, route.fetch())), times=1)
    return held


def release_answers(held):
    for route, response in held:
        route.fulfill(response=response)


def test_a_mark_in_the_large_view_applies_to_the_shown_photo_when_its_list_changes(scene, window):
    for name in scene.pictures[1:]:
        scene.owner.call("MarkAssets", library=scene.library, selector={"filename": name}, hidden=True)
    browse(window)
    window.get_by_role("button", name="Hidden", exact=True).click()
    wait_for(lambda: window.locator(".tile").count() == 5, "those that are hidden")
    name, others = scene.newest_first[1], {*scene.pictures[1:]} - {scene.newest_first[1]}
    window.get_by_role("option").nth(1).click()
    viewer = window.locator("dialog.viewer")
    viewer.locator(".viewer-name").get_by_text(name).wait_for()
    hide = viewer.get_by_role("button", name="Hide from every app")
    for isHidden in (False, True, False):
        hide.click()
        wait_for(lambda: hide.get_attribute("aria-pressed") == str(isHidden).lower(), "the button to say so")
        hidden = {
            a["filename"] for a in scene.owner.call("FetchOwnedAssets", library=scene.library)["assets"] if a["hidden"]
        }
        assert hidden == (others | {name} if isHidden else others)
        viewer.locator(".viewer-name").get_by_text(name).wait_for()


def test_the_large_view_selects_the_shown_photo_when_others_disappear(scene, window):
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    wait_for(lambda: window.locator(".tile").count() == 6, "the library")
    held = hold_columns(window)
    first, name = scene.newest_first[0], scene.newest_first[2]
    (scene.album.folder / first).unlink()
    wait_for(lambda: window.evaluate("true") and held, "the renewal")
    viewer = zoom_in(window, name)
    release_answers(held)
    wait_for(lambda: window.locator(".tile").count() == 5, "the one that is gone to be gone")
    viewer.get_by_role("button", name="Select").click()
    viewer.get_by_role("button", name="Selected").wait_for()
    viewer.get_by_role("button", name="Close").click()
    window.get_by_role("button", name="Allow 1 photo").click()
    assert scene.app.hear_request() == "limited" and scene.app.names() == [name]


def test_the_large_view_of_a_removed_photo_closes(scene, window):
    browse(window)
    wait_for(lambda: len(shown_names(window)) == 6, "the library")
    held = hold_columns(window)
    (scene.album.folder / scene.newest_first[2]).unlink()
    wait_for(lambda: window.evaluate("true") and held, "the renewal")
    window.get_by_role("option").nth(2).click()
    viewer = window.locator("dialog.viewer")
    viewer.locator(".viewer-name").get_by_text(scene.newest_first[2]).wait_for()
    release_answers(held)
    viewer.wait_for(state="detached")


def select(scene, window):
    scene.app.begin_request()
    window.get_by_role("button", name="Select photos").click()
    wait_for(lambda: window.locator(".tile").count() == 6, "the library")


def test_a_new_photo_does_not_move_the_keyboards_current_photo(scene, window):
    select(scene, window)
    window.get_by_role("listbox").focus()
    for key in ("Home", "ArrowRight", "ArrowRight"):
        window.keyboard.press(key)
    scene.album.add(20)
    wait_for(lambda: window.locator(".tile").count() == 7, "the photo that came")
    current = window.locator(f"#{window.get_by_role('listbox').get_attribute('aria-activedescendant')}")
    assert scene.newest_first[2] in current.get_attribute("aria-label"), "it is read out"
    window.keyboard.press("Space")
    window.get_by_role("button", name="Allow 1 photo").click()
    assert scene.app.hear_request() == "limited" and scene.app.names() == [scene.newest_first[2]]


# Presses the first photo, or its month's button, as soon as another photo appears.
PRESS_FIRST = """what => {
  const list = document.querySelector('.grid-list')
  new MutationObserver((changes, watcher) => {
    if (list.children.length !== 7) return
    watcher.disconnect()
    if (what === 'month') return document.querySelector('.grid-heading button').click()
    list.querySelector('[data-at="0"]')
      .dispatchEvent(new PointerEvent('pointerdown', { bubbles: true, cancelable: true }))
    dispatchEvent(new PointerEvent('pointerup'))
  }).observe(list, { childList: true })
}"""


@pytest.mark.parametrize("what", ["photo", "month"])
def test_a_click_on_a_photo_that_just_moved_selects_nothing(scene, window, what):
    select(scene, window)
    window.evaluate(PRESS_FIRST, what)
    scene.album.add(20)
    window.get_by_text("This only just came or moved there.").first.wait_for()
    chosen = window.get_by_role("option", selected=True)
    assert chosen.count() == 0
    window.wait_for_timeout(600)
    window.get_by_role("option").first.click()
    assert chosen.count() == 1


# Counts the page's renewals after its pause of one second.
COUNT_PAUSES = """() => {
  const set = window.setTimeout
  window.pauses = 0
  window.setTimeout = (run, time, ...more) => set(() => { run(...more); if (time === 1000) window.pauses += 1 }, time)
}"""


def test_R51_saving_uses_the_confirmed_selection(scene, window):
    scene.limit(0, 1)
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").click()
    window.get_by_role("button", name="Change selection").click()
    window.get_by_role("option", selected=True).nth(1).wait_for()
    gone, chosen, dropped = (scene.newest_first[at] for at in (0, 2, 4))
    window.get_by_role("option").nth(2).click()
    window.get_by_role("option").nth(4).click()
    window.evaluate(COUNT_PAUSES)
    held = hold_columns(window)
    window.get_by_role("button", name="Save 2 photos").click()
    wait_for(lambda: window.evaluate("true") and held, "the page to look once more")
    (scene.album.folder / gone).unlink()
    wait_for(lambda: window.evaluate("window.pauses") > 0, "the page to hear that a photo is gone")
    asked = len([url for url in window.requests if url.endswith("FetchOwnedColumns")])
    release_answers(held)
    dialog = window.get_by_role("dialog")
    dialog.get_by_text("1 photo is unselected").wait_for()
    assert dialog.locator("img").evaluate_all("all => all.map(e => e.alt)") == [chosen, dropped]
    assert window.evaluate("new Promise(done => setTimeout(() => done(true), 0))")
    assert len([url for url in window.requests if url.endswith("FetchOwnedColumns")]) == asked, (
        "nothing is renewed below it"
    )
    dialog.get_by_role("button", name="Save").click()
    window.get_by_role("heading", name="2 selected photos").wait_for()
    assert set(scene.owner.names(scene.library, app=scene.app.name)) == {scene.pictures[0], chosen}


@pytest.mark.parametrize("change", ["comes", "goes"])
def test_a_change_between_two_page_requests_is_corrected_on_the_next_update(scene, window, change):
    held = []

    def page_of_three(route):
        question = json.loads(route.request.post_data)
        if question.get("since") is not None or question["skip"] not in (0, 3):
            route.continue_()
        elif question["skip"] == 0 and not held:
            route.continue_(post_data=json.dumps({**question, "limit": 3}))
        elif question["skip"] == 3 and not held:
            held.append(route)
        else:
            route.continue_()

    window.route("**/call/FetchOwnedColumns", page_of_three)
    browse(window)
    wait_for(lambda: window.evaluate("true") and held, "the second page to be asked for")
    if change == "goes":
        (scene.album.folder / scene.newest_first[0]).unlink()
        expected = scene.newest_first[1:]
    else:
        scene.album.add(40, "newest.jpg")
        expected = ["newest.jpg", *scene.newest_first]
    scene.owner.wait_for_library(scene.library, len(expected))
    held[0].continue_()
    wait_for(lambda: shown_names(window) == expected, "each photo once")


def test_changes_that_do_not_add_up_cause_a_full_fetch(scene, window):
    """The page merges changes if the counts agree, and otherwise fetches everything."""
    asked = []

    def one_too_many(route):
        question = json.loads(route.request.post_data)
        asked.append(question.get("since"))
        if question.get("since") is None or question.get("skip"):
            return route.continue_()
        answer = route.fetch().json()
        assert answer["gone"] is not None, "the broker could tell"
        # The total exceeds the page's photos plus the changes by one.
        route.fulfill(json={**answer, "total": answer["total"] + 1})

    browse(window)
    wait_for(lambda: len(shown_names(window)) == 6, "the library")
    window.route("**/call/FetchOwnedColumns", one_too_many)
    scene.album.add(40, "newest.jpg")
    wait_for(lambda: shown_names(window) == ["newest.jpg", *scene.newest_first], "each photo once")
    assert asked[0] is not None and asked[1] is None, "the merge was not taken"
    assert window.get_by_text("7 photos").is_visible()
    # After the full fetch the page merges changes again.
    window.unroute("**/call/FetchOwnedColumns")
    with window.expect_request("**/call/FetchOwnedColumns") as request:
        (scene.album.folder / "newest.jpg").unlink()
    assert json.loads(request.value.post_data).get("since") is not None
    wait_for(lambda: shown_names(window) == scene.newest_first, "the library as it was")


def test_R59_photos_of_the_same_second_keep_the_brokers_order(scene, window):
    """The page knows whole seconds, which do not order a burst."""
    browse(window)
    wait_for(lambda: len(shown_names(window)) == 6, "the library")
    for number, name in ((3, "a-burst.jpg"), (3, "z-burst.jpg"), (5, "m-burst.jpg")):
        scene.album.add(number, name)
        wait_for(lambda: name in shown_names(window), "the new one")
        wait_for(
            lambda: shown_names(window) == [asset["filename"] for asset in scene.owner.assets(scene.library)],
            "the broker's order",
        )
    assert window.problems == []


def test_an_apps_view_is_updated_by_changes_only(scene, window):
    """Changes are merged, visible to the app or not; a decision about it causes a full fetch."""
    scene.allow()
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("button", name="See as this app").click()
    wait_for(lambda: len(shown_names(window)) == 6, "what it sees")
    answers = []
    window.on(
        "response",
        lambda response: (
            answers.append((json.loads(response.request.post_data).get("since"), response))
            if "FetchOwnedColumns" in response.url
            else None
        ),
    )
    scene.album.add(40, "newest.jpg")
    wait_for(lambda: shown_names(window) == ["newest.jpg", *scene.newest_first], "the new one")
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": "newest.jpg"}, hidden=True)
    wait_for(lambda: shown_names(window) == scene.newest_first, "the hidden one to be gone")
    (scene.album.folder / scene.newest_first[0]).unlink()
    wait_for(lambda: shown_names(window) == scene.newest_first[1:], "the deleted one to be gone")
    assert answers and all(since is not None and len(response.json()["names"]) <= 1 for since, response in answers), (
        answers
    )
    answers.clear()
    scene.limit(0, 1)
    wait_for(lambda: len(shown_names(window)) == 2, "what it sees now")
    assert [since for since, _ in answers][-1] is None
    assert window.problems == []


def test_saving_a_selection_does_not_refetch_the_library(scene, window):
    scene.limit(0, 1)
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    change = window.get_by_role("button", name="Change selection…")
    change.click()
    wait_for(lambda: window.locator(".tile[aria-selected=true]").count() == 2, "what is selected")
    window.get_by_role("option").nth(0).click()
    asked = []
    window.on(
        "request",
        lambda request: asked.append(json.loads(request.post_data)) if "FetchOwnedColumns" in request.url else None,
    )
    window.get_by_role("button", name="Save 3 photos").click()
    change.wait_for()
    assert [question.get("since") is not None for question in asked] == [True]
    assert set(scene.owner.names(scene.library, app=scene.app.name)) == {*scene.pictures[:2], scene.newest_first[0]}


def test_R54_a_swap_made_elsewhere_is_shown_before_saving_even_if_the_page_missed_it(scene, window):
    scene.limit(0, 1)
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("button", name="Change selection…").click()
    wait_for(lambda: window.locator(".tile[aria-selected=true]").count() == 2, "what is selected")
    window.get_by_role("option").nth(0).click()
    save = window.get_by_role("button", name="Save 3 photos")
    save.wait_for()
    # The page hears of no change from now on, and the number of selected photos stays.
    window.route("**/wait", lambda route: None)
    scene.owner.call(
        "EditSelection",
        library=scene.library,
        app=scene.app.name,
        add=scene.owner.naming(scene.library, [scene.pictures[2]]),
        remove=scene.owner.naming(scene.library, [scene.pictures[1]]),
    )
    save.click()
    dialog = window.get_by_role("dialog")
    dialog.get_by_text("1 photo is added").wait_for()
    dialog.get_by_role("button", name="Save").click()
    wait_for(
        lambda: (
            set(scene.owner.names(scene.library, app=scene.app.name))
            == {scene.pictures[0], scene.pictures[2], scene.newest_first[0]}
        ),
        "both edits",
    )
