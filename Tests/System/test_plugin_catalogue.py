"""The catalogue of plugins: lists, installations, refusals, and the effects on libraries."""

import json
import mmap
import os
import pathlib
import shutil
import subprocess
import tempfile
import threading

import pytest

from house import plugins
from house.broker import BROKER, Album, Broker
from house.desk import PluginAdmin, digest
from house.person import ADMIN, Refused, as_user, wait_for
from house.pictures import ROOT
from house.soak import choose_values

ARCHIVE = ROOT / "Examples/python/archive.plugin"
BIN = pathlib.Path(os.environ.get("PHOTOBROKER_BIN") or ROOT / ".build/debug").resolve()


@pytest.fixture(scope="module")
def shelf(house):
    """Four versions of a plugin: 3 drops the album policy, 4 requires another option."""
    folder = house.make_folder("shelf", 0, mode=0o755)
    return {
        number: plugins.compile_shelf(
            BIN, folder / str(number), number, with_policy=number != 3, with_option=number == 4
        )
        for number in (1, 2, 3, 4)
    }


def test_R135_bundled_plugins_are_listed_with_their_offers(broker):
    root = broker.owner(0)
    listed = {plugin["name"]: plugin for plugin in root.call("ListPlugins")["plugins"]}
    assert {n: p["origin"] for n, p in listed.items()}.items() >= {
        "album-policies": "bundled",
        "content": "bundled",
        "directory": "bundled",
        "rclone": "bundled",
    }.items()
    offers = {(o["protocol"], o["name"]) for p in listed.values() for o in p["offers"]}
    assert offers >= {
        ("storage", "directory"),
        ("storage", "rclone"),
        ("cloudMapping", "content"),
        *(("albumPolicy", name) for name in ("none", "own", "shared-read", "full")),
    }
    path = next(o for o in listed["directory"]["offers"][0]["options"] if o["name"] == "path")
    assert path["isRequired"] and "default" not in path
    table = broker.photobroker(0, "plugin", "list").stdout
    assert "storage directory" in table and "album policy own" in table
    assert json.loads(broker.photobroker(0, "--json", "plugin", "list").stdout)["plugins"]
    shown = broker.photobroker(0, "plugin", "inspect", "directory").stdout
    assert "; must be given." in shown


def test_R130_only_root_and_the_broker_manage_plugins_and_administrators_disable_them(own_scene):
    broker, owner = own_scene.broker, own_scene.owner
    root, administrator = broker.owner(0), broker.owner()
    root.call("SetAdministrators", administrators=[administrator.uid])
    changes = {
        "InstallPlugin": {"name": "x", "form": "program", "descriptor": 0},
        "RemovePlugin": {"name": "x"},
        "ReadPluginLog": {"name": "directory"},
        "SetPluginEnabled": {"name": "content", "enabled": True},
    }
    for method, parameters in changes.items():
        for caller in (owner, administrator):
            assert caller.refusal(method, **parameters).error == "NotPermitted", method
    off = {"name": "content", "enabled": False}
    assert owner.refusal("SetPluginEnabled", **off).error == owner.refusal("ListPlugins").error == "NotPermitted"
    assert administrator.call("SetPluginEnabled", **off)["plugin"]["state"] == "disabled"
    assert [p["state"] for p in administrator.call("ListPlugins", name="content")["plugins"]] == ["disabled"]
    user = broker.owner(BROKER)
    assert user.call("SetPluginEnabled", name="content", enabled=True)["plugin"]["state"] == "enabled"
    (directory,) = user.call("ListPlugins", name="directory")["plugins"]
    assert directory["usedBy"] == [own_scene.library]


def test_R135_one_command_each_installs_uses_and_removes_a_plugin(admin, shelf):
    said = admin.plugin("install", shelf[1]).stdout
    assert "shelf is installed and offers: album policy shelf, storage shelf." in said
    assert admin.versions() == [digest(shelf[1])]
    copy = admin.folder / digest(shelf[1]) / "libshelf.so"
    assert (
        copy.stat().st_uid == BROKER
        and copy.stat().st_mode & 0o277 == 0
        and admin.folder.stat().st_mode & 0o777 == 0o700
    )
    owner, app, library = admin.add_library()
    shown = admin.listed()["shelf"]
    assert (shown["origin"], shown["state"], shown["digest"], shown["usedBy"], shown["installedBy"]) == (
        "installed",
        "enabled",
        digest(shelf[1]),
        [library],
        0,
    )
    assert "kit 1, swift" in shown["built"]
    assert "shelf 1 begins" in admin.plugin("log", "shelf").stdout
    entries = json.loads(admin.plugin("log", "shelf", "--json").stdout)["entries"]
    assert {e["kind"] for e in entries} >= {"started", "line", "ended"}
    told = admin.refused("remove", "shelf", "--yes")
    assert library in told and "disable" in told
    owner.call("RemoveLibrary", name=library)
    admin.plugin("remove", "shelf", "--yes")
    assert "shelf" not in admin.listed() and admin.versions() == []
    assert admin.plugin("log", "shelf", expect=66)
    refusal = owner.refusal("AddLibrary", name="again", backend="shelf", options={"path": "/srv"})
    assert "plugin install" in refusal.parameters["message"]


def test_a_python_plugin_is_installed(admin):
    assert "archive is installed and offers: storage archive." in admin.plugin("install", ARCHIVE).stdout
    options = {o["name"]: o for o in admin.listed()["archive"]["offers"][0]["options"]}
    assert options["rescanSeconds"]["allowed"] == "a whole number from 2 to 86400"
    owner = admin.broker.owner()
    refusal = owner.refusal("AddLibrary", name="zip", backend="archive", options={"path": "/nonexistent.zip"})
    assert "The archive cannot be read" in refusal.parameters["message"]


def test_inspecting_a_plugin_installs_nothing(admin, shelf):
    shown = admin.plugin("inspect", shelf[1]).stdout
    assert "not installed" in shown and digest(shelf[1]) in shown and "shelf: A shelf." in shown
    assert "shelf" not in admin.listed() and admin.versions() == []
    assert admin.plugin("inspect", "shelf", expect=66)


def test_a_taken_name_and_an_unchanged_file_are_refused(admin, shelf):
    admin.plugin("install", shelf[1])
    assert "--upgrade" in admin.refused("install", shelf[2])
    for again in ([], ["--upgrade"]):
        assert "this file already" in admin.plugin("install", shelf[1], *again).stdout
    assert 'policy "shelf", and that name is taken' in admin.refused("install", shelf[2], "--name", "other")
    other = shelf[2].parent / "other/libother.so"
    other.parent.mkdir(exist_ok=True)
    shutil.copy2(shelf[2], other)
    shown = admin.plugin("inspect", other).stdout
    assert digest(other) in shown and "not installed" in shown and "shelf: A shelf." in shown
    assert "and that name is taken by the plugin shelf." in shown, "what keeps it from being installed"
    assert "taken" in admin.refused("install", shelf[2], "--name", "directory")
    assert admin.plugin("install", shelf[2], "--name", "Shelf 2", expect=64)
    bundled = admin.house.programs / "libdirectory.so"
    assert 'storage "directory"' in admin.refused("install", bundled, "--name", "mine")
    assert admin.versions() == [digest(shelf[1])]


def albums(app):
    return sorted(album["title"] for album in app.call("FetchAlbums")["albums"])


def test_R137_an_upgrade_moves_running_libraries_and_a_broken_one_keeps_the_old_version(admin, shelf):
    admin.plugin("install", shelf[1])
    owner, app, library = admin.add_library()
    owner.set(library, app.name, "limited")
    owner.select(library, app.name, "picture-000.jpg", "picture-001.jpg")
    assert app.request() == "limited"
    for title in ("1 one", "2 two"):
        chosen = owner.naming(library, ["picture-000.jpg"])
        owner.call("EditOwnedAlbum", library=library, title=title, add=chosen, shared=True)
    owner.set(library, app.name, "limited", albumPolicy="shelf")
    wait_for(lambda: albums(app) == ["1 one"], "the policy of version 1")
    before = app.fetch()
    assert owner.library(library)["problem"] == "version 1"
    broken = shelf[2].parent / "broken/libshelf.so"
    broken.parent.mkdir(exist_ok=True)
    broken.write_bytes(shelf[2].read_bytes()[:-5_000])
    assert "truncated" in admin.refused("install", broken, "--upgrade")
    assert "album policy \"shelf\"" in admin.refused("install", shelf[3], "--upgrade") and library in admin.refused(
        "install", shelf[3], "--upgrade"
    )
    told = admin.refused("install", shelf[4], "--upgrade")
    assert library in told and '"colour"' in told and "red, blue" in told
    assert owner.library(library)["problem"] == "version 1"
    wait_for(lambda: admin.versions() == [digest(shelf[1])], "the refused copies to be gone")
    assert f"moved to it: {library}" in admin.plugin("install", shelf[2], "--upgrade").stdout
    wait_for(lambda: owner.library(library)["problem"] == "version 2", "version 2")
    assert owner.library(library)["state"] != "offline"
    wait_for(lambda: albums(app) == ["2 two"], "the policy of version 2")
    assert app.fetch() == before
    assert app.digest(before[0]["localIdentifier"])
    wait_for(lambda: admin.versions() == [digest(shelf[2])], "the old version's file to be gone")
    assert admin.listed()["shelf"]["digest"] == digest(shelf[2])


def test_R136_disabling_stops_storage_and_policy_at_once_and_enabling_restores_them(admin, shelf):
    admin.plugin("install", shelf[1])
    owner, app, library = admin.add_library()
    owner.set(library, app.name, "limited", albumPolicy="shelf")
    owner.select(library, app.name, "picture-000.jpg")
    assert app.request() == "limited"
    owner.call(
        "EditOwnedAlbum", library=library, title="1 one", add=owner.naming(library, ["picture-000.jpg"]), shared=True
    )
    wait_for(lambda: albums(app) == ["1 one"], "the policy")
    before = app.fetch()
    assert library in admin.plugin("disable", "shelf").stdout
    shown = owner.library(library)
    assert shown["state"] == "offline" and "plugin enable shelf" in shown["problem"]
    wait_for(lambda: albums(app) == [], "the albums to be hidden")
    assert app.fetch() == before, "what is known stays known"
    assert owner.refusal("AddLibrary", name="more", backend="shelf", options={"path": "/srv"}).error == "Refused"
    admin.broker.restart()
    assert owner.library(library)["state"] != "online" and admin.listed()["shelf"]["state"] == "disabled"
    wait_for(lambda: "plugin enable shelf" in (owner.library(library)["problem"] or ""), "the reason after a new start")
    admin.plugin("enable", "shelf")
    owner.wait_for_library(library, 3)
    wait_for(lambda: albums(app) == ["1 one"], "the policy again")


def test_a_bundled_plugin_can_be_disabled_but_not_removed(own_scene):
    admin = PluginAdmin(own_scene.broker)
    assert own_scene.library in admin.plugin("disable", "directory").stdout
    assert own_scene.owner.library(own_scene.library)["state"] == "offline"
    assert "came with the broker" in admin.refused("remove", "directory", "--yes")
    admin.plugin("enable", "directory")
    own_scene.owner.wait_for_library(own_scene.library, 6)
    assert admin.plugin("disable", "nothing", expect=66)


def test_a_plugin_file_changed_after_installation_is_not_loaded(admin, shelf):
    admin.plugin("install", shelf[1])
    owner, _, library = admin.add_library()
    copy = admin.folder / digest(shelf[1]) / "libshelf.so"
    data = bytearray(copy.read_bytes())
    data[-1] ^= 1
    copy.unlink()
    copy.write_bytes(data)
    os.chown(copy, BROKER, BROKER)
    copy.chmod(0o500)
    admin.broker.restart()
    wait_for(lambda: owner.library(library)["state"] == "offline", "the library to be offline")
    assert "was changed after it was installed" in owner.library(library)["problem"]
    shown = admin.listed()["shelf"]
    assert shown["state"] == "disabled" and "--upgrade" in shown["problem"]
    assert "was changed" in admin.refused("enable", "shelf")
    assert "plugin=shelf" in admin.broker.log
    admin.plugin("install", shelf[1], "--upgrade")
    owner.wait_for_library(library, 3)
    assert admin.listed()["shelf"]["state"] == "enabled"


def changed_bytes(path, offset, data):
    bytes_ = bytearray(path.read_bytes())
    bytes_[offset : offset + len(data)] = data
    return bytes(bytes_)


KIT = 'const char *photobroker_plugin_kit(void) { return "%s"; } void photobroker_plugin_register(void *r) {%s}'
OFFER = {"protocol": "storage", "name": "odd", "summary": "Odd.", "options": []}
OFFERED = 'channel.sendall(json.dumps({"parameters": {"kit": 1, "plugins": [%s]}}).encode() + b"\\0")'


def plugin_with_offer(**fields):
    return OFFERED % repr({**OFFER, **fields})


OPTION = {"name": "colour", "type": "text", "optional": True, "secret": False, "summary": ""}


def plugin_with_option(**fields):
    return plugin_with_offer(options=[{**OPTION, **fields}])


def bad_objects(folder, shelf):
    """Return invalid or incompatible shared objects, each with the words of its refusal."""
    good = shelf[1]
    built = subprocess.run(["strings", "-a", good], capture_output=True, text=True).stdout
    kit = next(line for line in built.splitlines() if line.startswith("kit 1, swift"))
    foreign = plugins.compile_c(folder, "foreign", "int foreign(void) { return 1; }", "-Wl,-soname,libforeign.so.9")
    objects = {
        "another machine": (
            changed_bytes(good, 18, b"\xb7\x00" if os.uname().machine == "x86_64" else b"\x3e\x00"),
            "for this kind of machine",
        ),
        "32 bits": (changed_bytes(good, 4, b"\x01"), "for this kind of machine"),
        "cut off": (good.read_bytes()[: len(good.read_bytes()) // 2], "truncated"),
        "cut off in its header": (good.read_bytes()[:40], "not a shared object"),
        "a text": (b"#!/bin/sh\nexit 0\n" * 100, "not a shared object"),
        "a program": (pathlib.Path("/bin/true").read_bytes(), "position-independent executable"),
        "no plugin": (
            plugins.compile_c(folder, "plain", "int plain(void) { return 1; }").read_bytes(),
            "photobroker_plugin_kit",
        ),
        "a missing symbol": (
            plugins.compile_c(
                folder, "missing", "void not_there(void); " + KIT % (kit, "not_there();"), "-Wl,-z,now"
            ).read_bytes(),
            "not_there",
        ),
        "another kit": (
            plugins.compile_c(folder, "kit", KIT % ("kit 99, swift 7.0", "")).read_bytes(),
            "kit 99, swift 7.0",
        ),
        # Files as a newer or older compiler would write them, otherwise valid.
        "a newer compiler": (
            plugins.compile_c(folder, "newer", KIT % ("kit 1, swift 9.0", "")).read_bytes(),
            f"It was built with kit 1, swift 9.0, and this broker with {kit}. The kit is the same. Build it again with",
        ),
        "an older compiler": (
            plugins.compile_c(folder, "older", KIT % ("kit 1, swift 6.2 or earlier", "")).read_bytes(),
            f"The kit is the same. Build it again with {kit.removeprefix('kit 1, ')} (see swift --version)",
        ),
        "registers nothing": (plugins.compile_c(folder, "none", KIT % (kit, "")).read_bytes(), "registers nothing"),
        "a foreign library": (
            plugins.compile_c(
                folder, "needs", "int foreign(void); " + KIT % (kit, "foreign();"), foreign, f"-Wl,-rpath,{folder}"
            ).read_bytes(),
            "libforeign.so.9",
        ),
        "a crash": (
            plugins.compile_c(folder, "crash", KIT % (kit, "*(volatile int *)0 = 1;")).read_bytes(),
            "signal 11",
        ),
        "an abort": (
            plugins.compile_c(folder, "abort", "void abort(void); " + KIT % (kit, "abort();")).read_bytes(),
            "SIGABRT",
        ),
        "endless segments": (changed_bytes(good, 56, b"\xff\xff"), "are invalid"),
        "segments nowhere": (changed_bytes(good, 32, b"\xff" * 8), "are invalid"),
    }
    return objects


def test_installing_a_file_that_is_not_a_plugin_is_refused_by_name(admin, shelf, tmp_path):
    house = admin.house.make_folder("bad", 0, mode=0o755)
    for name, (data, words) in bad_objects(house / "made", shelf).items():
        path = house / "libodd.so"
        path.write_bytes(data)
        told = admin.refused("install", path)
        assert words in told, f"{name}: {told}"
        assert "Traceback" not in told and len(told) < 2_000
    assert "odd" not in admin.listed() and not admin.folder.exists() or admin.versions() == []


PROGRAMS = {
    "a secret of what has no credentials": (
        plugin_with_option(secret=True).replace("'storage'", "'albumPolicy'"),
        "only storages have credentials",
    ),
    "a secret of a mapping": (
        plugin_with_option(secret=True).replace("'storage'", "'cloudMapping'"),
        "only storages have credentials",
    ),
    "an unknown protocol": (plugin_with_offer(protocol="telepathy"), "telepathy"),
    "a taken name": (plugin_with_offer(name="directory"), 'storage "directory"'),
    "a taken policy": (plugin_with_offer(protocol="albumPolicy", name="own"), 'album policy "own"'),
    "a name with a path": (plugin_with_offer(name="../odd"), "a-z, 0-9"),
    "a name with control characters": (plugin_with_offer(name="od\x1bd"), "a-z, 0-9"),
    "nothing": (OFFERED % "", "does not describe itself"),
    "the same twice": (OFFERED % f"{OFFER!r}, {OFFER!r}", "twice"),
    "another kit": (plugin_with_offer().replace('"kit": 1', '"kit": 7'), "kit 7"),
    "another kit with more protocols": (
        plugin_with_offer(protocol="telepathy").replace('"kit": 1', '"kit": 7'),
        "kit 7",
    ),
    "no JSON": ('channel.sendall(b"hello\\0")', "not valid JSON"),
    "JSON of another kind": ('channel.sendall(b"[1, 2]\\0")', "not an object"),
    "a text for a number": (OFFERED.replace('"kit": 1', '"kit": "1"') % "", "not an integer (field kit)"),
    "an endless reply": ('while True: channel.sendall(b"x" * 65536)', "larger than"),
    "a crash": (
        "import ctypes; ctypes.string_at(0)",
        "was ended by signal 11 (SIGSEGV, or SIGABRT where the program handles none) before it answered Describe",
    ),
    "an abort": ("import os; os.abort()", "SIGABRT"),
    "a closed socket": ("channel.shutdown(2); import time; time.sleep(60)", "closed its socket"),
    "no answer at all": ("import sys; sys.exit('I do not want to')", "I do not want to"),
    "an error": ('channel.sendall(b\'{"error": "a.b.C", "parameters": {}}\\0\')', "Describe"),
    "a huge name": (plugin_with_offer(name="x" * 100_000), "a-z, 0-9"),
    "an option without a range": (
        plugin_with_option(type="integer"),
        'the option "colour" of "odd" is invalid: an integer has a minimum',
    ),
    "a default that is not allowed": (
        plugin_with_option(type="integer", minimum=1, maximum=5, default="9"),
        "a whole number from 1 to 5",
    ),
    "a secret that everybody knows": (
        plugin_with_option(type="text", secret=True, default="x"),
        "everybody can read its default",
    ),
    "an option twice": (plugin_with_offer(options=[OPTION, OPTION]), 'the option "colour" twice'),
    "too many options": (
        plugin_with_offer(
            options=[
                {"name": f"o{n}", "type": "text", "optional": True, "secret": False, "summary": ""} for n in range(65)
            ]
        ),
        "64",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_installing_a_program_with_invalid_answers_is_refused(broker, name):
    answer, words = PROGRAMS[name]
    folder = broker.house.folder / "programs"
    path = plugins.write_program(folder / "odd.plugin", answer)
    admin = PluginAdmin(broker)
    told = admin.refused("install", path)
    assert words in told and len(told) < 2_000 and "\x1b" not in told, told
    assert "again at the next call" not in told, "nothing is started again"
    assert "odd" not in admin.listed()


def test_a_plugin_writable_by_others_is_refused(admin, shelf):
    house = admin.house.make_folder("open", 0, mode=0o755)
    path = house / "libshelf.so"
    shutil.copy2(shelf[1], path)
    for place, mode in ((path, 0o666), (house, 0o777)):
        was = place.stat().st_mode & 0o777
        place.chmod(mode)
        told = admin.refused("install", path)
        assert str(place) in told and "go-w" in told
        place.chmod(was)
    os.chown(house, 61_099, 61_099)
    assert "root and user 0" in admin.refused("install", path)
    os.chown(house, 0, 0)
    # The broker checks the file itself and does not rely on its client.
    path.chmod(0o622)
    admin.root.call("GetStatus")
    with pytest.raises(Refused, match="Other users can write"):
        admin.root.order(
            do="call_with_file",
            method=ADMIN + "InstallPlugin",
            path=str(path),
            parameters={"name": "shelf", "form": "object", "descriptor": 0},
        )
    path.chmod(0o755)
    admin.plugin("install", path)
    admin.folder.chmod(0o777)
    told = admin.refused("disable", "shelf")
    assert "everybody" in told
    admin.folder.chmod(0o700)


def test_a_plugin_folder_writable_by_others_is_not_used(house):
    folder = house.make_folder("plugins-for-all", 0, mode=0o755)
    shutil.copy2(house.programs / "libdirectory.so", folder)
    broker = Broker(house, name="folder-for-all")
    broker.arguments = ["--plugins", folder, "--programs", house.programs]
    broker.start()
    try:
        owner = broker.owner()
        album = Album(house, "folder-for-all", owner.uid)
        folder.chmod(0o777)
        refusal = owner.refusal("AddLibrary", name="photos", options={"path": str(album.folder)})
        assert "everybody" in refusal.parameters["message"] and "go-w" in refusal.parameters["message"]
        folder.chmod(0o755)
        owner.call("AddLibrary", name="photos", options={"path": str(album.folder)})
        taken = house.make_folder("ran", BROKER) / "taken-by-it"
        os.mkfifo(taken)
        taken.chmod(0o644)
        pipe = os.open(taken, os.O_RDWR | os.O_NONBLOCK)
        os.write(pipe, b"x")
        stranger = folder / "stranger.plugin"
        stranger.write_text(f"#!/bin/sh\nhead -c 1 {taken}\n")
        stranger.chmod(0o755)
        os.chown(stranger, 61_099, 61_099)
        listed = {p["name"]: p for p in broker.owner(0).call("ListPlugins")["plugins"]}
        assert listed["stranger"]["state"] == "refused" and "belongs to user 61099" in listed["stranger"]["problem"]
        assert os.read(pipe, 1) == b"x", "it did not run"
        os.write(pipe, b"x")
        os.chown(stranger, 0, 0)
        listed = {p["name"]: p for p in broker.owner(0).call("ListPlugins")["plugins"]}
        assert "before it answered Describe" in listed["stranger"]["problem"]
        with pytest.raises(BlockingIOError):
            os.read(pipe, 1)
        os.close(pipe)
    finally:
        broker.end()


def edited_catalogue(text, what):
    """Return an edited catalogue, and the message about it."""
    whole = json.loads(text)
    line = whole["plugins"][-1]

    def again(**fields):
        return json.dumps({**whole, "plugins": [*whole["plugins"][:-1], {**line, **fields}]})

    twice = json.dumps({**whole, "plugins": [*whole["plugins"], line]})
    offer = line["description"]["plugins"][0]
    return {
        "no JSON": (text[:-10], ""),
        "empty": ("", ""),
        "another document": ("[]", ""),
        "a number": ("7", ""),
        "another version": (json.dumps({**whole, "version": 2}), "version"),
        "no version": (json.dumps({"plugins": []}), "version"),
        "an unknown field": (json.dumps({**whole, "colour": "red"}), "colour"),
        "an unknown field of a plugin": (again(colour="red"), "colour"),
        "a short digest": (again(digest="abc"), "digest"),
        "a digest with a path": (again(digest="../" * 20 + "abcd"), "digest"),
        "a name with a path": (again(name="../shelf"), "name"),
        "another form": (again(form="script"), "form"),
        "a number for a name": (again(name=7), "name"),
        "text for a flag": (again(enabled="yes"), "enabled"),
        "no digest": (again(digest=None), "digest"),
        "twice": (twice, "twice"),
        "an unknown protocol": (
            again(description={**line["description"], "plugins": [{**offer, "protocol": "x"}]}),
            "protocol",
        ),
        "a huge number": (again(installed=10**30), "installed"),
        "binary": ("\x00\x01\x02", ""),
    }[what]


EDITS = [
    "no JSON",
    "empty",
    "another document",
    "a number",
    "another version",
    "no version",
    "an unknown field",
    "an unknown field of a plugin",
    "a short digest",
    "a digest with a path",
    "a name with a path",
    "another form",
    "a number for a name",
    "text for a flag",
    "no digest",
    "twice",
    "an unknown protocol",
    "a huge number",
    "binary",
]


@pytest.fixture(scope="module")
def edited_desk(house, shelf):
    broker = Broker(house, name="edited").start()
    admin = PluginAdmin(broker)
    admin.plugin("install", ARCHIVE)
    admin.plugin("install", shelf[1])
    admin.text = admin.catalogue.read_text()
    yield admin
    broker.end()


@pytest.mark.parametrize("what", EDITS)
def test_a_hand_edited_catalogue_gives_clear_errors(edited_desk, what):
    admin = edited_desk
    data, words = edited_catalogue(admin.text, what)
    admin.catalogue.write_text(data)
    listed = admin.plugin("list")
    assert "catalogue.json" in listed.stderr and words in listed.stderr and "Repair it" in listed.stderr, listed.stderr
    assert "directory" in listed.stdout
    for arguments in (
        ["disable", "archive"],
        ["remove", "archive", "--yes"],
        ["install", ARCHIVE, "--upgrade"],
        ["disable", "rclone"],
    ):
        done = admin.plugin(*arguments, expect=None)
        assert done.returncode in (65, 66, 74) and admin.broker.is_running, done.stderr
    assert admin.catalogue.read_text() == data, "nothing is written over what somebody edited"
    if what in choose_values(["no JSON", "twice", "binary"], EDITS):
        said = len(admin.broker.log)
        admin.broker.restart()
        admin.root = admin.broker.owner(0)
        wait_for(lambda: "Repair it" in admin.broker.log[said:], "the operator to be told")
    assert admin.root.call("ListPlugins")["problem"]
    admin.catalogue.write_text(admin.text)
    assert not admin.plugin("list").stderr
    assert {n: admin.listed()[n]["state"] for n in ("archive", "shelf")} == {"archive": "enabled", "shelf": "enabled"}
    admin.plugin("inspect", "shelf")


@pytest.mark.parametrize(
    "change, words",
    [
        (("\"name\":\"archive\",\"form\"", "\"name\":\"directory\",\"form\""), "the name directory"),
        (("\"name\":\"archive\",\"summary\"", "\"name\":\"directory\",\"summary\""), 'the storage "directory"'),
    ],
)
def test_an_installed_plugin_under_a_bundled_name_is_unused_and_says_so(edited_desk, change, words):
    admin = edited_desk
    assert admin.text.count(change[0]) == 1
    admin.catalogue.write_text(admin.text.replace(*change))
    try:
        if change[1].startswith('"name":"directory","form"'):
            refusal = admin.broker.owner(0).refusal(
                "AddLibrary", name="taken", backend="archive", options={"path": "/srv"}
            )
            assert "has the name directory" in refusal.parameters["message"], "what it offers is not used either"
        listed = [
            p for p in admin.root.call("ListPlugins")["plugins"] if p["origin"] == "installed" and p["name"] != "shelf"
        ]
        assert (
            [p["state"] for p in listed] == ["refused"]
            and words in listed[0]["problem"]
            and "remove" in listed[0]["problem"]
        )
        owner = admin.broker.owner()
        name = f"bundled-{owner.uid}"
        album = Album(admin.house, name, owner.uid)
        album.fill(1)
        owner.call("AddLibrary", name=name, options={"path": str(album.folder)})
        owner.wait_for_library(name, 1)
    finally:
        admin.catalogue.write_text(admin.text)


@pytest.mark.parametrize(
    "change, name",
    [
        (("\"name\":\"archive\",\"form\"", "\"name\":\"directory\",\"form\""), "directory"),
        (("\"name\":\"archive\",\"summary\"", "\"name\":\"directory\",\"summary\""), "archive"),
    ],
)
def test_R135_removing_a_plugin_displaced_by_a_bundled_one_keeps_that_ones_libraries(admin, change, name):
    admin.plugin("install", ARCHIVE)
    owner, _, library = admin.add_library("directory")
    text = admin.catalogue.read_text()
    assert text.count(change[0]) == 1
    admin.catalogue.write_text(text.replace(*change))
    used = {
        p["origin"]: p["usedBy"] for p in admin.root.call("ListPlugins")["plugins"] if p["name"] in ("directory", name)
    }
    assert used == {"bundled": [library], "installed": []}
    assert library not in admin.plugin("disable", name).stdout
    assert owner.library(library)["state"] == "online"
    admin.plugin("remove", name, "--yes")
    assert admin.versions() == [] and owner.library(library)["state"] == "online"
    assert [p["origin"] for p in admin.root.call("ListPlugins")["plugins"] if p["name"] == "directory"] == ["bundled"]


def test_two_catalogue_entries_may_share_a_file_until_both_are_removed(admin):
    admin.plugin("install", ARCHIVE)
    whole = json.loads(admin.catalogue.read_text())
    line = whole["plugins"][0]
    [offer] = line["description"]["plugins"]
    other = {**line, "name": "other", "description": {**line["description"], "plugins": [{**offer, "name": "other"}]}}
    admin.catalogue.write_text(json.dumps({**whole, "plugins": [line, other]}))
    admin.plugin("remove", "other", "--yes")
    assert admin.versions() == [digest(ARCHIVE)]
    admin.plugin("disable", "archive")
    admin.plugin("enable", "archive")
    admin.plugin("remove", "archive", "--yes")
    assert admin.versions() == []


def test_R136_a_disabled_plugin_stays_disabled_after_an_upgrade(admin, shelf):
    admin.plugin("install", shelf[1])
    owner, app, library = admin.add_library()
    admin.plugin("disable", "shelf")
    for file, words in ((shelf[1], "this file already"), (shelf[2], "is upgraded")):
        said = admin.plugin("install", file, "--upgrade").stdout
        assert words in said and "stays disabled: photobroker plugin enable shelf" in said
        assert admin.listed()["shelf"]["state"] == "disabled" and owner.library(library)["state"] == "offline"
    assert admin.listed()["shelf"]["digest"] == digest(shelf[2])
    admin.plugin("enable", "shelf")
    owner.wait_for_library(library, 3)


def test_a_catalogue_writable_by_others_is_not_used(edited_desk):
    admin = edited_desk
    admin.catalogue.chmod(0o622)
    listed = admin.plugin("list")
    assert "can be written by everybody" in listed.stderr and "archive" not in admin.listed()
    admin.catalogue.chmod(0o600)
    assert not admin.plugin("list").stderr and admin.listed()["archive"]["state"] == "enabled"


# A storage whose start succeeds or fails as the test decides.
STARTING = plugins.SHARED.replace(
    '    if method == "Start":\n',
    '''    if method == "Describe":
        options = [{"name": "path", "type": "path", "optional": False, "secret": False, "summary": "The folder."},
            {"name": "password", "type": "text", "optional": True, "secret": True, "summary": "A secret."}]
        answer({"kit": 1, "plugins": [{"protocol": "storage", "name": "shelf", "summary": "A test.",
            "capabilities": [], "options": options}]})
    elif method == "Start":
        @START@
''',
)


@pytest.mark.parametrize(
    "start, words",
    [
        (
            "raise SystemExit('no such ' + parameters['secrets']['password'])",
            "exited with code 1 before it answered Start of io.photobroker.Plugin. It said: no such [secret]",
        ),
        ("__import__('ctypes').string_at(0)", "signal 11"),
        ('channel.sendall(b"hello\\0"); continue', "not valid JSON"),
        (
            'refused = {"code": "invalidOption", "message": "path is no album"}\n        '
            'send({"error": "io.photobroker.Plugin.PluginError", "parameters": refused}); continue',
            "path is no album",
        ),
    ],
    ids=["it ends", "it crashes", "no JSON", "an error"],
)
def test_a_version_that_fails_to_start_with_its_libraries_options_keeps_the_old_one(starting_desk, start, words):
    admin, library, owner = starting_desk
    bad = admin.house.folder / f"starting-{admin.house.fresh_uid()}/shelf.plugin"
    bad.parent.mkdir(mode=0o755)
    bad.write_text(STARTING.replace("@START@", start))
    bad.chmod(0o755)
    told = admin.refused("install", bad, "--upgrade")
    assert f"does not start with the settings of library {library}" in told and words in told and SECRET not in told, (
        told
    )
    assert SECRET not in admin.plugin("log", "shelf").stdout
    assert admin.listed()["shelf"]["digest"] == admin.digest and admin.listed()["shelf"]["state"] == "enabled"
    assert owner.library(library)["state"] == "online"
    wait_for(lambda: admin.versions() == [admin.digest], "the refused copy to be gone")


def test_a_version_with_an_offline_storage_is_accepted(starting_desk):
    admin, library, owner = starting_desk
    away = admin.house.folder / f"starting-{admin.house.fresh_uid()}/shelf.plugin"
    away.parent.mkdir(mode=0o755)
    away.write_text(
        STARTING.replace(
            "@START@",
            '''if os.path.exists(parameters["options"]["path"] + "/away"):
            send({"error": "io.photobroker.Plugin.PluginError",
                "parameters": {"code": "offline", "message": "It is away."}})
            continue''',
        )
    )
    away.chmod(0o755)
    mark = pathlib.Path(owner.library(library)["options"]["path"]) / "away"
    mark.touch()
    mark.chmod(0o644)
    assert f"moved to it: {library}" in admin.plugin("install", away, "--upgrade").stdout
    mark.unlink()
    owner.wait_for_library(library, 2)
    admin.plugin("install", admin.first, "--upgrade")


# Logs the network of its process at each call.
WHEREABOUTS = STARTING.replace(
    "for method, parameters in calls():\n",
    """for method, parameters in calls():
    os.write(2, f"{method} in {os.readlink('/proc/self/ns/net')}\\n".encode())
""",
).replace("@START@", "pass")


def test_R129_a_plugin_gets_the_network_by_its_own_name_only(house):
    """`--network shelf` means the plugin of that name, not another one's storage `shelf`."""
    broker = Broker(house, name=f"networks-{house.fresh_uid()}")
    broker.arguments = ["--network", "shelf"]
    admin = PluginAdmin(broker)
    path = house.make_folder(f"networks-{house.fresh_uid()}", 0, mode=0o755) / "shelf.plugin"
    path.write_text(WHEREABOUTS)
    path.chmod(0o755)
    machine = os.readlink("/proc/self/ns/net")

    def seen(name, call):
        """Return whether the processes with this call were in the machine's network."""
        entries = json.loads(admin.plugin("log", name, "--json").stdout)["entries"]
        return {e["text"].split(" in ")[1] == machine for e in entries if e["text"].startswith(f"{call} in net:")}

    try:
        broker.start()
        admin.root = broker.owner(0)
        for name, has in (("parcel", False), ("shelf", True)):
            said = admin.plugin("install", path, "--name", name).stdout
            assert ("with network, by an option of photobrokerd" in said) == has, said
            assert admin.listed()[name]["hasNetwork"] == has and seen(name, "Describe") == {False}
            assert f"of its own, {'with' if has else 'without'} network" in admin.plugin("inspect", name).stdout
            owner, app, library = admin.add_library(count=1)
            assert seen(name, "Start") == {has}
            owner.call("RemoveLibrary", name=library)
            admin.plugin("remove", name, "--yes")
        # A file is inspected under its name once installed.
        assert "with network" in admin.plugin("inspect", path).stdout and "shelf" not in admin.listed()
    finally:
        broker.end()


SECRET = "correct-horse-battery-staple"


@pytest.fixture(scope="module")
def starting_desk(house):
    """A plugin that a library with a secret uses."""
    admin = PluginAdmin(Broker(house, name="starting").start())
    admin.first = house.make_folder("starting", 0, mode=0o755) / "shelf.plugin"
    admin.first.write_text(STARTING.replace("@START@", "pass"))
    admin.first.chmod(0o755)
    admin.digest = digest(admin.first)
    admin.plugin("install", admin.first)
    owner = admin.broker.owner()
    album = Album(house, "starting-album", owner.uid)
    album.fill(2)
    secret = house.make_folder("starting-secret", owner.uid) / "password"
    secret.write_text(SECRET)
    os.chown(secret, owner.uid, owner.uid)
    secret.chmod(0o600)
    admin.broker.photobroker(
        owner.uid,
        "library",
        "add",
        "starting",
        "--backend",
        "shelf",
        "--option",
        f"path={album.folder}",
        "--credential",
        f"password={secret}",
        "--yes",
    )
    owner.wait_for_library("starting", 2)
    yield admin, "starting", owner
    admin.broker.end()


def test_a_constantly_exchanged_file_is_never_loaded_as_another(admin, shelf):
    admin.plugin("install", shelf[1])
    owner, _, library = admin.add_library()
    copy = admin.folder / digest(shelf[1]) / "libshelf.so"
    for number in (1, 2):
        shutil.copy2(shelf[number], f"{copy}.{number}")
        os.chown(f"{copy}.{number}", BROKER, BROKER)
        os.chmod(f"{copy}.{number}", 0o500)
    ends = threading.Event()

    def exchange():
        while not ends.is_set():
            for number in (2, 1):
                os.link(f"{copy}.{number}", f"{copy}.new")
                os.rename(f"{copy}.new", copy)

    racer = threading.Thread(target=exchange)
    racer.start()
    loaded = refused = 0
    try:
        for _ in range(choose_values(12, 30)):
            done = admin.plugin("enable", "shelf", expect=None)
            if done.returncode:
                assert "was changed after it was installed" in done.stderr
                refused += 1
            state = wait_for(
                lambda: (l := owner.library(library))["state"] in ("online", "offline") and l, "the library"
            )
            loaded += state["problem"] == "version 1"
            assert "version 2" not in (state["problem"] or "")
            admin.plugin("disable", "shelf")
    finally:
        ends.set()
        racer.join()
    assert "shelf 2 begins" not in admin.plugin("log", "shelf", "--limit", "500").stdout
    assert loaded and refused, "neither happened: the race was none"


# A storage that attempts forbidden actions at its start, and logs the results.
ESCAPING = plugins.SHARED.replace(
    '    if method == "Start":\n',
    '''    if method == "Describe":
        option = {"name": "path", "type": "path", "optional": False, "secret": False, "summary": "The folder."}
        answer({"kit": 1, "plugins": [{"protocol": "storage", "name": "shelf", "summary": "A test.",
            "capabilities": [], "options": [option]}]})
    elif method == "Start":
        import sys
        # As /proc numbers it, which is that of the whole machine.
        parent = int(open("/proc/self/stat").read().rpartition(")")[2].split()[1])
        state, run, home, own = "@STATE@", "@RUN@", "@HOME@", os.environ["TMPDIR"]
        for what, attempt in {
                "list state": lambda: os.listdir(state), "read state": lambda: open(state + "/state.db").read(),
                "open state to all": lambda: os.chmod(state, 0o777),
                "open a file to all": lambda: os.chmod(state + "/state.db", 0o666),
                "set times": lambda: os.utime(home + "/.bashrc", (1, 1)),
                "mark a file": lambda: os.setxattr(state + "/state.db", "user.x", b"1"),
                "cut": lambda: os.truncate(state + "/state.db", 0),
                "change the catalogue": lambda: open(state + "/plugins/catalogue.json", "r+"),
                "change itself": lambda: open("/proc/self/fd/4", "r+"),
                "remove a socket": lambda: os.unlink(run + "/admin.sock"),
                "exchange sockets": lambda: os.rename(run + "/admin.sock", run + "/photobroker.sock"),
                "idle": lambda: os.sched_setscheduler(parent, os.SCHED_IDLE, os.sched_param(0)),
                "renice": lambda: os.setpriority(os.PRIO_PROCESS, parent, 19),
                "renice all": lambda: os.setpriority(os.PRIO_USER, os.getuid(), 19),
                "pin": lambda: os.sched_setaffinity(parent, {0}), "signal": lambda: os.kill(parent, 0),
                "memory": lambda: open(f"/proc/{parent}/mem"),
                "environment": lambda: open(f"/proc/{parent}/environ").read(),
                "folder": lambda: os.readlink(f"/proc/{parent}/cwd"),
                "write at the next login": lambda: open(home + "/.bashrc", "a"),
                "be let in": lambda: open(home + "/.ssh/authorized_keys", "a"),
                "start with the desktop": lambda: open(home + "/.config/autostart/x.desktop", "w"),
                "cut at home": lambda: open(home + "/.bashrc", "w"),
                "make a folder": lambda: os.mkdir(home + "/.local"), "remove": lambda: os.unlink(home + "/.bashrc"),
                "take": lambda: os.rename(home + "/.bashrc", own + "/taken"),
                "link": lambda: os.link(home + "/.bashrc", own + "/linked"),
                "write for all": lambda: open("/tmp/photobroker-escaping", "w"),
                "share memory": lambda: open("/dev/shm/photobroker-escaping", "w"),
                "look at another's own": lambda: os.listdir(os.path.dirname(own)),
                "-look at home": lambda: open(home + "/.bashrc").read(),
                "-write into its own": lambda: open(own + "/file", "w"),
                "-write what it is for": lambda: open(parameters["options"]["path"] + "/added", "w"),
                "-be the first to end":
                    lambda: int(open("/proc/self/oom_score_adj").read()) == 1000 or os.stat("/none"),
                "-nothing": lambda: None}.items():
            try: attempt()
            except OSError as error: told = error.strerror
            else: told = "done"
            print(f"attempt to {what}: {told}", file=sys.stderr, flush=True)
''',
)


def test_R129_a_plugins_process_reads_no_state_takes_no_socket_and_slows_no_one(admin):
    path = admin.house.folder / f"escaping-{admin.house.fresh_uid()}/shelf.plugin"
    path.parent.mkdir(mode=0o755)
    home = admin.house.make_folder(f"home-{admin.house.fresh_uid()}", BROKER)
    for name in (".bashrc", ".ssh/authorized_keys", ".config/autostart/other.desktop"):
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("as it was")
    for name in (home, *home.rglob("*")):
        os.chown(name, BROKER, BROKER)
    before = sorted(home.rglob("*"))
    pid = admin.broker.process.pid
    priority = os.getpriority(os.PRIO_PROCESS, pid)
    path.write_text(
        ESCAPING.replace("@STATE@", str(admin.broker.state))
        .replace("@RUN@", str(admin.broker.runtime))
        .replace("@HOME@", str(home))
    )
    path.chmod(0o755)
    admin.plugin("install", path)
    owner = admin.broker.owner()
    album = Album(admin.house, f"escaped-{owner.uid}/album", owner.uid)
    album.fill(2)
    (admin.house.folder / f"escaped-{owner.uid}").chmod(0o755)
    album.folder.chmod(0o777)
    owner.call("AddLibrary", name="escaping", backend="shelf", options={"path": str(album.folder)})
    owner.wait_for_library("escaping", 2)
    entries = admin.root.call("ReadPluginLog", name="shelf", limit=500)["entries"]
    told = {e["text"].split(": ")[0]: e["text"].split(": ")[1] for e in entries if e["text"].startswith("attempt to ")}
    allowed = [told.pop(what) for what in list(told) if what.startswith("attempt to -")]
    assert allowed == ["done"] * 5 and len(told) == 30
    # In a process namespace of its own the target does not exist.
    assert told.pop("attempt to signal") in {"No such process", "Operation not permitted"}
    assert set(told.values()) <= {"Permission denied", "Operation not permitted", "Invalid cross-device link"}, told
    assert sorted(home.rglob("*")) == before and (home / ".bashrc").read_text() == "as it was"
    assert (
        admin.broker.state.stat().st_mode & 0o777 == 0o700
        and (admin.broker.state / "state.db").stat().st_mode & 0o077 == 0
    )
    assert os.sched_getscheduler(pid) == os.SCHED_OTHER and os.getpriority(os.PRIO_PROCESS, pid) == priority


# A storage whose start waits for a file's content.
WAITING = plugins.SHARED.replace(
    '    if method == "Start":\n',
    '''    if method == "Describe":
        option = {"name": "path", "type": "path", "optional": False, "secret": False, "summary": "The folder."}
        answer({"kit": 1, "plugins": [{"protocol": "storage", "name": "shelf", "summary": "A test.",
            "capabilities": [], "options": [option]}]})
    elif method == "Start":
        import sys
        print("it waits", file=sys.stderr, flush=True)
        while os.path.getsize("@GATE@"): time.sleep(0.02)
''',
)


def install_gated(admin, text, folder, gate_says=""):
    """Install a plugin that waits while its gate has content; return both files."""
    place = admin.house.make_folder(folder, 0, mode=0o755)
    gate, path = place / "gate", place / "shelf.plugin"
    gate.write_text(gate_says)
    path.write_text(text.replace("@GATE@", str(gate)))
    for file, mode in ((gate, 0o644), (path, 0o755)):
        file.chmod(mode)
    admin.plugin("install", path)
    return gate, path


def test_a_plugin_of_a_library_being_added_is_not_removed(admin):
    owner = admin.broker.owner()
    gate, _ = install_gated(admin, WAITING, f"waiting-{owner.uid}", "shut")
    album = Album(admin.house, f"waited-{owner.uid}", owner.uid)
    album.fill(2)
    adding = threading.Thread(
        target=lambda: owner.call("AddLibrary", name="coming", backend="shelf", options={"path": str(album.folder)})
    )
    adding.start()
    try:
        wait_for(
            lambda: any(
                e["text"] == "it waits" for e in admin.root.call("ReadPluginLog", name="shelf", limit=500)["entries"]
            ),
            "the trial",
        )
        refusal = admin.root.refusal("RemovePlugin", name="shelf")
        assert refusal.error == "Refused" and "coming" in refusal.parameters["message"]
    finally:
        gate.write_text("")
        adding.join()
    owner.wait_for_library("coming", 2)
    owner.call("RemoveLibrary", name="coming")
    admin.root.call("RemovePlugin", name="shelf")
    assert (
        "not installed"
        in owner.refusal("AddLibrary", name="gone", backend="shelf", options={"path": str(album.folder)}).parameters[
            "message"
        ]
    )


# An album policy that waits for a file's content.
DECIDING = (
    plugins.SHARED[: plugins.SHARED.index("def item(")]
    + '''
import sys
for method, parameters in calls():
    if method == "Describe":
        answer({"kit": 1, "plugins": [{"protocol": "albumPolicy", "name": "shelf", "summary": "A test.",
            "options": []}]})
    elif method == "Start": answer({"kit": 1})
    elif method == "DecideAlbums":
        if os.path.getsize("@GATE@"): print("it waits", file=sys.stderr, flush=True)
        while os.path.getsize("@GATE@"): time.sleep(0.02)
        answer({"visible": [], "editable": [], "mayCreate": False})
    else: refuse("unsupported")
'''
)


def test_R136_a_policy_being_chosen_is_not_removed_and_undo_restores_no_removed_one(admin):
    owner, app, library = admin.add_library("directory", 1)
    gate, path = install_gated(admin, DECIDING, f"deciding-{owner.uid}")
    grant = {"library": library, "app": app.name, "level": "readWrite", "status": "limited"}
    rule = {
        "library": library,
        "name": "shelves",
        "identifier": "org.example.shelves",
        "uid": app.uid,
        "level": "readWrite",
        "answer": "deny",
        "albumPolicy": "shelf",
    }

    def waits():
        return sum(
            e["text"] == "it waits" for e in admin.root.call("ReadPluginLog", name="shelf", limit=500)["entries"]
        )

    for method, parameters in (("SetGrant", {**grant, "albumPolicy": "shelf"}), ("Apply", {"rules": [rule]})):
        before = waits()
        gate.write_text("shut")
        deciding = threading.Thread(target=lambda: owner.call(method, **parameters))
        deciding.start()
        try:
            wait_for(lambda: waits() > before, "the question")
            refusal = admin.root.refusal("RemovePlugin", name="shelf")
            assert refusal.error == "Refused" and library in refusal.parameters["message"], method
        finally:
            gate.write_text("")
            deciding.join()
        if method == "SetGrant":
            assert owner.call("ListGrants")["grants"][0]["albumPolicy"] == "shelf"
            [regranted] = owner.call("SetGrant", **grant, albumPolicy="own")["decisions"]
    [unruled] = owner.call("RemoveRule", library=library, name="shelves")["decisions"]
    admin.root.call("RemovePlugin", name="shelf")
    for decision in (regranted, unruled):
        refusal = owner.refusal("UndoDecision", decision=decision)
        assert (
            refusal.error == "Refused"
            and '"shelf"' in refusal.parameters["message"]
            and "installed are" in refusal.parameters["message"]
        )
    assert owner.call("ListGrants")["grants"][0]["albumPolicy"] == "own" and owner.call("ListRules")["rules"] == []
    admin.plugin("install", path)
    owner.call("UndoDecision", decision=regranted)
    assert owner.call("ListGrants")["grants"][0]["albumPolicy"] == "shelf"
    # A revocation depends on no plugin, and keeps the policy.
    owner.call("SetGrant", **{**grant, "status": "denied"})
    [given] = owner.call("SetGrant", **grant, albumPolicy="own")["decisions"]
    admin.root.call("RemovePlugin", name="shelf")
    owner.call("UndoDecision", decision=given)
    [left] = owner.call("ListGrants")["grants"]
    assert (left["status"], left["albumPolicy"]) == ("denied", "own")


# A storage that starts an orphan in a session of its own.
FORKING = plugins.SHARED.replace(
    '    if method == "Start":\n',
    '''    if method == "Describe":
        option = {"name": "path", "type": "path", "optional": False, "secret": False, "summary": "The folder."}
        answer({"kit": 1, "plugins": [{"protocol": "storage", "name": "shelf", "summary": "A test.",
            "capabilities": [], "options": [option]}]})
    elif method == "Start":
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0: os.execv("/bin/sleep", ["/bin/sleep", "@SECONDS@"])
            os._exit(0)
''',
)


def test_R129_a_plugins_child_processes_end_with_it_even_if_the_broker_is_killed(admin):
    owner = admin.broker.owner()
    path = admin.house.make_folder(f"forking-{owner.uid}", 0, mode=0o755) / "shelf.plugin"
    seconds = str(owner.uid * 1_000)
    path.write_text(FORKING.replace("@SECONDS@", seconds))
    path.chmod(0o755)

    def left():
        found = []
        for pid in filter(str.isdigit, os.listdir("/proc")):
            try:
                line = pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
            except OSError:
                continue
            if line == b"/bin/sleep\0" + seconds.encode() + b"\0":
                found.append(int(pid))
        return found

    admin.plugin("install", path)
    assert "namespace" not in admin.plugin("inspect", "shelf").stdout
    album = Album(admin.house, f"forked-{owner.uid}/album", owner.uid)
    album.fill(2)
    (admin.house.folder / f"forked-{owner.uid}").chmod(0o755)
    owner.call("AddLibrary", name="forking", backend="shelf", options={"path": str(album.folder)})
    owner.wait_for_library("forking", 2)
    try:
        assert left(), "the library's process runs it"
        admin.broker.process.kill()
        admin.broker.process.wait()
        wait_for(lambda: not left(), "what it started to end")
    finally:
        for pid in left():
            os.kill(pid, 9)
    admin.broker.start()
    for person in (admin.root, owner):
        person.new_connection()
    owner.wait_for_library("forking", 2)
    owner.call("RemoveLibrary", name="forking")
    wait_for(lambda: not left(), "what it started to end with it")


def test_R129_each_process_has_its_own_temporary_folder(admin, shelf):
    admin.plugin("install", shelf[1])
    owner, _, library = admin.add_library()
    scratch = admin.broker.state / "scratch"
    held = set(scratch.iterdir())
    assert held and scratch.stat().st_mode & 0o777 == 0o700 and scratch.stat().st_uid == BROKER
    admin.plugin("disable", "shelf")
    wait_for(lambda: not held & set(scratch.iterdir()), "the folders to go")
    admin.broker.process.kill()
    admin.broker.process.wait()
    deep = scratch / "photobroker-plugin.left00"
    deep.mkdir()
    (deep / "file").write_text("x")
    os.chown(deep, BROKER, BROKER)
    admin.broker.start()
    wait_for(lambda: not deep.exists(), "what was left to go")
    for person in (admin.root, owner):
        person.new_connection()
    admin.plugin("enable", "shelf")
    owner.wait_for_library(library, 3)


def test_R129_missing_process_limits_are_reported_by_log_and_inspect(house, shelf):
    broker = Broker(house, name="uncounted")
    broker.before = [
        "/usr/bin/python3",
        pathlib.Path(__file__).parent / "house/few_watches.py",
        "max_user_namespaces",
        "0",
    ]
    admin = PluginAdmin(broker.start())
    try:
        admin.plugin("install", shelf[1])
        admin.add_library()
        told = admin.plugin("inspect", "shelf").stdout
        assert "no user namespace" in told and "RestrictNamespaces=user pid" in told
        lines = [line for line in broker.log.splitlines() if "a plugin lacks a limit" in line]
        assert len(lines) == 1 and "plugin=shelf" in lines[0], lines
        assert any(
            "no user namespace" in e["text"]
            for e in admin.root.call("ReadPluginLog", name="shelf", limit=500)["entries"]
        )
    finally:
        broker.end()


def test_R129_no_process_starts_without_its_namespace_under_exhaustion(house, shelf):
    broker = Broker(house, name="crowded")
    broker.before = [
        "/usr/bin/python3",
        pathlib.Path(__file__).parent / "house/few_watches.py",
        "max_pid_namespaces",
        "1",
    ]
    admin = PluginAdmin(broker.start())
    try:
        admin.plugin("install", shelf[1])
        owner = broker.owner()
        album = Album(house, f"crowded-{owner.uid}", owner.uid)
        album.fill(2)
        # The process that waits for changes is a second one.
        owner.call("AddLibrary", name="crowded", backend="shelf", options={"path": str(album.folder)})
        wait_for(lambda: "user.max_pid_namespaces" in owner.library("crowded").get("problem", ""), "the refusal")
        limit = "/proc/sys/user/max_pid_namespaces"
        subprocess.run(
            ["nsenter", "--user", "--target", str(broker.process.pid), "/bin/sh", "-c", f"echo 1000 > {limit}"],
            check=True,
        )
        owner.wait_for_library("crowded", 2, seconds=90)
        assert "namespace" not in admin.plugin("inspect", "shelf").stdout
    finally:
        broker.end()


def test_an_interrupted_installations_leftovers_are_removed(admin, shelf):
    admin.plugin("install", shelf[1])
    left = [admin.folder / "incoming-0123456789abcdef", admin.folder / ("0" * 64)]
    for folder in left:
        folder.mkdir()
        (folder / "libodd.so").write_bytes(b"x")
        os.chown(folder, BROKER, BROKER)
    admin.broker.restart()
    wait_for(lambda: admin.versions() == [digest(shelf[1])], "the leftovers to be gone")


def test_a_noisy_plugins_log_is_bounded(admin, shelf):
    admin.plugin("install", shelf[1])
    owner = admin.broker.owner()
    folder = Album(admin.house, f"noisy-{owner.uid}/noise", owner.uid)
    (admin.house.folder / f"noisy-{owner.uid}").chmod(0o755)
    owner.call("AddLibrary", name="noisy", backend="shelf", options={"path": str(folder.folder)})
    reply = wait_for(
        lambda: (r := admin.root.call("ReadPluginLog", name="shelf", limit=500))["dropped"] > 4_000 and r, "the noise"
    )
    assert len(reply["entries"]) == 500
    assert admin.root.refusal("ReadPluginLog", name="shelf", limit=501).error == "InvalidParameter"


def test_a_plugin_under_development_is_reloaded_after_each_build(admin, shelf, request):
    # On tmpfs, where a write through a mapping changes no time.
    folder = tempfile.TemporaryDirectory(dir="/dev/shm")
    request.addfinalizer(folder.cleanup)
    os.chmod(folder.name, 0o755)
    place = pathlib.Path(folder.name) / "libshelf.so"
    shutil.copy2(shelf[1], place)
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"}
    with subprocess.Popen(
        as_user(
            0,
            [
                admin.house.programs / "photobroker",
                "--socket",
                admin.broker.admin_socket,
                "plugin",
                "dev",
                place,
                "--json",
            ],
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
        cwd="/",
    ) as watching:
        timer = threading.Timer(90, watching.kill)
        timer.start()
        try:

            def hear(condition):
                for line in watching.stdout:
                    if condition(event := json.loads(line)):
                        return event
                raise AssertionError("it ended")

            assert hear(lambda e: "change" in e)["change"] == "installed"
            owner, _, library = admin.add_library()
            assert "shelf 1 begins" in hear(lambda e: e.get("kind") == "line")["text"]
            place.write_bytes(shelf[2].read_bytes()[:-5_000])
            assert "truncated" in hear(lambda e: "exitCode" in e)["message"]
            assert owner.library(library)["problem"] == "version 1"
            new = place.with_suffix(".new")
            shutil.copy2(shelf[2], new)
            new.rename(place)
            event = hear(lambda e: "change" in e)
            assert (event["change"], event["libraries"]) == ("upgraded", [library])
            wait_for(lambda: owner.library(library)["problem"] == "version 2", "version 2")
            # Some linkers write through a mapping: the bytes alone tell when the file is complete.
            data = shelf[1].read_bytes()
            with open(new, "w+b") as file:
                file.truncate(len(data))
                with mmap.mmap(file.fileno(), len(data)) as mapped:
                    mapped[:] = b"\1" * len(data)
                    new.rename(place)
                    before = place.stat()
                    assert "not a shared object" in hear(lambda e: "exitCode" in e)["message"]
                    mapped[:] = data
                    assert (place.stat().st_mtime_ns, place.stat().st_ctime_ns) == (
                        before.st_mtime_ns,
                        before.st_ctime_ns,
                    )
                    assert hear(lambda e: "change" in e)["change"] == "upgraded"
            wait_for(lambda: owner.library(library)["problem"] == "version 1", "version 1 again")
        finally:
            timer.cancel()
            watching.terminate()
    assert admin.listed()["shelf"]["origin"] == "development"
