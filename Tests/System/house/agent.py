"""Client processes of the tests, each under a uid of its own. They are forked from one process that
has loaded all their modules.

A client reads one JSON object a line, and answers each with one.

`{"do": "call", ...}` runs a method of Agent. `{"source": ..., "name": ..., ...}` runs a function
that the test sends, with the agent as its first argument, so that the test itself shows its
actions. Such a function uses the modules that this one imports."""

# ruff: noqa: F401
import array
import base64
import ctypes
import fcntl
import gc
import hashlib
import json
import mmap
import os
import random
import resource
import select
import shutil
import signal
import socket
import stat
import struct
import sys
import tempfile
import threading
import time
import traceback

from photobroker import Connection, VarlinkError


class Watcher:
    """Follows a stream of replies on a connection of its own."""

    def __init__(self, connection, method, parameters):
        self.replies, self.end, self.descriptors = [], None, []
        self.connection = connection
        self.stream = connection.stream(method, **parameters)
        self.started = threading.Event()
        threading.Thread(target=self.follow, daemon=True).start()

    def follow(self):
        try:
            for reply, descriptors in self.stream:
                self.descriptors += descriptors
                self.replies.append(reply)
                self.started.set()
            self.end = {"error": None}
        except VarlinkError as error:
            self.end = {"error": error.name, "parameters": error.parameters}
        except (OSError, ValueError) as error:
            self.end = {"error": type(error).__name__}
        self.started.set()


class Agent:
    def __init__(self, path):
        self.path = path
        self.connections = {}
        self.descriptors = {}
        self.watchers = {}
        self.tokens = []

    def connection(self, name="main"):
        if name not in self.connections:
            connection = Connection(self.path, timeout=120)
            for token in self.tokens:
                connection.call("io.photobroker.Library.Attach", token=token)
            self.connections[name] = connection
        return self.connections[name]

    def keep(self, descriptor):
        self.descriptors[descriptor] = descriptor
        return descriptor

    def ping(self):
        return os.getuid()

    def close(self, name="main"):
        connection = self.connections.pop(name, None)
        if connection:
            connection.close()

    def close_all(self):
        for name in list(self.connections):
            self.close(name)

    def attach_later(self, tokens):
        """Sets the tokens that every new connection attaches."""
        self.tokens = tokens

    def call(self, method, parameters, on="main"):
        reply, descriptors = self.connection(on).call_with_descriptors(method, **parameters)
        if descriptors:
            reply["descriptors"] = [self.keep(d) for d in descriptors]
        return reply

    def call_with_file(self, method, parameters, path, on="main"):
        with open(path, "rb") as file:
            return self.connection(on).call(method, descriptors=[file.fileno()], **parameters)

    def digest(self, asset, role="original"):
        reply, descriptors = self.connection().call_with_descriptors(
            "io.photobroker.Library.OpenResource", asset=asset, role=role
        )
        data = self.read(descriptors[reply["descriptor"]])
        os.close(descriptors[0])
        assert len(data) == reply["size"], "the descriptor is not as long as the reply says"
        return hashlib.sha256(data).hexdigest()

    def digest_inline(self, asset, piece=100_000):
        data = b""
        while True:
            reply = self.connection().call(
                "io.photobroker.Library.ReadBytes", asset=asset, role="original", offset=len(data), length=piece
            )
            data += base64.b64decode(reply["data"], validate=True)
            if reply["isLast"]:
                assert len(data) == reply["size"]
                return hashlib.sha256(data).hexdigest()

    def read(self, descriptor):
        data, offset = [], 0
        while piece := os.pread(descriptor, 1 << 20, offset):
            data.append(piece)
            offset += len(piece)
        return b"".join(data)

    def digest_of_descriptor(self, descriptor):
        return hashlib.sha256(self.read(descriptor)).hexdigest()

    def watch(self, name, method, parameters):
        connection = Connection(self.path)
        for token in self.tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        self.watchers[name] = watcher = Watcher(connection, method, parameters)
        watcher.started.wait(60)
        return watcher.replies[:1]

    def seen(self, name):
        watcher = self.watchers[name]
        return {"replies": list(watcher.replies), "end": watcher.end}

    def try_to_open(self, path):
        try:
            with open(path, "rb") as file:
                return len(file.read())
        except OSError as error:
            return error.strerror


def answer(agent, order):
    name = order.pop("do", None)
    try:
        if name is None:
            names = dict(globals())
            exec(order.pop("source"), names)
            return {"answer": names[order.pop("name")](agent, **order)}
        return {"answer": getattr(agent, name)(**order)}
    except VarlinkError as error:
        return {"refused": error.name, "parameters": error.parameters}
    except Exception as error:  # the test judges it
        return {"failed": type(error).__name__, "text": str(error), "trace": traceback.format_exc()}


SET_DUMPABLE, SET_NO_NEW_PRIVILEGES = 4, 38


def become(uid, descriptors):
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    # A change of the uid closes /proc/self to the process, and an exec would open it again.
    for option in (SET_NO_NEW_PRIVILEGES, SET_DUMPABLE):
        if libc.prctl(option, 1, 0, 0, 0) != 0:
            raise OSError(ctypes.get_errno(), "prctl")
    for number, descriptor in enumerate(descriptors):
        os.dup2(descriptor, number)
        os.close(descriptor)


def fork_clients(control):
    """Starts and reaps clients as requested. Returns a socket path in each client, else None."""
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 1 << 16, 2)
        if not data:
            return None
        order = json.loads(data)
        if "reap" in order:
            control.send(json.dumps(os.waitstatus_to_exitcode(os.waitpid(order["reap"], 0)[1])).encode())
        elif (pid := os.fork()) == 0:
            control.close()
            become(order["uid"], descriptors)
            return order["path"]
        else:
            for descriptor in descriptors:
                os.close(descriptor)
            control.send(json.dumps(pid).encode())


def serve(path):
    agent = Agent(path)
    for line in sys.stdin:
        print(json.dumps(answer(agent, json.loads(line))), flush=True)


libc = ctypes.CDLL(None, use_errno=True)
gc.freeze()
if path := fork_clients(socket.socket(fileno=int(sys.argv[1]))):
    serve(path)
