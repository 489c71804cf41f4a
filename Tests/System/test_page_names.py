"""R120: similar names are told apart on the page and the command line.

Spaces stay visible, mixed alphabets get a note, and verified facts stand beside the name.
"""

from house.broker import Album
from house.person import wait_for

# The second letter is Cyrillic.
MIXED = "J\u043eurnal"


def width(locator):
    return locator.bounding_box()["width"]


def test_R120_names_differing_in_spaces_look_different(scene, page):
    first, other = (scene.broker.app(uid=scene.app.uid) for _ in range(2))
    first.introduce("org.example.one", name="Photo Journal")
    other.introduce("org.example.two", name="Photo   Journal")
    for app in (first, other):
        scene.owner.set(scene.library, app.name, "limited")
    for title in ("Lake House", "Lake  House"):
        scene.owner.call("EditOwnedAlbum", library=scene.library, title=title)
    window = page.open_window()
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    one, two = (window.locator(f"a.row[href*='{app.name}'] strong bdi") for app in (first, other))
    two.wait_for()
    assert width(two) - width(one) > 5
    shown = {text.replace("\u00a0", " ") for text in window.locator("a.row strong").all_text_contents()}
    assert shown == {"Photo Journal", "Photo   Journal"}
    window.get_by_role("navigation").get_by_role("link", name="Libraries").click()
    window.get_by_role("button", name="Browse").click()
    options = window.get_by_label("Album", exact=True).locator("option")
    wait_for(lambda: options.count() >= 3, "the albums")
    assert (
        len({text for text in options.evaluate_all("all => all.map(option => option.text)") if "Lake" in text}) == 2
    ), "a list shows it too"
    assert window.problems == []


NAMES = [
    (MIXED, True),
    ("\u0416\u0443\u0440\u043d\u0430\u043b Photos", False),
    ("Journal", False),
    ("\u0391lbum", True),
    ("\u00b5Torrent", False),
    ("k\u2126m", False),
]


def test_R120_a_name_of_mixed_alphabets_is_flagged_beside_verified_facts(scene, window):
    for name, is_mixed in NAMES:
        app = scene.broker.app()
        scene.owner.call("OfferLibrary", name=scene.library, add=[app.uid])
        scene.broker.accept(app.uid, scene.library)
        app.introduce("org.example.seeming", name=name)
        app.begin_request()
        scene.owner.wait_for_prompt()
        said = f"mixed alphabets · user {app.uid}"
        listed = scene.broker.photobroker(scene.owner.uid, "request", "list").stdout
        assert name in listed and ("(mixed alphabets)" in listed) == is_mixed
        window.get_by_role("navigation").get_by_role("link", name="Requests").click()
        heading = window.get_by_role("article").get_by_role("heading")
        heading.wait_for()
        assert (said in heading.inner_text()) == is_mixed and name in heading.inner_text()
        window.get_by_role("button", name="Select photos").click()
        window.get_by_role("option").nth(1).click()
        assert (said in window.locator("h1").inner_text()) == is_mixed
        window.locator(".chooser-actions .primary").click()
        assert app.hear_request() == "limited"
        window.get_by_role("navigation").get_by_role("link", name="Apps").click()
        row = window.locator(f"a.row[href*='{app.name}']")
        row.wait_for()
        assert (said in row.inner_text()) == is_mixed
        row.click()
        window.get_by_role("heading", name="Decisions").wait_for()
        assert is_seen(window.get_by_text(said)) == is_mixed and window.locator("h1").inner_text() == name
        # The next app must have no namesake.
        scene.owner.call("RemoveApp", app=app.name)
        window.get_by_role("heading", name="Apps", level=1).wait_for()


def is_seen(locator):
    """Return whether the text is visible as a whole, unclipped by any ancestor."""
    return locator.count() == 1 and locator.evaluate("""element => {
      const range = document.createRange()
      range.selectNodeContents(element)
      const words = range.getBoundingClientRect()
      for (let at = element; at; at = at.parentElement) {
        const box = at.getBoundingClientRect()
        if (getComputedStyle(at).overflow !== 'visible' && (words.left < box.left - 1 || words.right > box.right + 1 || words.top < box.top - 1 || words.bottom > box.bottom + 1)) return false
      }
      return words.width > 0 && words.left >= 0 && words.right <= innerWidth
    }""")


def test_R120_a_names_warning_is_visible_even_if_the_name_is_cut_off(scene, page):
    scene.limit(0)
    scene.app.introduce(name=MIXED + " of all the long summers that ever were, and of some that never came to be")
    window = page.open_window()
    window.get_by_role("link", name="Apps").click()
    window.locator(f"a.row[href*='{scene.app.name}']").click()
    window.get_by_role("heading", name="Decisions").wait_for()
    heading = window.locator("h1")
    for width in (1000, 360):
        window.set_viewport_size({"width": width, "height": 800})
        assert heading.evaluate("e => e.scrollWidth > e.clientWidth"), "the name is cut off"
        assert is_seen(window.locator(".app-head").get_by_text(f"mixed alphabets · user {scene.app.uid}"))
        assert not is_seen(heading.locator("bdi")), "which is what is looked for"


def test_an_apps_page_shows_a_librarys_long_name_in_full(scene, page):
    library = f"everything-that-we-saw-in-all-those-years-{scene.owner.uid}"
    folder = Album(scene.house, library, scene.owner.uid).folder
    scene.owner.call("AddLibrary", name=library, options={"path": str(folder)}, offeredTo=[scene.app.uid])
    scene.owner.set(library, scene.app.name, "limited")
    window = page.open_window(size=(360, 740))
    window.get_by_role("link", name="Apps").click()
    window.locator(f"a.row[href*='{library}']").click()
    window.get_by_role("heading", name="Decisions").wait_for()
    assert is_seen(window.locator(".app-head").get_by_text(library))
