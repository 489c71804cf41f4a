"""Plugins by other authors, built as their pages say, outside the repository with the kit alone."""

import base64
import json
import os
import re
import shutil
import socket
import subprocess
import zipfile

import pytest

from house.broker import BROKER
from house.person import wait_for
from house.pictures import ROOT, day, jpeg
from house.plugins import follow_page

PACKAGE = ROOT / "Examples/third-party-plugin"
ARCHIVE = ROOT / "Examples/python/archive.plugin"


def picture(number):
    return jpeg(day(number), note=f"picture {number}".encode())


@pytest.fixture(scope="module")
def family_albums(house, running, tmp_path_factory):
    """Follow the page: write its files and run its indented commands."""
    place = tmp_path_factory.mktemp("stranger") / "family-albums"
    place.mkdir()
    checkout = place.parent / "checkout"
    shutil.copytree(ROOT / "Sources/PluginKit", checkout / "Sources/PluginKit", ignore=shutil.ignore_patterns(".build"))
    environment = {
        **os.environ,
        "PHOTOBROKER": str(checkout),
        "PHOTOBROKER_ADMIN_SOCKET": str(running.admin_socket),
        "PATH": f"{house.programs}:{os.environ['PATH']}",
    }
    assert follow_page(PACKAGE / "README.md", place, environment) == 5
    yield place
    running.photobroker(0, "plugin", "remove", "family-albums", "--yes", expect=None)


def test_the_page_shows_the_folders_contents():
    page = (PACKAGE / "README.md").read_text()
    for source in (PACKAGE / "Sources").rglob("*.swift"):
        assert f"```swift\n{source.read_text()}```" in page, source
    package = (PACKAGE / "Package.swift").read_text()
    assert package.replace("../../Sources/PluginKit", "PluginKit") in page


def test_the_pages_options_are_the_plugins():
    page = (PACKAGE / "README.md").read_text()
    source = (PACKAGE / "Sources/FamilyAlbums/Register.swift").read_text()
    written = re.findall(r"^\| `(\w+)` \| [^|]* \| `(\w+)` \|", page, re.MULTILINE)
    assert written == re.findall(r'PluginOption\("(\w+)", [^)]*default: "(\w+)"', source) == [("word", "Family")]


def test_R137_a_third_party_policy_allows_reading_and_not_changing_family_albums(family_albums, scene):
    scene.limit(0, 1)

    def make(title, shared):
        chosen = scene.owner.naming(scene.library, scene.pictures[:3])
        made = scene.owner.call("EditOwnedAlbum", library=scene.library, title=title, add=chosen, shared=shared)
        return made["album"]["album"]

    def titles():
        return [(a["title"], a["count"], a["canEdit"]) for a in scene.app.call("FetchAlbums")["albums"]]

    shown = make("Family 2024", True)
    make("Family secrets", False)
    make("Work", True)
    scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Mine"}])
    assert titles() == [("Mine", 0, True)]
    scene.broker.photobroker(
        scene.owner.uid, "--quiet", "grant", "policy", scene.library, scene.app.name, "family-albums"
    )
    wait_for(lambda: sorted(titles()) == [("Family 2024", 2, False), ("Mine", 0, True)], "the policy to hold")
    album = next(a["localIdentifier"] for a in scene.app.call("FetchAlbums")["albums"] if a["title"] == "Family 2024")
    step = {"kind": "renameAlbum", "album": album, "text": "Ours"}
    assert scene.app.refusal("PerformChanges", changes=[step]).parameters["code"] == 3311
    scene.owner.call("EditOwnedAlbum", library=scene.library, album=shown, shared=False)
    assert titles() == [("Mine", 0, True)]


@pytest.fixture
def archive(house, broker):
    """A library on a ZIP archive, with the plugin installed."""
    program = house.make_folder(f"stranger-{house.fresh_uid()}", 0, mode=0o755) / ARCHIVE.name
    shutil.copy2(ARCHIVE, program)
    broker.photobroker(0, "plugin", "install", program, "--upgrade")
    folder = house.make_folder(f"archive-{house.fresh_uid()}", BROKER)
    yield folder / "export.zip"
    broker.photobroker(0, "plugin", "remove", "archive", "--yes")


def write_archive(path, numbers):
    with zipfile.ZipFile(path.with_suffix(".new"), "w") as made:
        for number in numbers:
            made.writestr(f"2024/picture-{number}.jpg", picture(number), zipfile.ZIP_DEFLATED)
        made.writestr("../outside.jpg", b"x")
        made.writestr("notes.txt", b"x")
    os.chown(path.with_suffix(".new"), BROKER, BROKER)
    os.rename(path.with_suffix(".new"), path)


def test_a_python_storage_serves_an_archive_and_keeps_unreachable_photos(archive, broker):
    write_archive(archive, range(4))
    owner, app = broker.owner(), broker.app()
    library = f"archive-{owner.uid}"
    owner.call(
        "AddLibrary",
        name=library,
        backend="archive",
        options={"path": str(archive), "rescanSeconds": "2"},
        offeredTo=[app.uid],
    )
    assert owner.wait_for_library(library, 4)["skipped"] == 1, "a path out of the archive is no item"
    app.introduce()
    owner.set(library, app.name, "limited")
    owner.select(library, app.name, "picture-1.jpg", "picture-3.jpg")
    assert app.request() == "limited"
    assets = app.fetch()
    assert [a["filename"] for a in assets] == ["picture-3.jpg", "picture-1.jpg"]
    piece = app.call("ReadBytes", asset=assets[1]["localIdentifier"], offset=7, length=524_288)
    assert base64.b64decode(piece["data"]) == picture(1)[7:]
    archive.rename(archive.with_suffix(".away"))
    wait_for(lambda: owner.library(library)["state"] == "offline", "the library to be offline")
    assert len(app.fetch()) == 2, "what is away is not deleted"
    archive.with_suffix(".away").unlink()
    write_archive(archive, [0, 1, 2, 3, 4])
    owner.wait_for_library(library, 5)
    assert [a["localIdentifier"] for a in app.fetch()] == [a["localIdentifier"] for a in assets]
    owner.call("RemoveLibrary", name=library)


class DirectPlugin:
    """The program as the broker starts it, without a broker."""

    def __init__(self, **options):
        self.end, theirs = socket.socketpair()
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$0" 3<&{theirs.fileno()}', ARCHIVE],
            pass_fds=[theirs.fileno()],
            stderr=subprocess.PIPE,
        )
        theirs.close()
        self.end.settimeout(10)
        self.started = self.call("Start", protocol="storage", name="archive", options=options)

    def call(self, method, **parameters):
        self.end.sendall(
            json.dumps({"method": f"io.photobroker.Plugin.{method}", "parameters": parameters}).encode() + b"\0"
        )
        data = b""
        while not data.endswith(b"\0"):
            piece = self.end.recv(65_536)
            assert piece, self.process.stderr.read()
            data += piece
        return json.loads(data[:-1])

    def stop(self):
        self.end.close()
        assert self.process.wait(10) == 0, "it ends by itself when the broker is gone"
        self.process.stderr.close()


@pytest.mark.parametrize(
    "options, told",
    [
        ({}, '"path"'),
        ({"path": "x.zip"}, '"path"'),
        ({"path": "/x.zip", "colour": "blue"}, '"colour"'),
        *[
            ({"path": "/x.zip", "rescanSeconds": bad}, '"rescanSeconds"')
            for bad in ("", "1", "86401", "8640000", "-2", "2.5", "x", "\u0662")
        ],
    ],
)
def test_the_python_plugin_names_a_wrong_option(options, told):
    plugin = DirectPlugin(**options)
    assert plugin.started["parameters"]["code"] == "invalidOption" and told in plugin.started["parameters"]["message"]
    plugin.stop()


def test_the_python_plugin_is_offline_without_an_archive(tmp_path):
    bad = tmp_path / "bad.zip"
    bad.write_bytes(b"PK\x05\x06 no archive")
    for path, method in ((tmp_path / "none.zip", "Facts"), (bad, "Enumerate")):
        plugin = DirectPlugin(path=str(path))
        answer = plugin.call(method)
        assert answer["parameters"]["code"] == "offline" and str(tmp_path) not in answer["parameters"]["message"]
        plugin.stop()


def test_the_python_plugin_is_short():
    assert len(ARCHIVE.read_text().splitlines()) < 150
