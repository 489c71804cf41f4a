"""Libraries on remotes, through rclone, from real servers."""
import base64
import hashlib
import os
import pathlib
import re
import subprocess
import threading
import time

import pytest

from conftest import Scene

from house.broker import BROKER, Album, Broker
from house.person import Refused, children, wait_for
from house.pictures import REAL, day, jpeg
from house.remotes import S3, SFTP, Gate, HashingWebDAV, PlainHTTP, WebDAV, WholeWebDAV
from test_far import begin_all, hear_all


def picture(number, **more):
    return jpeg(day(number), note=f"picture {number}".encode(), **more)


class Far:
    """A broker with a library on a remote, its owner, and an app."""

    def __init__(self, broker, remote, count, expected=None):
        self.broker, self.remote, self.house = broker, remote, broker.house
        self.owner, self.app = broker.owner(), broker.app()
        self.library = f"far-{self.owner.uid}"
        for number in range(count):
            remote.put(f"2024/picture-{number}.jpg", picture(number), day(number).timestamp())
        self.owner.call("AddLibrary", name=self.library, backend="rclone", offeredTo=[self.app.uid], options={
            "remote": remote.remote, "config": str(remote.config), "rescanSeconds": "5"})
        self.owner.wait_for_library(self.library, count if expected is None else expected)
        self.app.introduce()

    def limit(self, *numbers):
        self.owner.set(self.library, self.app.name, "limited")
        self.owner.select(self.library, self.app.name, *[f"picture-{n}.jpg" for n in numbers])
        assert self.app.request() == "limited"

    def read(self, asset):
        data = b""
        while True:
            piece = self.app.call("ReadBytes", asset=asset, offset=len(data), length=524_288)
            data += base64.b64decode(piece["data"])
            if piece["isLast"]:
                return data


@pytest.fixture(scope="module")
def networked(house):
    broker = Broker(house, name=f"own-{house.fresh_uid()}")
    broker.arguments = ["--network", "rclone"]
    yield broker.start()
    broker.end()


def started(server, house):
    if server.missing:
        assert not os.environ.get("CI"), server.missing
        pytest.skip(server.missing)
    return server(house, server.__name__.lower())


@pytest.fixture(params=[WebDAV, SFTP], ids=["WebDAV", "SFTP"])
def remote(request, house):
    remote = started(request.param, house)
    yield remote
    remote.stop()


@pytest.fixture
def far(networked, remote):
    scene = Far(networked, remote, 5)
    yield scene
    scene.owner.call("RemoveLibrary", name=scene.library)


def test_R98_photos_on_a_remote_are_listed_read_and_filtered(far):
    far.limit(0, 3)
    assets = far.app.fetch()
    assert [a["filename"] for a in assets] == ["picture-3.jpg", "picture-0.jpg"], "dates are from the bytes"
    for asset, number in zip(assets, (3, 0)):
        assert hashlib.sha256(far.read(asset["localIdentifier"])).digest() == hashlib.sha256(picture(number)).digest()
    if far.house.has_media:
        assert far.app.call("GetThumbnail", asset=assets[0]["localIdentifier"], maxPixels=64, inline=True)["data"]
    mapping = far.app.call("GetCloudIdentifiers", localIdentifiers=[assets[0]["localIdentifier"]])["mappings"][0]
    # The same photo in a folder has the same name, to an app of the same identifier.
    near = Scene(far.broker, 1)
    near.album.put("elsewhere.jpg", picture(3))
    near.owner.wait_for_library(near.library, 2)
    near.limit("elsewhere.jpg")
    found = near.app.call("GetLocalIdentifiers", cloudIdentifiers=[mapping["cloudIdentifier"]])["mappings"][0]
    assert found["localIdentifier"] == near.app.fetch()[0]["localIdentifier"]
    again = far.app.call("GetLocalIdentifiers", cloudIdentifiers=[mapping["cloudIdentifier"]])["mappings"][0]
    assert again["localIdentifier"] == assets[0]["localIdentifier"]
    album = far.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Trip"}])["createdAlbums"][0]
    named = far.app.call("GetCloudIdentifiers", localIdentifiers=[album])["mappings"][0]["cloudIdentifier"]
    assert far.app.call("GetLocalIdentifiers", cloudIdentifiers=[named])["mappings"][0]["localIdentifier"] == album


def test_what_changes_there_is_found_and_a_moved_file_keeps_its_identifier(far):
    far.limit(0, 1, 2, 3, 4)
    before = {a["filename"]: a["localIdentifier"] for a in far.app.fetch()}
    far.remote.put("2024/picture-7.jpg", picture(7))
    (far.remote.photos / "2025").mkdir()
    os.chown(far.remote.photos / "2025", far.remote.uid, far.remote.uid)
    os.rename(far.remote.photos / "2024/picture-1.jpg", far.remote.photos / "2025/picture-1.jpg")
    os.unlink(far.remote.photos / "2024/picture-2.jpg")
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 5)
    wait_for(lambda: len(far.app.fetch()) == 4, "the deletion to arrive")
    after = {a["filename"]: a["localIdentifier"] for a in far.app.fetch()}
    assert after == {name: identifier for name, identifier in before.items() if name != "picture-2.jpg"}
    assert far.read(after["picture-1.jpg"]) == picture(1)


def test_R43_R142_adding_and_trashing_on_a_remote(far):
    far.limit(0, 1)
    far.owner.set(far.library, far.app.name, "authorized", level="addOnly")
    assert far.app.request("addOnly") == "authorized"
    far.app.use(far.app.own_token, far.app.token)
    upload = far.app.call("BeginUpload")["upload"]
    far.app.call("AppendUpload", upload=upload, data=base64.b64encode(picture(20)).decode())
    far.app.call("AddAsset", filename="new.jpg", upload=upload)
    assert (far.remote.photos / "PhotoBroker/new.jpg").read_bytes() == picture(20)
    assert not [p for p in (far.remote.photos / "PhotoBroker").iterdir() if p.name.startswith(".")]
    far.owner.wait_for_library(far.library, 6)
    far.app.request()
    victim = far.app.named("picture-1.jpg")["localIdentifier"]
    far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
    wait_for(lambda: not (far.remote.photos / "2024/picture-1.jpg").exists(), "the file to be moved into the trash")
    assert [p.read_bytes() for p in far.remote.photos.glob(".photobroker-trash/*/2024/picture-1.jpg")] == [picture(1)]
    assert (far.remote.photos / "2024/picture-0.jpg").read_bytes() == picture(0), "others stay as they are"


def test_R44_what_apps_add_to_a_remote_is_joined_with_nothing_there(far):
    """By their names a raw file and an edited version belong to the photo that is there."""
    far.remote.put("PhotoBroker/IMG_0042.jpg", picture(30), day(30).timestamp())
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 6)
    far.limit(0, 1)
    far.app.call("AddAsset", level="readWrite", filename="IMG_E0042.jpg", contents=base64.b64encode(picture(31)).decode())
    far.app.call("AddAsset", level="readWrite", filename="IMG_0043.jpg", contents=base64.b64encode(picture(32)).decode())
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 8)
    added = far.app.named("IMG_E0042.jpg")["localIdentifier"]
    assert [r["filename"] for r in far.app.call("GetResources", asset=added)["resources"]] == ["IMG_E0042.jpg"]
    kept = {str(p.relative_to(far.remote.photos / "PhotoBroker")) for p in (far.remote.photos / "PhotoBroker").rglob("*.jpg")}
    assert {"IMG_0042.jpg", "IMG_0043.jpg"} < kept and len(kept) == 3, kept
    assert far.read(added) == picture(31)


def test_R142_what_a_request_created_leaves_no_folder_behind_on_a_remote(far):
    far.limit(0, 1)
    steps = [{"kind": "createAsset", "filename": f"new-{n}.jpg", "contents": base64.b64encode(picture(40 + n)).decode()} for n in (0, 1)]
    far.app.call("PerformChanges", changes=steps)
    added = far.remote.photos / "PhotoBroker"
    far.owner.wait_for_library(far.library, 7)
    [folder] = added.iterdir()
    assert len(folder.name) == 16 and sorted(p.name for p in folder.iterdir()) == ["new-0.jpg", "new-1.jpg"]
    far.app.request()
    for number, left in ((0, [folder]), (1, [])):
        victim = far.app.named(f"new-{number}.jpg")["localIdentifier"]
        far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
        wait_for(lambda: not (folder / f"new-{number}.jpg").exists(), "the file to be moved into the trash")
        wait_for(lambda: [*added.iterdir()] == left, f"what is left to be {left}")
    kept = [p.read_bytes() for p in far.remote.photos.glob(f".photobroker-trash/*/PhotoBroker/{folder.name}/*.jpg")]
    assert sorted(kept) == sorted(picture(40 + n) for n in (0, 1)), "it can be brought back"


def test_R98_a_server_that_knows_no_parts_of_files_gives_the_right_bytes_and_facts(networked, house):
    """Photos are looked into by parts; of this server's the wrong bytes would be."""
    files = [path for path in sorted(REAL.rglob("*")) if path.suffix.lower() in {".heic", ".mov", ".cr2", ".dng", ".mp4"}]
    files = [path for path in files if 256 << 10 < path.stat().st_size < 4 << 20][:8]
    if not files:
        assert not os.environ.get("CI")
        pytest.skip("no real photographs beside the checkout")
    remote = started(WholeWebDAV, house)
    owner = networked.owner()
    near_name = f"near-{owner.uid}"
    near = Album(house, near_name, owner.uid)
    for number, path in enumerate(files):
        name = f"{number}-{path.name}"
        remote.put(name, path.read_bytes(), day(number).timestamp())
        near.put(name, path.read_bytes(), day(number).timestamp())
    try:
        far = Far(networked, remote, 0, expected=len(files))
        owner.call("AddLibrary", name=near_name, options={"path": str(near.folder)})
        owner.wait_for_library(near_name, len(files))
        told = ["filename", "mediaType", "creationDate", "pixelWidth", "pixelHeight", "duration"]

        def facts(owner, library):
            return sorted([asset.get(key) for key in told] for asset in owner.assets(library))
        assert facts(far.owner, far.library) == facts(owner, near_name)
        assert remote.sent() > sum(path.stat().st_size for path in files) // 2, "it sent parts"
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        for number, path in enumerate(files):
            assert far.read(far.app.named(f"{number}-{path.name}")["localIdentifier"]) == path.read_bytes()
        owner.call("RemoveLibrary", name=near_name)
        far.owner.call("RemoveLibrary", name=far.library)
    finally:
        remote.stop()


def listeners():
    """The inodes of the sockets that take TCP connections."""
    lines = [line.split() for name in ("tcp", "tcp6") for line in pathlib.Path("/proc/net", name).read_text().splitlines()[1:]]
    return {f"socket:[{line[9]}]" for line in lines if line[3] == "0A"}


class CommandLines(threading.Thread):
    """What every user of the machine reads of each rclone while it runs, and how many sockets of theirs take connections."""

    def __init__(self):
        super().__init__(daemon=True)
        self.seen, self.sockets, self.listening, self.is_over = set(), 0, 0, threading.Event()

    def look(self, pid):
        found = set()
        for number in os.listdir(f"/proc/{pid}/fd"):
            try:
                found.add(os.readlink(f"/proc/{pid}/fd/{number}"))
            except OSError:
                continue
        found = {link for link in found if link.startswith("socket:")}
        self.sockets += len(found)
        self.listening += len(found & listeners())

    def run(self):
        while not self.is_over.wait(0.003):
            for pid in filter(str.isdigit, os.listdir("/proc")):
                try:
                    with open(f"/proc/{pid}/cmdline", "rb") as file:
                        line = file.read()
                except OSError:
                    continue
                if line.startswith(b"/usr/bin/rclone\0"):
                    self.seen.add(line)
                    try:
                        self.look(pid)
                    except OSError:
                        continue

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.is_over.set()
        self.join()


def test_no_command_line_names_a_file_or_folder_of_the_library_and_no_run_takes_connections(networked, remote):
    for name in ("2024/hidden-folder/picture-1.jpg", "picture-2.jpg"):
        remote.put(name, picture(int(name[-5])), day(int(name[-5])).timestamp())
    with CommandLines() as lines:
        far = Far(networked, remote, 1, expected=3)
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        names = ["picture-1.jpg", "picture-2.jpg"]
        assert [far.read(far.app.named(name)["localIdentifier"]) for name in names] == [picture(1), picture(2)]
        upload = far.app.call("BeginUpload")["upload"]
        far.app.call("AppendUpload", upload=upload, data=base64.b64encode(picture(20)).decode())
        far.app.call("AddAsset", filename="added picture.jpg", upload=upload)
        assert (far.remote.photos / "PhotoBroker/added picture.jpg").read_bytes() == picture(20)
        # Also in the remote's own folder, which is above the trash.
        places = [far.remote.photos / name for name in ("2024/hidden-folder/picture-1.jpg", "picture-2.jpg")]
        far.app.call("PerformChanges", changes=[
            {"kind": "delete", "assets": [far.app.named(name)["localIdentifier"] for name in names]}])
        wait_for(lambda: not any(place.exists() for place in places), "the files to be moved into the trash")
        trashed = [a["identifier"] for a in far.owner.call("FetchTrashedAssets", library=far.library)["assets"]]
        far.owner.call("RestoreAssets", library=far.library, identifiers=trashed)
        wait_for(lambda: all(place.exists() for place in places), "the photos to come back")
        assert [place.read_bytes() for place in places] == [picture(1), picture(2)]
        far.owner.call("RemoveLibrary", name=far.library)
    commands = {line.split(b"\0")[-2 if line.endswith(b"\0") else -1] for line in lines.seen}
    assert commands, "none was seen"
    assert lines.sockets, "no connection to the remote was seen"
    assert lines.listening == 0, "rclone takes connections"
    for kind in (b"lsjson", b"cat", b"copy", b"move", b"lsf"):
        assert any(kind in line.split(b"\0") for line in lines.seen), (kind, commands)
    for line in lines.seen:
        for word in (b"picture", b"2024", b"hidden", b"PhotoBroker\0", b"PhotoBroker/", b".photobroker-trash", remote.remote.encode() + b"\0",
                     b"--offset", b"--count"):
            assert word not in line, line


def test_R142_a_file_in_the_place_of_one_that_was_deleted_while_the_remote_was_away_is_not_trashed(far):
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    victims = [far.app.named(f"picture-{n}.jpg")["localIdentifier"] for n in (1, 2)]
    far.remote.stop()
    far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": victims}])
    far.remote.put("2024/picture-1.jpg", picture(21), day(21).timestamp())
    far.remote.start()
    far.owner.call("RescanLibrary", name=far.library)
    wait_for(lambda: not (far.remote.photos / "2024/picture-2.jpg").exists(), "the one that is as it was to be moved into the trash", 150)
    far.owner.wait_for_library(far.library, 4)
    assert (far.remote.photos / "2024/picture-1.jpg").read_bytes() == picture(21)
    assert not list(far.remote.photos.glob(".photobroker-trash/*/2024/picture-1.jpg"))


def test_R142_a_move_into_the_trash_that_was_cut_off_goes_on_where_it_began(far):
    """With the sidecar of a photo already there, and the photo not yet."""
    begun = 0xcbf29ce484222325
    for byte in b"2024/picture-1.jpg":
        begun = (begun ^ byte) * 0x100000001b3 % 2**64
    entry = f".photobroker-trash/{begun:016x}-{1:016x}"
    far.remote.put(f"{entry}/2024/picture-1.xmp", b"a sidecar")
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    victim = far.app.named("picture-1.jpg")["localIdentifier"]
    far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
    wait_for(lambda: not (far.remote.photos / "2024/picture-1.jpg").exists(), "the photo to be moved into the trash")
    assert {p.name for p in (far.remote.photos / entry / "2024").iterdir()} == {"picture-1.jpg", "picture-1.xmp"}
    trashed = [a["identifier"] for a in far.owner.call("FetchTrashedAssets", library=far.library)["assets"]]
    far.owner.call("RestoreAssets", library=far.library, identifiers=trashed)
    wait_for(lambda: (far.remote.photos / "2024/picture-1.jpg").exists(), "the photo to come back")
    assert (far.remote.photos / "2024/picture-1.xmp").read_bytes() == b"a sidecar"


def test_R142_what_was_trashed_before_under_the_same_path_stays_and_the_one_that_is_meant_comes_back(far):
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    for number in (1, 21):
        if number != 1:
            far.remote.put("2024/picture-1.jpg", picture(number))
            far.owner.call("RescanLibrary", name=far.library)
            wait_for(lambda: "picture-1.jpg" in far.app.names(), "the new photo of that name")
        victim = far.app.named("picture-1.jpg")["localIdentifier"]
        far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [victim]}])
        wait_for(lambda: not (far.remote.photos / "2024/picture-1.jpg").exists(), "the file to be moved into the trash")
    kept = {p.read_bytes() for p in far.remote.photos.glob(".photobroker-trash/*/2024/picture-1.jpg")}
    assert kept == {picture(1), picture(21)}, "neither took the other's place"
    trashed = [a["identifier"] for a in far.owner.call("FetchTrashedAssets", library=far.library)["assets"]]
    place = far.remote.photos / "2024/picture-1.jpg"
    # The one that was trashed first, then the other one, which finds its name taken.
    assert far.owner.call("RestoreAssets", library=far.library, identifiers=trashed[1:]) == {"restored": 1}
    assert place.read_bytes() == picture(1)
    assert "move it away" in far.owner.refusal("RestoreAssets", library=far.library, identifiers=trashed[:1]).parameters["message"]
    assert place.read_bytes() == picture(1)
    place.unlink()
    assert far.owner.call("RestoreAssets", library=far.library, identifiers=trashed[:1]) == {"restored": 1}
    assert place.read_bytes() == picture(21)


@pytest.mark.parametrize("text", [
    "[far]\ntype = local\n", "[far]\ntype = webdav\nurl = http://127.0.0.1:1/\nbearer_token_command = /bin/true\n",
    "[far]\ntype = sftp\nhost = 127.0.0.1\nuser = photos\nkey_file = /etc/hostname\n",
    "[far]\ntype = s3\nprovider = AWS\nenv_auth = true\n",
    "[far]\ntype = alias\nremote = /etc\n", "[far]\ntype = webdav\nurl = http://127.0.0.1:1/\n[near]\ntype = local\n"])
def test_a_configuration_that_is_handed_over_reaches_nothing_of_this_machine(networked, house, tmp_path, text):
    owner = networked.owner()
    folder = house.make_folder(f"account-{owner.uid}", owner.uid)
    account = folder / "rclone.conf"
    account.write_text(text)
    os.chown(account, owner.uid, owner.uid)
    account.chmod(0o600)
    made = networked.photobroker(
        owner.uid, "library", "add", "--backend", "rclone", "--option", "remote=far:", "--credential", f"configuration={account}",
        f"local-{owner.uid}", expect=None)
    told = made.stderr + made.stdout
    if made.returncode == 0:
        library = f"local-{owner.uid}"
        wait_for(lambda: owner.library(library)["state"] == "offline" and owner.library(library).get("problem"), "the refusal")
        told = owner.library(library)["problem"]
        owner.call("RemoveLibrary", name=library)
    assert "handed over" in told


def test_a_remote_that_stops_is_offline_and_nothing_is_taken_for_deleted(far):
    far.limit(0, 1, 2)
    names = far.app.names()
    asset = far.app.fetch()[0]["localIdentifier"]
    far.remote.stop()
    far.owner.call("RescanLibrary", name=far.library)
    wait_for(lambda: far.owner.library(far.library)["state"] == "offline", "the library to be offline")
    assert "reached" in far.owner.library(far.library)["problem"]
    assert "secret" not in far.owner.library(far.library)["problem"]
    assert far.app.names() == names, "metadata is still there"
    refused = far.app.refusal("OpenResource", asset=asset)
    assert refused.reason in {"networkError", "libraryVolumeOffline"}
    far.remote.start()
    far.owner.wait_for_library(far.library, 5)
    assert far.app.names() == names
    assert far.read(asset) == picture(2)


def test_R95_a_disk_that_is_away_behind_a_remote_takes_nothing_away(far):
    """The remote answers with an empty folder, as if all had been deleted."""
    far.limit(0, 1, 2)
    before = far.app.fetch()
    away = far.remote.folder / "away"
    away.mkdir()
    for path in far.remote.photos.iterdir():
        path.rename(away / path.name)
    far.owner.call("RescanLibrary", name=far.library)
    wait_for(lambda: far.owner.library(far.library)["state"] == "offline", "the photos to be missed")
    assert far.owner.library(far.library)["problemReason"]["code"] == "photosMissed" and far.app.fetch() == before
    for path in away.iterdir():
        path.rename(far.remote.photos / path.name)
    far.owner.wait_for_library(far.library, 5)
    assert far.app.fetch() == before


def test_R98_a_server_that_is_killed_in_the_middle_of_a_list_takes_nothing_away(networked, remote):
    gate = Gate(remote.port)
    remote.go_through(gate.port)
    for number in range(12):
        remote.put(f"{2000 + number % 6}/picture-{number}.jpg", picture(number), day(number).timestamp())
    far = Far(networked, remote, 0, expected=12)
    try:
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        before = {a["filename"]: a["localIdentifier"] for a in far.app.fetch()}
        assert len(before) == 12
        gate.hold_after(1 << 40)
        far.owner.rescan(far.library)
        whole = gate.passed
        assert whole > 1_000, "a list passed"
        for part in (0.4, 0.9):
            gate.hold_after(int(part * whole))
            far.owner.call("RescanLibrary", name=far.library)
            gate.wait_until_held()
            remote.stop()
            gate.cut()
            gate.open()
            wait_for(lambda: far.owner.library(far.library)["state"] == "offline", "the library to be offline", 60)
            assert {a["filename"]: a["localIdentifier"] for a in far.app.fetch()} == before
            remote.start()
            far.owner.call("RescanLibrary", name=far.library)
            far.owner.wait_for_library(far.library, 12, seconds=60)
            assert {a["filename"]: a["localIdentifier"] for a in far.app.fetch()} == before
    finally:
        far.owner.call("RemoveLibrary", name=far.library)
        gate.end()


def test_R129_a_remote_that_stalls_in_the_middle_of_a_transfer_holds_up_nobody_else(far):
    far.remote.put("big.jpg", picture(30, padding=24 << 20), day(30).timestamp())
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 6)
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    asset = far.app.named("big.jpg")["localIdentifier"]
    neighbour = far.broker.app(uid=far.app.uid)
    neighbour.introduce("org.example.other")
    far.owner.set(far.library, neighbour.name, "authorized")
    assert neighbour.request() == "authorized"
    done = []
    far.remote.freeze()
    reading = threading.Thread(target=lambda: done.append(far.read(asset)))
    reading.start()
    time.sleep(0.5)
    begun = time.monotonic()
    assert len(neighbour.fetch()) == 6
    assert time.monotonic() - begun < 2, "a fetch does not wait for a remote"
    far.remote.thaw()
    reading.join(60)
    assert done and done[0] == picture(30, padding=24 << 20)


def test_R98_a_server_that_is_killed_in_the_middle_of_a_transfer_gives_all_bytes_or_an_error(networked, remote):
    gate = Gate(remote.port)
    remote.go_through(gate.port)
    data = picture(30, padding=8 << 20)
    remote.put("big.jpg", data, day(30).timestamp())
    far = Far(networked, remote, 0, expected=1)
    try:
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        asset = far.app.named("big.jpg")["localIdentifier"]

        def read():
            try:
                outcome.append(far.read(asset))
            except Refused as refused:
                outcome.append(refused)
        for is_back in (False, True):
            outcome = []
            gate.hold_after(3 << 20)
            reading = threading.Thread(target=read)
            reading.start()
            gate.wait_until_held()
            remote.stop()
            gate.cut()
            if is_back:
                remote.start()
            gate.open()
            reading.join(90)
            [found] = outcome
            if is_back:
                assert found == data, found if isinstance(found, Refused) else len(found)
                assert gate.passed < 1.5 * len(data), "what had come was not asked for again"
            else:
                assert isinstance(found, Refused) and found.reason in {"networkError", "libraryVolumeOffline"}, found
                remote.start()
                far.owner.call("RescanLibrary", name=far.library)
                far.owner.wait_for_library(far.library, 1, seconds=60)
    finally:
        far.owner.call("RemoveLibrary", name=far.library)
        gate.end()


def memory(pid):
    """Bytes of memory of a process and of what it started, what several share in parts (PSS), by the program's name."""
    found = {}
    waiting = children(pid)
    while waiting:
        one = waiting.pop()
        try:
            with open(f"/proc/{one}/comm") as comm, open(f"/proc/{one}/smaps_rollup") as rollup:
                size = int(re.search(r"^Pss: +(\d+) kB", rollup.read(), re.M)[1]) << 10
                found.setdefault(comm.read().strip(), []).append(size)
            waiting += children(one)
        except OSError:
            pass
    return found


def test_R128_as_many_transfers_as_a_library_has_turns_for_take_a_known_amount_of_memory(house, record_property):
    remote, broker = started(WebDAV, house), Broker(house, name=f"own-{house.fresh_uid()}")
    gate = Gate(remote.port)
    remote.go_through(gate.port)
    for number in (0, 1):
        remote.put(f"big-{number}.jpg", picture(30 + number, padding=24 << 20), day(30 + number).timestamp())
    broker.arguments = ["--network", "rclone"]
    try:
        far = Far(broker.start(), remote, 0, expected=2)
        other = broker.app()
        far.owner.call("OfferLibrary", name=far.library, offeredTo=[far.app.uid, other.uid])
        apps = [far.app, broker.app(uid=far.app.uid), other, broker.app(uid=other.uid)]
        for number, app in enumerate(apps):
            if app is not far.app:
                app.introduce(f"org.example.number{number}")
            far.owner.set(far.library, app.name, "authorized")
            assert app.request() == "authorized"
        before = memory(broker.process.pid)
        gate.hold_after(8 << 20)
        for app in apps:
            assets = [app.named(f"big-{number}.jpg")["localIdentifier"] for number in (0, 1)]
            app.run(begin_all, tokens=[app.own_token, app.token], calls=[("OpenResource", {"asset": asset}) for asset in assets])
        wait_for(lambda: len(memory(broker.process.pid).get("rclone", [])) >= 16, "eight transfers, each with a look at its file")
        gate.wait_until_held()
        time.sleep(1)
        during = memory(broker.process.pid)
        gate.open()
        for app in apps:
            app.run(hear_all)
        after = memory(broker.process.pid)
        for when, found in (("before", before), ("during", during), ("after", after)):
            told = {name: (len(sizes), sum(sizes) >> 20) for name, sizes in found.items()}
            print(f"\n{when}: processes and MiB (PSS): {told}")
            record_property(f"processes and MiB {when}", str(told))
        # What the plugin's page says, with room for other builds of rclone.
        assert sum(during["rclone"]) + sum(during["photobroker-plu"]) < 8 * (40 << 20)
        assert "rclone" not in after and len(after["photobroker-plu"]) <= 16
        assert max(after["photobroker-plu"]) < 8 << 20
    finally:
        broker.end()
        gate.end()
        remote.stop()


def test_R98_a_server_that_ends_early_and_does_not_say_so_gives_all_bytes_or_an_error(networked, house):
    """Without a length the end of a connection is the end of the file, also for rclone; the listed size says what is missing."""
    remote = started(PlainHTTP, house)
    for number in (1, 2):
        remote.put(f"2024/picture-{number}.jpg", picture(number, padding=200_000), day(number).timestamp())
    far = Far(networked, remote, 1, expected=3)
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    one, two = (far.app.named(f"picture-{number}.jpg")["localIdentifier"] for number in (1, 2))
    remote.asked.clear()
    remote.sends = 70_000
    assert far.read(one) == picture(1, padding=200_000), "it goes on where it was cut off"
    assert [first for _, first in remote.asked] == [0, 70_000, 140_000]
    remote.sends = 0
    refused = far.app.refusal("ReadBytes", asset=two, offset=0, length=1_000)
    assert refused.reason == "networkError", refused
    remote.sends = None
    assert far.read(two) == picture(2, padding=200_000)
    far.owner.call("RemoveLibrary", name=far.library)
    remote.stop()


@pytest.mark.parametrize("answer", [503, 403, None])
def test_R98_a_server_that_does_not_answer_for_a_file_once_has_not_deleted_it(networked, house, answer):
    """rclone leaves such a file out of the listing, and ends as if all were well."""
    remote = started(PlainHTTP, house)
    far = Far(networked, remote, 3)
    try:
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        before = {a["filename"]: a["localIdentifier"] for a in far.app.fetch()}
        networked.photobroker(far.owner.uid, "asset", "mark", far.library, "--name", "picture-1.jpg", "--never-share")
        wait_for(lambda: len(far.app.fetch()) == 2, "the photo to be kept from the app")

        def is_whole():
            return "is away or cannot be read" not in (far.owner.library(far.library).get("problem") or "")

        for names in (["picture-1.jpg"], [f"picture-{n}.jpg" for n in range(3)]):
            remote.heads = dict.fromkeys(names, answer)
            far.owner.call("RescanLibrary", name=far.library)
            wait_for(lambda: not is_whole(), "the owner to be told")
            assert far.owner.library(far.library)["assets"] == 3
            assert {a["filename"] for a in far.app.fetch()} == {"picture-0.jpg", "picture-2.jpg"}
            remote.heads = {}
            far.owner.call("RescanLibrary", name=far.library)
            wait_for(is_whole, "the folder to be whole again")
        assert {a["filename"]: a["localIdentifier"] for a in far.app.fetch()} == {
            name: known for name, known in before.items() if name != "picture-1.jpg"}, "never-share holds"
        # One that the server says is not there is gone.
        remote.heads = {"picture-0.jpg": 404}
        far.owner.call("RescanLibrary", name=far.library)
        far.owner.wait_for_library(far.library, 2)
    finally:
        far.owner.call("RemoveLibrary", name=far.library)
        remote.stop()


def test_R98_a_file_that_is_written_over_in_the_middle_of_a_transfer_is_never_half_of_each_version(networked, remote):
    gate = Gate(remote.port)
    remote.go_through(gate.port)
    old, new = (picture(number, padding=8 << 20) for number in (30, 31))
    assert len(old) == len(new)
    place = remote.put("big.jpg", old, day(30).timestamp())
    far = Far(networked, remote, 0, expected=1)
    try:
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        asset = far.app.named("big.jpg")["localIdentifier"]
        outcome = []

        def read():
            try:
                outcome.append(far.read(asset))
            except Refused as refused:
                outcome.append(refused)
        gate.hold_after(3 << 20)
        reading = threading.Thread(target=read)
        reading.start()
        gate.wait_until_held()
        with open(place, "r+b") as file:
            file.write(new)
        os.utime(place, (day(31).timestamp(),) * 2)
        gate.open()
        reading.join(90)
        [found] = outcome
        assert isinstance(found, Refused) or found in (old, new), "half of each"
        far.owner.call("RescanLibrary", name=far.library)
        asset = wait_for(lambda: next((a for a in far.app.fetch() if a["creationDate"] == int(day(31).timestamp() * 1e6)), None),
                         "the new version")
        assert far.read(asset["localIdentifier"]) == new
    finally:
        far.owner.call("RemoveLibrary", name=far.library)
        gate.end()


DETAIL = 3 << 20


def large(number):
    """A photo of 3 MiB, nearly all of it picture data."""
    return picture(number, detail=DETAIL)


def test_R98_photos_are_looked_into_without_reading_them_and_read_as_a_whole_once_a_cloud_identifier_needs_it(networked, house):
    if not house.has_media:
        pytest.skip("photobroker-media is not built")
    remote = started(WebDAV, house)
    far = None
    try:
        for number in range(4):
            remote.put(f"2024/large-{number}.jpg", large(number), day(30).timestamp())
        cut = large(4)[:-(1 << 20)]
        remote.put("2024/large-4.jpg", cut)
        far = Far(networked, remote, 0, expected=4)
        ends = (128 + 16) << 10

        def have_left(count):
            """And a byte for each process that finds out whether parts are sent."""
            return 0 <= remote.sent() - count <= 12
        assert have_left(4 * ends + ends + len(cut)), "of whole ones both ends, and all of the one that was cut off"
        before = remote.sent()
        far.broker.restart()
        far.app.use(far.app.own_token)
        library = far.owner.wait_for_library(far.library, 4)
        assert library["skipped"] == 1 and [f["path"] for f in library["skippedFiles"]] == ["2024/large-4.jpg"]
        assert have_left(before), "what was found of it is known after a new start"
        remote.put("2024/large-4.jpg", cut[:-1])
        far.owner.call("RescanLibrary", name=far.library)
        wait_for(lambda: have_left(before + ends + len(cut) - 1), "another version of it to be looked into")
        os.unlink(remote.photos / "2024/large-4.jpg")
        far.owner.set(far.library, far.app.name, "limited")
        far.owner.select(far.library, far.app.name, "large-0.jpg", "large-1.jpg")
        assert far.app.request() == "limited"
        assets = {a["filename"]: a for a in far.app.fetch()}
        assert {name: asset["creationDate"] for name, asset in assets.items()} == {
            f"large-{n}.jpg": int(day(n).timestamp() * 1e6) for n in (0, 1)}, "dates are from the bytes"
        before = remote.sent()
        # Both ways: what it is called elsewhere, and what of all that the app may see is called so.
        first = assets["large-0.jpg"]["localIdentifier"]
        mapping = far.app.call("GetCloudIdentifiers", localIdentifiers=[first])["mappings"][0]
        assert mapping["cloudIdentifier"] and have_left(before + len(large(0))), "one was read, once"
        back = far.app.call("GetLocalIdentifiers", cloudIdentifiers=[mapping["cloudIdentifier"], "nothing"])["mappings"]
        assert [m.get("localIdentifier") for m in back] == [first, None] and back[1]["reason"] == "identifierNotFound"
        assert have_left(before + 2 * len(large(0))), "the other one that the app may see, and none that it may not"
        far.broker.restart()
        far.app.use(far.app.own_token, far.app.token)
        far.owner.wait_for_library(far.library, 4)
        assert far.app.call("GetCloudIdentifiers", localIdentifiers=[first])["mappings"][0]["cloudIdentifier"] == mapping["cloudIdentifier"]
        assert have_left(before + 2 * len(large(0))), "they were kept"
        assert hashlib.sha256(far.read(first)).digest() == hashlib.sha256(large(0)).digest()
        # Moved, without a hash or an identifier of the remote's: its ends are read to know it again.
        before, old = remote.sent(), far.remote.photos / "2024/large-1.jpg"
        os.rename(old, old.with_name("moved.jpg"))
        far.owner.call("RescanLibrary", name=far.library)
        wait_for(lambda: "moved.jpg" in far.app.names(), "the move to be found")
        assert far.app.named("moved.jpg")["localIdentifier"] == assets["large-1.jpg"]["localIdentifier"]
        assert have_left(before + ends)
    finally:
        if far:
            far.owner.call("RemoveLibrary", name=far.library)
        remote.stop()


def test_R109_what_could_not_be_read_yet_is_told_apart_from_what_is_not_there(networked, house):
    if not house.has_media:
        pytest.skip("photobroker-media is not built")
    remote = started(WebDAV, house)
    far = None
    try:
        for number in range(2):
            remote.put(f"2024/large-{number}.jpg", large(number))
        far = Far(networked, remote, 0, expected=2)
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        [first, second] = [a["localIdentifier"] for a in far.app.fetch()]
        name = far.app.call("GetCloudIdentifiers", localIdentifiers=[first])["mappings"][0]["cloudIdentifier"]
        remote.stop()
        there, away = far.app.call("GetCloudIdentifiers", localIdentifiers=[first, second])["mappings"]
        assert there["cloudIdentifier"] == name and (away.get("cloudIdentifier"), away["reason"]) == (None, "networkAccessRequired")
        back = far.app.call("GetLocalIdentifiers", cloudIdentifiers=[name, "nothing"])["mappings"]
        assert back[0]["localIdentifier"] == first and back[1]["reason"] == "networkAccessRequired"
        # The same once the broker has found out that the remote is away.
        far.owner.call("RescanLibrary", name=far.library)
        wait_for(lambda: far.owner.library(far.library)["state"] == "offline", "the library to be offline")
        [away] = far.app.call("GetCloudIdentifiers", localIdentifiers=[second])["mappings"]
        [back] = far.app.call("GetLocalIdentifiers", cloudIdentifiers=["nothing"])["mappings"]
        assert away["reason"] == back["reason"] == "networkAccessRequired"
        remote.start()
        far.owner.wait_for_library(far.library, 2)
        assert far.app.call("GetLocalIdentifiers", cloudIdentifiers=["nothing"])["mappings"][0]["reason"] == "identifierNotFound"
    finally:
        if far:
            far.owner.call("RemoveLibrary", name=far.library)
        remote.stop()


def test_R95_the_remotes_own_hashes_find_moved_and_touched_files_without_reading_them(networked, house):
    remote = started(HashingWebDAV, house)
    try:
        names = [f"2024/picture-{n}.jpg" for n in range(3)]
        for number, name in enumerate(names):
            remote.put(name, picture(number), day(number).timestamp())
            if number < 2:
                remote.tell_hash(name)
        far = Far(networked, remote, 0, expected=3)
        far.limit(0, 1, 2)
        before = {a["filename"]: a["localIdentifier"] for a in far.app.fetch()}
        assert sorted(remote.reads()) == [f"/{name}" for name in names], "each once, for what it says of itself"
        remote.ask("MKCOL", "2025")
        remote.move(names[0], "2025/moved.jpg")
        os.utime(remote.photos / names[1], (1_700_000_000, 1_700_000_000))
        far.owner.call("RescanLibrary", name=far.library)
        wait_for(lambda: "moved.jpg" in far.app.names(), "the move to be found")
        assert {a["filename"]: a["localIdentifier"] for a in far.app.fetch()} == {
            "moved.jpg": before["picture-0.jpg"], **{n: before[n] for n in ("picture-1.jpg", "picture-2.jpg")}}
        assert len(remote.reads()) == 3, "nothing was read again"
        assert far.read(before["picture-0.jpg"]) == picture(0), "it is still known which bytes they are"
        remote.put(names[1], picture(9), day(9).timestamp())
        remote.tell_hash(names[1])
        far.owner.call("RescanLibrary", name=far.library)
        changed = wait_for(lambda: next((a for a in far.app.fetch() if a["filename"] == "picture-1.jpg"
                                         and a["creationDate"] == int(day(9).timestamp() * 1e6)), None), "the new bytes")
        assert changed["localIdentifier"] == before["picture-1.jpg"]
        far.owner.call("RemoveLibrary", name=far.library)
    finally:
        remote.stop()


def test_what_an_app_read_from_afar_is_kept_on_disk_for_it_alone_and_goes_with_its_access(house):
    remote = started(WebDAV, house)
    broker = Broker(house, name=f"kept-{house.fresh_uid()}")
    broker.arguments = ["--network", "rclone"]
    try:
        far = Far(broker.start(), remote, 2)
        folder = broker.state / "copies" / far.library

        def kept():
            return sorted(p.name for p in folder.iterdir()) if folder.exists() else []
        far.limit(0, 1)
        asset = far.app.named("picture-0.jpg")["localIdentifier"]
        assert kept() == [], "nothing is kept that no app read"
        assert far.read(asset) == picture(0)
        [name] = kept()
        facts = (folder / name).stat()
        assert (facts.st_uid, facts.st_mode & 0o777, folder.stat().st_mode & 0o777) == (BROKER, 0o600, 0o700)
        before = len(remote.reads())
        broker.restart()
        far.app.use(far.app.own_token, far.app.token)
        far.owner.wait_for_library(far.library, 2)
        assert far.read(asset) == picture(0) and len(remote.reads()) == before, "it was there still"
        (folder / name).write_bytes(b"what a crash left behind")
        broker.restart()
        far.app.use(far.app.own_token, far.app.token)
        far.owner.wait_for_library(far.library, 2)
        assert far.read(asset) == picture(0) and len(remote.reads()) == before + 1, "other bytes than were kept are fetched again"
        other = broker.app(uid=far.app.uid)
        other.introduce("org.example.other")
        far.owner.set(far.library, other.name, "authorized")
        assert other.request() == "authorized"
        assert other.call("OpenResource", asset=other.named("picture-0.jpg")["localIdentifier"])
        assert len(remote.reads()) == before + 2 and len(kept()) == 2, "what one app read tells no other app"
        far.owner.call("Revoke", library=far.library, app=far.app.name)
        wait_for(lambda: len(kept()) == 1, "the app's copy to be erased")
        assert name not in kept()
        far.owner.call("RemoveLibrary", name=far.library)
        wait_for(lambda: not folder.exists(), "the library's copies to be erased")
    finally:
        broker.end()
        remote.stop()


def load(agent, item):
    """Loads an item with progress; what was told on the way, and a digest of what came."""
    import hashlib
    import os
    told = []
    for reply, descriptors in agent.connection().stream("io.photobroker.Picker.LoadItem", item=item):
        told.append([reply["received"], reply["isComplete"]])
        if descriptors:
            data = os.pread(descriptors[0], reply["size"] + 1, 0)
            os.close(descriptors[0])
    return told, hashlib.sha256(data).hexdigest()


def give_up(agent, item):
    """Begins to load an item and cancels after the first word of its progress."""
    connection = agent.connection()
    connection.send("io.photobroker.Picker.LoadItem", {"item": item}, more=True)
    first = connection.receive()[0]
    connection.close()
    return first["isComplete"]


def test_R91_R92_a_picked_item_comes_from_afar_with_progress_and_can_be_cancelled(far):
    data = picture(31, padding=8 << 20)
    far.remote.put("far.jpg", data, day(31).timestamp())
    far.owner.call("RescanLibrary", name=far.library)
    far.owner.wait_for_library(far.library, 6)
    items = []
    for app in (far.app, other := far.broker.app(uid=far.app.uid)):
        if app is other:
            app.introduce("org.example.other")
        app.begin("io.photobroker.Picker.Present", library=far.library)
        picker = wait_for(lambda: far.owner.call("ListPickers")["pickers"], "the picker to be open")[0]
        far.owner.call("AnswerPicker", picker=picker["picker"], assets=[far.owner.identifier(far.library, "far.jpg")])
        items.append(app.hear()["results"][0]["item"])
    far.remote.freeze()
    assert other.run(give_up, item=items[1]) is False, "it was not there yet when it was given up"
    far.app.start(load, item=items[0])
    time.sleep(0.5)
    assert not far.app.has_answered(), "it cannot be there: its server does not run"
    far.remote.thaw()
    told, digest = far.app.hear()
    assert digest == hashlib.sha256(data).hexdigest()
    assert len(told) > 2 and [done for _, done in told] == [False] * (len(told) - 1) + [True]
    assert sorted(told) == told and told[0][0] < len(data) == told[-1][0]


def test_bad_options_say_what_to_do_and_hold_no_secret(networked, remote):
    owner = networked.owner()

    def refusal(**options):
        given = {"remote": remote.remote, "config": str(remote.config), **options}
        return owner.refusal("AddLibrary", name="wrong", backend="rclone", options={k: v for k, v in given.items() if v}).parameters["message"]
    assert "config" in refusal(config="/nowhere")
    assert "\"remote\" must be given" in refusal(remote=None)
    assert "such as nextcloud:Photos" in refusal(remote="far,pass=x:")
    assert "no option \"password\"" in refusal(password="x")
    assert "5 to 86400" in refusal(rescanSeconds="1")
    remote.config.chmod(0o644)
    assert "0600" in refusal()
    remote.config.chmod(0o600)
    assert owner.call("ListLibraries")["libraries"] == []


def test_the_account_is_handed_over_as_a_credential_and_is_in_one_file_of_the_broker(networked, remote):
    owner, library = networked.owner(), "far-by-credential"
    for number in range(2):
        remote.put(f"2024/picture-{number}.jpg", picture(number), day(number).timestamp())
    secrets = networked.house.make_folder(f"secrets-{owner.uid}", owner.uid)

    def secret(name, text):
        path = secrets / name
        path.write_text(text)
        os.chown(path, owner.uid, owner.uid)
        path.chmod(0o600)
        return path
    plain = remote.config.read_text()
    words = "tr0ub4dor-and-three-more-words"
    encrypted = secrets / "encrypted"
    encrypted.write_text(plain)
    environment = {"PATH": "/usr/bin:/bin", "RCLONE_CONFIG_PASS": words}
    # rclone only encrypts for a person, and takes one answer at each question.
    asking = subprocess.Popen(["rclone", "--config", encrypted, "config"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
                              stderr=subprocess.DEVNULL, env={"PATH": "/usr/bin:/bin", "HOME": str(secrets)}, text=True)
    for answer in ("s", "a", words, words, "q", "q"):
        time.sleep(0.7)
        asking.stdin.write(answer + "\n")
        asking.stdin.flush()
    asking.stdin.close()
    asking.wait(20)
    assert encrypted.read_text().startswith("# Encrypted rclone configuration File"), "rclone did not encrypt"
    assert subprocess.run(["rclone", "--config", encrypted, "listremotes"], env=environment, capture_output=True, text=True).stdout == "far:\n"
    add = ["library", "add", library, "--backend", "rclone", "--option", f"remote={remote.remote}"]
    refused = networked.photobroker(owner.uid, *add, expect=None)
    assert refused.returncode and '"configuration"' in refused.stderr
    networked.photobroker(
        owner.uid, *add, "--credential", f"configuration={secret('conf', encrypted.read_text())}",
        "--credential", f"configPassword={secret('password', words)}")
    owner.wait_for_library(library, 2)
    kept = networked.state / "credentials" / library
    assert kept.stat().st_mode & 0o777 == 0o600 and words in kept.read_text()
    shown = networked.photobroker(owner.uid, "--json", "library", "show", library).stdout
    line = encrypted.read_text().splitlines()[-1]
    places = {path: path.read_bytes() for path in networked.state.rglob("*") if path.is_file() and path != kept}
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            places[pid] = open(f"/proc/{pid}/cmdline", "rb").read()
        except OSError:
            pass
    for place, data in [*places.items(), ("log", networked.log.encode()), ("shown", shown.encode())]:
        assert words.encode() not in data and line.encode() not in data, place
    refused = networked.photobroker(owner.uid, "library", "set", library, "--forget-credential", "configPassword", expect=65)
    assert "configPassword" in refused.stderr, "without it the library could not be served, so nothing is changed"
    owner.call("RescanLibrary", name=library)
    owner.wait_for_library(library, 2)
    owner.call("RemoveLibrary", name=library)
    wait_for(lambda: not kept.exists(), "the account to be erased")


def test_without_leave_the_plugin_has_no_network(own_broker, remote):
    owner = own_broker.owner()
    message = ""
    try:
        owner.call("AddLibrary", name="far", backend="rclone", options={"remote": remote.remote, "config": str(remote.config)})
        wait_for(lambda: owner.library("far")["state"] == "offline", "the library to be offline")
        message = owner.library("far")["problem"]
        assert owner.library("far")["assets"] == 0
    finally:
        assert "network" in message, message


def test_R98_photos_of_an_S3_server_are_listed_read_added_moved_and_trashed(networked, house):
    remote = started(S3, house)
    far = None
    try:
        far = Far(networked, remote, 3)
        far.limit(0, 2)
        before = {a["filename"]: a["localIdentifier"] for a in far.app.fetch()}
        assert list(before) == ["picture-2.jpg", "picture-0.jpg"], "dates are from the bytes"
        assert far.read(before["picture-0.jpg"]) == picture(0)
        remote.move("2024/picture-0.jpg", "2025/moved.jpg")
        remote.put("2024/large.jpg", large(7))
        far.owner.call("RescanLibrary", name=far.library)
        wait_for(lambda: "moved.jpg" in far.app.names(), "the move to be found")
        assert far.app.named("moved.jpg")["localIdentifier"] == before["picture-0.jpg"], "by the server's MD5"
        far.owner.wait_for_library(far.library, 4)
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        new = far.app.named("large.jpg")
        assert new["creationDate"] == int(day(7).timestamp() * 1e6) and far.read(new["localIdentifier"]) == large(7)
        upload = far.app.call("BeginUpload")["upload"]
        far.app.call("AppendUpload", upload=upload, data=base64.b64encode(picture(20)).decode())
        far.app.call("AddAsset", filename="new.jpg", upload=upload)
        assert "PhotoBroker/new.jpg" in remote.names()
        far.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [new["localIdentifier"]]}])
        wait_for(lambda: "2024/large.jpg" not in remote.names(), "the photo to be moved into the trash")
        remote.stop()
        far.owner.call("RescanLibrary", name=far.library)
        wait_for(lambda: far.owner.library(far.library)["state"] == "offline", "the library to be offline")
        remote.start()
        far.owner.wait_for_library(far.library, 4)
        assert far.read(before["picture-2.jpg"]) == picture(2)
    finally:
        if far:
            far.owner.call("RemoveLibrary", name=far.library)
        remote.stop()
