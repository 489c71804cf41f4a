"""R150: real photos with seeded places and captions, cleaned by photobroker-clean.

exiftool writes a place and a caption into every carrier that it knows, and judges the result.
"""

import collections
import functools
import os
import pathlib
import shutil
import socket
import subprocess

import pytest

from house.pictures import REAL
from house.places import CAPTIONS, PLACES, TITLE, TOWN, encodings, tags, told_places

# Facts of a photo that stay when its place goes.
STAYING = ["DateTimeOriginal", "Orientation", "ImageWidth", "ImageHeight", "Make", "Model", "Rotation"]
# Files whose EXIF stands in a text of PNG and goes as a whole.
LOSSES = {"paris_icc_exif_xmp.png"}
UNCLEANABLE = {
    "idit.avi",
    "avchd.mts",
    "broken image.JPG",
    "corrupted_city.JPG",
    "truncated2.jpg",
    "cut1pct.jpg",
    "noEOI.jpg",
    "CRW_0305.CRW",
    "SLT-A55V-truncated.arw",
    "hello.avi",
    "video_mkv.mkv",
}


class MediaWorker:
    """photobroker-video, which reads with other libraries and tells a digest of the coded picture."""

    def __init__(self, program):
        ours, theirs = socket.socketpair()
        self.socket, self.sequence = ours, 0
        command = ["python3", "-c", WORKER, str(theirs.fileno()), str(program)]
        self.process = subprocess.Popen(command, pass_fds=[theirs.fileno()])
        theirs.close()

    def facts(self, path):
        return self.ask(path, "facts", "")

    def picture(self, path):
        """The bytes of a thumbnail, or the reason why there is none."""
        output = os.memfd_create("picture")
        problem = self.ask(path, "thumbnail", " jpeg fit 320 320", output).get("problem")
        with open(output, "rb") as made:
            made.seek(0)
            return problem or made.read()

    def ask(self, path, operation, rest, *descriptors):
        self.sequence += 1
        request = f"{operation} {self.sequence}{rest}\0".encode()
        with open(path, "rb") as file:
            socket.send_fds(self.socket, [request], [file.fileno(), *descriptors])
            said = b""
            while not said.endswith(b"\0"):
                assert (piece := self.socket.recv(65536)), path
                said += piece
        lines = said[:-1].decode().splitlines()[1:]
        return {name: value for name, _, value in (line.partition(" ") for line in lines)}

    def close(self):
        self.socket.close()
        self.process.wait()


WORKER = "import os, sys; os.dup2(int(sys.argv[1]), 3); os.execv(sys.argv[2], [sys.argv[2]])"


class Files:
    """Copies of the real photos: seeded, and cleaned of each choice of facts."""

    def __init__(self, program, folder):
        self.program, self.folder, self.names = program, folder, {}
        self.seeded = folder / "seeded"
        self.seeded.mkdir()
        roots = [REAL, REAL.parent / "cases"]
        found = sorted(path for root in roots for path in root.rglob("*") if path.is_file())
        skipped = {".md", ".tsv", ".txt", ".xmp"}
        for number, path in enumerate(path for path in found if path.suffix not in skipped):
            self.names[f"{number:03}{path.suffix}"] = path
            shutil.copyfile(path, self.seeded / f"{number:03}{path.suffix}")
        arguments = [f"-{name}={value}" for name, value in (PLACES | CAPTIONS).items()]
        subprocess.run(
            ["exiftool", "-m", "-q", "-q", "-n", "-overwrite_original", *arguments, str(self.seeded)],
            stderr=subprocess.DEVNULL,
        )
        self.before = tags(self.seeded)

    @functools.cache
    def cleaned(self, facts):
        folder = self.folder / facts
        folder.mkdir()
        refused = {}
        for name in self.names:
            said = subprocess.run(
                [self.program, "--write", self.seeded / name, folder / name, facts],
                capture_output=True,
                text=True,
                timeout=60,
            )
            assert said.returncode in (0, 65), (self.names[name], said.stderr)
            assert (folder / name).exists() == (said.returncode == 0)
            if said.returncode:
                refused[name] = said.stderr
        return folder, refused


@pytest.fixture(scope="module")
def files(house, tmp_path_factory):
    if not REAL.exists():
        pytest.skip("no ../shared/photos")
    return Files(house.programs / "photobroker-clean", tmp_path_factory.mktemp("cleaning"))


@pytest.mark.parametrize("facts", ["location", "location,captions"])
def test_R150_no_seeded_place_or_caption_is_left_in_any_real_file(files, facts):
    folder, refused = files.cleaned(facts)
    after = tags(folder)
    carriers, seeds = collections.Counter(), encodings()
    for name, path in files.names.items():
        before = (files.seeded / name).read_bytes()
        for seed in seeds:
            carriers[seed] += seed in before
        if name in refused:
            continue
        bytes = (folder / name).read_bytes()
        assert len(bytes) == len(before), path
        assert [seed for seed in seeds if seed in bytes] == [], path
        told = {key: value for key, value in after[name].items() if not key.startswith(("ICC", "File:", "System:"))}
        assert told_places(told) == [], path
        assert TOWN not in str(told), path
        if "captions" in facts:
            assert TITLE not in str(told) and TITLE.encode() not in bytes, path
        elif path.name not in LOSSES:
            lost = [
                key
                for key, value in files.before[name].items()
                if key.split(":")[-1] in STAYING and is_told(key) and told.get(key, after[name].get(key)) != value
            ]
            assert lost == [], (path, lost)
    # Otherwise a clean result proves nothing.
    assert sum(count > 0 for count in carriers.values()) >= 9, carriers
    assert {files.names[name].name for name in refused} <= UNCLEANABLE, refused
    kinds = collections.Counter(path.suffix.lower() for name, path in files.names.items() if name not in refused)
    print(f"{facts}: {sum(kinds.values())} cleaned {dict(kinds)}, {len(refused)} refused", *refused.values(), sep="\n")


@pytest.mark.parametrize("latitude, longitude", [(90, 180), (-90, -180), (90, -180), (-90, 180), (0, 180)])
def test_R150_a_place_at_the_edge_of_the_map_goes(house, tmp_path, latitude, longitude):
    if not REAL.exists():
        pytest.skip("no ../shared/photos")
    seeded, cleaned = tmp_path / "seeded", tmp_path / "cleaned"
    seeded.mkdir()
    cleaned.mkdir()
    for name in ("orientation/f1-exif.jpg", "heic/zPug_3.heic", "png/exif.png", "webp/exif.webp"):
        shutil.copyfile(REAL / name, seeded / pathlib.Path(name).name)
    places = {"GPSLatitude": abs(latitude), "GPSLatitudeRef": "S" if latitude < 0 else "N"}
    places |= {"GPSLongitude": abs(longitude), "GPSLongitudeRef": "W" if longitude < 0 else "E"}
    places |= {"XMP-exif:GPSLatitude": latitude, "XMP-exif:GPSLongitude": longitude}
    words = [f"-{tag}={value}" for tag, value in places.items()]
    subprocess.run(["exiftool", "-m", "-q", "-n", "-overwrite_original", *words, seeded], check=True)
    before = tags(seeded)
    for name, told in before.items():
        assert [told[f"Composite:GPS{axis}"] for axis in ("Latitude", "Longitude")] == [latitude, longitude], name
        clean = [house.programs / "photobroker-clean", "--write", seeded / name, cleaned / name, "location"]
        subprocess.run(clean, check=True, timeout=60)
    # None is overwritten with another place, such as 0, 0.
    after = tags(cleaned)
    assert len(after) == len(before) == 4
    assert not [(name, tag) for name, told in after.items() for tag in told if "GPS" in tag]


def is_told(key):
    """Whether a cleaned file may still tell it: no maker note, and no track that was removed."""
    return key.split(":")[0] in {"IFD0", "ExifIFD", "SubIFD", "PNG", "RIFF", "GIF", "Composite", "File", "Track1"}


def test_R150_picture_date_and_orientation_stay_and_another_reader_finds_no_place(files, house):
    if not house.has_media:
        pytest.skip("the media workers are not built")
    folder, refused = files.cleaned("location")
    worker = MediaWorker(house.programs / "photobroker-video")
    compared = collections.Counter()
    for name, path in files.names.items():
        if name in refused:
            continue
        before, after = worker.facts(files.seeded / name), worker.facts(folder / name)
        assert "location" not in after, path
        for fact in ("kind", "type", "size", "coded", "duration", "rate", "frames", "motion", "problem"):
            assert after.get(fact) == before.get(fact), (path, fact)
        # The digest of a film covers its sensors' tracks, and a JPEG's what stands behind its end.
        compared[before.get("picture") == after.get("picture"), before["kind"]] += 1
        # A date may have come from the satellites.
        if path.name not in LOSSES and " gps" not in before.get("date", ""):
            assert after.get("date") == before.get("date"), path
        if path.name not in LOSSES:
            assert after.get("orientation") == before.get("orientation"), path
        assert worker.picture(folder / name) == worker.picture(files.seeded / name), path
    worker.close()
    print(compared)
    assert compared[True, "image"] > 100, compared


def test_R150_a_cleaned_file_is_clean_already(files, tmp_path):
    folder, refused = files.cleaned("captions")
    for name in files.names:
        if name in refused:
            continue
        again = tmp_path / name
        subprocess.run([files.program, "--write", folder / name, again, "captions"], check=True, timeout=60)
        assert again.read_bytes() == (folder / name).read_bytes(), files.names[name]
        os.unlink(again)


def test_R150_a_refusal_names_its_reason_and_writes_nothing(files, tmp_path):
    photo = tmp_path / "photo.avi"
    photo.write_bytes(b"RIFF....AVI LIST")
    copy = tmp_path / "copy"
    said = subprocess.run(
        [files.program, "--write", photo, copy, "location"], capture_output=True, text=True, timeout=60
    )
    assert (said.returncode, copy.exists()) == (65, False)
    assert "its format cannot be cleaned" in said.stderr
    for arguments in (["--write", photo, copy, "places"], ["--write", photo], ["help"]):
        assert subprocess.run([files.program, *arguments], capture_output=True, timeout=60).returncode == 64
    existing = tmp_path / "existing"
    existing.touch()
    clean = next(path for path in files.names.values() if path.suffix == ".jpg")
    assert subprocess.run([files.program, "--write", clean, existing, "location"], timeout=60).returncode == 73
    assert existing.read_bytes() == b""
