"""Plugin upgrades that change options: version and options are stored together or not at all."""

import os

import pytest

from house import plugins
from house.broker import Album
from house.desk import PluginAdmin, digest
from house.person import wait_for

# The storage `box` and the album policy `boxes`; each version declares its own options.
BOX = plugins.SHARED.replace(
    '    if method == "Start":\n        root = parameters["options"]["path"]\n',
    '''    if method == "Describe":
        path = {"name": "path", "type": "path", "optional": False, "secret": False, "summary": "The folder."}
        answer({"kit": 1, "plugins": [
            {"protocol": "storage", "name": "box", "summary": "A test.", "capabilities": [], "options": [path, *@BOX@]},
            {"protocol": "albumPolicy", "name": "boxes", "summary": "A test.", "capabilities": [],
                "options": @BOXES@}]})
    elif method == "DecideAlbums":
        shared = [a["identifier"] for a in parameters["albums"] if a["isShared"]]
        answer({"visible": shared if options.get("show") != "nothing" else [], "editable": [], "mayCreate": False})
    elif method == "Start":
        options = parameters["options"]
        if options.get("room") == "3":
            send({"error": "io.photobroker.Plugin.PluginError",
                "parameters": {"code": "invalidOption", "message": "room 3 is locked"}})
            continue
        root = options.get("path")
''',
).replace('"isReadOnly": True', '"isReadOnly": True, "notice": "%(quality)s in %(room)s" % {"room": "none", **options}')


def choice(name, *words, **more):
    return {
        "name": name,
        "type": "choice",
        "allowed": words,
        "optional": False,
        "secret": False,
        "summary": "A test.",
        **more,
    }


OLD = BOX.replace("@BOX@", repr([choice("quality", "low", "high")])).replace("@BOXES@", "[]")
ROOM = {
    "name": "room",
    "type": "integer",
    "minimum": 1,
    "maximum": 3,
    "optional": False,
    "secret": False,
    "summary": "Which room.",
}
NEW = BOX.replace("@BOX@", repr([choice("quality", "fine", "coarse"), ROOM])).replace(
    "@BOXES@", repr([choice("show", "shared", "nothing")])
)


@pytest.fixture
def box(own_broker):
    """A library on the first version, an app that sees an album, and the next version."""
    admin = PluginAdmin(own_broker)
    folder = admin.house.folder / f"box-{admin.house.fresh_uid()}"
    admin.files = {}
    for name, text in (("old", OLD), ("new", NEW)):
        path = folder / name / "box.plugin"
        path.parent.mkdir(parents=True, mode=0o755)
        path.write_text(text)
        path.chmod(0o755)
        admin.files[name] = path
    folder.chmod(0o755)
    admin.plugin("install", admin.files["old"])
    admin.owner, admin.app = own_broker.owner(), own_broker.app()
    admin.library = f"box-{admin.owner.uid}"
    album = Album(admin.house, admin.library, admin.owner.uid)
    album.fill(3)
    admin.owner.call(
        "AddLibrary",
        name=admin.library,
        backend="box",
        options={"path": str(album.folder), "quality": "low"},
        offeredTo=[admin.app.uid],
    )
    admin.owner.wait_for_library(admin.library, 3)
    admin.app.introduce()
    admin.owner.set(admin.library, admin.app.name, "limited", albumPolicy="boxes")
    admin.owner.select(admin.library, admin.app.name, "picture-000.jpg", "picture-001.jpg")
    assert admin.app.request() == "limited"
    chosen = admin.owner.naming(admin.library, ["picture-000.jpg"])
    admin.owner.call("EditOwnedAlbum", library=admin.library, title="Shared", add=chosen, shared=True)
    assert albums(admin) == ["Shared"]
    return admin


def albums(admin):
    return [a["title"] for a in admin.app.call("FetchAlbums")["albums"]]


def state(admin):
    """Return everything that an upgrade changes."""
    library = admin.owner.library(admin.library)
    return {
        "options": library["options"],
        "policies": library["albumPolicies"],
        "digest": admin.listed()["box"]["digest"],
        "decisions": admin.owner.call("ListDecisions", library=admin.library)["decisions"],
        "versions": admin.versions(),
    }


def upgrade(admin, **options):
    return [
        "install",
        admin.files["new"],
        "--upgrade",
        *(f"--option={admin.library}:{k}={v}" for k, v in options.items()),
    ]


def test_R137_an_upgrade_requiring_options_names_the_command_and_takes_them(box):
    before = box.app.fetch()
    told = box.refused(*upgrade(box))
    wanted = " ".join(f"--option {box.library}:{name}=VALUE" for name in ("quality", "room"))
    assert (
        f"photobroker plugin install FILE --upgrade {wanted}" in told and f"--option {box.library}:show=VALUE" in told
    ), told
    assert f"the settings of library {box.library}" in told
    said = box.plugin(*upgrade(box, quality="fine", room="2", show="shared")).stdout
    assert f"moved to it: {box.library}" in said
    now = state(box)
    assert now["digest"] == digest(box.files["new"])
    assert {k: v for k, v in now["options"].items() if k != "path"} == {"quality": "fine", "room": "2"}
    assert now["policies"] == [{"policy": "boxes", "options": {"show": "shared"}}]
    decision = now["decisions"][0]
    assert (decision["action"], decision["actor"]) == ("set up", 0)
    assert decision["after"] == "quality, room, boxes show", "which options, and not what they are"
    wait_for(lambda: box.owner.library(box.library).get("problem") == "fine in 2", "the storage to be opened with them")
    # A policy that does not answer in time on a busy machine shows no album for a moment.
    wait_for(lambda: albums(box) == ["Shared"], "the policy's answer")
    assert box.app.fetch() == before
    box.broker.restart()
    wait_for(lambda: box.owner.library(box.library).get("problem") == "fine in 2", "the same after a restart")


def test_R137_an_upgraded_policy_gets_its_options(box):
    box.plugin(*upgrade(box, quality="coarse", room="1", show="nothing"))
    assert albums(box) == [], "in force when the upgrade was answered"


def test_R137_the_first_answer_of_a_failed_policys_new_version_is_waited_for(box):
    silent = box.files["old"].parent / "silent/box.plugin"
    silent.parent.mkdir(mode=0o755)
    silent.write_text(
        OLD.replace("        shared = [", '        refuse("failed")\n        continue\n        shared = [')
    )
    silent.chmod(0o755)
    box.plugin("install", silent, "--upgrade")
    wait_for(lambda: albums(box) == [] and "boxes" in box.owner.library(box.library)["problem"], "the policy to fail")
    box.plugin("install", box.files["old"], "--upgrade")
    assert albums(box) == ["Shared"]


@pytest.mark.parametrize(
    "options, words",
    [
        ({"quality": "fine", "room": "9", "show": "shared"}, "from 1 to 3"),
        ({"quality": "fine", "room": "3", "show": "shared"}, "room 3 is locked"),
        ({"quality": "fine", "room": "2"}, ":show=VALUE"),
        (
            {"quality": "fine", "room": "2", "show": "shared", "colour": "red"},
            'no option "colour". The options: path, quality, room, show',
        ),
    ],
    ids=["a wrong value", "it does not start", "one is missing", "an unknown one"],
)
def test_R137_an_upgrade_refused_with_its_options_changes_nothing(box, options, words):
    before = state(box)
    told = box.refused(*upgrade(box, **options))
    assert words in told, told
    wait_for(lambda: box.versions() == [digest(box.files["old"])], "the refused copy to be gone")
    assert state(box) == before
    assert box.owner.library(box.library)["problem"] == "low in none" and albums(box) == ["Shared"]


def test_an_upgrades_options_apply_only_to_libraries_using_the_plugin(box):
    assert "--option needs --upgrade" in box.plugin("install", box.files["new"], "--option=a:b=c", expect=64).stderr
    for wrong in ("room=2", ":room=2", f"{box.library}:room"):
        assert (
            "LIBRARY:KEY=VALUE"
            in box.plugin("install", box.files["new"], "--upgrade", f"--option={wrong}", expect=64).stderr
        )
    assert "no library elsewhere that uses" in box.refused(
        "install", box.files["new"], "--upgrade", "--option=elsewhere:room=2"
    )
    same = box.refused("install", box.files["old"], "--upgrade", f"--option={box.library}:quality=high")
    assert "library set" in same and state(box)["options"]["quality"] == "low"


def test_R137_an_upgrade_keeps_every_option_that_stays_valid(box):
    before = state(box)
    for other in ("/etc", ""):
        told = box.refused(*upgrade(box, quality="fine", room="2", show="shared", path=other))
        assert 'has the option "path" already' in told and "library set" in told, told
    assert state(box) == before


def test_R137_a_secret_is_shown_as_kept_during_a_slow_upgrade(box):
    key = {"name": "key", "type": "text", "optional": True, "secret": True, "summary": "A test."}
    for name, seconds in (("old", 0), ("new", 2)):
        text = box.files[name].read_text().replace("[path, *", f"[path, {key!r}, *")
        box.files[name].write_text(
            text.replace(
                "        root = options", f"        import time; time.sleep({seconds})\n        root = options"
            )
        )
    box.plugin("install", box.files["old"], "--upgrade")
    secret = box.house.make_folder(f"secret-{box.owner.uid}", box.owner.uid) / "key"
    secret.write_text("correct-horse")
    os.chown(secret, box.owner.uid, box.owner.uid)
    secret.chmod(0o600)

    def kept():
        return box.owner.library(box.library)["credentials"]

    box.broker.photobroker(box.owner.uid, "library", "set", box.library, "--credential", f"key={secret}")
    assert kept() == ["key"]
    box.owner.wait_for_library(box.library, 3)
    box.plugin(*upgrade(box, quality="fine", room="2", show="shared"))
    assert kept() == ["key"] and box.owner.library(box.library)["state"] != "online"
    box.owner.wait_for_library(box.library, 3)
    assert kept() == ["key"]
    box.broker.photobroker(box.owner.uid, "library", "set", box.library, "--remove-credential", "key")
    assert kept() == []


def test_a_new_version_that_reads_no_photo_is_refused(box):
    box.files["new"].write_text(OLD.replace('"root": root', '"root": None'))
    assert "no photo could be read" in box.refused("install", box.files["new"], "--upgrade")
    assert box.owner.library(box.library)["state"] == "online" and len(box.app.fetch()) == 2
