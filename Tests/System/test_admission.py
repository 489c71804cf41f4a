"""Folders that may become a library: the broker can read more than their users can."""

import os
import shutil
import zipfile

import pytest

from house.broker import BROKER, Album
from house.person import Refused, wait_for
from house.pictures import ROOT, day, jpeg
from house.plugins import SHARED, install_shared


def refused(owner, **parameters):
    with pytest.raises(Refused) as error:
        owner.call("AddLibrary", **parameters)
    assert owner.library(parameters["name"]) is None
    return error.value.parameters["message"]


def added_by_an_app(scene):
    """Put a file of the broker's into another owner's library, and return its folder."""
    scene.let_broker_add()
    path = scene.album.folder / "PhotoBroker" / "added.jpg"
    path.write_bytes(jpeg(day(40), note=b"added"))
    os.chown(path, BROKER, BROKER)
    return path.parent


@pytest.mark.parametrize(
    "what",
    ["their folder", "a folder below it", "what apps added there", "a link to it", "the broker's state", "the top"],
)
def test_R126_no_user_gets_a_library_on_another_owners_folder(scene, what):
    added = added_by_an_app(scene)
    below = scene.album.put("below/one.jpg", jpeg(day(41), note=b"below")).parent
    intruder = scene.broker.owner()
    own = scene.house.make_folder(f"own-{intruder.uid}", intruder.uid, BROKER, 0o750)
    os.symlink(scene.album.folder, own / "link")
    place = {
        "their folder": scene.album.folder,
        "a folder below it": below,
        "what apps added there": added,
        "a link to it": own / "link",
        "the broker's state": scene.broker.state,
        "the top": "/",
    }[what]
    message = refused(intruder, name=f"intruder-{intruder.uid}", options={"path": str(place)})
    if what == "the broker's state":
        assert "Permission denied" in message
    else:
        assert "does not belong to its owner" in message and "--open-folder" in message, message
    assert not any(name in message for name in scene.pictures)


@pytest.mark.parametrize("uid", [0, BROKER])
@pytest.mark.parametrize(
    "what", ["the state", "what it lies in", "what is in it", "a link to it", "the sockets' folder", "the top"]
)
def test_R126_no_user_gets_a_library_on_the_brokers_folders(broker, what, uid):
    """Root and the broker's user are refused too: apps would get the keys in the folder."""
    owner, house = broker.owner(uid), broker.house
    link = house.folder / f"link-{house.fresh_uid()}"
    os.symlink(broker.state, link)
    inner = broker.state / f"inner-{house.fresh_uid()}"
    inner.mkdir(mode=0o700)
    os.chown(inner, BROKER, BROKER)
    place = {
        "the state": broker.state,
        "what it lies in": broker.state.parent,
        "what is in it": inner,
        "a link to it": link,
        "the sockets' folder": broker.runtime,
        "the top": "/",
    }[what]
    backend = install_shared(house)
    message = refused(owner, name=f"own-{house.fresh_uid()}", backend=backend, options={"path": str(place)})
    inner.rmdir()
    assert "private folder of the broker" in message and "Choose another folder" in message, message


WANDERING = (
    SHARED.replace('answer({"root": root,', 'answer({"root": root + "/" + parameters_of_start.get("into", ""),')
    .replace(
        '        root = parameters["options"]["path"]',
        '        parameters_of_start = parameters["options"]\n        root = parameters_of_start["path"]',
    )
    .replace(
        '    if method == "Start":',
        '''    if method == "Describe":
        option = lambda name, kind: {"name": name, "type": kind, "optional": kind == "text", "secret": False,
            "summary": "A test."}
        answer({"kit": 1, "plugins": [{"protocol": "storage", "name": "wandering", "summary": "A test.",
        "capabilities": ["read"],
            "options": [option("path", "path"), option("into", "text")]}]})
    elif method == "Start":''',
    )
)


def test_R129_an_installed_storage_serves_only_the_folders_of_its_options(own_broker):
    broker, house = own_broker, own_broker.house
    owner = broker.owner(BROKER)
    plugin = house.folder / "wandering.plugin"
    plugin.write_text(WANDERING)
    plugin.chmod(0o755)
    broker.photobroker(0, "plugin", "install", plugin)
    folder, other = (
        house.make_folder(f"{name}-{house.fresh_uid()}", BROKER, BROKER, 0o755) for name in ("given", "other")
    )
    (folder / "below").mkdir(mode=0o755)
    os.symlink(other, folder / "link")
    for into in (f"../{other.name}", "link"):
        message = refused(
            owner, name=f"w-{house.fresh_uid()}", backend="wandering", options={"path": str(folder), "into": into}
        )
        assert "in none of its options' paths" in message, message
    for into in (".", "below"):
        owner.call(
            "AddLibrary",
            name=f"w-{house.fresh_uid()}",
            backend="wandering",
            options={"path": str(folder), "into": into},
            offeredTo=[],
        )


def test_R126_a_folder_given_to_another_owner_is_not_served_after_a_restart(own_broker, house):
    victim, intruder = own_broker.owner(), own_broker.owner()
    folders = [Album(house, f"album-{owner.uid}", owner.uid) for owner in (victim, intruder)]
    for folder in folders:
        folder.fill(3)
    intruder.add_library("mine", folders[1].folder, [], 3)
    shutil.move(folders[1].folder, f"{folders[1].folder}.away")
    os.symlink(folders[0].folder, folders[1].folder)
    own_broker.restart()
    problem = wait_for(lambda: intruder.library("mine").get("problem"), "the library to be refused")
    assert "does not belong to its owner" in problem and intruder.library("mine")["state"] == "offline"
    assert {asset["filename"] for asset in intruder.assets("mine")} == {
        f"picture-{number:03}.jpg" for number in range(3)
    }, "what it was"


def private_home(house, mode):
    """Make another user's home with entries to probe, closed to the broker unless `mode` opens
    it."""
    home = house.make_folder(f"home-{house.fresh_uid()}", house.fresh_uid(), BROKER, 0o750)
    (home / "file").write_text("private")
    (home / "folder").mkdir(mode=0o755)
    (home / "folder" / "inner").write_text("private")
    (home / "link").symlink_to(home / "folder")
    home.chmod(mode)
    return home, [
        "nothing",
        "file",
        "folder",
        "link",
        "nothing/inner",
        "file/inner",
        "folder/inner",
        "folder/nothing",
        "link/inner",
    ]


@pytest.mark.parametrize("mode", [0o700, 0o750])
def test_R126_no_answer_reveals_the_contents_of_anothers_private_home(own_broker, house, mode):
    home, places = private_home(house, mode)
    owner = own_broker.owner()
    own = Album(house, f"own-{owner.uid}", owner.uid)
    own.fill(1)
    owner.add_library("own", own.folder, [], 1)
    # Links made by the caller, and paths through the home back to the caller's folder, count too.
    ways = [str(home / place) for place in places] + [
        f"{home}/{place}/../../{own.folder.name}" for place in ("nothing", "folder")
    ]
    for number, place in enumerate(places):
        (own.folder / f"way-{number}").symlink_to(home / place)
        ways.append(str(own.folder / f"way-{number}"))

    def answer(method, **parameters):
        with pytest.raises(Refused) as refused:
            owner.call(method, **parameters)
        return refused.value.error, refused.value.parameters

    for method, name in (("AddLibrary", "new"), ("SetUpLibrary", "own")):
        told = {way: answer(method, name=name, options={"path": way}) for way in ways}
        assert len({str(one) for one in told.values()}) == 1, told
        assert told[ways[0]][1]["reason"]["code"] == "folderForeign", told[ways[0]]
    (own.folder / "file").write_text("mine")
    os.chown(own.folder / "file", owner.uid, BROKER)
    assert "No such file" in refused_message(
        answer("AddLibrary", name="new", options={"path": f"{own.folder}/nothing"})
    )
    assert "Not a directory" in refused_message(
        answer("AddLibrary", name="new", options={"path": f"{own.folder}/file"})
    )


def refused_message(answer):
    return answer[1]["message"]


def test_R126_a_folder_replaced_by_a_link_reveals_nothing_of_its_target(own_broker, house):
    home, places = private_home(house, 0o750)
    owner = own_broker.owner()
    own = Album(house, f"own-{owner.uid}", owner.uid)
    own.fill(1)
    owner.add_library("own", own.folder, [], 1)
    shutil.move(own.folder, f"{own.folder}.away")
    told = {}
    for place in places:
        own.folder.symlink_to(home / place)
        own_broker.restart()
        owner.new_connection()
        library = wait_for(
            lambda: (now := owner.library("own"))["state"] == "offline" and now, "the library to be offline"
        )
        told[place] = library["problem"], library["problemReason"]
        own.folder.unlink()
    assert len({str(one) for one in told.values()}) == 1, told


def test_R126_root_opens_a_folder_to_all(own_broker, house):
    album = Album(house, f"shared-{house.fresh_uid()}", BROKER)
    album.fill(2)
    owner = own_broker.owner()
    assert "--open-folder" in refused(owner, name="shared", options={"path": str(album.folder)})
    own_broker.arguments += ["--open-folder", str(album.folder.parent)]
    own_broker.restart()
    owner.add_library("shared", album.folder, [], 2)


def test_R126_a_storage_without_a_folder_is_for_users_who_may_read_all_of_it(own_broker, house):
    own_broker.open_storages = []
    own_broker.restart()
    archive = house.folder / f"archive-{house.fresh_uid()}.zip"
    with zipfile.ZipFile(archive, "w") as file:
        file.writestr("one.jpg", jpeg(day(1), note=b"one"))
    os.chown(archive, BROKER, BROKER)
    archive.chmod(0o600)
    own_broker.photobroker(BROKER, "plugin", "install", ROOT / "Examples/python/archive.plugin")
    owner, broker = own_broker.owner(), own_broker.owner(uid=BROKER)
    wanted = {"backend": "archive", "options": {"path": str(archive)}}
    assert "--open-storage archive" in refused(owner, name="taken", **wanted)
    broker.call("AddLibrary", name="own", **wanted)
    broker.wait_for_library("own", 1)
    own_broker.arguments += ["--open-storage", "archive"]
    own_broker.restart()
    owner.call("AddLibrary", name="let", **wanted)
    owner.wait_for_library("let", 1)
    # A permission that root removes ends at the next start.
    own_broker.arguments = []
    own_broker.restart()
    wait_for(
        lambda: "--open-storage archive" in (owner.library("let").get("problem") or ""), "the library to be refused"
    )
