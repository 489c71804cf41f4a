"""The real units: a systemd of its own starts the broker on a connection, with all restrictions.

It also identifies apps by their units.
"""

import base64
import json
import os
import pathlib
import resource
import shutil
import subprocess

import pytest

from house.broker import BROKER, Broker
from house.machine import Machine
from house.person import as_user, wait_for
from house.pictures import ROOT, day, jpeg
from house.remotes import WebDAV

OWNER, APP = 61_501, 61_502
APPS, OWNERS = "/run/photobroker/photobroker.sock", "/run/photobroker/admin.sock"
CALL = """
import json, sys
from photobroker import Connection, VarlinkError
with Connection(sys.argv[1], timeout=15) as connection:
    try: print(json.dumps(connection.call(sys.argv[2], **json.loads(sys.argv[3]))))
    except VarlinkError as error: print(json.dumps({"error": error.name, "parameters": error.parameters}))
"""
MANIFEST = {"identifier": "org.example.unit", "name": "Unit", "NSPhotoLibraryUsageDescription": "Why."}


@pytest.fixture(scope="module")
def machine(house):
    if not pathlib.Path("/lib/systemd/systemd").exists():
        pytest.skip("there is no /lib/systemd/systemd here")
    machine = Machine(house, BROKER, [OWNER, APP])
    try:
        yield machine.wait()
    finally:
        machine.end()


def call(machine, socket, method, uid, **parameters):
    return json.loads(machine.python(CALL, socket, method, json.dumps(parameters), uid=uid))


def admin(machine, method, uid=OWNER, **parameters):
    return call(machine, OWNERS, "io.photobroker.Admin." + method, uid, **parameters)


def test_the_system_unit_serves_from_its_first_connection(machine):
    state = machine.run("systemctl", "is-active", "photobroker.service", expect=None).stdout.strip()
    assert state == "inactive", "nobody has knocked yet"
    assert call(machine, APPS, "io.photobroker.Library.GetLimits", APP)["limits"]
    status = admin(machine, "GetStatus")
    assert (status["uid"], status["caller"], status["separated"]) == (BROKER, OWNER, True)
    assert machine.run("systemctl", "is-active", "photobroker.service").stdout.strip() == "active"


def test_the_unit_starts_after_the_clock_is_synchronized(machine):
    assert (
        "time-sync.target"
        in machine.run("systemctl", "show", "photobroker.service", "-p", "After").stdout.split("=")[1].split()
    )


def test_R129_R136_a_plugin_killed_for_its_memory_does_not_end_the_broker(machine):
    shown = machine.run("systemctl", "show", "photobroker.service", "-p", "OOMPolicy").stdout.strip()
    assert shown == "OOMPolicy=continue", "the manager's default ends the whole unit"
    shown = machine.run("systemctl", "show", "photobroker.service", "-p", "OOMScoreAdjust").stdout.strip()
    assert shown == "OOMScoreAdjust=-500", "others end before everybody's broker"


def test_a_library_works_under_the_units_restrictions(machine):
    machine.run("install", "-d", "-o", OWNER, "-g", BROKER, "-m", "0750", "/srv/pictures")
    picture = jpeg(day(1), note=b"unit")
    source = machine.folder / "one.jpg"
    source.write_bytes(picture)
    machine.run("install", "-o", OWNER, "-g", BROKER, "-m", "0640", source, "/srv/pictures/one.jpg")
    found = admin(machine, "AddLibrary", name="pictures", options={"path": "/srv/pictures"}, offeredTo=[OWNER, APP])
    assert "error" not in found, found
    try:
        wait_for(lambda: admin(machine, "ListLibraries")["libraries"][0]["assets"] == 1, "the picture")
    except AssertionError:
        raise AssertionError(f"{admin(machine, 'ListLibraries')} {machine.journal()}") from None
    assert admin(machine, "ListLibraries")["libraries"][0]["state"] == "online"
    asset = admin(machine, "FetchOwnedAssets", library="pictures")["assets"][0]["identifier"]
    thumbnail = admin(machine, "GetOwnedThumbnail", library="pictures", asset=asset, maxPixels=32)
    assert not machine.house.has_media or thumbnail.get("data"), (
        f"the media worker's own lock fits inside the unit's: {thumbnail}"
    )
    threads = thread_priorities(machine)
    # The units set no nice value here, and only root can go below the inherited one.
    given = os.nice(0)
    assert (threads["index"][0], threads["broker"][0]) == (str(max(given, 5)), str(given)), (
        f"who indexes stands back behind who answers: {threads}"
    )
    # Empty if the kernel does not tell slices.
    assert threads["broker"][1:] in ([], ["100000"]), threads


PROGRAM = "/srv/photobroker/bin/photobroker"
# An app that introduces itself; with its token, it adds a photo and deletes the others.
CHANGING = """
import json, sys
from photobroker import Connection
library = "io.photobroker.Library."
with Connection(sys.argv[1], timeout=15) as connection:
    if len(sys.argv) == 3:
        print(json.dumps(connection.call(library + "Introduce", manifest=json.loads(sys.argv[2]))))
    else:
        connection.call(library + "Attach", token=sys.argv[2])
        connection.call(library + "RequestAuthorization", level="readWrite", library=sys.argv[3])
        old = [asset["localIdentifier"] for asset in connection.call(library + "FetchAssets")["assets"]]
        connection.call(library + "AddAsset", filename="new.jpg", contents=sys.argv[4], level="readWrite")
        connection.call(library + "PerformChanges", changes=[{"kind": "delete", "assets": old}])
        print(json.dumps(connection.call(library + "DescribeAccess", level="readWrite", library=sys.argv[3])["verbs"]))
"""


def test_R158_one_command_lets_apps_add_and_delete_under_the_units_restrictions(machine):
    # It writes beside the unit, here into memory.
    machine.run("mount", "-t", "tmpfs", "tmpfs", "/etc/systemd/system")
    folder = "/srv/my pictures"
    machine.run("install", "-d", "-o", OWNER, "-g", BROKER, "-m", "0750", folder)
    source = machine.folder / "old.jpg"
    source.write_bytes(jpeg(day(2), note=b"old"))
    machine.run("install", "-o", OWNER, "-g", BROKER, "-m", "0640", source, f"{folder}/old.jpg")
    run = lambda *words, **more: machine.run(PROGRAM, *words, **more)
    # The broker reads the folder already, so no access list is needed for that.
    added = run("library", "add", "opened", folder, uid=OWNER)
    step = f"sudo photobroker library open '{folder}'"
    assert f"takes no additions and no deletions by apps. To let them: {step}" in added.stdout + added.stderr
    library = lambda: next(l for l in admin(machine, "ListLibraries")["libraries"] if l["name"] == "opened")
    assert library()["storageRefuses"] == ["add", "delete"]
    assert step in run("library", "open", folder, uid=OWNER, expect=77).stderr
    opened = run("--yes", "library", "open", folder)
    assert "setfacl" in opened.stdout and f"Apps can add and delete photos in {folder}" in opened.stdout
    wait_for(lambda: library()["storageRefuses"] == [] and library()["assets"] == 1, "the folder to be writable")
    unit = machine.run("cat", "/etc/systemd/system/photobroker.service.d/folders.conf").stdout
    assert unit.endswith(f'[Service]\nReadWritePaths="-{folder}"\n')
    app = json.loads(machine.python(CHANGING, APPS, json.dumps(MANIFEST), uid=OWNER))
    terms = {"deletions": "allow"}
    admin(machine, "SetGrant", library="opened", app=app["app"], level="readWrite", status="authorized", terms=terms)
    new = base64.b64encode(jpeg(day(3), note=b"new")).decode()
    verbs = json.loads(machine.python(CHANGING, APPS, app["token"], "opened", new, uid=OWNER))
    assert {"add", "delete"} <= set(verbs)
    names = lambda: machine.run("find", folder, "-name", "*.jpg").stdout
    wait_for(lambda: f"{folder}/old.jpg\n" not in names(), "the deleted photo to be moved")
    assert f"{folder}/PhotoBroker/new.jpg\n" in names() and f"{folder}/.photobroker-trash/" in names()
    # Again it restarts the service, which a failed try may have left out, and adds no second line.
    pid = machine.main_pid("photobroker.service")
    run("--yes", "library", "open", folder)
    assert machine.main_pid("photobroker.service") != pid
    assert machine.run("cat", "/etc/systemd/system/photobroker.service.d/folders.conf").stdout == unit
    wait_for(lambda: library()["storageRefuses"] == [], "the broker to be back")
    admin(machine, "RemoveLibrary", name="opened")


def thread_priorities(machine):
    """Return nice value and slice in nanoseconds of the broker's threads."""
    script = (
        "for t in /proc/$1/task/*; do "
        "echo $(cat $t/comm) $(cut -d')' -f2 $t/stat | cut -d' ' -f18) $(grep se.slice $t/sched | tr -dc 0-9); done"
    )
    lines = machine.run("sh", "-c", script, "turns", str(machine.main_pid("photobroker.service"))).stdout.splitlines()
    return {words[0]: words[1:] for words in map(str.split, lines)}


def test_the_unit_drops_every_capability(machine):
    call(machine, APPS, "io.photobroker.Library.GetLimits", APP)
    pid = machine.main_pid("photobroker.service")
    status = machine.run("cat", f"/proc/{pid}/status").stdout
    lines = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
    assert lines["Uid"].split() == [str(BROKER)] * 4
    assert int(lines["CapEff"], 16) == int(lines["CapBnd"], 16) == int(lines["CapPrm"], 16) == 0
    assert (lines["NoNewPrivs"], lines["Seccomp"]) == ("1", "2")
    limits = machine.run("cat", f"/proc/{pid}/limits").stdout
    # No process may exceed this process's limit.
    files = str(min(32_768, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
    assert next(l for l in limits.splitlines() if "open files" in l).split()[3:5] == [files, files]
    mounts = machine.run("cat", f"/proc/{pid}/mountinfo").stdout
    root = next(l for l in mounts.splitlines() if l.split()[4] == "/")
    assert "ro" in root.split()[5].split(","), "the system is not its to change"
    network = machine.run("ls", f"/proc/{pid}/net/../task/{pid}/net/dev", expect=None)
    assert network.returncode == 0 and len(machine.run("cat", f"/proc/{pid}/net/dev").stdout.splitlines()) == 3, (
        "its own loopback alone"
    )


def test_the_unit_restarts_after_a_kill_and_stops_cleanly(machine):
    before = call(machine, APPS, "io.photobroker.Library.GetLimits", APP)
    pid = machine.main_pid("photobroker.service")
    machine.run("kill", "-9", pid)
    wait_for(lambda: machine.main_pid("photobroker.service") not in (0, pid), "the service to be back")
    assert call(machine, APPS, "io.photobroker.Library.GetLimits", APP) == before
    machine.run("systemctl", "stop", "photobroker.service")
    # Of the daemon itself: the unit's result also tells of the shell that looks at its status.
    told = machine.run("systemctl", "show", "-p", "ExecMainCode", "-p", "ExecMainStatus", "photobroker.service").stdout
    assert sorted(told.split()) == ["ExecMainCode=1", "ExecMainStatus=0"], "it exited by itself"
    assert call(machine, APPS, "io.photobroker.Library.GetLimits", APP) == before, "the next knock starts it again"


NUMBER = """
import sqlite3, sys
state = sqlite3.connect("/var/lib/photobroker/state.db")
[(version,)] = state.execute("PRAGMA user_version")
state.execute(f"PRAGMA user_version = {version + int(sys.argv[1])}")
"""


def test_R145_a_refused_state_ends_the_service_and_its_sockets(machine):
    before = call(machine, APPS, "io.photobroker.Library.GetLimits", APP)
    machine.run("systemctl", "stop", "photobroker.service")
    machine.python(NUMBER, "1", uid=BROKER)
    machine.run("systemctl", "start", "photobroker.service")
    units = ("photobroker.service", "photobroker.socket", "photobroker-admin.socket")

    def states():
        return machine.run("systemctl", "is-active", *units, expect=None).stdout.split()

    wait_for(lambda: states() == ["failed", "inactive", "inactive"], "the service to give up")
    restarts = machine.run("systemctl", "show", "-P", "NRestarts", "photobroker.service").stdout.strip()
    assert restarts == "0", "it does not try again and again"
    said = machine.run("/srv/photobroker/bin/photobroker", "status", expect=69).stderr
    assert "No broker runs" in said and "journalctl -u photobroker" in said
    machine.python(NUMBER, "-1", uid=BROKER)
    machine.run("systemctl", "start", "photobroker.service")
    assert states() == ["active"] * 3
    assert call(machine, APPS, "io.photobroker.Library.GetLimits", APP) == before


INTRODUCE = """
import json, sys
from photobroker import Connection
with Connection(sys.argv[1], timeout=15) as connection:
    reply = connection.call("io.photobroker.Library.Introduce", manifest=json.load(open(sys.argv[2])))
json.dump(reply, open(sys.argv[3], "w"))
"""
# user@.service delegates a subtree to a user's manager, which may give any names below it.
CLAIM = """
own=$(sed -n 's/.*name=systemd://p' /proc/self/cgroup)
base=/sys/fs/cgroup/systemd
[ -d $base ] || { base=/sys/fs/cgroup; own=$(sed -n 's/^0:://p' /proc/self/cgroup); }
place=$base$own/app.slice/claimed.service
mkdir -p $place && echo $$ > $place/cgroup.procs && exec /usr/bin/python3 "$@"
"""


def unit_app(machine, unit, manifest=MANIFEST, before="/usr/bin/python3", lines=()):
    """Introduce an app as a unit of this name, without a token; return its identifier."""
    out, given = "/srv/introduced.json", "/srv/manifest.json"
    machine.write("/srv/introduce.py", INTRODUCE)
    machine.write("/srv/claim.sh", CLAIM)
    machine.write(given, json.dumps(manifest))
    machine.write(out, "", uid=APP)
    machine.run_unit(unit, APP, f"{before} /srv/introduce.py {APPS} {given} {out}", lines)
    return json.loads(machine.run("cat", out).stdout)["app"]


def test_R123_R138_a_system_unit_is_recognized_without_its_token(machine):
    one = unit_app(machine, "journal-app.service")
    assert unit_app(machine, "journal-app.service") == one, "the same unit, user and name: the same app"
    assert unit_app(machine, "other-app.service") != one, "another unit is another app"
    assert unit_app(machine, "journal-app.service", {**MANIFEST, "identifier": "org.example.two"}) != one
    plain = call(machine, APPS, "io.photobroker.Library.Introduce", APP, manifest=MANIFEST)["app"]
    assert (
        plain != one and call(machine, APPS, "io.photobroker.Library.Introduce", APP, manifest=MANIFEST)["app"] != plain
    )
    apps = {a["app"]: a for a in admin(machine, "ListApps", uid=0)["apps"]}
    assert "journal-app.service" in str(apps[one]), apps[one]
    assert "journal-app.service" not in str(apps[plain])


def test_a_user_units_claim_is_shown_and_not_trusted(machine):
    """Any program of a user can claim the same as the user's service manager."""
    claimed = {**MANIFEST, "identifier": "org.example.claimed"}
    found = [
        unit_app(machine, f"user@{APP}.service", claimed, "/bin/bash /srv/claim.sh", ["Delegate=yes"]) for _ in range(2)
    ]
    assert found[0] != found[1], "a name that its user can forge gives nobody an identity back"


def user_manager(machine):
    runtime = f"/run/user/{OWNER}"
    machine.run("install", "-d", "-o", OWNER, "-g", OWNER, "-m", "0700", runtime, f"/srv/home-{OWNER}")
    environment = [
        f"Environment=XDG_RUNTIME_DIR={runtime}",
        f"Environment=HOME=/srv/home-{OWNER}",
        "Type=notify",
        "Delegate=yes",
    ]
    unit = f"user@{OWNER}.service"
    if machine.run("systemctl", "is-active", unit, expect=None).stdout.strip() != "active":
        machine.run_unit(unit, OWNER, "/lib/systemd/systemd --user --unit=basic.target", environment)
    own = {"XDG_RUNTIME_DIR": runtime, "HOME": f"/srv/home-{OWNER}"}
    machine.run("systemctl", "--user", "start", "photobroker.socket", "photobroker-admin.socket", uid=OWNER, **own)
    return runtime, own


def test_the_user_units_serve_their_user(machine):
    runtime, own = user_manager(machine)
    socket = f"{runtime}/photobroker/admin.sock"
    status = admin_of(machine, socket)
    assert (status["uid"], status["caller"], status["separated"]) == (OWNER, OWNER, False), (
        "and it says that this form does not protect"
    )
    assert (
        machine.run("systemctl", "--user", "is-active", "photobroker.service", uid=OWNER, **own).stdout.strip()
        == "active"
    )
    machine.run("install", "-d", "-o", OWNER, "-m", "0700", "/srv/own")
    machine.run("install", "-o", OWNER, "-m", "0600", machine.folder / "one.jpg", "/srv/own/one.jpg")
    added = call(machine, socket, "io.photobroker.Admin.AddLibrary", OWNER, name="own", options={"path": "/srv/own"})
    assert "error" not in added, added
    wait_for(
        lambda: call(machine, socket, "io.photobroker.Admin.ListLibraries", OWNER)["libraries"][0]["assets"] == 1,
        "the picture",
    )
    other = machine.run(
        "/usr/bin/python3", "-c", CALL, socket, "io.photobroker.Admin.GetStatus", "{}", uid=APP, expect=None
    )
    assert other.returncode != 0 and "Permission" in other.stderr, "the runtime folder is its user's"


@pytest.fixture
def remote(house):
    if WebDAV.missing or not shutil.which("rclone"):
        pytest.skip(WebDAV.missing or "rclone is not installed (scripts/debian-packages)")
    remote = WebDAV(house, "unit-webdav")
    remote.put("2024/one.jpg", jpeg(day(1), note=b"far"))
    yield remote
    remote.stop()


@pytest.mark.parametrize("is_user", [False, True], ids=["system", "user"])
def test_a_remote_library_needs_the_network_drop_in(machine, remote, is_user):
    user, path = (OWNER, f"/run/user/{OWNER}/photobroker/admin.sock") if is_user else (0, OWNERS)
    own = {"XDG_RUNTIME_DIR": f"/run/user/{OWNER}", "HOME": f"/srv/home-{OWNER}"} if is_user else {}

    def control(*words):
        machine.run("systemctl", *(["--user"] if is_user else []), *words, uid=user, **own)

    def library():
        return next(
            l
            for l in call(machine, path, "io.photobroker.Admin.ListLibraries", OWNER)["libraries"]
            if l["name"] == "far"
        )

    if is_user:
        user_manager(machine)
    account = f"/srv/remote-{user}.conf"
    machine.write(account, remote.config.read_text(), uid=OWNER if is_user else BROKER)
    machine.run("chmod", "0600", account)
    drop_in = pathlib.Path(f"/run/systemd/{'user' if is_user else 'system'}/photobroker.service.d/network.conf")

    def add():
        return call(
            machine,
            path,
            "io.photobroker.Admin.AddLibrary",
            user,
            name="far",
            backend="rclone",
            owner=OWNER,
            options={"remote": remote.remote, "config": account, "rescanSeconds": "5"},
        )

    added = add()
    try:
        if is_user:
            assert "error" not in added, added
            wait_for(lambda: "network" in (library().get("problem") or ""), str(library()), 60)
        else:
            # A remote is not in a folder of its owner, so it needs the drop-in too.
            assert "--open-storage rclone" in added["parameters"]["message"], added
        machine.run(
            "install",
            "-D",
            "-m",
            "0644",
            machine.folder / ("user/network.conf" if is_user else "network.conf"),
            drop_in,
        )
        control("daemon-reload")
        control("restart", "photobroker.service")
        if not is_user:
            added = add()
            assert "error" not in added, added
        wait_for(lambda: library()["assets"] == 1, "the picture from afar", 60)
    finally:
        call(machine, path, "io.photobroker.Admin.RemoveLibrary", OWNER, name="far")
        machine.run("rm", "-f", drop_in)
        control("daemon-reload")
        control("stop", "photobroker.service")


def admin_of(machine, socket):
    return call(machine, socket, "io.photobroker.Admin.GetStatus", OWNER)


def test_systemd_socket_activate_starts_the_broker(house):
    if shutil.which("systemd-socket-activate") is None:
        pytest.skip("there is no systemd-socket-activate here")
    broker = Broker(house, name=f"activate-{house.fresh_uid()}")
    command = [
        "systemd-socket-activate",
        f"--listen={broker.app_socket}",
        f"--listen={broker.admin_socket}",
        "--fdname=apps:administration",
        *(f"--setenv={k}={v}" for k, v in broker.environment().items()),
        *map(str, broker.command()),
    ]
    with open(broker.log_path, "ab") as log:
        broker.process = subprocess.Popen(
            as_user(BROKER, command), cwd="/", stdout=log, stderr=log, env={"PATH": "/usr/bin:/bin"}
        )
    try:
        wait_for(broker.app_socket.exists and (lambda: broker.admin_socket.exists()), "the sockets")
        for path in (broker.app_socket, broker.admin_socket):
            os.chmod(path, 0o666)
        assert broker.app().call("GetLimits")["limits"], broker.log
        assert broker.owner().call("GetStatus")["separated"] is True
        assert broker.stop() == 0
        assert broker.app_socket.exists(), "the sockets are not its own to remove"
    finally:
        broker.end()


def test_systemd_accepts_the_units():
    for folder in ("scripts/systemd", "scripts/systemd/user"):
        units = sorted(p for p in (ROOT / folder).glob("photobroker*.[st]*"))
        result = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", "--recursive-errors=no", *map(str, units)],
            capture_output=True,
            text=True,
        )
        words = [l for l in result.stderr.splitlines() if "photobroker" in l and "is not executable" not in l]
        assert words == [], words
