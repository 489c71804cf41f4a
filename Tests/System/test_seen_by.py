"""The owner's view of an app's photos equals the app's own, in order and count."""

import json
import os
import time

import pytest

from house.person import wait_for


def app_view(scene, **options):
    """Return the app's list as text; a refusal counts as an empty list."""
    assets = [] if scene.app.is_refused() else scene.app.fetch(**options)
    return json.dumps(
        [
            [a["filename"], a["mediaType"], a.get("creationDate"), a["pixelWidth"], a["pixelHeight"], a["isFavorite"]]
            for a in assets
        ]
    )


def owner_view(scene, **parameters):
    assets = scene.owner.assets(scene.library, seenBy=scene.app.name, **parameters)
    return json.dumps(
        [
            [a["filename"], a["mediaType"], a.get("creationDate"), a["pixelWidth"], a["pixelHeight"], a["favorite"]]
            for a in assets
        ]
    )


def columns(scene, limit=10_000, **parameters):
    """Return names and identifiers from the page's columns, over all pages."""
    names, identifiers, skip = [], "", 0
    while skip is not None:
        page = scene.owner.call(
            "FetchOwnedColumns", library=scene.library, seenBy=scene.app.name, limit=limit, skip=skip, **parameters
        )
        names += page["names"]
        identifiers += page["identifiers"]
        skip = page.get("next")
    assert page["total"] == len(names) and len(identifiers) == 32 * len(names)
    return names, [identifiers[at : at + 32] for at in range(0, len(identifiers), 32)]


def compare_views(scene):
    """Compare all views, and return the names."""
    told = app_view(scene)
    assert owner_view(scene) == told
    names, identifiers = columns(scene)
    assert names == [asset[0] for asset in json.loads(told)]
    assert columns(scene, limit=2) == (names, identifiers), "page by page"
    own = {a["filename"]: a["identifier"] for a in scene.owner.assets(scene.library)}
    assert identifiers == [own[name] for name in names], "by the owner's own identifiers"
    assert scene.owner.grant(scene.library, scene.app.name)["visible"] == len(names)
    return names


def names(scene, *numbers):
    return [scene.pictures[number] for number in sorted(numbers, reverse=True)]


def test_R41_the_owner_sees_a_limited_apps_view_of_each_kind_of_photo(scene):
    scene.limit(0, 1, 2, 3, 4)
    assert compare_views(scene) == names(scene, 0, 1, 2, 3, 4)
    scene.mark(0, hidden=True)
    assert compare_views(scene) == names(scene, 1, 2, 3, 4)
    scene.mark(1, neverShare=True)
    assert compare_views(scene) == names(scene, 2, 3, 4)
    scene.app.delete(scene.pictures[2])
    assert compare_views(scene) == names(scene, 3, 4)
    scene.mark(4, favorite=True)
    scene.mark(5, favorite=True)
    assert compare_views(scene) == names(scene, 3, 4)
    assert owner_view(scene, selector={"favorite": True}) == app_view(scene, favorite=True)
    assert json.loads(owner_view(scene, selector={"favorite": True}))[0][0] == scene.pictures[4]
    assert owner_view(scene, selector={"mediaType": "video"}) == app_view(scene, mediaTypes=["video"]) == "[]"
    assert scene.owner.grant(scene.library, scene.app.name)["selected"] == 5, "all of them stay selected"


def test_R13_the_owner_sees_a_full_access_apps_view(scene):
    scene.allow()
    assert compare_views(scene) == scene.newest_first
    scene.mark(0, hidden=True)
    scene.mark(3, neverShare=True)
    scene.app.delete(scene.pictures[5])
    assert compare_views(scene) == names(scene, 1, 2, 4)
    scene.album.add(20, "late.jpg")
    wait_for(lambda: "late.jpg" in scene.app.names(), "what came since")
    assert compare_views(scene)[0] == "late.jpg"


@pytest.mark.library("shared")
@pytest.mark.parametrize("end", ["paused", "denied", "revoked", "withdrawn", "expired", "undecided"])
def test_an_app_with_ended_access_is_shown_to_see_nothing(scene, end):
    scene.limit(0, 1)
    assert compare_views(scene) == names(scene, 0, 1)
    place = {"library": scene.library, "app": scene.app.name}
    if end == "paused":
        scene.owner.call("PauseGrant", **place, paused=True)
    elif end == "revoked":
        scene.owner.call("Revoke", **place)
    elif end == "withdrawn":
        scene.owner.call("OfferLibrary", name=scene.library, remove=[scene.app.uid])
    elif end == "expired":
        scene.owner.call("SetGrant", **place, level="readWrite", expires=int((time.time() + 1) * 1e6))
        wait_for(lambda: scene.app.status() == "notDetermined", "the access to end")
    else:
        scene.owner.set(scene.library, scene.app.name, "denied" if end == "denied" else "notDetermined")
    if end in ("expired", "undecided"):
        # A fetch would prompt the owner.
        assert owner_view(scene) == "[]" and columns(scene) == ([], [])
        return
    assert scene.app.is_refused()
    assert compare_views(scene) == []
    if end == "paused":
        scene.owner.call("PauseGrant", **place, paused=False)
        assert compare_views(scene) == names(scene, 0, 1)


def test_R48_an_albums_members_are_those_visible_to_the_app(scene):
    scene.limit(0, 1)
    scene.owner.call(
        "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="shared-read"
    )
    family = scene.make_album("Family", 1, 2, 3, shared=True)["album"]
    private = scene.make_album("Private", 0)["album"]
    [seen] = scene.app.call("FetchAlbums")["albums"]
    assert columns(scene, album=family)[0] == scene.app.names(album=seen["localIdentifier"]) == [scene.pictures[1]]
    for unseen in (private, "f" * 32):
        refused = scene.owner.refusal("FetchOwnedColumns", library=scene.library, seenBy=scene.app.name, album=unseen)
        assert (refused.error, refused.parameters["what"]) == ("NotFound", "album")


@pytest.mark.library("shared")
def test_R130_only_users_who_may_see_photos_get_an_apps_view(scene):
    scene.limit(0, 1)
    steward, stranger = scene.broker.owner(), scene.broker.owner()
    scene.broker.photobroker(0, "administrator", "add", str(steward.uid))
    try:
        for method in ("FetchOwnedAssets", "FetchOwnedColumns"):
            place = {"library": scene.library, "seenBy": scene.app.name}
            assert steward.refusal(method, **place).error == "NotPermitted"
            assert stranger.refusal(method, **place).error == "NotFound"
            assert scene.owner.refusal(method, library=scene.library, seenBy="0" * 32).error == "NotFound"
        assert steward.library(scene.library).get("revision") is None
    finally:
        scene.broker.photobroker(0, "administrator", "remove", str(steward.uid), "--yes")


def test_the_command_line_lists_an_apps_view_and_counts_its_selection(scene):
    scene.limit(0, 1, 2)
    scene.mark(1, hidden=True)
    run = lambda *arguments: scene.broker.photobroker(scene.owner.uid, *arguments).stdout
    listed = run("asset", "list", scene.library, "--seen-by", scene.app.name)
    assert scene.pictures[0] in listed and scene.pictures[2] in listed and scene.pictures[1] not in listed
    assert "3 selected photos, 2 of them visible" in run("grant", "list", "--library", scene.library)
    [shown] = json.loads(run("grant", "list", "--library", scene.library, "--json"))["grants"]
    assert (shown["selected"], shown["visible"]) == (3, 2)
    scene.owner.call("PauseGrant", library=scene.library, paused=True)
    assert "3 selected photos, paused" in run("grant", "list", "--library", scene.library)


def test_a_preview_of_decisions_counts_the_visible_assets(scene):
    scene.mark(1, neverShare=True)
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[2]}, hidden=True)
    entry = {
        "library": scene.library,
        "app": scene.app.name,
        "level": "readWrite",
        "status": "limited",
        "select": [{"all": True}],
    }
    [would] = scene.owner.call("Apply", grants=[entry], preview=True)["grants"]
    [did] = scene.owner.call("Apply", grants=[entry])["grants"]
    assert (
        (would["after"]["selected"], would["after"]["visible"])
        == (did["after"]["selected"], did["after"]["visible"])
        == (5, 4)
    )


def revision(scene):
    return scene.owner.library(scene.library)["revision"]


def test_the_librarys_revision_changes_with_each_change_and_only_then(own_scene):
    scene = own_scene
    scene.allow()
    os.chmod(scene.album.folder, 0o770)
    known = {revision(scene)}

    def changes(what, act):
        act()
        wait_for(lambda: revision(scene) not in known, what)
        known.add(revision(scene))

    changes("a favourite", lambda: scene.mark(0, favorite=True))
    changes("hidden", lambda: scene.mark(0, hidden=True))
    changes("an album", lambda: scene.make_album("Lake", 1, 2))
    album = scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"][0]["album"]
    changes("its title", lambda: scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, title="Sea"))
    changes(
        "that it is shared", lambda: scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, shared=True)
    )
    changes("the trash", lambda: scene.app.delete(scene.pictures[3]))
    wait_for(lambda: not (scene.album.folder / scene.pictures[3]).exists(), "the file to be moved")
    [trashed] = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]
    changes(
        "a photo that is back",
        lambda: scene.owner.call("RestoreAssets", library=scene.library, identifiers=[trashed["identifier"]]),
    )
    changes("a new photo", lambda: scene.album.add(30))
    scene.owner.wait_for_library(scene.library, 7)
    changes("one that is gone", (scene.album.folder / scene.pictures[4]).unlink)
    scene.owner.wait_for_library(scene.library, 6)
    present = revision(scene)
    scene.app.fetch()
    scene.mark(0, favorite=True)
    scene.owner.set(scene.library, scene.app.name, "denied")
    assert revision(scene) == present, "reading and deciding change nothing of what is in it"
    page = scene.owner.call("FetchOwnedColumns", library=scene.library, limit=1)
    assert page["revision"] == present
    assert (
        scene.owner.call("MarkAssets", library=scene.library, selector={"all": True}, favorite=True)["revision"]
        == present + 1
    )
    known |= {present, present + 1}
    scene.broker.restart()
    assert revision(scene) not in known, "also after a restart"


@pytest.mark.library("shared")
def test_R127_concurrent_offer_edits_by_two_owners_do_not_overwrite_each_other(scene):
    first, second = scene.house.fresh_uid(), scene.house.fresh_uid()
    offered = lambda: set(scene.owner.library(scene.library)["offeredTo"])
    scene.owner.call("OfferLibrary", name=scene.library, add=[first])
    scene.owner.call("OfferLibrary", name=scene.library, add=[second], remove=[scene.app.uid])
    assert offered() == {scene.owner.uid, first, second}
    scene.broker.photobroker(
        scene.owner.uid, "library", "offer", scene.library, "--add", str(scene.app.uid), "--remove", f"{first},{second}"
    )
    assert offered() == {scene.owner.uid, scene.app.uid}
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[second], remove=[scene.owner.uid])
    assert offered() == {scene.owner.uid, second}, "the owner always"
    assert scene.owner.refusal("OfferLibrary", name=scene.library).error == "Refused"
    assert scene.owner.refusal("OfferLibrary", name=scene.library, add=[-1]).error == "InvalidParameter"
    for nothing in ((), (str(first), "--add", str(second))):
        assert (
            "Name all users"
            in scene.broker.photobroker(scene.owner.uid, "library", "offer", scene.library, *nothing, expect=64).stderr
        )
