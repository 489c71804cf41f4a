"""Types of files: content decides, and no decoder. Tests of a case name it; see test_cases.py."""

import base64
import ctypes
import fcntl
import hashlib
import json
import os
import signal
import struct
import subprocess
import sys
import termios

import pytest
from house.exiftool import exiftool
from house.person import media_workers, wait_for
from house.pictures import day, iiq, jpeg, microseconds, png, segment

PIDFD_GETFD = 438

# Pictures of 16 by 8 pixels.
SMALL = {
    "jxl": "/wrBQVLcCAGoAJNhCQCACpVRxg1ezvV8+aHDYtrGdYa22rawhLHZXhgkJBQSYQMYdkMlCQ==",
    "jp2": (
        "AAAADGpQICANCocKAAAAFGZ0eXBqcDIgAAAAAGpwMiAAAAAtanAyaAAAABZpaGRyAAAACAAAABAAAQcHAAAAAAAPY29scgEAAAAAAAAAAACD"
        "anAyY/9P/1EAKQAAAAAAEAAAAAgAAAAAAAAAAAAAAgAAAAIAAAAAAAAAAAAAAQcBAf9SAA0BAgABAAAEBAAAiP9cAAVCQAD/ZAAlAAFDcmVh"
        "dGVkIGJ5IE9wZW5KUEVHIHZlcnNpb24gMi41LjD/kAAKAAAAAAAPAAH/k4D/2Q=="
    ),
    "btf": (
        "SUkrAAgAAAAcAAAAAAAAAHicY2AYWAAAAIAAARAAAAAAAAAAAAEDAAEAAAAAAAAAEAAAAAAAAAABAQMAAQAAAAAAAAAIAAAAAAAAAAIBAwAB"
        "AAAAAAAAAAgAAAAAAAAAAwEDAAEAAAAAAAAACAAAAAAAAAAGAQMAAQAAAAAAAAABAAAAAAAAABEBEAABAAAAAAAAABAAAAAAAAAAEgEDAAEA"
        "AAAAAAAAAQAAAAAAAAAVAQMAAQAAAAAAAAABAAAAAAAAABYBAwABAAAAAAAAAIAAAAAAAAAAFwEQAAEAAAAAAAAADAAAAAAAAAAaAQUAAQAA"
        "AAAAAAAKAAAAAQAAABsBBQABAAAAAAAAAAoAAAABAAAAHAEDAAEAAAAAAAAAAQAAAAAAAAAoAQMAAQAAAAAAAAADAAAAAAAAAD0BAwABAAAA"
        "AAAAAAIAAAAAAAAAUwEDAAEAAAAAAAAAAQAAAAAAAAAAAAAAAAAAAA=="
    ),
}


@pytest.fixture
def scene(make_scene):
    scene = make_scene(1)
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.let_broker_add()
    scene.allow()
    return scene


def tell(scene, files):
    """Add files by name, and return their assets."""
    for name, data in files.items():
        scene.album.put(name, data)
    scene.owner.wait_for_library(scene.library, scene.owner.library(scene.library)["assets"] + len(files), seconds=60)
    return {name: scene.app.named(name) for name in files}


def type_of(scene, asset):
    resources = scene.app.call("GetResources", asset=asset["localIdentifier"])["resources"]
    return next(r["contentType"] for r in resources if r["role"] == "original")


def thumbnail(scene, asset, pixels=64):
    """Return width and height of the thumbnail."""
    made = scene.app.call("GetThumbnail", asset=asset["localIdentifier"], maxPixels=pixels, inline=True)
    data = base64.b64decode(made["data"])
    at = data.index(b"\xff\xc0")
    return struct.unpack(">HH", data[at + 5 : at + 9])[::-1]


def add(scene, name, data):
    """Add a file through the app, and return its asset."""
    path = scene.house.folder / f"added-{scene.app.uid}"
    path.write_bytes(data)
    path.chmod(0o644)
    scene.app.order(
        do="call_with_file",
        method="io.photobroker.Library.AddAsset",
        parameters={"filename": name, "descriptor": 0},
        path=str(path),
    )
    path.unlink()
    return scene.app.named(name)


def has_bytes(scene, asset, data):
    return scene.app.digest(asset["localIdentifier"]) == hashlib.sha256(data).hexdigest()


def has_request(worker):
    """Whether a media worker has an unread request in its socket."""
    pidfd = os.pidfd_open(worker)
    socket = ctypes.CDLL(None).syscall(PIDFD_GETFD, pidfd, 3, 0)
    os.close(pidfd)
    assert socket >= 0
    count = fcntl.ioctl(socket, termios.FIONREAD, bytes(4))
    os.close(socket)
    return int.from_bytes(count, sys.byteorder) > 0


def box(name, content=b""):
    return struct.pack(">I", len(content) + 8) + name + content


def bmp(width, height):
    """A black picture."""
    pixels = bytes((width * 3 + 3) // 4 * 4 * height)
    head = struct.pack("<2sIIIIiiHHIIiiII", b"BM", 54 + len(pixels), 0, 54, 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return head + pixels


def test_R161_case_01_ios18_heic_that_the_decoder_refuses_is_a_photo(scene, cases):
    path = cases / "01_ios18_heic/IMG_0307.HEIC"
    data = path.read_bytes()
    asset = tell(scene, {path.name: data})[path.name]
    said = json.loads(exiftool("-n", "-j", path))[0]
    # A quarter turn.
    assert (said["ImageHeight"], said["ImageWidth"], said["Orientation"]) == (4284, 5712, 6)
    assert (asset["pixelWidth"], asset["pixelHeight"]) == (4284, 5712)
    assert asset["mediaType"] == "image" and asset.get("mediaSubtypes") is None
    assert said["DateTimeOriginal"] == "2025:01:02 10:25:55" and said["OffsetTimeOriginal"] == "-05:00"
    date = microseconds(day(0).replace(year=2025, day=2, hour=15, minute=25, second=55))
    assert (asset["creationDate"], asset["creationDateOrigin"]) == (date + 283_000, "offset")
    assert type_of(scene, asset) == "image/heic" and has_bytes(scene, asset, data)
    assert thumbnail(scene, asset) == (48, 64)
    added = add(scene, "added.HEIC", data)
    assert (added["pixelWidth"], added["pixelHeight"], added["creationDate"]) == (4284, 5712, asset["creationDate"])


SIGNATURES = {
    "a.jpg": (b"\xff\xd8\xff\xe0", "image/jpeg"),
    "b.png": (b"\x89PNG\r\n\x1a\n", "image/png"),
    "c.heic": (box(b"ftyp", b"heic\0\0\0\0mif1heic"), "image/heic"),
    "d.jxl": (b"\xff\x0a", "image/jxl"),
    "e.tif": (b"II*\0", "image/tiff"),
    "f.x3f": (b"FOVb", "image/x-sigma-x3f"),
    "g.jxr": (b"II\xbc\x01", "image/jxr"),
    "h.mov": (box(b"ftyp", b"qt  \0\0\0\0qt  "), "video/quicktime"),
    "i.mkv": (b"\x1a\x45\xdf\xa3", "video/x-matroska"),
}


def test_R161_a_signature_with_rubbish_behind_it_is_a_photo_or_video_without_a_thumbnail(scene):
    files = {name: head + b"rubbish" * 100 for name, (head, _) in SIGNATURES.items()}
    for name, asset in tell(scene, files).items():
        assert type_of(scene, asset) == SIGNATURES[name][1], name
        assert asset["mediaType"] == SIGNATURES[name][1].split("/")[0], name
        assert (asset["pixelWidth"], asset["pixelHeight"]) == (0, 0) and has_bytes(scene, asset, files[name]), name
        refused = scene.app.refusal("GetThumbnail", asset=asset["localIdentifier"], maxPixels=64)
        assert refused.reason == "requestNotSupportedForAsset", (name, refused)
        added = add(scene, f"added-{name}", files[name] + b"other bytes")
        assert type_of(scene, added) == SIGNATURES[name][1], name
    assert scene.owner.library(scene.library)["skipped"] == 0


def test_R161_a_photo_or_video_is_one_whatever_its_name(scene):
    photo = {
        name: jpeg(day(3 + number), note=name.encode())
        for number, name in enumerate(["plain", "photo.dat", "x.jpg_large", "x.jpg.bak", "b.tmp", "lone.thm"])
    }
    film = {
        "GL01.lrv": box(b"ftyp", b"mp42\0\0\0\0mp42"),
        "MOVI~1.MP~2": box(b"ftyp", b"qt  \0\0\0\0qt  "),
        "film.ts": (b"G" + bytes(187)) * 4,
        "old.ori": b"IIRO" + bytes(60),
    }
    for name, asset in tell(scene, photo | film).items():
        assert asset["mediaType"] == ("video" if name in film and name != "old.ori" else "image"), name
        assert has_bytes(scene, asset, (photo | film)[name]), name
    for name, data in {
        "notes": b"words",
        "song.m4a": film["GL01.lrv"],
        "page.ts": b"let a = 1",
        "fax.bin": b"BM",
    }.items():
        scene.album.put(name, data)
    scene.owner.rescan(scene.library)
    library = scene.owner.library(scene.library)
    assert (library["assets"], library["skipped"]) == (11, 0)


def test_R161_a_photo_that_ends_the_worker_is_a_photo(own_scene):
    scene = own_scene
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.allow()
    workers = media_workers(scene.broker)
    for worker in workers:
        os.kill(worker, signal.SIGSTOP)
    data = jpeg(day(40), note=b"it ends the worker")
    scene.album.put("fatal.jpg", data)
    [reader] = wait_for(lambda: [w for w in workers if has_request(w)], "the worker to be given the photo")
    os.kill(reader, signal.SIGSEGV)
    for worker in workers:
        os.kill(worker, signal.SIGCONT)
    scene.owner.wait_for_library(scene.library, 7)
    asset = scene.app.named("fatal.jpg")
    assert asset["mediaType"] == "image" and type_of(scene, asset) == "image/jpeg" and has_bytes(scene, asset, data)
    assert scene.owner.library(scene.library)["skipped"] == 0
    assert asset["creationDateOrigin"] == "file", "no decoder told its date"


def test_R161_sound_text_and_sidecars_are_no_photos(scene):
    files = {
        "song.mp4": box(b"ftyp", b"M4A \0\0\0\0M4A "),
        "words.jpg": b"no picture at all",
        "drawing.png": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
        "sidecar.jpg": b"<x:xmpmeta xmlns:x='adobe:ns:meta/'/>",
    }
    for name, data in files.items():
        scene.album.put(name, data)
    library = wait_for(
        lambda: (now := scene.owner.library(scene.library))["skipped"] == len(files) and now, "them to be left out"
    )
    assert {file["path"]: file["why"]["code"] for file in library["skippedFiles"]} == dict.fromkeys(
        files, "fileNoMedia"
    )
    assert scene.app.names() == scene.pictures
    refused = scene.app.refusal("AddAsset", filename="song.mp4", contents=base64.b64encode(files["song.mp4"]).decode())
    assert refused.reason == "invalidResource" and "neither a photo nor a video" in refused.parameters["message"]


def test_R162_case_02_wrong_extension_and_the_content_decides_the_type(scene, cases):
    types = {
        "jpeg-as.HEIC": "image/jpeg",
        "png-as.JPG": "image/png",
        "webp-as.jpg": "image/webp",
        "webm-as.mp4": "video/webm",
    }
    files = {name: (cases / "02_wrong_extension" / name).read_bytes() for name in types}
    # Further members of the kind: the wrong name promises another kind of medium, or a raw file.
    more = {"jpeg-as.mov": "image/jpeg", "webm-as.dng": "video/webm", "png-as.xyz.heif": "image/png"}
    types |= more
    for name in more:
        files[name] = files[next(n for n in files if n.split("-")[0] == name.split("-")[0])] + b"\0"
    for name, asset in tell(scene, files).items():
        said = json.loads(
            subprocess.run(
                ["exiftool", "-j", "-MIMEType", "-"], input=files[name], capture_output=True, check=True
            ).stdout
        )[0]
        assert type_of(scene, asset) == types[name] == said["MIMEType"], name
        assert asset["mediaType"] == types[name].split("/")[0] and asset["filename"] == name
        assert has_bytes(scene, asset, files[name]) and max(thumbnail(scene, asset)) == 64, name
        added = add(scene, f"added-{name}", files[name] + b"\0")
        assert type_of(scene, added) == types[name] and added["filename"] == f"added-{name}"
    assert scene.owner.library(scene.library)["skipped"] == 0


def test_R162_case_03_jpeg_stray_bytes_between_segments_are_skipped(scene, cases):
    whole = (cases / "03_jpeg_stray_bytes/stray2.jpg").read_bytes()
    more = jpeg(day(9), note=b"more", width=200, height=100)
    at = more.index(b"\xff\xdb")
    files = {"stray.jpg": whole, "more.jpg": more[:at] + bytes(range(256)) + b"\xff\0" + more[at:]}
    files["first.jpg"] = b"\xff\xd8\0\0" + jpeg(day(8), note=b"first", width=200, height=100)[2:]
    assets = tell(scene, files)
    assert [assets[n].get("mediaSubtypes") for n in assets] == [None, None, None], "none is incomplete"
    first = assets["first.jpg"]
    assert first["creationDate"] == microseconds(day(8)) and has_bytes(scene, first, files["first.jpg"])
    assert thumbnail(scene, first, 100) == (100, 50)
    assert (assets["stray.jpg"]["pixelWidth"], assets["stray.jpg"]["pixelHeight"]) == (512, 848)
    assert (assets["more.jpg"]["pixelWidth"], assets["more.jpg"]["pixelHeight"]) == (200, 100)
    assert thumbnail(scene, assets["stray.jpg"], 848) == (512, 848) and has_bytes(scene, assets["stray.jpg"], whole)
    assert thumbnail(scene, assets["more.jpg"], 100) == (100, 50)


def progressive(width, height):
    """A grey JPEG of three components in full size, whose decoder holds all of its coefficients."""
    bits = 3 * ((width + 7) // 8) * ((height + 7) // 8)
    frame = struct.pack(">BHHB", 8, height, width, 3) + b"".join(bytes([n, 0x11, 0]) for n in (1, 2, 3))
    return (
        b"\xff\xd8"
        + segment(0xDB, b"\0" + b"\x40" * 64)
        + segment(0xC2, frame)
        + segment(0xC4, b"\x00\x01" + bytes(15) + b"\0")
        + segment(0xDA, b"\x03\x01\0\x02\0\x03\0\0\0\0")
        + bytes(bits // 8)
        + b"\xff\xd9"
    )


def most_memory(pid):
    """The most bytes that a process ever held."""
    with open(f"/proc/{pid}/status") as status:
        return next(int(line.split()[1]) << 10 for line in status if line.startswith("VmHWM"))


@pytest.mark.parametrize("width, height", [(16320, 12240), (24000, 6000)])
def test_R161_case_14_a_large_jpeg_is_shrunk_while_it_is_read(scene, width, height):
    asset = tell(scene, {"large.jpg": jpeg(day(9), note=b"large", width=width, height=height)})["large.jpg"]
    assert (asset["pixelWidth"], asset["pixelHeight"]) == (width, height)
    assert thumbnail(scene, asset, 400) == (400, 400 * height // width)
    # A decoder of the whole picture holds 200 or 400 MiB.
    assert max(map(most_memory, media_workers(scene.broker))) < 128 << 20


def test_R129_a_picture_beyond_the_workers_memory_is_a_photo_and_ends_no_worker(scene):
    """The worker may hold 1 GiB; the decoder of this picture needs 1.1."""
    workers = media_workers(scene.broker)
    asset = tell(scene, {"large.jpg": progressive(24000, 8400)})["large.jpg"]
    assert (asset["pixelWidth"], asset["pixelHeight"]) == (24000, 8400)
    refused = scene.app.refusal("GetThumbnail", asset=asset["localIdentifier"], maxPixels=64)
    assert refused.reason == "requestNotSupportedForAsset", refused
    assert set(workers) <= set(media_workers(scene.broker))
    assert max(map(most_memory, workers)) < 1 << 30


def test_R162_case_18_missing_last_bytes_mark_a_photo_incomplete(scene, cases):
    files = {path.name: path.read_bytes() for path in (cases / "18_missing_last_bytes").iterdir()}
    files |= {"film.mp4": box(b"ftyp", b"mp42\0\0\0\0") + struct.pack(">I4s", 1000, b"mdat") + bytes(500)}
    files |= {"cut.png": png(note=bytes(1000))[:-20]}
    assets = tell(scene, files)
    for name, asset in assets.items():
        assert asset["mediaSubtypes"] == ["incomplete"], name
        assert has_bytes(scene, asset, files[name]), name
    for name in ("cut1pct.jpg", "noEOI.jpg"):
        assert (assets[name]["pixelWidth"], assets[name]["pixelHeight"]) == (640, 480)
        assert thumbnail(scene, assets[name]) == (64, 48)
        assert add(scene, f"added-{name}", files[name])["mediaSubtypes"] == ["incomplete"]
    assert sorted(scene.app.names(mediaSubtypes=["incomplete"])) == sorted(
        [*files, "added-cut1pct.jpg", "added-noEOI.jpg"]
    )
    assert scene.app.names(withoutSubtypes=["incomplete"]) == scene.pictures
    told = {asset["filename"]: asset["incomplete"] for asset in scene.owner.assets(scene.library)}
    assert told.pop(scene.pictures[0]) is False and all(told.values())
    columns = scene.owner.call("FetchOwnedColumns", library=scene.library)
    marked = [name for name, mark in zip(columns["names"], columns["marks"]) if mark & 256]
    assert sorted(marked) == sorted(told)
    listed = scene.broker.photobroker(scene.owner.uid, "asset", "list", scene.library).stdout
    assert [("incomplete" in line) for line in listed.splitlines() if "noEOI" in line] == [True, True]
    # The rest may still arrive.
    identifier = assets["noEOI.jpg"]["localIdentifier"]
    scene.album.put("noEOI.jpg", files["noEOI.jpg"] + b"\xff\xd9")
    wait_for(lambda: scene.app.named("noEOI.jpg").get("mediaSubtypes") is None, "the photo to be complete")
    assert scene.app.named("noEOI.jpg")["localIdentifier"] == identifier


def test_R162_photos_of_rarer_formats_are_assets(scene):
    photo = jpeg(day(9), note=b"one", width=16, height=8)
    files = {f"small.{ending}": base64.b64decode(data) for ending, data in SMALL.items()}
    at = files["small.jp2"].index(b"\xff\x4f\xff\x51")
    files |= {
        "small.j2c": files["small.jp2"][at:],
        "small.bmp": bmp(16, 8),
        "pair.mpo": photo + jpeg(day(9), note=b"two", width=16, height=8),
        "round.insp": photo + b"\0" * 72 + b"8db42d694ccc418790edff439fe026bf",
        "back.iiq": iiq(day(9), 16, 8),
        "film.insv": box(b"ftyp", b"avc1\0\0\0\0isom") + box(b"mdat", bytes(100)),
    }
    types = {"jxl": "image/jxl", "jp2": "image/jp2", "btf": "image/tiff", "j2c": "image/j2c", "bmp": "image/bmp"}
    types |= {"mpo": "image/jpeg", "insp": "image/jpeg", "iiq": "image/x-raw", "insv": "video/mp4"}
    for name, asset in tell(scene, files).items():
        ending = name.split(".")[1]
        assert type_of(scene, asset) == types[ending] and has_bytes(scene, asset, files[name]), name
        if ending == "insv":
            continue
        assert (asset["pixelWidth"], asset["pixelHeight"]) == (16, 8), name
        if ending in ("jp2", "j2c"):
            refused = scene.app.refusal("GetThumbnail", asset=asset["localIdentifier"], maxPixels=64)
            assert refused.reason == "requestNotSupportedForAsset" and "cannot be shown" in str(refused.parameters)
        else:
            assert thumbnail(scene, asset) == ((8, 4) if ending == "iiq" else (16, 8)), name
        assert type_of(scene, add(scene, f"added-{name}", files[name] + b"\0")) == types[ending]


def test_R163_a_turned_raw_file_of_a_phase_one_back_is_upright(scene):
    asset = tell(scene, {"turned.iiq": iiq(day(9), 64, 32, turn=6)})["turned.iiq"]
    assert (asset["pixelWidth"], asset["pixelHeight"]) == (32, 64)
    assert thumbnail(scene, asset) == (16, 32)
