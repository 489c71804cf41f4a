"""A client process under a uid of its own, driven by the test: the base of Owner and App."""

import inspect
import json
import os
import pathlib
import select
import signal
import socket
import subprocess
import textwrap
import time

LIBRARY = "io.photobroker.Library."
ADMIN = "io.photobroker.Admin."
PICKER = "io.photobroker.Picker."


class Refused(Exception):
    """An error reply."""

    def __init__(self, name, parameters):
        super().__init__(f"{name}: {parameters}")
        self.error = name.rsplit(".", 1)[-1]
        self.name = name
        self.parameters = parameters
        self.reason = parameters.get("reason")


class Failed(Exception):
    """A failure of the client process itself, for instance a closed connection."""

    def __init__(self, kind, text, trace):
        super().__init__(f"{kind}: {text}\n{trace}")
        self.kind = kind


def as_user(uid, command, groups=()):
    keep = [f"--groups={','.join(map(str, groups))}"] if groups else ["--clear-groups"]
    return ["setpriv", f"--reuid={uid}", f"--regid={uid}", *keep, "--no-new-privs", *map(str, command)]


def wait_for(condition, what, seconds=60):
    """Return the first true value of `condition`, polled with a pause that grows to 0.1 s."""
    deadline, pause = time.monotonic() + seconds, 0.01
    while not (value := condition()):
        assert time.monotonic() < deadline, f"waited {seconds} s in vain for {what}"
        time.sleep(pause)
        pause = min(pause * 1.3, 0.1)
    return value


def children(pid):
    """A process's children. The process and its threads may end meanwhile."""
    found = []
    try:
        threads = os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError):
        return found
    for thread in threads:
        try:
            found += map(int, pathlib.Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
        except (FileNotFoundError, ProcessLookupError):
            pass
    return found


def storage_processes(broker):
    return [pid for pid in children(broker.process.pid) if "plugin-host" in name_of(pid)]


def name_of(pid):
    try:
        with open(f"/proc/{pid}/cmdline") as line:
            return line.read()
    except OSError:
        return ""


class Clients:
    """Starts the processes of people, as forks of one that has loaded their modules. A fresh start
    takes longer than most tests."""

    def __init__(self, python):
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(python), "HOME": "/nonexistent"}
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen(
                ["/usr/bin/python3", python / "agent.py", str(theirs.fileno())],
                env=environment,
                cwd="/",
                stdin=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
            )

    def ask(self, *descriptors, **request):
        socket.send_fds(self.control, [json.dumps(request).encode()], descriptors)
        answer = self.control.recv(100)
        assert answer, "the process that starts clients ended"
        return json.loads(answer)

    def end(self):
        self.control.close()
        self.process.wait()


class Client:
    """A person's process, with the parts of `subprocess.Popen` that tests use."""

    def __init__(self, clients, uid, path):
        self.clients, self.returncode = clients, None
        (orders, to), (answers, back) = os.pipe(), os.pipe()
        self.pid = clients.ask(orders, back, uid=uid, path=str(path))
        os.close(orders)
        os.close(back)
        self.ended = os.pidfd_open(self.pid)
        self.stdin, self.stdout = open(to, "w"), open(answers)

    def poll(self):
        if self.returncode is None and select.select([self.ended], [], [], 0)[0]:
            self.wait()
        return self.returncode

    def wait(self):
        if self.returncode is None:
            self.returncode = self.clients.ask(reap=self.pid)
            os.close(self.ended)
        return self.returncode

    def send_signal(self, number):
        if self.returncode is None:
            signal.pidfd_send_signal(self.ended, number)

    def kill(self):
        self.send_signal(signal.SIGKILL)


class Person:
    interface = LIBRARY

    def __init__(self, house, uid, path):
        self.house, self.uid, self.socket = house, uid, path
        self.process = Client(house.clients, uid, path)
        self.waiting = False

    def tell(self, **order):
        assert not self.waiting, "one order at a time"
        self.process.stdin.write(json.dumps(order) + "\n")
        self.process.stdin.flush()
        self.waiting = True

    def hear(self, seconds=120):
        ready, _, _ = select.select([self.process.stdout], [], [], seconds)
        assert ready, f"no answer within {seconds} s"
        line = self.process.stdout.readline()
        assert line, "the client's process ended"
        self.waiting = False
        answer = json.loads(line)
        if "refused" in answer:
            raise Refused(answer["refused"], answer["parameters"])
        if "failed" in answer:
            raise Failed(answer["failed"], answer["text"], answer["trace"])
        return answer["answer"]

    def has_answered(self):
        return bool(select.select([self.process.stdout], [], [], 0)[0])

    def order(self, **order):
        self.tell(**order)
        return self.hear()

    def run(self, function, **arguments):
        """Runs a function of the test inside this process, with the agent as its first argument."""
        return self.order(source=textwrap.dedent(inspect.getsource(function)), name=function.__name__, **arguments)

    def start(self, function, **arguments):
        """Begins `run` without waiting; `hear` returns the answer."""
        self.tell(source=textwrap.dedent(inspect.getsource(function)), name=function.__name__, **arguments)

    def method(self, name):
        return name if name.count(".") > 1 else self.interface + name

    def call(self, method, /, on="main", **parameters):
        return self.order(do="call", method=self.method(method), parameters=parameters, on=on)

    def begin(self, method, /, on="main", **parameters):
        """Begins a call without waiting; `hear` returns the reply."""
        self.tell(do="call", method=self.method(method), parameters=parameters, on=on)

    def refusal(self, method, /, **parameters):
        """The error with which a call must end."""
        try:
            reply = self.call(method, **parameters)
        except Refused as refused:
            return refused
        raise AssertionError(f"{method} was not refused: {str(reply)[:300]}")

    def watch(self, name, method, /, **parameters):
        first = self.order(do="watch", name=name, method=self.method(method), parameters=parameters)
        if not first:
            end = self.order(do="seen", name=name)["end"]
            raise Refused(end["error"], end.get("parameters") or {})
        return first[0]

    def seen(self, name):
        return self.order(do="seen", name=name)["replies"]

    def end_of(self, name):
        return self.order(do="seen", name=name)["end"]

    def new_connection(self):
        self.order(do="close_all")

    @property
    def real_uids(self):
        with open(f"/proc/{self.process.pid}/status") as status:
            return next(line.split()[1:] for line in status if line.startswith("Uid:"))

    def end(self):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.process.stdin.close()
        self.process.stdout.close()


def media_workers(broker):
    return [
        pid
        for pid in children(broker.process.pid)
        if pathlib.Path(f"/proc/{pid}/comm").read_text().startswith(("photobroker-med", "photobroker-vid"))
    ]
