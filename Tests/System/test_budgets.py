"""Tokens for a number of calls or bytes."""

import concurrent.futures

from house.backups import backup, maintain
from house.person import Refused
from house.tokens import attenuated


def holder(scene, *caveats, app=None):
    """Another process with an attenuated token of the app."""
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=attenuated((app or scene.app).token, *caveats))
    return helper


def may(app, method, **parameters):
    try:
        app.call(method, **parameters)
    except Refused as refused:
        assert refused.error == "TokenRefused"
        return False
    return True


def left(app, field="tokenUses"):
    return app.call("DescribeAccess", level="readWrite").get(field)


def test_R155_a_token_for_three_calls_allows_three(scene):
    scene.limit(0, 1)
    helper = holder(scene, "uses = 3")
    assert left(helper) == 3 and left(scene.app) is None
    assert helper.refusal("FetchAssets", limit=-1).error.endswith("InvalidParameter"), "a bad call is no use"
    assert len(helper.fetch()) == 2 and left(helper) == 2
    # Every holder of this token, and of one made from it, spends the same.
    other, child = holder(scene, "uses = 3"), holder(scene, "uses = 3", "verbs = read")
    assert left(other) == 2 and len(child.fetch()) == 2 and left(other) == 1
    assert other.call("CountAssets")["count"] == 2
    for app in (helper, other, child):
        refused = app.refusal("CountAssets")
        assert refused.error == "TokenRefused" and refused.parameters["reason"] == "tokenUsedUp"
        assert left(app) == 0
    # Another budget, and the app's own token, are not concerned.
    assert len(holder(scene, "uses = 4").fetch()) == 2 and len(scene.app.fetch()) == 2


def test_R155_a_budget_in_a_budget_spends_both(scene):
    scene.limit(0)
    outer, inner = holder(scene, "uses = 3"), holder(scene, "uses = 3", "uses = 1")
    assert left(inner) == 1
    inner.call("CountAssets")
    assert inner.refusal("CountAssets").error == "TokenRefused" and left(outer) == 2


def test_R155_bytes_are_counted_however_they_are_read(scene):
    scene.limit(0, 1)
    size = {a["localIdentifier"]: None for a in scene.app.fetch()}
    for asset in size:
        size[asset] = scene.app.call("GetResources", asset=asset)["resources"][0]["size"]
    first, second = size
    thumbnail = scene.app.call("GetThumbnail", asset=first, maxPixels=64, inline=True)["size"]
    limit = 2 * size[first] + thumbnail + 7
    helper = holder(scene, f"bytes = {limit}")
    helper.digest(first)
    helper.digest_inline(first, piece=1_000)
    assert left(helper, "tokenBytes") == thumbnail + 7
    assert helper.call("GetThumbnail", asset=first, maxPixels=64, inline=True)["size"] == thumbnail
    assert left(helper, "tokenBytes") == 7
    for name, parameters in [
        ("OpenResource", {}),
        ("ReadBytes", {"offset": 0, "length": 8}),
        ("GetThumbnail", {"maxPixels": 64, "inline": True}),
        ("GetThumbnail", {"maxPixels": 64}),
    ]:
        assert helper.refusal(name, asset=second, **parameters).error == "TokenRefused", name
    assert helper.call("ReadBytes", asset=second, offset=0, length=7)["data"]
    assert left(helper, "tokenBytes") == 0 and len(helper.fetch()) == 2, "facts are no bytes"


def test_R155_a_holder_of_a_counted_token_gets_no_other_and_opens_no_picker(scene):
    scene.limit(0)
    helper = holder(scene, "bytes = 1000")
    assert "token" not in helper.call("RequestAuthorization", level="readWrite")
    assert helper.refusal("io.photobroker.Picker.Present").error.endswith("TokenRefused")
    helper = scene.broker.app(uid=scene.app.uid)
    assert helper.refusal("Attach", token=attenuated(scene.app.own_token, "uses = 1")).error.endswith("TokenRefused")


def test_R155_concurrent_calls_spend_no_more_than_the_budget(scene):
    scene.limit(0)
    helpers = [holder(scene, "uses = 40") for _ in range(4)]

    def spend(helper):
        done = 0
        while may(helper, "CountAssets"):
            done += 1
        return done

    with concurrent.futures.ThreadPoolExecutor() as pool:
        assert sum(pool.map(spend, helpers)) == 40


def test_R155_a_kill_gives_nothing_back(own_scene):
    scene = own_scene
    scene.limit(0)
    token = attenuated(scene.app.token, "uses = 100")
    done = 0
    for _ in range(12):
        helper = scene.broker.app(uid=scene.app.uid)
        helper.call("Attach", token=token)
        for _ in range(9):
            done += may(helper, "CountAssets")
        scene.broker.kill()
        scene.broker.start()
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=token)
    rest = left(helper)
    # A kill loses the rest of a sixteenth.
    assert 100 - done - 12 * 7 <= rest <= 100 - done and done >= 60


def test_R155_a_restore_gives_nothing_back(own_scene):
    scene, broker = own_scene, own_scene.broker
    scene.limit(0)
    token = attenuated(scene.app.token, "uses = 5")
    path = backup(broker)
    helper = scene.broker.app(uid=scene.app.uid)
    helper.call("Attach", token=token)
    for _ in range(5):
        helper.call("CountAssets")
    broker.stop()
    maintain(broker, "restore", path)
    broker.start()
    helper = scene.broker.app(uid=scene.app.uid)
    assert may(helper, "Attach", token=token) and not may(helper, "CountAssets")


def test_R155_the_number_of_budgets_is_bounded_and_no_holder_takes_one_without_use(scene):
    scene.limit(0)
    helper = scene.broker.app(uid=scene.app.uid)
    for number in range(1, 260):
        helper.call("Attach", token=attenuated(scene.app.token, f"uses = {number}"))
    other = holder(scene, "uses = 1000")
    for number in range(2, 257):
        helper.call("Attach", token=attenuated(scene.app.token, f"uses = {number}"))
        helper.call("CountAssets")
    assert other.call("CountAssets")["count"] == 1, "one budget is left"
    helper.call("Attach", token=attenuated(scene.app.token, "uses = 300"))
    refused = helper.refusal("CountAssets")
    assert refused.reason == "limitExceeded" and "256 tokens" in refused.parameters["message"]
    assert scene.app.call("CountAssets")["count"] == 1 and other.call("CountAssets")["count"] == 1
    deep = attenuated(scene.app.token, *["uses = 5"] * 9)
    assert not may(helper, "Attach", token=deep)
