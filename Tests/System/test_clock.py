"""Jumps of the machine's clock, back and ahead: grants end by a clock that nobody can set."""

import time

import pytest
from pymacaroons import Macaroon

from house.person import Refused, wait_for


def expire_in(scene, seconds):
    end = int((time.time() + seconds) * 1_000_000)
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", expires=end)


def test_setting_the_clock_back_extends_nothing(moved):
    scene = moved
    scene.limit(0)
    scene.app.observe()
    expire_in(scene, 3)
    scene.broker.move(-86400)
    began = time.monotonic()
    decided = scene.owner.call("ListDecisions", library=scene.library)["decisions"]
    scene.select(1)
    newest = scene.owner.call("ListDecisions", library=scene.library)["decisions"][0]
    assert newest["time"] < decided[0]["time"] - 80_000 * 1_000_000, "the broker's clock really went back"
    assert scene.app.count() == 2
    wait_for(lambda: scene.app.status() == "notDetermined", "the end of access")
    assert time.monotonic() - began > 0.5
    wait_for(lambda: scene.app.end_of("observer"), "the observer's end")


def test_setting_the_clock_ahead_ends_due_access_at_once(moved):
    scene = moved
    scene.limit(0)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.lasting")
    scene.limit(1, app=other)
    expire_in(scene, 3600)
    scene.broker.move(7200)
    assert scene.app.status() == "notDetermined"
    assert other.names() == [scene.pictures[1]], "what has no end goes on"


def test_an_attenuated_token_ends_on_a_live_connection_by_the_boot_clock(moved):
    scene = moved
    scene.limit(0)
    macaroon = Macaroon.deserialize(scene.app.token)
    macaroon.add_first_party_caveat(f"before = {int(time.time()) + 3}")
    scene.app.use(macaroon.serialize())
    scene.app.new_connection()
    assert scene.app.count() == 1
    scene.broker.move(-86400)
    wait_for(scene.app.is_refused, "the token's end")


def test_an_ended_attenuated_token_stays_invalid_after_the_clock_is_set_back(moved):
    scene = moved
    scene.limit(0)

    def until(seconds):
        macaroon = Macaroon.deserialize(scene.app.token)
        macaroon.add_first_party_caveat(f"before = {int(time.time()) + seconds}")
        return macaroon.serialize()

    ended, ending, lasting = until(1), until(5), until(3600)
    time.sleep(1.5)
    scene.broker.move(-86400)
    with pytest.raises(Refused) as refused:
        scene.app.call("Attach", token=ended)
    assert refused.value.error == "TokenRefused", "never shown before, and ended all the same"
    scene.app.call("Attach", token=ending)
    assert scene.app.count() == 1
    wait_for(scene.app.is_refused, "the token's end")
    with pytest.raises(Refused):
        scene.app.call("Attach", token=ending)
    scene.app.call("Attach", token=lasting)
    assert scene.app.count() == 1


@pytest.mark.parametrize(
    "second", [5, -86_400 * 365, 2**31 + 1, 2**33, 250_000_000_000], ids=["1970", "1969", "2038", "2242", "9892"]
)
def test_the_broker_works_at_any_date(moved, second):
    scene = moved
    scene.take_additions()
    scene.limit(0)
    scene.broker.move(second - int(time.time()))
    scene.select(1)
    scene.unselect(0)
    assert scene.app.names() == [scene.pictures[1]]
    scene.app.digest(scene.app.fetch()[0]["localIdentifier"])
    assert scene.owner.call("ReadLedger", library=scene.library)["entries"]
    receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
    assert receipt["grants"] == 1 and scene.app.is_refused()
    try:
        scene.app.call("RequestAuthorization", level="addOnly", wait=False)
    except Refused as refused:
        assert refused.error == "PromptPending"
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 3)
    assert scene.owner.prompts()


def restart_with_earlier_clock(scene, pause):
    broker = scene.broker
    broker.stop()
    time.sleep(pause)
    broker.move(-86400)
    broker.start()


def has_access(app):
    try:
        app.new_connection()
        return not app.is_refused()
    except Refused:
        return False


def test_R4_a_grant_ended_while_the_broker_was_off_stays_ended_with_the_clock_set_back(moved):
    scene = moved
    scene.limit(0)
    expire_in(scene, 1.5)
    restart_with_earlier_clock(scene, 2.5)
    assert not has_access(scene.app)
    wait_for(
        lambda: (
            scene.broker.owner(scene.owner.uid).call("ListDecisions", library=scene.library)["decisions"][0]["action"]
            == "expire"
        ),
        "the end to be kept",
    )
    # Nor does access come back at a start that trusts the clock.
    scene.broker.arguments += ["--trust-clock"]
    restart_with_earlier_clock(scene, 0)
    assert not has_access(scene.app)
    assert scene.broker.log.count("the clock is behind") == 1


def test_a_token_ended_while_the_broker_was_off_is_refused_until_root_trusts_the_clock(moved):
    scene = moved
    scene.limit(0)
    macaroon = Macaroon.deserialize(scene.app.token)
    macaroon.add_first_party_caveat(f"before = {int(time.time()) + 2}")
    ended, whole = macaroon.serialize(), scene.app.token
    for _ in range(2):
        restart_with_earlier_clock(scene, 2.5)
        scene.app.new_connection()
        with pytest.raises(Refused) as refused:
            scene.app.call("Attach", token=ended)
        assert refused.value.error == "TokenRefused"
        scene.app.call("Attach", token=whole)
        assert scene.app.count() == 1
    scene.broker.arguments += ["--trust-clock"]
    restart_with_earlier_clock(scene, 0)
    scene.app.new_connection()
    scene.app.call("Attach", token=ended)
    assert scene.app.count() == 1
