"""Additions and deletions by apps on a remote."""

import base64
import os

from house.person import wait_for
from house.pictures import day
from house.remotes import EVERY_REMOTE, picture


@EVERY_REMOTE
def test_R43_R142_photos_are_added_and_trashed_on_a_remote(far):
    far.limit(0, 1)
    far.owner.set(far.library, far.app.name, "authorized", level="addOnly")
    assert far.app.request("addOnly") == "authorized"
    far.app.use(far.app.own_token, far.app.token)
    upload = far.app.call("BeginUpload")["upload"]
    far.app.call("AppendUpload", upload=upload, data=base64.b64encode(picture(20)).decode())
    far.app.call("AddAsset", filename="new.jpg", upload=upload)
    assert (far.remote.photos / "PhotoBroker/new.jpg").read_bytes() == picture(20)
    assert not [p for p in (far.remote.photos / "PhotoBroker").iterdir() if p.name.startswith(".")]
    far.owner.wait_for_library(far.library, 6)
    far.app.request()
    victim = far.app.named("picture-1.jpg")["localIdentifier"]
    far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
    wait_for(lambda: not (far.remote.photos / "2024/picture-1.jpg").exists(), "the file to be moved into the trash")
    assert [p.read_bytes() for p in far.remote.photos.glob(".photobroker-trash/*/2024/picture-1.jpg")] == [picture(1)]
    assert (far.remote.photos / "2024/picture-0.jpg").read_bytes() == picture(0), "others stay as they are"


def test_R44_photos_added_to_a_remote_join_no_existing_photo(far):
    """By its name, each file would belong to the photo on the remote."""
    far.remote.put("PhotoBroker/IMG_0042.jpg", picture(30), day(30).timestamp())
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 6)
    far.limit(0, 1)
    far.app.call(
        "AddAsset", level="readWrite", filename="IMG_E0042.jpg", contents=base64.b64encode(picture(31)).decode()
    )
    far.app.call(
        "AddAsset", level="readWrite", filename="IMG_0043.jpg", contents=base64.b64encode(picture(32)).decode()
    )
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 8)
    added = far.app.named("IMG_E0042.jpg")["localIdentifier"]
    assert [r["filename"] for r in far.app.call("GetResources", asset=added)["resources"]] == ["IMG_E0042.jpg"]
    kept = {
        str(p.relative_to(far.remote.photos / "PhotoBroker"))
        for p in (far.remote.photos / "PhotoBroker").rglob("*.jpg")
    }
    assert {"IMG_0042.jpg", "IMG_0043.jpg"} < kept and len(kept) == 3, kept
    assert far.read(added) == picture(31)


def test_R142_a_creation_request_leaves_no_folder_on_a_remote(far):
    far.limit(0, 1)
    steps = [
        {"kind": "createAsset", "filename": f"new-{n}.jpg", "contents": base64.b64encode(picture(40 + n)).decode()}
        for n in (0, 1)
    ]
    far.app.call("PerformChanges", changes=steps)
    added = far.remote.photos / "PhotoBroker"
    far.owner.wait_for_library(far.library, 7)
    [folder] = added.iterdir()
    assert len(folder.name) == 16 and sorted(p.name for p in folder.iterdir()) == ["new-0.jpg", "new-1.jpg"]
    far.app.request()
    for number, left in ((0, [folder]), (1, [])):
        victim = far.app.named(f"new-{number}.jpg")["localIdentifier"]
        far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
        wait_for(lambda: not (folder / f"new-{number}.jpg").exists(), "the file to be moved into the trash")
        wait_for(lambda: [*added.iterdir()] == left, f"what is left to be {left}")
    kept = [p.read_bytes() for p in far.remote.photos.glob(f".photobroker-trash/*/PhotoBroker/{folder.name}/*.jpg")]
    assert sorted(kept) == sorted(picture(40 + n) for n in (0, 1)), "it can be brought back"


def test_R142_a_file_replacing_a_photo_deleted_offline_is_not_trashed(far):
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    victims = [far.app.named(f"picture-{n}.jpg")["localIdentifier"] for n in (1, 2)]
    far.remote.stop()
    far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": victims}])
    far.remote.put("2024/picture-1.jpg", picture(21), day(21).timestamp())
    far.remote.start()
    far.owner.call("RescanLibrary", name=far.library)
    wait_for(
        lambda: not (far.remote.photos / "2024/picture-2.jpg").exists(),
        "the one that is as it was to be moved into the trash",
        150,
    )
    far.owner.wait_for_library(far.library, 4)
    assert (far.remote.photos / "2024/picture-1.jpg").read_bytes() == picture(21)
    assert not list(far.remote.photos.glob(".photobroker-trash/*/2024/picture-1.jpg"))


def test_R39_a_sidecar_alone_on_a_remote_stays_its_moved_photos(far):
    def others(name):
        far.owner.rescan(far.library)
        asset = next(a for a in far.owner.assets(far.library) if a["filename"] == name)
        return [other["filename"] for other in asset.get("others") or []]

    far.remote.put("2024/picture-1.xmp", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")
    assert others("picture-1.jpg") == ["picture-1.xmp"]
    (far.remote.photos / "2025").mkdir(mode=0o755)
    os.rename(far.remote.photos / "2024/picture-1.jpg", far.remote.photos / "2025/moved.jpg")
    for _ in range(2):
        assert others("moved.jpg") == ["picture-1.xmp"]
    (far.remote.photos / "2024/picture-1.xmp").unlink()
    assert others("moved.jpg") == []


def test_R142_an_interrupted_move_to_the_trash_resumes(far):
    """A photo's sidecar is in the trash already, the photo is not."""
    begun = 0xCBF29CE484222325
    for byte in b"2024/picture-1.jpg":
        begun = (begun ^ byte) * 0x100000001B3 % 2**64
    entry = f".photobroker-trash/{begun:016x}-{1:016x}"
    far.remote.put(f"{entry}/2024/picture-1.xmp", b"a sidecar")
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    victim = far.app.named("picture-1.jpg")["localIdentifier"]
    far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
    wait_for(lambda: not (far.remote.photos / "2024/picture-1.jpg").exists(), "the photo to be moved into the trash")
    assert {p.name for p in (far.remote.photos / entry / "2024").iterdir()} == {"picture-1.jpg", "picture-1.xmp"}
    trashed = [a["identifier"] for a in far.owner.call("FetchTrashedAssets", library=far.library)["assets"]]
    far.owner.call("RestoreAssets", library=far.library, identifiers=trashed)
    wait_for(lambda: (far.remote.photos / "2024/picture-1.jpg").exists(), "the photo to come back")
    assert (far.remote.photos / "2024/picture-1.xmp").read_bytes() == b"a sidecar"


def test_R142_an_earlier_trashed_file_of_the_same_path_stays_and_the_right_one_returns(far):
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    for number in (1, 21):
        if number != 1:
            far.remote.put("2024/picture-1.jpg", picture(number))
            far.owner.call("RescanLibrary", name=far.library)
            wait_for(lambda: "picture-1.jpg" in far.app.names(), "the new photo of that name")
        victim = far.app.named("picture-1.jpg")["localIdentifier"]
        far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
        wait_for(lambda: not (far.remote.photos / "2024/picture-1.jpg").exists(), "the file to be moved into the trash")
    kept = {p.read_bytes() for p in far.remote.photos.glob(".photobroker-trash/*/2024/picture-1.jpg")}
    assert kept == {picture(1), picture(21)}, "neither took the other's place"
    trashed = [a["identifier"] for a in far.owner.call("FetchTrashedAssets", library=far.library)["assets"]]
    place = far.remote.photos / "2024/picture-1.jpg"
    # The first trashed photo returns first, and the other one finds its name in use.
    assert far.owner.call("RestoreAssets", library=far.library, identifiers=trashed[1:]) == {"restored": 1}
    assert place.read_bytes() == picture(1)
    message = far.owner.refusal("RestoreAssets", library=far.library, identifiers=trashed[:1]).parameters["message"]
    assert "Move or rename it" in message
    far.owner.rescan(far.library)
    refused = far.owner.refusal("RestoreAssets", library=far.library, identifiers=trashed[:1])
    assert refused.parameters["reason"]["code"] == "placeTaken"
    assert refused.parameters["reason"]["values"] == {"path": "2024/picture-1.jpg"}
    assert place.read_bytes() == picture(1)
    place.unlink()
    assert far.owner.call("RestoreAssets", library=far.library, identifiers=trashed[:1]) == {"restored": 1}
    assert place.read_bytes() == picture(21)
