"""Folders that are hard to scan: links that lead in circles, and many or huge files. Neither delays
another library."""

import os
import threading
import zlib

import pytest
from house.broker import BROKER
from house.pictures import day, jpeg
from house.person import wait_for
from house.remotes import EVERY_REMOTE
from house.scene import Scene


def circles(folder):
    """Make links that lead in circles; return their names."""
    os.symlink("..", folder / "parent")
    os.symlink(".", folder / "self.jpg")
    os.symlink("there", folder / "here")
    os.symlink("here", folder / "there")
    chain = [f"chain-{number}" for number in range(50)]
    for name, target in zip(chain, chain[1:] + chain[:1]):
        os.symlink(target, folder / name)
    os.symlink("missing.jpg", folder / "lost.jpg")
    return ["parent", "self.jpg", "here", "there", "lost.jpg", *chain]


def test_R162_links_in_circles_are_counted_and_end_no_scan(make_scene):
    scene = make_scene(1)
    folder = scene.album.put("2024/below.jpg", jpeg(day(50), note=b"below")).parent
    names = circles(folder)
    library = wait_for(
        lambda: (now := scene.owner.rescan(scene.library))["skipped"] == len(names) and now, "the links to be counted"
    )
    told = {file["path"]: file["why"]["code"] for file in library["skippedFiles"]}
    assert told == dict.fromkeys([f"2024/{name}" for name in names], "fileLink")
    assert sorted(scene.owner.names(scene.library)) == ["below.jpg", "picture-000.jpg"]
    # Without the links nothing is left over.
    for name in names:
        (folder / name).unlink()
    assert scene.owner.rescan(scene.library)["skipped"] == 0


@EVERY_REMOTE
def test_R162_links_in_circles_on_a_remote_end_no_scan_and_double_no_photo(make_far, remote):
    remote.put("2024/below.jpg", jpeg(day(50), note=b"below"))
    circles(remote.photos / "2024")
    far = make_far(remote, 1, expected=2)
    assert sorted(far.owner.names(far.library)) == ["below.jpg", "picture-0.jpg"]
    far.owner.rescan(far.library)
    assert sorted(far.owner.names(far.library)) == ["below.jpg", "picture-0.jpg"]


def hostile(folder, uid):
    """Fill a folder; return the names of its usable photos and films."""
    photos = ["abcdefghij.jpg", "x" * 251 + ".jpg", "described.jpg"]
    for number, name in enumerate(photos):
        (folder / name).write_bytes(jpeg(day(number), note=name.encode()))
    stems = ["".join(c.upper() if n >> i & 1 else c for i, c in enumerate("abcdefghij")) for n in range(1, 1_000)]
    for stem in stems:
        (folder / f"{stem}.dng").write_bytes(b"no raw file" + os.urandom(20_000))
    with open(folder / "described.jpg.json", "wb") as file:
        file.write(b'{"title": "described.jpg", "description": "')
        for _ in range(100):
            file.write(b"x" * (1 << 20))
        file.write(b'"}')
    (folder / "cut.mov").write_bytes(b"\0\0\0\x14ftypqt  \0\0\0\0qt  \0\xff\xff\xffmoov" + bytes(5000))
    for path in folder.iterdir():
        os.chown(path, uid, BROKER)
        path.chmod(0o640)
    return [*photos, "cut.mov"]


def test_R129_a_hostile_folder_delays_no_answer_of_another_library(own_broker):
    well, ill = (Scene(own_broker, 4) for _ in range(2))
    if not own_broker.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    well.limit(0, 1, 2)
    before = well.app.fetch()
    hidden = ill.album.folder / ".hostile"
    hidden.mkdir()
    names = hostile(hidden, ill.owner.uid)
    for path in (hidden, ill.album.folder):
        os.chown(path, ill.owner.uid, BROKER)
    hidden.chmod(0o750)
    over, growing = threading.Event(), hidden / "growing.jpg"
    growing.write_bytes(jpeg(day(70), note=b"growing")[:-2])
    os.chown(growing, ill.owner.uid, BROKER)
    growing.chmod(0o640)

    def grow(file):
        while not over.wait(0.005):
            file.write(zlib.compress(os.urandom(2_000)))

    writer = open(growing, "ab", buffering=0)
    grower = threading.Thread(target=grow, args=[writer])
    grower.start()
    try:
        hidden.rename(ill.album.folder / "hostile")

        def is_scanning():
            library = ill.owner.library(ill.library)
            return library["indexed"] < library["toIndex"]

        wait_for(is_scanning, "the scan")
        answers = 0
        while True:
            assert well.app.fetch() == before
            if not is_scanning():
                break
            answers += 1
        assert answers >= 3, answers
    finally:
        over.set()
        grower.join()
        writer.write(b"\xff\xd9")
        writer.close()

    def found():
        return set(ill.owner.names(ill.library)) == {*ill.pictures, *names, "growing.jpg"}

    wait_for(found, "all photos", 120)
    library = ill.owner.rescan(ill.library)
    assert library["skipped"] == 1_000, "each raw file, and the sidecar"
    assert well.app.fetch() == before
