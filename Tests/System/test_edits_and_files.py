"""Edits in the broker and files in the folder: an edit wins over a changed file.

The owner sees the file's other value. A deletion that the storage refuses is reported and retried.
Both survive a restart.
"""

import base64
import os
import time

import pytest

from house.edits import EDITED, edited_date, noted_differences
from house.person import wait_for
from house.pictures import captioned, day, jpeg, placed
from house.soak import WHOLE


def visible_date(scene, number):
    asset = scene.app.named(scene.pictures[number])
    return asset["creationDate"], asset["creationDateOrigin"]


def rewrite(scene, number, date):
    scene.album.put(scene.pictures[number], jpeg(day(date), note=b"rewritten"))


def details(scene, number):
    asset = scene.owner.identifier(scene.library, scene.pictures[number])
    told = scene.owner.call("GetOwnedDetails", library=scene.library, asset=asset)
    assert [file["filename"] for file in told.pop("files")] == [scene.pictures[number]]
    return told


def microseconds_of(number):
    return int(day(number).timestamp()) * 1_000_000


def test_an_edit_overrides_a_changed_file_and_the_difference_is_noted_once_and_shown(own_scene):
    scene = own_scene
    scene.limit(0, 1)
    asset = edited_date(scene, 0)
    assert details(scene, 0) == {"creationDate": EDITED} and noted_differences(scene) == []
    rewrite(scene, 0, 70)
    wait_for(lambda: noted_differences(scene), "the decision")
    for _ in range(2):
        assert details(scene, 0) == {"creationDate": EDITED, "fileCreationDate": microseconds_of(70)}
        assert visible_date(scene, 0) == (EDITED, "edited")
        [decision] = noted_differences(scene)
        assert decision["after"] == f"asset {asset}" and decision["source"] == "changedFile"
        assert not decision["undoable"]
        scene.broker.restart()
        scene.owner.wait_for_library(scene.library, 6)
    shown = scene.broker.photobroker(scene.owner.uid, "asset", "show", scene.library, asset).stdout
    assert "2001-09-09" in shown and "(in the file: 2024-03-11" in shown
    version = scene.app.named(scene.pictures[0])["version"]
    scene.album.put(scene.pictures[0], jpeg(day(70), note=b"the same date again"))
    wait_for(lambda: scene.app.named(scene.pictures[0])["version"] != version, "the file to be read again")
    assert len(noted_differences(scene)) == 1
    rewrite(scene, 0, 80)
    wait_for(lambda: len(noted_differences(scene)) == 2, "a decision on the other date")
    assert details(scene, 0)["fileCreationDate"] == microseconds_of(80)
    # After an edit to the file's own date nothing differs.
    name = scene.app.named(scene.pictures[0])["localIdentifier"]
    scene.app.change("setCreationDate", assets=[name], creationDate=microseconds_of(80))
    assert details(scene, 0) == {"creationDate": microseconds_of(80)}


def test_a_removed_place_and_caption_stay_hidden_from_apps_when_the_file_changes(own_scene):
    """No app and no administrator learns of them; the owner sees them as the file's."""
    scene = own_scene
    scene.limit(0, 1)
    scene.set_terms(location=True)
    scene.album.put(scene.pictures[0], placed(jpeg(day(60), note=b"placed")))
    scene.album.put(scene.pictures[1], captioned(jpeg(day(61), note=b"captioned"), b"our home"))
    first, second = (scene.app.named(scene.pictures[number])["localIdentifier"] for number in (0, 1))
    wait_for(lambda: "latitude" in scene.app.named(scene.pictures[0]), "the place of the file")
    wait_for(lambda: "caption" in scene.app.call("GetDetails", asset=second), "the caption of the file")
    scene.app.change("setLocation", assets=[first])
    scene.app.change("setCaption", assets=[second], text="")
    scene.album.put(scene.pictures[0], placed(jpeg(day(70), note=b"placed again")))
    scene.album.put(scene.pictures[1], captioned(jpeg(day(71), note=b"captioned again"), b"our home"))
    wait_for(lambda: len(noted_differences(scene)) == 2, "both to be noted")
    for _ in range(2):
        photo = scene.app.named(scene.pictures[0])
        assert photo["creationDate"] == microseconds_of(70), "nobody edited the date"
        assert "latitude" not in photo and "longitude" not in photo
        assert scene.app.call("GetDetails", asset=first) == scene.app.call("GetDetails", asset=second) == {}
        assert details(scene, 0)["fileLocation"] == {"latitude": 47.375, "longitude": pytest.approx(8.5416667)}
        assert "location" not in details(scene, 0)
        assert details(scene, 1)["fileCaption"] == "our home" and "caption" not in details(scene, 1)
        scene.broker.restart()
        scene.owner.wait_for_library(scene.library, 6)
    told = noted_differences(scene, scene.broker.owner(0))
    assert len(told) == 2
    assert not any(word in repr(told) for word in ("our home", "47.", "aption", "ocation", *scene.pictures))


def test_R142_a_failed_deletion_is_reported_and_retried(own_scene):
    """At first the owner alone may write to the folder, so the broker cannot move the file."""
    scene = own_scene
    scene.limit(0, 1)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    path = scene.album.folder / scene.pictures[0]
    scene.app.change("delete", assets=[asset])
    assert scene.app.names() == [scene.pictures[1]]
    waiting = wait_for(
        lambda: (lambda l: l if l["awaitingTrash"] and l.get("problem") else None)(scene.owner.library(scene.library)),
        "the owner to be told",
    )
    assert "1 deleted photo" in waiting["problem"] and path.exists()
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 5)
    assert path.exists() and scene.owner.library(scene.library)["awaitingTrash"] == 1
    os.chmod(scene.album.folder, 0o770)
    scene.owner.call("RescanLibrary", name=scene.library)
    wait_for(lambda: not path.exists(), "the file to be moved")
    wait_for(lambda: not scene.owner.library(scene.library)["awaitingTrash"], "the end of it")
    assert scene.owner.library(scene.library).get("problem") is None
    trash = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]
    assert scene.owner.call("RestoreAssets", library=scene.library, identifiers=[trash[0]["identifier"]]) == {
        "restored": 1
    }
    assert path.exists()
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 6)
    scene.owner.rescan(scene.library)
    assert path.exists()


def test_R142_a_deleted_photo_is_not_restored_from_another_photos_file(own_scene):
    """Its file could not be moved to the trash, and its owner saved the same bytes in its place."""
    scene = own_scene
    scene.limit(0, 1)
    scene.app.change("delete", assets=[scene.app.named(scene.pictures[0])["localIdentifier"]])
    wait_for(lambda: scene.owner.library(scene.library)["awaitingTrash"] == 1, "the file to be left")
    scene.album.add(0)
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    trash = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]
    assert scene.owner.call("RestoreAssets", library=scene.library, identifiers=[trash[0]["identifier"]]) == {
        "restored": 0
    }
    paths = [asset["path"] for asset in scene.owner.assets(scene.library)]
    assert sorted(paths) == scene.pictures and scene.app.names() == [scene.pictures[1]]


def test_R131_the_owner_sees_the_apps_that_added_and_deleted_a_photo(own_scene):
    """Lists and the command line tell it, also after a restart, as long as it is true."""
    scene = own_scene
    scene.let_broker_add()
    os.chmod(scene.album.folder, 0o770)
    scene.limit(0, 1)
    scene.app.call(
        "AddAsset", filename="mine.jpg", contents=base64.b64encode(jpeg(day(40), b"mine")).decode(), level="readWrite"
    )
    wait_for(lambda: "mine.jpg" in scene.owner.names(scene.library), "the picture in the library")
    before = int(time.time() * 1e6)
    scene.app.change("delete", assets=[scene.app.named(scene.pictures[0])["localIdentifier"]])
    for _ in range(2):
        assert {a["filename"]: a.get("addedBy") for a in scene.owner.assets(scene.library)}.items() >= {
            "mine.jpg": scene.app.name,
            scene.pictures[1]: None,
        }.items()
        assert scene.owner.names(scene.library, addedBy=scene.app.name) == ["mine.jpg"]
        assert scene.owner.names(scene.library, addedBy="0" * 32) == []
        [gone] = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]
        assert gone["deletedBy"] == scene.app.name and before - 1_000_000 <= gone["deleted"] <= time.time() * 1e6
        scene.broker.restart()
        scene.owner.wait_for_library(scene.library, 6)
    listed = scene.broker.photobroker(
        scene.owner.uid, "asset", "list", scene.library, "--added-by", "org.example.journal"
    ).stdout
    assert "mine.jpg" in listed and scene.pictures[1] not in listed
    assert "org.example.journal" in scene.broker.photobroker(scene.owner.uid, "asset", "trash", scene.library).stdout
    wait_for(lambda: not (scene.album.folder / scene.pictures[0]).exists(), "the file to be moved")
    scene.owner.call("RestoreAssets", library=scene.library, identifiers=[gone["identifier"]])
    back = next(a for a in scene.owner.assets(scene.library) if a["filename"] == scene.pictures[0])
    assert back.get("deletedBy") is None and back.get("deleted") is None
    # A removed app is still named, and an app that never was is an error.
    scene.broker.photobroker(scene.owner.uid, "app", "remove", "org.example.journal", "--yes")
    listed = scene.broker.photobroker(
        scene.owner.uid, "asset", "list", scene.library, "--added-by", "org.example.journal"
    ).stdout
    assert "mine.jpg" in listed and scene.pictures[1] not in listed
    assert scene.owner.names(scene.library, addedByIdentifier="org.example.journal") == ["mine.jpg"]
    for command in (
        ["asset", "list", scene.library, "--added-by"],
        ["log", scene.library, "--app"],
        ["decisions", "--app"],
    ):
        scene.broker.photobroker(scene.owner.uid, *command, "org.exmaple.journal", expect=66)
        scene.broker.photobroker(scene.owner.uid, *command, "org.example.journal")


def test_R14_R142_the_same_bytes_put_back_are_another_photo_and_the_deleted_one_stays_trashed(
    own_scene,
):
    """An app replaces a photo repeatedly during scans, and so does the owner."""
    scene = own_scene
    scene.let_broker_add()
    os.chmod(scene.album.folder, 0o770)
    originals = {f"IMG_{n}.jpg": jpeg(day(300), b"owner %d" % n) for n in range(40 if WHOLE else 15)}
    for name, data in originals.items():
        scene.album.put(name, data)
    scene.owner.wait_for_library(scene.library, 6 + len(originals))
    scene.allow()
    known = {asset["filename"]: asset["localIdentifier"] for asset in scene.app.fetch()}
    added = {}
    for name, data in originals.items():
        scene.app.change("delete", assets=[known[name]])
        contents = base64.b64encode(data).decode()
        added[f"new-{name}"] = scene.app.call("AddAsset", filename=f"new-{name}", contents=contents, level="readWrite")[
            "localIdentifier"
        ]
    wait_for(lambda: not scene.owner.library(scene.library)["awaitingTrash"], "the trash")
    copies = {f"copy-{name}": data for name, data in list(originals.items())[:3]}
    for name, data in copies.items():
        scene.album.put(name, data)
    scene.owner.rescan(scene.library)
    trash = scene.owner.call("FetchTrashedAssets", library=scene.library, limit=100)["assets"]
    assert {asset["filename"] for asset in trash} == set(originals)
    assert {a["filename"]: a["localIdentifier"] for a in scene.app.fetch() if a["filename"] in added} == added
    assert set(copies) <= set(scene.owner.names(scene.library)), "what the owner put there is seen"
    restored = scene.owner.call(
        "RestoreAssets", library=scene.library, identifiers=[asset["identifier"] for asset in trash]
    )
    assert restored["restored"] == len(originals)
    scene.owner.wait_for_library(scene.library, 6 + 2 * len(originals) + len(copies))
    for name, data in originals.items():
        assert (scene.album.folder / name).read_bytes() == data


def sidecar_with_rating(rating):
    return f"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
        xmlns:xmp="http://ns.adobe.com/xap/1.0/" rdf:about="" xmp:Rating="{rating}"/></rdf:RDF></x:xmpmeta>""".encode()


def test_a_sidecars_favourite_holds_until_edited(own_scene):
    scene = own_scene
    if not scene.house.has_media:
        pytest.skip("there is no media worker")
    scene.allow()
    first, second = scene.pictures[:2]

    def favourites():
        return {a["filename"] for a in scene.app.fetch() if a["isFavorite"]}

    for name in (first, second):
        scene.album.put(f"{name}.xmp", sidecar_with_rating(5))
    wait_for(lambda: favourites() == {first, second}, "what came with the sidecars")
    chosen = scene.owner.naming(scene.library, [second])
    scene.owner.call("MarkAssets", library=scene.library, selector=chosen, favorite=False)
    scene.owner.call("MarkAssets", library=scene.library, selector=chosen, favorite=True)
    for name in (first, second):
        scene.album.put(f"{name}.xmp", sidecar_with_rating(1))
    wait_for(lambda: favourites() == {second}, "what was taken away, but for what the owner said")
    os.unlink(scene.album.folder / f"{second}.xmp")
    scene.album.put(f"{first}.xmp", sidecar_with_rating(5))
    wait_for(lambda: favourites() == {first, second}, "what is said anew")
    os.unlink(scene.album.folder / f"{first}.xmp")
    wait_for(lambda: favourites() == {second}, "the sidecar that is gone")
