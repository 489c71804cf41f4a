"""Lists and reads of photos on a remote, and the app's cached copies."""

import hashlib
import os

import pytest


from house.broker import BROKER, Album, Broker
from house.person import wait_for
from house.pictures import REAL, day, jpeg
from house.remotes import EVERY_REMOTE, PlainHTTP, RemoteScene, WholeWebDAV, large, picture, start_server
from house.scene import Scene


@EVERY_REMOTE
def test_R98_photos_on_a_remote_are_listed_read_and_filtered(far):
    far.limit(0, 3, location=True)
    assets = far.app.fetch()
    assert [a["filename"] for a in assets] == ["picture-3.jpg", "picture-0.jpg"], "dates are from the bytes"
    for asset, number in zip(assets, (3, 0)):
        assert hashlib.sha256(far.read(asset["localIdentifier"])).digest() == hashlib.sha256(picture(number)).digest()
    if far.house.has_media:
        assert far.app.call("GetThumbnail", asset=assets[0]["localIdentifier"], maxPixels=64, inline=True)["data"]
    mapping = far.app.call("GetCloudIdentifiers", localIdentifiers=[assets[0]["localIdentifier"]])["mappings"][0]
    # The same photo in a local folder has the same cloud identifier.
    near = Scene(far.broker, 1)
    near.album.put("elsewhere.jpg", picture(3))
    near.owner.wait_for_library(near.library, 2)
    near.limit("elsewhere.jpg", location=True)
    found = near.app.call("GetLocalIdentifiers", cloudIdentifiers=[mapping["cloudIdentifier"]])["mappings"][0]
    assert found["localIdentifier"] == near.app.fetch()[0]["localIdentifier"]
    again = far.app.call("GetLocalIdentifiers", cloudIdentifiers=[mapping["cloudIdentifier"]])["mappings"][0]
    assert again["localIdentifier"] == assets[0]["localIdentifier"]
    album = far.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Trip"}])["createdAlbums"][0]
    named = far.app.call("GetCloudIdentifiers", localIdentifiers=[album])["mappings"][0]["cloudIdentifier"]
    assert far.app.call("GetLocalIdentifiers", cloudIdentifiers=[named])["mappings"][0]["localIdentifier"] == album


def test_R98_a_server_without_range_requests_gives_correct_bytes_and_facts(networked, house):
    """Metadata is read from parts of files, which this server answers wrongly."""
    files = [
        path for path in sorted(REAL.rglob("*")) if path.suffix.lower() in {".heic", ".mov", ".cr2", ".dng", ".mp4"}
    ]
    files = [path for path in files if 256 << 10 < path.stat().st_size < 4 << 20][:8]
    if not files:
        assert not os.environ.get("CI")
        pytest.skip("no real photographs beside the checkout")
    remote = start_server(WholeWebDAV, house)
    owner = networked.owner()
    near_name = f"near-{owner.uid}"
    near = Album(house, near_name, owner.uid)
    for number, path in enumerate(files):
        name = f"{number}-{path.name}"
        remote.put(name, path.read_bytes(), day(number).timestamp())
        near.put(name, path.read_bytes(), day(number).timestamp())
    try:
        far = RemoteScene(networked, remote, 0, expected=len(files))
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


def test_R98_photos_are_inspected_in_parts_and_read_fully_only_for_a_cloud_identifier(make_far, webdav, house):
    remote = webdav
    if not house.has_media:
        pytest.skip("photobroker-media is not built")
    for number in range(4):
        remote.put(f"2024/large-{number}.jpg", large(number), day(30).timestamp())
    cut = large(4)[: -(1 << 20)]
    remote.put("2024/large-4.jpg", cut)
    far = make_far(remote, 0, expected=5)
    ends = (128 + 16) << 10

    def have_left(count, what):
        """Each process may probe for partial reads with a byte; the server counts sent bytes."""
        wait_for(lambda: remote.sent() >= count, what)
        assert remote.sent() - count <= 12, what

    have_left(4 * ends + ends + len(cut), "of whole ones both ends, and all of the one that was cut off")
    before = remote.sent()
    far.broker.restart()
    far.app.use(far.app.own_token)
    far.owner.wait_for_library(far.library, 5)
    assert [a["filename"] for a in far.owner.assets(far.library) if a["incomplete"]] == ["large-4.jpg"]
    have_left(before, "what was found of it is known after a new start")
    remote.put("2024/large-4.jpg", cut[:-1])
    far.owner.call("RescanLibrary", name=far.library)
    have_left(before + ends + len(cut) - 1, "another version of it was looked into")
    os.unlink(remote.photos / "2024/large-4.jpg")
    far.owner.set(far.library, far.app.name, "limited", terms={"location": True})
    far.owner.select(far.library, far.app.name, "large-0.jpg", "large-1.jpg")
    assert far.app.request() == "limited"
    assets = {a["filename"]: a for a in far.app.fetch()}
    assert {name: asset["creationDate"] for name, asset in assets.items()} == {
        f"large-{n}.jpg": int(day(n).timestamp() * 1e6) for n in (0, 1)
    }, "dates are from the bytes"
    before = remote.sent()
    # In both directions: an asset's cloud identifier, and the visible asset with it.
    first = assets["large-0.jpg"]["localIdentifier"]
    mapping = far.app.call("GetCloudIdentifiers", localIdentifiers=[first])["mappings"][0]
    assert mapping["cloudIdentifier"]
    have_left(before + len(large(0)), "one was read, once")
    back = far.app.call("GetLocalIdentifiers", cloudIdentifiers=[mapping["cloudIdentifier"], "nothing"])["mappings"]
    assert [m.get("localIdentifier") for m in back] == [first, None] and back[1]["reason"] == "identifierNotFound"
    have_left(before + 2 * len(large(0)), "the other one that the app may see, and none that it may not")
    far.broker.restart()
    far.app.use(far.app.own_token, far.app.token)
    far.owner.wait_for_library(far.library, 4)
    assert (
        far.app.call("GetCloudIdentifiers", localIdentifiers=[first])["mappings"][0]["cloudIdentifier"]
        == mapping["cloudIdentifier"]
    )
    have_left(before + 2 * len(large(0)), "they were kept")
    assert hashlib.sha256(far.read(first)).digest() == hashlib.sha256(large(0)).digest()
    # A remote without hashes or identifiers: the moved file is recognized by its ends.
    before, old = remote.sent(), far.remote.photos / "2024/large-1.jpg"
    os.rename(old, old.with_name("moved.jpg"))
    far.owner.call("RescanLibrary", name=far.library)
    wait_for(lambda: "moved.jpg" in far.app.names(), "the move to be found")
    assert far.app.named("moved.jpg")["localIdentifier"] == assets["large-1.jpg"]["localIdentifier"]
    have_left(before + ends, "both ends of the one that was moved")


def test_remote_bytes_are_cached_on_disk_for_their_app_and_end_with_its_access(house, webdav):
    broker = Broker(house, name=f"kept-{house.fresh_uid()}")
    broker.arguments = ["--network", "rclone"]
    try:
        far = RemoteScene(broker.start(), webdav, 2)
        folder = broker.state / "copies" / far.library

        def kept():
            return sorted(p.name for p in folder.iterdir()) if folder.exists() else []

        def read(times, why):
            """The server counts a read once it is over."""
            wait_for(lambda: webdav.reads().count("/2024/picture-0.jpg") >= times, why)
            assert webdav.reads().count("/2024/picture-0.jpg") == times, why

        far.limit(0, 1)
        asset = far.app.named("picture-0.jpg")["localIdentifier"]
        assert kept() == [], "nothing is kept that no app read"
        assert far.read(asset) == picture(0)
        [name] = kept()
        facts = (folder / name).stat()
        assert (facts.st_uid, facts.st_mode & 0o777, folder.stat().st_mode & 0o777) == (BROKER, 0o600, 0o700)
        read(2, "for what it says of itself, and for the app")
        broker.restart()
        far.app.use(far.app.own_token, far.app.token)
        far.owner.wait_for_library(far.library, 2)
        assert far.read(asset) == picture(0)
        read(2, "it was there still")
        (folder / name).write_bytes(b"what a crash left behind")
        broker.restart()
        far.app.use(far.app.own_token, far.app.token)
        far.owner.wait_for_library(far.library, 2)
        assert far.read(asset) == picture(0)
        read(3, "other bytes than were kept are fetched again")
        other = broker.app(uid=far.app.uid)
        other.introduce("org.example.other")
        far.owner.set(far.library, other.name, "authorized")
        assert other.request() == "authorized"
        # A change of access erases the app's copies, and one that was on its way then is not kept.
        its_own = other.named("picture-0.jpg")["localIdentifier"]
        wait_for(lambda: other.digest(its_own) and len(kept()) == 2, "the other app's copy")
        assert webdav.reads().count("/2024/picture-0.jpg") >= 4, "what one app read tells no other app"
        far.owner.call("Revoke", library=far.library, app=far.app.name)
        wait_for(lambda: len(kept()) == 1, "the app's copy to be erased")
        assert name not in kept()
        far.owner.call("RemoveLibrary", name=far.library)
        wait_for(lambda: not folder.exists(), "the library's copies to be erased")
    finally:
        broker.end()


def left_out(far):
    return {file["path"]: file["why"]["code"] for file in far.owner.library(far.library)["skippedFiles"]}


@EVERY_REMOTE
def test_R162_a_remotes_file_is_a_photo_by_its_first_bytes_whatever_its_name(make_far, remote):
    names = ["plain", "photo.dat", "x.jpg_large", "b.tmp", "lone.thm"]
    photos = {name: jpeg(day(3 + number), note=name.encode()) for number, name in enumerate(names)}
    film = b"\0\0\0\x14ftypM4A \0\0\0\0M4A "
    others = {"notes": b"words", "notes.txt": b"words" * 200, "notes.txt~": b"words", "empty": b"", "song.m4a": film}
    backups = dict.fromkeys(["picture-0.jpg_original", "photo.dat~"], jpeg(day(3), note=b"before"))
    for name, data in {**photos, **others, **backups}.items():
        remote.put(f"2024/{name}", data, day(3).timestamp())
    far = make_far(remote, 1, expected=6)
    assert sorted(far.owner.names(far.library)) == sorted(["picture-0.jpg", *photos])
    assert left_out(far) == {f"2024/{name}": "fileBackup" for name in backups}
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    for name, data in photos.items():
        assert far.read(far.app.named(name)["localIdentifier"]) == data
    remote.put("2024/later.dat", jpeg(day(9), note=b"later"))
    remote.put("2024/notes", jpeg(day(10), note=b"notes"))
    far.owner.rescan(far.library)
    assert sorted(far.owner.names(far.library)) == sorted(["picture-0.jpg", *photos, "later.dat", "notes"])
    if hasattr(remote, "reads"):
        read = [path.split("/")[-1] for path in remote.reads()]
        assert [read.count(name) for name in ("notes.txt", "song.m4a", "empty")] == [1, 1, 0], "once each"
    os.unlink(remote.photos / "2024/photo.dat")
    far.owner.rescan(far.library)
    # Its backup is the only photo of that name now.
    assert "photo.dat~" in far.owner.names(far.library) and "photo.dat" not in far.owner.names(far.library)


def test_R162_a_remotes_file_without_known_bytes_is_named_and_a_known_photo_stays(networked, house):
    remote = start_server(PlainHTTP, house)
    photo, words = jpeg(day(20), note=b"photo"), b"words"
    remote.put("2024/photo.dat", photo)
    remote.put("2024/words", words)
    far = RemoteScene(networked, remote, 3, expected=4)
    try:
        before = {a["filename"]: a["identifier"] for a in far.owner.assets(far.library)}
        assert left_out(far) == {}
        # After a restart the plugin knows no bytes.
        remote.kept = {"photo.dat", "words"}
        networked.restart()
        far.owner.rescan(far.library)
        assert left_out(far) == {"2024/photo.dat": "fileFactless", "2024/words": "fileFactless"}
        assert {a["filename"]: a["identifier"] for a in far.owner.assets(far.library)} == before
        remote.kept = set()
        far.owner.rescan(far.library)
        assert left_out(far) == {}
        assert {a["filename"]: a["identifier"] for a in far.owner.assets(far.library)} == before
        # The list lacks a file whose state the server does not tell.
        remote.heads = {"photo.dat": 503, "words": 503}
        far.owner.rescan(far.library)
        assert {a["filename"]: a["identifier"] for a in far.owner.assets(far.library)} == before
        remote.heads = {"photo.dat": 404}
        far.owner.rescan(far.library)
        assert len(far.owner.assets(far.library)) == 3
    finally:
        far.owner.call("RemoveLibrary", name=far.library)
        remote.stop()
