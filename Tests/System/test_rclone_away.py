"""Photos on a remote that change, are missing for a while, or cannot be reached."""

import os

import pytest

from house.person import wait_for
from house.pictures import day
from house.remotes import EVERY_REMOTE, RemoteScene, Gate, HashingWebDAV, PlainHTTP, large, picture, start_server


def test_remote_changes_are_found_and_a_moved_file_keeps_its_identifier(far):
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


@EVERY_REMOTE
def test_a_stopped_remote_is_offline_and_no_photo_counts_as_deleted(far):
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


def test_R95_an_unmounted_disk_behind_a_remote_deletes_nothing(far):
    """The remote answers with an empty folder, as after a deletion of everything."""
    far.limit(0, 1, 2)
    before = far.app.fetch()
    away = far.remote.folder / "away"
    away.mkdir()
    for path in far.remote.photos.iterdir():
        path.rename(away / path.name)
    far.owner.call("RescanLibrary", name=far.library)

    def missed():
        # A busy machine may exceed rclone's deadline first, which makes the library offline too.
        library = far.owner.library(far.library)
        return library["state"] == "offline" and library["problemReason"]["code"] == "photosMissed"

    wait_for(missed, "the photos to be missed")
    assert far.app.fetch() == before
    for path in away.iterdir():
        path.rename(far.remote.photos / path.name)
    far.owner.wait_for_library(far.library, 5)
    assert far.app.fetch() == before


def test_R98_a_server_killed_during_a_listing_deletes_nothing(make_far, remote):
    gate = Gate(remote.port)
    remote.use_port(gate.port)
    for number in range(12):
        remote.put(f"{2000 + number % 6}/picture-{number}.jpg", picture(number), day(number).timestamp())
    far = make_far(remote, 0, expected=12)
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
        gate.end()


@pytest.mark.parametrize("answer", [503, 403, None])
def test_R98_a_failed_request_for_one_file_does_not_delete_it(networked, house, answer):
    """rclone omits such a file from the list without an error."""
    remote = start_server(PlainHTTP, house)
    far = RemoteScene(networked, remote, 3)
    try:
        far.owner.set(far.library, far.app.name, "authorized")
        assert far.app.request() == "authorized"
        before = {a["filename"]: a["localIdentifier"] for a in far.app.fetch()}
        networked.photobroker(far.owner.uid, "asset", "mark", far.library, "--name", "picture-1.jpg", "--never-share")
        wait_for(lambda: len(far.app.fetch()) == 2, "the photo to be kept from the app")

        def is_whole():
            return "is missing or cannot be read" not in (far.owner.library(far.library).get("problem") or "")

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
            name: known for name, known in before.items() if name != "picture-1.jpg"
        }, "never-share holds"
        # A file that the server calls absent is gone.
        remote.heads = {"picture-0.jpg": 404}
        far.owner.call("RescanLibrary", name=far.library)
        far.owner.wait_for_library(far.library, 2)
    finally:
        far.owner.call("RemoveLibrary", name=far.library)
        remote.stop()


def test_R109_unread_and_absent_identifiers_are_distinguished(make_far, webdav, house):
    remote = webdav
    if not house.has_media:
        pytest.skip("photobroker-media is not built")
    for number in range(2):
        remote.put(f"2024/large-{number}.jpg", large(number))
    far = make_far(remote, 0, expected=2)
    far.owner.set(far.library, far.app.name, "authorized")
    assert far.app.request() == "authorized"
    [first, second] = [a["localIdentifier"] for a in far.app.fetch()]
    name = far.app.call("GetCloudIdentifiers", localIdentifiers=[first])["mappings"][0]["cloudIdentifier"]
    remote.stop()
    there, away = far.app.call("GetCloudIdentifiers", localIdentifiers=[first, second])["mappings"]
    assert there["cloudIdentifier"] == name and (away.get("cloudIdentifier"), away["reason"]) == (
        None,
        "networkAccessRequired",
    )
    back = far.app.call("GetLocalIdentifiers", cloudIdentifiers=[name, "nothing"])["mappings"]
    assert back[0]["localIdentifier"] == first and back[1]["reason"] == "networkAccessRequired"
    # The same once the broker knows that the remote is offline.
    far.owner.call("RescanLibrary", name=far.library)
    wait_for(lambda: far.owner.library(far.library)["state"] == "offline", "the library to be offline")
    [away] = far.app.call("GetCloudIdentifiers", localIdentifiers=[second])["mappings"]
    [back] = far.app.call("GetLocalIdentifiers", cloudIdentifiers=["nothing"])["mappings"]
    assert away["reason"] == back["reason"] == "networkAccessRequired"
    remote.start()
    far.owner.wait_for_library(far.library, 2)
    assert (
        far.app.call("GetLocalIdentifiers", cloudIdentifiers=["nothing"])["mappings"][0]["reason"]
        == "identifierNotFound"
    )


def test_R95_the_remotes_hashes_identify_moved_and_touched_files(networked, house):
    remote = start_server(HashingWebDAV, house)
    try:
        names = [f"2024/picture-{n}.jpg" for n in range(3)]
        for number, name in enumerate(names):
            remote.put(name, picture(number), day(number).timestamp())
            if number < 2:
                remote.store_hash(name)
        far = RemoteScene(networked, remote, 0, expected=3)
        far.limit(0, 1, 2)
        before = {a["filename"]: a["localIdentifier"] for a in far.app.fetch()}
        assert sorted(remote.reads()) == [f"/{name}" for name in names], "each once, for what it says of itself"
        remote.ask("MKCOL", "2025")
        remote.move(names[0], "2025/moved.jpg")
        os.utime(remote.photos / names[1], (1_700_000_000, 1_700_000_000))
        far.owner.call("RescanLibrary", name=far.library)
        wait_for(lambda: "moved.jpg" in far.app.names(), "the move to be found")
        assert {a["filename"]: a["localIdentifier"] for a in far.app.fetch()} == {
            "moved.jpg": before["picture-0.jpg"],
            **{n: before[n] for n in ("picture-1.jpg", "picture-2.jpg")},
        }
        assert len(remote.reads()) == 3, "nothing was read again"
        assert far.read(before["picture-0.jpg"]) == picture(0), "it is still known which bytes they are"
        remote.put(names[1], picture(9), day(9).timestamp())
        remote.store_hash(names[1])
        far.owner.call("RescanLibrary", name=far.library)
        changed = wait_for(
            lambda: next(
                (
                    a
                    for a in far.app.fetch()
                    if a["filename"] == "picture-1.jpg" and a["creationDate"] == int(day(9).timestamp() * 1e6)
                ),
                None,
            ),
            "the new bytes",
        )
        assert changed["localIdentifier"] == before["picture-1.jpg"]
        far.owner.call("RemoveLibrary", name=far.library)
    finally:
        remote.stop()
