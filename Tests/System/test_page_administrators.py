"""The administrators' page: their view, their decisions, and the offers to them."""

import re

import pytest

from house import page as pages


def test_plugins_are_listed_for_administrators(scene, browser):

    steward = scene.broker.owner()
    scene.broker.photobroker(0, "administrator", "add", str(steward.uid))
    page = pages.Page(scene.broker, steward, browser)
    try:
        window = page.open_window()
        window.get_by_role("link", name="Libraries").click()
        row = window.locator("[data-plugin=directory]")
        row.wait_for()
        assert "Works" in row.inner_text() and "Bundled" in row.inner_text() and "Storage directory" in row.inner_text()
        # The page shows a plugin's new state after a few seconds.
        for disabled, state in ((True, "Disabled"), (False, "Works")):
            scene.broker.photobroker(0, "plugin", "disable" if disabled else "enable", "content")
            window.locator("[data-plugin=content]").get_by_text(state, exact=True).wait_for()
        # The page offers no action that the administrator may not take.
        card = window.get_by_role("article", name=scene.library)
        card.get_by_text(f"The library of user {scene.owner.uid}.").wait_for()
        assert [button.inner_text() for button in card.get_by_role("button").all()] == ["Look again"]
        assert not any(url.endswith("FetchOwnedAssets") for url in window.requests)
    finally:
        page.end()
        scene.broker.photobroker(0, "administrator", "remove", str(steward.uid), "--yes")


@pytest.mark.parametrize(
    "may", [{}, {"administratorsSee": True}, {"administratorsSee": True, "administratorsDecide": True}]
)
def test_R130_administrators_see_why_photos_are_hidden_and_no_refused_controls(scene, browser, may):

    scene.limit(0, 1)
    scene.app.digest(scene.app.fetch()[0]["localIdentifier"])
    if may:
        scene.owner.call("DelegateLibrary", name=scene.library, **may)
    steward = scene.broker.owner()
    scene.broker.photobroker(0, "administrator", "add", str(steward.uid))
    page = pages.Page(scene.broker, steward, browser)
    try:
        window = page.open_window()
        refused = []
        window.on("response", lambda response: refused.append(response.url) if response.status >= 400 else None)
        why = f"The library of user {scene.owner.uid}."
        window.get_by_role("link", name="Activity").click()
        if window.get_by_label("Library", exact=True).count():
            window.get_by_label("Library", exact=True).select_option(scene.library)
        content = window.locator("section.panel")
        content.get_by_text("Originals" if may else why).first.wait_for()
        window.get_by_role("link", name="Apps").click()
        window.locator("a.row", has_text=scene.library).first.click()
        window.get_by_role("heading", name="2 selected photos").wait_for()
        window.locator("[data-decision]").first.wait_for()
        window.wait_for_timeout(1000)
        assert window.get_by_text(why).count() == (0 if may else 1)
        assert window.get_by_role("button", name="See as this app").count() == (1 if may else 0)
        assert window.get_by_role("button", name="Change selection").count() == (1 if len(may) > 1 else 0)
        assert window.get_by_role("radio", name="Full access").is_enabled() == (len(may) > 1)
        assert window.get_by_text("Nothing was changed").count() == 0
        assert refused == []
        # Administrators may always revoke, but the toast offers Undo only if they may grant.
        window.get_by_role("radio", name="No access").click()
        window.locator(".toast").get_by_text("Saved").or_(
            window.locator(".toast").get_by_text("Delivered")
        ).first.wait_for()
        assert window.locator(".toast").get_by_role("button").count() == (1 if len(may) > 1 else 0)
        assert refused == [] and window.problems == []
    finally:
        page.end()
        scene.broker.photobroker(0, "administrator", "remove", str(steward.uid), "--yes")


def test_R130_administrators_with_a_view_of_photos_see_no_owner_only_controls(scene, browser):

    scene.limit(0, 1)
    scene.app.call(
        "PerformChanges",
        changes=[{"kind": "delete", "assets": [scene.app.named(scene.pictures[1])["localIdentifier"]]}],
    )
    scene.owner.call("DelegateLibrary", name=scene.library, administratorsSee=True)
    steward = scene.broker.owner()
    scene.broker.photobroker(0, "administrator", "add", str(steward.uid))
    word = f"are for its owner to decide, user {scene.owner.uid}."
    offered = ("Favourite", "Hide from every app", "Restore")
    for person, theirs in ((steward, True), (scene.owner, False)):
        page = pages.Page(scene.broker, person, browser)
        try:
            window = page.open_window()

            def offers():
                return {
                    name
                    for name in offered
                    for button in window.get_by_role("button", name=re.compile(f"^{name}(: |$)")).all()
                    if button.is_visible()
                }

            window.get_by_role("link", name="Libraries").click()
            card = window.get_by_role("article", name=scene.library)
            card.get_by_role("button", name="Browse").click()
            window.get_by_role("option", name=scene.pictures[0]).dblclick()
            viewer = window.locator("dialog.viewer")
            viewer.locator(".viewer-name").get_by_text(scene.pictures[0]).wait_for()
            window.wait_for_timeout(500)
            marks = offers()
            viewer.get_by_role("button", name="Close").click()
            assert window.get_by_role("button", name="Albums…").count() == (not theirs)
            assert window.get_by_text(word).count() == theirs
            window.get_by_role("button", name="Trash").click()
            window.locator("[data-trashed]").wait_for()
            marks |= offers()
            assert window.get_by_text(word).count() == theirs
            assert marks == (set() if theirs else set(offered))
            assert window.problems == []
        finally:
            page.end()
    scene.broker.photobroker(0, "administrator", "remove", str(steward.uid), "--yes")


@pytest.mark.parametrize("decides", [False, True])
def test_R130_administrators_see_only_their_own_rule_and_undo_controls(scene, browser, decides):
    """The owner and another administrator made rules; the owner decided on access and an album."""

    owner = scene.owner
    scene.limit(0, 1)
    owner.call("EditOwnedAlbum", library=scene.library, title="Owned", add={"last": 2})
    owner.call("DelegateLibrary", name=scene.library, administratorsSee=True, administratorsDecide=decides)
    rule = {"library": scene.library, "uid": scene.app.uid, "identifier": "org.example.later", "level": "readWrite"}
    owner.call("Apply", rules=[{**rule, "name": "of-the-owner", "answer": "deny"}])
    steward, other = scene.broker.owner(), scene.broker.owner()
    for person in (steward, other):
        scene.broker.photobroker(0, "administrator", "add", str(person.uid))
    other.call("Apply", rules=[{**rule, "name": "of-another", "answer": "restrict"}])
    windows = []

    def show(person):
        windows.append(pages.Page(scene.broker, person, browser))
        window = windows[-1].open_window()
        window.get_by_role("link", name="Apps").click()
        window.locator("[data-rule=of-another]").wait_for()
        return window

    try:
        window = show(steward)
        removal = re.compile("^Remove the rule")
        assert window.locator("[data-rule=of-the-owner]").get_by_role("button", name=removal).count() == decides
        assert window.get_by_text("For its owner to remove").count() == (not decides)
        window.get_by_role("button", name="New rule…").click()
        if window.locator("dialog select[name=library]").count():
            window.locator("dialog select[name=library]").select_option(scene.library)
        answers = window.locator("dialog select[name=answer] option").all_inner_texts()
        assert ("Allow all" in answers) == decides and ("Block" in answers) == (not decides)
        window.get_by_role("button", name="Save").click()
        window.get_by_text(re.compile("The rule .* holds from now on")).first.wait_for()
        window.locator("[data-rule=of-another]").get_by_role("button", name=removal).click()
        window.locator("[data-rule=of-another]").wait_for(state="detached")
        window.get_by_role("link", name="Activity").click()
        window.get_by_role("button", name="Decisions").click()
        if window.get_by_label("Library", exact=True).count():
            window.get_by_label("Library", exact=True).select_option(scene.library)
        decisions = window.locator("[data-decision]", has_text=scene.library)
        decisions.filter(has_text="Changed an album").wait_for()
        rows = {row.inner_text(): row.get_by_role("button").count() for row in decisions.all()}
        album = next(count for text, count in rows.items() if text.startswith("Changed an album"))
        selection = [count for text, count in rows.items() if text.startswith("Changed the selection")]
        assert album == 0 and selection == [int(decides)] * len(selection), rows
        assert window.problems == []
        other.call("Apply", rules=[{**rule, "name": "of-another", "answer": "restrict"}])
        window = show(owner)
        assert window.locator("[data-rule=of-the-owner]").get_by_role("button", name=removal).count() == 1
        window.locator("[data-rule=of-another]").get_by_role("button", name=removal).click()
        window.locator("[data-rule=of-another]").wait_for(state="detached")
    finally:
        for opened in windows:
            opened.end()
        for person in (steward, other):
            scene.broker.photobroker(0, "administrator", "remove", str(person.uid), "--yes")
