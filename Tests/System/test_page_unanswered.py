"""Calls whose answer is lost: the page says that nothing was changed only if that is certain."""

import contextlib
import http.client
import json
import os
import re
import socket
import subprocess
import threading

import pytest

from house import page as pages
from house.person import as_user, wait_for

pytestmark = pytest.mark.library("shared")
UNKNOWN = "It is not known whether this took effect"
UNCHANGED = "Nothing was changed"


def lose_answer(window, method, answer, is_late=False):
    """Let a call succeed and lose its answer: cut the connection, or answer as a proxy would.

    With `is_late` the page first learns that no prompt waits, which its title counts.
    """

    def way(route):
        route.fetch()
        if is_late:
            wait_for(lambda: not window.title().startswith("("), "the page to hear of it")
        if answer == "cut":
            route.abort()
        else:
            route.fulfill(status=answer, body="<h1>In between</h1>")

    window.route(f"**/call/{method}", way)


def test_an_unanswered_change_is_not_reported_as_failed(scene, window):
    scene.limit(0)
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    for answer in ("cut", 403, 413, 500):
        scene.owner.set(scene.library, scene.app.name, "limited")
        wait_for(
            lambda: window.get_by_role("radio", name="Selected photos").is_checked(),
            "the page to show that it sees a selection",
        )
        window.evaluate("document.querySelector('.toasts').replaceChildren()")
        lose_answer(window, "SetGrant", answer)
        window.get_by_role("radio", name="No access").click()
        window.locator(".toast").get_by_text(UNKNOWN).wait_for()
        assert window.get_by_text(UNCHANGED).count() == 0
        assert scene.owner.grant(scene.library, scene.app.name)["status"] == "denied"
        wait_for(lambda: window.get_by_role("radio", name="No access").is_checked(), "the page to show what holds")
        window.unroute("**/call/SetGrant")


def test_an_unconfirmed_answer_to_a_prompt_is_not_reported_as_failed(scene, window):
    scene.take_additions()
    scene.app.begin_request("addOnly")
    allow = window.get_by_role("button", name="Allow adding")
    allow.wait_for()
    wait_for(lambda: allow.is_enabled(), "it to take an answer")
    lose_answer(window, "AnswerPrompt", "cut")
    allow.click()
    window.locator(".toast").get_by_text(UNKNOWN).wait_for()
    assert scene.app.hear()["status"] == "authorized" and window.get_by_text(UNCHANGED).count() == 0
    window.get_by_text("Nothing is waiting for you").wait_for()


def test_a_partial_change_is_not_reported_as_failed(scene, window):
    scene.limit(0)
    scene.owner.set(scene.library, scene.app.name, "authorized", level="addOnly")
    window.get_by_role("link", name="Apps").click()
    window.locator("a.row").first.click()
    calls = []

    def way(route):
        calls.append(route)
        route.continue_() if len(calls) == 1 else route.fulfill(status=503)

    window.route("**/call/SetGrant", way)
    window.get_by_role("button", name="Remove the decision").click()
    window.locator(".toast").get_by_text("Only a part of this was done").wait_for()
    assert len(calls) == 2 and window.get_by_text(UNCHANGED).count() == 0
    grants = [
        (grant["level"], grant["status"]) for grant in scene.owner.call("ListGrants", library=scene.library)["grants"]
    ]
    assert ("addOnly", "authorized") in grants and ("readWrite", "limited") not in grants


@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("what", ["selection", "pick"])
def test_an_unconfirmed_choice_is_not_reported_as_answered_elsewhere(scene, window, what, is_late):
    if what == "selection":
        scene.app.begin_request()
        window.get_by_role("button", name="Select photos").click()
    else:
        scene.app.begin("io.photobroker.Picker.Present", selectionLimit=1)
        window.get_by_role("button", name="Pick…").click()
    window.get_by_role("option").first.click()
    lose_answer(window, "AnswerPrompt" if what == "selection" else "AnswerPicker", "cut", is_late)
    window.get_by_role("button", name=re.compile("^(Allow|Give) 1 photo$")).click()
    reply = scene.app.hear()
    assert reply["status"] == "limited" if what == "selection" else len(reply["results"]) == 1
    window.get_by_role("heading", name="Requests", level=1).wait_for()
    window.locator(".toast").get_by_text(UNKNOWN).wait_for()
    assert window.get_by_text("answered elsewhere").count() == 0


@contextlib.contextmanager
def fickle_broker(path, uid):
    """A broker that accepts everybody, records the called methods, and disconnects unanswered."""
    called = []
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    os.chown(path, uid, uid)
    listener.listen(16)

    def answer(connection):
        held = b""
        with connection:
            while piece := connection.recv(65536):
                held += piece
                while b"\0" in held:
                    message, held = held.split(b"\0", 1)
                    method = json.loads(message)["method"].rsplit(".", 1)[-1]
                    called.append(method)
                    if method not in ("ServePage", "RedeemPageCode", "GetStatus"):
                        return
                    connection.send(
                        b'{"parameters":{},"continues":true}\0' if method == "ServePage" else b'{"parameters":{}}\0'
                    )

    def serve():
        with contextlib.suppress(OSError):
            while True:
                threading.Thread(target=answer, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield called, listener
    listener.close()


def test_a_broker_lost_before_its_answer_is_distinguished_from_an_absent_one(house):
    pages.require(house)
    uid = house.fresh_uid()
    path = house.make_folder(f"fickle-{uid}", uid) / "admin.sock"
    with fickle_broker(path, uid) as (called, listener):
        server = subprocess.Popen(
            as_user(
                uid,
                [house.programs / "photobroker-web", "--socket", path, "--address", "127.0.77.1", "--port", "47771"],
            ),
            cwd="/",
            env={"PATH": "/usr/bin:/bin"},
        )
        try:
            wait_for(lambda: "ServePage" in called, "the page to be served")

            def post(path, body, session=None):
                connection = http.client.HTTPConnection("127.0.77.1", 47771, timeout=30)
                connection.request(
                    "POST",
                    path,
                    json.dumps(body),
                    {
                        "Content-Type": "application/json",
                        "Origin": "http://127.0.77.1:47771",
                        "Sec-Fetch-Site": "same-origin",
                        **({"X-PhotoBroker-Session": session} if session else {}),
                    },
                )
                answer = connection.getresponse()
                return answer.status, json.loads(answer.read())

            _, told = post("/session", {"code": "0" * 64})
            assert post("/call/SetGrant", {}, told["session"])[1]["error"] == "Lost"
            assert called.count("SetGrant") == 1, "what may have been done is not asked again"
            listener.shutdown(socket.SHUT_RDWR)
            path.unlink()
            status, gone = post("/call/SetGrant", {}, told["session"])
            assert (status, gone["error"]) == (503, "Unavailable") and called.count("SetGrant") == 1
        finally:
            server.kill()
            server.wait()
