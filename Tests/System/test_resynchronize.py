"""Change tokens expire by age, and an app then finds its outdated assets at little cost."""

import pytest

from house.changes import fetched, replay
from house.person import Refused
from house.sandbox import SANDBOX, Sandbox
from house.scene import Scene

DAY = 86_400_000_000


@pytest.fixture
def scene_with_clock(house):
    """A library whose clock the test sets."""
    sandbox = Sandbox(house).start()
    yield Scene(sandbox, 6)
    sandbox.end()


def versions(app, **parameters):
    """Read all pages; return the versions by identifier, and the first page's token."""
    known, token, cursor = {}, None, None
    while True:
        page = app.call("FetchVersions", **parameters, **({"cursor": cursor} if cursor else {}))
        assert len(page["localIdentifiers"]) == len(page["versions"])
        known.update(zip(page["localIdentifiers"], page["versions"]))
        assert (page.get("changeToken") is None) == (cursor is not None), "the first page alone has one"
        token, cursor = token or page["changeToken"], page.get("cursor")
        if cursor is None:
            return known, token
        assert len(page["versions"]) == parameters["limit"], "only the last page is short"


def test_R113_an_expired_change_token_is_replaced_by_comparing_versions(scene_with_clock):
    scene = scene_with_clock
    scene.limit(0, 1, 2, 3)
    start = fetched(scene.app)
    token = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    seconds = scene.app.call("GetLimits")["limits"]["changeTokenLifetimeSeconds"]
    assert seconds == 30 * 86_400
    scene.owner.call(SANDBOX + "AdvanceClock", microseconds=29 * DAY)
    event = scene.app.call("FetchPersistentChanges", since=token)["event"]
    assert not event["inserted"] and not event["resynchronize"], "it is good for thirty days"
    # Make one change of each kind, visible and invisible.
    scene.unselect(0)
    scene.select(4)
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, favorite=True)
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[5]}, favorite=True)
    scene.owner.call(SANDBOX + "AdvanceClock", microseconds=2 * DAY)
    refused = scene.app.refusal("FetchPersistentChanges", since=token)
    assert (refused.parameters["code"], refused.reason) == (3105, "persistentChangeTokenExpired")
    assert "FetchVersions" in refused.parameters["message"]
    with pytest.raises(Refused) as late:
        scene.app.observe("late", since=token)
    assert late.value.reason == "persistentChangeTokenExpired"

    present, fresh = versions(scene.app)
    kept = {a["localIdentifier"]: a for a in start}
    stale = [i for i, version in present.items() if i not in kept or kept[i]["version"] != version]
    named = {a["localIdentifier"]: a["filename"] for a in scene.app.fetch()}
    assert {named[i] for i in stale} == {scene.pictures[4], scene.pictures[1]}, (
        "what is new, what changed, and nothing else"
    )
    assert [kept[i]["filename"] for i in kept if i not in present] == [scene.pictures[0]]
    kept = {i: kept[i] for i in present if i in kept}
    kept.update({a["localIdentifier"]: a for a in scene.app.fetch(identifiers=stale)})
    assert sorted(kept.values(), key=lambda a: a["localIdentifier"]) == fetched(scene.app)
    # The new token works for later changes.
    scene.unselect(1)
    event = scene.app.call("FetchPersistentChanges", since=fresh)["event"]
    assert replay(kept.values(), [event]) == fetched(scene.app)


def test_R40_versions_cover_the_view_only_in_pages(make_scene):
    scene = make_scene(23)
    scene.limit(*range(0, 23, 2))
    whole, _ = versions(scene.app)
    assert whole == {a["localIdentifier"]: a["version"] for a in scene.app.fetch()} and len(whole) == 12
    for limit in (1, 5, 12, 13):
        assert versions(scene.app, limit=limit)[0] == whole
    order = scene.app.call("FetchVersions")["localIdentifiers"]
    assert order == [a["localIdentifier"] for a in scene.app.fetch()], "newest first, as FetchAssets"
    for bad in (0, -1, 10_001):
        assert scene.app.refusal("FetchVersions", limit=bad).parameters["parameter"] == "limit"
    cursor = scene.app.call("FetchAssets", limit=2)["cursor"]
    foreign = scene.app.refusal("FetchVersions", cursor=cursor)
    assert (foreign.error, foreign.parameters["parameter"]) == ("InvalidParameter", "cursor"), "another method's cursor"
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[0]}, favorite=True)
    now, _ = versions(scene.app)
    assert sum(now[i] != whole[i] for i in whole) == 1
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[1]}, favorite=True)
    assert versions(scene.app)[0] == now, "of what is hidden nothing shows"


def test_R139_returned_versions_are_in_the_ledger_and_count_as_a_fetch(scene):
    scene.limit(0, 1)
    scene.app.call("FetchVersions")
    entries = scene.owner.call("ReadLedger", library=scene.library, app=scene.app.name)["entries"]
    assert {e["rendition"] for e in entries} == {"metadata"} and len({e["asset"] for e in entries}) == 2
