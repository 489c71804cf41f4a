"""Runs as process 1 of a process namespace, where process numbers can be chosen. It starts a
broker, and lets one process take another's number. It answers with one line of JSON. Arguments:
number of rounds, "fallback" or "pidfd", the sockets' folder, the broker's user, and the broker's
command."""

import ctypes
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time

rounds, mode, runtime, user, *command = sys.argv[1:]
PATH = runtime + "/photobroker.sock"
CALL = b'{"method":"io.photobroker.Library.%s","parameters":%s}\0'
MANIFEST = b'{"manifest":{"identifier":"org.example.first","name":"First","NSPhotoLibraryUsageDescription":"Why."}}'


def without_peer_pidfd():
    """Lets getsockopt(SO_PEERPIDFD) fail with ENOPROTOOPT, as kernels before 6.5 do."""

    def step(code, jt, jf, k):
        return struct.pack("HBBI", code, jt, jf, k)

    steps = [
        step(0x20, 0, 0, 0),
        step(0x15, 0, 3, 55),  # the system call's number is getsockopt's
        step(0x20, 0, 0, 32),
        step(0x15, 0, 1, 77),  # its third argument is SO_PEERPIDFD
        step(0x06, 0, 0, 0x00050000 | 92),
        step(0x06, 0, 0, 0x7FFF0000),
    ]
    text = ctypes.create_string_buffer(b"".join(steps))

    class Program(ctypes.Structure):
        _fields_ = [("count", ctypes.c_ushort), ("steps", ctypes.c_void_p)]

    program = Program(len(steps), ctypes.addressof(text))
    libc = ctypes.CDLL(None, use_errno=True)
    assert libc.prctl(38, 1, 0, 0, 0) == 0
    assert libc.prctl(22, 2, ctypes.byref(program), 0, 0) == 0, os.strerror(ctypes.get_errno())


def start():
    environment = {"PATH": "/usr/bin:/bin", "HOME": "/", "SWIFT_BACKTRACE": "enable=no"}
    broker = subprocess.Popen(
        ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--no-new-privs", *command],
        env=environment,
        cwd="/",
        preexec_fn=without_peer_pidfd if mode == "fallback" else None,
    )
    for _ in range(500):
        try:
            connect().close()
            return broker
        except OSError:
            time.sleep(0.02)
    raise SystemExit("the broker does not answer")


def connect():
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(10)
    client.connect(PATH)
    return client


def call(client, method, parameters=b"{}"):
    client.sendall(CALL % (method, parameters))
    return receive(client)


def receive(client):
    data = b""
    while not data.endswith(b"\0"):
        piece = client.recv(1 << 16)
        if not piece:
            return "closed"
        data += piece
    reply = json.loads(data[:-1])
    return reply.get("error", "io.photobroker.answered").rsplit(".", 1)[1]


def stop(broker):
    """Stops the broker with all its threads, some of which take the signal late."""
    os.kill(broker.pid, signal.SIGSTOP)
    folder = f"/proc/{broker.pid}/task"

    def state(thread):
        with open(f"{folder}/{thread}/stat") as facts:
            return facts.read().rsplit(")", 1)[1].split()[0]

    while any(state(thread) != "T" for thread in os.listdir(folder)):
        time.sleep(0.001)


def spawn(uid, body):
    """Starts a process of a user; returns its number and a pipe for its answers."""
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid:
        theirs.close()
        return pid, ours
    ours.close()
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    try:
        body(theirs)
    finally:
        os._exit(0)


def first(pipe):
    client = connect()
    assert call(client, b"Introduce", MANIFEST) == "answered"
    socket.send_fds(pipe, [b"x"], [client.fileno()])
    pipe.recv(1)


def second(pipe):
    client = connect()
    pipe.sendall(b"c")
    found = [call(client, b"GetLimits"), call(client, b"RequestAuthorization", b'{"level":"readWrite","wait":false}')]
    time.sleep(0.15)
    found.append(call(client, b"GetLimits"))
    pipe.sendall(json.dumps(found).encode())


def held(socket_pair):
    _, descriptors, _, _ = socket.recv_fds(socket_pair, 1, 1)
    return socket.socket(fileno=descriptors[0])


def one(broker, number):
    pid, pipe = spawn(70_001, first)
    passed = held(pipe)
    passed.settimeout(5)
    # The broker is stopped while the number changes hands.
    stop(broker)
    pipe.sendall(b"x")
    os.waitpid(pid, 0)
    with open("/proc/sys/kernel/ns_last_pid", "w") as last:
        last.write(str(pid - 1))
    again, pipe = spawn(70_002, second)
    pipe.recv(1)
    os.kill(broker.pid, signal.SIGCONT)
    answer = json.loads(pipe.recv(1 << 12))
    os.waitpid(again, 0)
    try:
        end = "closed" if passed.recv(1) == b"" else "open"
    except OSError as error:
        end = type(error).__name__
    return {"same": again == pid, "second": answer, "first": end}


def dead_at_accept(broker):
    """A process connects, calls, passes the socket on and dies, all while the broker is stopped."""
    stop(broker)

    def body(pipe):
        client = connect()
        client.sendall(CALL % (b"GetLimits", b"{}"))
        socket.send_fds(pipe, [b"x"], [client.fileno()])

    pid, pipe = spawn(70_003, body)
    passed = held(pipe)
    os.waitpid(pid, 0)
    os.kill(broker.pid, signal.SIGCONT)
    passed.settimeout(5)
    try:
        return "answered" if passed.recv(10) else "closed"
    except OSError:
        return "closed"


process = start()
try:
    print(
        json.dumps(
            {
                "rounds": [one(process, n) for n in range(int(rounds))],
                "dead": [dead_at_accept(process) for _ in range(10)],
                "lives": process.poll() is None,
            }
        )
    )
finally:
    process.terminate()
    process.wait()
