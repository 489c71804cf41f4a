"""Calls in progress end with their right, at once, unaffected by invisible events."""

import time

import pytest

from house.person import wait_for
from house.pictures import day, jpeg
from house.tokens import attenuated, expiry

# Longest delay of the notice of an end, on a busy machine.
PATIENCE = 10


def use_expiring_token(scene, seconds, *caveats):
    """Use an expiring token on new connections; return its end in seconds since 1970."""
    end = int(time.time() + seconds) + 1
    scene.app.use(scene.app.own_token, attenuated(scene.app.token, expiry(end), *caveats))
    scene.app.new_connection()
    return end


def receives_end(app, name="observer", seconds=PATIENCE, error="TokenRefused"):
    end = wait_for(lambda: app.end_of(name), f"the end of the {name}", seconds)
    assert end["error"].rsplit(".", 1)[-1] == error
    return True


def grant_access(scene, access):
    if access == "authorized":
        scene.allow()
    else:
        scene.limit(0, 1)
    return [f"assets = {scene.app.named(scene.pictures[0])['localIdentifier']}"] if access == "some assets" else []


def mark(scene, **marks):
    """Change a photo that is invisible to the apps of these tests."""
    scene.mark(5, **marks)


@pytest.mark.parametrize("access", ["authorized", "limited", "some assets"])
def test_R40_R71_observers_end_exactly_when_their_token_ends(scene, access):
    mark(scene, neverShare=True)
    end = use_expiring_token(scene, 2, *grant_access(scene, access))
    names = [f"observer {number}" for number in range(8)]
    for name in names:
        scene.app.observe(name)
    mark(scene, favorite=True)
    wait_for(lambda: time.time() >= end - 0.3, "a moment before the end")
    # On a busy machine the answer may come after the end, and says nothing then.
    assert not any([scene.app.end_of(name) for name in names]) or time.time() >= end
    wait_for(lambda: time.time() >= end, "the end")
    # No event triggers the report.
    assert all(receives_end(scene.app, name) for name in names)
    assert not any(scene.app.events(name) for name in names)


@pytest.mark.library("shared")
def test_two_tokens_of_a_connection_each_end_at_their_own_time(make_scene):
    scene, other = make_scene(3), make_scene(2)
    scene.limit(0)
    other.owner.call("OfferLibrary", name=other.library, offeredTo=[scene.app.uid])
    other.owner.set(other.library, scene.app.name, "authorized")
    first = scene.app.token
    assert scene.app.request(library=other.library) == "authorized"
    now = int(time.time())
    ends = [now + 3, now + 7]
    scene.app.use(*(attenuated(token, expiry(end)) for token, end in zip([first, scene.app.token], ends)))
    scene.app.new_connection()
    # The end of the token attached last.
    scene.app.observe("second")
    time.sleep(max(0, ends[0] + 0.7 - time.time()))
    assert scene.app.end_of("second") is None, "the other token's end is not its end"
    time.sleep(max(0, ends[1] - time.time()))
    assert receives_end(scene.app, "second")


def test_a_stream_ends_with_its_token(scene):
    scene.album.put("large.jpg", jpeg(day(30), note=b"large", padding=3_000_000))
    scene.owner.wait_for_library(scene.library, 7)
    scene.limit("large.jpg")
    scene.set_terms(location=True)
    asset = scene.app.named("large.jpg")["localIdentifier"]
    end = use_expiring_token(scene, 1.5)
    scene.app.watch("stream", "StreamResource", asset=asset)
    assert scene.app.end_of("stream") is None
    time.sleep(max(0, end - time.time()))
    wait_for(lambda: scene.app.end_of("stream"), "the end of the stream", PATIENCE)


def test_an_observer_ends_when_the_clock_is_set_beyond_its_tokens_end(moved):
    moved.limit(0)
    use_expiring_token(moved, 3600)
    moved.app.observe()
    moved.broker.move(7200)
    assert receives_end(moved.app)


def test_an_observer_ends_by_the_boot_clock(moved):
    moved.limit(0)
    end = use_expiring_token(moved, 2)
    moved.app.observe()
    moved.broker.move(-86400)
    assert moved.app.end_of("observer") is None
    time.sleep(max(0, end - time.time()))
    assert receives_end(moved.app)


def revoke_token(scene):
    [token] = [t for t in scene.owner.call("ListTokens", library=scene.library)["tokens"] if not t["revoked"]]
    scene.owner.call("Revoke", accessor=token["accessor"])


def withdraw_offer(scene):
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])


def decline(scene):
    scene.broker.photobroker(scene.app.uid, "library", "decline", scene.library, "--yes")


def decline_all(scene):
    scene.broker.photobroker(scene.app.uid, "library", "decline", "--from", str(scene.owner.uid), "--yes")


def remove_reason(scene):
    scene.app.introduce(NSPhotoLibraryUsageDescription=None)


@pytest.mark.library("shared")
@pytest.mark.parametrize("access", ["authorized", "limited", "some assets"])
@pytest.mark.parametrize(
    "how, error",
    [
        (revoke_token, "TokenRefused"),
        (withdraw_offer, "TokenRefused"),
        (decline, "TokenRefused"),
        (decline_all, "TokenRefused"),
        (remove_reason, "UsageDescriptionMissing"),
    ],
)
def test_R68_R125_R127_an_observer_ends_at_once_with_any_loss_of_its_right(scene, how, error, access):
    caveats = grant_access(scene, access)
    if caveats:
        scene.app.use(scene.app.own_token, attenuated(scene.app.token, *caveats))
        scene.app.new_connection()
    scene.app.observe()
    assert scene.app.end_of("observer") is None
    how(scene)
    assert receives_end(scene.app, seconds=1, error=error)
    assert not scene.app.events()
