"""Which photo a changed file is, and which files are one photo."""

import datetime
import itertools
import json
import os

import pytest

from house.exiftool import exiftool
from house.person import wait_for
from house.pictures import day, jpeg, microseconds
from house.remotes import RemoteScene, WebDAV, shared_server


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
    exiftool("-q", "-m", "-overwrite_original", *arguments, path)
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


# Files that belong together. The JPEG has the date and the camera of this raw file too.
TAKEN = datetime.datetime(2024, 7, 4, 21, 45, 43, tzinfo=datetime.timezone(datetime.timedelta(hours=2)))


@pytest.fixture
def real(photographs):
    if photographs is None:
        pytest.skip("the real photographs are not beside this checkout")
    return photographs


@pytest.fixture
def whole(scene):
    """The library with full access for the app; the broker may move its files."""
    scene.album.folder.chmod(0o770)
    scene.allow()
    return scene


def put(scene, **files):
    for name, data in files.items():
        scene.album.put(name, data)


def parts(scene, *paths):
    """Scan until these photos are all, and return the roles and file names of each, by its own."""

    def found():
        scene.owner.rescan(scene.library)
        assets = scene.owner.assets(scene.library)
        return assets if sorted(a["path"] for a in assets) == sorted([*paths, *scene.pictures]) else None

    assets = wait_for(found, f"{paths} and no other photos")
    told = {a["path"]: {file["role"]: file["filename"] for file in a.get("others") or []} for a in assets}
    for asset in scene.app.fetch() if scene.app.status() == "authorized" else []:
        resources = scene.app.call("GetResources", asset=asset["localIdentifier"])["resources"]
        # The original of an edited photo is its owner's alone.
        gotten = {(r["role"], r["filename"]) for r in resources} - {("original", asset["filename"])}
        shown = [{(file["role"], file["filename"]) for file in a.get("others") or []} for a in assets]
        assert any(gotten <= files for files in shown), "the owner sees what the app gets"
    return {path: told[path] for path in paths}


def names_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def left_out(scene):
    return {file["path"]: file["why"]["code"] for file in scene.owner.library(scene.library)["skippedFiles"]}


PAIRS = [
    ("PXL_1.RAW-01.COVER.jpg", "PXL_1.RAW-02.ORIGINAL.dng"),
    ("PXL_1.RAW-01.MP.COVER.jpg", "PXL_1.RAW-02.ORIGINAL.dng"),
    ("PXL_1.MP.jpg", "PXL_1.dng"),
    ("trip/IMG_1.jpg", "trip/raw/IMG_1.dng"),
    ("IMG_1.jpg", "RAW/img_1.DNG"),
]


@pytest.mark.parametrize("first", ["both", "jpg", "dng"])
@pytest.mark.parametrize("names", PAIRS, ids=[photo for photo, _ in PAIRS])
def test_R39_pairs_of_pixels_and_raw_folders_are_one_photo(whole, real, names, first):
    photo, raw = names
    data = {photo: jpeg(TAKEN, note=b"pair"), raw: (real / "raw/test.dng").read_bytes()}
    put(whole, **{os.path.join(os.path.dirname(photo), "placeholder"): b""})
    for name in {"both": [], "jpg": [photo], "dng": [raw]}[first]:
        whole.album.put(name, data.pop(name))
        whole.owner.wait_for_library(whole.library, 3)
    put(whole, **data)
    assert parts(whole, photo) == {photo: {"raw": os.path.basename(raw)}}
    for folder in {(whole.album.folder / name).parent for name in names}:
        folder.chmod(0o770)
    before = names_in(whole.album.folder)
    whole.app.delete(os.path.basename(photo))
    wait_for(lambda: not any((whole.album.folder / name).exists() for name in names), "both files to be in the trash")
    [gone] = whole.owner.call("FetchTrashedAssets", library=whole.library)["assets"]
    whole.owner.call("RestoreAssets", library=whole.library, identifiers=[gone["identifier"]])
    assert parts(whole, photo) == {photo: {"raw": os.path.basename(raw)}}
    assert [n for n in names_in(whole.album.folder) if not n.startswith(".")] == before


@pytest.mark.parametrize("names", PAIRS, ids=[photo for photo, _ in PAIRS])
def test_case_04_pairs_of_another_exposure_are_two_photos(whole, real, names):
    photo, raw = names
    put(whole, **{photo: jpeg(day(40), note=b"alone"), raw: (real / "raw/test.dng").read_bytes()})
    assert parts(whole, photo, raw) == {photo: {}, raw: {}}


@pytest.mark.parametrize("mark", ["-edited", "-bearbeitet", "-modifié", "-ha editado", "-編集済み"])
def test_R39_an_edited_version_of_takeout_belongs_to_its_photo(whole, mark):
    names = [f"a{mark}.jpg", f"b{mark}(1).jpg", f"c{mark}.jpg"]
    put(whole, **{"a.jpg": picture(day(9), "a"), names[0]: picture(day(9), "a edited")})
    put(whole, **{"b(1).jpg": picture(day(10), "b"), names[1]: picture(None, "b edited")})
    put(whole, **{"c.jpg": picture(day(11), "c"), names[2]: picture(day(30), "another photo")})
    assert parts(whole, "a.jpg", "b(1).jpg", "c.jpg", names[2]) == {
        "a.jpg": {"edited": names[0]},
        "b(1).jpg": {"edited": names[1]},
        "c.jpg": {},
        names[2]: {},
    }


def identifier_of(film):
    return exiftool("-s3", "-ContentIdentifier", film).strip()


def live_sidecar(film, name="ContentIdentifier"):
    return f"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:xmp="http://ns.adobe.com/xap/1.0/" xmp:{name}="{identifier_of(film)}"/>
        </rdf:RDF></x:xmpmeta>""".encode()


@pytest.mark.parametrize("name", ["ContentIdentifier", "MediaGroupUUID", "LivePhotoUUID"])
def test_case_06_a_live_photos_identifier_may_stand_in_xmp(whole, cases, name):
    film = cases / "06_live_photo_copy/IMG_1.MOV"
    put(whole, **{"IMG_1.jpg": picture(day(9), "still"), "IMG_1.MOV": film.read_bytes()})
    put(whole, **{"IMG_1.jpg.xmp": live_sidecar(film, name)})
    assert parts(whole, "IMG_1.jpg") == {"IMG_1.jpg": {"sidecar": "IMG_1.jpg.xmp", "pairedVideo": "IMG_1.MOV"}}


@pytest.mark.parametrize("how", ["sidecar", "move"])
@pytest.mark.parametrize("mark", ["hidden", "neverShare"])
def test_R13_a_marked_video_stays_marked_when_a_known_still_is_its_half(scene, cases, mark, how):
    case, folder = cases / "06_live_photo_copy", scene.album.folder
    film, still = (case / "IMG_1.MOV").read_bytes(), (case / "IMG_1.HEIC").read_bytes()
    name, other = ("IMG_1.jpg", "IMG_1.MOV") if how == "sidecar" else ("IMG_1.HEIC", "two/IMG_1.MOV")
    put(scene, **{name: picture(day(9), "still") if how == "sidecar" else still, other: film})
    parts(scene, name, other)
    scene.limit(name)
    scene.mark("IMG_1.MOV", **{mark: True})
    photo = os.path.join(os.path.dirname(other), name)
    if how == "sidecar":
        put(scene, **{f"{name}.xmp": live_sidecar(case / "IMG_1.MOV")})
    else:
        os.rename(folder / name, folder / photo)
    assert parts(scene, photo)[photo]["pairedVideo"] == "IMG_1.MOV"
    assert shown(scene, photo)[mark] and scene.app.names() == []


def test_case_06_a_video_follows_its_photo_and_no_other_video_takes_its_place(whole, cases, real):
    case, folder = cases / "06_live_photo_copy", whole.album.folder
    put(
        whole,
        **{"one/IMG_1.HEIC": (case / "IMG_1.HEIC").read_bytes(), "one/IMG_1.MOV": (case / "IMG_1.MOV").read_bytes()},
    )
    pair = {"pairedVideo": "IMG_1.MOV"}
    assert parts(whole, "one/IMG_1.HEIC") == {"one/IMG_1.HEIC": pair}
    asset = whole.app.named("IMG_1.HEIC")["localIdentifier"]
    put(whole, **{"two/other.jpg": picture(day(30), "a folder's photo")})
    os.rename(folder / "one/IMG_1.MOV", folder / "two/IMG_1.MOV")
    told = parts(whole, "one/IMG_1.HEIC", "two/IMG_1.MOV", "two/other.jpg")
    assert told["one/IMG_1.HEIC"] == told["two/IMG_1.MOV"] == {}
    os.rename(folder / "one/IMG_1.HEIC", folder / "two/IMG_1.HEIC")
    assert parts(whole, "two/IMG_1.HEIC", "two/other.jpg")["two/IMG_1.HEIC"] == pair
    assert whole.app.named("IMG_1.HEIC")["localIdentifier"] == asset
    # Other metadata in the video changes nothing; another video is a video of its own.
    film = tagged(folder.parent, "film.MOV", (case / "IMG_1.MOV").read_bytes(), "-Keys:Description=new")
    (folder.parent / "film.MOV").unlink()
    replace(folder / "two/IMG_1.MOV", film)
    assert parts(whole, "two/IMG_1.HEIC", "two/other.jpg")["two/IMG_1.HEIC"] == pair
    replace(folder / "two/IMG_1.MOV", (real / "video/video_rotate.mp4").read_bytes())
    told = parts(whole, "two/IMG_1.HEIC", "two/IMG_1.MOV", "two/other.jpg")
    assert told["two/IMG_1.HEIC"] == told["two/IMG_1.MOV"] == {}


# Sidecars of Google Takeout. Its times are instants in UTC.
def takeout(title, taken=None, place=(0, 0), **more):
    taken = {"photoTakenTime": {"timestamp": str(int(taken.timestamp())), "formatted": "…"}} if taken else {}
    spot = {"latitude": place[0], "longitude": place[1], "altitude": 0.0}
    return json.dumps({"title": title, "geoData": spot, "people": [{"name": "somebody"}], **taken, **more}).encode()


LONG = "a picture with a name that is longer than Google's"
JSON_NAMES = [
    ("IMG_1.jpg", "IMG_1.jpg.json", "IMG_1.jpg"),
    ("IMG_1.jpg", "IMG_1.jpg.supplemental-metadata.json", "IMG_1.jpg"),
    ("IMG_1.jpg", "IMG_1.jpg.supplemental-me.json", "IMG_1.jpg"),
    ("IMG_1(1).jpg", "IMG_1.jpg(1).json", "IMG_1.jpg"),
    ("IMG_1(2).jpg", "IMG_1.jpg.supplemental-metadata(2).json", "IMG_1.jpg"),
    (f"{LONG}.jpg"[:47] + ".jpg", f"{LONG}"[:46] + ".json", f"{LONG}.jpg"),
    ("What a day_ isn_t it.jpg", "What a day_ isn_t it.jpg.suppl.json", "What a day: isn't it.jpg"),
    ("no extension.jpg", "no extension.json", "no extension"),
    ("Photo (1).jpg", "Photo (1).jpg.supplemental-metadata.json", "Photo (1).jpg"),
]


@pytest.mark.parametrize("photo, sidecar, title", JSON_NAMES, ids=[sidecar for _, sidecar, _ in JSON_NAMES])
def test_R39_a_sidecar_of_takeout_tells_date_place_and_description(whole, photo, sidecar, title):
    taken = day(-3_000)
    told = takeout(title, taken, (47.3769, -8.5417), description="  Our\nholiday ", favorited=True)
    put(whole, **{photo: picture(None, "undated"), sidecar: told})
    assert parts(whole, photo) == {photo: {"sidecar": sidecar}}
    asset = whole.app.named(photo)
    assert (asset["creationDate"], asset["creationDateOrigin"]) == (microseconds(taken), "offset")
    assert (asset["latitude"], asset["longitude"]) == (47.3769, -8.5417) and asset["isFavorite"]
    details = whole.app.call("GetDetails", asset=asset["localIdentifier"])
    assert details["caption"] == "Our holiday"


@pytest.mark.parametrize(
    "photo, sidecar, title",
    [
        ("IMG_1.jpg", "IMG_1.json", "IMG_1.png"),
        ("c.jpg", "c.jpg.json", "c1234.jpg"),
        ("___.jpg", "___.jpg.json", "another.jpg"),
        ("b.jpg", "b.jpg.json", "🌅.jpg"),
    ],
)
def test_R39_a_sidecar_of_another_title_describes_nothing(whole, photo, sidecar, title):
    put(whole, **{photo: picture(None, "undated"), sidecar: takeout(title, day(-3_000), description="of another")})
    assert parts(whole, photo) == {photo: {}}
    assert whole.app.named(photo)["creationDateOrigin"] == "file" and left_out(whole) == {sidecar: "sidecarOfAnother"}


@pytest.mark.parametrize("data", [b"", b"<html>no photo</html>"], ids=["empty", "page"])
@pytest.mark.parametrize("name", ["IMG_1.dng", "IMG_1-edited.jpg"])
@pytest.mark.parametrize("is_known", [True, False], ids=["known", "new"])
def test_R39_an_unreadable_photo_takes_no_file_along(whole, real, name, data, is_known):
    other = (real / "raw/test.dng").read_bytes() if name.endswith("dng") else picture(day(9), "edited")
    if is_known:
        put(whole, **{name: other})
        parts(whole, name)
    before = [asset["localIdentifier"] for asset in whole.app.fetch() if asset["filename"] == name]
    put(whole, **{"IMG_1.jpg": data, name: other})
    assert parts(whole, name) == {name: {}}
    assert not is_known or [whole.app.named(name)["localIdentifier"]] == before


def test_R39_a_photos_own_date_goes_before_takeouts_guess_and_a_correction_before_it(whole):
    put(whole, **{"a.jpg": picture(day(9), "a"), "a.jpg.json": takeout("a.jpg", day(9) + datetime.timedelta(hours=14))})
    put(whole, **{"b.jpg": picture(day(9), "b"), "b.jpg.json": takeout("b.jpg", day(-5_000), (47.5, 8.5))})
    put(whole, **{"b.jpg.xmp": b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"})
    put(whole, **{"c.jpg": picture(day(9), "c"), "c.jpg.json": takeout("c.jpg", day(-5_000))})
    parts(whole, "a.jpg", "b.jpg", "c.jpg")
    found = {name: whole.app.named(name) for name in ("a.jpg", "b.jpg", "c.jpg")}
    assert [asset["creationDate"] for asset in found.values()] == [microseconds(day(n)) for n in (9, 9, -5_000)]
    assert found["b.jpg"]["latitude"] == 47.5, "it fills what the XMP sidecar lacks"
    os.unlink(whole.album.folder / "c.jpg.json")
    whole.owner.rescan(whole.library)
    assert whole.app.named("c.jpg")["creationDate"] == microseconds(day(9))


def xmp_of(camera):
    make, model = (tag.split("=")[1] for tag in camera)
    return f"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:tiff="http://ns.adobe.com/tiff/1.0/" xmlns:xmp="http://ns.adobe.com/xap/1.0/"
        tiff:Make="{make}" tiff:Model="{model}" xmp:Rating="5" xmp:CreateDate="1999-01-01T12:00:00Z"/>
        </rdf:RDF></x:xmpmeta>""".encode()


BAD = {
    "title.jpg.json": (takeout("another.jpg", day(-9_000)), "sidecarOfAnother"),
    "list.jpg.json": (b'[{"SourceFile": "list.jpg", "GPSLatitude": 1}]', "sidecarOfAnother"),
    "cut.jpg.json": (takeout("cut.jpg", day(-9_000))[:-1], "sidecarOfAnother"),
    "deep.jpg.json": (b'{"title": "deep.jpg", "a": ' + b"[" * 500_000 + b"]" * 500_000 + b"}", "sidecarOfAnother"),
    "large.jpg.json": (100 << 20, "sidecarTooLarge"),
    "camera.xmp": (xmp_of(NIKON), "sidecarOfAnother"),
}


def version_of(scene, photo):
    return {asset["path"]: asset["version"] for asset in scene.owner.assets(scene.library)}[photo]


@pytest.mark.parametrize("sidecar", BAD)
def test_bad_sidecars_are_left_out_and_named(own_scene, tmp_path, sidecar):
    scene = own_scene
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.allow()
    data, reason = BAD[sidecar]
    photo = sidecar.removesuffix(".json").removesuffix(".xmp").removesuffix(".jpg") + ".jpg"
    path = scene.album.put(sidecar, b"" if isinstance(data, int) else data)
    if isinstance(data, int):
        os.truncate(path, data)
    scene.album.put(photo, tagged(tmp_path, photo, picture(day(9), "photo"), *CANON))
    for restarts in (True, False):
        assert parts(scene, photo) == {photo: {}}
        assert left_out(scene) == {sidecar: reason}
        version = version_of(scene, photo)
        scene.owner.rescan(scene.library)
        assert version_of(scene, photo) == version, "neither file changed"
        found = scene.app.named(photo)
        assert found["creationDate"] == microseconds(day(9)) and not found["isFavorite"]
        if restarts:
            scene.broker.restart()
            scene.owner.wait_for_library(scene.library, 7)
            scene.app.request()
    # The right one is taken up.
    right = xmp_of(CANON) if sidecar.endswith("xmp") else takeout(photo, day(-9_000), favorited=True)
    scene.album.put(sidecar, right)
    assert parts(scene, photo) == {photo: {"sidecar": sidecar}}
    assert scene.app.named(photo)["isFavorite"] and left_out(scene) == {}


def test_a_left_out_sidecar_belongs_to_the_photo_that_it_describes_when_that_comes(whole, tmp_path):
    photo, pixels = "camera.jpg", picture(day(9), "photo")
    put(whole, **{"camera.xmp": xmp_of(NIKON), photo: tagged(tmp_path, photo, pixels, *CANON)})
    assert parts(whole, photo) == {photo: {}} and left_out(whole) == {"camera.xmp": "sidecarOfAnother"}
    replace(whole.album.folder / photo, tagged(tmp_path, photo, pixels, *NIKON))
    wait_for(lambda: left_out(whole) == {}, "the sidecar to be read again with its photo")
    assert parts(whole, photo) == {photo: {"sidecar": "camera.xmp"}}


def variants(name):
    """Return a name in all its upper and lower cases."""
    return ["".join(letters) for letters in itertools.product(*({c.lower(), c.upper()} for c in name))]


def test_a_thousand_files_of_one_stem_lose_no_photo(whole, real):
    raw = (real / "raw/test.dng").read_bytes()
    photos = [f"a.{ending}" for ending in variants("jpg") + variants("jpeg") + variants("jfif")]
    raws = [f"a.{ending}" for ending in variants("dng")]
    sidecars = [
        f"a.{ending}" for name in ("jpg.xmp", "jpeg.xmp", "xmp", "jpeg.json", "jfif.json") for ending in variants(name)
    ]
    sidecars += [f"a.{ending}" for ending in variants("jpg.json") + variants("jpe.json")]
    assert len(photos + raws + sidecars) > 1_000
    for number, name in enumerate(photos):
        whole.album.put(name, jpeg(TAKEN, note=b"%d" % number))
    put(whole, **dict.fromkeys(raws, raw))
    put(whole, **dict.fromkeys(sidecars, b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"))
    whole.owner.rescan(whole.library)
    assets = whole.owner.assets(whole.library)
    held = [a["path"] for a in assets] + [f["filename"] for a in assets for f in a.get("others") or []]
    assert len(held) == len(set(held)) and set(photos + raws) <= set(held)


def test_a_stem_of_255_bytes_pairs_and_is_trashed_and_restored(whole, real):
    stem = "ü" * 125 + "x"
    names = [f"{stem}.jpg", f"{stem}.dng"]
    assert len(names[0].encode()) == 255
    for name, data in zip(names, (jpeg(TAKEN, note=b"long"), (real / "raw/test.dng").read_bytes())):
        os.rename(whole.album.put("made", data), whole.album.folder / name)
    assert parts(whole, names[0]) == {names[0]: {"raw": names[1]}}
    whole.app.delete(names[0])
    wait_for(lambda: not (whole.album.folder / names[0]).exists(), "it to be in the trash")
    [gone] = whole.owner.call("FetchTrashedAssets", library=whole.library)["assets"]
    whole.owner.call("RestoreAssets", library=whole.library, identifiers=[gone["identifier"]])
    assert parts(whole, names[0]) == {names[0]: {"raw": names[1]}}


def test_R39_the_owner_sees_all_files_that_go_along_before_the_answer(scene, real):
    put(scene, **{"IMG_1.jpg": jpeg(TAKEN, note=b"pair"), "IMG_1.dng": (real / "raw/test.dng").read_bytes()})
    put(scene, **{"IMG_1.jpg.xmp": b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"})
    parts(scene, "IMG_1.jpg")
    asset = scene.owner.identifier(scene.library, "IMG_1.jpg")
    files = scene.owner.call("GetOwnedDetails", library=scene.library, asset=asset)["files"]
    assert {f["role"]: f["filename"] for f in files} == {
        "original": "IMG_1.jpg",
        "raw": "IMG_1.dng",
        "sidecar": "IMG_1.jpg.xmp",
    }
    shown = scene.broker.photobroker(scene.owner.uid, "asset", "show", scene.library, asset).stdout
    assert all(f"File: {f['filename']} ({f['role']})" in shown for f in files)
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    for command in (
        ["asset", "list", scene.library],
        ["request", "answer", prompt, "select", "--name", "IMG_1.jpg", "--preview"],
    ):
        assert "IMG_1.jpg (with IMG_1.dng, IMG_1.jpg.xmp)" in scene.broker.photobroker(scene.owner.uid, *command).stdout
    scene.owner.call("AnswerPrompt", prompt=prompt, answer="deny")
    assert scene.app.hear_request() == "denied"


def described(text):
    """An XMP sidecar with a description."""
    return f"""<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
        <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt>
        <rdf:li xml:lang="x-default">{text}</rdf:li></rdf:Alt></dc:description></rdf:Description>
        </rdf:RDF></x:xmpmeta>""".encode()


def trashed(scene, photo):
    """Delete a photo as an app, and return its entry in the owner's trash."""
    scene.app.delete(os.path.basename(photo))
    wait_for(lambda: not (scene.album.folder / photo).exists(), f"{photo} to be in the trash")
    [gone] = scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]
    return gone["identifier"]


@pytest.mark.parametrize("kind", ["raw", "pairedVideo"])
def test_R39_a_sidecar_of_the_raw_folder_or_the_video_goes_and_comes_with_its_photo(whole, real, cases, kind):
    if kind == "raw":
        photo, other, sidecar = "trip/IMG_1.jpg", "trip/raw/IMG_1.dng", "trip/raw/IMG_1.xmp"
        data = jpeg(TAKEN, note=b"pair"), (real / "raw/test.dng").read_bytes()
    else:
        photo, other, sidecar = "IMG_1.HEIC", "IMG_1.MOV", "IMG_1.MOV.xmp"
        data = [(cases / "06_live_photo_copy" / name).read_bytes() for name in (photo, other)]
    put(whole, **{photo: data[0], sidecar: described(kind), other: data[1]})
    for folder in {(whole.album.folder / name).parent for name in (photo, other)}:
        folder.chmod(0o770)
    files = {kind: os.path.basename(other), "sidecar": os.path.basename(sidecar)}
    assert parts(whole, photo) == {photo: files}
    before = names_in(whole.album.folder)
    gone = trashed(whole, photo)
    assert not {photo, other, sidecar} & set(names_in(whole.album.folder))
    whole.owner.call("RestoreAssets", library=whole.library, identifiers=[gone])
    assert parts(whole, photo) == {photo: files}
    assert names_in(whole.album.folder) == before


def test_R39_a_videos_sidecar_does_not_describe_the_photo(whole, cases):
    case = cases / "06_live_photo_copy"
    put(whole, **{name: (case / name).read_bytes() for name in ("IMG_1.HEIC", "IMG_1.MOV")})
    put(whole, **{"IMG_1.MOV.xmp": described("the video")})
    parts(whole, "IMG_1.HEIC")
    asset = whole.app.named("IMG_1.HEIC")["localIdentifier"]

    def caption():
        whole.owner.rescan(whole.library)
        return whole.app.call("GetDetails", asset=asset).get("caption")

    own = caption()
    put(whole, **{"IMG_1.HEIC.xmp": described("the photo")})
    assert caption() == "the photo"
    (whole.album.folder / "IMG_1.HEIC.xmp").unlink()
    assert caption() == own != "the video"
