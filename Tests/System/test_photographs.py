"""The main job on real photographs, through the owner's command line."""

import csv
import datetime
import hashlib
import json
import os
import re
import shutil
import zoneinfo

import pytest

from house.broker import BROKER, Album
from house.person import wait_for
from house.pictures import REAL


@pytest.fixture
def real_scene(broker, photographs):
    """A library of all real photographs, copied, or of made pictures."""
    owner, app = broker.owner(), broker.app()
    name = f"real-{owner.uid}"
    album = Album(broker.house, name, owner.uid)
    if photographs is None:
        album.fill(12)
    else:
        shutil.copytree(photographs, album.folder, dirs_exist_ok=True)
        for path in album.folder.rglob("*"):
            os.chown(path, owner.uid, BROKER)
            path.chmod(0o750 if path.is_dir() else 0o640)
    owner.add_library(name, album.folder, [app.uid])
    app.introduce()
    owner.set(name, app.name, "authorized")
    app.request()
    return owner, app, album, name


def test_every_real_photo_arrives_unchanged(real_scene):
    owner, app, album, name = real_scene
    by_path = {a["path"]: a for a in owner.assets(name)}
    assets = app.fetch()
    assert len(assets) == len(by_path) == app.count()
    assert len(assets) >= 10
    known = {hashlib.sha256(p.read_bytes()).hexdigest(): p for p in album.folder.rglob("*") if p.is_file()}
    for asset in assets:
        resources = app.call("GetResources", asset=asset["localIdentifier"])["resources"]
        role = resources[0]["role"]
        digest = app.order(do="digest", asset=asset["localIdentifier"], role=role)
        assert digest in known, asset["filename"]
        assert known[digest].stat().st_size == resources[0]["size"]


GPS = "no offset is in the file; the satellites' time gives it"
APPLE = "Apple's creationdate key has the local clock and its offset; the manifest lists the container's"
XMP = "the fraction stands in XMP, which exiftool's DateTimeOriginal leaves out"
SAME = "the same, written in another way than the standard's"

# Dates that differ from the manifest's, in UTC, with reasons; None: the file's own date.
DATES = {
    "avif/seine_sdr_gainmap_srgb.avif": ("2023-08-05 15:16:53.939000", GPS),
    "dates/3dmsc.jpg": ("2004-05-09 16:00:21", SAME),
    "dates/badyear.jpg": (None, "the year 2106 is doubted, and the file's own date taken"),
    "dates/before_epoch.jpg": ("1601-06-07 00:32:33", "the mean local time of California, which has a place"),
    "dates/date_issue.jpg": ("2016-04-16 15:07:46", GPS),
    "dates/gps-datetime.jpg": (
        "2023-11-15 12:30:00",
        "only the satellites' time is there, which the manifest does not list",
    ),
    "dates/minolta-dimage-e223.jpg": ("2003-08-27 00:09:15", SAME),
    "dates/short_date.jpg": ("2008-02-15 16:00:00", SAME),
    "duplicates/IMG_8943.jpg": ("2015-07-01 12:58:54.460000", XMP),
    "gps/IMG_20180725_163423-tiny.jpg": ("2018-07-25 14:34:23.935476", GPS),
    "gps/IMG_9398-2.jpg": ("2015-07-03 18:40:15.310000", XMP + "; Phoenix"),
    "gps/coffee-sf.jpg": ("2014-07-11 15:44:34", GPS),
    "gps/gpsinfo.jpg": ("2005-01-13 17:22:45", GPS),
    "heic/IMG_2682.heic": ("2019-03-21 16:04:22.348000", GPS),
    "heic/IMG_8062.HEIC": ("2018-04-12 22:21:28.905000", GPS),
    "motion/sample_MP.heic": (
        "2020-10-21 12:26:18",
        "exiftool finds nothing in its Exif item, which lacks an offset that the format asks for",
    ),
    "motion/seine_sdr_gainmap_srgb.jpg": ("2023-08-05 15:16:53.939000", GPS),
    "orientation/broken_orientation_exif.jpg": ("2018-02-18 19:38:32.574922", GPS),
    "png/chelsea.png": ("2009-02-09 09:11:30", "when the picture was made goes before when the file was"),
    "raw/SLT-A55V-truncated.arw": ("2017-10-22 08:54:20", GPS),
    "unicode/its  a along directory name. with special caracters(_.-.,-.,) 1234 56789 űáéú őóüö/IMG_8943.jpg": (
        "2015-07-01 12:58:54.460000",
        XMP,
    ),
    "video/dolbyVision-hdr.MOV": ("2023-05-09 11:41:46", APPLE),
}

# The zones of the places in files whose dates have no offset.
ZONES = {
    "damaged/corrupt_exif.jpg": "Europe/Paris",
    "damaged/corrupted_city.JPG": "Europe/Budapest",
    "dates/test_exif.jpg": "Europe/Malta",
    "gps/IMG_6263.jpg": "America/Los_Angeles",
    "gps/issue-exifr-13.jpg": "Europe/Zurich",
    "sidecar/20240128_105420.mp4": "Europe/Prague",
    "sidecar/IMG_5910.jpg": "America/Los_Angeles",
    "tiff/001.tif": "Europe/Brussels",
    "unicode/test image öüóőúéáű-.,.jpg": "America/Los_Angeles",
}

# Displayed sizes that differ from the manifest's.
SIZES = {
    "damaged/truncated.heic": ((16, 16), "its clap property cuts the stored 64 rows and columns to 16"),
    "live/IMG_7943.HEIC": (
        (100, 133),
        "its clap property cuts the stored 134 rows to 133; exiftool lists the stored ones",
    ),
    "video/hello.avi": ((29, 24), "its pixels are narrow: stored 32 wide, displayed 29 wide"),
}

# Files of the manifest that are no asset of their own.
NO_ASSETS = {
    "damaged/broken image.JPG": "no picture",
    "gif/MVC-006T.THM": "beside a GIF",
    "live/IMG_7943_HEVC.MOV": "a Live Photo's movie",
    "raw/CRW_0305.THM": "beside a raw file",
}


def date_in_manifest(row):
    """Return microseconds since 1970, or None if the manifest has no valid date.

    dates/verizon.jpg is such a case: 05.10.2009 may be in May or October. A date without an offset
    counts as UTC.
    """
    text = next((t for t in (row["DateTimeOriginal"], row["CreateDate"]) if t and not t.startswith("0000")), "")
    found = re.fullmatch(r"(\d{4}:\d\d:\d\d \d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)?", text)
    if not found:
        return None
    date = datetime.datetime.strptime(found[1], "%Y:%m:%d %H:%M:%S").replace(tzinfo=datetime.timezone.utc)
    if offset := re.fullmatch(r"([+-])(\d\d):(\d\d)", row["OffsetTimeOriginal"] or found[3] or ""):
        date -= datetime.timedelta(hours=int(offset[2]), minutes=int(offset[3])) * (-1 if offset[1] == "-" else 1)
    fraction = (row["SubSecTimeOriginal"] or found[2] or "0").ljust(6, "0")[:6]
    return in_microseconds(date) + int(fraction)


def in_microseconds(date):
    return (date - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)) // datetime.timedelta(microseconds=1)


def size_in_manifest(row):
    """Return the displayed size: the manifest has the stored size and the orientation."""
    size = int(row["width"] or 0), int(row["height"] or 0)
    return size[::-1] if row["orientation"] in ("5", "6", "7", "8") or row["rotation"] in ("90", "270") else size


def test_dates_and_sizes_equal_the_manifest(real_scene, photographs):
    owner, app, album, name = real_scene
    if photographs is None or not app.house.has_media:
        pytest.skip("it takes the photographs beside the checkout and the media worker")
    with open(REAL / "manifest.tsv", encoding="utf-8") as file:
        rows = {row["file"]: row for row in csv.DictReader(file, delimiter="\t") if row["class"] != "sidecar"}
    assets = {asset["path"]: asset for asset in owner.assets(name)}
    assert rows.keys() - assets.keys() == NO_ASSETS.keys() and not assets.keys() - rows.keys()
    dates, sizes = {}, {}
    for path, asset in assets.items():
        modified = (album.folder / path).stat().st_mtime_ns // 1000
        expected = date_in_manifest(rows[path])
        if path in ZONES:
            shown = datetime.datetime.fromtimestamp(expected // 1_000_000, datetime.timezone.utc)
            offset = shown.replace(tzinfo=zoneinfo.ZoneInfo(ZONES[path])).utcoffset()
            expected -= offset // datetime.timedelta(microseconds=1)
        if asset["creationDate"] != (modified if expected is None else expected):
            dates[path] = asset["creationDate"]
        size = asset["pixelWidth"], asset["pixelHeight"]
        if size != size_in_manifest(rows[path]):
            sizes[path] = size
    named = {
        path: (album.folder / path).stat().st_mtime_ns // 1000
        if date is None
        else in_microseconds(datetime.datetime.fromisoformat(date).replace(tzinfo=datetime.timezone.utc))
        for path, (date, _) in DATES.items()
    }
    assert dates == named
    assert sizes == {path: size for path, (size, _) in SIZES.items()}


def test_R147_the_owners_command_line_does_the_main_job(broker, photographs):
    owner_uid = broker.house.fresh_uid()
    app = broker.app()
    name = f"cli-{owner_uid}"
    album = Album(broker.house, name, owner_uid)
    pictures = [p.name for p in album.fill(5)]
    run = lambda *arguments, **options: broker.photobroker(owner_uid, *arguments, **options)
    run("library", "add", name, album.folder, "--offer", app.uid, "--yes", "--wait")
    library = json.loads(run("library", "list", "--json").stdout)["libraries"][0]
    assert (library["name"], library["assets"], library["state"]) == (name, 5, "online")
    broker.photobroker(app.uid, "library", "accept", name)
    app.introduce()
    app.begin_request()
    prompts = wait_for(lambda: json.loads(run("request", "list", "--json").stdout)["prompts"], "the prompt")
    run("request", "answer", prompts[0]["prompt"], "select", "--last", 2)
    assert app.hear_request() == "limited"
    assert app.names() == pictures[:2:-1]
    run("grant", "select", name, app.name, "--name", pictures[0])
    run("grant", "unselect", name, app.name, "--name", pictures[4])
    assert app.names() == [pictures[3], pictures[0]]
    shown = json.loads(run("asset", "list", name, "--app", app.name, "--json").stdout)["assets"]
    assert [a["filename"] for a in shown] == [pictures[3], pictures[0]]
    run("grant", "pause", name, app.name)
    assert app.is_refused()
    run("grant", "resume", name, app.name)
    assert app.count() == 2
    run("grant", "revoke", "--app", app.name, "--yes")
    assert app.is_refused()
    assert json.loads(run("log", name, "--json").stdout)["entries"]
    assert run("grant", "select", "nowhere", app.name, "--last", 1, expect=None).returncode != 0
    run("library", "remove", name, "--yes")
    assert json.loads(run("library", "list", "--json").stdout)["libraries"] == []


def test_the_command_line_gives_advice(broker):
    uid = broker.house.fresh_uid()
    result = broker.photobroker(uid, "library", "add", "x", expect=None)
    assert result.returncode != 0 and result.stderr.strip()
    result = broker.photobroker(uid, "nonsense", expect=None)
    assert result.returncode != 0 and "help" in result.stderr
    result = broker.photobroker(uid, "call", "io.photobroker.Admin.GetStatus", "{}", "--json")
    assert json.loads(result.stdout)["caller"] == uid
