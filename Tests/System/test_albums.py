"""Albums of the owner's, and the policy that lets apps read those that are shared."""
from house.person import wait_for


def titles(app):
    return [(a["title"], a["count"], a["canEdit"]) for a in app.call("FetchAlbums")["albums"]]


def policy(scene, name):
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy=name)


def make(scene, title, *names, **more):
    chosen = {"add": scene.owner.naming(scene.library, [scene.name(n) for n in names])} if names else {}
    return scene.owner.call("EditOwnedAlbum", library=scene.library, title=title, **chosen, **more)["album"]


def test_R48_shared_read_shows_what_the_owner_shares_and_of_it_only_what_is_selected(scene):
    scene.limit(0, 1)
    make(scene, "Private", 0, 1)
    family = make(scene, "Family", 1, 2, 3)
    scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}])
    policy(scene, "shared-read")
    assert titles(scene.app) == [("Mine", 0, True)], "nothing is shared yet"
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=family["album"], shared=True)
    assert titles(scene.app) == [("Family", 1, False), ("Mine", 0, True)]
    album = scene.app.call("FetchAlbums")["albums"][0]["localIdentifier"]
    assert scene.app.names(album=album) == [scene.pictures[1]], "the asset filter holds"
    step = {"kind": "renameAlbum", "album": album, "text": "Ours"}
    assert scene.app.refusal("PerformChanges", changes=[step]).parameters["code"] == 3311
    policy(scene, "own")
    wait_for(lambda: titles(scene.app) == [("Mine", 0, True)], "the rule of 2021 to be back")


def test_R137_unsharing_and_deleting_take_an_album_from_a_running_app(scene):
    scene.limit(0)
    policy(scene, "shared-read")
    album = make(scene, "Family", 0, shared=True)["album"]
    assert titles(scene.app) == [("Family", 1, False)]
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, shared=False)
    assert titles(scene.app) == []
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, shared=True)
    assert titles(scene.app) == [("Family", 1, False)]
    assert scene.owner.call("EditOwnedAlbum", library=scene.library, album=album, delete=True).get("album") is None
    assert titles(scene.app) == []


def test_the_owners_albums_on_the_command_line(scene):
    def photobroker(*words):
        return scene.broker.photobroker(scene.owner.uid, "--quiet", *words).stdout.strip()
    album = photobroker("album", "create", scene.library, "Walks", "--last", "2")
    photobroker("album", "rename", scene.library, album, "Long walks")
    photobroker("album", "take", scene.library, album, "--last", "1")
    photobroker("album", "share", scene.library, album)
    listed = scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]
    assert [(a["title"], a["count"], a["shared"], a.get("creator")) for a in listed] == [("Long walks", 1, True, None)]
    assert "Long walks" in photobroker("album", "list", scene.library)
    photobroker("--yes", "album", "delete", scene.library, album)
    assert scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"] == []


def test_R131_albums_are_their_owners_alone_and_bad_edits_change_nothing(scene):
    album = make(scene, "Mine", 0)["album"]
    stranger = scene.broker.owner()
    assert stranger.refusal("ListOwnedAlbums", library=scene.library).error == "NotFound"
    assert stranger.refusal("EditOwnedAlbum", library=scene.library, album=album, title="x").error == "NotFound"
    for edit in ({}, {"title": ""}, {"title": "a\u202eb"}, {"title": "x" * 1025}, {"delete": True}):
        assert scene.owner.refusal("EditOwnedAlbum", library=scene.library, **edit).error == "Refused", edit
    assert scene.owner.refusal("EditOwnedAlbum", library=scene.library, album="0" * 32, title="x").error == "NotFound"
    assert scene.owner.refusal("EditOwnedAlbum", library=scene.library, album="x", title="x").error == "InvalidParameter"
    assert [a["title"] for a in scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]] == ["Mine"]


def test_an_owners_album_is_there_after_a_restart(own_scene):
    make(own_scene, "Kept", 0, 2, shared=True)
    own_scene.broker.restart()
    album = own_scene.owner.call("ListOwnedAlbums", library=own_scene.library)["albums"][0]
    assert (album["title"], album["count"], album["shared"]) == ("Kept", 2, True)
