"""The media worker's facts of made files, beside exiftool's default reading."""

import datetime
import importlib.machinery
import importlib.util
import json
import struct
import zlib

import pytest
from house.exiftool import exiftool
from house.pictures import ROOT, day, directory, exif, iiq, jpeg, png, segment

TIME = "2019:01:02 03:11:05"


@pytest.fixture(scope="session")
def oracle(house):
    """The program scripts/oracle with a media worker."""
    if not house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    loader = importlib.machinery.SourceFileLoader("oracle", str(ROOT / "scripts/oracle"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("oracle", loader))
    loader.exec_module(module)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PHOTOBROKER_BIN", str(house.programs))
        module.worker = module.Worker()
    yield module
    module.worker.socket.close()
    module.worker.process.wait(10)


@pytest.fixture
def facts(oracle, tmp_path):
    """Reader of a file's facts: the worker's, which must equal exiftool's in the named fields."""

    def read(name, data, *arguments, agreeing=()):
        path = tmp_path / name
        path.write_bytes(data)
        if arguments:
            exiftool("-q", "-m", "-n", "-overwrite_original", *arguments, path)
        told = oracle.ours(oracle.worker.facts(path))
        if agreeing:
            said = oracle.exiftools(json.loads(exiftool("-n", "-j", "-ee", path))[0])
            assert {field: told[field] for field in agreeing} == {field: said[field] for field in agreeing}
        return told

    return read


# A day alone, and its time in another entry.
@pytest.mark.parametrize(
    "arguments, offset",
    [
        (
            [
                "-XMP-photoshop:DateCreated=2019:01:02",
                "-IPTC:DateCreated=2019:01:02",
                "-IPTC:TimeCreated=03:11:05+01:00",
            ],
            "+01:00",
        ),
        (
            ["-EXIF:DateTimeOriginal=2019:01:02", "-IPTC:DateCreated=2019:01:02", "-IPTC:TimeCreated=03:11:05+01:00"],
            "+01:00",
        ),
        (["-EXIF:DateTimeOriginal=2019:01:02", f"-XMP-photoshop:DateCreated={TIME}+01:00"], "+01:00"),
        (["-EXIF:DateTimeOriginal=2019:01:02", f"-XMP-xmp:CreateDate={TIME}+01:00"], "+01:00"),
        (["-EXIF:DateTimeOriginal=2019:01:02", f"-EXIF:CreateDate={TIME}"], ""),
    ],
    ids=["XMP and IPTC", "EXIF and IPTC", "EXIF and XMP", "EXIF and XMP's date of the file", "EXIF alone"],
)
def test_R163_a_day_takes_its_time_from_a_more_precise_date(facts, arguments, offset):
    told = facts("a.jpg", jpeg(None), *arguments, agreeing=("date", "offset"))
    assert (told["date"], told["offset"]) == (TIME, offset)


def test_R163_a_day_takes_no_time_of_another_day(facts):
    arguments = ["-EXIF:DateTimeOriginal=2019:01:03", f"-XMP-photoshop:DateCreated={TIME}", f"-EXIF:CreateDate={TIME}"]
    arguments += ["-IPTC:DateCreated=2019:01:02", "-IPTC:TimeCreated=03:11:05+01:00"]
    # The satellites' time gives no offset to a day without a time.
    arguments += ["-EXIF:GPSDateStamp=2019:01:03", "-EXIF:GPSTimeStamp=01:00:00"]
    told = facts("a.jpg", jpeg(None), *arguments)
    assert (told["date"], told["offset"]) == ("2019:01:03 00:00:00", "")


@pytest.mark.parametrize(
    "text, date",
    [
        ("Sun Jan 02 03:11:05 2011", "2011:01:02 03:11:05"),
        ("2019/01/02 03:11", "2019:01:02 03:11:00"),
        ("2019/01/02/ 03:11", "2019:01:02 03:11:00"),
        ("2019/1/2/ 3:11", "2019:01:02 03:11:00"),
        ("2019/ 1/ 2  3:11PM", "2019:01:02 15:11:00"),
        ("2019-01-02  03:11:05", TIME),
        ("2019:01:02 03:11:05", TIME),
        ("2019-01-02", "2019:01:02 00:00:00"),
        ("2019-13-02", ""),
    ],
)
def test_R163_dates_of_avi_files_are_read_in_all_their_forms(facts, cases, text, date):
    film = (cases / "11_video_local_clock/idit.avi").read_bytes()
    at, length = film.index(b"IDIT") + 8, 26
    film = film[:at] + text.encode().ljust(length, b"\0") + film[at + length :]
    # A day alone is a date for us, its first instant.
    told = facts("a.avi", film, agreeing=() if len(text) == 10 else ("date", "offset"))
    assert (told["date"], told["offset"]) == (date, "")


# A black pixel.
GIF = bytes.fromhex("47494638396101000100800000000000ffffff21f90401000000002c00000000010001000002024401003b")
XMP = [f"-XMP-exif:DateTimeOriginal={TIME}+01:00", "-XMP-dc:Title=Words", "-XMP-dc:Description=More words"]


def test_R163_xmp_in_a_gif_is_read(facts):
    told = facts("a.gif", GIF, *XMP, agreeing=("date", "offset", "title", "caption", "size"))
    assert (told["date"], told["offset"], told["title"], told["caption"]) == (TIME, "+01:00", "Words", "More words")
    assert facts("b.gif", GIF)["date"] == ""


@pytest.fixture(params=["mp4", "mov"])
def film(request, cases):
    """A film's name, and its bytes with the container's date alone."""
    data = (cases / "13_content_create_date/contentcreate.mp4").read_bytes()
    if request.param == "mov":
        data = data.replace(b"ftypisom\0\0\2\0isomiso2avc1mp41", b"ftypqt  \0\0\2\0" + b"qt  " * 4)
    return f"a.{request.param}", data


@pytest.mark.parametrize(
    "arguments",
    [
        XMP,
        [f"-XMP-photoshop:DateCreated={TIME}+01:00"],
        [f"-XMP-xmp:CreateDate={TIME}+01:00"],
        [f"-UserData:DateTimeOriginal={TIME}+01:00"],
        [f"-UserData:ContentCreateDate={TIME}+01:00"],
        [f"-Keys:CreationDate={TIME}+01:00", "-XMP-xmp:CreateDate=2020:02:02 02:02:02"],
    ],
    ids=["XMP", "XMP's creation", "XMP's date of the file", "date", "day", "Apple's"],
)
def test_R163_dates_in_a_film_go_before_the_containers(facts, film, arguments):
    old = ["-all=", "-CreateDate=2020:01:01 00:00:05"]
    told = facts(*film, *old, *arguments, agreeing=("date", "offset", "title", "caption"))
    assert (told["date"], told["offset"]) == (TIME, "+01:00")


def test_R163_a_partial_date_in_a_films_xmp_does_not_replace_the_containers(facts, film):
    told = facts(*film, "-all=", "-CreateDate=2020:01:01 00:00:05", "-XMP-photoshop:DateCreated=2020")
    assert told["date"] == "2020:01:01 00:00:05"


def webp(chunk):
    """A WebP file that ends behind the beginning of its first chunk."""
    return b"RIFF" + struct.pack("<I", 5000) + b"WEBP" + chunk[:4] + struct.pack("<I", 4000) + chunk[4:]


def number(value, count):
    return value.to_bytes(count, "little")


@pytest.mark.parametrize(
    "chunk",
    [
        b"VP8X\x10\0\0\0" + number(639, 3) + number(479, 3),
        b"VP8L\x2f" + number(639 | 479 << 14, 4) + bytes(8),
        b"VP8 \x50\x12\0\x9d\x01\x2a" + number(640, 2) + number(480, 2) + bytes(4),
    ],
    ids=["VP8X", "VP8L", "VP8"],
)
def test_R162_a_webp_cut_off_behind_its_header_has_its_size(facts, chunk):
    assert facts("a.webp", webp(chunk))["size"] == "640x480"
    assert facts("b.webp", webp(chunk)[:24])["size"] == ""


def test_R161_a_raw_file_has_the_size_in_its_container(facts):
    for version, at in ((2, 28), (4, 40)):
        data = bytearray(0x400)
        struct.pack_into("<4sHH", data, 0, b"FOVb", 0, version)
        struct.pack_into("<II", data, at, 640, 480)
        assert facts("a.x3f", bytes(data))["size"] == "640x480"
    # A preview without a size, and a directory with a value of another kind and the size.
    directory = struct.pack(">IHHIHHHH", 2, 0x100, 4, 0x1000100, 0x111, 4, 480, 640)
    header = b"FUJIFILMCCD-RAW 0201".ljust(84, b"\0") + struct.pack(">IIII", 140, 4, 108, len(directory))
    raf = header.ljust(108, b"\0") + directory.ljust(32, b"\0") + b"\xff\xd8\xff\xd9"
    assert facts("a.raf", raf)["size"] == "640x480"
    # A picture of 64 by 48, and the sensor's size in EXIF.
    entries = struct.pack("<HHHIIHHIIHHIII", 3, *(0x100, 3, 1, 64), *(0x101, 3, 1, 48), *(0x8769, 4, 1, 58), 0)
    photo = struct.pack("<HHHIIHHIII", 2, *(0xA002, 4, 1, 640), *(0xA003, 4, 1, 480), 0)
    cr2 = b"II*\0\x10\0\0\0CR\x02\0\0\0\0\0" + entries + photo
    assert facts("a.cr2", cr2)["size"] == "640x480"


OF_FILE = ("type", "date", "make", "model", "orientation")


@pytest.mark.parametrize("order", ["<", ">"])
def test_R161_a_raw_file_of_a_phase_one_back_has_its_sensors_size(facts, order):
    whole = iiq(day(1), order=order)
    told = facts("a.iiq", whole, agreeing=(*OF_FILE, "size"))
    assert (told["type"], told["size"], told["make"], told["model"]) == (
        "image/x-raw",
        "64x48",
        "Phase One A/S",
        "P65+",
    )
    # The name does not matter, nor do the directories at the end.
    assert facts("a.tif", whole) == told
    assert facts("cut.tif", whole[:2000])["type"] == "image/x-raw"
    # Grey pixels in its mark's place.
    mark, grey = (b"II*\0", b"IIII") if order == "<" else (b"MM\0*", b"MMMM")
    entries = {0x100: 4, 0x101: 1, 0x102: 8, 0x106: 1, 0x111: 8, 0x116: 1, 0x117: 4}
    data = mark + struct.pack(order + "I", 12) + grey + directory(12, entries, order)
    assert facts("grey.tif", data, agreeing=("type", "size"))["type"] == "image/tiff"


def kodak(order, first, inner, *more):
    """A TIFF of Kodak's with these entries in its first directory, in the one that `inner` names, and
    in others behind them."""
    entries, at = dict(first), 8
    parts = b""
    for tag, values in ((inner[0], inner[1]), *more):
        parts += (part := directory(at, values, order))
        entries[tag] = at
        at += len(part)
    mark = b"II*\0" if order == "<" else b"MM\0*"
    return mark + struct.pack(order + "I", at) + parts + directory(at, entries, order)


def test_R161_kodaks_raw_files_are_told_by_their_directories(facts):
    camera = {0x10F: "EASTMAN KODAK COMPANY", 0x110: "KODAK P880 ZOOM DIGITAL CAMERA", 0x112: (3, 1, 1)}
    photo = (0x8769, {0x9003: TIME, 0xA002: 3264, 0xA003: 2448})
    # The directory of newer cameras' own.
    told = facts("a.kdc", kodak("<", camera, photo, (0xFE00, {0xFA00: "1", 0xFA0D: (1, 1, 0)})), agreeing=OF_FILE)
    assert (told["type"], told["date"], told["size"]) == ("image/x-kodak-kdc", TIME, "3264x2448")
    # The sensor's data, and the date in the first directory.
    camera = {0x10F: "Eastman Kodak Company", 0x110: "Kodak DC120 ZOOM Digital Camera", 0x9003: TIME}
    camera |= {0xFE: 1, 0x100: 80, 0x101: 60}
    sensor = {0xFE: 0, 0x100: 848, 0x101: 976, 0x103: 1, 0x106: 32803 << 16}
    told = facts(
        "b.kdc", kodak(">", camera, (0x14A, {**sensor, 0x106: (3, 1, 32803 << 16)})), agreeing=(*OF_FILE, "size")
    )
    assert (told["type"], told["date"], told["size"]) == ("image/x-kodak-kdc", TIME, "848x976")
    # Kodak's compressions.
    for compression, name, model in ((65000, "dcr", "DCS Pro 14N"), (32867, "kdc", "DC290")):
        sensor = {0xFE: 0, 0x100: 4560, 0x101: 3048, 0x103: (3, 1, compression)}
        told = facts(
            f"a.{name}", kodak("<", {0x10F: "Kodak", 0x110: model}, (0x14A, sensor)), agreeing=(*OF_FILE, "size")
        )
        assert (told["type"], told["size"]) == (f"image/x-kodak-{name}", "4560x3048")
    # No raw file: a picture that one of its programs wrote.
    program = {0x10F: "Kodak", 0x110: "DCS Pro 14N", 0x100: 8, 0x101: 8, 0x103: (3, 1, 1), 0x106: (3, 1, 2)}
    assert facts("a.tif", kodak("<", program, photo))["type"] == "image/tiff"


@pytest.mark.parametrize("stray", [b"\0\0", b"\xd8", b"\r\n" * 300, b"\xff\0\xff\xd8"])
def test_R161_bytes_before_a_jpegs_first_marker_are_skipped(facts, stray):
    whole = jpeg(day(1))
    told = facts("a.jpg", whole[:2] + stray + whole[2:])
    assert told == facts("b.jpg", whole) and (told["type"], told["size"]) == ("image/jpeg", "64x48")


@pytest.mark.parametrize("rest", [b"", bytes(5000), b"\0\xff" * 2500, b"\0\xff\xd0" * 1500, b"words"])
def test_R161_two_bytes_alone_make_no_jpeg(facts, rest):
    assert facts("a.jpg", b"\xff\xd8" + rest)["type"] == ""


def flir(order):
    """A FLIR camera's segment: its record of the camera has a date four hours behind UTC."""
    number = lambda value, form="I": struct.pack(order + form, value)
    record = number(2, "H") + bytes(898) + number(1_546_413_065) + number(41) + number(240, "h") + bytes(20)
    header = b"FFF\0" + bytes(16) + number(101) + number(64) + number(1) + bytes(32)
    entry = number(0x20, "H") + bytes(10) + number(96) + number(len(record)) + bytes(12)
    return b"FLIR\0\1\0\0" + header + entry + record


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize(
    "tags",
    [
        [],
        [f"-EXIF:DateTimeOriginal={TIME}"],
        [f"-EXIF:DateTimeOriginal={TIME}", "-GPSDateStamp=2019:01:02", "-GPSTimeStamp=02:11:00"],
        ["-EXIF:CreateDate=2019:01:03 04:12:06", "-EXIF:ModifyDate=2019:01:03 04:12:06"],
        ["-XMP-xmp:CreateDate=2019:01:03 04:12:06+01:00"],
        ["-GPSDateStamp=2019:01:03", "-GPSTimeStamp=02:11:00"],
    ],
    ids=["alone", "EXIF", "EXIF and satellites", "EXIF's date of the file", "XMP's date of the file", "satellites"],
)
def test_R163_a_flir_cameras_date_is_read_with_its_offset(facts, order, tags):
    picture = jpeg(None)
    told = facts("a.jpg", picture[:2] + segment(0xE1, flir(order)) + picture[2:], *tags, agreeing=("date", "offset"))
    assert (told["date"], told["offset"]) == (TIME, "-04:00")


def test_R163_a_corrected_date_goes_before_flirs(facts):
    """exiftool prints FLIR's, which no program corrects."""
    picture = jpeg(None)
    data = picture[:2] + segment(0xE1, flir("<")) + picture[2:]
    told = facts("a.jpg", data, "-EXIF:DateTimeOriginal=2019:01:03 04:12:06")
    assert (told["date"], told["offset"]) == ("2019:01:03 04:12:06", "")


def shorts(*values):
    return struct.pack(f"<{len(values)}H", *values)


# The mark of a Reconyx camera's entries, the place of the date in them, and the date.
RECONYX = {
    "HyperFire": (b"\x01\xf1\x03\0", 22, shorts(5, 11, 3, 1, 2, 2019)),
    "UltraFire": (b"RECONYXUF\0", 59, bytes([5, 11, 3, 2, 1]) + shorts(2019)),
    "HyperFire 2": (b"RECONYXH2\0", 62, shorts(5, 11, 3, 2, 1, 2019)),
}


@pytest.mark.parametrize("tags", [{}, {0x9003: TIME}, {0x9004: "2019:01:03 04:12:06"}], ids=["alone", "EXIF", "file"])
@pytest.mark.parametrize("camera", RECONYX)
def test_R163_a_reconyx_cameras_date_is_read(facts, camera, tags):
    mark, place, date = RECONYX[camera]
    note = mark.ljust(place, b"\0") + date + bytes(200)
    first = {0x10F: "RECONYX", 0x110: camera}
    photo_at = 8 + len(directory(8, {**first, 0x8769: 0}))
    note_at = photo_at + len(directory(photo_at, {**tags, 0x927C: (7, len(note), 0)}))
    tiff = b"II*\0" + struct.pack("<I", 8) + directory(8, {**first, 0x8769: photo_at})
    tiff += directory(photo_at, {**tags, 0x927C: (7, len(note), note_at)}) + note
    picture = jpeg(None)
    data = picture[:2] + segment(0xE1, b"Exif\0\0" + tiff) + picture[2:]
    told = facts("a.jpg", data, agreeing=("date", "offset", "make", "model"))
    assert (told["date"], told["offset"], told["model"]) == (TIME, "", camera)


PACKET = (
    b'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">'
    b'<rdf:Description rdf:about="" xmlns:exif="http://ns.adobe.com/exif/1.0/"'
    b' exif:DateTimeOriginal="2019-01-02T03:11:05+01:00"/></rdf:RDF></x:xmpmeta>'
)
IPTC = b"\x1c\x02\x37\0\x0820190102" + b"\x1c\x02\x3c\0\x0b031105+0100"
RESOURCE = b"8BIM\x04\x04\0\0" + struct.pack(">I", len(IPTC)) + IPTC + b"\0"
EXIF = exif(datetime.datetime.fromisoformat("2019-01-02T03:11:05+01:00"))[4:]


@pytest.mark.parametrize("chunk", ["tEXt", "zTXt", "iTXt"])
@pytest.mark.parametrize(
    "kind, profile",
    [
        ("exif", EXIF),
        ("exif", EXIF[6:]),
        ("APP1", EXIF),
        ("APP1", b"http://ns.adobe.com/xap/1.0/\0" + PACKET),
        ("xmp", PACKET),
        ("iptc", RESOURCE),
        ("iptc", IPTC),
        ("8bim", b"8BIM\x03\xed\0\0\0\0\0\x02\0\0" + RESOURCE),
    ],
    ids=["EXIF", "TIFF", "APP1", "APP1 with XMP", "XMP", "IPTC", "IPTC alone", "Photoshop"],
)
def test_R163_imagemagicks_profiles_in_a_png_are_read(facts, chunk, kind, profile):
    digits = profile.hex()
    lines = "\n".join(digits[at : at + 72] for at in range(0, len(digits), 72))
    text = f"\n{kind.lower()}\n{len(profile):8}\n{lines}\n".encode()
    content = {"tEXt": text, "zTXt": b"\0" + zlib.compress(text), "iTXt": b"\1\0\0\0" + zlib.compress(text)}[chunk]
    data = png(f"{chunk}Raw profile type {kind}\0".encode() + content)
    told = facts("a.png", data, agreeing=("type", "date", "offset"))
    assert (told["date"], told["offset"]) == (TIME, "+01:00")


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("turn", [None, 1, 3, 6, 8])
def test_R163_a_raw_file_of_a_phase_one_back_is_turned_by_its_directory(facts, order, turn):
    told = facts("a.iiq", iiq(day(1), order=order, turn=turn), agreeing=(*OF_FILE, "size"))
    assert told["orientation"] == ("" if turn in (None, 1) else str(turn)) and told["size"] == "64x48"
