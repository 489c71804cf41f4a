"""Sends hostile frames from several users at once. The daemon must serve another client meanwhile,
and its memory must stay bounded.

Frames are truncated, nested, oversized, not UTF-8, or valid JSON of the wrong type. Run by
scripts/soak."""

import argparse
import pathlib
import random
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "System"))
import conftest  # noqa: E402
from house.broker import Broker, House  # noqa: E402

USERS, BURST = 4, 20_000


def flood(agent, path, seed, frames):
    """Sends `frames` frames, and reconnects whenever the daemon closes the connection. Returns how
    often it did."""
    import random
    import socket

    rng = random.Random(seed)
    good = b'{"method":"io.photobroker.Library.GetAuthorizationStatus","parameters":{"level":"readWrite"}}'
    shapes = [
        lambda: good,
        lambda: good[: rng.randrange(1, len(good))],
        lambda: b"{" * rng.randrange(1, 64),
        lambda: rng.randbytes(rng.randrange(1, 64)),
        lambda: good.replace(b'"readWrite"', b"[" * rng.randrange(1, 40)),
        lambda: good.replace(b"readWrite", rng.randbytes(4)),
        lambda: good.replace(b'"readWrite"', str(rng.randrange(-1 << 70, 1 << 70)).encode()),
        lambda: good.replace(b"level", b"\\ud800"),
        lambda: b'{"method":"' + b"x" * rng.randrange(1, 5000) + b'"}',
        lambda: b"",
    ]
    closed, connection = 0, None
    while frames > 0:
        try:
            if connection is None:
                connection = socket.socket(socket.AF_UNIX)
                connection.settimeout(5)
                connection.connect(path)
            count = rng.randrange(1, 50)
            frames -= count
            connection.sendall(b"".join(rng.choice(shapes)() + b"\0" for _ in range(count)))
            connection.recv(65536)
        except OSError:
            closed += 1
            connection.close()
            connection = None
    return closed


def memory(broker):
    status = pathlib.Path(f"/proc/{broker.process.pid}/status").read_text()
    return int(next(line.split()[1] for line in status.splitlines() if line.startswith("VmRSS"))) // 1024


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--frames", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    import asyncvarlink

    house = House(options.bin.resolve(), pathlib.Path(asyncvarlink.__file__).parents[1])
    broker = Broker(house).start()
    print(f"frames: {options.frames} frames, seed {options.seed}", flush=True)
    try:
        scene = conftest.Scene(broker, 6)
        scene.allow()
        strangers = [broker.stranger() for _ in range(USERS)]
        sent, first = 0, None
        while sent < options.frames:
            burst = min(BURST, options.frames - sent)
            for stranger in strangers:
                stranger.start(
                    flood, path=str(broker.app_socket), seed=rng.randrange(1 << 32), frames=burst // USERS + 1
                )
            while not all(s.has_answered() for s in strangers):
                assert scene.app.count() == 6
                time.sleep(0.02)
            for stranger in strangers:
                stranger.hear()
            assert broker.is_running, f"the daemon ended:\n{broker.log[-3000:]}"
            sent += burst
            # The first burst fills buffers and caches.
            first = first or memory(broker)
            assert memory(broker) < first + 32, f"the daemon grew from {first} to {memory(broker)} MiB"
            print(f"   {sent} frames, {memory(broker)} MiB", flush=True)
    finally:
        broker.end()
        house.end()


main()
