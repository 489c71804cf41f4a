"""Start, stop, crash and restart of the daemon."""

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

from house.broker import BROKER, Album, Broker
from house.owner import Owner
from house.pictures import day, microseconds
from house.person import as_user, children, storage_processes, wait_for
from house.soak import WHOLE


def test_R138_no_process_of_ours_runs_as_root(scene):
    scene.limit(0)
    assert scene.owner.real_uids == [str(scene.owner.uid)] * 4
    assert scene.app.real_uids == [str(scene.app.uid)] * 4

    def status(pid):
        with open(f"/proc/{pid}/status") as status:
            return dict(line.rstrip("\n").split(":\t", 1) for line in status if ":\t" in line)

    family = [scene.broker.process.pid]
    for pid in family:
        # Before a child executes its program it has every right in a namespace of its own.
        wait_for(lambda: int(status(pid)["CapEff"], 16) == 0, f"{status(pid)['Name']} to be without rights")
        lines = status(pid)
        assert lines["Uid"].split() == [str(BROKER)] * 4 and lines["NoNewPrivs"] == "1", lines["Name"]
        family += children(pid)
    assert len(family) >= 2, "the plugin's process belongs to it"


def test_R12_state_and_sockets_are_closed_to_other_users(broker):
    modes = {p.name: p.stat().st_mode & 0o777 for p in broker.state.rglob("*") if not p.is_symlink()}
    assert broker.state.stat().st_mode & 0o077 == 0
    assert all(mode & 0o077 == 0 for name, mode in modes.items() if not name.endswith((".sock",))), modes
    stranger = broker.stranger()
    assert stranger.order(do="try_to_open", path=str(broker.state / "state.db")) == "Permission denied"


def test_the_daemon_prints_help_and_names_an_unknown_option(house):
    program = house.programs / "photobrokerd"
    result = subprocess.run([program, "--help"], capture_output=True, text=True, timeout=20)
    assert result.returncode == 0 and "--state" in result.stdout and "--runtime" in result.stdout
    result = subprocess.run([program, "--no-such-option"], capture_output=True, text=True, timeout=20)
    assert result.returncode not in (0, -signal.SIGILL, -signal.SIGTRAP) and "--no-such-option" in result.stderr


def test_R127_an_administrator_is_named_by_name_or_number(house):
    refused = subprocess.run(
        [house.programs / "photobrokerd", "--administrator", "no-such-user"], text=True, capture_output=True, timeout=20
    )
    assert refused.returncode == 64 and "this machine has no user no-such-user" in refused.stderr, refused
    broker = Broker(house, name=f"named-{house.fresh_uid()}")
    broker.arguments = ["--administrator", "daemon", "--administrator", "4000001"]
    broker.start()
    assert {0, 1, 4_000_001} <= set(broker.owner(uid=0).call("ListAdministrators")["administrators"])


@pytest.mark.parametrize("option", ["--network", "--trust", "--cloud-mapping"])
def test_R135_an_unknown_plugin_name_is_refused_or_reported_at_the_start(house, option):
    daemon = house.programs / "photobrokerd"
    refused = subprocess.run([daemon, option, "No Such"], text=True, capture_output=True, timeout=20)
    assert (
        refused.returncode == 64 and f"{option} takes a plugin's name" in refused.stderr and "No Such" in refused.stderr
    ), refused
    broker = Broker(house, name=f"named-{house.fresh_uid()}")
    broker.arguments = [option, "nosuch"]
    broker.start()
    wait_for(lambda: f"{option} nosuch" in broker.log, "the operator to be told")
    broker.end()
    broker = Broker(house, name=f"named-{house.fresh_uid()}")
    broker.arguments = [option, {"--network": "rclone", "--trust": "own", "--cloud-mapping": "content"}[option]]
    broker.start()
    wait_for(lambda: "serving" in broker.log, "the broker to serve")
    assert "names a plugin" not in broker.log and "no cloud identifiers" not in broker.log
    broker.end()


def test_status_reports_whether_apps_are_separated_from_the_owner(own_broker):
    status = own_broker.owner().call("GetStatus")
    assert status["uid"] == BROKER
    assert status["separated"] is True and status["separation"]
    same = own_broker.owner(uid=BROKER).call("GetStatus")
    assert same["separated"] is False and same["separation"] != status["separation"]
    assert 'separation="there is no library yet' in own_broker.log


@pytest.mark.parametrize("owner, said", [(None, "no library"), (BROKER, "a library")])
def test_the_start_reports_whether_apps_are_separated_from_the_owner(own_broker, owner, said):
    owner = own_broker.owner(**({"uid": owner} if owner else {}))
    album = Album(own_broker.house, f"separated-{owner.uid}-{own_broker.process.pid}", owner.uid)
    album.add(1)
    owner.add_library("photos", album.folder, [], 1)
    assert own_broker.stop() == 0
    own_broker.start()
    wait_for(lambda: f'separation="user {BROKER} runs the broker and owns {said}' in own_broker.log, "the log's line")


def test_a_second_daemon_with_another_runtime_folder_refuses_too(own_scene):
    """The other folder has no served socket, so the lock of the state refuses."""
    broker, runtime = own_scene.broker, own_scene.house.make_folder(f"second-{own_scene.owner.uid}", BROKER, mode=0o755)
    command = [str(word) for word in broker.command()]
    command[command.index("--runtime") + 1] = str(runtime)
    result = subprocess.run(
        as_user(BROKER, command), capture_output=True, text=True, timeout=20, cwd="/", env=broker.environment()
    )
    assert result.returncode not in (0, -signal.SIGILL, -signal.SIGTRAP)
    assert "state folder is in use" in result.stderr, result.stderr
    own_scene.limit(0)
    assert own_scene.app.names() == [own_scene.pictures[0]], "the first one goes on"


def test_a_relative_state_folder_is_resolved_at_the_start(house):
    place = house.make_folder("relative", BROKER)
    folders = [word for name in ("state", "run") for word in (f"--{dict(state='state', run='runtime')[name]}", name)]
    process = subprocess.Popen(
        as_user(BROKER, [house.programs / "photobrokerd", *folders]), cwd=place, stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for(lambda: (place / "run/admin.sock").exists(), "its socket")
        wait_for(lambda: (place / "state/state.db").exists(), "the database in the state folder")
        reply = Owner(house, BROKER, place / "run/admin.sock").call("ListPlugins")
        assert {"directory", "content"} <= {plugin["name"] for plugin in reply["plugins"]}
    finally:
        process.terminate()
        assert process.wait() == 0


def test_a_second_daemon_on_the_same_state_refuses(own_scene):
    broker = own_scene.broker
    result = subprocess.run(
        as_user(BROKER, broker.command()), capture_output=True, text=True, timeout=20, cwd="/", env=broker.environment()
    )
    assert result.returncode != 0
    assert "already" in result.stderr or "another" in result.stderr or "in use" in result.stderr, result.stderr
    own_scene.limit(0)
    assert own_scene.app.names() == [own_scene.pictures[0]], "the first one goes on"


def test_a_second_daemon_names_the_first_even_without_its_lock_file(own_scene):
    first = own_scene.broker
    (first.state / "lock").unlink()
    second = Broker(own_scene.house, f"second-{own_scene.owner.uid}")
    second.state = first.state
    # Its sockets may exist for a moment before it finds the state in use.
    with contextlib.suppress(AssertionError):
        second.start()
    assert second.process.wait(20) != 0
    assert f"in use by process {first.process.pid}" in second.log and "--state" in second.log
    assert own_scene.owner.library(own_scene.library)["assets"] == 6, "the first one goes on"


def test_a_stale_socket_is_replaced(own_broker):
    own_broker.kill()
    assert own_broker.app_socket.exists()
    own_broker.start()
    assert own_broker.app().call("GetLimits")


def test_a_socket_released_within_a_moment_is_waited_for(own_broker):
    """A child that a killed daemon was starting may still hold the socket."""
    own_broker.kill()
    own_broker.app_socket.unlink()
    script = (
        "import socket, sys, time\n"
        "held = socket.socket(socket.AF_UNIX); held.bind(sys.argv[1]); held.listen()\n"
        "print('held', flush=True); time.sleep(0.5)\n"
    )
    holder = subprocess.Popen(
        as_user(BROKER, ["/usr/bin/python3", "-c", script, own_broker.app_socket]), stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout.readline() == "held\n"
    own_broker.start()
    assert holder.wait() == 0
    assert own_broker.app().call("GetLimits")


def test_SIGTERM_stops_the_daemon_cleanly(own_scene):
    own_scene.limit(0)
    own_scene.app.observe()
    start = time.monotonic()
    assert own_scene.broker.stop() == 0
    assert time.monotonic() - start < 10
    assert not own_scene.broker.app_socket.exists() and not own_scene.broker.admin_socket.exists()
    wait_for(lambda: own_scene.app.end_of("observer"), "the observer's end")


def test_the_daemon_stops_while_prompts_and_streams_wait(own_scene):
    own_scene.app.begin_request()
    own_scene.owner.wait_for_prompt()
    assert own_scene.broker.stop() == 0
    with pytest.raises(Exception):
        own_scene.app.hear()


def test_R95_R17_identifiers_decisions_and_tokens_survive_a_restart(own_scene):
    scene = own_scene
    scene.limit(0, 3)
    assets, token = scene.app.fetch(), scene.app.token
    grant = scene.owner.grant(scene.library, scene.app.name)
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    assert scene.app.fetch() == assets
    assert scene.owner.grant(scene.library, scene.app.name) == grant
    assert scene.app.token == token


@pytest.mark.parametrize("after", ["select", "unselect", "revoke", "deny"])
def test_acknowledged_decisions_survive_kill_9(own_scene, after):
    scene = own_scene
    scene.limit(0, 1)
    if after == "select":
        scene.select(2)
    elif after == "unselect":
        scene.unselect(0)
    elif after == "revoke":
        scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    else:
        scene.owner.set(scene.library, scene.app.name, "denied")
    before = scene.owner.grant(scene.library, scene.app.name)
    scene.broker.kill()
    scene.broker.start()
    scene.owner.new_connection()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    assert scene.owner.grant(scene.library, scene.app.name) == before
    if after in ("select", "unselect"):
        scene.app.new_connection()
        wanted = [2, 1, 0] if after == "select" else [1]
        assert scene.app.names() == [scene.pictures[n] for n in wanted]
    else:
        scene.app.use()
        scene.app.new_connection()
        assert scene.app.refusal("Attach", token=scene.app.token).error == "TokenRefused"


def test_kill_9_during_edits_loses_no_acknowledged_edit(own_scene):
    scene = own_scene
    scene.limit()
    for round in range(20 if WHOLE else 2):
        acknowledged = set(scene.owner.names(scene.library, app=scene.app.name))
        last = {"edit": None}

        def edit():
            try:
                for step in range(1_000):
                    name = scene.pictures[(step * 5 + round) % len(scene.pictures)]
                    last["edit"] = name
                    if name in acknowledged:
                        scene.unselect(name)
                        acknowledged.discard(name)
                    else:
                        scene.select(name)
                        acknowledged.add(name)
                    last["edit"] = None
            except Exception:
                pass

        editor = threading.Thread(target=edit)
        editor.start()
        time.sleep(0.25 + 0.07 * round)
        scene.broker.kill()
        editor.join()
        scene.broker.start()
        scene.owner.end()
        scene.owner = scene.broker.owner(uid=scene.owner.uid)
        scene.owner.wait_for_library(scene.library, len(scene.pictures))
        kept = set(scene.owner.names(scene.library, app=scene.app.name))
        assert kept ^ acknowledged <= {last["edit"]}, "only the edit that was not acknowledged may differ"


def test_R135_a_missing_storage_plugin_is_named(house):
    broker = Broker(house, name=f"poor-{house.fresh_uid()}")
    broker.programs = house.programs_without("libdirectory.so")
    broker.start()
    try:
        owner = broker.owner()
        album = Album(house, f"poor-{owner.uid}", owner.uid)
        album.fill(1)
        refused = owner.refusal("AddLibrary", name="poor", options={"path": str(album.folder)})
        assert "directory" in refused.parameters["message"], refused
        assert owner.call("ListLibraries")["libraries"] == []
        refused = owner.refusal("AddLibrary", name="poor", backend="nonsense", options={})
        assert "nonsense" in refused.parameters["message"]
        assert broker.is_running
    finally:
        broker.end()


def test_a_new_account_gets_a_broker_at_once_and_a_wrong_folder_is_named(house):
    uid = house.fresh_uid()
    home, runtime = (house.make_folder(f"{what}-{uid}", uid) for what in ("home", "runtime"))
    environment = {"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "PATH": "/usr/bin:/bin"}
    away = home / "unmounted/disk"
    refused = subprocess.run(
        as_user(uid, [house.programs / "photobrokerd", "--state", away]),
        capture_output=True,
        text=True,
        timeout=20,
        cwd="/",
        env=environment,
    )
    assert refused.returncode != 0 and str(away) in refused.stderr and not away.parent.exists(), (
        "a disk may be missing there"
    )
    said = home / "said"
    with open(said, "w") as errors:
        process = subprocess.Popen(
            as_user(uid, [house.programs / "photobrokerd"]), env=environment, cwd="/", stderr=errors
        )
    try:
        folders = [home / ".local", home / ".local/state", home / ".local/state/photobroker"]
        # A connection waits until the state is open.
        begun = [runtime / "photobroker/admin.sock", *folders]
        wait_for(lambda: all(path.exists() for path in begun) or process.poll() is not None, "its socket and its state")
        assert process.poll() is None, said.read_text()
        assert [oct(folder.stat().st_mode & 0o777) for folder in folders] == ["0o700"] * 3
        status = subprocess.run(
            as_user(uid, [house.programs / "photobroker", "status"]),
            capture_output=True,
            text=True,
            timeout=20,
            cwd="/",
            env=environment,
        )
        assert status.returncode == 0 and "libraries    0" in status.stdout, status
    finally:
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0


def test_an_unwritable_home_is_reported(house):
    uid = house.fresh_uid()
    home, runtime = house.make_folder(f"home-{uid}", uid, mode=0o500), house.make_folder(f"runtime-{uid}", uid)
    refused = subprocess.run(
        as_user(uid, [house.programs / "photobrokerd"]),
        capture_output=True,
        text=True,
        timeout=20,
        cwd="/",
        env={"HOME": str(home), "XDG_RUNTIME_DIR": str(runtime), "PATH": "/usr/bin:/bin"},
    )
    assert refused.returncode == 64 and f"{home}/.local cannot be made: Permission denied" in refused.stderr, refused


def test_a_relative_runtime_folder_is_ignored(house):
    """The XDG specification says so, and clients ignore such a value."""
    uid = house.fresh_uid()
    home = house.make_folder(f"home-{uid}", uid)
    (home / "run").mkdir(mode=0o700)
    os.chown(home / "run", uid, uid)
    refused = subprocess.run(
        as_user(uid, [house.programs / "photobrokerd"]),
        capture_output=True,
        text=True,
        timeout=20,
        cwd=home,
        env={"HOME": str(home), "XDG_RUNTIME_DIR": "run", "PATH": "/usr/bin:/bin"},
    )
    assert refused.returncode == 64 and "XDG_RUNTIME_DIR" in refused.stderr and not list((home / "run").iterdir()), (
        refused
    )
    where = subprocess.run(
        ["/usr/bin/python3", "-c", "from photobroker import TokenFile; print(TokenFile('org.example').path)"],
        capture_output=True,
        text=True,
        cwd=home,
        env={"HOME": str(home), "XDG_STATE_HOME": "state", "PYTHONPATH": str(house.python)},
    )
    assert where.stdout.strip() == f"{home}/.local/state/photobroker/org.example.token", where


def test_R136_a_crashing_plugin_affects_nothing_else(own_scene):
    scene = own_scene
    scene.allow()
    hosts = storage_processes(scene.broker)
    assert hosts, "the storage plugin runs in a process of its own"
    for pid in hosts:
        os.kill(pid, signal.SIGKILL)
    assert scene.app.count() == len(scene.pictures)
    scene.album.add(30, "after.jpg")
    wait_for(lambda: "after.jpg" in scene.app.names(), "the plugin to come back", 60)


def start_activated(house, names, runtime=True):
    """Start the broker with listeners at descriptors 3 and 4, as systemd passes them."""
    broker = Broker(house, name=f"activated-{house.fresh_uid()}")
    listeners = []
    for path in (broker.app_socket, broker.admin_socket):
        listener = socket.socket(socket.AF_UNIX)
        listener.bind(str(path))
        os.chmod(path, 0o666)
        os.chown(path, BROKER, BROKER)
        listener.listen(64)
        listeners.append(listener)
    start = "import os,sys; os.environ['LISTEN_PID']=str(os.getpid()); os.execv(sys.argv[1], sys.argv[1:])"
    environment = {**broker.environment(), "LISTEN_FDS": "2", **names}
    numbers = [l.fileno() for l in listeners]

    def place():
        saved = [os.dup(n) for n in numbers]
        for target, number in zip((3, 4), saved):
            os.dup2(number, target, inheritable=True)

    command = broker.command()
    if not runtime:
        at = command.index("--runtime")
        del command[at : at + 2]
    log = open(broker.log_path, "ab")
    broker.process = subprocess.Popen(
        as_user(BROKER, ["/usr/bin/python3", "-c", start, *command]),
        env=environment,
        cwd="/",
        stdout=log,
        stderr=log,
        preexec_fn=place,
        close_fds=False,
    )
    for listener in listeners:
        listener.close()
    return broker


@pytest.mark.parametrize("runtime", [True, False], ids=["", "no runtime folder is given"])
def test_socket_activation_works(house, runtime):
    broker = start_activated(house, {"LISTEN_FDNAMES": "apps:administration"}, runtime)
    try:
        assert broker.app().call("GetLimits")["limits"], broker.log
        assert broker.owner().call("GetStatus")["version"]
        assert broker.stop() == 0
        assert broker.app_socket.exists(), "the sockets are not its own to remove"
    finally:
        broker.end()


@pytest.mark.parametrize(
    "names", [{}, {"LISTEN_FDNAMES": "apps:photobroker-admin.socket"}], ids=["no names", "another name"]
)
def test_wrongly_named_sockets_are_refused(house, names):
    broker = start_activated(house, names)
    try:
        assert broker.process.wait(30) == 1
        assert "FileDescriptorName=" in broker.log
    finally:
        broker.end()


def test_a_vanished_folder_takes_its_library_offline_until_it_returns(own_scene):
    scene = own_scene
    scene.allow()
    away = scene.album.folder.with_name("away")
    os.rename(scene.album.folder, away)
    scene.owner.call("RescanLibrary", name=scene.library)
    wait_for(lambda: scene.owner.library(scene.library)["state"] == "offline", "the library to be offline")
    assert scene.owner.library(scene.library)["problem"]
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    assert scene.app.is_refused(), "R133: revoking works with the storage away"
    away_still = scene.broker.photobroker(scene.owner.uid, "library", "rescan", scene.library, "--wait", expect=74)
    assert "offline" in away_still.stderr and str(scene.album.folder) not in scene.broker.log
    os.rename(away, scene.album.folder)
    back = scene.owner.rescan(scene.library)
    assert (back["state"], back["assets"]) == ("online", len(scene.pictures)), (
        "it is back when that was looked at, and not some time later"
    )


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"path": ""},
        {"path": "relative/path"},
        {"path": "/no/such/folder"},
        {"path": "/etc/passwd"},
        {"path": "/x", "surprise": "1"},
        {"path": "a\u0000b"},
    ],
)
def test_an_unservable_folder_is_refused_with_a_reason(broker, options):
    owner = broker.owner()
    refused = owner.refusal("AddLibrary", name=f"bad-{owner.uid}", options=options)
    assert refused.error in {"Refused", "Failed", "InvalidParameter", "NotPermitted"} and str(refused.parameters), (
        refused
    )
    assert owner.call("ListLibraries")["libraries"] == []


@pytest.mark.parametrize("name", ["", "A", "1a", "a" * 65, "a_b", "a/b", "a b", "ä", "a\n"])
def test_a_librarys_name_has_a_limited_alphabet(broker, name):
    owner = broker.owner()
    assert owner.refusal("AddLibrary", name=name, options={"path": "/tmp"}).error in {
        "Refused",
        "InvalidParameter",
        "NotFound",
    }


def test_R128_removing_a_library_erases_its_state_and_keeps_the_files(scene):
    scene.limit(0)
    before = {p.name: p.read_bytes() for p in scene.album.folder.glob("*.jpg")}
    receipt = scene.owner.call("RemoveLibrary", name=scene.library)["receipt"]
    assert receipt["grants"] >= 1
    assert scene.owner.call("ListLibraries")["libraries"] == []
    assert scene.app.is_refused()
    assert scene.app.call("ListLibraries")["libraries"] == []
    assert {p.name: p.read_bytes() for p in scene.album.folder.glob("*.jpg")} == before
    scene.owner.add_library(scene.library, scene.album.folder, [scene.app.uid], len(scene.pictures))
    scene.app.use()
    scene.app.new_connection()
    assert scene.app.refusal("Attach", token=scene.app.token).error == "TokenRefused", "a new root key"


def test_without_the_media_worker_the_daemon_serves_and_names_it(house, photographs):
    broker = Broker(house, name=f"plain-{house.fresh_uid()}")
    broker.programs = house.programs_without("photobroker-media")
    broker.start()
    try:
        owner, app = broker.owner(), broker.app()
        album = Album(house, f"plain-{owner.uid}", owner.uid)
        names = [p.name for p in album.fill(3)]
        library = owner.add_library("plain", album.folder, [app.uid], 3)
        assert library["thumbnails"] and "photobroker-media" in library["thumbnails"]
        app.introduce()
        owner.set("plain", app.name, "authorized")
        app.request()
        assert app.names() == names[::-1], "dates come from the files"
        assert {a["creationDateOrigin"] for a in app.fetch()} == {"file"}
        asset = app.fetch()[0]["localIdentifier"]
        assert app.digest(asset)
        assert app.refusal("GetThumbnail", asset=asset, maxPixels=64).error == "PhotosError"
    finally:
        broker.end()


class LateMediaWorker:
    """A library indexed without the media worker: pictures, a Live Photo, and a broken file."""

    def __init__(self, house, photographs):
        self.house, self.broker = house, Broker(house, name=f"late-{house.fresh_uid()}")
        self.broker.programs = house.programs_without("photobroker-media")
        self.broker.start()
        self.owner, self.app = self.broker.owner(), self.broker.app()
        album = Album(house, f"late-{self.owner.uid}", self.owner.uid)
        album.fill(2)
        album.put("words.jpg", b"no picture at all")
        album.put("live.HEIC", (photographs / "live/IMG_7943.HEIC").read_bytes())
        album.put("live.MOV", (photographs / "live/IMG_7943_HEVC.MOV").read_bytes())
        self.owner.add_library("late", album.folder, [self.app.uid], 5)
        self.app.introduce()
        self.owner.set("late", self.app.name, "authorized")
        self.app.request()

    def bring_worker(self):
        shutil.copy2(self.house.programs / "photobroker-media", self.broker.programs)


@pytest.fixture
def late_media_worker(house, photographs):
    if photographs is None or not house.has_media:
        pytest.skip("it takes the real photographs and the media worker")
    late = LateMediaWorker(house, photographs)
    yield late
    late.broker.end()


@pytest.mark.parametrize("moment", ["rescan", "start"])
def test_R95_photos_indexed_without_the_media_worker_are_inspected_when_it_arrives(late_media_worker, moment):
    owner, app = late_media_worker.owner, late_media_worker.app
    before = {a["filename"]: a["localIdentifier"] for a in app.fetch()}
    app.call(
        "PerformChanges",
        changes=[
            {"kind": "setFavorite", "assets": [before["picture-000.jpg"]], "favorite": True},
            {"kind": "setCreationDate", "assets": [before["picture-001.jpg"]], "creationDate": 1_000_000_000_000_000},
        ],
    )
    app.observe()
    late_media_worker.bring_worker()
    if moment == "rescan":
        owner.rescan("late")
    else:
        late_media_worker.broker.restart()
        app.call("Attach", token=app.token)
    library = owner.wait_for_library("late", 3)
    after = {a["filename"]: a for a in app.fetch()}
    assert {name: a["localIdentifier"] for name, a in after.items()} == {
        name: before[name] for name in ("picture-000.jpg", "picture-001.jpg", "live.HEIC")
    }
    dated, edited, live = (after[name] for name in ("picture-000.jpg", "picture-001.jpg", "live.HEIC"))
    assert (dated["creationDate"], dated["creationDateOrigin"], dated["pixelWidth"], dated["isFavorite"]) == (
        microseconds(day(0)),
        "offset",
        64,
        True,
    )
    assert (edited["creationDate"], edited["creationDateOrigin"], edited["pixelWidth"]) == (
        1_000_000_000_000_000,
        "edited",
        64,
    )
    assert "livePhoto" in live["mediaSubtypes"]
    assert {file["path"] for file in library["skippedFiles"]} == {"words.jpg"}
    if moment == "rescan":
        told = [a["filename"] for event in app.events() for a in event.get("changed") or []]
        assert {"picture-000.jpg", "picture-001.jpg", "live.HEIC"} <= set(told)
        events = len(app.events())
        owner.rescan("late")
        assert len(app.events()) == events, "nothing is looked into twice"


def test_R13_a_file_found_to_be_half_of_a_hidden_photo_is_hidden(late_media_worker):
    late_media_worker.owner.call("MarkAssets", library="late", selector={"filename": "live.MOV"}, hidden=True)
    late_media_worker.bring_worker()
    late_media_worker.owner.rescan("late")
    assert "live.HEIC" not in late_media_worker.app.names()
    [live] = [a for a in late_media_worker.owner.assets("late") if a["filename"] == "live.HEIC"]
    assert live["hidden"]
