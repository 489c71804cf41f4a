"""The guide for plugin authors, followed outside the repository with the kit alone."""

import os
import shutil

import pytest

from house.broker import BROKER
from house.person import wait_for
from house.pictures import ROOT, day, jpeg
from house.plugins import follow_page

GUIDE = ROOT / "Sources/PluginKit/README.md"


@pytest.fixture(scope="module")
def postcards(house, running, tmp_path_factory):
    """A folder with three pictures and one other file, and the number of the guide's steps."""
    tmp_path = tmp_path_factory.mktemp("guide")
    pictures = house.make_folder(f"postcards-{house.fresh_uid()}", BROKER, mode=0o755)
    for number in range(3):
        (pictures / f"card-{number}.jpg").write_bytes(jpeg(day(number), note=f"card {number}".encode()))
        os.chown(pictures / f"card-{number}.jpg", BROKER, BROKER)
    (pictures / "letter.txt").write_text("no picture")
    checkout = tmp_path / "checkout"
    shutil.copytree(ROOT / "Sources/PluginKit", checkout / "Sources/PluginKit", ignore=shutil.ignore_patterns(".build"))
    place = tmp_path / "postcards"
    place.mkdir()
    environment = {
        **os.environ,
        "PHOTOBROKER": str(checkout),
        "PICTURES": str(pictures),
        "PHOTOBROKER_ADMIN_SOCKET": str(running.admin_socket),
        "PATH": f"{house.programs}:{os.environ['PATH']}",
    }
    yield follow_page(GUIDE, place, environment), pictures
    running.photobroker(0, "library", "remove", "cards", "--yes", expect=None)
    running.photobroker(0, "plugin", "remove", "postcards", "--yes", expect=None)


def test_the_guide_leads_from_an_empty_folder_to_a_library(broker, postcards):
    assert postcards[0] == 6
    root = broker.owner(0)
    library = root.wait_for_library("cards", 3)
    assert library["backend"] == "postcards" and library["state"] == "online"
    assert sorted(root.names("cards")) == ["card-0.jpg", "card-1.jpg", "card-2.jpg"]
    assert next(p for p in root.call("ListPlugins")["plugins"] if p["name"] == "postcards")["origin"] == "installed"


def test_R95_the_guides_storage_treats_a_reused_inode_as_another_photo(broker, postcards):
    root, pictures = broker.owner(0), postcards[1]
    root.wait_for_library("cards", 3)
    before = {a["filename"]: a["identifier"] for a in root.assets("cards")}
    broker.photobroker(0, "plugin", "disable", "postcards")
    # A file system may reuse a removed file's inode; renaming it makes that certain.
    reused = pictures / "card-9.jpg"
    os.rename(pictures / "card-0.jpg", reused)
    reused.write_bytes(jpeg(day(9), note=b"another picture"))
    os.rename(pictures / "card-1.jpg", pictures / "moved.jpg")
    (pictures / "card-2.jpg").write_bytes(jpeg(day(2), note=b"edited"))
    broker.photobroker(0, "plugin", "enable", "postcards")
    wait_for(lambda: "card-9.jpg" in root.names("cards"), "the new picture")
    root.wait_for_library("cards", 3)
    after = {a["filename"]: a["identifier"] for a in root.assets("cards")}
    assert after["card-9.jpg"] not in before.values()
    assert (after["moved.jpg"], after["card-2.jpg"]) == (before["card-1.jpg"], before["card-2.jpg"])
