"""A plugin with some thirty faults beside the libraries of others (R129, R136)."""

import json
import time

import pytest

from house.faults import AT_START, TOLD
from house.neighbour import call_continuously, p99
from house.person import Refused, wait_for
from house.town import descendants


def test_R129_R136_a_plugins_fault_stays_in_its_library_and_is_reported(faulty, trigger, record_property):
    """All faults run at once, each in a library of its own, while the neighbour calls."""
    faulty.healthy.app.start(call_continuously, seconds=3, asset=faulty.asset)
    quiet = faulty.healthy.app.hear()
    before = faulty.broker.settled_descriptor_count()
    wrong = {fault: faulty.add(fault, trigger) for fault in TOLD if fault not in AT_START}
    for owner, name in wrong.values():
        owner.wait_for_library(name, 4)
    trigger.touch()
    for owner, name in wrong.values():
        owner.call("RescanLibrary", name=name)
    rounds, most, told_after, problems = [], 0, {}, {}
    began = time.monotonic()
    waiting = set(wrong)
    while waiting and time.monotonic() < began + 150:
        faulty.healthy.app.start(call_continuously, seconds=2, asset=faulty.asset)
        for fault in list(waiting):
            owner, name = wrong[fault]
            library = owner.library(name)
            if library["state"] == "offline" and library.get("problem"):
                waiting.remove(fault)
                # A retry may clear the problem for a moment.
                problems[fault] = library["problem"]
                told_after[fault] = time.monotonic() - began
        rounds.append(faulty.healthy.app.hear())
        most = max(most, faulty.broker.resident_bytes())
    assert not waiting, {fault: wrong[fault][0].library(wrong[fault][1]) for fault in waiting}
    loud = [t for r in rounds for t in r["taken"]]
    print(
        f"\nneighbour of {len(wrong)} faulty libraries: {len(loud)} calls, "
        f"p99 {p99(loud):.2f} ms beside {p99(quiet['taken']):.2f} ms, "
        f"worst {max(loud):.1f} ms beside {max(quiet['taken']):.1f} ms; "
        f"the broker had {most >> 20} MiB at most; told after "
        + ", ".join(f"{fault} {after:.0f} s" for fault, after in told_after.items())
    )
    record_property("p99", (p99(quiet["taken"]), p99(loud)))
    assert [e for r in rounds for e in r["errors"]] == []
    log, exact = faulty.broker.log, 0
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
        listed = json.loads(faulty.broker.photobroker(owner.uid, "library", "list", "--json").stdout)["libraries"]
        return [entry.get("problem", "").split(": ")[0] for entry in listed if entry["name"] == name]

    wait_for(lambda: shown() == ["storage(faulty)"], "the list of libraries to say it")
    for owner, name in wrong.values():
        owner.call("RemoveLibrary", name=name)
        # Their connections count among the broker's descriptors.
        owner.end()
    wait_for(lambda: not descendants(faulty), "every process of the plugins to be gone", 60)
    assert faulty.broker.wait_until_descriptors(before + 4) <= before + 4


@pytest.mark.parametrize("fault", sorted(AT_START) + ["crash", "wrong types", "ugly error"])
def test_a_storage_that_fails_to_start_is_refused_with_its_reason(faulty, fault):
    with pytest.raises(Refused) as refused:
        faulty.add(fault)
    message = refused.value.parameters["message"]
    assert message.startswith("storage(faulty): ") and TOLD[fault] in message and message.isprintable()
