"""Several owners' libraries in one folder, or inside each other's.

An owner's files, and those that apps saved for an owner, are invisible to other owners, although
the broker's user can read them.
"""

import base64
import os
import subprocess

import pytest

from house.broker import BROKER, Album
from house.person import Refused, as_user, wait_for
from house.pictures import day, jpeg


def write_photo(folder, name, uid, mode=0o640):
    path = folder / name
    path.write_bytes(jpeg(day(uid % 300), note=name.encode()))
    os.chown(path, uid, BROKER)
    path.chmod(mode)


def app_of(broker, owner, library, identifier):
    """Return an app of the owner's own user with full access."""
    app = broker.app(owner.uid)
    app.introduce(identifier)
    owner.set(library, app.name, "authorized")
    app.request()
    return app


def add_photo(app, name):
    picture = base64.b64encode(jpeg(day(40), note=name.encode())).decode()
    return app.call("AddAsset", filename=name, contents=picture)["localIdentifier"]


def delete(app, owner, library, name):
    app.delete(name)
    wait_for(lambda: owner.library(library)["awaitingTrash"] == 0, "the file to be moved")


def skipped_files(owner, library):
    found = owner.library(library)
    return found["skipped"], [file["path"] for file in found.get("skippedFiles") or []]


class Neighbours:
    """Bob's private library in a folder of Alice's, or of root's where all may have libraries."""

    def __init__(self, broker, is_open):
        self.broker, house = broker, broker.house
        alice, bob = house.fresh_uid(), house.fresh_uid()
        self.top = house.make_folder(f"share-{alice}", 0 if is_open else alice, mode=0o755)
        subprocess.run(["setfacl", "-m", f"u:{BROKER}:rwx", self.top], check=True)
        if is_open:
            broker.arguments += ["--open-folder", str(self.top)]
            broker.restart()
        self.folder = self.top / "bob"
        self.folder.mkdir(mode=0o700)
        os.chown(self.folder, bob, bob)
        write_photo(self.folder, "own.jpg", bob, 0o600)
        write_photo(self.top, "alice.jpg", alice)
        broker.photobroker(bob, "library", "add", "bob", self.folder, "--yes")
        self.bob, self.alice = broker.owner(bob), broker.owner(alice)
        self.bob.wait_for_library("bob", 1)
        self.app = app_of(broker, self.bob, "bob", "org.example.bob")
        add_photo(self.app, "secret.jpg")
        assert subprocess.run(as_user(alice, ["ls", self.folder]), capture_output=True).returncode != 0

    def add_alice(self, **options):
        self.alice.call("AddLibrary", name="alice", options={"path": str(self.top), **options})
        self.alice.wait_for_library("alice", 1)
        return app_of(self.broker, self.alice, "alice", "org.example.alice")


@pytest.mark.parametrize("is_open", [False, True], ids=["in a folder of the other's", "in an open folder"])
def test_R13_R126_another_owners_closed_folder_is_neither_served_nor_named_nor_counted(own_broker, is_open):
    scene = Neighbours(own_broker, is_open)
    app = scene.add_alice()
    assert app.names() == ["alice.jpg"] and scene.alice.names("alice") == ["alice.jpg"]
    assert skipped_files(scene.alice, "alice") == (0, [])
    write_photo(scene.folder, "later.jpg", scene.bob.uid)
    add_photo(scene.app, "another.jpg")
    scene.alice.rescan("alice")
    assert app.names() == ["alice.jpg"] and skipped_files(scene.alice, "alice") == (0, [])
    assert {"own.jpg", "secret.jpg", "another.jpg"} <= set(scene.bob.names("bob"))
    # A library closer to it does not help.
    for folder in (scene.folder, scene.folder / "PhotoBroker"):
        with pytest.raises(Refused):
            scene.alice.call("AddLibrary", name="closer", options={"path": str(folder)})


def test_R13_R126_R142_two_owners_of_one_open_folder_have_separate_additions_and_trash(
    own_broker,
):
    broker = own_broker
    top = broker.house.make_folder("common", 0, BROKER, 0o775)
    broker.arguments += ["--open-folder", str(top)]
    broker.restart()
    owners, apps = {}, {}
    for name in ("alice", "bob"):
        owner = owners[name] = broker.owner()
        write_photo(top, f"{name}.jpg", owner.uid)
        owner.call("AddLibrary", name=name, options={"path": str(top)})
        owner.wait_for_library(name, 1)
        apps[name] = app_of(broker, owner, name, f"org.example.{name}")
    for name, app in apps.items():
        add_photo(app, f"saved-by-{name}.jpg")
    for name, owner in owners.items():
        owner.rescan(name)
        assert set(apps[name].names()) == {f"{name}.jpg", f"saved-by-{name}.jpg"}
    for name, other in (("alice", "bob"), ("bob", "alice")):
        delete(apps[name], owners[name], name, f"saved-by-{name}.jpg")
        assert f"saved-by-{other}.jpg" in owners[other].names(other) or name == "bob"
    # Both trash a file of one name, and each restores their own.
    for name in ("alice", "bob"):
        owner = owners[name]
        write_photo(top, "same.jpg", owner.uid)
        owner.rescan(name)
        delete(apps[name], owner, name, "same.jpg")
    trash = owners["alice"].call("FetchTrashedAssets", library="alice")["assets"]
    assert {a["filename"] for a in trash} == {"saved-by-alice.jpg", "same.jpg"}
    owners["alice"].call("RestoreAssets", library="alice", identifiers=[a["identifier"] for a in trash])
    owners["alice"].rescan("alice")
    assert (top / "same.jpg").stat().st_uid == owners["alice"].uid
    assert set(owners["alice"].names("alice")) == {"alice.jpg", "saved-by-alice.jpg", "same.jpg"}
    # A library on the other's saved files does not help.
    saved = next(top.glob(f"PhotoBroker/*{owners['alice'].uid}"))
    with pytest.raises(Refused):
        owners["bob"].call("AddLibrary", name="closer", options={"path": str(saved)})


def test_R142_an_owner_sharing_a_folder_by_group_reads_and_removes_apps_files(
    own_broker,
):
    broker = own_broker
    owner = broker.owner()
    album = Album(broker.house, f"group-{owner.uid}", owner.uid)
    album.fill(2)
    album.folder.chmod(0o2770)
    owner.call("AddLibrary", name="group", options={"path": str(album.folder)})
    owner.wait_for_library("group", 2)
    app = app_of(broker, owner, "group", "org.example.group")
    add_photo(app, "new.jpg")
    delete(app, owner, "group", "picture-000.jpg")

    def as_member(*command):
        return subprocess.run(as_user(owner.uid, list(command), groups=[BROKER]), capture_output=True, cwd="/")

    added = next(album.folder.glob("PhotoBroker/new.jpg"))
    trashed = next(album.folder.glob(".photobroker-trash/*/picture-000.jpg"))
    for path in (added, trashed, trashed.with_name(".origin")):
        assert as_member("cat", str(path)).returncode == 0
        assert path.stat().st_mode & 0o007 == 0 and path.parent.stat().st_mode & 0o007 == 0
        assert as_member("mv", str(path), f"{path}.moved").returncode == 0
        assert as_member("md5sum", f"{path}.moved").returncode == 0


@pytest.mark.parametrize("is_open", [False, True], ids=["in a folder of the other's", "in an open folder"])
def test_R13_R126_additions_go_to_no_other_owners_folder(own_broker, is_open):
    scene = Neighbours(own_broker, is_open)
    for folder in ("bob/PhotoBroker", "bob/new"):
        with pytest.raises(Refused, match="addFolderForeign"):
            scene.alice.call("AddLibrary", name="alice", options={"path": str(scene.top), "addFolder": folder})
    app = scene.add_alice()
    with pytest.raises(Refused, match="addFolderForeign"):
        scene.alice.call("SetUpLibrary", name="alice", options={"addFolder": "bob/PhotoBroker"})
    # A folder that appears there later takes nothing.
    scene.alice.call("SetUpLibrary", name="alice", options={"addFolder": "later/PhotoBroker"})
    scene.alice.wait_for_library("alice", 1)
    scene.folder.rename(scene.top / "later")
    with pytest.raises(Refused, match="takes no new files"):
        add_photo(app, "planted.jpg")
    (scene.top / "later").rename(scene.folder)
    scene.bob.rescan("bob")
    assert set(scene.bob.names("bob")) == {"own.jpg", "secret.jpg"}
    assert not list(scene.folder.rglob("*planted*")) and not list(scene.folder.glob("PhotoBroker/user-*"))
    add_photo(app, "fine.jpg")
    assert set(app.names()) == {"alice.jpg", "fine.jpg"}


@pytest.mark.parametrize("is_open", [False, True], ids=["in a folder of the other's", "in an open folder"])
def test_R13_R126_unreadable_files_in_another_owners_closed_folder_are_not_named(own_broker, is_open):
    scene = Neighbours(own_broker, is_open)

    def close(path):
        subprocess.run(["setfacl", "-b", path], check=True)
        path.chmod(0o700 if path.is_dir() else 0o600)

    (scene.folder / "private").mkdir()
    write_photo(scene.folder, "unreadable.jpg", scene.bob.uid)
    os.chown(scene.folder / "private", scene.bob.uid, scene.bob.uid)
    for name in ("private", "unreadable.jpg"):
        close(scene.folder / name)
    app = scene.add_alice()
    for _ in range(2):
        library = scene.alice.library("alice")
        assert skipped_files(scene.alice, "alice") == (0, []) and library.get("problem") is None, library
        scene.alice.rescan("alice")
    assert app.names() == ["alice.jpg"]
    # A folder closed inside the owner's view is reported.
    (scene.top / "closed").mkdir(mode=0o700)
    os.chown(scene.top / "closed", scene.bob.uid, scene.bob.uid)
    close(scene.top / "closed")
    scene.alice.rescan("alice")
    assert "closed" in skipped_files(scene.alice, "alice")[1]
    assert "bob" not in str(scene.alice.library("alice"))
