"""Child tokens: for helpers of an app, told apart and revoked alone (R155)."""

import time

from house.backups import backup, maintain
from house.person import wait_for
from house.tokens import attenuated


def helper(scene, token, uid=None):
    """A process of its own that holds only this token."""
    app = scene.broker.app(uid=uid or scene.app.uid)
    app.use(token)
    app.new_connection()
    return app


def mint(scene, name="helper", **more):
    return scene.owner.call(
        "MintToken", library=scene.library, app=scene.app.name, level="readWrite", name=name, **more
    )


def listed(scene, minted):
    tokens = scene.owner.call("ListTokens", library=scene.library, app=scene.app.name)["tokens"]
    return next(token for token in tokens if token["accessor"] == minted["accessor"])


def test_R155_the_ledger_tells_a_child_token_apart_and_it_is_revoked_alone(scene):
    scene.limit(0, 1)
    by_owner = mint(scene, "by the owner")
    by_app = scene.app.call("MintChildToken", name="by the app")
    one, other = helper(scene, by_owner["token"]), helper(scene, by_app["token"])
    accessors = {}
    for holder, number in ((one, 0), (other, 1), (scene.app, 0)):
        asset = holder.named(scene.pictures[number])["localIdentifier"]
        holder.digest(asset)
        entry = scene.owner.call("ReadLedger", library=scene.library, limit=1)["entries"][0]
        assert entry["rendition"] == "original"
        accessors[holder] = entry["accessor"]
    assert accessors[one] == by_owner["accessor"] and accessors[other] == by_app["accessor"]
    assert len(set(accessors.values())) == 3
    shown = listed(scene, by_app)
    assert (shown["name"], shown["uid"], shown["parent"]) == ("by the app", scene.app.uid, accessors[scene.app])
    assert by_app["token"] not in str(shown)
    decisions = scene.owner.call("ListDecisions", library=scene.library, limit=2)["decisions"]
    assert {(d["action"], d["after"]) for d in decisions} == {
        ("mint", f"child token {minted['accessor']} of user {scene.app.uid} given out") for minted in (by_owner, by_app)
    }
    one.observe()
    receipt = scene.owner.call("Revoke", accessor=by_owner["accessor"])["receipt"]
    assert receipt["connections"] >= 1
    wait_for(lambda: one.end_of("observer"), "the observer's end")
    one.use()
    one.new_connection()
    assert one.refusal("Attach", token=by_owner["token"]).parameters["reason"] == "tokenRevoked"
    assert len(other.fetch()) == 2 and len(scene.app.fetch()) == 2
    # The grant's token takes its children along.
    scene.owner.call("Revoke", accessor=accessors[scene.app])
    assert other.is_refused()
    other.use()
    other.new_connection()
    assert other.refusal("Attach", token=by_app["token"]).error == "TokenRefused"
    assert listed(scene, by_app)["revoked"]


def test_R155_a_child_token_is_for_its_own_user_until_its_own_end(scene, house):
    scene.limit(0)
    uid = house.fresh_uid()
    minted = mint(scene, uid=uid, expires=int((time.time() + 3) * 1_000_000))
    stranger = scene.broker.app(uid=uid)
    assert stranger.refusal("Attach", token=minted["token"]).error == "TokenRefused", "the library is not offered"
    assert listed(scene, minted)["resting"]
    scene.owner.call("OfferLibrary", name=scene.library, add=[uid])
    accepting = scene.broker.owner(uid=uid)
    accepting.call("AnswerOffer", library=scene.library, accept=True)
    other = helper(scene, minted["token"], uid)
    assert len(other.fetch()) == 1
    refused = scene.broker.app(uid=scene.app.uid).refusal("Attach", token=minted["token"])
    assert refused.parameters["reason"] == "tokenOfOtherUser"
    other.observe()
    wait_for(lambda: other.end_of("observer"), "the observer's end")
    assert other.refusal("FetchAssets").parameters["reason"] == "tokenExpired"
    assert len(scene.app.fetch()) == 1


def test_R155_a_child_token_never_widens_and_makes_no_other(scene):
    scene.limit(0, 1)
    asset = scene.app.named(scene.pictures[1])["localIdentifier"]
    narrow = helper(scene, attenuated(scene.app.token, "verbs = read", f"assets = {asset}"))
    child = helper(scene, narrow.call("MintChildToken", name="helper")["token"])
    assert child.names() == [scene.pictures[1]]
    change = [{"kind": "setFavorite", "assets": [asset], "favorite": True}]
    assert child.refusal("PerformChanges", changes=change).error == "TokenRefused"
    assert child.refusal("MintChildToken", name="another").error == "TokenRefused"
    assert "token" not in child.call("RequestAuthorization", level="readWrite")
    counted = helper(scene, attenuated(scene.app.token, "uses = 9"))
    assert counted.refusal("MintChildToken", name="renewed").error == "TokenRefused"
    # A child's own number is shared by its holders, and is no other child's.
    first, second = (scene.app.call("MintChildToken", name="same")["token"] for _ in range(2))
    assert first != second
    for token in (first, second):
        spending = [helper(scene, attenuated(token, "uses = 1")) for _ in range(2)]
        assert spending[0].call("CountAssets")["count"] == 2
        assert spending[1].refusal("CountAssets").parameters["reason"] == "tokenUsedUp"


def test_R155_an_access_has_64_child_tokens(scene):
    scene.allow()
    most = scene.app.call("GetLimits")["limits"]["childTokens"]
    assert most == 64
    soon = int((time.time() + 30) * 1_000_000)
    for number in range(most):
        minted = scene.app.call("MintChildToken", name=f"helper {number}", expires=soon)
    assert scene.app.refusal("MintChildToken", name="one more").error == "PhotosError"
    scene.owner.call("Revoke", accessor=minted["accessor"])
    scene.app.call("MintChildToken", name="one more")


def test_R155_the_command_line_makes_lists_and_revokes_a_child_token(scene, house):
    scene.limit(0)
    folder = house.make_folder(f"children-{scene.owner.uid}", scene.owner.uid)
    run = lambda *arguments: scene.broker.photobroker(scene.owner.uid, "token", *arguments)
    file = folder / "printer"
    place = (scene.library, scene.app.name, "see-and-change", "--file", file)
    restrictions = ("--name", "printer", "--verbs", "read", "--until", "+1d")
    accessor = run("mint", *place, *restrictions).stdout.split()[0]
    child = helper(scene, file.read_text())
    asset = child.fetch()[0]["localIdentifier"]
    change = [{"kind": "setFavorite", "assets": [asset], "favorite": True}]
    assert child.refusal("PerformChanges", changes=change).error == "TokenRefused"
    row = next(line for line in run("list").stdout.splitlines() if line.startswith(accessor))
    assert "“printer”, user" in row and "until " in row
    run("revoke", accessor, "--yes")
    row = next(line for line in run("list").stdout.splitlines() if line.startswith(accessor))
    assert "revoked" in row
    assert len(scene.app.fetch()) == 1


def test_R155_no_restore_brings_a_revoked_child_token_back(own_scene):
    scene = own_scene
    scene.limit(0)
    gone = mint(scene, "gone")
    file = backup(scene.broker)
    scene.owner.call("Revoke", accessor=gone["accessor"])
    scene.broker.stop()
    maintain(scene.broker, "restore", file)
    scene.broker.start()
    assert scene.broker.app(uid=scene.app.uid).refusal("Attach", token=gone["token"]).error == "TokenRefused"
    scene.owner.new_connection()
    assert listed(scene, gone)["revoked"]
