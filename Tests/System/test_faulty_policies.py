"""Faulty album policies: their albums are hidden, and the people who can act are told."""

import pytest

from house.faults import TOLD, install_faulty
from house.neighbour import call_continuously
from house.person import wait_for
from house.scene import Scene


@pytest.mark.parametrize("fault", ["crash", "hang", "no json", "wrong types"])
def test_R136_a_failing_policy_hides_its_albums_and_is_named_to_the_operator(faulty, fault):
    name = "policy-" + fault.replace(" ", "-")
    install_faulty(faulty.house, name)
    scene = Scene(faulty.broker, 3)
    scene.limit(0, 1)
    album = scene.owner.naming(scene.library, scene.pictures[:2])
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Shared", add=album, shared=True)
    faulty.broker.photobroker(
        scene.owner.uid, "--quiet", "grant", "policy", scene.library, scene.app.name, "shared-read"
    )
    wait_for(
        lambda: [a["title"] for a in scene.app.call("FetchAlbums")["albums"]] == ["Shared"], "the good policy to hold"
    )
    faulty.broker.photobroker(scene.owner.uid, "--quiet", "grant", "policy", scene.library, scene.app.name, name)
    wait_for(lambda: scene.app.call("FetchAlbums")["albums"] == [], "the albums to be hidden")
    wait_for(
        lambda: (
            f"albumPolicy({name}): " in faulty.broker.log
            and TOLD[fault] in faulty.broker.log.split(f"albumPolicy({name}): ")[-1]
        ),
        "the operator to be told",
    )
    assert scene.app.count() == 2, "its photos are no policy's business"
    assert scene.app.run(call_continuously, seconds=1, asset=scene.app.fetch()[0]["localIdentifier"])["errors"] == []


def test_R136_a_policy_cannot_show_unrequested_albums(faulty):
    install_faulty(faulty.house, "policy-foreign-albums")
    scene = Scene(faulty.broker, 3)
    scene.limit(0, 1)
    faulty.broker.photobroker(
        scene.owner.uid, "--quiet", "grant", "policy", scene.library, scene.app.name, "policy-foreign-albums"
    )
    assert scene.app.call("FetchAlbums")["albums"] == []
    assert scene.app.count() == 2
    album = scene.owner.naming(scene.library, scene.pictures[:2])
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Shared", add=album, shared=True)
    wait_for(
        lambda: (
            "2 album identifiers that are not in the question"
            in faulty.broker.photobroker(0, "plugin", "log", "policy-foreign-albums").stdout
        ),
        "its author to be told",
    )


def test_R136_a_failing_policy_is_retried_and_its_owner_is_notified(faulty):
    install_faulty(faulty.house, "policy-fails-for-titles")
    scene = Scene(faulty.broker, 3)
    scene.limit(0, 1)
    album = scene.owner.naming(scene.library, scene.pictures[:2])
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Trouble", add=album, shared=True)
    faulty.broker.photobroker(
        scene.owner.uid, "--quiet", "grant", "policy", scene.library, scene.app.name, "policy-fails-for-titles"
    )

    def told():
        return "policy-fails-for-titles" in (scene.owner.library(scene.library).get("problem") or "")

    wait_for(told, "the owner to be told")
    assert scene.app.call("FetchAlbums")["albums"] == []
    wait_for(
        lambda: [a["title"] for a in scene.app.call("FetchAlbums")["albums"]] == ["Trouble"],
        "the policy to be asked again",
        60,
    )
    assert not told()
