"""Delivery of bytes, its record in the ledger, and a client's abilities with its descriptors."""

import base64
import fcntl
import hashlib
import mmap
import os
import pathlib
import stat
import time

import pytest
from photobroker import Connection, VarlinkError

from house.client_functions import read_begin_of_stream
from house.person import Refused, wait_for
from house.pictures import day, jpeg


def original(scene, name):
    return hashlib.sha256((scene.album.folder / name).read_bytes()).hexdigest()


def test_R141_inline_pieces_and_a_descriptor_give_the_same_bytes(scene):
    scene.album.add(20, "large.jpg", padding=1_500_000)
    scene.allow()
    asset = wait_for(lambda: [a for a in scene.app.fetch() if a["filename"] == "large.jpg"], "the picture")[0][
        "localIdentifier"
    ]
    wanted = original(scene, "large.jpg")
    assert scene.app.digest(asset) == wanted
    for piece in (524_288, 100_001):
        assert scene.app.digest_inline(asset, piece) == wanted


def test_R141_a_video_too_large_for_the_cache_is_not_copied_for_each_piece(scene, photographs):
    """Kept copies take up to 256 MiB; a client without descriptors reads hundreds of pieces."""
    scene.allow()
    size = 300 << 20
    start = scene.put_video(photographs, "large.mov", size)
    scene.owner.wait_for_library(scene.library, 7)
    asset = scene.app.named("large.mov")["localIdentifier"]

    def has_read():
        return int(pathlib.Path(f"/proc/{scene.broker.process.pid}/io").read_text().split()[1])

    before, piece = has_read(), 524_288
    for offset in (0, 100, size // 2, size - piece, size - 7):
        reply = scene.app.call("ReadBytes", asset=asset, role="original", offset=offset, length=piece)
        assert base64.b64decode(reply["data"]) == (start[offset:] + bytes(piece))[: min(piece, size - offset)]
        assert (reply["size"], reply["isLast"]) == (size, offset + piece >= size)
    assert has_read() - before < size, "the whole of it was read"
    known = scene.owner.identifier(scene.library, "large.mov")
    entries = scene.owner.call("ReadLedger", library=scene.library, asset=known)["entries"]
    had = [e["bytes"] for e in entries if e["rendition"] == "original"]
    assert sum(had) == 4 * piece + 7 and len(had) in (4, 5)


def test_R141_a_video_of_three_gigabytes_is_served_without_copies(scene, photographs):
    scene.allow()
    app, size, piece = scene.app, 3 << 30, 524_288
    start = scene.put_video(photographs, "film.mov", size)
    scene.owner.wait_for_library(scene.library, 7)
    asset = app.named("film.mov")["localIdentifier"]

    before = scene.broker.held_bytes()
    for offset in (0, size // 2, size - 7):
        reply = app.call("ReadBytes", asset=asset, role="original", offset=offset, length=piece)
        assert base64.b64decode(reply["data"]) == (start[offset:] + bytes(piece))[: min(piece, size - offset)]
        assert (reply["size"], reply["isLast"]) == (size, offset + piece >= size)
    count = len(start) + 300_000
    assert app.run(read_begin_of_stream, tokens=[app.own_token, app.token], asset=asset, count=count) == [
        size,
        hashlib.sha256(start + bytes(300_000)).hexdigest(),
        "operationInterrupted",
    ]
    refusal = app.refusal("OpenResource", asset=asset, role="original")
    message = refusal.parameters["message"]
    assert refusal.reason == "requestNotSupportedForAsset" and "ReadBytes" in message and "StreamResource" in message
    assert str(app.call("GetLimits")["limits"]["openedBytes"]) in message
    if scene.house.has_media:
        assert app.call("GetThumbnail", asset=asset, maxPixels=64, inline=True)["size"] > 100
    assert scene.broker.held_bytes() - before < 64 << 20
    # A file that changed since it was listed is not served, not even in part.
    path = scene.album.folder / "film.mov"
    os.utime(path, ns=(1, 1))
    assert app.refusal("ReadBytes", asset=asset, role="original", offset=0, length=piece).reason in (
        "missingResource",
        "identifierNotFound",
    )
    path.unlink()


def open_streams(agent, tokens, asset, count):
    """Open streams without reading, each on a connection of its own; return sizes or errors."""
    agent.streams, found = [], []
    for number in range(count):
        connection = Connection(agent.path, timeout=60)
        for token in tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        stream = connection.stream("io.photobroker.Library.StreamResource", asset=asset, role="original")
        try:
            reply, descriptors = next(stream)
            found.append(reply["size"])
            agent.streams.append((connection, stream, descriptors[0]))
        except VarlinkError as error:
            found.append(error.parameters["reason"])
    return found


def close_streams(agent):
    for connection, stream, descriptor in agent.streams:
        os.close(descriptor)
        connection.close()


def test_R141_unread_streams_of_a_large_video_hold_no_copies(scene, photographs):
    scene.allow()
    size = 300 << 20
    scene.put_video(photographs, "large.mov", size)
    scene.owner.wait_for_library(scene.library, 7)
    asset = scene.app.named("large.mov")["localIdentifier"]
    tokens, before = [scene.app.own_token, scene.app.token], scene.broker.held_bytes()
    assert scene.app.run(open_streams, tokens=tokens, asset=asset, count=8) == [size] * 8
    assert scene.broker.held_bytes() - before < 64 << 20
    scene.app.run(close_streams)


@pytest.mark.library("shared")
@pytest.mark.parametrize("offset, length", [(-1, 10), (0, 0), (0, -5), (0, 524_289), (2**62, 524_289)])
def test_piece_sizes_are_limited(scene, offset, length):
    scene.allow()
    asset = scene.app.fetch()[0]["localIdentifier"]
    assert scene.app.refusal("ReadBytes", asset=asset, offset=offset, length=length).error == "InvalidParameter"


@pytest.mark.library("shared")
def test_a_piece_beyond_the_end_is_empty(scene):
    scene.allow()
    asset = scene.app.fetch()[0]["localIdentifier"]
    reply = scene.app.call("ReadBytes", asset=asset, offset=1 << 40, length=100)
    assert (reply["data"], reply["isLast"]) == ("", True)


def test_R140_a_later_write_is_invisible_through_an_earlier_descriptor(scene):
    scene.allow()
    name = scene.pictures[0]
    wanted = original(scene, name)
    descriptor = scene.app.open(scene.app.named(name)["localIdentifier"])
    path = scene.album.folder / name
    with open(path, "r+b") as file:
        file.write(b"overwritten in place")
        file.truncate(100)
    time.sleep(0.1)
    assert scene.app.order(do="digest_of_descriptor", descriptor=descriptor) == wanted
    path.unlink()
    assert scene.app.order(do="digest_of_descriptor", descriptor=descriptor) == wanted


@pytest.mark.library("shared")
def test_R141_each_descriptor_has_its_own_position(scene):
    """One program's reading to the end must not move another's position."""
    scene.limit(0)
    asset = scene.app.fetch()[0]["localIdentifier"]

    def read_to_the_end(agent, asset):
        digests = []
        for method in ("OpenResource", "GetThumbnail") * 3:
            parameters = {"role": "original"} if method == "OpenResource" else {"maxPixels": 64}
            reply, descriptors = agent.connection().call_with_descriptors(
                f"io.photobroker.Library.{method}", asset=asset, **parameters
            )
            with os.fdopen(descriptors[0], "rb") as file:
                data = file.read()
            assert len(data) == reply["size"] > 0, f"{method} gave {len(data)} of {reply['size']} bytes"
            digests.append(hashlib.sha256(data).hexdigest())
        return digests[::2]

    assert scene.app.run(read_to_the_end, asset=asset) == [original(scene, scene.pictures[0])] * 3


@pytest.mark.library("shared")
def test_R140_a_descriptor_allows_reading_only(scene):
    scene.allow()
    descriptor = scene.app.open(scene.app.fetch()[0]["localIdentifier"])
    other = scene.broker.app(uid=scene.app.uid)

    def every_trick(agent, descriptor):
        size = os.fstat(descriptor).st_size
        before = agent.digest_of_descriptor(descriptor)
        link = f"/proc/self/fd/{descriptor}"
        tricks = {
            "write": lambda: os.write(descriptor, b"x"),
            "pwrite": lambda: os.pwrite(descriptor, b"x", 0),
            "truncate": lambda: os.ftruncate(descriptor, 0),
            "grow": lambda: os.ftruncate(descriptor, size + 1),
            "allocate": lambda: os.posix_fallocate(descriptor, 0, size + 4096),
            "reopen": lambda: os.open(link, os.O_RDWR),
            "reopen to write": lambda: os.open(link, os.O_WRONLY),
            "reopen to truncate": lambda: os.open(link, os.O_RDWR | os.O_TRUNC),
            "append": lambda: os.open(link, os.O_WRONLY | os.O_APPEND),
            "map to write": lambda: mmap.mmap(descriptor, size, mmap.MAP_SHARED, mmap.PROT_WRITE),
            "chmod": lambda: (os.fchmod(descriptor, 0o777), os.open(link, os.O_RDWR)),
            "chown": lambda: (os.fchown(descriptor, os.getuid(), -1), os.open(link, os.O_RDWR)),
            "unseal": lambda: fcntl.fcntl(descriptor, 1033, 0),
            "link": lambda: os.link(link, f"/tmp/photobroker-{os.getpid()}", follow_symlinks=True),
            "flags": lambda: (fcntl.fcntl(descriptor, fcntl.F_SETFL, os.O_RDWR), os.write(descriptor, b"x")),
            "list": lambda: os.listdir(link),
            "beside it": lambda: os.open("..", os.O_RDONLY, dir_fd=descriptor),
        }
        worked = []
        for name, trick in tricks.items():
            try:
                trick()
                worked.append(name)
            except (OSError, ValueError):
                pass
        seals = fcntl.fcntl(descriptor, 1034)
        return {
            "worked": worked,
            "same": agent.digest_of_descriptor(descriptor) == before,
            "link": os.readlink(link),
            "regular": stat.S_ISREG(os.fstat(descriptor).st_mode),
            "seals": seals,
            "uid": os.fstat(descriptor).st_uid,
        }

    found = scene.app.run(every_trick, descriptor=descriptor)
    assert found["worked"] in ([], ["unseal"]) and "reopen" not in found["worked"], found
    assert found["same"]
    assert found["seals"] & 0b1111 == 0b1111, "seal, shrink, grow, write"
    label = found["link"]
    assert scene.album.folder.name not in label and all(p not in label for p in scene.pictures)
    assert str(scene.owner.uid) not in label
    other.end()


def test_a_stream_delivers_all_bytes_and_reports_progress(scene):
    scene.album.add(21, "stream.jpg", padding=700_000)
    scene.allow()
    asset = wait_for(lambda: [a for a in scene.app.fetch() if a["filename"] == "stream.jpg"], "the picture")[0][
        "localIdentifier"
    ]

    def drain(agent, asset):
        replies = agent.connection("stream").stream(
            "io.photobroker.Library.StreamResource", asset=asset, role="original"
        )
        first, descriptors = next(replies)
        digest = hashlib.sha256()
        while piece := os.read(descriptors[first["descriptor"]], 1 << 16):
            digest.update(piece)
        os.close(descriptors[0])
        later = [reply for reply, _ in replies]
        return {"digest": digest.hexdigest(), "first": first, "later": later}

    found = scene.app.run(drain, asset=asset)
    assert found["digest"] == original(scene, "stream.jpg")
    size = (scene.album.folder / "stream.jpg").stat().st_size
    assert found["first"]["size"] == size
    sent = [r["sent"] for r in found["later"]]
    assert sent == sorted(sent) and sent[-1] == size
    assert [r["isComplete"] for r in found["later"]] == [False] * (len(sent) - 1) + [True]


def test_R92_a_stream_ends_when_its_reader_closes_the_full_pipe(scene):
    scene.album.add(23, "left.jpg", padding=3_000_000)
    scene.allow()
    asset = wait_for(lambda: [a for a in scene.app.fetch() if a["filename"] == "left.jpg"], "the picture")[0][
        "localIdentifier"
    ]

    def leave(agent, asset):
        connection = agent.connection("left")
        connection.socket.settimeout(20)
        replies = connection.stream("io.photobroker.Library.StreamResource", asset=asset, role="original")
        pipe = next(replies)[1][0]
        # Until the pipe is full.
        time.sleep(0.3)
        os.close(pipe)
        try:
            for _ in replies:
                pass
        except VarlinkError as error:
            return [error.name, error.parameters["code"], connection.call("org.varlink.service.GetInfo")["product"]]

    name, code, product = scene.app.run(leave, asset=asset)
    assert code == 3301 and product, (name, code)


def test_a_stream_ends_with_access_within_one_pipe_buffer(scene):
    scene.album.add(22, "long.jpg", padding=3_000_000)
    scene.allow()
    asset = wait_for(lambda: [a for a in scene.app.fetch() if a["filename"] == "long.jpg"], "the picture")[0][
        "localIdentifier"
    ]

    def begin(agent, asset):
        agent.replies = agent.connection("stream").stream(
            "io.photobroker.Library.StreamResource", asset=asset, role="original"
        )
        first, descriptors = next(agent.replies)
        agent.pipe = descriptors[0]
        return len(os.read(agent.pipe, 1000))

    def finish(agent):
        rest = 0
        while piece := os.read(agent.pipe, 1 << 16):
            rest += len(piece)
        try:
            for _ in agent.replies:
                pass
            return {"rest": rest, "end": None}
        except (VarlinkError, ConnectionError) as error:
            return {"rest": rest, "end": str(error)}

    assert scene.app.run(begin, asset=asset) == 1000
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    found = scene.app.run(finish)
    assert found["rest"] <= 65_536, "no more than the pipe held"
    assert found["end"], "the end is an error"
    assert receipt["streams"] == 1
    assert receipt["assetsDelivered"] >= 1


@pytest.mark.library("shared")
def test_thumbnails_are_jpegs_without_metadata(scene):
    if not scene.house.has_media:
        scene.allow()
        refused = scene.app.refusal("GetThumbnail", asset=scene.app.fetch()[0]["localIdentifier"], maxPixels=32)
        assert "photobroker-media" in refused.parameters["message"] or "thumbnail" in refused.parameters["message"]
        return
    scene.allow()
    asset = scene.app.fetch()[0]["localIdentifier"]

    def thumbnail(agent, asset):
        reply, descriptors = agent.connection().call_with_descriptors(
            "io.photobroker.Library.GetThumbnail", asset=asset, maxPixels=32
        )
        data = agent.read(descriptors[0])
        inline = agent.connection().call("io.photobroker.Library.GetThumbnail", asset=asset, maxPixels=32, inline=True)
        return {
            "type": reply["contentType"],
            "start": data[:3].hex(),
            "exif": b"Exif" in data,
            "size": len(data) == reply["size"],
            "inline": base64.b64decode(inline["data"]) == data,
        }

    assert scene.app.run(thumbnail, asset=asset) == {
        "type": "image/jpeg",
        "start": "ffd8ff",
        "exif": False,
        "size": True,
        "inline": True,
    }


@pytest.mark.library("shared")
@pytest.mark.parametrize("pixels", [15, 2561, 0, -1, 2**62])
def test_thumbnail_sizes_are_limited(scene, pixels):
    scene.allow()
    asset = scene.app.fetch()[0]["localIdentifier"]
    assert scene.app.refusal("GetThumbnail", asset=asset, maxPixels=pixels).error == "InvalidParameter"


def test_R139_the_ledger_records_each_app_and_asset(scene):
    scene.limit(0, 1)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    size = (scene.album.folder / scene.pictures[0]).stat().st_size
    scene.app.digest(asset)
    scene.app.call("ReadBytes", asset=asset, role="original", offset=0, length=10)
    known = scene.owner.identifier(scene.library, scene.pictures[0])

    def entries():
        found = scene.owner.call("ReadLedger", library=scene.library, asset=known)["entries"]
        return found if len([e for e in found if e["rendition"] == "original"]) >= 2 else None

    entries = wait_for(entries, "the ledger")
    assert {e["asset"] for e in entries} == {known}
    assert {e["app"] for e in entries} == {scene.app.name}
    assert sorted(e["bytes"] for e in entries if e["rendition"] == "original") == [10, size]
    assert any(e["rendition"] == "metadata" for e in entries)
    [token] = [
        t["accessor"]
        for t in scene.owner.call("ListTokens", library=scene.library, app=scene.app.name)["tokens"]
        if t.get("level")
    ]
    assert {e["accessor"] for e in entries} == {token}, "by which token"
    unseen = scene.owner.identifier(scene.library, scene.pictures[5])
    assert scene.owner.call("ReadLedger", library=scene.library, asset=unseen)["entries"] == []
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    kept = scene.owner.call("ReadLedger", library=scene.library, asset=known)["entries"]
    assert len(kept) >= len(entries), "kept after revocation"


def test_R142_existing_files_stay_untouched(scene):
    def facts():
        return {
            p.name: (p.stat().st_ino, p.stat().st_mtime_ns, p.stat().st_mode, original(scene, p.name))
            for p in scene.album.folder.glob("*.jpg")
        }

    before = facts()
    scene.allow()
    identifiers = [a["localIdentifier"] for a in scene.app.fetch()]
    scene.app.call(
        "PerformChanges",
        changes=[
            {"kind": "setFavorite", "assets": identifiers, "favorite": True},
            {"kind": "setCaption", "assets": identifiers[:1], "text": "Hello"},
            {"kind": "setCreationDate", "assets": identifiers[:1], "creationDate": 1_000_000},
            {"kind": "setLocation", "assets": identifiers[:1], "latitude": 1.5, "longitude": 2.5},
        ],
    )
    asset = scene.app.fetch(identifiers=identifiers[:1])[0]
    assert (asset["creationDate"], asset["latitude"], asset["longitude"], asset["isFavorite"]) == (
        1_000_000,
        1.5,
        2.5,
        True,
    )
    assert scene.owner.rescan(scene.library)["assets"] == len(scene.pictures)
    assert scene.app.fetch(identifiers=identifiers[:1])[0]["creationDate"] == 1_000_000, "edits survive a rescan"
    assert facts() == before


def test_symbolic_links_are_not_followed(scene):
    scene.allow()
    secret = scene.house.folder / f"secret-{scene.app.uid}.jpg"
    secret.write_bytes(jpeg(day(90), b"secret"))
    secret.chmod(0o644)
    (scene.album.folder / "link.jpg").symlink_to(secret)
    os.mkfifo(scene.album.folder / "pipe.jpg")
    scene.album.add(91, "after.jpg")
    wait_for(lambda: "after.jpg" in scene.app.names(), "the picture that came after the link")
    assert not {"link.jpg", "pipe.jpg"} & set(scene.app.names())


def test_R141_pieces_of_two_files_are_not_mixed(scene):
    scene.album.add(20, "torn.jpg", padding=700_000)
    scene.allow()
    asset = wait_for(lambda: [a for a in scene.app.fetch() if a["filename"] == "torn.jpg"], "the picture")[0][
        "localIdentifier"
    ]
    path = scene.album.folder / "torn.jpg"

    def piece(offset, on="main", length=524_288):
        return base64.b64decode(
            scene.app.call("ReadBytes", on=on, asset=asset, role="original", offset=offset, length=length)["data"]
        )

    old = path.read_bytes()
    assert piece(0) + piece(524_288) == old
    assert piece(600_000, on="other") == old[600_000:], "the beginning need not be read"
    new = jpeg(day(20), note=b"tern.jpg", padding=700_000)
    assert len(new) == len(old)
    scene.album.put("torn.jpg", new)
    wait_for(lambda: piece(0, on="third") == new[:524_288], "the other file")
    for on in ("main", "other"):
        for _ in range(2):
            with pytest.raises(Refused) as refused:
                piece(524_288, on=on)
            assert refused.value.reason == "missingResource" and "begin again" in refused.value.parameters["message"]
        assert piece(0, on=on, length=1) == new[:1] and piece(524_288, on=on) == new[524_288:], (
            "from its beginning it is read anew"
        )
    # Reads of other files succeed, also of more files than a connection remembers.
    for name in scene.pictures[:3]:
        other = scene.app.named(name)["localIdentifier"]
        assert scene.app.call("ReadBytes", asset=other, role="original", offset=3, length=10)
