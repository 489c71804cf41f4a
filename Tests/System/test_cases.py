"""Inputs from public bug reports, with the right values in their README; each test names its
case."""

import datetime
import json
import os
import re
import subprocess

import pytest
from house.broker import BROKER
from house.exiftool import exiftool
from house.person import wait_for
from house.pictures import ROOT, day, jpeg, microseconds, png
from house.remotes import RemoteScene, WebDAV, start_server


@pytest.fixture
def scene(make_scene):
    scene = make_scene(1)
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    # The broker's group may move files into the trash.
    scene.album.folder.chmod(0o770)
    return scene


def put(scene, *files):
    for file in files:
        path, name = file if isinstance(file, tuple) else (file, file.name)
        scene.album.put(name, path.read_bytes())


def see(scene, *names, library=None):
    """Wait for these photos, and return the roles and names of the resources that the app gets."""

    def found():
        return scene.app.names() if sorted(scene.app.names()) == sorted(names) else None

    wait_for(found, f"the library to have {names}")
    return {asset["filename"]: files(scene.app, asset["localIdentifier"]) for asset in scene.app.fetch()}


def files(app, asset):
    return {r["role"]: r["filename"] for r in app.call("GetResources", asset=asset)["resources"]}


def trash(scene):
    return {
        a["filename"]: a["identifier"] for a in scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]
    }


def restore(scene, name):
    assert scene.owner.call("RestoreAssets", library=scene.library, identifiers=[trash(scene)[name]]) == {"restored": 1}


def names_in(folder):
    return sorted(path.name for path in folder.iterdir() if path.is_file())


def trashed_files(folder):
    """Return the files in each entry of the trash."""
    return sorted(
        sorted(p.name for p in entry.rglob("*") if p.is_file() and p.name != ".origin")
        for entry in (folder / ".photobroker-trash").iterdir()
        if any(entry.rglob("*.*"))
    )


def test_case_21_an_unsigned_rational_gps_position_is_read(scene, cases):
    path = cases / "21_gps_unsigned_rational/gps-rational.heic"
    scene.allow()
    put(scene, path)
    see(scene, path.name, *scene.pictures)
    said = json.loads(exiftool("-n", "-j", "-GPSLatitude", "-GPSLongitude", path))[0]
    told = scene.app.named(path.name)
    assert told["latitude"] == pytest.approx(said["GPSLatitude"], abs=1e-7)
    assert told["longitude"] == pytest.approx(said["GPSLongitude"], abs=1e-7)


# Trash folders of Synology, QNAP, Windows, GNOME and macOS, and folders of thumbnails and
# snapshots, in their usual spellings and in others.
BINS = [
    "#recycle",
    "#Recycle",
    "@Recycle",
    "@recycle",
    "$RECYCLE.BIN",
    ".Trash-1000",
    ".Trashes",
    "@eaDir",
    "@EADIR",
    "2024/#recycle",
]


def test_case_07_a_selected_photo_moved_into_a_recycle_bin_is_gone(make_scene):
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
        wait_for(lambda: name not in scene.app.names(), f"the photo in {bin} to be gone")
        assert scene.app.refusal("ReadBytes", asset=asset, offset=0, length=10).reason == "identifierNotFound"
    assert scene.owner.rescan(scene.library)["assets"] == 0


def test_case_07_files_in_a_remotes_recycle_bin_are_no_photos(networked, house):
    remote = start_server(WebDAV, house)
    try:
        # A deletion of many files at once is believed later, so the remote has more files.
        far = RemoteScene(networked, remote, 4)
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


@pytest.fixture
def live(scene, cases):
    """The library with the files of case 06, all visible to the app."""
    scene.allow()
    put(scene, *sorted((cases / "06_live_photo_copy").iterdir()))
    scene.stills = ["IMG_1 copy.HEIC", "IMG_1.HEIC"]
    see(scene, *scene.stills, *scene.pictures)
    return scene


def test_case_05_a_live_photo_is_trashed_and_restored_as_a_whole(scene, cases):
    scene.allow()
    put(scene, *(cases / "06_live_photo_copy" / name for name in ("IMG_1.HEIC", "IMG_1.MOV")))
    before = see(scene, "IMG_1.HEIC", *scene.pictures)
    assert before["IMG_1.HEIC"] == {"original": "IMG_1.HEIC", "pairedVideo": "IMG_1.MOV"}
    scene.app.delete("IMG_1.HEIC")
    wait_for(lambda: names_in(scene.album.folder) == scene.pictures, "both files to be in the trash")
    assert trashed_files(scene.album.folder) == [["IMG_1.HEIC", "IMG_1.MOV"]]
    scene.owner.rescan(scene.library)
    see(scene, *scene.pictures)
    assert scene.owner.names(scene.library) == scene.pictures, "its video is no video of its own"
    scene.album.put("IMG_1.HEIC", jpeg(day(9), note=b"another one of that name"))
    [trashed] = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]
    refused = scene.owner.refusal("RestoreAssets", library=scene.library, identifiers=[trashed["identifier"]])
    assert refused.parameters["reason"]["code"] == "placeTaken"
    assert refused.parameters["reason"]["values"] == {"path": "IMG_1.HEIC"}
    assert "IMG_1.HEIC" in refused.parameters["message"]
    assert trashed_files(scene.album.folder) == [["IMG_1.HEIC", "IMG_1.MOV"]]
    os.rename(scene.album.folder / "IMG_1.HEIC", scene.album.folder / "IMG_2.HEIC")
    restore(scene, "IMG_1.HEIC")
    wait_for(lambda: "IMG_1.HEIC" in scene.app.names(), "the Live Photo to be back")
    assert files(scene.app, scene.app.named("IMG_1.HEIC")["localIdentifier"]) == before["IMG_1.HEIC"]


def test_case_05_a_live_photo_on_a_remote_is_trashed_and_restored_as_a_whole(networked, house, cases):
    remote = start_server(WebDAV, house)
    try:
        for name in ("IMG_1.HEIC", "IMG_1.MOV"):
            remote.put(name, (cases / "06_live_photo_copy" / name).read_bytes())
        far = RemoteScene(networked, remote, 0, expected=1)
        far.owner.set(far.library, far.app.name, "authorized")
        far.app.request()
        whole = {"original": "IMG_1.HEIC", "pairedVideo": "IMG_1.MOV"}
        asset = far.app.named("IMG_1.HEIC")["localIdentifier"]
        assert files(far.app, asset) == whole
        far.app.delete("IMG_1.HEIC")
        wait_for(lambda: not names_in(remote.photos), "both files to be in the trash", 60)
        assert trashed_files(remote.photos) == [["IMG_1.HEIC", "IMG_1.MOV"]]
        assert far.owner.rescan(far.library)["assets"] == 0
        restore(far, "IMG_1.HEIC")
        assert names_in(remote.photos) == ["IMG_1.HEIC", "IMG_1.MOV"]
        far.owner.rescan(far.library)
        assert far.app.names() == ["IMG_1.HEIC"] and files(far.app, asset) == whole
        far.owner.call("RemoveLibrary", name=far.library)
    finally:
        remote.stop()


def test_case_06_a_video_belongs_to_the_photo_of_the_same_name(live):
    told = see(live, *live.stills, *live.pictures)
    assert told["IMG_1.HEIC"] == {"original": "IMG_1.HEIC", "pairedVideo": "IMG_1.MOV"}
    assert told["IMG_1 copy.HEIC"] == {"original": "IMG_1 copy.HEIC"}
    live.app.delete("IMG_1 copy.HEIC")
    wait_for(lambda: names_in(live.album.folder) == ["IMG_1.HEIC", "IMG_1.MOV", *live.pictures], "the copy alone to go")
    live.owner.rescan(live.library)
    assert see(live, "IMG_1.HEIC", *live.pictures)["IMG_1.HEIC"] == told["IMG_1.HEIC"]
    restore(live, "IMG_1 copy.HEIC")
    assert see(live, *live.stills, *live.pictures) == told
    live.app.delete("IMG_1.HEIC")
    wait_for(lambda: names_in(live.album.folder) == ["IMG_1 copy.HEIC", *live.pictures], "the pair to go")
    live.owner.rescan(live.library)
    assert see(live, "IMG_1 copy.HEIC", *live.pictures)["IMG_1 copy.HEIC"] == told["IMG_1 copy.HEIC"]
    restore(live, "IMG_1.HEIC")
    assert see(live, *live.stills, *live.pictures) == told


def test_case_06_pairs_do_not_cross_folders(scene, cases):
    case = cases / "06_live_photo_copy"
    put(
        scene, *((case / name, f"{folder}/{name}") for folder in ("one", "two") for name in ("IMG_1.HEIC", "IMG_1.MOV"))
    )
    put(scene, (case / "IMG_1.HEIC", "three/IMG_1.HEIC"))
    for _ in range(2):
        scene.owner.wait_for_library(scene.library, 4)
        scene.owner.rescan(scene.library)
    scene.limit()
    for folder, roles in (
        ("one", {"original", "pairedVideo"}),
        ("two", {"original", "pairedVideo"}),
        ("three", {"original"}),
    ):
        scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, add={"glob": f"{folder}/*"})
        [asset] = scene.app.fetch()
        assert set(files(scene.app, asset["localIdentifier"])) == roles, folder
        scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, remove={"glob": f"{folder}/*"})


def test_case_04_a_raw_of_another_exposure_is_a_photo_of_its_own(scene, cases, photographs):
    if photographs is None:
        pytest.skip("the real photographs are not beside this checkout")
    put(scene, cases / "04_raw_of_another_photo/IMG_8234.jpg", (photographs / "raw/test.dng", "IMG_8234.dng"))
    # A sidecar of that stem belongs to the raw file.
    scene.album.put("IMG_8234.xmp", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")
    scene.owner.wait_for_library(scene.library, 3)
    scene.limit("IMG_8234.jpg")
    [asset] = scene.app.fetch()
    assert files(scene.app, asset["localIdentifier"]) == {"original": "IMG_8234.jpg"}
    assert scene.app.refusal("OpenResource", asset=asset["localIdentifier"], role="raw").reason == "missingResource"
    assert (
        scene.app.refusal("ReadBytes", asset=asset["localIdentifier"], role="raw", offset=0, length=10).reason
        == "missingResource"
    )
    scene.app.delete("IMG_8234.jpg")
    wait_for(
        lambda: names_in(scene.album.folder) == ["IMG_8234.dng", "IMG_8234.xmp", *scene.pictures],
        "the JPEG alone to go",
    )
    assert trashed_files(scene.album.folder) == [["IMG_8234.jpg"]]
    scene.owner.rescan(scene.library)
    restore(scene, "IMG_8234.jpg")
    scene.owner.wait_for_library(scene.library, 3)
    scene.owner.rescan(scene.library)
    [asset] = scene.app.fetch()
    assert files(scene.app, asset["localIdentifier"]) == {"original": "IMG_8234.jpg"}


def test_case_04_a_raw_on_a_remote_is_told_apart(networked, house, cases, photographs):
    if photographs is None:
        pytest.skip("the real photographs are not beside this checkout")
    remote = start_server(WebDAV, house)
    try:
        remote.put("IMG_8234.jpg", (cases / "04_raw_of_another_photo/IMG_8234.jpg").read_bytes())
        remote.put("IMG_8234.dng", (photographs / "raw/test.dng").read_bytes())
        far = RemoteScene(networked, remote, 0, expected=2)
        far.owner.set(far.library, far.app.name, "limited")
        far.owner.select(far.library, far.app.name, "IMG_8234.jpg")
        far.app.request()
        [asset] = far.app.fetch()
        assert files(far.app, asset["localIdentifier"]) == {"original": "IMG_8234.jpg"}
        far.app.delete("IMG_8234.jpg")
        wait_for(lambda: names_in(remote.photos) == ["IMG_8234.dng"], "the JPEG alone to go", 60)
        restore(far, "IMG_8234.jpg")
        assert names_in(remote.photos) == ["IMG_8234.dng", "IMG_8234.jpg"]
        assert far.owner.rescan(far.library)["assets"] == 2
        far.owner.call("RemoveLibrary", name=far.library)
    finally:
        remote.stop()


@pytest.mark.parametrize("first", ["dng", "jpg"])
def test_case_04_a_later_raw_or_jpeg_joins_no_other_photo(own_scene, cases, photographs, first):
    """The first file keeps its photo, and neither photo hands out the other's file."""
    if photographs is None or not own_scene.house.has_media:
        pytest.skip("it takes the real photographs and the media worker")
    scene = own_scene
    files_of = {"jpg": cases / "04_raw_of_another_photo/IMG_8234.jpg", "dng": photographs / "raw/test.dng"}
    names = [f"IMG_8234.{ending}" for ending in (first, {"dng": "jpg", "jpg": "dng"}[first])]
    put(scene, (files_of[first], names[0]))
    scene.owner.wait_for_library(scene.library, 7)
    scene.limit(names[0])
    asset = scene.app.named(names[0])["localIdentifier"]
    put(scene, *((path, f"IMG_8234.{ending}") for ending, path in files_of.items() if ending != first))
    scene.owner.wait_for_library(scene.library, 8)

    def holds():
        assert scene.app.names() == [names[0]]
        assert files(scene.app, asset) == {"original": names[0]}

    holds()
    scene.owner.rescan(scene.library)
    holds()
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 8)
    scene.owner.rescan(scene.library)
    scene.app.request()
    holds()


def test_a_raw_of_the_same_exposure_joins_its_photo_and_sidecar(scene, photographs):
    if photographs is None:
        pytest.skip("the real photographs are not beside this checkout")
    taken = datetime.datetime(2024, 7, 4, 21, 45, 43, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))
    scene.allow()
    scene.album.put("pair.jpg", jpeg(taken, note=b"pair"))
    put(scene, (photographs / "raw/test.dng", "pair.dng"))
    scene.album.put("pair.dng.xmp", b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>")
    told = see(scene, "pair.jpg", *scene.pictures)
    wait_for(lambda: len(see(scene, "pair.jpg", *scene.pictures)["pair.jpg"]) == 3, "the sidecar")
    assert see(scene, "pair.jpg", *scene.pictures)["pair.jpg"] == {
        "original": "pair.jpg",
        "raw": "pair.dng",
        "sidecar": "pair.dng.xmp",
    }, told
    scene.app.delete("pair.jpg")
    wait_for(lambda: names_in(scene.album.folder) == scene.pictures, "all of it to go")
    assert trashed_files(scene.album.folder) == [["pair.dng", "pair.dng.xmp", "pair.jpg"]]


def test_R161_an_unreadable_raw_is_a_photo_of_its_own(scene):
    scene.allow()
    scene.album.put("pair.jpg", jpeg(day(9), note=b"pair"))
    scene.album.put("pair.dng", b"II*\0" + bytes(2_000))
    told = see(scene, "pair.dng", "pair.jpg", *scene.pictures)
    assert (told["pair.jpg"], told["pair.dng"]) == ({"original": "pair.jpg"}, {"original": "pair.dng"})


# Europe/Zurich is an hour ahead of UTC in winter and two in summer.
ZONE = "Europe/Zurich"
FILE_TIME = 1_735_689_600_000_000  # 2025-01-01T00:00:00Z


def values(path, *tags):
    """Return exiftool's values of these tags, in their order."""
    said = exiftool("-n", "-j", "-ee", "-api", "largefilesupport", *(f"-{tag}" for tag in tags), path)
    return [json.loads(said)[0][tag] for tag in tags]


def at(text, zone=0):
    """Return a date of exiftool's or ISO's as microseconds; `zone` holds for one without an offset."""
    date = datetime.datetime.fromisoformat(text[:10].replace(":", "-") + text[10:].replace("Z", "+00:00"))
    if date.tzinfo is None:
        date = date.replace(tzinfo=datetime.timezone(datetime.timedelta(hours=zone)))
    return microseconds(date)


@pytest.fixture
def zurich(scene):
    """The library in the cases' time zone; files get the cases' time."""
    scene.owner.call("SetUpLibrary", name=scene.library, timeZone=ZONE)
    scene.allow()
    return scene


def tell(scene, files, *names):
    """Add files by name, and return the asset of each of `names`, or of each file."""
    for name, path in files.items():
        scene.album.put(name, path.read_bytes(), FILE_TIME / 1e6)
    scene.owner.wait_for_library(scene.library, len(scene.pictures) + len(names or files))
    scene.owner.rescan(scene.library)
    return [scene.app.named(name) for name in names or files]


def dated(scene, files, *names):
    return [(asset["creationDate"], asset["creationDateOrigin"]) for asset in tell(scene, files, *names)]


def caption(scene, asset):
    return scene.app.call("GetDetails", asset=asset["localIdentifier"]).get("caption")


def tagged(path, *arguments):
    """Write metadata into a copy of a file beside it by exiftool."""
    exiftool("-q", "-m", "-overwrite_original", *arguments, path)
    return path


def test_case_08_the_side_of_an_xmp_position_may_stand_in_a_property_of_its_own(zurich, cases):
    case = cases / "08_xmp_gps_ref"
    [asset] = tell(zurich, {path.name: path for path in case.iterdir()}, "niagara.jpg")
    latitude, longitude = values(case / "niagara.xmp", "GPSLatitude", "GPSLongitude")
    sides = [ref.group(1) for ref in re.finditer(r"Ref>(\w)<", (case / "niagara.xmp").read_text())]
    assert sides == ["W", "N"]
    assert asset["latitude"] == pytest.approx(latitude, abs=1e-7)
    assert asset["longitude"] == pytest.approx(-abs(longitude), abs=1e-7)
    assert (asset["creationDate"], asset["creationDateOrigin"]) == (at("2019-06-01T12:00:00-04:00"), "offset")


def test_case_09_a_year_or_month_is_its_first_instant_and_says_so(zurich, cases):
    names = ["scan-year.jpg", "scan-month.jpg", "scan-emb-month.jpg"]
    found = dated(zurich, {path.name: path for path in (cases / "09_partial_dates").iterdir()}, *names)
    month = (at("1987-05-01T00:00:00", 2), "partial")
    assert found == [(at("1987-01-01T00:00:00", 1), "partial"), month, month]
    assert values(cases / "09_partial_dates/scan-emb-month.jpg", "DateCreated") == ["1987:05"]


def test_case_10_an_iptc_date_with_its_offset_is_read(zurich, cases):
    path = cases / "10_iptc_date/iptc-only.jpg"
    [date] = values(path, "DateTimeOriginal")
    assert dated(zurich, {path.name: path}) == [(at(date), "offset")] == [(at("1993-07-04T13:30:00Z"), "offset")]


def test_case_11_a_cameras_local_clock_is_in_the_librarys_zone(zurich, cases, photographs):
    if photographs is None:
        pytest.skip("the real photographs are not beside this checkout")
    idit, film, photo = (
        cases / "11_video_local_clock/idit.avi",
        photographs / "video/P1000244.MOV",
        photographs / "video/P1000244.JPG",
    )
    found = dated(zurich, {path.name: path for path in (idit, film, photo)})
    dates = [values(idit, "DateTimeOriginal"), values(film, "CreateDate"), values(photo, "DateTimeOriginal")]
    assert found == [(at(date, zone), "libraryZone") for [date], zone in zip(dates, (1, 2, 2))]
    assert found[0][0] == at("2003-03-10T14:04:43Z") and found[1][0] == found[2][0] == at("2023-10-21T08:20:01Z")


def test_R163_a_place_gives_the_zone_of_a_date_without_an_offset(zurich, tmp_path):
    places = {"kathmandu.jpg": (27.7, 85.3), "new-york.jpg": (40.7, -74.0), "atlantic.jpg": (35, -40)}
    for name, (north, east) in places.items():
        path = tmp_path / name
        path.write_bytes(jpeg(datetime.datetime(2024, 7, 3, 12), note=name.encode()))
        tagged(path, f"-EXIF:GPSLatitude*={north}", f"-EXIF:GPSLongitude*={east}")
    expected = [(at("2024-07-03T12:00:00+05:45"), "place"), (at("2024-07-03T12:00:00-04:00"), "place")]
    found = dated(zurich, {name: tmp_path / name for name in places})
    assert found == [*expected, (at("2024-07-03T12:00:00", 2), "libraryZone")]
    zurich.owner.call("SetUpLibrary", name=zurich.library, timeZone="Asia/Tokyo")
    wait_for(lambda: zurich.app.named("atlantic.jpg")["creationDate"] == at("2024-07-03T12:00:00", 9), "Tokyo's clock")
    assert [zurich.app.named(name)["creationDateOrigin"] for name in places] == ["place", "place", "libraryZone"]
    assert zurich.app.named("kathmandu.jpg")["creationDate"] == expected[0][0]


@pytest.mark.parametrize("mark", ["Panasonic", "NIKON CORPORATION", "GoPro", "Apple"])
def test_case_11_only_films_of_known_cameras_count_in_local_time(zurich, photographs, tmp_path, mark):
    if photographs is None:
        pytest.skip("the real photographs are not beside this checkout")
    path = tmp_path / "film.mp4"
    path.write_bytes((photographs / "video/video_rotate.mp4").read_bytes())
    tagged(path, f"-UserData:Make={mark}")
    local = at("2019-02-15T20:13:20Z"), "libraryZone"
    assert dated(zurich, {"film.mp4": path}) == [(at("2019-02-15T21:13:20Z"), "offset") if mark == "Apple" else local]


def test_case_12_the_date_of_an_avchd_film_is_in_its_pictures(zurich, cases):
    path = cases / "12_avchd_date/avchd.mts"
    [date] = values(path, "DateTimeOriginal")
    assert dated(zurich, {path.name: path}) == [(at(date), "offset")] == [(at("2014-07-05T16:02:03Z"), "offset")]


def test_case_13_the_date_of_the_content_goes_before_the_containers(zurich, cases):
    path = cases / "13_content_create_date/contentcreate.mp4"
    [date] = values(path, "ContentCreateDate")
    assert dated(zurich, {path.name: path}) == [(at(date), "offset")] == [(at("2012-03-04T03:06:07Z"), "offset")]


@pytest.mark.parametrize(
    "text, words",
    [
        (None, None),
        ("SONY DSC", None),
        ("KONICA MINOLTA DIGITAL CAMERA", None),
        ("Default", None),
        ("DCIM\\100GOPRO", None),
        ("SAMSUNG", None),
        ("My new digital camera", "My new digital camera"),
    ],
)
def test_case_15_a_cameras_text_is_no_caption(zurich, cases, tmp_path, text, words):
    path = tmp_path / "olympus.jpg"
    path.write_bytes((cases / "15_camera_captions/olympus.jpg").read_bytes())
    if text:
        tagged(path, f"-ImageDescription={text}")
    [asset] = tell(zurich, {path.name: path})
    assert caption(zurich, asset) == words


def test_a_comment_of_windows_is_the_caption(zurich, cases, tmp_path):
    path = tmp_path / "olympus.jpg"
    path.write_bytes((cases / "15_camera_captions/olympus.jpg").read_bytes())
    tagged(path, "-XPComment=Grüße aus Rom")
    [asset] = tell(zurich, {path.name: path})
    assert caption(zurich, asset) == "Grüße aus Rom"


def test_a_date_in_the_future_is_doubted_and_heads_no_list(zurich, photographs, tmp_path):
    if photographs is None:
        pytest.skip("the real photographs are not beside this checkout")
    bad, named = photographs / "dates/badyear.jpg", tmp_path / "named.jpg"
    assert values(bad, "DateTimeOriginal") == ["2106:12:23 17:13:31"]
    named.write_bytes(bad.read_bytes() + b"\0")
    files = {"bad.jpg": bad, "IMG-20190102-WA0001.jpg": named}
    assert dated(zurich, files) == [(FILE_TIME, "doubted"), (at("2019-01-02T00:00:00", 1), "fileName")]
    assert zurich.app.names() == ["bad.jpg", *zurich.pictures, "IMG-20190102-WA0001.jpg"]


def test_the_date_in_a_files_name_goes_before_the_files_time(zurich):
    names = ["IMG-20190102-WA0001.png", "Screenshot_20190102-031105.png", "2011-07-19 11.36.39.png"]
    for number, name in enumerate([*names, "PXL_20190102_031105123.png"]):
        zurich.album.put(name, png(note=b"%d" % number), FILE_TIME / 1e6)
    zurich.owner.wait_for_library(zurich.library, len(zurich.pictures) + 4)
    found = [zurich.app.named(name) for name in [*names, "PXL_20190102_031105123.png"]]
    assert [(a["creationDate"], a["creationDateOrigin"]) for a in found] == [
        (at("2019-01-02T00:00:00", 1), "fileName"),
        (at("2019-01-02T03:11:05", 1), "fileName"),
        (at("2011-07-19T11:36:39", 2), "fileName"),
        (at("2019-01-02T03:11:05Z"), "fileName"),
    ]


def test_the_creation_time_of_a_png_is_its_date(zurich):
    for name, text in {
        "text.png": b"tEXtCreation Time\0Tue, 01 Feb 2011 12:34:56 +0100",
        "local.png": b"iTXtCreation Time\0\0\0\0\x002011-02-01T12:34:56",
    }.items():
        zurich.album.put(name, png(text))
    zurich.owner.wait_for_library(zurich.library, len(zurich.pictures) + 2)
    assert [(a["creationDate"], a["creationDateOrigin"]) for a in map(zurich.app.named, ("text.png", "local.png"))] == [
        (at("2011-02-01T12:34:56+01:00"), "offset"),
        (at("2011-02-01T12:34:56", 1), "libraryZone"),
    ]


@pytest.mark.parametrize("folder", ["cases", "photos"])
def test_R163_facts_equal_exiftools_except_for_reasons(house, cases, photographs, folder):
    if photographs is None:
        pytest.skip("the real photographs are not beside this checkout")
    environment = {**os.environ, "PHOTOBROKER_BIN": str(house.programs)}
    told = subprocess.run(
        [ROOT / "scripts/oracle", cases if folder == "cases" else photographs],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert told.returncode == 0, told.stdout + told.stderr
