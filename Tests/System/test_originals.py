"""R39: apps get the edited version of an edited photo; an owner's switch adds the original."""

import base64
import hashlib
import os
import struct

import pytest
from photobroker import VarlinkError

from house.pictures import day, jpeg
from house.person import Refused, wait_for
from house.plugins import install_paired
from house.scene import Scene

PLAIN = jpeg(day(1), note=b"as it was taken", width=64, height=48)
EDITED = jpeg(day(1), note=b"cropped", width=48, height=64)
ROLES = {"original", "edited", "raw", "sidecar"}


def dng(date):
    """Return a raw file with nothing but a date, by which it matches its photo."""
    text = date.strftime("%Y:%m:%d %H:%M:%S").encode() + b"\0"
    return (
        b"II*\0"
        + struct.pack("<IHHHIIHHI4sI", 8, 2, 0x8769, 4, 1, 38, 0xC612, 1, 4, b"\1\4\0\0", 0)
        + struct.pack("<HHHIII", 1, 0x9003, 2, len(text), 56, 0)
        + text
    )


@pytest.fixture
def edited(make_scene):
    scene = make_scene(1)
    scene.album.put("trip-edited.jpg", EDITED, day(2).timestamp())
    for name, data in (
        ("trip.dng", dng(day(1))),
        ("trip.xmp", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"),
        ("trip.jpg", PLAIN),
    ):
        scene.album.put(name, data, day(1).timestamp())
    wait_for_last(scene, "trip.jpg", 2)
    scene.allow()
    scene.asset = scene.app.named("trip.jpg")["localIdentifier"]
    return scene


def wait_for_last(scene, name, count):
    """A scan that finds the file written last finds those of the same photo, too."""
    wait_for(lambda: name in scene.owner.names(scene.library), name)
    scene.owner.wait_for_library(scene.library, count)


def roles(scene):
    return {r["role"] for r in scene.app.call("GetResources", asset=scene.asset)["resources"]}


def read_default_role(scene):
    """Read the asset without naming a role."""
    return base64.b64decode(scene.app.call("ReadBytes", asset=scene.asset, offset=0, length=100_000)["data"])


def test_R39_an_edited_photo_reveals_nothing_of_its_original(edited):
    assert roles(edited) == {"edited"}
    assert read_default_role(edited) == EDITED
    for role in ROLES - {"edited"}:
        for method, more in (("OpenResource", {}), ("ReadBytes", {"offset": 0, "length": 10})):
            assert edited.app.refusal(method, asset=edited.asset, role=role, **more).reason == "missingResource", (
                method,
                role,
            )


def test_R39_R131_the_owner_shares_originals_in_one_library_and_undoes_it(edited, make_scene):
    other = make_scene(1)
    reply = edited.owner.call("ShareOriginals", name=edited.library, share=True)
    assert reply["library"]["sharesOriginals"] is True
    assert other.owner.library(other.library)["sharesOriginals"] is False, "it is said for one library"
    assert roles(edited) == ROLES
    assert edited.app.digest(edited.asset) == hashlib.sha256(PLAIN).hexdigest(), "the original, asked for by its role"
    assert read_default_role(edited) == EDITED, "what is current stays so"
    decision = edited.owner.call("ListDecisions", library=edited.library, limit=1)["decisions"][0]
    edited.owner.call("UndoDecision", decision=decision["decision"])
    assert roles(edited) == {"edited"}
    edited.broker.photobroker(edited.owner.uid, "library", "set", edited.library, "--originals", "yes")
    assert roles(edited) == ROLES
    said = edited.broker.photobroker(edited.owner.uid, "library", "set", edited.library, "--originals", "no").stdout
    assert "edited version only" in said
    assert roles(edited) == {"edited"}


def test_R39_sharing_originals_survives_a_restart_and_is_for_owners_only(own_broker):

    scene = Scene(own_broker, 1)
    scene.owner.call("ShareOriginals", name=scene.library, share=True)
    own_broker.restart()
    assert scene.owner.library(scene.library)["sharesOriginals"] is True
    with pytest.raises(Refused) as refused:
        own_broker.owner(0).call("ShareOriginals", name=scene.library, share=False)
    assert refused.value.error == "NotPermitted"


def test_R39_an_edited_live_photos_video_is_shared_only_with_its_original(own_broker):
    """The video shows the cropped part too."""

    video = b"the moment before and after" * 30
    scene = Scene(own_broker, 1, backend=install_paired(own_broker.house))
    for name, data in (
        ("trip.mov", video),
        ("trip-edited.jpg", EDITED),
        ("plain.mov", video),
        ("trip.jpg", PLAIN),
        ("plain.jpg", jpeg(day(3), note=b"plain")),
    ):
        scene.album.put(name, data, day(1).timestamp())
    scene.owner.call("RescanLibrary", name=scene.library)
    scene.owner.wait_for_library(scene.library, 3)
    scene.limit("trip.jpg", "plain.jpg")
    # The videos are made of words, which the cleaner does not know.
    scene.set_terms(location=True)

    def roles(name):
        asset = scene.app.named(name)["localIdentifier"]
        return {r["role"] for r in scene.app.call("GetResources", asset=asset)["resources"]}

    assert roles("plain.jpg") == {"original", "pairedVideo"}, "a Live Photo that nobody edited is whole"
    assert roles("trip.jpg") == {"edited"}
    asset = scene.app.named("trip.jpg")["localIdentifier"]
    for method, more in (("OpenResource", {}), ("ReadBytes", {"offset": 0, "length": 10})):
        assert scene.app.refusal(method, asset=asset, role="pairedVideo", **more).reason == "missingResource"
    scene.owner.call("ShareOriginals", name=scene.library, share=True)
    assert roles("trip.jpg") == {"original", "edited", "pairedVideo"}
    assert scene.app.order(do="digest", asset=asset, role="pairedVideo") == hashlib.sha256(video).hexdigest()


def test_R39_the_owner_sees_the_apps_resources(edited):
    for pixels in (32, 128):
        mine = edited.app.call("GetThumbnail", asset=edited.asset, maxPixels=pixels, inline=True)["data"]
        owners = edited.owner.call(
            "GetOwnedThumbnail",
            library=edited.library,
            asset=edited.owner.identifier(edited.library, "trip.jpg"),
            maxPixels=pixels,
        )["data"]
        assert mine == owners


def begin(agent, asset, role):
    agent.replies = agent.connection("stream").stream("io.photobroker.Library.StreamResource", asset=asset, role=role)
    _, descriptors = next(agent.replies)
    agent.pipe = descriptors[0]
    return len(os.read(agent.pipe, 100))


def finish(agent):
    """Return the number of remaining bytes, and the stream's final error."""
    rest = 0
    while piece := os.read(agent.pipe, 1 << 16):
        rest += len(piece)
    os.close(agent.pipe)
    try:
        for _ in agent.replies:
            pass
    except VarlinkError as error:
        return [rest, error.parameters.get("reason")]
    return [rest, None]


def test_R39_a_running_stream_of_an_original_ends_when_sharing_ends(edited):
    edited.album.put("large-edited.jpg", jpeg(day(21), note=b"cropped", padding=2_000_000), day(2).timestamp())
    edited.album.add(21, "large.jpg", padding=3_000_000)
    wait_for_last(edited, "large.jpg", 3)
    asset = edited.app.named("large.jpg")["localIdentifier"]
    for role in ("original", "edited"):
        edited.owner.call("ShareOriginals", name=edited.library, share=True)
        assert edited.app.run(begin, asset=asset, role=role) == 100
        edited.owner.call("ShareOriginals", name=edited.library, share=False)
        came, reason = edited.app.run(finish)
        if role == "original":
            assert (came, reason) == (0, "operationInterrupted"), "what the pipe held is taken back"
        else:
            assert reason is None and came > 1_900_000, "the version that apps are shown goes on"


def test_R39_a_running_stream_ends_when_an_edited_version_arrives(edited):
    edited.album.add(22, "later.jpg", padding=3_000_000)
    edited.owner.wait_for_library(edited.library, 3)
    asset = edited.app.named("later.jpg")["localIdentifier"]
    assert edited.app.run(begin, asset=asset, role="original") == 100
    edited.album.put("later-edited.jpg", jpeg(day(22), note=b"cropped"), day(22).timestamp())
    wait_for(
        lambda: {r["role"] for r in edited.app.call("GetResources", asset=asset)["resources"]} == {"edited"},
        "the edited version",
    )
    came, reason = edited.app.run(finish)
    assert came < 65_536 and reason == "operationInterrupted"
