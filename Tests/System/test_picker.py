"""The picker: an app without permission receives the picked photos and nothing else."""

import hashlib

import os
import pytest
from photobroker import Connection, VarlinkError

from house.owner import cursor_after
from house.person import PICKER, Refused, wait_for
from house.pickers import answer_picker, cancel_picker, filenames, identifiers, present, read_item
from house.pictures import day, jpeg
from house.sandbox import SANDBOX, Sandbox
from house.scene import Scene

pytestmark = pytest.mark.library("shared")


def refusal(app, **configuration):
    return app.refusal(PICKER + "Present", **configuration)


def test_R72_R74_R77_R78_picked_items_arrive_at_once_and_nothing_else_is_accessible(picking):
    picker = present(picking, selectionLimit=0)
    assert picking.owner.prompts() == [], "no access prompt"
    reply = answer_picker(picking, picker, 2, 0)
    assert reply["cancelled"] is False and filenames(reply) == [picking.pictures[2], picking.pictures[0]]
    for result, number in zip(reply["results"], (2, 0)):
        original = (picking.album.folder / picking.pictures[number]).read_bytes()
        assert hashlib.sha256(read_item(picking.picker, result["item"])).digest() == hashlib.sha256(original).digest()
    assert picking.picker.status() == "notDetermined"
    assert picking.owner.call("ListGrants", app=picking.picker.name)["grants"] == []
    assert picking.picker.refusal("FetchAssets").error == "UsageDescriptionMissing", "nothing else of the library"


def test_R74_a_large_pick_of_known_items_arrives_completely(make_scene):
    scene = make_scene(130)
    scene.picker = scene.app
    everything = range(130)
    for _ in range(2):
        picker = present(scene, selectionLimit=0)
        assert sorted(filenames(answer_picker(scene, picker, *everything))) == scene.pictures


def load(agent, item):
    reply, descriptors = agent.connection().call_with_descriptors("io.photobroker.Picker.LoadItem", item=item)
    data = os.pread(descriptors[0], reply["size"] + 1, 0)
    os.close(descriptors[0])
    return [len(data), reply["size"], reply["isComplete"], reply["contentType"]]


def test_R87_R91_an_item_is_loaded_by_descriptor(picking):
    reply = answer_picker(picking, present(picking), 1)
    size = (picking.album.folder / picking.pictures[1]).stat().st_size
    assert picking.picker.run(load, item=reply["results"][0]["item"]) == [size, size, True, "image/jpeg"]


def test_R73_R74_items_belong_to_their_connection(picking):
    reply = answer_picker(picking, present(picking), 1)
    item = reply["results"][0]["item"]
    other = picking.broker.app(uid=picking.picker.uid)
    other.introduce("org.example.other")
    for app, on in ((other, "main"), (picking.picker, "another")):
        with pytest.raises(Refused) as refused:
            app.call(PICKER + "ReadItem", on=on, item=item, offset=0, length=10)
        assert refused.value.reason == "identifierNotFound"
    unknown = picking.picker.refusal(PICKER + "ReadItem", item="0" * 32, offset=0, length=10)
    garbled = picking.picker.refusal(PICKER + "ReadItem", item="nonsense", offset=0, length=10)
    assert unknown.parameters == garbled.parameters
    assert read_item(picking.picker, item)


def test_R73_an_open_picker_is_out_of_the_apps_reach(picking):
    """The app cannot observe or answer it, through its own socket or the owners'."""
    picker = present(picking, selectionLimit=0)
    second = picking.broker.app(uid=picking.picker.uid)
    second.use(picking.picker.own_token)
    asset = identifiers(picking, 0)[0]
    calls = {
        "ListPickers": {},
        "AnswerPicker": {"picker": picker["picker"], "assets": [asset]},
        "OpenPage": {},
        "FetchOwnedColumns": {"library": picking.library},
        "FetchOwnedAssets": {"library": picking.library},
        "GetOwnedThumbnail": {"library": picking.library, "asset": asset, "maxPixels": 64},
    }
    for method, parameters in calls.items():
        with pytest.raises(Refused) as refused:
            second.call("io.photobroker.Admin." + method, **parameters)
        assert refused.value.error in ("InterfaceNotFound", "MethodNotFound"), method
    at_the_owners_door = picking.broker.owner(uid=picking.picker.uid)
    assert at_the_owners_door.call("ListPickers") == {"pickers": []}
    for method, parameters in calls.items():
        if method not in ("ListPickers", "OpenPage"):
            assert at_the_owners_door.refusal(method, **parameters).error == "NotFound", method
    assert filenames(answer_picker(picking, picker, 3)) == [picking.pictures[3]], "the person's answer, and no other"


def test_R76_R75_a_picker_takes_one_or_several_of_the_requested_kinds(picking):
    picker = present(picking, mediaTypes=["image"])
    assert picker["selectionLimit"] == 1 and picker["mediaTypes"] == ["image"]
    too_many = picking.owner.refusal("AnswerPicker", picker=picker["picker"], assets=identifiers(picking, 0, 1))
    assert too_many.error == "Refused" and "at most 1" in too_many.parameters["message"]
    twice = picking.owner.refusal("AnswerPicker", picker=picker["picker"], assets=identifiers(picking, 0, 0))
    assert twice.error == "Refused"
    assert filenames(answer_picker(picking, picker, 0)) == [picking.pictures[0]]
    videos = present(picking, mediaTypes=["video"])
    assert (
        picking.owner.refusal("AnswerPicker", picker=videos["picker"], assets=identifiers(picking, 0)).error
        == "Refused"
    )
    assert answer_picker(picking, videos)["results"] == []


def test_R79_identifiers_are_given_only_on_request_and_equal_the_librarys(picking):
    assert answer_picker(picking, present(picking), 3)["results"][0].get("localIdentifier") is None
    mine = answer_picker(picking, present(picking, identifiers=True), 3)["results"][0]["localIdentifier"]
    described = picking.broker.app(uid=picking.picker.uid)
    described.introduce("org.example.both")
    theirs = answer_picker(picking, present(picking, app=described, identifiers=True), 3, app=described)["results"][0][
        "localIdentifier"
    ]
    assert theirs != mine, "two apps share none"
    picking.limit(3, app=described)
    assert described.fetch()[0]["localIdentifier"] == theirs


def test_R80_R82_R84_R85_R86_R87_R88_preselection_and_order_follow_the_options(picking):
    several = {"identifiers": True, "selectionLimit": 0}
    first = answer_picker(picking, present(picking, **several), 0, 1, 2)
    known = {r["filename"]: r["localIdentifier"] for r in first["results"]}
    given = [known[picking.pictures[n]] for n in (2, 0, 1)]
    picker = present(picking, **several, ordered=True, preselected=given)
    assert picker["ordered"] is True
    assert picker["preselected"] == identifiers(picking, 2, 0, 1), "they are selected when it opens"
    # `again` is refused for an asset that was not preselected or is not picked.
    for again in (5, 0):
        refused = picking.owner.refusal(
            "AnswerPicker",
            picker=picker["picker"],
            assets=identifiers(picking, 5, 2, 1),
            again=identifiers(picking, again),
        )
        assert refused.error == "Refused" and "preselected" in refused.parameters["message"]
    # 0 is deselected, 5 and 4 are added, 1 is deselected and selected again.
    reply = answer_picker(picking, picker, 5, 2, 4, 1, again=[1])
    assert [
        (r.get("localIdentifier") in given, r.get("item") is not None, r.get("filename")) for r in reply["results"]
    ] == [
        (True, False, None),
        (False, True, picking.pictures[5]),
        (False, True, picking.pictures[4]),
        (True, True, picking.pictures[1]),
    ]
    assert reply["results"][0]["localIdentifier"] == given[0]


def test_R82_R85_R86_a_preselected_item_may_stay_in_a_picker_for_another_media_type(picking):
    several = {"identifiers": True, "selectionLimit": 0}
    given = [r["localIdentifier"] for r in answer_picker(picking, present(picking, **several), 0, 1)["results"]]
    picker = present(picking, **several, mediaTypes=["video"], preselected=given)
    refused = picking.owner.refusal("AnswerPicker", picker=picker["picker"], assets=identifiers(picking, 0, 1, 2))
    assert refused.error == "Refused", "no other picture can be added"
    reply = answer_picker(picking, picker, 0, 1)
    assert [(r["localIdentifier"], r.get("item")) for r in reply["results"]] == [(g, None) for g in given]


def test_R80_R81_the_order_is_kept_only_on_request(picking):
    for configuration, is_ordered in (
        ({}, False),
        ({"selectionLimit": 0}, False),
        ({"selectionLimit": 0, "ordered": False}, False),
        ({"selectionLimit": 3, "ordered": True}, True),
    ):
        picker = present(picking, **configuration)
        assert picker["ordered"] is is_ordered, configuration
        assert filenames(answer_picker(picking, picker, 0)) == [picking.pictures[0]]
    # In an unordered picker the person sees no numbers, and new assets still come in picked order.
    reply = answer_picker(picking, present(picking, selectionLimit=0), 1, 4, 0)
    assert [r["filename"] for r in reply["results"]] == [picking.pictures[n] for n in (1, 4, 0)]


def test_R82_preselected_items_are_kept_under_any_options_and_count_once(picking):
    several = {"identifiers": True, "selectionLimit": 0}
    given = [r["localIdentifier"] for r in answer_picker(picking, present(picking, **several), 0, 1)["results"]]
    twice = {**several, "preselected": given * 2}
    picker = present(picking, **twice)
    assert picker["preselected"] == identifiers(picking, 0, 1)
    assert [r["localIdentifier"] for r in answer_picker(picking, picker, 0, 1)["results"]] == given
    assert [r["localIdentifier"] for r in cancel_picker(picking, present(picking, **twice))["results"]] == given
    videos = {**twice, "mediaTypes": ["video"]}
    assert [r["localIdentifier"] for r in answer_picker(picking, present(picking, **videos), 0, 1)["results"]] == given
    picker = present(picking, **videos)
    refused = picking.owner.refusal("AnswerPicker", picker=picker["picker"], assets=identifiers(picking, 0, 2))
    assert refused.error == "Refused" and "media types" in refused.parameters["message"], (
        "what is new must be of the kinds"
    )
    cancel_picker(picking, picker)


def test_R83_contradicting_options_are_refused_by_name(picking):
    for configuration, word in (
        ({"ordered": True}, "ordered"),
        ({"preselected": ["0" * 32]}, "identifiers"),
        ({"preselected": ["0" * 32], "selectionLimit": 3}, "identifiers"),
        ({"preselected": ["0" * 32], "identifiers": True}, "several"),
    ):
        refused = refusal(picking.picker, **configuration)
        assert refused.error == "PhotosError" and word in refused.parameters["message"], configuration
    for configuration in (
        {"selectionLimit": -1},
        {"selectionLimit": 1001},
        {"mediaTypes": ["text"]},
        {"mediaTypes": []},
        {"identifiers": True, "selectionLimit": 0, "preselected": ["x"]},
        {"identifiers": True, "selectionLimit": 0, "preselected": ["0" * 32] * 1001},
    ):
        assert refusal(picking.picker, **configuration).error == "InvalidParameter", configuration
    assert picking.owner.call("ListPickers")["pickers"] == []


def test_R83_preselecting_beyond_the_limit_is_refused_by_name(picking):
    several = {"identifiers": True, "selectionLimit": 0}
    given = [r["localIdentifier"] for r in answer_picker(picking, present(picking, **several), 0, 1, 2)["results"]]
    absent = ["%032x" % n for n in range(3)]
    for preselected in (given, absent, [*given[:2], absent[0]]):
        refused = refusal(picking.picker, identifiers=True, selectionLimit=2, preselected=preselected)
        assert refused.error == "PhotosError" and "selectionLimit of 2" in refused.parameters["message"], preselected
    assert picking.owner.call("ListPickers")["pickers"] == []
    full = {"identifiers": True, "selectionLimit": 2, "preselected": [*given[:2], given[0]]}
    picker = present(picking, **full)
    assert (
        picking.owner.refusal("AnswerPicker", picker=picker["picker"], assets=identifiers(picking, 0, 1, 3)).error
        == "Refused"
    )
    assert [r["localIdentifier"] for r in answer_picker(picking, picker, 0, 1)["results"]] == given[:2], (
        "named twice counts once"
    )
    reply = answer_picker(picking, present(picking, **full), 0, 3)
    assert [r.get("filename") for r in reply["results"]] == [None, picking.pictures[3]], (
        "one that is deselected makes room"
    )


def test_R89_cancelling_differs_from_picking_nothing(picking):
    several = {"identifiers": True, "selectionLimit": 0}
    given = [r["localIdentifier"] for r in answer_picker(picking, present(picking, **several), 0, 1)["results"]]
    cancelled = cancel_picker(picking, present(picking, **several, preselected=given))
    assert cancelled["cancelled"] is True
    assert [(r["localIdentifier"], r.get("item")) for r in cancelled["results"]] == [(g, None) for g in given]
    done = answer_picker(picking, present(picking, **several, preselected=given))
    assert done["cancelled"] is False and done["results"] == []
    assert cancel_picker(picking, present(picking))["results"] == []


def test_R16_R72_repeatedly_cancelled_pickers_are_delayed(picking):
    limits = picking.picker.call("GetLimits")["limits"]
    for _ in range(limits["dismissalsPerApp"]):
        assert cancel_picker(picking, present(picking))["cancelled"] is True, "by mistake, it may be; it opens again"
    refused = refusal(picking.picker)
    assert refused.error == "PhotosError" and "ask again in 1 minute" in refused.parameters["message"], (
        "when it may come again"
    )
    again = picking.broker.app(uid=picking.picker.uid)
    again.introduce("org.example.attach")
    assert refusal(again).parameters["code"] == refused.parameters["code"], "nor under another identity"
    assert picking.owner.call("ListPickers")["pickers"] == []


def test_R93_R94_picker_only_apps_are_listed_separately_until_they_have_access(picking):
    answer_picker(picking, present(picking, selectionLimit=0), 0, 1)
    cancel_picker(picking, present(picking))
    listed = picking.owner.call("ListPickerApps", library=picking.library)["apps"]
    assert [(a["app"]["identifier"], a["times"], a["assets"]) for a in listed] == [("org.example.attach", 1, 2)]
    described = picking.broker.app(uid=picking.picker.uid)
    described.introduce("org.example.both")
    answer_picker(picking, present(picking, app=described), 3, app=described)
    assert len(picking.owner.call("ListPickerApps", library=picking.library)["apps"]) == 2
    picking.limit(app=described)
    picking.owner.call("Revoke", library=picking.library, app=described.name)
    assert len(picking.owner.call("ListPickerApps", library=picking.library)["apps"]) == 1, (
        "once given access, never only picking"
    )


def test_R94_picker_only_apps_are_listed_in_pages_latest_first(picking):
    apps = [picking.picker]
    for name in ("one", "two"):
        apps.append(picking.broker.app(uid=picking.picker.uid))
        apps[-1].introduce(f"org.example.{name}")
    for app in apps:
        answer_picker(picking, present(picking, app=app), 0, app=app)
    whole = picking.owner.call("ListPickerApps", library=picking.library)
    assert [a["app"]["app"] for a in whole["apps"]] == [app.name for app in reversed(apps)] and "cursor" not in whole
    for at, entry in enumerate(whole["apps"]):
        cursor = cursor_after("PickerApp", f"{(1 << 63) - 1 - entry['last']:019} {entry['app']['app']}")
        page = picking.owner.call("ListPickerApps", library=picking.library, cursor=cursor)
        assert [a["app"]["app"] for a in page["apps"]] == [a["app"]["app"] for a in whole["apps"][at + 1 :]]


def test_R94_R146_the_latest_items_of_a_video_picker_are_videos(picking):
    videos = present(picking, mediaTypes=["video"])
    said = picking.broker.photobroker(picking.owner.uid, "picker", "answer", videos["picker"], "--last", "1").stdout
    assert "The app got 0 items" in said, "the latest is no video, and there is none"


def test_R93_picked_items_of_an_app_with_access_are_listed_while_they_can_be_loaded(picking):
    app = picking.broker.app(uid=picking.picker.uid)
    app.introduce("org.example.both")

    def told():
        return picking.owner.call("ListPickerApps", library=picking.library, app=app.name)["apps"]

    assert picking.owner.refusal("ListPickerApps", library=picking.library, app="0" * 32).error == "NotFound"
    answer_picker(picking, present(picking, app=app, selectionLimit=0), 3, 4, app=app)
    answer_picker(picking, present(picking, app=app), 3, app=app)
    assert [(one["assets"], one["loadable"]) for one in told()] == [(3, 2)] and told()[0]["until"] > told()[0]["last"]
    picking.owner.set(picking.library, app.name, "denied")
    assert [one["loadable"] for one in told()] == [2], "what was decided takes none of it back"
    picking.owner.call("Revoke", library=picking.library, app=app.name)
    assert [(one["assets"], one["loadable"], one.get("until")) for one in told()] == [(3, 0, None)]


def test_R93_an_app_with_picked_photos_stays_known_until_its_owner_removes_it(picking):
    answer_picker(picking, present(picking, selectionLimit=0), 0, 1)
    name = picking.picker.name

    def listed():
        return [a["app"]["app"] for a in picking.owner.call("ListPickerApps", library=picking.library)["apps"]]

    assert listed() == [name]
    refused = picking.broker.owner(uid=picking.picker.uid).refusal("RemoveApp", app=name)
    assert refused.error == "Refused" and "gave it photos" in refused.parameters["message"]
    assert listed() == [name] and picking.picker.status() == "notDetermined", "nothing was taken away"
    picking.owner.call("RemoveApp", app=name)
    assert listed() == []
    decision = picking.owner.call("ListDecisions", library=picking.library, limit=1)["decisions"][0]
    assert (decision["action"], decision["app"], decision["before"]) == ("remove", name, "2 picked")


@pytest.mark.library("own")
def test_R13_a_never_share_photo_cannot_be_picked_and_ends_earlier_picks(picking):
    item = answer_picker(picking, present(picking), 1)["results"][0]["item"]
    assert read_item(picking.picker, item)
    picking.owner.call(
        "MarkAssets", library=picking.library, selector={"identifiers": identifiers(picking, 1)}, neverShare=True
    )
    assert picking.picker.refusal(PICKER + "ReadItem", item=item, offset=0, length=10).reason == "identifierNotFound"
    picker = present(picking)
    hidden = picking.owner.call("FetchOwnedAssets", library=picking.library, limit=1000)["assets"]
    identifier = next(a["identifier"] for a in hidden if a["filename"] == picking.pictures[1])
    assert picking.owner.refusal("AnswerPicker", picker=picker["picker"], assets=[identifier]).error == "Refused"
    cancel_picker(picking, picker)


def test_a_revocation_ends_unloaded_items(picking):
    item = answer_picker(picking, present(picking), 0)["results"][0]["item"]
    waiting = present(picking)
    picking.owner.call("Revoke", library=picking.library, app=picking.picker.name)
    with pytest.raises(Refused) as withdrawn:
        picking.picker.hear()
    assert withdrawn.value.reason == "operationInterrupted"
    assert picking.picker.refusal(PICKER + "ReadItem", item=item, offset=0, length=10).reason == "identifierNotFound"
    assert picking.owner.refusal("AnswerPicker", picker=waiting["picker"], assets=[]).error == "NotFound"


def test_R134_a_revocations_receipt_counts_picked_items(picking):
    answer_picker(picking, present(picking), 0)
    told = picking.broker.photobroker(
        picking.owner.uid, "grant", "revoke", "--app", picking.picker.name, "--yes"
    ).stdout
    assert told.startswith("Stopped.") and "1 picked asset can no longer be loaded." in told
    again = picking.broker.photobroker(
        picking.owner.uid, "grant", "revoke", "--app", picking.picker.name, "--yes"
    ).stdout
    assert again.startswith("Nothing was revoked") and "picked" not in again


def test_a_pause_and_a_withdrawn_offer_end_unloaded_items(picking):
    def pick():
        return answer_picker(picking, present(picking), 1)["results"][0]["item"]

    def refused(item):
        return picking.picker.refusal(PICKER + "ReadItem", item=item, offset=0, length=10).reason

    item = pick()
    picking.owner.call("PauseGrant", library=picking.library, paused=True)
    assert refused(item) == "identifierNotFound"
    picking.owner.call("PauseGrant", library=picking.library, paused=False)
    item = pick()
    picking.owner.call("OfferLibrary", name=picking.library, offeredTo=[])
    assert refused(item) == "identifierNotFound"


def test_R139_picks_are_in_the_ledger_and_among_the_decisions(picking):
    item = answer_picker(picking, present(picking), 4)["results"][0]["item"]
    size = len(read_item(picking.picker, item))
    entries = picking.owner.call("ReadLedger", library=picking.library, app=picking.picker.name)["entries"]
    assert {(e["asset"], e["rendition"]) for e in entries} == {
        (identifiers(picking, 4)[0], "metadata"),
        (identifiers(picking, 4)[0], "original"),
    }
    assert sum(e["bytes"] for e in entries) == size
    decisions = picking.owner.call("ListDecisions", library=picking.library)["decisions"]
    assert ("pick", "1 picked", "prompt") in {(d["action"], d["after"], d["source"]) for d in decisions}


def test_R126_R127_only_owners_answer_pickers_and_apps_need_an_introduction(picking):
    picker = present(picking)
    stranger = picking.broker.owner()
    assert stranger.call("ListPickers")["pickers"] == []
    assert stranger.refusal("AnswerPicker", picker=picker["picker"], assets=[]).error == "NotFound"
    cancel_picker(picking, picker)
    outsider = picking.broker.app()
    outsider.introduce("org.example.attach")
    assert refusal(outsider).reason == "identifierNotFound", "no library is offered to that user"
    unknown = picking.broker.app(uid=picking.picker.uid)
    assert refusal(unknown).error == "TokenRequired"


def open_second_picker(agent):
    with Connection(agent.path, timeout=30) as connection:
        for token in agent.tokens:
            connection.call("io.photobroker.Library.Attach", token=token)
        connection.send("io.photobroker.Picker.Present", {})
        with Connection(agent.path, timeout=30) as another:
            for token in agent.tokens:
                another.call("io.photobroker.Library.Attach", token=token)
            try:
                another.call("io.photobroker.Picker.Present")
            except VarlinkError as error:
                return error.parameters["reason"]


def test_a_second_picker_of_one_process_is_refused_and_closing_withdraws_the_first(picking):
    assert picking.picker.run(open_second_picker) == "limitExceeded"
    wait_for(
        lambda: picking.owner.call("ListPickers")["pickers"] == [], "the picker to be withdrawn with its connection"
    )


def test_R22_R147_the_command_line_answers_a_picker(picking):
    def photobroker(*words):
        return picking.broker.photobroker(picking.owner.uid, *words).stdout

    picker = present(picking, selectionLimit=2)
    listed = photobroker("picker", "list")
    assert picker["picker"] in listed and "at most 2" in listed and "org.example.attach" in listed
    assert "2 items" in photobroker("picker", "answer", picker["picker"], "--last", "2")
    assert filenames(picking.picker.hear()) == picking.newest_first[:2]
    picker = present(picking)
    photobroker("picker", "decline", picker["picker"])
    assert picking.picker.hear()["cancelled"] is True
    assert "org.example.attach" in photobroker("picker", "apps", picking.library)


def test_picker_apps_survive_a_restart(own_scene):
    scene = own_scene
    app = scene.picker = scene.broker.app(uid=scene.app.uid)
    app.introduce("org.example.attach")
    answer_picker(scene, present(scene), 0)
    scene.broker.restart()
    listed = scene.owner.call("ListPickerApps", library=scene.library)["apps"]
    assert [(a["app"]["identifier"], a["times"], a["assets"]) for a in listed] == [("org.example.attach", 1, 1)]


@pytest.mark.library("own")
def test_R74_R87_an_item_is_loaded_in_the_picked_version_only(picking):
    first, second = (r["item"] for r in answer_picker(picking, present(picking, selectionLimit=0), 1, 2)["results"])
    path = picking.album.folder / picking.pictures[1]
    picking.owner.call("MarkAssets", library=picking.library, selector={"filename": path.name}, favorite=True)
    moved = path.with_name("elsewhere.jpg")
    path.rename(moved)
    wait_for(lambda: "elsewhere.jpg" in picking.owner.names(picking.library), "the new name")
    assert read_item(picking.picker, first) == moved.read_bytes(), "neither a mark nor a new name is another photo"
    picking.album.put("elsewhere.jpg", jpeg(day(1), note=b"painted over", width=80), day(9).timestamp())
    new = {"filename": "elsewhere.jpg"}
    wait_for(lambda: picking.owner.assets(picking.library, selector=new)[0]["pixelWidth"] == 80, "the new version")
    refused = picking.picker.refusal(PICKER + "ReadItem", item=first, offset=0, length=10)
    assert refused.reason == "missingResource" and "open the picker again" in refused.parameters["message"]
    assert picking.picker.refusal(PICKER + "LoadItem", item=first).reason == "missingResource"
    assert read_item(picking.picker, second), "the others stay"


def test_R74_an_item_can_be_loaded_until_it_expires(house):
    sandbox = Sandbox(house).start()
    try:
        scene = Scene(sandbox, 2)
        scene.picker = scene.app
        reply = answer_picker(scene, present(scene), 1)
        lifetime = scene.app.call("GetLimits")["limits"]["pickLifetimeSeconds"]
        assert reply["expires"] == scene.owner.call(SANDBOX + "GetClock")["now"] + lifetime * 1_000_000
        item = reply["results"][0]["item"]
        scene.owner.call(SANDBOX + "AdvanceClock", microseconds=lifetime * 1_000_000 - 1)
        assert read_item(scene.app, item)
        scene.owner.call(SANDBOX + "AdvanceClock", microseconds=1)
        refused = scene.app.refusal(PICKER + "ReadItem", item=item, offset=0, length=10)
        assert refused.reason == "identifierNotFound" and "expired" in refused.parameters["message"]
        assert cancel_picker(scene, present(scene)).get("expires") is None, "there is nothing to load"
    finally:
        sandbox.end()
