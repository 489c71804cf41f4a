"""R150: an app without places finds none of them on any way by which facts of a photo leave.

Each kind of file is seeded with a place in each carrier that it has. The gate takes a choice of kinds,
carriers and ways in which all pairs occur; PHOTOBROKER_SOAK=1 takes all. GetOwnedPreview gives films
to their owner only, so it is no way out.
"""

import base64
import collections
import hashlib
import itertools
import json
import os
import pathlib
import re
import shutil
import struct
import subprocess

import pytest
from photobroker import Connection

from house.client_functions import read_begin_of_stream
from house.person import children, wait_for
from house.pickers import present, read_item
from house.pictures import REAL, bmp, day, jpeg, placed
from house.places import LATITUDE, LONGITUDE, PLACES, TOWN, seeds_in, tags, told_places
from house.run import Run, require_picture_folders
from house.soak import WHOLE

KINDS = {
    "jpeg": "orientation/f1-exif.jpg",
    "motion.jpg": "motion/ss-motion-photo-shortened.jpg",
    "png": "png/exif.png",
    "heic": "heic/zPug_3.heic",
    "avif": "avif/abc_color_irot_alpha_irot.avif",
    "webp": "webp/exif.webp",
    "gif": "gif/CLP00002.GIF",
    "tif": "tiff/001.tif",
    "mp4": "video/sample_android_slow_motion.mp4",
    "mov": "video/dolbyVision-hdr.MOV",
    "3gp": "video/hello.3gp",
}
# exiftool writes these, where the kind has them.
WRITTEN = {
    "EXIF": ["GPSLatitude", "GPSLatitudeRef", "GPSLongitude", "GPSLongitudeRef", "GPSAltitude", "GPSAreaInformation"],
    "XMP": [name for name in PLACES if name.startswith("XMP-") and "Subject" not in name],
    "keywords": ["XMP-dc:Subject", "XMP-digiKam:TagsList", "IPTC:Keywords"],
    "IPTC": ["IPTC:City", "IPTC:Sub-location"],
    "comment": ["EXIF:UserComment", "Comment", "PNG:Comment"],
    "QuickTime": ["Keys:GPSCoordinates", "UserData:GPSCoordinates", "ItemList:GPSCoordinates"],
}


def box(kind, *content):
    content = b"".join(content)
    return struct.pack(">I", 8 + len(content)) + kind + content


def full(kind, *content):
    return box(kind, bytes(4), *content)


def manifest():
    """A manifest of C2PA with a place in an assertion."""
    words = json.dumps({"exif:GPSLatitude": f"{LATITUDE}", "city": TOWN}).encode()
    label = b"c2pa" + bytes.fromhex("00110010800000aa00389b71") + b"\x03c2pa\0"
    return box(b"jumb", box(b"jumd", label), box(b"json", words))


def motion_film():
    """A film with a place in its texts, and a track of a camera's motion and places."""
    frame, head = b"frame", box(b"ftyp", b"isom", bytes(4))
    sample = struct.pack("<HHdddd", 0, 5, LATITUDE, LONGITUDE, 408.25, 0)
    start = len(head) + 8

    def track(handler, codec, offset, size):
        table = box(
            b"stbl",
            full(b"stsd", struct.pack(">I", 1), box(codec, bytes(78))),
            full(b"stsz", struct.pack(">III", 0, 1, size)),
            full(b"stsc", struct.pack(">IIII", 1, 1, 1, 1)),
            full(b"stco", struct.pack(">II", 1, offset)),
        )
        media = box(b"mdia", full(b"hdlr", bytes(4), handler, bytes(13)), box(b"minf", table))
        return box(b"trak", full(b"tkhd", bytes(80)), media)

    place = f"{LATITUDE:+}{LONGITUDE:+}/{TOWN}".encode()
    index = box(
        b"moov",
        full(b"mvhd", bytes(96)),
        track(b"vide", b"vp09", start, len(frame)),
        track(b"meta", b"camm", start + len(frame), len(sample)),
        box(b"udta", box(b"\xa9xyz", struct.pack(">HH", len(place), 0x15C7), place)),
    )
    return head + box(b"mdat", frame, sample) + index


def with_manifest(kind, data):
    """Add a manifest of C2PA where the kind has a place for it; None if it has none."""
    if kind in ("jpeg", "motion.jpg"):
        body = b"JP\0\1\0\0\0\1" + manifest()
        return data[:2] + b"\xff\xeb" + struct.pack(">H", len(body) + 2) + body + data[2:]
    if kind == "webp":
        chunk = b"C2PA" + struct.pack("<I", len(manifest())) + manifest() + bytes(len(manifest()) % 2)
        return data[:4] + struct.pack("<I", len(data) - 8 + len(chunk)) + data[8:] + chunk
    if kind in ("heic", "avif", "mp4", "mov", "3gp"):
        return data + box(b"uuid", bytes.fromhex("d8fec3d61b0e483c92975828877ec481"), manifest())
    return None


def with_trailer(kind, data):
    """Add the film of a motion photo behind the picture, and a text behind a film."""
    if kind in ("mp4", "mov", "3gp"):
        return data + f"\0\0\0trailer {LATITUDE} {LONGITUDE}".encode()
    return data + (box(b"mpvd", motion_film()) if kind in ("heic", "avif") else motion_film())


# Put in by hand, because exiftool writes none of them.
MADE = {"C2PA": with_manifest, "trailer": with_trailer}


class Seeded:
    """A library of the seeded files, by kind and carrier."""

    def __init__(self, scene, folder):
        self.scene, self.files = scene, {}
        words = []
        for kind, path in KINDS.items():
            # With no fact of its own, so that a seed is in its carrier alone.
            plain = folder / f"plain.{kind}"
            shutil.copyfile(REAL / path, plain)
            words += ["-all=", "--ICC_Profile:all", plain, "-execute"] if kind != "tif" else []
        self.exiftool(words)
        words, made = [], {}
        for kind, carrier in itertools.product(KINDS, [*WRITTEN, *MADE]):
            data = (folder / f"plain.{kind}").read_bytes()
            file = folder / f"{carrier}-{kind.replace('.', '-')}.{kind.rpartition('.')[2]}"
            if carrier in MADE:
                data = MADE[carrier](kind, data)
            else:
                prefix = "EXIF:" if carrier == "EXIF" else ""
                words += [f"-{prefix}{name}={PLACES[name]}" for name in WRITTEN[carrier]] + [file, "-execute"]
            if data:
                file.write_bytes(data)
                made[kind, carrier] = file
        self.exiftool(words)
        film = folder / "track-camm.mp4"
        film.write_bytes(motion_film())
        made["camm.mp4", "track"] = film
        for at, file in made.items():
            if seeds_in(data := file.read_bytes()):
                self.files[at] = file.name
                scene.album.put(file.name, data)
        self.data = {name: (scene.album.folder / name).read_bytes() for name in self.files.values()}
        scene.owner.rescan(scene.library)
        scene.limit(*self.data)
        self.assets = {
            name: asset["localIdentifier"] for name, asset in ((a["filename"], a) for a in scene.app.fetch())
        }
        assert set(self.assets) == set(self.data)

    @staticmethod
    def exiftool(words):
        # It complains of tags that a kind has not.
        common = ["-common_args", "-m", "-q", "-q", "-n", "-overwrite_original"]
        subprocess.run(["exiftool", *map(str, words[:-1]), *common], stderr=subprocess.DEVNULL, check=False)


def open_resource(agent, asset):
    reply, descriptors = agent.connection().call_with_descriptors("io.photobroker.Library.OpenResource", asset=asset)
    data = agent.read(descriptors[reply["descriptor"]])
    os.close(descriptors[0])
    return base64.b64encode(data).decode()


def read_bytes(agent, asset):
    data, read = b"", {"isLast": False}
    while not read["isLast"]:
        read = agent.connection().call("io.photobroker.Library.ReadBytes", asset=asset, offset=len(data), length=50_000)
        data += base64.b64decode(read["data"])
    return base64.b64encode(data).decode()


def stream_resource(agent, asset):
    data = b""
    with Connection(agent.path, timeout=60) as connection:
        for token in agent.tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        for _, descriptors in connection.stream("io.photobroker.Library.StreamResource", asset=asset):
            while descriptors and (piece := os.read(descriptors[0], 1 << 20)):
                data += piece
            for descriptor in descriptors:
                os.close(descriptor)
    return base64.b64encode(data).decode()


def load_item(agent, item):
    for reply, descriptors in agent.connection().stream("io.photobroker.Picker.LoadItem", item=item):
        if descriptors:
            data = os.pread(descriptors[0], reply["size"] + 1, 0)
            os.close(descriptors[0])
    return base64.b64encode(data).decode()


class Ways:
    """The ways by which an app gets the bytes of a file, by name."""

    def __init__(self, seeded):
        self.seeded, self.scene, self.app = seeded, seeded.scene, seeded.scene.app
        self.table = {
            "OpenResource": lambda name: self.reading(open_resource, name),
            "ReadBytes": lambda name: self.reading(read_bytes, name),
            "StreamResource": lambda name: self.reading(stream_resource, name),
            "folder": lambda name: bytes.fromhex(self.program.ask(f"read({name!r})")),
            "LoadItem": lambda name: base64.b64decode(self.app.run(load_item, item=self.items[name])),
            "ReadItem": lambda name: read_item(self.app, self.items[name]),
        }
        if self.scene.house.has_media:
            self.table["GetThumbnail"] = self.thumbnail

    def reading(self, function, name):
        return base64.b64decode(self.app.run(function, asset=self.seeded.assets[name]))

    def thumbnail(self, name):
        asset = self.seeded.assets[name]
        return base64.b64decode(self.app.call("GetThumbnail", asset=asset, maxPixels=256, inline=True)["data"])

    def __enter__(self):
        scene = self.scene
        require_picture_folders(scene.house)
        place = scene.house.make_folder(f"pictures-{scene.house.fresh_uid()}", scene.app.uid)
        self.program = Run(scene.broker, scene.app.uid, place, "--library", scene.library)
        names = list(self.seeded.data)
        selector = scene.owner.naming(scene.library, names)
        scene.owner.answer(self.program.wait_for_prompt(scene.owner), "select", selector=selector)
        assert sorted(self.program.ask("names()")) == sorted(names)
        picker = present(scene, self.app, selectionLimit=0)["picker"]
        scene.owner.call(
            "AnswerPicker", picker=picker, assets=[scene.owner.identifier(scene.library, name) for name in names]
        )
        self.items = {result["filename"]: result["item"] for result in self.app.hear()["results"]}
        return self

    def __exit__(self, *_):
        assert self.program.end() == 0

    def choice(self):
        """All files with all ways; in the gate as few as have all pairs of kind, carrier and way."""
        files = self.seeded.files
        whole = [(kind, carrier, way) for (kind, carrier) in files for way in self.table if self.fits(kind, way)]
        if WHOLE:
            return whole
        chosen, pairs = [], {pair for one in whole for pair in itertools.combinations(one, 2)}
        while pairs:
            best = max(whole, key=lambda one: sum(pair in pairs for pair in itertools.combinations(one, 2)))
            chosen.append(best)
            pairs -= set(itertools.combinations(best, 2))
        return chosen

    @staticmethod
    def fits(kind, way):
        """The film with a camera's motion has no frame that can be shown."""
        return (kind, way) != ("camm.mp4", "GetThumbnail")


@pytest.fixture
def seeded(make_scene, tmp_path):
    if not REAL.exists():
        pytest.skip("no ../shared/photos")
    return Seeded(make_scene(1), tmp_path)


def test_R150_no_way_out_has_a_place_in_any_carrier_of_any_kind(seeded, tmp_path):
    count = collections.Counter(carrier for _, carrier in seeded.files)
    assert set(count) == {*WRITTEN, *MADE, "track"} and {kind for kind, _ in seeded.files} >= set(KINDS), count
    assert len(seeded.files) >= 45, count
    out = tmp_path / "out"
    out.mkdir()
    with Ways(seeded) as ways:
        chosen = ways.choice()
        for number, (kind, carrier, way) in enumerate(chosen):
            name = seeded.files[kind, carrier]
            data = ways.table[way](name)
            if way == "GetThumbnail":
                assert data[:3] == b"\xff\xd8\xff", (kind, carrier)
            else:
                assert len(data) == len(seeded.data[name]), (kind, carrier, way)
            assert seeds_in(data) == [], (kind, carrier, way)
            # exiftool takes no file of a folder without an ending.
            (out / f"{number:04}.{'jpg' if way == 'GetThumbnail' else name.rpartition('.')[2]}").write_bytes(data)
    told = tags(out)
    assert len(told) == len(chosen)
    for one, (_, facts) in zip(chosen, sorted(told.items())):
        assert told_places(facts) == [] and TOWN not in str(facts), (one, told_places(facts))
    # Otherwise a clean result proves nothing.
    stored = tags(seeded.scene.album.folder)
    seen = [at for at, name in seeded.files.items() if told_places(stored[name]) or TOWN in str(stored[name])]
    assert len(seen) >= len(seeded.files) // 2
    print(f"{len(seeded.files)} files, {len(chosen)} ways out, {len(seen)} with places by exiftool")


def test_R150_no_field_filter_name_or_error_has_a_place(seeded):
    scene, app = seeded.scene, seeded.scene.app
    scene.album.put("drawing.bmp", bmp(f"lat {LATITUDE} {TOWN}".encode()))
    scene.owner.rescan(scene.library)
    scene.select("drawing.bmp")
    near = {"south": LATITUDE - 1, "north": LATITUDE + 1, "west": LONGITUDE - 1, "east": LONGITUDE + 1}
    far = {"south": -LATITUDE - 1, "north": -LATITUDE, "west": LONGITUDE - 1, "east": LONGITUDE}

    def words():
        said = [app.call(name) for name in ("FetchAssets", "CountAssets", "FetchAlbums", "FetchVersions")]
        said += [app.call("FetchPersistentChanges"), app.call("DescribeAccess", level="readWrite")]
        assets = [asset["localIdentifier"] for asset in app.fetch()]
        said += [app.call(name, asset=asset) for asset in assets for name in ("GetDetails", "GetResources")]
        names = app.call("GetCloudIdentifiers", localIdentifiers=assets)["mappings"]
        said += [names, app.call("GetLocalIdentifiers", cloudIdentifiers=[name["cloudIdentifier"] for name in names])]
        wrong = [("OpenResource", {"role": "raw"}), ("GetThumbnail", {"maxPixels": 1}), ("ReadBytes", {"length": 0})]
        said += [app.refusal(name, asset=assets[0], **{"offset": 0, **more}).parameters for name, more in wrong]
        return json.dumps(said).encode()

    said = words()
    assert seeds_in(said) == [] and b"latitude" not in said and said.count(b'"withheld": ["location"]') > 100
    # A place that is right and one that is wrong get the same answer, and no word finds a place.
    for name in ("FetchAssets", "CountAssets"):
        right, wrong = (app.refusal(name, options={"place": place}) for place in (near, far))
        assert (right.error, right.parameters) == (wrong.error, wrong.parameters)
    assert [app.count(text=word) for word in (TOWN, f"{LATITUDE}", "geo:lat", "Nowhere")] == [0] * 4
    refused = app.refusal("OpenResource", asset=app.named("drawing.bmp")["localIdentifier"])
    assert refused.reason == "requestNotSupportedForAsset" and seeds_in(str(refused.parameters).encode()) == []
    scene.set_terms(location=True)
    assert b"47.376" in words() and app.count(place=near) > 15, "with places all that finds some"


def test_R150_a_film_that_is_read_in_place_has_no_place(seeded):
    """It is too large for a copy, and each piece is cleaned."""
    scene, data = seeded.scene, seeded.data[seeded.files["mov", "QuickTime"]]
    size = scene.app.call("GetLimits")["limits"]["copiedBytes"] + 12_345
    start = scene.put_video(data, "large.mov", size)
    scene.owner.rescan(scene.library)
    scene.select("large.mov")
    asset = scene.app.named("large.mov")["localIdentifier"]
    read = lambda offset, length: base64.b64decode(
        scene.app.call("ReadBytes", asset=asset, offset=offset, length=length)["data"]
    )
    # Pieces end within the seeds as well.
    for piece in (777, 65_536):
        got = b"".join(read(at, min(piece, len(start) - at)) for at in range(0, len(start), piece))
        assert len(got) == len(start) != got and seeds_in(start) and seeds_in(got) == []
    arguments = {"tokens": [scene.app.own_token, scene.app.token], "asset": asset, "count": len(start)}
    told, digest, _ = scene.app.run(read_begin_of_stream, **arguments)
    assert (told, digest) == (size, hashlib.sha256(got).hexdigest())
    scene.set_terms(location=True)
    assert read(0, len(start)) == start


def test_R150_a_second_read_asks_the_cleaner_no_more(own_scene):
    scene = own_scene
    for number in (7, 8):
        scene.album.put(f"garden-{number}.jpg", placed(jpeg(day(number))))
    scene.owner.rescan(scene.library)
    scene.limit("garden-7.jpg", "garden-8.jpg")
    first, second = (asset["localIdentifier"] for asset in scene.app.fetch())

    def cleaners():
        """How often each cleaner fell asleep, which it does after requests alone; None while one works."""
        found = {}
        for pid in children(scene.broker.process.pid):
            status = pathlib.Path(f"/proc/{pid}/status").read_text()
            if "photobroker-cle" in status.splitlines()[0]:
                if not re.search(r"^State:\s*S", status, re.MULTILINE):
                    return None
                found[pid] = re.search(r"^voluntary_ctxt_switches:\s*(\d+)", status, re.MULTILINE)[1]
        return found

    wakings = lambda: wait_for(cleaners, "the cleaner to sleep")
    digest = scene.app.digest(first)
    before = wakings()
    assert len(before) == 1
    assert scene.app.digest(first) == digest == scene.app.digest_inline(first, piece=100)
    assert wakings() == before
    # Another photo needs it, so a request is seen.
    scene.app.digest(second)
    assert wakings() != before
