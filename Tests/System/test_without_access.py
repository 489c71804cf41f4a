"""R131: an app without any grant stays in its owner's lists, after an answer was undone or
forgotten.

The wire, the command line and the page show it. The app gains and learns nothing by that.
"""

import pytest

from house.person import wait_for


def begin_prompt(scene):
    scene.app.begin_request()
    return wait_for(lambda: scene.owner.call("ListPrompts")["prompts"], "the question")[0]["prompt"]


def undo_answer(scene, way):
    if way == "forget":
        return scene.owner.set(scene.library, scene.app.name, "notDetermined")
    last = scene.owner.call("ListDecisions", library=scene.library, limit=1)["decisions"][0]
    return scene.owner.call("UndoDecision", decision=last["decision"])


@pytest.mark.parametrize("way", ["undo", "forget"])
def test_R131_an_app_with_an_undone_answer_is_listed_separately_until_removed(own_scene, way):
    scene = own_scene
    scene.owner.call("AnswerPrompt", prompt=begin_prompt(scene), answer="allow")
    assert scene.app.hear()["status"] == "authorized"
    undo_answer(scene, way)
    assert scene.app.status() == "notDetermined"
    for _ in range(2):
        [app] = scene.owner.call("ListApps")["apps"]
        assert (app["app"], app["withoutAccess"]) == (scene.app.name, [scene.library])
        assert scene.owner.call("ListGrants", app=scene.app.name)["grants"] == []
        for command in (["app", "list"], ["grant", "list"], ["grant", "show", scene.library, "org.example.journal"]):
            said = scene.broker.photobroker(scene.owner.uid, *command).stdout
            assert "Apps without access" in said and "will ask again" in said, command
            assert (
                scene.app.name in said[said.index("Apps without access") :]
                and scene.library in said[said.index("Apps without access") :]
            )
        history = scene.broker.photobroker(scene.owner.uid, "decisions", "--app", "org.example.journal").stdout
        assert {"undo": "undo", "forget": "remove the decision"}[way] in history
        assert scene.broker.owner().call("ListApps")["apps"] == []
        scene.broker.restart()
        scene.owner.wait_for_library(scene.library, len(scene.pictures))
    scene.app.new_connection()
    scene.app.use(scene.app.own_token)
    prompt = begin_prompt(scene)
    scene.owner.call("AnswerPrompt", prompt=prompt, answer="deny")
    assert scene.owner.call("ListApps")["apps"][0]["withoutAccess"] == [], "it is decided on again"
    undo_answer(scene, way)
    scene.owner.call("RemoveApp", app=scene.app.name)
    assert scene.owner.call("ListApps")["apps"] == []
    assert "Apps without access" not in scene.broker.photobroker(scene.owner.uid, "app", "list").stdout


def test_R131_an_apps_page_stays_open_when_its_decision_is_undone(scene, window):
    prompt = begin_prompt(scene)
    scene.owner.call("AnswerPrompt", prompt=prompt, answer="deny")
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    window.get_by_role("heading", name="Decisions").wait_for()
    window.get_by_role("button", name="Remove the decision").click()
    says = window.locator(".part-head").get_by_text("It has no access; it will ask again.")
    says.wait_for()
    history = window.locator(".part-history [data-decision]")
    wait_for(lambda: history.count() == 2, "what was decided")
    window.locator(".toast").get_by_role("button", name="Undo").click()
    says.wait_for(state="detached")
    history.first.get_by_role("button", name="Undo").click()
    says.wait_for()
    assert window.locator(".part-head h1").inner_text() == "Journal"
    window.get_by_role("navigation").get_by_role("link", name="Apps").click()
    group = window.locator("section.group").filter(has=window.get_by_role("heading", name="Apps without access"))
    row = group.locator("a.row")
    wait_for(lambda: row.count() == 1, "the app under its heading")
    assert "Asks again" in row.inner_text() and scene.library in row.inner_text()
    assert window.locator("section.group").filter(has_text="Not asked yet").count() == 0
    row.click()
    says.wait_for()
    scene.owner.call("RemoveApp", app=scene.app.name)
    window.get_by_role("heading", name="Apps", exact=True, level=1).wait_for()
