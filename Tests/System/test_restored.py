"""Crashes at any moment, and older copies of the state: a revocation never comes undone."""

import random
import threading
import time

import pytest

from house.backups import copy_of, put_back
from house.person import wait_for
from house.soak import WHOLE


@pytest.mark.parametrize("parts", ["database", "all", "over"])
@pytest.mark.parametrize("end", ["stop", "kill"])
def test_R144_an_older_copy_restores_no_revoked_grant(own_scene, parts, end):
    scene = own_scene
    scene.limit(0, 1)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.removed")
    scene.limit(2, app=other)
    tokens = [scene.app.token, other.token, other.own_token]
    copy = copy_of(scene.broker.state, f"copy-{scene.owner.uid}")
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    scene.owner.call("RemoveApp", app=other.name)
    scene.broker.stop() if end == "stop" else scene.broker.kill()
    put_back(scene.broker.state, copy, parts)
    scene.broker.start()
    scene.owner.new_connection()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    scene.app.use()
    scene.app.new_connection()
    for token in tokens:
        assert scene.app.refusal("Attach", token=token).error == "TokenRefused", "nor is a removed app known again"
    grants = scene.owner.call("ListGrants", library=scene.library)["grants"]
    assert grants and all(g["paused"] for g in grants), "all of them wait for their owner"
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    assert all(g["paused"] for g in scene.owner.call("ListGrants", library=scene.library)["grants"])
    assert scene.app.refusal("Attach", token=tokens[0]).error == "TokenRefused"


def test_R13_R144_an_older_copy_restores_no_access_to_never_share_photos(own_scene):
    scene = own_scene
    scene.allow()
    token = scene.app.token
    copy = copy_of(scene.broker.state, f"copy-{scene.owner.uid}")
    scene.owner.call(
        "MarkAssets",
        library=scene.library,
        selector=scene.owner.naming(scene.library, [scene.name(2)]),
        neverShare=True,
    )
    assert scene.name(2) not in scene.app.names()
    scene.broker.kill()
    put_back(scene.broker.state, copy, "database")
    scene.broker.start()
    scene.owner.new_connection()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    assert all(g["paused"] for g in scene.owner.call("ListGrants", library=scene.library)["grants"])
    scene.app.use()
    scene.app.new_connection()
    assert scene.app.refusal("Attach", token=token).error == "TokenRefused"


def test_R144_an_older_copy_restores_no_granting_rule_and_no_co_owner(own_scene):
    scene = own_scene
    owner, other = scene.owner, scene.broker.owner()
    rules = [
        {"library": scene.library, "name": name, "uid": scene.app.uid, "level": level, "answer": answer}
        for name, level, answer in (("gives", "readWrite", "allow"), ("refuses", "addOnly", "deny"))
    ]
    owner.call("Apply", rules=rules)
    owner.call("DelegateLibrary", name=scene.library, coOwners=[other.uid], administratorsSee=True)
    scene.broker.accept(other.uid, scene.library)
    assert len(other.names(scene.library)) == len(scene.pictures)
    copy = copy_of(scene.broker.state, f"copy-{owner.uid}")
    owner.call("RemoveRule", library=scene.library, name="gives")
    owner.call("DelegateLibrary", name=scene.library, coOwners=[], administratorsSee=False)
    scene.broker.kill()
    put_back(scene.broker.state, copy, "all")
    scene.broker.start()
    for _ in range(2):
        owner.new_connection()
        other.new_connection()
        owner.wait_for_library(scene.library, len(scene.pictures))
        assert [r["name"] for r in owner.call("ListRules", library=scene.library)["rules"]] == ["refuses"]
        assert other.library(scene.library) is None and not owner.library(scene.library)["administratorsSee"]
        scene.broker.restart()
    owner.new_connection()
    # An owner undoes the restore's decision.
    decisions = [d for d in owner.call("ListDecisions", library=scene.library)["decisions"] if d["source"] == "restore"]
    app = scene.broker.app(scene.app.uid)
    app.introduce("org.example.new")
    refused = app.refusal("RequestAuthorization", level="readWrite", wait=False)
    assert refused.parameters["code"] == 3201, "that it was offered may have been taken back since"
    owner.call("UndoDecision", decision=next(d["decision"] for d in decisions if d["action"] == "offer"))
    # The user may have declined since, so their programs wait until the user accepts again.
    assert app.refusal("RequestAuthorization", level="readWrite", wait=False).parameters["code"] == 3201
    scene.broker.accept(scene.app.uid, scene.library)
    assert app.refusal("RequestAuthorization", level="readWrite", wait=False).error == "PromptPending", (
        "no rule answers"
    )
    for decision in [d for d in decisions if d["action"] in ("removeRule", "delegate")]:
        owner.call("UndoDecision", decision=decision["decision"])
    assert [r["name"] for r in owner.call("ListRules", library=scene.library)["rules"]] == ["gives", "refuses"]
    # A restore cannot know whether the co-owner has left since.
    assert other.library(scene.library) is None
    scene.broker.accept(other.uid, scene.library)
    assert len(other.names(scene.library)) == len(scene.pictures)


def test_a_daemon_killed_during_activity_restarts_completely(own_scene):
    """Revocations acknowledged before kill -9 hold after it, and the daemon restarts quickly."""
    scene, rng = own_scene, random.Random(7)
    scene.limit(0, 1)
    back, kept = [], 0
    for round in range(60 if WHOLE else 6):
        seen = {"revoked": False, "told": 0}

        def revoke_and_give(stop=threading.Event()):
            try:
                while True:
                    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
                    seen["revoked"] = True
                    seen["told"] += 1
                    while seen["told"] > 1 + round % 3:
                        scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, add={"all": True})
                        scene.owner.call(
                            "EditSelection", library=scene.library, app=scene.app.name, remove={"all": True}
                        )
                        # In every other round the broker dies here, during a revocation.
                        if round % 2 == 0:
                            break
                    seen["revoked"] = None
                    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
                    seen["revoked"] = False
            except Exception:
                pass

        worker = threading.Thread(target=revoke_and_give)
        worker.start()
        wait_for(lambda: round % 2 == 0 or seen["told"] > 1 + round % 3, "access to be taken away")
        time.sleep(rng.uniform(0.01, 0.12))
        scene.broker.kill()
        worker.join()
        held = seen["revoked"]
        began = time.monotonic()
        scene.broker.start()
        back.append(time.monotonic() - began)
        scene.owner.end()
        scene.owner = scene.broker.owner(uid=scene.owner.uid)
        grant = scene.owner.grant(scene.library, scene.app.name)
        if held:
            assert grant["paused"], "it was acknowledged, and nothing that gives access back was on its way"
            kept += 1
        if grant["paused"]:
            scene.app.new_connection()
            assert scene.app.is_refused()
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    assert sorted(back)[len(back) // 2] < 2, back
    assert kept >= 3, "each second one died while access was taken away"
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
