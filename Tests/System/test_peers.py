"""Peer identity: reused process numbers, crashes, passed sockets, namespaces, and attempts to
inspect the broker."""

import ctypes
import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import pytest
from photobroker import Connection

from house.broker import BROKER, Broker
from house.person import as_user, wait_for

pytestmark = pytest.mark.library("shared")

HOUSE = pathlib.Path(__file__).parent / "house"


@pytest.mark.parametrize("mode", ["pidfd", "fallback"])
def test_a_reused_process_number_is_another_process(house, mode):
    """polkit CVE-2019-6133, with the kernel's pidfd of the peer and without (before Linux 6.5)."""
    broker = Broker(house, name=f"reuse-{house.fresh_uid()}")
    result = subprocess.run(
        [
            "unshare",
            "--pid",
            "--fork",
            "--mount-proc",
            "--kill-child",
            sys.executable,
            str(HOUSE / "namespace.py"),
            "12",
            mode,
            str(broker.runtime),
            str(BROKER),
            *map(str, broker.command()),
        ],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert result.returncode == 0, result.stderr
    found = json.loads(result.stdout)
    assert found["lives"]
    assert sum(r["same"] for r in found["rounds"]) >= 10, "numbers were reused"
    for each in found["rounds"]:
        assert each["second"] == ["answered", "TokenRequired", "answered"], (
            "the new process is nobody, and keeps its connection"
        )
        assert each["first"] == "closed", "the old one's connection ended with it, whoever holds it"
    if mode == "pidfd":
        assert found["dead"] == ["closed"] * 10, "who is dead when the broker looks is nobody"


STEPS = ["connect", "half a call", "introduce", "attach", "call", "waits for a person", "observe", "stream"]


@pytest.mark.parametrize("step", STEPS)
def test_a_peer_that_dies_at_any_step_leaves_nothing(make_scene, step):
    """polkit CVE-2021-3560: an error in the middle never counts as permission."""
    scene = make_scene(2)
    scene.limit(0)
    asset = scene.app.fetch()[0]["localIdentifier"]
    # Starts the library's cleaner, which has descriptors too.
    scene.app.digest(asset)
    before = scene.broker.settled_descriptor_count()

    def die(agent, step, tokens, asset, times):
        library = "io.photobroker.Library."

        def live(step):
            client = Connection(agent.path, timeout=10)
            if step == "connect":
                return
            if step == "half a call":
                return client.socket.sendall(b'{"method":"io.photobroker.Library.Intro')
            if step == "introduce":
                return client.send(
                    library + "Introduce", {"manifest": {"identifier": "org.example.dying", "name": "D"}}
                )
            if step == "attach":
                return client.send(library + "Attach", {"token": tokens[-1]})
            for token in tokens:
                client.call(library + "Attach", token=token)
            if step == "call":
                return client.send(library + "OpenResource", {"asset": asset, "role": "original"})
            if step == "waits for a person":
                return client.send(library + "RequestAuthorization", {"level": "addOnly"})
            client.send(
                library + ("ObserveChanges" if step == "observe" else "StreamResource"),
                {} if step == "observe" else {"asset": asset, "role": "original"},
                more=True,
            )
            if step == "stream":
                client.receive()

        for number in range(times):
            child = os.fork()
            if child == 0:
                try:
                    live(step)
                finally:
                    os.kill(os.getpid(), signal.SIGKILL)
            if number % 3 == 0:
                time.sleep(0.0005 * (number % 7))
            os.waitpid(child, 0)

    scene.app.run(die, step=step, tokens=[scene.app.own_token, scene.app.token], asset=asset, times=40)
    assert scene.broker.wait_until_descriptors(before + 2) <= before + 2
    assert scene.app.names() == [scene.pictures[0]]
    assert scene.app.status("addOnly") == "notDetermined"


def test_a_client_in_its_own_namespaces_has_its_outer_identity(scene):
    """It is root in its own user and process namespace; the broker sees the outer user."""
    scene.limit(0)
    script = scene.house.folder / f"inside-{scene.app.uid}.py"
    script.write_text(
        "import json, os, sys\nfrom photobroker import Connection, VarlinkError\n"
        "found = {'uid': os.getuid(), 'pid': os.getpid()}\n"
        "with Connection(sys.argv[1], timeout=10) as c:\n"
        "    for name, token in zip(('own', 'grant'), sys.argv[2:4]):\n"
        "        try:\n            c.call('io.photobroker.Library.Attach', token=token); found[name] = 'taken'\n"
        "        except VarlinkError as error: found[name] = error.name.rsplit('.', 1)[1]\n"
        "    try: found['assets'] = c.call('io.photobroker.Library.CountAssets')['count']\n"
        "    except VarlinkError as error: found['assets'] = error.name.rsplit('.', 1)[1]\n"
        "with Connection(sys.argv[4], timeout=10) as c:\n"
        "    found['libraries'] = c.call('io.photobroker.Admin.ListLibraries')['libraries']\n"
        "print(json.dumps(found))\n"
    )
    script.chmod(0o644)

    def inside(uid):
        command = [
            "unshare",
            "--user",
            "--map-root-user",
            "--pid",
            "--fork",
            "--kill-child",
            "/usr/bin/python3",
            str(script),
            str(scene.broker.app_socket),
            scene.app.own_token,
            scene.app.token,
            str(scene.broker.admin_socket),
        ]
        result = subprocess.run(
            as_user(uid, command),
            capture_output=True,
            text=True,
            timeout=30,
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(scene.house.python)},
        )
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    found = inside(scene.app.uid)
    assert (found["uid"], found["pid"]) == (0, 1), "it takes itself for root, and for process 1"
    assert (found["own"], found["grant"], found["assets"]) == ("taken", "taken", 1)
    assert found["libraries"] == [], "root inside is no administrator"
    other = inside(scene.house.fresh_uid())
    assert (other["own"], other["grant"], other["assets"]) == ("TokenRefused", "TokenRefused", "TokenRequired")
    assert other["libraries"] == []


class InnerBroker(Broker):
    """A broker in a process namespace of its own, which sees no client's process number."""

    def start(self, **options):
        with open(self.log_path, "ab") as log:
            self.process = subprocess.Popen(
                ["unshare", "--pid", "--fork", "--kill-child", *as_user(BROKER, self.command())],
                env=self.environment(),
                cwd="/",
                stdout=log,
                stderr=log,
                **options,
            )
        wait_for(lambda: self.process.poll() is not None or self.answers(), "the broker to answer")
        return self

    def kill(self):
        # The change of user cleared its parent-death signal.
        inner = pathlib.Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for pid in inner:
            os.kill(int(pid), signal.SIGKILL)
        self.process.wait(10)


def test_R138_processes_without_a_visible_number_are_distinguished(house):
    """One process's end must not end or affect another."""
    broker = InnerBroker(house, name=f"inner-{house.fresh_uid()}").start()
    try:
        one, two = broker.app(), broker.app()
        first, second = one.introduce(), two.introduce()
        assert first != second
        assert two.call("GetLimits")["limits"]

        def crowd(agent, count):
            held = [Connection(agent.path, timeout=10) for _ in range(count)]
            found = 0
            for connection in held:
                try:
                    found += bool(connection.call("io.photobroker.Library.GetLimits"))
                except (OSError, EOFError, ConnectionError):
                    pass
            return found

        limit = two.call("GetLimits")["limits"]["connectionsPerProcess"]
        assert one.run(crowd, count=limit + 5) <= limit, "one process has its limit"
        assert two.run(crowd, count=limit // 2) == limit // 2, "which is not the other's"
        one.process.kill()
        one.process.wait()
        time.sleep(0.3)
        assert two.call("GetLimits")["limits"], "the other's connection goes on"
    finally:
        broker.dismiss()
        broker.kill()


def test_no_user_can_inspect_the_broker_process(scene):
    pid = scene.broker.process.pid

    def look(agent, pid):
        libc = ctypes.CDLL(None, use_errno=True)
        tricks = {
            "attach": lambda: libc.ptrace(16, pid, None, None),
            "seize": lambda: libc.ptrace(0x4206, pid, None, None),
            "pidfd_getfd": lambda: libc.syscall(438, libc.syscall(434, pid, 0), 5, 0),
        }
        worked = [name for name, trick in tricks.items() if trick() >= 0]
        for name in ("mem", "environ", "maps", "fd", "cwd", "exe", "auxv", "map_files", "task"):
            path = f"/proc/{pid}/{name}"
            try:
                if name in ("fd", "map_files"):
                    found = [os.readlink(os.path.join(path, n)) for n in os.listdir(path)]
                elif name in ("cwd", "exe"):
                    found = os.readlink(path)
                elif name == "task":
                    found = [open(f"{path}/{n}/mem", "rb").read(1) for n in os.listdir(path)]
                else:
                    found = open(path, "rb").read(64)
                worked.append(f"{name}: {str(found)[:60]}")
            except OSError:
                pass
        return worked

    same_user = scene.broker.stranger(uid=BROKER)
    assert same_user.run(look, pid=pid) == []
    assert scene.broker.stranger().run(look, pid=pid) == []
    with open(f"/proc/{pid}/limits") as limits:
        assert next(l for l in limits if l.startswith("Max core")).split()[4:6] == ["0", "0"]


def test_a_crash_leaves_no_core_dump(house):
    broker = Broker(house, name=f"abort-{house.fresh_uid()}").start()
    cwd = broker.state
    broker.owner()
    broker.process.send_signal(signal.SIGABRT)
    broker.process.wait(20)
    assert broker.process.returncode == -signal.SIGABRT
    left = [
        p.name
        for place in (cwd, broker.runtime, pathlib.Path("/"))
        for p in place.iterdir()
        if p.name.startswith("core")
    ]
    assert left == []
    broker.start()
    assert broker.owner().call("GetStatus")["version"]
    broker.end()
