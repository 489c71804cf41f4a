"""The page's views: opening them, and reading them."""

from .person import wait_for


def browse(window):
    window.get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    window.get_by_role("option").first.wait_for()


def shown_names(window):
    return [
        label.split(", ")[-1]
        for label in window.locator(".tile").evaluate_all("all => all.map(e => e.getAttribute('aria-label') ?? '')")
    ]


def open_app(window):
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("heading", name="Decisions").wait_for()


def open_large_view(window, name):
    window.get_by_role("option", name=name).dblclick()
    viewer = window.locator("dialog.viewer")
    viewer.locator(".viewer-name").get_by_text(name).wait_for()
    return viewer


def zoom_in(window, name):
    tile = window.get_by_role("option", name=name)
    tile.hover()
    tile.locator(".tile-zoom").click()
    viewer = window.locator("dialog.viewer")
    viewer.locator(".viewer-name").get_by_text(name).wait_for()
    return viewer


def announcement(window):
    return window.locator("#announcer").inner_text()


def wait_until_clickable(button):
    wait_for(lambda: button.get_attribute("aria-disabled") is None, "the row to take presses")
