"""Revocation while readers hammer: nothing leaves after the acknowledgement."""
import time

from house.person import wait_for


def hammer(agent, token, asset, seconds):
    """Reads as fast as it can; gives the times at which a read that was answered with data began, and the last refusal."""
    connection = Connection(agent.path, timeout=20)
    try:
        connection.call("io.photobroker.Library.Attach", token=token)
    except VarlinkError:
        # A busy machine was slow to start this reader: the revocation came first.
        return {"count": 0, "last": None, "first": None, "refused": 1}
    answered, refused, first_refusal = [], 0, None
    end = time.monotonic() + seconds
    calls = [("CountAssets", {}), ("FetchAssets", {"limit": 10}), ("GetResources", {"asset": asset}),
             ("ReadBytes", {"asset": asset, "role": "original", "offset": 0, "length": 4096})]
    step = 0
    while time.monotonic() < end:
        method, parameters = calls[step % len(calls)]
        step += 1
        began = time.monotonic()
        try:
            connection.call("io.photobroker.Library." + method, **parameters)
            answered.append(began)
        except VarlinkError as error:
            refused += 1
            first_refusal = first_refusal or time.monotonic()
            if refused > 200:
                break
        except ConnectionError:
            refused += 1
            break
    return {"count": len(answered), "last": max(answered, default=None), "first": min(answered, default=None), "refused": refused}


def test_no_read_that_begins_after_the_acknowledgement_is_answered(scene):
    scene.limit(0, 1)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    readers = [scene.app, *[scene.broker.app(uid=scene.app.uid) for _ in range(2)]]
    answered = 0
    for round in range(8):
        for reader in readers:
            reader.start(hammer, token=scene.app.token, asset=asset, seconds=2)
        time.sleep(0.3 + 0.02 * round)
        scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
        acknowledged = time.monotonic()
        histories = [reader.hear() for reader in readers]
        answered += sum(h["count"] for h in histories)
        for history in histories:
            assert history["refused"] > 0
            assert history["last"] is None or history["last"] < acknowledged, history
        scene.owner.set(scene.library, scene.app.name, "notDetermined")
        scene.app.use(scene.app.own_token)
        scene.app.new_connection()
        scene.limit(0, 1)
    assert answered > 100, "the readers read before"


def test_pausing_and_resuming_under_load(scene):
    scene.limit(0)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    reader = scene.broker.app(uid=scene.app.uid)
    for _ in range(5):
        reader.start(hammer, token=scene.app.token, asset=asset, seconds=0.6)
        time.sleep(0.2)
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
        acknowledged = time.monotonic()
        history = reader.hear()
        assert history["refused"] and (history["last"] is None or history["last"] < acknowledged)
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    assert scene.app.names() == [scene.pictures[0]]


def test_one_command_revokes_by_user_and_everything(make_scene):
    scene = make_scene(2)
    scene.limit(0)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(1, app=other)
    receipt = scene.owner.call("Revoke", uid=scene.app.uid)["receipt"]
    assert receipt["grants"] == 2
    assert scene.app.is_refused() and other.is_refused()
    assert scene.owner.refusal("Revoke").error == "Refused", "everything must be said"


def test_R134_the_receipt_says_what_had_been_delivered(scene):
    scene.limit(0, 1, 2)
    sizes = 0
    for name in scene.pictures[:2]:
        scene.app.digest(scene.app.named(name)["localIdentifier"])
        sizes += (scene.album.folder / name).stat().st_size
    scene.app.observe()
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    assert (receipt["grants"], receipt["assetsDelivered"], receipt["bytesDelivered"]) == (1, 2, sizes)
    assert receipt["connections"] >= 2


def test_every_edit_is_recorded(scene):
    scene.limit(0)
    scene.select(1)
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    decisions = wait_for(lambda: scene.owner.call("ListDecisions", library=scene.library)["decisions"], "the decisions")
    assert len(decisions) >= 4
    assert all(d["actor"] == scene.owner.uid and d["role"] == "owner" for d in decisions)
    newest = decisions[0]
    assert "limited, 2 selected" in newest["before"] and newest["after"] != newest["before"]
