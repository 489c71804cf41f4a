"""The effect of one user's load on another user's calls: the 99th percentile of the calls beside
each load, compared with that beside two processes that only compute. Exits with 1 if a load costs
more than LIMIT times as much as they do.

    sudo python3 Tests/Bench/neighbours.py --bin .build/release [--seconds 10]
"""

import argparse
import gc
import json
import os
import pathlib
import select
import socket
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "Tests/System"))
from house.broker import Album, Broker, House  # noqa: E402
from house.person import as_user  # noqa: E402

LIMIT = 3
PICTURES = 20


def call_in_turn(agent, seconds):
    """Makes sequential calls. Returns their number, and their median and 99th percentile in
    microseconds."""
    gc.disable()
    connection = agent.connection("timed").socket
    message = b'{"method":"io.photobroker.Library.FetchAssets","parameters":{"limit":10}}\0'
    taken, end = [], time.perf_counter() + seconds
    while (began := time.perf_counter()) < end:
        connection.sendall(message)
        reply = connection.recv(1 << 16)
        while not reply.endswith(b"\0"):
            reply += connection.recv(1 << 16)
        taken.append((time.perf_counter() - began) * 1e6)
        assert b'"error"' not in reply[:10], reply[:300]
    taken.sort()
    return {"calls": len(taken), "median": taken[len(taken) // 2], "p99": taken[len(taken) * 99 // 100]}


def send_long_frames(agent, connections=8):
    """Sends frames of 315 KB with 9,000 identifiers, one at a time on each connection."""
    message = (
        json.dumps(
            {
                "method": "io.photobroker.Library.CountAssets",
                "parameters": {"options": {"identifiers": [f"{number:032x}" for number in range(9_000)]}},
            },
            separators=(",", ":"),
        ).encode()
        + b"\0"
    )
    assert len(message) > 315_000
    first = threading.Barrier(connections + 1)

    def send(connection):
        is_first = True
        while True:
            connection.sendall(message)
            while not connection.recv(1 << 16).endswith(b"\0"):
                pass
            if is_first:
                is_first = first.wait() < 0

    for number in range(connections):
        threading.Thread(target=send, args=[agent.connection(number).socket], daemon=True).start()
    first.wait()
    print('{"answer": "loaded"}', flush=True)
    time.sleep(3600)


def read_on_many_connections(agent, connections=100):
    """Keeps a call pending on every connection at all times."""
    message = b'{"method":"io.photobroker.Library.FetchAssets","parameters":{"limit":10}}\0'
    poll, sockets = select.epoll(), {}
    for number in range(connections):
        connection = agent.connection(number).socket
        sockets[connection.fileno()] = connection
        poll.register(connection, select.EPOLLIN)
        connection.sendall(message)
    print('{"answer": "loaded"}', flush=True)
    while True:
        for number, _ in poll.poll():
            reply = sockets[number].recv(1 << 16)
            assert reply, "a connection was closed"
            if reply.endswith(b"\0"):
                sockets[number].sendall(message)


def keep_silent(agent, connections=250):
    """Keeps silent connections open, and replaces each one that the broker closes."""
    poll, sockets = select.epoll(), {}

    def open_one():
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(agent.path)
        sockets[connection.fileno()] = connection
        poll.register(connection, select.EPOLLIN)

    for _ in range(connections):
        open_one()
    print('{"answer": "loaded"}', flush=True)
    while True:
        for number, _ in poll.poll():
            sockets.pop(number).close()
            open_one()


LOADS = [
    ("frames of 315 KB", [send_long_frames]),
    ("100 connections that always call", [read_on_many_connections]),
    ("500 connections that are silent", [keep_silent] * 2),
]


class Neighbours:
    def __init__(self, broker):
        self.broker = broker
        self.calling, self.attacking = (self.make_app(name) for name in ("calling", "attacking"))

    def make_app(self, name):
        """An app with a user of its own, and access to a library of another user."""
        broker, owner = self.broker, self.broker.owner()
        album = Album(broker.house, name, owner.uid)
        album.fill(PICTURES)
        app = broker.app()
        owner.add_library(name, album.folder, [app.uid], PICTURES)
        app.introduce()
        owner.set(name, app.name, "authorized")
        assert app.request() == "authorized"
        return app

    def measure(self, what, seconds):
        found = self.calling.run(call_in_turn, seconds=seconds)
        print(
            f"   {what:40} median {found['median']:9.1f} us  p99 {found['p99']:9.1f} us   ({found['calls']} calls)",
            flush=True,
        )
        return found["p99"]

    def beside_burners(self, seconds):
        burners = [
            subprocess.Popen(as_user(self.attacking.uid, ["/usr/bin/python3", "-c", "while True: pass"]))
            for _ in range(2)
        ]
        try:
            return self.measure("two processes that only compute", seconds)
        finally:
            for burner in burners:
                burner.kill()
                burner.wait()

    def beside_load(self, what, functions, seconds):
        people = []
        try:
            for function in functions:
                people.append(self.broker.app(uid=self.attacking.uid))
                people[-1].use(self.attacking.own_token, self.attacking.token)
                people[-1].start(function)
                assert people[-1].hear() == "loaded"
            return self.measure(what, seconds)
        finally:
            for person in people:
                assert person.process.poll() is None, f"the load of {what} ended by itself"
                person.end()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="a folder with photobrokerd")
    parser.add_argument("--seconds", type=float, default=10, help="of each measurement")
    options = parser.parse_args()
    house = House(options.bin.resolve())
    broker = Broker(house, "neighbours").start()
    try:
        neighbours, ratios = Neighbours(broker), {}
        print(
            f"== one user's calls beside another user's load, on {os.cpu_count()} cores; load {os.getloadavg()[0]:.1f}",
            flush=True,
        )
        neighbours.measure("alone", options.seconds)
        for what, functions in LOADS:
            control = neighbours.beside_burners(options.seconds)
            ratios[what] = neighbours.beside_load(what, functions, options.seconds) / control
    finally:
        broker.end()
        house.end()
    for what, ratio in ratios.items():
        print(f"   p99 beside {what:40} {ratio:6.2f}x of that beside computing   at most {LIMIT}x", flush=True)
    sys.exit(any(ratio > LIMIT for ratio in ratios.values()))


if __name__ == "__main__":
    main()
