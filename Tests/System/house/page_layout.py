"""Checks that the page fits into its window."""

from .broker import Album
from .person import wait_for
from .soak import WHOLE


def is_wider_than_its_window(window):
    return window.evaluate("() => document.documentElement.scrollWidth > document.documentElement.clientWidth")


WIDE = (1280, 860)


# Controls that lie partly outside the window, or are narrower than their text.
CUT_OFF = """() => [...document.querySelectorAll('nav a, .primary, .plain, .row')].filter(e => {
  const at = e.getBoundingClientRect()
  return at.width > 0 && (at.left < 0 || at.right > document.documentElement.clientWidth + 0.5 || e.scrollWidth > e.clientWidth + 1)
}).map(e => e.textContent)"""


# Children of a row that overlap each other.
OVERLAPPING = """() => [...document.querySelectorAll('.row, .viewer-top, .form-line')].flatMap(row => {
  const boxes = [...row.children].map(e => [e, e.getBoundingClientRect()]).filter(([, at]) => at.width > 0)
  return boxes.flatMap(([one, a], at) => boxes.slice(at + 1)
    .filter(([, b]) => a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1)
    .map(([other]) => [one.textContent, other.textContent]))
})"""


def check_every_view(scene, window):
    """Visit every view, starting from a request, and check that nothing is cut off."""
    scene.app.begin("RequestAuthorization", level="readWrite")

    def check(what):
        assert not is_wider_than_its_window(window), what
        assert window.evaluate(CUT_OFF) == [], what
        assert window.evaluate(OVERLAPPING) == [], what

    for path in ("/apps", "/libraries", "/"):
        window.locator(f"nav a[data-path='{path}']").click()
        window.locator({"/apps": "a.row", "/libraries": ".library", "/": ".prompt"}[path]).first.wait_for()
        check(path)
    window.locator("[data-answer=select]").click()
    # A narrow window has few tiles.
    window.get_by_role("option").first.click()
    check("selection")
    window.locator(".chooser-actions .primary").click()
    assert scene.app.hear_request() == "limited"
    window.locator("nav a[data-path='/apps']").click()
    window.locator("a.row").wait_for()
    scene.owner.call("MarkAssets", library=scene.library, selector={"all": True}, hidden=True)
    scene.owner.call(
        "Apply",
        rules=[
            {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "answer": "deny"}
        ],
    )
    window.locator("[data-rule]").wait_for()
    check("an app that has access")
    window.locator("a.row").click()
    window.locator("[data-decision]").first.wait_for()
    check("what it has")
    window.locator("nav a[data-path='/activity']").click()
    window.locator(".tab").nth(1).click()
    window.locator("[data-decision]").first.wait_for()
    check("decisions")
    window.locator("nav a[data-path='/libraries']").click()
    window.locator(".library .actions button").nth(1).click()
    window.locator("dialog .form-line").wait_for()
    check("whom it is offered to")
    window.keyboard.press("Escape")
    window.locator(".library .primary").click()
    window.get_by_role("option").first.click()
    window.locator("dialog.viewer .viewer-name").wait_for()
    check("the large view")


# Returns whether a part of the header overflows the window or overlaps its neighbour.
HEADER_OVERFLOWS = """() => {
    const parts = [...document.querySelectorAll('.top .brand, .top nav, .top > .round, .top nav a')]
      .map(e => [e, e.getBoundingClientRect()])
    const over = parts.filter(([, box]) => box.right > innerWidth + 0.5 || box.left < -0.5)
    const [brand, nav, lock] = ['.top .brand', '.top nav', '.top > .round']
      .map(which => document.querySelector(which).getBoundingClientRect())
    const meet = (one, other) => one.left < other.right - 0.5 && other.left < one.right - 0.5
      && one.top < other.bottom - 0.5 && other.top < one.bottom - 0.5
    const wide = parts.filter(([e]) => e.matches('nav a') && e.scrollWidth > e.clientWidth + 1)
    return over.length + wide.length + [[brand, nav], [nav, lock], [brand, lock]]
      .filter(([one, other]) => meet(one, other)).length
}"""


def check_header(scene, window):
    """Check every 7th width, in a gate every 49th, with two counts in the header."""
    scene.app.begin("RequestAuthorization", level="readWrite")
    other = scene.broker.owner()
    album = Album(scene.house, f"album-{other.uid}", other.uid)
    album.fill(1)
    other.add_library(f"album-{other.uid}", album.folder, [scene.owner.uid], 1)
    window.get_by_role("article").wait_for()
    wait_for(lambda: window.locator(".top .badge:not(:empty)").count() == 2, "the counts")
    over = []
    for width in range(320, 1300, 7 if WHOLE else 49):
        window.set_viewport_size({"width": width, "height": 800})
        if is_wider_than_its_window(window) or window.evaluate(HEADER_OVERFLOWS):
            over.append(width)
    assert over == []
