"""Files that are in the folder and not in the library: the owner is told which, and why."""
import pytest

from house.pictures import day, jpeg
from house.person import wait_for

CUTTABLE = [
    "burst/IMG_3606.JPG", "png/chelsea.png", "heic/test.heic", "avif/paris_icc_exif_xmp.avif", "webp/denali.webp", "gif/CLP00002.GIF",
    "tiff/001.tif", "tiff/xmp.tiff", "raw/test.dng", "raw/CRW_0305.CRW", "live/IMG_7943_HEVC.MOV", "video/video_rotate.mp4", "video/hello.3gp",
    "video/hello.avi", "video/video_mkv.mkv", "video/small.webm"]


def test_what_cannot_be_used_is_named_and_left_out(make_scene):
    scene = make_scene(1)
    whole = jpeg(day(5), note=b"whole")
    scene.album.put("cut.jpg", whole[:-12])
    scene.album.put("mislabelled.png", whole)
    scene.album.put("words.jpg", b"no picture at all")
    scene.album.put("closed.jpg", whole).chmod(0)

    def told():
        library = scene.owner.library(scene.library)
        return library if library["skipped"] == 4 else None

    library = wait_for(told, "four skipped files")
    reasons = {file["path"]: file["reason"] for file in library["skippedFiles"]}
    assert set(reasons) == {"cut.jpg", "mislabelled.png", "words.jpg", "closed.jpg"}
    assert "end of the file" in reasons["cut.jpg"] and "another format" in reasons["mislabelled.png"]
    assert scene.owner.names(scene.library) == ["picture-000.jpg"]

    # Made whole, a file is taken up, and no longer named.
    scene.album.put("cut.jpg", whole)
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 3, "the file that is whole now")
    assert "cut.jpg" in scene.owner.names(scene.library)


def test_real_files_of_every_format_that_are_cut_off_are_named_and_left_out(make_scene, photographs):
    scene = make_scene(1)
    if photographs is None or not scene.house.has_media:
        pytest.skip("it takes the real photographs and the media worker")
    cut = set()
    for name in CUTTABLE:
        whole = (photographs / name).read_bytes()
        for percent in (30, 60, 90, 99):
            # Names of one stem would be one asset.
            path = f"{percent}/{name.replace('.', '/')}.{name.rsplit('.')[-1]}"
            cut.add(path)
            scene.album.put(path, whole[:len(whole) * percent // 100])

    def told():
        library = scene.owner.library(scene.library)
        return library if library["skipped"] >= len(cut) else None

    library = wait_for(told, "the cut files to be reported", 60)
    assert {file["path"] for file in library["skippedFiles"]} == cut
    assert scene.owner.names(scene.library) == ["picture-000.jpg"]


def test_a_deleted_file_is_gone_though_a_mislabelled_copy_is_left(make_scene):
    scene = make_scene(2)
    original = scene.album.folder / "picture-001.jpg"
    scene.album.put("copy.png", original.read_bytes())
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 1, "the mislabelled copy")
    original.unlink()
    wait_for(lambda: scene.owner.names(scene.library) == ["picture-000.jpg"], "the deleted file to be gone", 10)


def test_R142_a_photo_that_is_damaged_in_its_place_stays_and_gives_no_bytes_until_it_is_whole(make_scene):
    scene = make_scene(2)
    scene.allow()
    app, name = scene.app, "picture-001.jpg"
    asset = app.named(name)["localIdentifier"]
    whole, app_has = (scene.album.folder / name).read_bytes(), app.digest(asset)
    for damaged in (b"no picture at all", whole[: len(whole) // 2]):
        scene.album.put(name, damaged)
        wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 1, "the damaged file to be named")
        assert [file["path"] for file in scene.owner.library(scene.library)["skippedFiles"]] == [name]
        assert app.named(name)["localIdentifier"] == asset, "it may be in the middle of being saved"
        for refusal in (app.refusal("OpenResource", asset=asset, role="original"),
                        app.refusal("ReadBytes", asset=asset, role="original", offset=0, length=10),
                        app.refusal("GetThumbnail", asset=asset, maxPixels=64)):
            assert refusal.parameters["code"] == 3302 and "made whole" in refusal.parameters["message"], refusal
        scene.album.put(name, whole)
        wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 0, "the file that is whole again")
        assert wait_for(lambda: app.digest_now(asset), "its bytes") == app_has
