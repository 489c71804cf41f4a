"""Files in the folder that are not in the library: the owner is told which, and why."""

import os
import signal
import time

import pytest

from house.broker import BROKER
from house.pictures import day, jpeg
from house.person import Refused, children, media_workers, name_of, wait_for

CUTTABLE = [
    "burst/IMG_3606.JPG",
    "png/chelsea.png",
    "heic/test.heic",
    "avif/paris_icc_exif_xmp.avif",
    "webp/denali.webp",
    "gif/CLP00002.GIF",
    "tiff/001.tif",
    "tiff/xmp.tiff",
    "raw/test.dng",
    "raw/CRW_0305.CRW",
    "live/IMG_7943_HEVC.MOV",
    "video/video_rotate.mp4",
    "video/hello.3gp",
    "video/hello.avi",
    "video/video_mkv.mkv",
    "video/small.webm",
]


def test_unusable_files_are_named_and_skipped(make_scene):
    scene = make_scene(1)
    whole = jpeg(day(5), note=b"whole")
    scene.album.put("words.jpg", b"no picture at all")
    scene.album.put("closed.jpg", whole).chmod(0)

    def told():
        library = scene.owner.library(scene.library)
        return library if library["skipped"] == 2 else None

    library = wait_for(told, "two skipped files")
    reasons = {file["path"]: file["reason"] for file in library["skippedFiles"]}
    assert set(reasons) == {"words.jpg", "closed.jpg"} and "neither a photo nor a video" in reasons["words.jpg"]
    codes = {file["path"]: file["why"]["code"] for file in library["skippedFiles"]}
    assert codes == {"words.jpg": "fileNoMedia", "closed.jpg": "fileForbidden"}
    assert scene.owner.names(scene.library) == ["picture-000.jpg"]

    # A file replaced by a photo is accepted and no longer reported.
    scene.album.put("words.jpg", whole)
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 1, "the file that is a photo now")
    assert "words.jpg" in scene.owner.names(scene.library)


def test_an_unreadable_sidecar_is_named_while_present(own_scene):
    scene = own_scene
    if not scene.house.has_media:
        pytest.skip("there is no media worker")
    sidecar = f"{scene.pictures[0]}.xmp"

    def told():
        return {file["path"]: file["why"]["code"] for file in scene.owner.library(scene.library)["skippedFiles"]}

    scene.album.put(sidecar, b"<x:xmpmeta")
    wait_for(lambda: told() == {sidecar: "sidecarUnreadable"}, "the sidecar to be named")
    assert sorted(scene.owner.names(scene.library)) == scene.pictures
    scene.album.put("later.jpg", jpeg(day(5), note=b"later"))
    scene.owner.wait_for_library(scene.library, 7)
    assert told() == {sidecar: "sidecarUnreadable"}, "after a look at something else"
    scene.owner.rescan(scene.library)
    assert told() == {sidecar: "sidecarUnreadable"}, "after a look at everything"
    for _ in range(2):
        scene.broker.restart()
        scene.owner.wait_for_library(scene.library, 7)
        assert told() == {sidecar: "sidecarUnreadable"}, "after a restart"
    scene.album.put(
        sidecar,
        b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"/>'
        b"</x:xmpmeta>",
    )
    wait_for(lambda: told() == {}, "a sidecar that can be read")


def test_R162_truncated_real_files_of_every_format_are_marked_incomplete(make_scene, photographs):
    scene = make_scene(1)
    if photographs is None or not scene.house.has_media:
        pytest.skip("it takes the real photographs and the media worker")
    cut = set()
    for name in CUTTABLE:
        whole = (photographs / name).read_bytes()
        for percent in (30, 60, 90, 99):
            # Names of one stem would form one asset.
            path = f"{percent}/{name.replace('.', '/')}.{name.rsplit('.')[-1]}"
            cut.add(path)
            scene.album.put(path, whole[: len(whole) * percent // 100])
    scene.owner.wait_for_library(scene.library, len(cut) + 1, seconds=60)
    told = {asset["path"]: asset["incomplete"] for asset in scene.owner.assets(scene.library)}
    assert told == {"picture-000.jpg": False} | dict.fromkeys(cut, True)
    assert scene.owner.library(scene.library)["skipped"] == 0


def put_empty(scene, name, size):
    path = scene.album.folder / f".{name}"
    path.touch()
    os.truncate(path, size)
    os.chown(path, scene.owner.uid, BROKER)
    path.chmod(0o640)
    os.rename(path, scene.album.folder / name)


def test_an_oversized_file_is_skipped_by_name_and_cannot_be_added(make_scene):
    scene = make_scene(1)
    scene.let_broker_add()
    scene.allow(level="addOnly")
    most = scene.app.call("GetLimits")["limits"]["resourceBytes"]
    put_empty(scene, "large.mov", most + 1)
    library = wait_for(
        lambda: (now := scene.owner.library(scene.library))["skipped"] and now, "the file to be left out"
    )
    words = f"it is larger than {most >> 20} MiB, the limit"
    why = {"code": "fileTooLarge", "values": {"limit": str(most >> 20)}, "text": words}
    assert library["skippedFiles"] == [{"path": "large.mov", "reason": words, "why": why}]
    # An app cannot add a file too large to be read again.
    sent = scene.house.folder / f"large-{scene.app.uid}.mov"
    sent.touch(mode=0o644)
    most = scene.app.call("GetLimits")["limits"]["addedAssetBytes"]
    os.truncate(sent, most + 1)
    with pytest.raises(Refused) as refused:
        scene.app.order(
            do="call_with_file",
            method="io.photobroker.Library.AddAsset",
            parameters={"filename": "large.mov", "descriptor": 0},
            path=str(sent),
        )
    assert refused.value.reason == "limitExceeded" and str(most) in refused.value.parameters["message"]


def test_a_rescan_retries_a_photo_that_timed_out(own_scene):
    """A busy or sleeping machine is no fault of the photo."""
    scene = own_scene
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    workers = media_workers(scene.broker)
    assert workers
    for pid in workers:
        os.kill(pid, signal.SIGSTOP)
    scene.album.put("sound.jpg", jpeg(day(9), note=b"sound"))
    library = wait_for(
        lambda: (now := scene.owner.library(scene.library))["skipped"] and now, "the deadline to pass", 60
    )
    [left] = library["skippedFiles"]
    assert left["path"] == "sound.jpg" and "timeout" in left["reason"] and "served" not in left["reason"]
    scene.owner.rescan(scene.library)
    scene.owner.wait_for_library(scene.library, len(scene.pictures) + 1)
    assert "sound.jpg" in scene.owner.names(scene.library) and scene.owner.library(scene.library)["skipped"] == 0


def test_R142_a_photo_damaged_in_place_stays_and_gives_no_bytes_until_repaired(make_scene):
    scene = make_scene(2)
    scene.allow()
    app, name = scene.app, "picture-001.jpg"
    asset = app.named(name)["localIdentifier"]
    whole, app_has = (scene.album.folder / name).read_bytes(), app.digest(asset)
    for damaged in (b"no picture at all", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"):
        scene.album.put(name, damaged)
        wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 1, "the damaged file to be named")
        assert [file["path"] for file in scene.owner.library(scene.library)["skippedFiles"]] == [name]
        assert app.named(name)["localIdentifier"] == asset, "it may be in the middle of being saved"
        for refusal in (
            app.refusal("OpenResource", asset=asset, role="original"),
            app.refusal("ReadBytes", asset=asset, role="original", offset=0, length=10),
            app.refusal("GetThumbnail", asset=asset, maxPixels=64),
        ):
            assert refusal.parameters["code"] == 3302 and "repaired" in refusal.parameters["message"], refusal
        scene.album.put(name, whole)
        wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 0, "the file that is whole again")
        assert wait_for(lambda: app.digest_now(asset), "its bytes") == app_has


def test_R126_a_former_co_owner_gets_no_picture_in_preparation(own_scene):
    scene = own_scene
    if not scene.house.has_media:
        pytest.skip("there is no media worker")
    partner = scene.broker.owner()
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[partner.uid])
    scene.broker.accept(partner.uid, scene.library)
    asset = scene.owner.identifier(scene.library, scene.name(0))
    assert partner.call("GetOwnedThumbnail", library=scene.library, asset=asset, maxPixels=64)["data"]
    workers = media_workers(scene.broker)
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    partner.begin("GetOwnedThumbnail", library=scene.library, asset=asset, maxPixels=2000)
    time.sleep(0.3)
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[])
    assert not partner.has_answered()
    for worker in workers:
        os.kill(worker, signal.SIGCONT)
    with pytest.raises(Refused) as refused:
        partner.hear()
    assert (refused.value.error, refused.value.parameters["what"]) == ("NotFound", "library")


def test_R129_a_photo_delayed_by_a_halted_worker_is_indexed_later(own_scene):
    """A timeout says nothing about the photo."""
    scene = own_scene
    if not scene.house.has_media:
        pytest.skip("there is no media worker")
    workers = wait_for(
        lambda: [p for p in children(scene.broker.process.pid) if "photobroker-media" in name_of(p)], "the media worker"
    )
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    scene.album.put("late.jpg", jpeg(day(40), note=b"late"))

    def told():
        return [file["path"] for file in scene.owner.library(scene.library)["skippedFiles"]] == ["late.jpg"]

    wait_for(told, "the worker to be given up", 60)
    scene.owner.wait_for_library(scene.library, 7, seconds=60)
    # The list is replaced at the end of the look that indexed the photo.
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 0, "the photo to leave the list")
