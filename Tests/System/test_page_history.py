"""The list of decisions with authors and outcomes, and the marks on and above photos."""

import re

import pytest

from house import page as pages
from house.broker import Album
from house.page_views import browse, wait_until_clickable
from house.person import PICKER, wait_for

# The contrast of an element's text with its background. A photo behind it is white, at worst.
RATIO = """element => {
  const part = text => text.match(/[\\d.]+/g).map(Number)
  const over = ([r, g, b, alpha = 1], below) => [r, g, b].map((v, at) => v * alpha + below[at] * (1 - alpha))
  const light = color => color.map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, at) => sum + v * [0.2126, 0.7152, 0.0722][at], 0)
  const layers = []
  for (let at = element; at && !at.matches('.tile'); at = at.parentElement) {
    layers.unshift(part(getComputedStyle(at).backgroundColor))
  }
  const plate = layers.reduce((below, layer) => over(layer, below), [255, 255, 255])
  const { color, opacity } = getComputedStyle(element), [r, g, b] = part(color)
  const [one, other] = [light(over([r, g, b, Number(opacity)], plate)), light(plate)].sort((a, b) => b - a)
  return (one + 0.05) / (other + 0.05)
}"""


def rows(window):
    return [
        row.replace("\n", " | ").replace("\u00a0", " ") for row in window.locator("[data-decision]").all_inner_texts()
    ]


def open_decisions(window):
    window.get_by_role("link", name="Activity").click()
    window.get_by_role("button", name="Decisions").click()
    window.locator("[data-decision]").first.wait_for()


def test_R131_the_history_lists_decisions_about_all_libraries(scene, browser):
    """An administrator also sees decisions about a removed library, and about no library."""
    steward = scene.broker.owner()
    scene.limit(0)
    gone, other = f"gone-{scene.owner.uid}", f"other-{scene.owner.uid}"
    for name in (gone, other):
        folder = Album(scene.house, name, scene.owner.uid).folder
        scene.owner.call("AddLibrary", name=name, options={"path": str(folder)}, offeredTo=[scene.app.uid])
    scene.owner.set(gone, scene.app.name, "authorized")
    scene.owner.call("RemoveLibrary", name=gone)
    scene.broker.photobroker(0, "administrator", "add", str(steward.uid))
    page = pages.Page(scene.broker, steward, browser)
    try:
        window = page.open_window()
        open_decisions(window)
        library = window.get_by_label("Library")
        assert library.locator("option:checked").inner_text() == "All libraries"
        assert rows(window)[0].startswith("Changed the administrators")
        assert any(f" · {scene.library}" in row for row in rows(window))
        assert any(f" · {gone}" in row for row in rows(window)), "what is about a library that is gone"
        # Each row names its library, also in the list of one app.
        window.get_by_label("App").select_option(scene.app.name)
        wait_for(lambda: rows(window) and all(scene.library in row or gone in row for row in rows(window)), "one app's")
        library.select_option(other)
        wait_for(lambda: not window.locator("[data-decision]").count(), "the other library's alone")
        library.select_option(label="All libraries")
        window.get_by_label("App").select_option("")
        window.locator("[data-decision]", has_text="Changed the administrators").first.wait_for()
        # The ledger is per library, so it has no entry for all libraries.
        window.get_by_role("button", name="Handed over").click()
        assert "All libraries" not in window.get_by_label("Library").inner_text()
        assert window.problems == []
    finally:
        page.end()
        scene.broker.photobroker(0, "administrator", "remove", str(steward.uid), "--yes")


def test_R131_the_history_lists_decisions_without_a_library(broker, browser):
    owner, app = broker.owner(), broker.app()
    app.introduce()
    page = pages.Page(broker, owner, browser)
    try:
        window = page.open_window()
        window.get_by_role("link", name="Activity").click()
        window.get_by_role("button", name="Decisions").click()
        window.get_by_text("None yet.").wait_for()
        assert window.problems == []
    finally:
        page.end()


def test_R131_an_undone_decision_is_marked_and_keeps_its_name(scene, page):
    scene.limit(0, 1)
    scene.unselect(1)
    window = page.open_window()
    open_decisions(window)
    first = window.locator("[data-decision]").first
    number = first.get_attribute("data-decision")
    wait_until_clickable(first.get_by_role("button"))
    first.get_by_role("button", name="Undo").focus()
    window.keyboard.press("Enter")
    window.get_by_text("Undid a decision").first.wait_for()
    assert re.match(r"Undid a decision \(Changed the selection, \d+ \w+ \d{4}.*\d\d:\d\d\)", rows(window)[0]), rows(
        window
    )[0]
    assert number not in rows(window)[0]
    undone = window.locator(f'[data-decision="{number}"]')
    assert "undone" in undone.inner_text() and undone.get_by_role("button").count() == 0
    assert undone.evaluate("row => row === document.activeElement"), "the button is gone, its row has the focus"
    # An undo of the undo restores the first decision.
    wait_until_clickable(window.locator("[data-decision]").first.get_by_role("button"))
    window.locator("[data-decision]").first.get_by_role("button", name="Undo").click()
    wait_for(lambda: rows(window)[0].startswith("Undid a decision (Undid a decision, "), "it to be taken back")
    assert "undone" in window.locator("[data-decision]").nth(1).inner_text()
    assert "undone" not in undone.inner_text()
    listed = scene.broker.photobroker(scene.owner.uid, "decisions", scene.library).stdout.splitlines()
    assert (
        f"undo {number} (select, " in listed[2] and ", undone" in listed[2] and ", undone" not in listed[1] + listed[3]
    )
    assert window.problems == []


def test_R131_an_undone_decision_keeps_its_name_on_a_later_page(scene, page):
    scene.limit(0, 1)
    decision = scene.owner.call("PauseGrant", library=scene.library, paused=True)["decisions"][0]
    for _ in range(30):
        scene.select(2)
        scene.unselect(2)
    scene.owner.call("UndoDecision", decision=decision)
    window = page.open_window()
    open_decisions(window)
    assert rows(window)[0].startswith("Undid a decision (Paused, ") and window.locator("[data-decision]").count() == 50
    window.get_by_role("button", name="Show earlier").click()
    window.locator(f'[data-decision="{decision}"]').get_by_text("undone").wait_for()


@pytest.mark.parametrize("is_undone", [False, True])
def test_clicking_a_decisions_text_does_not_focus_its_undo(scene, window_of_decisions, is_undone):
    window = window_of_decisions
    number = scene.owner.call("ListDecisions", library=scene.library, limit=1)["decisions"][0]["decision"]
    row = window.locator(f'[data-decision="{number}"]')
    if is_undone:
        # The undone row has no button, so the focus moves to the row.
        row.get_by_role("button", name="Undo").focus()
        window.keyboard.press("Enter")
        row.get_by_text("undone").wait_for()
        wait_for(lambda: row.evaluate("row => row === document.activeElement"), "the row to have the focus")
    else:
        row.locator("strong").click()
    decisions = window.locator("[data-decision]")
    before = decisions.count()
    # An undo of the undo gives the row a button again.
    if is_undone:
        undo = scene.owner.call("ListDecisions", library=scene.library, limit=1)["decisions"][0]["decision"]
        scene.owner.call("UndoDecision", decision=undo)
        row.get_by_role("button", name="Undo").wait_for()
    else:
        scene.owner.set(scene.library, scene.app.name, "notDetermined")
        wait_for(lambda: decisions.count() > before, "the new decision")
    window.wait_for_timeout(700)
    assert window.evaluate("document.activeElement.localName") == ("li" if is_undone else "body")
    latest = scene.owner.call("ListDecisions", library=scene.library, limit=1)["decisions"]
    for key in ("Space", "Enter"):
        window.keyboard.press(key)
    window.wait_for_timeout(500)
    assert scene.owner.call("ListDecisions", library=scene.library, limit=1)["decisions"] == latest, (
        "nothing was taken back"
    )
    assert window.problems == []


@pytest.fixture
def window_of_decisions(scene, page):
    scene.limit(0, 1)
    scene.owner.set(scene.library, scene.app.name, "denied")
    window = page.open_window()
    open_decisions(window)
    wait_until_clickable(window.locator("[data-decision]").first.get_by_role("button"))
    return window


def test_users_are_shown_by_their_account_names_in_offers_too(scene, page):
    scene.owner.call("OfferLibrary", name=scene.library, add=[1, 33])
    scene.broker.photobroker(33, "library", "decline", scene.library)
    window = page.open_window()
    window.get_by_role("link", name="Libraries").click()
    card = window.get_by_role("article", name=scene.library, exact=True)
    card.get_by_text("1 (daemon)").wait_for()
    card.get_by_text("Declined by users: 33 (www-data)").wait_for()


def test_marks_are_visible_on_light_photos(scene, page):
    """Contrast is at least 3:1 on any photo (WCAG 2.2, 1.4.11)."""
    scene.owner.call("MarkAssets", library=scene.library, selector={"last": 1}, favorite=True, hidden=True)
    window = page.open_window(size=(1280, 800))
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.locator(".tile-marks").first.wait_for()
    ratio = window.locator(".tile-marks").first.evaluate(RATIO)
    assert ratio >= 3


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_rulers_years_have_contrast(scene, page, scheme):
    """Contrast of text is at least 4.5:1 (WCAG 2.2, 1.4.3)."""
    # The ruler is shown beside twice as many photos as fit.
    for number in range(6, 46):
        scene.album.add(number)
    scene.owner.wait_for_library(scene.library, 46)
    window = page.open_window(scheme=scheme, size=(1280, 480))
    browse(window)
    years = window.locator(".scrub-labels span")
    years.first.wait_for()
    ratio = years.first.evaluate(RATIO)
    assert ratio >= 4.5, ratio


@pytest.mark.parametrize("height, albums", [(844, 1), (664, 0)])
def test_the_first_photo_lies_in_the_upper_third_of_a_telephones_window(scene, page, height, albums):
    for number in range(albums):
        scene.make_album("Trip", number)
    window = page.open_window(size=(390, height))
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    wait_for(lambda: window.locator(".chooser-bar select:visible").count() == albums, "the albums")
    window.locator(".tile").first.wait_for()
    top = window.locator(".tile").first.bounding_box()["y"]
    assert top < height / 3, top


def choose_on_a_telephone(scene, page, view, language, height):
    """Open a view in which photos are chosen, and return its window."""
    if view == "request":
        scene.app.begin_request()
    elif view == "picker":
        picker = scene.broker.app(uid=scene.app.uid)
        picker.introduce("org.example.attach", name="Mailer")
        picker.begin(PICKER + "Present", selectionLimit=5)
    else:
        scene.limit(0, 1)
    window = page.open_window(language, (390, height))
    if view == "change":
        window.locator("nav a[data-path='/apps']").click()
        window.locator("a.row").first.click()
    texts = {"request": "Select photos|Fotos auswählen", "picker": "Pick…|Auswählen …"}
    window.get_by_role("button", name=re.compile(texts.get(view, "Change selection|Auswahl ändern"))).click()
    window.locator(".tile").nth(4).wait_for()
    return window


@pytest.mark.parametrize("language, height", [("en-GB", 844), ("de-DE", 844), ("de-DE", 664)])
@pytest.mark.parametrize("view", ["request", "picker", "change"])
def test_photos_are_chosen_from_the_upper_third_of_a_telephones_window(scene, page, view, language, height):
    """The title and the buttons are in view too, and each control has 44 pixels to touch."""
    window = choose_on_a_telephone(scene, page, view, language, height)
    top = window.locator(".tile").first.bounding_box()["y"]
    assert top < height / 3, top
    for text in window.locator(".chooser-title h1, .chooser-title p:visible").all():
        assert 0 <= text.bounding_box()["y"] < top, text.inner_text()
    boxes = [button.bounding_box() for button in window.locator("main .chooser-actions button").all()]
    assert len(boxes) == (3 if view == "request" else 2)
    for box in boxes:
        assert box["y"] > height / 2 and box["y"] + box["height"] <= height, box
    controls = [one for one in window.locator("main").locator("button, input").all() if one.is_visible()]
    for control in controls:
        if control.evaluate("e => !e.closest('.grid')"):
            assert control.bounding_box()["height"] >= 44, control.evaluate("e => e.outerHTML")
    assert window.problems == []


def test_R149_terms_are_folded_on_a_telephone_and_told(scene, page):
    window = choose_on_a_telephone(scene, page, "request", "en-GB", 844)
    fold, places = window.locator(".fold"), window.get_by_role("switch", name="Places")
    assert fold.inner_text().lower() == "without places" and not places.is_visible()
    fold.click()
    box = places.bounding_box()
    places.click()
    assert fold.inner_text() == "Details" and places.bounding_box() == box, "no switch moves while it is used"
    fold.click()
    assert fold.inner_text().lower() == "with places" and fold.get_attribute("aria-expanded") == "false"
    window.get_by_role("option").first.click()
    window.get_by_role("button", name="Allow 1 photo").click()
    assert scene.app.hear_request() == "limited"
    [grant] = scene.owner.call("ListGrants", library=scene.library, app=scene.app.name)["grants"]
    assert grant["terms"]["location"]


@pytest.mark.parametrize("language", ["en-GB", "de-DE"])
def test_photos_have_room_in_a_small_telephones_window(scene, page, language):
    """The controls above the photos leave room for a whole row below a heading."""
    scene.limit(0, 1)
    window = page.open_window(language, (360, 640))
    window.locator("nav a[data-path='/apps']").click()
    window.locator("a.row").first.click()
    window.get_by_role("button", name=re.compile("^(Change selection|Auswahl ändern)")).click()
    window.locator(".tile").first.wait_for()
    grid, foot = window.locator(".chooser-grid").bounding_box(), window.locator(".chooser-foot").bounding_box()
    assert foot["y"] - grid["y"] > 220 and abs(foot["y"] + foot["height"] - 640) <= 1, (grid, foot)
    # Scrolled past the controls, the photos have more room.
    window.evaluate("scrollTo(0, document.documentElement.scrollHeight)")
    grid, foot = window.locator(".chooser-grid").bounding_box(), window.locator(".chooser-foot").bounding_box()
    assert foot["y"] - max(0, grid["y"]) > 340, (grid, foot)
