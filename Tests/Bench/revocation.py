"""Revocation with 1,000 live connections under load while another program writes to the disk: the
time until an app is cut off, and until that is durable. At the same time a plain program appends as
many bytes and syncs them, for comparison. Runs on all cores, as in normal use."""

import os
import signal
import subprocess
import time

from house.broker import Album, Broker
from house.person import LIBRARY, as_user

NAME = "revoked"
PHOTOS = 200
HOLDERS, CONNECTIONS = 5, 200
REQUEST = '{"method": "%sFetchAssets", "parameters": {"limit": 10}}' % LIBRARY
# Writes and syncs 64 MB at a time, in a loop.
WRITER = 'while :; do dd if=/dev/zero of="$0" bs=1M count=64 conv=fdatasync 2>/dev/null; done'


class Client:
    """A client program that makes calls until `end`."""

    def __init__(self, house, app, *arguments):
        end, self.signal = os.pipe()
        command = ["bash", "-c", f'exec 3<&{end}; exec "$@"', "client", house.programs / "client", *arguments]
        self.process = subprocess.Popen(
            as_user(app.uid, command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, pass_fds=[end], cwd="/"
        )
        os.close(end)
        for token in (app.own_token, app.token):
            self.process.stdin.write('{"method": "%sAttach", "parameters": {"token": "%s"}}\n' % (LIBRARY, token))
        self.process.stdin.close()

    def wait_until_ready(self):
        assert self.process.stdout.readline() == "ready\n", "a client could not attach"

    def end(self):
        """Ends the program. Returns its output."""
        os.close(self.signal)
        said = self.process.stdout.read()
        assert self.process.wait() == 0, "a client failed"
        return said


def pause_in_turn(agent, library, app, rounds):
    """Pauses and resumes a grant `rounds` times. A pause ends access at once, like a revocation,
    but keeps the token for the next round. Returns when each pause was requested, acknowledged and
    over, in nanoseconds."""
    connection, pauses = agent.connection(), []
    for _ in range(rounds):
        asked = time.monotonic_ns()
        connection.call("io.photobroker.Admin.PauseGrant", library=library, app=app, paused=True)
        acknowledged = time.monotonic_ns()
        time.sleep(0.02)
        pauses.append((asked, acknowledged, time.monotonic_ns()))
        connection.call("io.photobroker.Admin.PauseGrant", library=library, app=app, paused=False)
        time.sleep(0.02)
    return pauses


def log_bytes(broker):
    """The used bytes of the daemon's write-ahead log, whose file is longer."""
    log = (broker.state / "state.db-wal").read_bytes()
    salt, frame = log[16:24], 24 + 4096
    return next(end for end in range(32, len(log) + frame, frame) if log[end + 8 : end + 16] != salt) - 32


def bytes_of_a_pause(broker, owner, app, rounds=9):
    """The median growth of the log by a pause, without other calls."""
    grown = []
    for _ in range(rounds):
        before = log_bytes(broker)
        owner.call("PauseGrant", library=NAME, app=app.name, paused=True)
        grown.append(log_bytes(broker) - before)
        owner.call("PauseGrant", library=NAME, app=app.name, paused=False)
    return sorted(grown)[rounds // 2]


def cut_offs(pauses, refusals):
    """Nanoseconds from each pause's request to the first refusal, or to the pause's end if none was
    seen before."""
    found = []
    for asked, _, end in pauses:
        found.append(min([time for time in refusals if asked < time < end], default=end) - asked)
    return found


def p50_and_p99(times):
    times = sorted(times)
    return times[len(times) // 2] / 1e6, times[len(times) * 99 // 100] / 1e6


def measure(house, rounds):
    broker = Broker(house, "revocation").start()
    clients, writer = [], None
    try:
        owner, app = broker.owner(), broker.app()
        album = Album(house, NAME, owner.uid)
        album.fill(PHOTOS)
        owner.add_library(NAME, album.folder, [app.uid], PHOTOS)
        app.introduce()
        owner.set(NAME, app.name, "authorized")
        assert app.request() == "authorized"
        # The broker lengthens its write-ahead log once it is idle.
        time.sleep(1)
        size = bytes_of_a_pause(broker, owner, app)
        clients = [Client(house, app, "hold", broker.app_socket, CONNECTIONS, REQUEST) for _ in range(HOLDERS)]
        clients.append(Client(house, app, "watch", broker.app_socket, REQUEST))
        for one in clients:
            one.wait_until_ready()
        writer = subprocess.Popen(["sh", "-c", WRITER, house.folder / "written"], start_new_session=True)
        piece, plain = os.urandom(size), []
        appended = os.open(house.folder / "appended", os.O_CREAT | os.O_WRONLY | os.O_APPEND)
        owner.start(pause_in_turn, library=NAME, app=app.name, rounds=rounds)
        while not owner.has_answered():
            start = time.monotonic_ns()
            os.write(appended, piece)
            os.fdatasync(appended)
            plain.append(time.monotonic_ns() - start)
            time.sleep(0.02)
        pauses = owner.hear()
        os.close(appended)
        refusals = [int(line.split()[1]) for line in clients.pop().end().splitlines()]
    finally:
        if writer:
            os.killpg(writer.pid, signal.SIGTERM)
            writer.wait()
        for one in clients:
            one.end()
        broker.end()
    show(size, pauses, plain, refusals)


def show(size, pauses, plain, refusals):
    cut, cut99 = p50_and_p99(cut_offs(pauses, refusals))
    durable, durable99 = p50_and_p99([acknowledged - asked for asked, acknowledged, _ in pauses])
    sync, sync99 = p50_and_p99(plain)
    print(
        f"== {len(pauses)} revocations, {HOLDERS * CONNECTIONS + 1:,} live connections under load, another program "
        "writes to the disk; "
        f"load {os.getloadavg()[0]:.1f}"
    )
    print(f"   until the app is cut off: p50 {cut:.1f} ms, p99 {cut99:.1f} ms   goal p99 10 ms")
    print(
        f"   until it is durable / a plain append and sync of {size:,} bytes meanwhile: p50 {durable:.1f} / {sync:.1f} "
        f"ms, {durable / sync:.2f}x; "
        f"p99 {durable99:.1f} / {sync99:.1f} ms, {durable99 / sync99:.2f}x   goal p99 1.5x",
        flush=True,
    )
