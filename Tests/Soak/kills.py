"""Kills the daemon repeatedly while an owner decides, and compares its state afterwards with the
acknowledged decisions.

The owner grants and revokes one app's access at both levels. A decision that was acknowledged
before the kill must hold after the restart; an unfinished one holds completely or not at all. Run
by scripts/soak."""

import argparse
import pathlib
import random
import signal
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "System"))
import conftest  # noqa: E402
from house.broker import Broker, House  # noqa: E402
from house.person import Failed, Refused  # noqa: E402

DECISIONS = [(level, status) for level in ("readWrite", "addOnly") for status in ("authorized", "denied")] + [
    ("readWrite", "limited")
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--bin", required=True, type=pathlib.Path)
    parser.add_argument("--cycles", type=int, default=100)
    parser.add_argument("--seed", type=int, default=time.time_ns() % 1_000_000)
    options = parser.parse_args()
    rng = random.Random(options.seed)
    import asyncvarlink

    house = House(options.bin.resolve(), pathlib.Path(asyncvarlink.__file__).parents[1])
    broker = Broker(house).start()
    print(f"kills: {options.cycles} cycles, seed {options.seed}", flush=True)
    try:
        scene = conftest.Scene(broker, 6)
        known = {}
        for cycle in range(options.cycles):
            killer = threading.Timer(rng.uniform(0.001, 0.08), broker.process.kill)
            killer.start()
            try:
                while True:
                    unfinished = rng.choice(DECISIONS)
                    scene.owner.set(scene.library, scene.app.name, unfinished[1], level=unfinished[0])
                    known[unfinished[0]] = unfinished[1]
            except (Failed, Refused):
                killer.join()
            assert broker.process.wait() == -signal.SIGKILL, (
                f"cycle {cycle}: the daemon ended by itself:\n{broker.log[-3000:]}"
            )
            broker.start()
            for person in broker.people:
                person.new_connection()
            found = {
                g["level"]: g["status"]
                for g in scene.owner.call("ListGrants", library=scene.library, app=scene.app.name)["grants"]
            }
            for level, status in known.items():
                allowed = {status} | ({unfinished[1]} if level == unfinished[0] else set())
                assert found[level] in allowed, (
                    f"cycle {cycle}: {level} is {found[level]}; {allowed} was acknowledged or under way"
                )
            known = {level: found[level] for level in known}
            if cycle % 100 == 99:
                print(f"   {cycle + 1} kills, no acknowledged decision was lost", flush=True)
    finally:
        broker.end()
        house.end()


main()
