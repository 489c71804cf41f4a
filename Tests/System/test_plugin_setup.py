"""Setup of a library's plugins: album policies, options, a cloud mapping of its own, secrets."""

import hashlib
import json
import os
import shutil
import stat
import textwrap

import pytest
from photobroker import VarlinkError

from house.backups import backup, maintain
from house.broker import BROKER, Broker
from house.person import children, wait_for
from house.pictures import ROOT
from house.plugins import SHARED
from house.scene import Scene

ARCHIVE = ROOT / "Examples/python/archive.plugin"
SECRET = "correct-horse-battery-staple-42"


def install(house, name, text):
    path = house.programs / f"{name}.plugin"
    path.write_text(text)
    os.chmod(path, 0o755)


def titles(app):
    return sorted((a["title"], a["canEdit"]) for a in app.call("FetchAlbums")["albums"])


def test_R46_an_uninstalled_policy_is_refused_with_the_installed_ones(scene):
    scene.limit(0)
    owner, grant = scene.owner, dict(library=scene.library, app=scene.app.name, level="readWrite")
    for name, words in (("famly", "installed are: "), ("directory", "installed are: full, "), ("../x", "a-z")):
        told = owner.refusal("SetGrant", **grant, albumPolicy=name)
        assert told.name.endswith("Refused") and words in told.parameters["message"], told.parameters
    listed = owner.refusal("SetGrant", **grant, albumPolicy="famly").parameters["message"]
    assert all(name in listed for name in ("full", "none", "own", "shared-read")) and "directory," not in listed
    assert owner.grant(scene.library, scene.app.name)["albumPolicy"] == "own", "nothing changed"
    assert (
        "famly"
        in owner.refusal("Apply", grants=[{**grant, "albumPolicy": "famly"}], preview=True).parameters["message"]
    )
    rule = {"library": scene.library, "name": "holidays", "uid": scene.app.uid, "level": "readWrite", "answer": "allow"}
    assert "famly" in owner.refusal("Apply", rules=[{**rule, "albumPolicy": "famly"}]).parameters["message"]
    assert owner.call("ListRules", library=scene.library)["rules"] == []
    for name in ("shared-read", "none"):
        owner.call("SetGrant", **grant, albumPolicy=name)
        assert owner.grant(scene.library, scene.app.name)["albumPolicy"] == name
    owner.call("Apply", rules=[{**rule, "albumPolicy": "shared-read"}])
    refused = scene.broker.photobroker(
        owner.uid, "grant", "policy", scene.library, scene.app.name, "famly", expect=None
    )
    assert refused.returncode and "installed are: " in refused.stderr


def test_R137_a_policys_options_are_per_library_and_take_effect_at_once(scene):
    scene.limit(0)
    owner, run = scene.owner, scene.broker.photobroker
    run(owner.uid, "grant", "policy", scene.library, scene.app.name, "shared-read")

    def create(title):
        return scene.app.run(attempt, change={"kind": "createAlbum", "text": title})

    wait_for(lambda: create("Mine") == "made", "the policy to hold")
    said = run(owner.uid, "library", "policy", scene.library, "shared-read", "create=false").stdout
    assert "create=false" in said
    assert create("Another") == 3311, "in force when the owner was answered"
    assert (
        run(owner.uid, "library", "policy", scene.library, "shared-read", "create=").stdout
        == "shared-read: no options\n"
    )
    run(owner.uid, "library", "policy", scene.library, "shared-read", "create=false")
    assert owner.library(scene.library)["albumPolicies"] == [{"policy": "shared-read", "options": {"create": "false"}}]
    for options, words in (
        ({"create": "maybe"}, '"create" must be true or false'),
        ({"colour": "red"}, 'no option "colour". The options: create'),
    ):
        told = owner.refusal(
            "SetUpLibrary", name=scene.library, albumPolicies=[{"policy": "shared-read", "options": options}]
        )
        assert words in told.parameters["message"]
    assert (
        "installed are"
        in owner.refusal(
            "SetUpLibrary", name=scene.library, albumPolicies=[{"policy": "nowhere", "options": {"x": "y"}}]
        ).parameters["message"]
    )
    assert create("Another") == 3311, "what was refused changed nothing"
    scene.broker.restart()
    assert create("Another") == 3311
    owner.call("SetUpLibrary", name=scene.library, albumPolicies=[{"policy": "shared-read", "options": {"create": ""}}])
    assert create("Another") == "made"
    assert owner.library(scene.library)["albumPolicies"] == []


def attempt(agent, change):
    try:
        agent.call("io.photobroker.Library.PerformChanges", {"changes": [change]})
        return "made"
    except VarlinkError as error:
        return error.parameters["code"]


MAPPING = textwrap.dedent(r'''
    for method, parameters in calls():
        if method == "Describe":
            option = {"name": "prefix", "type": "text", "default": "x", "optional": False, "secret": False,
                "summary": "What names begin with."}
            answer({"kit": 1, "plugins": [{"protocol": "cloudMapping", "name": "plain", "summary": "A test.",
                "options": [option]}]})
        elif method == "Start":
            prefix = parameters["options"]["prefix"]
            answer({"kit": 1})
        elif method == "NameItems":
            answer({"names": [prefix + "-" + (item.get("digest") or "album") for item in parameters["items"]]})
    ''')


def test_R97_an_invalid_cloud_identifier_counts_as_none_and_is_logged(scene):
    head = SHARED[: SHARED.index("def item(")]
    install(
        scene.house, "spaced", head + MAPPING.replace('"plain"', '"spaced"').replace('prefix + "-"', 'prefix + " "')
    )
    scene.limit(0, location=True)
    asset = scene.app.fetch()[0]["localIdentifier"]
    scene.broker.photobroker(scene.owner.uid, "library", "set", scene.library, "--cloud-mapping", "spaced")

    def named():
        return scene.app.call("GetCloudIdentifiers", localIdentifiers=[asset])["mappings"][0]

    mapping = wait_for(lambda: (m := named()).get("reason") and m, "the other mapping")
    assert mapping["reason"] == "identifierNotFound" and not mapping.get("cloudIdentifier"), (
        "asking again would not help"
    )
    assert "1 of its 1 names are refused" in scene.broker.photobroker(0, "plugin", "log", "spaced").stdout


def test_R104_a_library_has_its_own_cloud_mapping(scene):
    head = SHARED[: SHARED.index("def item(")]
    install(scene.house, "plain", head + MAPPING)
    scene.limit(0, location=True)
    owner, run = scene.owner, scene.broker.photobroker
    asset = scene.app.fetch()[0]["localIdentifier"]

    def name():
        return scene.app.call("GetCloudIdentifiers", localIdentifiers=[asset])["mappings"][0].get("cloudIdentifier", "")

    assert name().startswith("content1-") and owner.library(scene.library)["cloudMappingIsDefault"]
    run(owner.uid, "library", "set", scene.library, "--cloud-mapping", "plain")
    wait_for(lambda: owner.library(scene.library)["state"] == "online", "the library to be back")
    assert name().startswith("x-")
    run(owner.uid, "library", "set", scene.library, "--mapping-option", "prefix=mine")
    assert name().startswith("mine-")
    for change, words in (
        (dict(cloudMapping="nowhere"), "not installed"),
        (dict(cloudMapping="directory"), "has no cloud mapping"),
        (dict(cloudMappingOptions={"size": "1"}), 'no option "size". The options: prefix'),
    ):
        assert words in owner.refusal("SetUpLibrary", name=scene.library, **change).parameters["message"]
    shown = json.loads(run(owner.uid, "--json", "library", "show", scene.library).stdout)["library"]
    assert (shown["cloudMapping"], shown["cloudMappingOptions"]) == ("plain", {"prefix": "mine"})
    run(owner.uid, "library", "set", scene.library, "--cloud-mapping", "default")
    assert name().startswith("content1-") and owner.library(scene.library)["cloudMappingOptions"] == {}
    other = f"other-{owner.uid}"
    run(
        owner.uid,
        "library",
        "add",
        other,
        "--backend",
        "directory",
        "--option",
        f"path={scene.album.folder}",
        "--cloud-mapping",
        "plain",
        "--mapping-option",
        "prefix=new",
    )
    assert owner.library(other)["cloudMapping"] == "plain"


def test_R104_an_upgraded_or_disabled_mapping_repeats_no_earlier_answers(own_scene):
    scene, broker = own_scene, own_scene.broker
    run = broker.photobroker
    path = scene.house.folder / f"naming-{scene.house.fresh_uid()}/naming.plugin"
    path.parent.mkdir(mode=0o755)

    def make(version):
        path.write_text(
            SHARED[: SHARED.index("def item(")] + MAPPING.replace('"plain"', '"naming"').replace('"x"', f'"v{version}"')
        )
        path.chmod(0o755)
        run(0, "plugin", "install", path, "--upgrade")

    scene.limit(0, location=True)
    make(1)
    run(scene.owner.uid, "library", "set", scene.library, "--cloud-mapping", "naming")
    wait_for(lambda: scene.owner.library(scene.library)["state"] == "online", "the library to be back")
    asset = scene.app.fetch()[0]["localIdentifier"]

    def name():
        return scene.app.call("GetCloudIdentifiers", localIdentifiers=[asset])["mappings"][0].get("cloudIdentifier", "")

    def found(text):
        return scene.app.call("GetLocalIdentifiers", cloudIdentifiers=[text])["mappings"][0].get("localIdentifier")

    # Without its hint, which needs no mapping.
    bare = lambda text: text.rpartition(".")[0]
    first = name()
    assert first.startswith("v1-") and found(bare(first)) == asset
    make(2)
    second = name()
    assert second.startswith("v2-") and found(bare(second)) == asset and found(bare(first)) is None
    run(0, "plugin", "disable", "naming")
    for method, asked in (
        ("GetLocalIdentifiers", {"cloudIdentifiers": [bare(second)]}),
        ("GetCloudIdentifiers", {"localIdentifiers": [asset]}),
    ):
        assert scene.app.refusal(method, **asked).reason == "internalError", method

    def problem():
        return (scene.owner.library(scene.library).get("problemReason") or {}).get("code")

    wait_for(lambda: problem() == "mappingSilent", "its owner to be told")
    run(0, "plugin", "enable", "naming")
    assert name() == second and found(bare(second)) == asset
    wait_for(lambda: problem() is None, "its owner to be told no more")
    told = run(0, "plugin", "remove", "naming", "--yes", expect=None).stderr
    assert "library set LIBRARY --cloud-mapping default" in told and "album policy" not in told, told


def test_R107_one_name_for_several_assets_or_albums_is_a_choice(scene):
    head = SHARED[: SHARED.index("def item(")]
    install(
        scene.house,
        "same",
        head + MAPPING.replace('"plain"', '"same"').replace('prefix + "-" + (item.get("digest") or "album")', '"same"'),
    )
    scene.limit(0, 1, location=True)
    scene.broker.photobroker(scene.owner.uid, "library", "set", scene.library, "--cloud-mapping", "same")
    album = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Trip"}])["createdAlbums"][0]

    def found():
        return scene.app.call("GetLocalIdentifiers", cloudIdentifiers=["same"])["mappings"][0]

    answer = found()
    assert answer["reason"] == "multipleIdentifiersFound"
    assert sorted(answer["matches"]) == sorted(a["localIdentifier"] for a in scene.app.fetch())
    scene.unselect(0, 1)
    assert found()["localIdentifier"] == album


def test_storage_options_can_be_changed_and_a_wrong_one_changes_nothing(scene):
    owner, run = scene.owner, scene.broker.photobroker
    before = owner.library(scene.library)["options"]
    for options, words in (
        ({"rescanSeconds": "1"}, "a whole number of seconds from 2 to 86400"),
        ({"path": ""}, '"path" must be given'),
        ({"path": "/nowhere/at/all"}, "storage(directory)"),
        ({"colour": "red"}, "The options: path, addFolder"),
    ):
        assert words in owner.refusal("SetUpLibrary", name=scene.library, options=options).parameters["message"]
    assert owner.library(scene.library)["options"] == before
    run(owner.uid, "library", "set", scene.library, "--option", "ignore=picture-000.jpg")
    owner.wait_for_library(scene.library, 5)
    run(owner.uid, "library", "set", scene.library, "--option", "ignore=")
    owner.wait_for_library(scene.library, 6)
    assert owner.library(scene.library)["options"] == before
    assert owner.refusal("SetUpLibrary", name=scene.library).name.endswith("Refused")
    decisions = owner.call("ListDecisions", library=scene.library)["decisions"]
    assert [d["after"] for d in decisions if d["action"] == "set up"] == ["ignore", "ignore"]


VAULT = SHARED.replace(
    '''    if method == "Start":
''',
    '''    if method == "Describe":
        def option(name, **more): return {"name": name, "type": "text", "optional": True, "secret": False,
            "summary": "For a test.", **more}
        options = [option("path", type="path", optional=False), option("password", secret=True, optional=False),
            option("key", secret=True)]
        answer({"kit": 1, "plugins": [{"protocol": "storage", "name": "vault", "summary": "A test.",
            "options": options}]})
    elif method == "Start":
        import sys
        password = parameters["secrets"]["password"]
        print("starting with", password, file=sys.stderr, flush=True)
        if password.startswith("wrong"):
            send({"error": "io.photobroker.Plugin.PluginError",
                  "parameters": {"code": "invalidOption", "message": "The account does not take " + password}})
            continue
''',
)


@pytest.fixture
def vault(own_scene):
    install(own_scene.house, "vault", VAULT)
    own_scene.secrets = own_scene.house.make_folder(f"secrets-{own_scene.owner.uid}", own_scene.owner.uid)

    def secret(text, name="password", mode=0o600, uid=own_scene.owner.uid):
        path = own_scene.secrets / name
        path.write_text(text)
        os.chown(path, uid, uid)
        path.chmod(mode)
        return path

    own_scene.secret = secret
    return own_scene


def all_visible_bytes(broker):
    """Return the broker's log, command lines, and files outside the credentials folder."""
    found = {"log": broker.log.encode()}
    for path in broker.state.rglob("*"):
        if path.is_file() and path.parent.name != "credentials":
            found[path.name] = path.read_bytes()
    for pid in os.listdir("/proc"):
        if pid.isdigit():
            try:
                found[f"command line of {pid}"] = open(f"/proc/{pid}/cmdline", "rb").read()
            except OSError:
                pass
    return found


def test_secrets_are_stored_in_one_file_only(vault):
    owner, run, broker, name = vault.owner, vault.broker.photobroker, vault.broker, f"vault-{vault.owner.uid}"
    path = vault.secret(SECRET + "\n")
    run(
        owner.uid,
        "library",
        "add",
        name,
        "--backend",
        "vault",
        "--option",
        f"path={vault.album.folder}",
        "--credential",
        f"password={path}",
    )
    owner.wait_for_library(name, 6)
    kept = broker.state / "credentials" / name
    assert json.loads(kept.read_text()) == {"password": SECRET}
    facts, folder = kept.stat(), kept.parent.stat()
    assert (facts.st_uid, stat.S_IMODE(facts.st_mode), stat.S_IMODE(folder.st_mode)) == (BROKER, 0o600, 0o700)
    shown = [run(owner.uid, "--json", *command).stdout for command in (("library", "show", name), ("library", "list"))]
    shown.append(run(owner.uid, "library", "show", name).stdout)
    shown.append(json.dumps(owner.call("ListDecisions", library=name)))
    assert SECRET not in "".join(shown) and '"credentials":["password"]' in shown[0].replace(" ", "")
    # A plugin that repeats the secret in an error does not spread it.
    wrong = vault.secret("wrong-" + SECRET, "wrong")
    refused = run(owner.uid, "library", "set", name, "--credential", f"password={wrong}", expect=None)
    assert (
        refused.returncode and "The account does not take [secret]" in refused.stderr and SECRET not in refused.stderr
    )
    assert json.loads(kept.read_text()) == {"password": SECRET}, "what was refused changed nothing"
    run(owner.uid, "library", "set", name, "--credential", f"key={vault.secret('another-key', 'key')}")
    assert json.loads(kept.read_text()) == {"password": SECRET, "key": "another-key"}
    run(owner.uid, "library", "set", name, "--remove-credential", "key")
    assert json.loads(kept.read_text()) == {"password": SECRET}
    broker.restart()
    owner.wait_for_library(name, 6)
    for place, data in all_visible_bytes(broker).items():
        assert SECRET.encode() not in data, place
    # A secret that others can read is refused.
    broker.stop()
    kept.chmod(0o640)
    broker.start()
    owner.new_connection()
    wait_for(lambda: "0600" in owner.library(name).get("problem", ""), "the owner to be told")
    kept.chmod(0o600)
    owner.wait_for_library(name, 6)
    owner.call("RemoveLibrary", name=name)
    wait_for(lambda: not kept.exists(), "the secrets to be erased with their library")


def test_a_secret_passed_otherwise_is_refused(vault):
    owner, run, name = vault.owner, vault.broker.photobroker, f"vault-{vault.owner.uid}"
    base = dict(name=name, backend="vault", options={"path": str(vault.album.folder)})
    assert '"password" must be given as a credential' in owner.refusal("AddLibrary", **base).parameters["message"]
    message = owner.refusal("AddLibrary", **{**base, "options": {**base["options"], "password": SECRET}}).parameters[
        "message"
    ]
    assert '"password" is a secret' in message and SECRET not in message

    def handed(path, option="password"):
        return owner.run(
            add_library_with_file,
            parameters={**base, "credentials": [{"option": option, "descriptor": 0}]},
            path=str(path),
        )

    assert "can be read or changed by others" in handed(vault.secret(SECRET, mode=0o644))
    assert '"path" is not a secret' in handed(vault.secret(SECRET), "path")
    assert "is empty" in handed(vault.secret("\n"))
    assert "longer than" in handed(vault.secret("x" * 70_000))
    assert "regular file" in handed("/dev/null")
    for wrong in (
        [{"option": "password", "descriptor": 1}],
        [{"option": "password"}],
        [{"option": "", "descriptor": 0}],
    ):
        assert owner.refusal("AddLibrary", **base, credentials=wrong).name.endswith("InvalidParameter")
    told = run(
        owner.uid,
        "library",
        "add",
        name,
        "--backend",
        "vault",
        "--option",
        f"path={vault.album.folder}",
        "--credential",
        f"password={vault.secret(SECRET, mode=0o604)}",
        expect=None,
    )
    assert told.returncode and "chmod 600" in told.stderr
    assert owner.library(name) is None and not (vault.broker.state / "credentials" / name).exists()
    assert not [place for place, data in all_visible_bytes(vault.broker).items() if SECRET.encode() in data]


def add_library_with_file(agent, parameters, path):
    try:
        agent.call_with_file("io.photobroker.Admin.AddLibrary", parameters, path)
        return "added"
    except VarlinkError as error:
        return error.parameters["message"]


@pytest.fixture
def trusting(house):
    broker = Broker(house, name=f"own-{house.fresh_uid()}")
    broker.arguments = [word for name in ("directory", "album-policies", "content") for word in ("--trust", name)]
    yield broker.start()
    broker.end()


def test_trusted_plugins_run_inside_the_daemon(trusting):
    scene = Scene(trusting, 6)
    scene.limit(0, 1, location=True)
    scene.broker.photobroker(scene.owner.uid, "grant", "policy", scene.library, scene.app.name, "shared-read")
    wait_for(
        lambda: scene.app.run(attempt, change={"kind": "createAlbum", "text": "Mine"}) == "made", "the policy to hold"
    )
    asset = scene.app.fetch()[0]["localIdentifier"]
    assert scene.app.call("GetCloudIdentifiers", localIdentifiers=[asset])["mappings"][0]["cloudIdentifier"].startswith(
        "content1-"
    )
    scene.album.add(6)
    scene.owner.wait_for_library(scene.library, 7)
    assert (
        "The options: create"
        in scene.owner.refusal(
            "SetUpLibrary", name=scene.library, albumPolicies=[{"policy": "shared-read", "options": {"x": "y"}}]
        ).parameters["message"]
    )
    assert (
        "installed are: full"
        in scene.owner.refusal(
            "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", albumPolicy="famly"
        ).parameters["message"]
    )
    assert (
        scene.owner.refusal("SetUpLibrary", name=scene.library, options={"rescanSeconds": "1"})
        .parameters["message"]
        .startswith('storage(directory): Option "rescanSeconds" must be a whole number of seconds')
    )
    with open(f"/proc/{trusting.process.pid}/maps") as maps:
        loaded = maps.read()
    assert all(f"lib{name}.so" in loaded for name in ("directory", "album-policies", "content"))
    commands = [open(f"/proc/{pid}/cmdline").read() for pid in children(trusting.process.pid)]
    assert any("photobroker-media" in command for command in commands) and not any(
        "plugin-host" in command for command in commands
    )
    assert "trusted plugins run inside of the daemon" in trusting.log
    os.rename(scene.album.folder, scene.album.folder.with_suffix(".away"))
    scene.owner.call("RescanLibrary", name=scene.library)
    wait_for(lambda: scene.owner.library(scene.library)["state"] == "offline", "the library to be offline")
    os.rename(scene.album.folder.with_suffix(".away"), scene.album.folder)
    scene.owner.wait_for_library(scene.library, 7)


def test_a_program_as_a_trusted_plugin_is_refused_with_advice(house):
    install(house, "vault", VAULT)
    broker = Broker(house, name=f"own-{house.fresh_uid()}")
    broker.arguments = ["--trust", "vault"]
    broker.start()
    try:
        told = (
            broker.owner()
            .refusal("AddLibrary", name="vault", backend="vault", options={"path": "/tmp"})
            .parameters["message"]
        )
        assert "only shared objects run inside the daemon" in told
    finally:
        broker.end()


def test_only_owners_configure_a_library(scene):
    stranger, root = scene.broker.owner(), scene.broker.owner(0)
    change = dict(name=scene.library, options={"ignore": "*"})
    unknown = stranger.refusal("SetUpLibrary", name="no-such-library", options={"ignore": "*"})
    assert (
        told := stranger.refusal("SetUpLibrary", **change)
    ).name == unknown.name and told.parameters == unknown.parameters
    assert root.refusal("SetUpLibrary", **change).name.endswith("NotPermitted")
    assert scene.owner.library(scene.library)["options"] == {"path": str(scene.album.folder)}


def test_R144_a_restore_names_plugins_and_credentials_missing_from_the_backup(vault):
    owner, run, broker, name = vault.owner, vault.broker.photobroker, vault.broker, f"vault-{vault.owner.uid}"
    run(0, "plugin", "install", ARCHIVE)
    run(
        owner.uid,
        "library",
        "add",
        name,
        "--backend",
        "vault",
        "--option",
        f"path={vault.album.folder}",
        "--credential",
        f"password={vault.secret(SECRET)}",
        "--credential",
        f"key={vault.secret('another-key', 'key')}",
    )
    path = backup(broker)
    assert SECRET.encode() not in path.read_bytes()
    broker.stop()
    assert "--credential" not in maintain(broker, "restore", path).stdout, "here both are there still"
    for folder in ("plugins", "credentials"):
        shutil.rmtree(broker.state / folder)
    told = maintain(broker, "restore", path).stdout
    digest = hashlib.sha256(ARCHIVE.read_bytes()).hexdigest()
    assert f"plugin archive, SHA-256 {digest}: photobroker plugin install PATH" in told
    assert (
        f"credentials of library {name}: photobroker library set {name} "
        "--credential key=FILE --credential password=FILE" in told
    )
    assert b"backup_notes" not in (broker.state / "state.db").read_bytes(), "the state itself has none of these notes"
    broker.start()
    run(0, "plugin", "install", ARCHIVE)
    run(owner.uid, "library", "set", name, "--credential", f"password={vault.secret(SECRET)}")
    broker.owner(uid=owner.uid).wait_for_library(name, 6)


def test_the_plugin_list_shows_each_process(house):
    broker = Broker(house, name=f"placed-{house.fresh_uid()}")
    broker.arguments = ["--trust", "content", "--network", "rclone"]
    try:
        broker.start()
        listed = {p["name"]: (p["isTrusted"], p["hasNetwork"]) for p in broker.owner(0).call("ListPlugins")["plugins"]}
        assert (listed["content"], listed["rclone"], listed["directory"]) == (
            (True, True),
            (False, True),
            (False, False),
        )
        shown = {
            name: broker.photobroker(0, "plugin", "inspect", name).stdout for name in ("content", "rclone", "directory")
        }
        assert "inside of the daemon" in shown["content"]
        assert "of its own, with network" in shown["rclone"] and "of its own, without network" in shown["directory"]
        rows = broker.photobroker(0, "plugin", "list").stdout.splitlines()
        assert ["trusted" in r for r in rows if r.startswith("content")] == [True]
    finally:
        broker.end()
