"""The owner's command line: a list of a large library, and completions that ask the broker."""

import contextlib
import json
import os
import statistics
import subprocess
import time

from house.large_library import make_large
from house.person import as_user

PHOTOS = 100_000
ROUNDS = 9


def measure(house):
    with contextlib.contextmanager(make_large)(house, PHOTOS) as scene:
        print(f"== the owner's commands, with {PHOTOS:,} photos; load {os.getloadavg()[0]:.1f}", flush=True)
        measure_commands(scene)


def measure_commands(scene):
    owner, library = scene.owner, scene.library
    scene.app.begin_request()
    request = owner.wait_for_prompt()["prompt"]
    environment = {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "PHOTOBROKER_ADMIN_SOCKET": str(scene.broker.admin_socket),
    }

    def milliseconds(*words):
        command = as_user(owner.uid, [scene.broker.programs / "photobroker", *words])
        start = time.perf_counter_ns()
        said = subprocess.run(command, env=environment, cwd="/", stdout=subprocess.PIPE, check=True).stdout
        return (time.perf_counter_ns() - start) / 1e6, said

    def lines(said):
        return said.count(b"\n") - 1

    def entries(said):
        return len(json.loads(said)["assets"])

    for what, words, count in (("asset list", [], lines), ("asset list --json", ["--json"], entries)):
        taken = []
        for _ in range(ROUNDS):
            took, said = milliseconds("asset", "list", library, "--limit", str(PHOTOS), *words)
            assert count(said) == PHOTOS, f"{count(said)} photos are listed"
            taken.append(took)
        show(what, taken, "2,000 ms")
    for what, words, candidate in (
        ("completion of a library", ("library", "show", ""), library),
        ("completion of an app", ("grant", "level", library, "org"), "org.example.journal"),
        ("completion of a request", ("request", "answer", request[:6]), request),
        ("completion of a method", ("call", "io.photobroker.Admin.GetSt"), "io.photobroker.Admin.GetStatus"),
    ):
        taken = []
        for _ in range(ROUNDS):
            took, said = milliseconds("complete", "--", *words)
            assert candidate.encode() in said, said
            taken.append(took)
        show(what, taken, "100 ms")


def show(what, taken, goal):
    print(
        f"   {what:60} {statistics.median(taken):9.1f} ms   worst {max(taken):9.1f} ms   goal under {goal}", flush=True
    )
