"""A plugin with some thirty faults beside the libraries of others (R129, R136)."""

import json
import os
import time

import pytest

from house.broker import BROKER, Broker
from house.faults import AT_START, TOLD, install_faulty
from house.neighbour import ask_all_the_time, p99
from house.person import Refused, wait_for
from house.pictures import day, jpeg

import conftest


class Town:
    """A broker with a sound library, its app, and libraries on the faulty plugin."""

    def __init__(self, house):
        install_faulty(house)
        self.house = house
        self.broker = Broker(house, name=f"town-{house.fresh_uid()}")
        # Smaller limits than by default, so that a hang and an endless list are reported sooner.
        self.broker.arguments = ["--plugin-answer", "12", "--library-photos", "20000"]
        self.broker.start()
        self.right = conftest.Scene(self.broker, 6)
        self.right.allow()
        self.asset = self.right.app.fetch()[0]["localIdentifier"]
        self.count = 0

    def add(self, fault, trigger=None, offered=()):
        self.count += 1
        owner = self.broker.owner()
        name = f"wrong-{self.count}"
        folder = self.house.make_folder(f"{name}-{owner.uid}", BROKER)
        for number in range(4):
            path = folder / f"picture-{number}.jpg"
            path.write_bytes(jpeg(day(number), note=f"{fault} {number}".encode(), padding=200_000))
            os.chown(path, BROKER, BROKER)
        options = {"path": str(folder), "fault": fault, **({"trigger": str(trigger)} if trigger else {})}
        owner.call("AddLibrary", name=name, backend="faulty", options=options, offeredTo=list(offered))
        return owner, name


@pytest.fixture(scope="module")
def town(house):
    town = Town(house)
    yield town
    town.broker.end()


def resident(broker):
    with open(f"/proc/{broker.process.pid}/statm") as statm:
        return int(statm.read().split()[1]) * os.sysconf("SC_PAGESIZE")


def descendants(town):
    """Return the processes of this town's faulty plugin, also orphaned ones."""
    program = f"{town.house.programs}/faulty.plugin".encode()
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                if program in file.read():
                    found.append(int(pid))
        except OSError:
            pass
    return found


def test_R129_R136_no_fault_of_a_plugin_is_felt_in_another_library_and_each_is_told(town, trigger, record_property):
    """All faults run at once, each in a library of its own, while the neighbour calls."""
    town.right.app.start(ask_all_the_time, seconds=3, asset=town.asset)
    quiet = town.right.app.hear()
    before = town.broker.descriptor_count()
    wrong = {fault: town.add(fault, trigger) for fault in TOLD if fault not in AT_START}
    for owner, name in wrong.values():
        owner.wait_for_library(name, 4)
    trigger.touch()
    for owner, name in wrong.values():
        owner.call("RescanLibrary", name=name)
    rounds, most, told_after, problems = [], 0, {}, {}
    began = time.monotonic()
    waiting = set(wrong)
    while waiting and time.monotonic() < began + 150:
        town.right.app.start(ask_all_the_time, seconds=2, asset=town.asset)
        for fault in list(waiting):
            owner, name = wrong[fault]
            library = owner.library(name)
            if library["state"] == "offline" and library.get("problem"):
                waiting.remove(fault)
                # A retry may clear the problem for a moment.
                problems[fault] = library["problem"]
                told_after[fault] = time.monotonic() - began
        rounds.append(town.right.app.hear())
        most = max(most, resident(town.broker))
    assert not waiting, {fault: wrong[fault][0].library(wrong[fault][1]) for fault in waiting}
    loud = [t for r in rounds for t in r["taken"]]
    print(
        f"\nneighbour of {len(wrong)} faulty libraries: {len(loud)} calls, p99 {p99(loud):.2f} ms beside {p99(quiet['taken']):.2f} ms, "
        f"worst {max(loud):.1f} ms beside {max(quiet['taken']):.1f} ms; the broker had {most >> 20} MiB at most; told after "
        + ", ".join(f"{fault} {after:.0f} s" for fault, after in told_after.items())
    )
    record_property("p99", (p99(quiet["taken"]), p99(loud)))
    assert [e for r in rounds for e in r["errors"]] == []
    log, exact = town.broker.log, 0
    for fault, (owner, name) in wrong.items():
        problem = problems[fault]
        assert problem.startswith("storage(faulty): "), (fault, problem)
        assert problem.isprintable() and len(problem.encode()) < 1_024, (fault, problem)
        told = [line for line in log.splitlines() if f"library={name} " in line and "offline" in line]
        # A second reply comes before the next call, or as its answer with the wrong fields. Beside all
        # others the deadline may come first, or a closed connection before the exit.
        words = [TOLD[fault], *(["refused"] if fault == "two replies" else [])]
        others = ["did not answer in time", "closed the connection"]
        assert told and any(word in line for word in words + others for line in told), (fault, told)
        exact += any(word in line for word in words for line in told)
        # Known photos stay known while the process restarts.
        assert owner.library(name)["assets"] == 4
    assert exact >= len(wrong) - 5, "most faults are told in their own words"
    owner, name = wrong["no json"]

    def shown():
        listed = json.loads(town.broker.photobroker(owner.uid, "library", "list", "--json").stdout)["libraries"]
        return [entry.get("problem", "").split(": ")[0] for entry in listed if entry["name"] == name]

    wait_for(lambda: shown() == ["storage(faulty)"], "the list of libraries to say it")
    for owner, name in wrong.values():
        owner.call("RemoveLibrary", name=name)
        # Their connections count among the broker's descriptors.
        owner.end()
    wait_for(lambda: not descendants(town), "every process of the plugins to be gone", 60)
    assert town.broker.wait_until_descriptors(before + 4) <= before + 4


@pytest.mark.parametrize("fault", sorted(AT_START) + ["crash", "wrong types", "ugly error"])
def test_a_storage_that_does_not_even_start_is_refused_with_its_reason(town, fault):
    with pytest.raises(Refused) as refused:
        town.add(fault)
    message = refused.value.parameters["message"]
    assert message.startswith("storage(faulty): ") and TOLD[fault] in message and message.isprintable()


@pytest.fixture
def trigger(house):
    path = house.folder / f"trigger-{house.fresh_uid()}"
    yield path
    path.unlink(missing_ok=True)


def seen_whole(town, fault, trigger):
    """Return an app with full access to a storage with a triggered fault, and its photos."""
    app = town.broker.app()
    owner, name = town.add(fault, trigger, [app.uid])
    owner.wait_for_library(name, 4)
    app.introduce()
    owner.set(name, app.name, "authorized")
    assert app.request() == "authorized"
    return app, owner, name, app.fetch()
