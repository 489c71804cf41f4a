"""Inputs from public bug reports, beside the checkout, with the right values in their README; each test names its case."""
import json
import os
import subprocess

import pytest

from house.broker import BROKER
from house.person import wait_for
from house.pictures import ROOT, day, jpeg
from house.remotes import WebDAV
from test_rclone import Far, networked, started  # noqa: F401

CASES = ROOT.parent / "shared/cases"


@pytest.fixture(scope="module")
def cases():
    if not CASES.is_dir():
        assert not os.environ.get("CI"), f"no cases at {CASES}; CI must have them"
        pytest.skip("the cases are not beside this checkout")
    return CASES


@pytest.fixture
def scene(make_scene):
    scene = make_scene(1)
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    # The broker's group may move files into the trash.
    scene.album.folder.chmod(0o770)
    return scene


def put(scene, *files):
    """Copies of files into the library; a pair of a path and a name gets that name."""
    for file in files:
        path, name = file if isinstance(file, tuple) else (file, file.name)
        scene.album.put(name, path.read_bytes())


def see(scene, *names, library=None):
    """Waits until the library has these photos, and gives what the app gets of each, as roles and names."""
    def found():
        return scene.app.names() if sorted(scene.app.names()) == sorted(names) else None
    wait_for(found, f"the library to have {names}")
    return {asset["filename"]: files(scene.app, asset["localIdentifier"]) for asset in scene.app.fetch()}


def files(app, asset):
    return {r["role"]: r["filename"] for r in app.call("GetResources", asset=asset)["resources"]}


def test_case_21_gps_unsigned_rational(scene, cases):
    path = cases / "21_gps_unsigned_rational/gps-rational.heic"
    scene.allow()
    put(scene, path)
    see(scene, path.name, *scene.pictures)
    said = json.loads(subprocess.run(
        ["exiftool", "-n", "-j", "-GPSLatitude", "-GPSLongitude", path], capture_output=True, text=True, check=True).stdout)[0]
    told = scene.app.named(path.name)
    assert told["latitude"] == pytest.approx(said["GPSLatitude"], abs=1e-7)
    assert told["longitude"] == pytest.approx(said["GPSLongitude"], abs=1e-7)


# The bins of Synology, QNAP, Windows, GNOME and macOS, and folders of thumbnails and snapshots, as they are written and as they might be.
BINS = ["#recycle", "#Recycle", "@Recycle", "@recycle", "$RECYCLE.BIN", ".Trash-1000", ".Trashes", "@eaDir", "@EADIR", "2024/#recycle"]


def test_case_07_a_selected_photo_that_moves_into_a_bin_is_gone(make_scene):
    scene = make_scene(len(BINS))
    scene.limit(*range(len(BINS)))
    assert len(scene.app.names()) == len(BINS)
    for name, bin in zip(scene.pictures, BINS):
        folder = scene.album.folder / bin
        folder.mkdir(parents=True)
        for made in {folder, folder.parent} - {scene.album.folder}:
            os.chown(made, scene.owner.uid, BROKER)
            made.chmod(0o750)
        asset = scene.app.named(name)["localIdentifier"]
        os.rename(scene.album.folder / name, folder / name)
        wait_for(lambda: name not in scene.app.names(), f"the photo in {bin} to be gone", 10)
        assert scene.app.refusal("ReadBytes", asset=asset, offset=0, length=10).reason == "identifierNotFound"
    assert scene.owner.rescan(scene.library)["assets"] == 0


def test_case_07_nothing_in_a_bin_of_a_remote_is_a_photo(networked, house):  # noqa: F811
    remote = started(WebDAV, house)
    try:
        # Of many that go at once it is believed later that they are deleted.
        far = Far(networked, remote, 4)
        far.limit(0, 1, 2)
        for number, bin in enumerate(("#recycle", "@EADIR", "2024/$Recycle.Bin")):
            remote.put(f"{bin}/thumbnail-{number}.jpg", jpeg(day(20 + number), note=bin.encode()))
            os.rename(remote.photos / f"2024/picture-{number}.jpg", remote.photos / bin / f"picture-{number}.jpg")
            remote.put(f"2024/kept-{number}.jpg", jpeg(day(30 + number), note=b"%d" % number))
        library = far.owner.rescan(far.library)
        assert sorted(far.owner.names(far.library)) == [*(f"kept-{number}.jpg" for number in range(3)), "picture-3.jpg"]
        assert library["state"] == "online"
        assert far.app.names() == []
        far.owner.call("RemoveLibrary", name=far.library)
    finally:
        remote.stop()
