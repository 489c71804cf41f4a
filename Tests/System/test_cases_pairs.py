"""Which photo a changed file is, and which files are one photo."""

import datetime
import os
import subprocess

import pytest

from house.pictures import ROOT, day, jpeg
from house.remotes import RemoteScene, WebDAV, shared_server

CASES = ROOT.parent / "shared/cases"


@pytest.fixture
def scene(make_scene):
    scene = make_scene(2)
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    return scene


def picture(date, pixels, **more):
    """A photo with a picture of its own, which `pixels` tells from others."""
    return jpeg(date, detail=300, note=pixels.encode(), **more)


def overwrite(path, data):
    with open(path, "r+b") as file:
        file.truncate(0)
        file.write(data)


def replace(path, data):
    """Save by rename, as editors do."""
    made = path.with_name(f".{path.name}.new")
    made.write_bytes(data)
    facts = path.stat()
    os.chown(made, facts.st_uid, facts.st_gid)
    made.chmod(facts.st_mode & 0o777)
    os.rename(made, path)


WAYS = pytest.mark.parametrize("save", [overwrite, replace])


def tagged(tmp_path, name, data, *arguments):
    """Return a file's bytes with other metadata."""
    path = tmp_path / name
    path.write_bytes(data)
    subprocess.run(["exiftool", "-q", "-m", "-overwrite_original", *arguments, path], check=True)
    return path.read_bytes()


def shown(scene, name):
    """Scan, and return the owner's asset at this path."""
    scene.owner.rescan(scene.library)
    [asset] = [a for a in scene.owner.assets(scene.library) if a["path"] == name]
    return asset


CANON, NIKON = (["-Make=Canon", "-Model=EOS R5"], ["-Make=NIKON CORPORATION", "-Model=D850"])


@WAYS
@pytest.mark.parametrize(
    "dates, cameras",
    [
        ((day(9), day(10)), None),
        ((day(9), day(9) + datetime.timedelta(seconds=1)), None),
        ((day(9), day(9)), (CANON, NIKON)),
        ((day(9), None), None),
        ((None, None), None),
        ((day(9).replace(hour=0), day(9).replace(hour=0)), None),
    ],
    ids=["later", "a second later", "another camera", "undated", "both undated", "only days"],
)
def test_R39_R95_another_photo_under_an_old_name_is_another_photo(scene, tmp_path, save, dates, cameras):
    name = "IMG_0001.jpg"
    data = [picture(date, pixels) for date, pixels in zip(dates, ("one", "another one"))]
    if cameras:
        data = [tagged(tmp_path, name, one, *tags) for one, tags in zip(data, cameras)]
    scene.album.put(name, data[0])
    scene.owner.wait_for_library(scene.library, 3)
    scene.limit(name, 0)
    scene.mark(name, favorite=True)
    asset, known = scene.app.named(name)["localIdentifier"], scene.owner.identifier(scene.library, name)
    save(scene.album.folder / name, data[1])
    found = shown(scene, name)
    assert found["identifier"] != known and not found["favorite"]
    assert scene.app.names() == [scene.pictures[0]]
    for method, more in (("ReadBytes", {"offset": 0, "length": 10}), ("GetDetails", {}), ("GetResources", {})):
        assert scene.app.refusal(method, asset=asset, **more).reason == "identifierNotFound"
    # The photo itself returns with all that it had.
    save(scene.album.folder / name, data[0])
    found = shown(scene, name)
    assert found["identifier"] == known and found["favorite"]
    assert scene.app.named(name)["localIdentifier"] == asset


@WAYS
@pytest.mark.parametrize("cameras", [None, (CANON, CANON), (CANON, [])], ids=["", "same camera", "no camera left"])
def test_R95_an_editor_keeps_the_photo_by_its_time_of_capture(scene, tmp_path, save, cameras):
    name = "IMG_0001.jpg"
    data = [picture(day(9), pixels) for pixels in ("one", "the same, edited")]
    if cameras:
        data = [tagged(tmp_path, name, one, *tags) if tags else one for one, tags in zip(data, cameras)]
    scene.album.put(name, data[0])
    scene.owner.wait_for_library(scene.library, 3)
    scene.limit(name)
    known = scene.app.named(name)
    save(scene.album.folder / name, data[1])
    assert shown(scene, name)["identifier"] == scene.owner.identifier(scene.library, name)
    [found] = scene.app.fetch()
    assert found["localIdentifier"] == known["localIdentifier"] and found["version"] != known["version"]


REAL = ["png/*.png", "heic/IMG_8565.HEIC", "webp/*.webp", "tiff/*.tif*", "avif/paris*.avif", "cameras/IMG_1909.JPG"]
FILMS = ["live/IMG_7943_HEVC.MOV", "video/video_rotate.mp4"]


@pytest.mark.parametrize("pattern", [*REAL, *FILMS, "raw/test.dng"])
def test_R95_other_metadata_with_the_same_pixels_is_the_same_photo(scene, photographs, tmp_path, pattern):
    """The date moves by years, so that only the picture's own data can tell."""
    if photographs is None:
        pytest.skip("the real photographs are not beside this checkout")
    path = min(photographs.glob(pattern))
    name, before = f"photo{path.suffix}", path.read_bytes()
    tags = (
        ["-CreateDate=1999:02:03 04:05:06", "-Keys:CreationDate=1999:02:03 04:05:06"]
        if pattern in FILMS
        else ["-DateTimeOriginal=1999:02:03 04:05:06"]
    )
    after = tagged(tmp_path, name, before, *tags, "-Make=Other", "-Description=a longer text than before")
    assert after != before
    scene.album.put(name, before)
    scene.owner.wait_for_library(scene.library, 3)
    scene.limit(name)
    known = scene.app.named(name)
    replace(scene.album.folder / name, after)
    scene.owner.rescan(scene.library)
    [found] = scene.app.fetch()
    assert found["localIdentifier"] == known["localIdentifier"]
    assert found["version"] != known["version"] and found["creationDate"] // 10**6 // 86_400 // 365 == 29


@WAYS
@pytest.mark.parametrize("mark", ["hidden", "neverShare"])
def test_R13_a_marked_photos_place_and_bytes_stay_marked(scene, save, mark):
    name, secret, other = "IMG_0001.jpg", picture(day(9), "secret"), picture(day(20), "another one")
    scene.album.put(name, secret)
    scene.owner.wait_for_library(scene.library, 3)
    scene.allow()
    scene.mark(name, **{mark: True})
    known = scene.owner.identifier(scene.library, name)
    save(scene.album.folder / name, other)
    assert shown(scene, name)["identifier"] != known and shown(scene, name)[mark]
    scene.album.put("backup/old.jpg", secret)
    found = shown(scene, "backup/old.jpg")
    assert found[mark]
    assert sorted(scene.app.names()) == scene.pictures


@WAYS
def test_R95_a_photo_overwritten_while_it_is_away_does_not_return(scene, save):
    name, path = "IMG_0001.jpg", scene.album.folder / "IMG_0001.jpg"
    scene.album.put(name, picture(day(9), "one"))
    scene.owner.wait_for_library(scene.library, 3)
    scene.limit(name)
    away = scene.album.folder.with_name(f"{scene.album.folder.name}-away")
    os.rename(path, away)
    scene.owner.wait_for_library(scene.library, 2)
    save(away, picture(day(10), "another one"))
    os.rename(away, path)
    scene.owner.wait_for_library(scene.library, 3)
    assert scene.app.names() == []


def test_R39_R95_another_photo_under_an_old_name_of_a_remote_is_another_photo(networked, house, request):
    remote = shared_server(request, house, WebDAV)
    far = RemoteScene(networked, remote, 2)
    for number, size in ((0, 0), (1, 600_000)):
        remote.put(f"2024/picture-{number}.jpg", picture(day(number), "first", padding=size), day(number).timestamp())
    far.owner.rescan(far.library)
    far.limit(0, 1)
    kept = far.app.identifiers()
    for number, size in ((0, 0), (1, 600_000)):
        data = picture(day(number), "the same, edited", padding=size)
        remote.put(f"2024/picture-{number}.jpg", data, day(50).timestamp())
    far.owner.rescan(far.library)
    assert far.app.identifiers() == kept
    for number, size in ((0, 0), (1, 600_000)):
        data = picture(day(60 + number), "another one", padding=size)
        remote.put(f"2024/picture-{number}.jpg", data, day(70).timestamp())
    assert far.owner.rescan(far.library)["assets"] == 2
    assert far.app.names() == []
    far.owner.call("RemoveLibrary", name=far.library)
