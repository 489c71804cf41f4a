"""Selections larger than a message: in force at once, and reported to the app in full."""

import time
import resource
import os
import pytest
from photobroker import Connection, VarlinkError

from house.broker import Broker
from house.page import Page
from house.person import Refused, wait_for
from house.scene import Scene

COUNT = 10_300
STEP = 9_000


@pytest.fixture(scope="module")
def large(request):
    house = request.getfixturevalue("house")
    broker = Broker(house, name="large")
    # Indexing so many files takes longer than all tests, and none of them needs it.
    broker.programs = house.programs_without("photobroker-media")
    yield Scene(broker.start(), COUNT)
    broker.end()


@pytest.fixture
def limited(large):
    large.owner.set(large.library, large.app.name, "limited")
    large.app.begin_request()
    assert large.app.hear_request() == "limited"
    return large


def all_identifiers(scene):
    found, skip = [], 0
    while skip is not None:
        page = scene.owner.call("FetchOwnedColumns", library=scene.library, skip=skip)
        found += [page["identifiers"][at : at + 32] for at in range(0, len(page["identifiers"]), 32)]
        skip = page.get("next")
    return found


def present(agent):
    """Return all pages of the answer."""
    return [reply for reply, _ in agent.connection("page").stream("io.photobroker.Library.PresentLimitedLibraryPicker")]


def draft_selection(owner, method, identifiers, **what):
    """Draft a large selection in steps, and return the draft's name."""
    for at in range(0, len(identifiers), STEP):
        part = identifiers[at : at + STEP]
        reply = owner.call(method, selector={"identifiers": part}, **what)
        what["draft"] = reply["draft"]
        assert reply["drafted"] == at + len(part)
    return what["draft"]


def draft(scene, prompt, identifiers):
    return draft_selection(scene.owner, "DraftAnswer", identifiers, prompt=prompt["prompt"])


def test_R21_R63_a_selection_larger_than_a_message_is_made_at_once_and_reported_in_pages(large):
    assets = all_identifiers(large)
    assert len(assets) == COUNT
    large.owner.set(large.library, large.app.name, "notDetermined")
    large.app.begin_request()
    prompt = large.owner.wait_for_prompt()
    refused = large.owner.refusal("AnswerPrompt", prompt=prompt["prompt"], answer="select", draft="%032x" % 7)
    assert refused.error == "NotFound" and "DraftAnswer" in refused.parameters["message"]
    draft(large, prompt, assets[:20])
    meant = draft(large, prompt, assets[:3])
    draft(large, prompt, assets[10:20])
    assert not any(grant["selected"] for grant in large.owner.call("ListGrants")["grants"]), "a draft decides nothing"
    large.owner.answer(prompt, "select", draft=meant)
    assert large.app.hear_request() == "limited"
    assert large.app.count() == 3, "what other windows draft is theirs"

    large.app.start(present)
    prompt = large.owner.wait_for_prompt("selection")
    large.owner.answer(prompt, "select", draft=draft(large, prompt, assets))
    pages = large.app.hear()
    assert [len(page["added"]) for page in pages] == [10_000, COUNT - 3 - 10_000]
    told = [name for page in pages for name in page["added"]]
    assert len(set(told)) == COUNT - 3
    assert large.app.count() == COUNT


def test_R51_R131_an_edit_larger_than_a_message_is_one_decision_with_one_undo(limited):
    assets = all_identifiers(limited)
    owner, second, edit = limited.owner, limited.broker.owner(), {"library": limited.library, "app": limited.app.name}
    owner.call("DelegateLibrary", name=limited.library, coOwners=[second.uid])
    limited.broker.accept(second.uid, limited.library)
    owner.call("EditSelection", **edit, remove={"all": True})
    limited.app.observe(limited.library)
    meant = draft_selection(owner, "DraftSelection", assets, library=limited.library)
    theirs = draft_selection(second, "DraftSelection", assets[:5], library=limited.library)
    few = draft_selection(owner, "DraftSelection", assets[:7], library=limited.library)
    assert owner.call("EditSelection", **edit, addDraft=meant, removeDraft=few, preview=True)["selected"] == COUNT - 7
    assert limited.app.count() == 0 and limited.app.events(limited.library) == [], "a draft decides nothing"
    for name in (theirs, "%032x" % 7):
        refused = owner.refusal("EditSelection", **edit, addDraft=name)
        assert refused.error == "NotFound" and "DraftSelection" in refused.parameters["message"]
    done = owner.call("EditSelection", **edit, addDraft=meant, removeDraft=few)
    assert (done["added"], done["selected"], len(done["decisions"])) == (COUNT - 7, COUNT - 7, 1)
    assert limited.app.count() == COUNT - 7
    assert owner.refusal("EditSelection", **edit, addDraft=meant).error == "NotFound", "it was used up"
    owner.call("UndoDecision", decision=done["decisions"][0])
    assert limited.app.count() == 0


def test_R63_without_paging_an_oversized_answer_is_refused_by_name_and_in_force(limited):
    assets = all_identifiers(limited)
    limited.owner.call("EditSelection", library=limited.library, app=limited.app.name, remove={"all": True})
    limited.owner.show_requests()
    limited.app.begin("PresentLimitedLibraryPicker")
    prompt = limited.owner.wait_for_prompt("selection")
    limited.owner.answer(prompt, "select", draft=draft(limited, prompt, assets))
    with pytest.raises(Refused) as refused:
        limited.app.hear()
    assert refused.value.reason == "limitExceeded" and "more" in refused.value.parameters["message"]
    assert limited.app.count() == COUNT


def test_R21_R63_the_selection_page_selects_everything(large, browser):
    large.owner.set(large.library, large.app.name, "notDetermined")
    page = Page(large.broker, large.owner, browser)
    try:
        window = page.open_window()
        large.app.begin_request()
        window.get_by_role("button", name="Select photos").click()
        window.get_by_text(f"{COUNT:,} shown").wait_for()
        window.keyboard.press("Control+a")
        window.get_by_role("button", name=f"Allow {COUNT:,} photos").click()
        assert large.app.hear_request() == "limited"
        assert large.app.count() == COUNT
        window.get_by_text("Nothing is waiting for you").wait_for()
        assert [url.rsplit("/", 1)[1] for url in window.requests if "Answer" in url] == ["DraftAnswer", "AnswerPrompt"]
        assert window.problems == []
    finally:
        page.end()


def load_and_hold(agent, token):
    """Pick, and load items without closing any until a refusal.

    Returns the number loaded, the refusal, whether the next item could be read in pieces, and its
    size once others were closed.
    """
    resource.setrlimit(resource.RLIMIT_NOFILE, (4096, max(4096, resource.getrlimit(resource.RLIMIT_NOFILE)[1])))
    picker = "io.photobroker.Picker."
    connection = Connection(agent.path, timeout=60)
    connection.call("io.photobroker.Library.Attach", token=token)
    items = [r["item"] for _ in range(2) for r in connection.call(picker + "Present", selectionLimit=0)["results"]]
    held, refused = [], None
    for item in items:
        try:
            _, descriptors = connection.call_with_descriptors(picker + "LoadItem", item=item)
        except VarlinkError as error:
            refused = error.parameters
            break
        held += descriptors
    count, piece = len(held), connection.call(picker + "ReadItem", item=item, offset=0, length=10)["data"]
    while held:
        os.close(held.pop())
    # The broker frees its cached copies gradually after the refusal.
    end, size = time.monotonic() + 60, None
    while not size and time.monotonic() < end:
        try:
            reply = connection.call(picker + "LoadItem", item=item)
            size = reply["size"] if reply.get("descriptor") == 0 else None
        except VarlinkError:
            time.sleep(0.05)
    connection.call(picker + "ReadItem", item=item, offset=0, length=7)
    return {"count": count, "refused": refused, "piece": piece, "size": size}


def test_R74_a_pick_beyond_the_apps_limit_of_items_is_refused_by_name(large):
    app = large.broker.app()
    large.owner.call("OfferLibrary", name=large.library, offeredTo=[large.app.uid, app.uid])
    app.introduce("org.example.hoarder")
    # The smallest copy counts as a MiB of the user's quota.
    most = app.call("GetLimits")["limits"]["handedBytesPerUser"] >> 20
    app.start(load_and_hold, token=app.own_token)
    assets = all_identifiers(large)
    for picked in (assets[: most // 2], assets[most // 2 : most + 1]):
        picker = wait_for(lambda: large.owner.call("ListPickers")["pickers"], "the picker")[0]
        large.owner.call("AnswerPicker", picker=picker["picker"], assets=picked)
    found = app.hear()
    assert found["count"] == most
    assert found["refused"]["reason"] == "limitExceeded" and "close some" in found["refused"]["message"]
    assert found["piece"] and found["size"]

    def got():
        entries = large.owner.call("ReadLedger", library=large.library, app=app.name, asset=assets[most])["entries"]
        sizes = [e["bytes"] for e in entries if e["rendition"] == "original"]
        return sizes if 7 in sizes else None

    assert sorted(wait_for(got, "the ledger to tell of the last piece")) == [7, 10, found["size"]], (
        "what was refused was not had"
    )
