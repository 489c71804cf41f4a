"""Answers with a duration: at its end the app may ask again, and the selection is a suggestion."""

import time

from house.person import wait_for

HOUR = 3600 * 1_000_000


def answer(scene, *numbers, **parameters):
    """Answer the app's pending request with some photos."""
    prompt = scene.owner.wait_for_prompt()
    selector = scene.owner.naming(scene.library, [scene.pictures[number] for number in numbers])
    return scene.owner.answer(prompt, "select", selector=selector, **parameters)["grant"]


def ask(scene, app=None, **parameters):
    """Request access, and return the prompt that its owner sees."""
    (app or scene.app).begin_request(**parameters)
    return scene.owner.wait_for_prompt()


def suggested(scene):
    """Return the names that the page's selection begins with."""
    page = scene.owner.call("FetchOwnedColumns", library=scene.library, app=scene.app.name)
    return {name for name, marks in zip(page["names"], page["marks"]) if marks & 16}


def next_run(scene):
    process = scene.broker.app(uid=scene.app.uid)
    process.name, process.own_token = scene.app.name, scene.app.own_token
    process.use(process.own_token)
    return process


def test_R160_after_an_answer_for_a_time_the_app_asks_again_and_its_selection_is_a_suggestion(moved):
    scene = moved
    assert ask(scene)["suggested"] == 0
    expires = int(time.time() * 1_000_000) + HOUR
    assert answer(scene, 0, 1, expires=expires)["expires"] == expires
    assert scene.app.hear_request() == "limited"
    token = scene.app.token
    assert set(scene.app.names()) == {scene.pictures[0], scene.pictures[1]}
    scene.broker.move(7200)
    wait_for(lambda: scene.app.status() == "notDetermined", "the end")
    newest = lambda: scene.owner.call("ListDecisions", library=scene.library)["decisions"][0]
    wait_for(lambda: newest()["source"] == "expiry", "the record")
    assert (newest()["action"], newest()["after"]) == ("expire", "notDetermined")
    assert scene.owner.grant(scene.library, scene.app.name) is None
    for _ in range(2):
        assert scene.app.refusal("Attach", token=token).error == "TokenRefused"
        # Setting the clock back gives nothing back, nor does a restart.
        scene.broker.move(-7200)
        scene.broker.restart()
        scene.owner.new_connection()
        scene.owner.wait_for_library(scene.library, 3)
        scene.app.use(scene.app.own_token)
        scene.app.new_connection()
        assert scene.app.status() == "notDetermined"
    assert ask(scene)["suggested"] == 2 and suggested(scene) == {scene.pictures[0], scene.pictures[1]}
    answer(scene, 1, 2)
    assert scene.app.hear_request() == "limited"
    assert set(scene.app.names()) == {scene.pictures[1], scene.pictures[2]}
    assert scene.app.refusal("Attach", token=token).error == "TokenRefused"


def test_R19_R160_the_first_fetch_after_the_end_asks(moved):
    scene = moved
    scene.limit(0)
    scene.owner.call(
        "SetGrant",
        library=scene.library,
        app=scene.app.name,
        level="readWrite",
        expires=int(time.time() * 1_000_000) + HOUR,
    )
    assert scene.app.count() == 1
    scene.broker.move(7200)
    scene.app.begin("CountAssets")
    assert scene.owner.wait_for_prompt()["suggested"] == 1
    answer(scene, 0, 1)
    assert scene.app.hear()["count"] == 2


def test_R160_an_answer_for_once_ends_with_the_apps_last_process(scene):
    ask(scene)
    grant = answer(scene, 0, 1, once=True)
    assert grant["once"] and grant.get("expires") is None
    assert scene.app.hear_request() == "limited"
    worker = next_run(scene)
    worker.use(worker.own_token, scene.app.token)
    assert worker.count() == 2
    scene.app.new_connection()
    assert scene.app.count() == 2, "another connection of the same run"
    scene.app.end()
    time.sleep(0.5)
    assert worker.count() == 2, "another process of the same run"
    worker.end()
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name) is None, "the end")
    later = next_run(scene)
    assert later.status() == "notDetermined"
    assert later.refusal("Attach", token=scene.app.token).error == "TokenRefused"
    assert ask(scene, later)["suggested"] == 2
    answer(scene, 0)
    assert later.hear_request() == "limited"
    later.end()
    time.sleep(0.5)
    assert next_run(scene).status() == "limited", "this answer is for longer"


def test_R160_an_answer_for_once_ends_with_the_broker(own_scene):
    scene = own_scene
    ask(scene)
    answer(scene, 0, once=True)
    assert scene.app.hear_request() == "limited"
    token = scene.app.token
    scene.broker.restart()
    scene.owner.new_connection()
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    assert scene.app.status() == "notDetermined"
    assert scene.app.refusal("Attach", token=token).error == "TokenRefused"


def test_R160_an_answer_without_access_has_no_duration(scene):
    prompt = ask(scene)
    refused = lambda answer, **more: (
        scene.owner.refusal("AnswerPrompt", prompt=prompt["prompt"], answer=answer, **more).error
    )
    soon = int(time.time() * 1_000_000) + HOUR
    assert refused("deny", once=True) == "Refused" and refused("deny", expires=soon) == "Refused"
    assert refused("allow", expires=soon - 2 * HOUR) == "Refused"
    assert refused("allow", expires=soon, once=True) == "InvalidParameter"
    scene.owner.answer(prompt, "allow", expires=soon)
    assert scene.app.hear_request() == "authorized"


def test_R146_R149_R151_R160_one_line_answers_with_choice_terms_and_end(make_scene):
    scene = make_scene(14)
    ask(scene)
    line = "--yes request answer select --last 12 --no-location --read-only --for 1d"
    scene.broker.photobroker(scene.owner.uid, *line.split())
    assert scene.app.hear_request() == "limited"
    grant = scene.owner.grant(scene.library, scene.app.name)
    assert (grant["status"], grant["terms"]["location"], grant["terms"]["changes"]) == ("limited", False, False)
    assert 0.9 < (grant["expires"] / 1e6 - time.time()) / 86_400 < 1.1
    assert sorted(scene.app.names()) == sorted(scene.newest_first[:12])
    access = scene.app.call("DescribeAccess", level="readWrite")
    assert access["withheld"] == ["location"] and "edit" not in access["verbs"]


def test_R160_the_command_line_answers_for_a_time_or_once(scene):
    run = lambda *words, **more: scene.broker.photobroker(scene.owner.uid, *words, **more)
    prompt = ask(scene)["prompt"]
    assert "takes a length of time" in run("request", "answer", prompt, "allow", "--for", "ever", expect=64).stderr
    run("request", "answer", prompt, "select", "--last", "2", "--for", "1mo", "--yes")
    assert scene.app.hear_request() == "limited"
    days = (scene.owner.grant(scene.library, scene.app.name)["expires"] / 1e6 - time.time()) / 86_400
    assert 29.9 < days < 30.1
    scene.owner.set(scene.library, scene.app.name, "notDetermined")
    said = run("request", "answer", ask(scene)["prompt"], "select", "--last", "2", "--for", "once", "--yes").stdout
    assert "until the app ends" in said
    scene.app.hear_request()
    scene.app.end()
    wait_for(lambda: scene.owner.grant(scene.library, scene.app.name) is None, "the end")
    later = next_run(scene)
    ask(scene, later)
    shown = run("request", "list").stdout
    again = f"photobroker grant level {scene.library} {scene.app.name} see-and-change selected-photos"
    assert f"2 assets of its earlier selection would come back with {again}" in shown
    run(*again.split()[1:])
    assert later.hear_request() == "limited" and later.count() == 2


def test_R8_R160_a_person_renews_what_a_rule_gave_for_a_time(moved):
    scene = moved
    rule = {"library": scene.library, "name": "frames", "uid": scene.app.uid, "level": "readWrite", "answer": "allow"}
    scene.owner.call("Apply", rules=[{**rule, "lifetime": 3600}])
    assert scene.app.request() == "authorized"
    scene.broker.move(7200)
    wait_for(lambda: scene.app.status() == "notDetermined", "the end")
    ask(scene)
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    assert scene.app.hear_request() == "denied"
