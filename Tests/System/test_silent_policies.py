"""An album policy without answers: its albums are hidden, and nobody waits for it twice."""

import threading
import time

import pytest

from house.person import wait_for
from house.plugins import RecordingPolicy


# A generous bound in seconds for a call that waits for no policy.
AT_ONCE = 3
# A policy's own deadline.
DEADLINE = 5


@pytest.fixture
def silent_policy(own_scene):
    """A library whose policy is silent about the album "Gate" until the gate opens."""
    scene = own_scene
    scene.asked = RecordingPolicy(scene.broker)
    scene.limit(0, 1)
    scene.set_album_policy("asked")
    scene.album = scene.make_album("Family", 0, shared=True)["album"]
    scene.make_album("Always", 1, shared=True)
    assert scene.app.album_rows() == [("Always", 1, False), ("Family", 1, False)]
    scene.asset = scene.app.fetch()[0]["localIdentifier"]
    scene.seen_album = scene.app.call("FetchAlbums")["albums"][1]["localIdentifier"]
    scene.elsewhere = mapped(scene.app, scene.asset)["cloudIdentifier"]
    scene.asked.new_questions()
    scene.asked.gate.write_text("shut")
    yield scene
    scene.asked.gate.write_text("")


def mapped(app, identifier):
    return app.call("GetCloudIdentifiers", localIdentifiers=[identifier])["mappings"][0]


def rename(scene, **change):
    """Rename the album in a thread; the call returns when the policy answers or times out."""
    owner = scene.broker.owner(uid=scene.owner.uid)
    edit = threading.Thread(
        target=lambda: owner.call("EditOwnedAlbum", library=scene.library, album=scene.album, title="Gate", **change)
    )
    edit.start()
    wait_for(lambda: "Gate" in str(scene.asked.new_questions()), "the policy to be asked")
    return edit


def timed(body):
    began = time.monotonic()
    result = body()
    return time.monotonic() - began, result


def calls(scene):
    """Return calls about albums, each with a check of its answer while the albums are hidden."""
    app, owner = scene.app, scene.owner
    return {
        "FetchAlbums": lambda: app.call("FetchAlbums")["albums"] == [],
        "FetchVersions": lambda: len(app.call("FetchVersions")["versions"]) == 2,
        "FetchPersistentChanges": lambda: app.call("FetchPersistentChanges")["event"]["changeToken"],
        "GetCloudIdentifiers": lambda: mapped(app, scene.seen_album)["reason"] == "identifierNotFound",
        "GetLocalIdentifiers": lambda: app.call("GetLocalIdentifiers", cloudIdentifiers=["nosuch"])["mappings"][0][
            "reason"
        ],
        "PerformChanges": lambda: app.refusal(
            "PerformChanges", changes=[{"kind": "renameAlbum", "album": scene.seen_album, "text": "Ours"}]
        ),
        "FetchAssets": lambda: app.refusal("FetchAssets", options={"album": scene.seen_album}),
        "ListOwnedAlbums": lambda: owner.call("ListOwnedAlbums", library=scene.library, app=app.name)["albums"] == [],
    }


def test_R136_retrying_a_failed_policy_delays_no_one(silent_policy):
    scene = silent_policy
    edit = rename(scene)
    waited, albums = timed(lambda: scene.app.album_rows())
    assert albums == [] and waited < DEADLINE + AT_ONCE, "the first answer is waited for, as long as it may take"
    edit.join(AT_ONCE)
    assert not edit.is_alive(), "nor does its owner wait any longer"

    # Retries follow two and four seconds after a failure, each with the full timeout.
    slow, again, end = [], 0, time.monotonic() + 60
    while again < 2:
        assert time.monotonic() < end, "it was not asked again"
        for name, body in calls(scene).items():
            seconds, told = timed(body)
            assert told, f"{name}: its albums are hidden meanwhile"
            slow += [(name, seconds)] if seconds > AT_ONCE else []
        again += str(scene.asked.new_questions()).count("Gate")
        time.sleep(0.1)
    assert slow == []
    seconds, _ = timed(lambda: scene.make_album("Another", 0, shared=True))
    assert seconds < AT_ONCE and scene.app.album_rows() == []
    assert "asked" in scene.owner.library(scene.library)["problem"]

    scene.asked.gate.write_text("")
    wait_for(
        lambda: scene.app.album_rows() == [("Always", 1, False), ("Another", 1, False), ("Gate", 1, False)],
        "the policy to answer",
        60,
    )
    assert "problem" not in scene.owner.library(scene.library)


def test_R97_photos_are_mapped_during_a_slow_policy_call_and_hidden_albums_are_not(silent_policy):
    scene = silent_policy
    edit = rename(scene, shared=False)
    seconds, mapping = timed(lambda: mapped(scene.app, scene.asset))
    assert mapping["cloudIdentifier"] == scene.elsewhere and seconds < AT_ONCE
    seconds, reply = timed(lambda: scene.app.call("GetLocalIdentifiers", cloudIdentifiers=[scene.elsewhere]))
    assert reply["mappings"][0]["localIdentifier"] == scene.asset and seconds < AT_ONCE
    assert edit.is_alive(), "the policy had answered by then"
    assert mapped(scene.app, scene.seen_album)["reason"] == "identifierNotFound", (
        "what the owner does not share any more is not shown"
    )
    edit.join(DEADLINE + AT_ONCE)
    assert not edit.is_alive()


def test_R129_R136_hanging_policies_prevent_no_app_from_reading(silent_policy):
    """Even if five apps wait for it."""
    scene = silent_policy
    others = []
    for _ in range(5):
        app = scene.broker.app()
        scene.owner.call(
            "OfferLibrary", name=scene.library, offeredTo=[scene.app.uid, *(a.uid for a in others), app.uid]
        )
        app.introduce()
        scene.owner.set(scene.library, app.name, "limited", albumPolicy="asked")
        scene.owner.select(scene.library, app.name, scene.pictures[0])
        assert app.request(library=scene.library) == "limited"
        others.append(app)
    scene.asked.gate.write_text("shut")
    edit = rename(scene)
    for app in others:
        app.begin("FetchAlbums")
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        seconds, data = timed(lambda: scene.app.call("ReadBytes", asset=scene.asset, offset=0, length=1_000)["data"])
        assert data and seconds < AT_ONCE
        time.sleep(0.1)
    for app in others:
        assert app.hear(30)["albums"] == []
    edit.join(60)
