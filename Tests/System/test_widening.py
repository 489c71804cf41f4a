"""The command line asks before it lets an app see more than 1,000 further photos."""

import json

import pytest

from house.large_library import make_large
from house.terminal import run_on_terminal

COUNT = 1_100
QUESTION = f"Let org.example.journal see up to {COUNT} more photos?"


@pytest.fixture(scope="module")
def large(house):
    yield from make_large(house, COUNT)


@pytest.fixture
def widens(large):
    """Checks that a command asks, off and on a terminal, and that it works with --yes."""

    def check(*words, sees, document=None):
        text = None if document is None else json.dumps(document)
        run = lambda *options, **expected: large.broker.photobroker(
            large.owner.uid, *map(str, words), *options, input=text, **expected
        )
        refused = run(expect=64)
        assert QUESTION in refused.stderr and "Add --yes" in refused.stderr
        if text is None:
            status, shown = run_on_terminal(large, *words, answers="n")
            assert status == 1 and "[y/N]" in shown
        assert sees() == 0, "nothing before the answer"
        run("--yes")

    return check


def test_R130_R131_a_widening_by_many_photos_is_asked_about(large, widens):
    app, owner, library = large.app, large.owner, large.library
    run = lambda *words: large.broker.photobroker(owner.uid, *words)
    sees = lambda: (owner.grant(library, app.name) or {"visible": 0})["visible"]
    app.begin_request()
    owner.wait_for_prompt()
    rule = {"library": library, "name": "all", "identifier": "org.example.journal", "uid": app.uid}
    rule |= {"level": "readWrite", "answer": "allow"}
    widens("apply", "-", document={"rules": [rule]}, sees=sees)
    assert app.hear_request() == "authorized" and sees() == COUNT
    run("grant", "pause", library, app.name)
    widens("grant", "resume", library, app.name, sees=sees)
    run("asset", "mark", library, "--all", "--hidden")
    widens("asset", "mark", library, "--all", "--no-hidden", sees=sees)
    assert sees() == COUNT
    run("asset", "mark", library, "--all", "--never-share")
    widens("undo", owner.newest_decision(library=library)["decision"], sees=sees)
    assert sees() == COUNT
    run("grant", "revoke", library, app.name, "--yes")
    widens("undo", owner.newest_decision(library=library)["decision"], sees=sees)
    assert app.request() == "authorized" and sees() == COUNT
    # A removed rule that comes back answers the request that waits.
    run("grant", "level", library, app.name, "see-and-change", "not-asked")
    owner.call("Apply", rules=[rule])
    run("rule", "remove", library, "all", "--yes")
    removed = owner.newest_decision(library=library)["decision"]
    app.begin_request()
    owner.wait_for_prompt()
    widens("undo", removed, sees=sees)
    assert app.hear_request() == "authorized" and sees() == COUNT
