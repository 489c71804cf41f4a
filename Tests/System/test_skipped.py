"""Files that are in the folder and not in the library: the owner is told which, and why."""
from house.pictures import day, jpeg
from house.person import wait_for


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


def test_a_deleted_file_is_gone_though_a_mislabelled_copy_is_left(make_scene):
    scene = make_scene(2)
    original = scene.album.folder / "picture-001.jpg"
    scene.album.put("copy.png", original.read_bytes())
    wait_for(lambda: scene.owner.library(scene.library)["skipped"] == 1, "the mislabelled copy")
    original.unlink()
    wait_for(lambda: scene.owner.names(scene.library) == ["picture-000.jpg"], "the deleted file to be gone", 10)
