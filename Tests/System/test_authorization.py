import time

import pytest

from house.interfaces import Interface
from house.person import Refused, wait_for

pytestmark = pytest.mark.library("shared")


def test_R2_the_two_levels_are_decided_separately(scene):
    scene.owner.set(scene.library, scene.app.name, "authorized", level="addOnly")
    assert scene.app.status("addOnly") == "authorized"
    assert scene.app.status("readWrite") == "notDetermined"
    scene.owner.set(scene.library, scene.app.name, "denied", level="readWrite")
    assert scene.app.status("addOnly") == "authorized"
    assert scene.app.status("readWrite") == "denied"


def test_R2_each_level_has_a_prompt_of_its_own(scene):
    scene.take_additions()
    other = scene.broker.app(uid=scene.app.uid)
    other.own_token = scene.app.own_token
    other.use(other.own_token)
    scene.app.begin_request("readWrite")
    other.begin_request("addOnly")
    prompts = wait_for(lambda: len(found := scene.owner.prompts()) == 2 and found, "a prompt for each")
    by_level = {p["level"]: p for p in prompts}
    assert set(by_level["addOnly"]["answers"]) == {"allow", "deny"}
    assert set(by_level["readWrite"]["answers"]) == {"select", "allow", "deny"}
    scene.owner.answer(by_level["addOnly"], "allow")
    assert other.hear_request() == "authorized"
    assert [p["level"] for p in scene.owner.prompts()] == ["readWrite"], "the other question waits on"
    assert other.status("readWrite") == "notDetermined"
    scene.owner.answer(by_level["readWrite"], "deny")
    assert scene.app.hear_request() == "denied" and scene.app.status("addOnly") == "authorized"


def test_R28_an_answer_applies_only_to_the_words_that_were_shown(scene):
    scene.app.begin_request()
    read = scene.owner.wait_for_prompt()
    same = scene.broker.app(uid=scene.app.uid)
    same.use(scene.app.own_token)
    words = {"NSPhotoLibraryUsageDescription": "Uploads everything.", "name": "Bank"}
    same.introduce(read["app"]["identifier"], **words)
    refused = scene.owner.refusal("AnswerPrompt", prompt=read["prompt"], answer="allow")
    assert refused.error == "Refused" and refused.parameters["reason"]["code"] == "wordsChanged"
    assert same.status() == "notDetermined", "nothing was decided"
    [shown] = scene.owner.prompts()
    assert shown["prompt"] != read["prompt"] and shown["asked"] == read["asked"]
    assert (shown["app"]["displayName"], shown["usageDescription"]) == ("Bank", words["NSPhotoLibraryUsageDescription"])
    scene.owner.answer(shown, "deny")
    assert scene.app.hear_request() == "denied", "who waited hears the answer to what was read"


def test_R3_every_status_has_its_name_and_number(scene):
    numbers = {"notDetermined": 0, "denied": 2, "authorized": 3, "limited": 4}
    for status, number in numbers.items():
        if status != "notDetermined":
            scene.owner.set(scene.library, scene.app.name, status)
        assert scene.app.call("GetAuthorizationStatus", level="readWrite") == {"status": status, "code": number}
    scene.broker.owner(uid=0).set(scene.library, scene.app.name, "restricted")
    assert scene.app.call("GetAuthorizationStatus", level="readWrite") == {"status": "restricted", "code": 1}


def test_R4_restricted_comes_from_an_administrator_and_denied_from_the_owner(scene):
    scene.allow()
    refused = scene.owner.refusal(
        "SetGrant", library=scene.library, app=scene.app.name, level="readWrite", status="restricted"
    )
    assert refused.error == "Refused"
    root = scene.broker.owner(uid=0)
    refused = root.refusal("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", status="denied")
    assert refused.error == "NotPermitted"
    root.set(scene.library, scene.app.name, "restricted")
    assert scene.app.status() == "restricted"
    assert scene.app.is_refused().parameters["code"] == 3310


@pytest.mark.library("own")
@pytest.mark.parametrize("far", [253_402_300_800_000_000, -62_135_596_800_000_001, 2**63 - 1])
def test_stored_dates_are_within_the_years_1_to_9999(scene, far):
    scene.limit(0)
    place = {"library": scene.library, "app": scene.app.name, "level": "readWrite"}
    rule = {"library": scene.library, "name": "far", "uid": scene.app.uid, "level": "readWrite", "answer": "select"}
    refused = [
        scene.owner.refusal("SetGrant", **place, status="authorized", expires=far),
        scene.owner.refusal("Apply", grants=[{**place, "status": "authorized", "expires": far}]),
        scene.owner.refusal("Apply", rules=[{**rule, "select": [{"createdFrom": far}]}]),
        scene.owner.refusal("Apply", rules=[{**rule, "select": [{"createdBefore": far}]}]),
    ]
    assert [(r.error, r.parameters["parameter"]) for r in refused] == [
        ("InvalidParameter", name)
        for name in ("expires", "grants[0].expires", "rules.select.createdFrom", "rules.select.createdBefore")
    ]
    assert scene.app.status() == "limited"
    near = min(max(far, -62_135_596_800_000_000), 253_402_300_799_999_999)
    scene.owner.call("Apply", rules=[{**rule, "select": [{"createdFrom": near}]}])
    scene.owner.set(scene.library, scene.app.name, "authorized", expires=253_402_300_799_999_999)


def ends_soon(scene, who, **others):
    end = int((time.time() + 1.5) * 1_000_000)
    who.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", expires=end, **others)


@pytest.mark.parametrize(
    "setter, status, code", [("owner", "notDetermined", 3311), ("administrator", "restricted", 3310)]
)
def test_R4_an_ended_or_paused_grant_shows_the_status_of_its_author(own_scene, setter, status, code):
    scene = own_scene
    scene.limit(0)
    root = scene.broker.owner(uid=0)
    by, other = (scene.owner, root) if setter == "owner" else (root, scene.owner)
    place = {"library": scene.library, "app": scene.app.name}

    def edit(who):
        if who is root:
            root.call("SetGrant", **place, level="readWrite", albumPolicy="none")
        else:
            scene.select(1)

    by.call("PauseGrant", **place, paused=True)
    edit(other)
    assert scene.app.is_refused().parameters["code"] == code
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 6)
    scene.app.new_connection()
    assert scene.app.is_refused().parameters["code"] == code
    # Undoing the resume restores the first user's pause.
    scene.owner.call("PauseGrant", **place, paused=False)
    resumed = scene.owner.call("ListDecisions", library=scene.library)["decisions"][0]["decision"]
    assert scene.app.count() > 0
    scene.owner.call("UndoDecision", decision=resumed)
    assert scene.app.is_refused().parameters["code"] == code
    scene.owner.call("PauseGrant", **place, paused=False)
    ends_soon(scene, by)
    edit(other)
    assert scene.app.count() > 0
    wait_for(lambda: scene.app.status() == status, "the end")
    # After an owner's end a call would ask a person.
    assert setter == "owner" or scene.app.is_refused().parameters["code"] == code
    # The end of the grant ends its token.
    scene.app.use(scene.app.own_token)
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 6)
    scene.app.new_connection()
    assert scene.app.status() == status
    ended = wait_for(
        lambda: [
            d for d in scene.owner.call("ListDecisions", library=scene.library)["decisions"] if d["source"] == "expiry"
        ],
        "its entry",
    )[0]
    assert (ended["action"], ended["role"], ended["after"]) == ("expire", setter, status)


def test_R4_an_old_token_never_becomes_valid_again(scene):
    scene.allow()
    old = scene.app.token
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    scene.owner.set(scene.library, scene.app.name, "notDetermined")
    assert scene.app.status() == "notDetermined"
    scene.owner.set(scene.library, scene.app.name, "authorized")
    scene.app.use()
    scene.app.new_connection()
    assert scene.app.refusal("Attach", token=old).error == "TokenRefused"
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    assert scene.app.request() == "authorized"
    assert scene.app.token != old
    assert scene.app.count() == len(scene.pictures)


def test_R4_limited_to_full_to_limited_keeps_the_selection(scene):
    scene.limit(1, 4)
    scene.owner.set(scene.library, scene.app.name, "authorized")
    assert scene.app.count() == len(scene.pictures)
    scene.owner.set(scene.library, scene.app.name, "limited")
    assert set(scene.app.names()) == {scene.pictures[1], scene.pictures[4]}


def test_R7_reading_the_status_prompts_nobody(scene):
    for _ in range(5):
        assert scene.app.status("readWrite") == "notDetermined"
        assert scene.app.status("addOnly") == "notDetermined"
    assert scene.owner.prompts() == []
    assert scene.owner.call("ListGrants", library=scene.library)["grants"] == []


def test_R9_limited_access_does_not_exist_for_addOnly(scene):
    scene.take_additions()
    refused = scene.owner.refusal(
        "SetGrant", library=scene.library, app=scene.app.name, level="addOnly", status="limited"
    )
    assert refused.error == "Refused"
    scene.app.refusal("RequestAuthorization", level="addOnly", wait=False)
    prompt = scene.owner.wait_for_prompt()
    refused = scene.owner.refusal("AnswerPrompt", prompt=prompt["prompt"], answer="select", selector={"all": True})
    assert refused.error == "Refused" and "allow, deny" in refused.parameters["message"]
    rule = {"library": scene.library, "name": "part", "uid": scene.app.uid, "level": "addOnly", "answer": "select"}
    assert scene.owner.refusal("Apply", rules=[rule]).error == "Refused"
    assert scene.app.status("addOnly") == "notDetermined"


def test_R12_nothing_is_accessible_without_a_decision(scene):
    assets = scene.owner.assets(scene.library)
    scene.app.begin("FetchAssets")
    wait_for(scene.owner.prompts, "the prompt that the first fetch causes (R19)")
    assert not scene.app.has_answered()
    scene.owner.answer(scene.owner.prompts()[0], "deny")
    with pytest.raises(Refused) as refused:
        scene.app.hear()
    assert refused.value.parameters["code"] == 3311
    for asset in assets[:2]:
        assert scene.app.refusal("OpenResource", asset=asset["identifier"]).parameters["code"] == 3311
    needless = {
        "Introduce",
        "Attach",
        "ListLibraries",
        "GetAuthorizationStatus",
        "RequestAuthorization",
        "LevelUnawareAuthorizationStatus",
        "LevelUnawareRequestAuthorization",
        "DescribeAccess",
        "GetLimits",
        "PresentLimitedLibraryPicker",
    }
    # Adding methods need the other level, on which no decision exists.
    needless |= {"AddAsset", "BeginUpload", "AppendUpload"}
    some = {
        "asset": assets[0]["identifier"],
        "offset": 0,
        "length": 1,
        "maxPixels": 64,
        "localIdentifiers": [],
        "cloudIdentifiers": [],
        "changes": [{"kind": "createAlbum", "text": "x"}],
        "name": "helper",
    }
    streams = {"ObserveChanges", "StreamResource"}
    methods = Interface.of(scene.app, "io.photobroker.Library").methods
    assert needless | streams < set(methods)
    for method, parameters in methods.items():
        given = {name: some[name] for name in parameters if name in some}
        if method in streams:
            with pytest.raises(Refused) as refused:
                scene.app.watch(method, method, **given)
            assert refused.value.parameters["code"] == 3311, method
        elif method not in needless:
            assert scene.app.refusal(method, **given).parameters["code"] == 3311, method


@pytest.mark.library("own")
def test_R13_full_access_excludes_hidden_and_never_share_photos(scene):
    hidden, never = scene.pictures[0], scene.pictures[1]
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": hidden}, hidden=True)
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": never}, neverShare=True)
    scene.allow()
    assert set(scene.app.names()) == set(scene.pictures) - {hidden, never}
    assert scene.app.count() == len(scene.pictures) - 2
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": hidden}, hidden=False)
    assert hidden in scene.app.names()


@pytest.mark.library("own")
def test_R13_never_share_overrides_a_selection_and_is_not_offered_for_one(scene):
    scene.limit(0, 1, 2)
    never = scene.pictures[1]
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": never}, neverShare=True)
    assert set(scene.app.names()) == {scene.pictures[0], scene.pictures[2]}
    offered = scene.owner.call(
        "EditSelection", library=scene.library, app=scene.app.name, add={"all": True}, preview=True
    )
    assert never not in [a["filename"] for a in offered["sample"]]
    scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, add={"all": True})
    assert set(scene.app.names()) == set(scene.pictures) - {never}


@pytest.mark.library("own")
def test_R14_full_access_reads_and_writes(scene):
    scene.allow()
    asset = scene.app.named(scene.pictures[2])
    assert asset["isFavorite"] is False
    scene.app.call(
        "PerformChanges", changes=[{"kind": "setFavorite", "assets": [asset["localIdentifier"]], "favorite": True}]
    )
    assert scene.app.named(scene.pictures[2])["isFavorite"] is True
    assert scene.app.names(favorite=True) == [scene.pictures[2]]


@pytest.mark.parametrize("answer, status", [("allow", "authorized"), ("select", "limited"), ("deny", "denied")])
def test_R15_R21_a_request_returns_the_persons_choice(scene, answer, status):
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()
    assert set(prompt["answers"]) == {"allow", "select", "deny"}
    assert prompt["usageDescription"] == "Shows the photos that you choose."
    assert not scene.app.has_answered()
    selector = {"selector": {"filename": scene.pictures[3]}} if answer == "select" else {}
    grant = scene.owner.answer(prompt, answer, **selector)["grant"]
    assert grant["status"] == status
    assert scene.app.hear_request() == status
    if answer == "select":
        assert scene.app.names() == [scene.pictures[3]], "R22: the selection page's outcome is limited"
    if answer == "allow":
        assert scene.app.count() == len(scene.pictures)


@pytest.mark.parametrize("choice", [["--name", "no-such-file.jpg"], ["--last", "0"], []])
def test_R21_an_answer_whose_choice_matches_nothing_is_refused(scene, choice):
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    refused = scene.broker.photobroker(
        scene.owner.uid, "request", "answer", prompt, "select", *choice, "--yes", expect=None
    )
    assert refused.returncode == (65 if choice else 64) and "--none" in refused.stderr
    assert [p["prompt"] for p in scene.owner.prompts()] == [prompt]
    assert not scene.app.has_answered()
    scene.broker.photobroker(scene.owner.uid, "request", "answer", prompt, "select", "--none", "--yes")
    assert scene.app.hear_request() == "limited"
    assert scene.app.names() == []


def test_R21_the_addOnly_prompt_has_two_answers(scene):
    scene.take_additions()
    scene.app.begin_request("addOnly")
    prompt = scene.owner.wait_for_prompt()
    assert set(prompt["answers"]) == {"allow", "deny"}
    assert prompt["level"] == "addOnly"
    assert prompt["usageDescription"] == "Saves pictures of its own."
    scene.owner.answer(prompt, "allow")
    assert scene.app.hear_request() == "authorized"


def test_R16_a_decided_request_prompts_nobody(scene):
    scene.owner.set(scene.library, scene.app.name, "denied")
    assert scene.app.request() == "denied"
    assert scene.owner.prompts() == []
    scene.owner.set(scene.library, scene.app.name, "authorized")
    assert scene.app.request() == "authorized"
    assert scene.owner.prompts() == []


def test_R16_a_request_that_does_not_wait_reports_a_pending_prompt(scene):
    refused = scene.app.refusal("RequestAuthorization", level="readWrite", wait=False)
    assert refused.error == "PromptPending"
    assert len(scene.owner.prompts()) == 1
    assert scene.app.refusal("RequestAuthorization", level="readWrite", wait=False).error == "PromptPending"
    assert len(scene.owner.prompts()) == 1, "one question, however often it is asked"


def test_R17_an_answer_survives_restarts_of_app_and_broker(own_scene):
    scene = own_scene
    scene.app.begin_request()
    scene.owner.answer(scene.owner.wait_for_prompt(), "select", selector={"filename": scene.pictures[0]})
    assert scene.app.hear_request() == "limited"
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, len(scene.pictures))
    assert scene.app.request() == "limited"
    assert scene.app.names() == [scene.pictures[0]]
    assert scene.owner.prompts() == []


def test_R18_a_change_in_settings_reaches_a_running_app(scene):
    scene.limit(0)
    scene.app.observe()
    scene.owner.set(scene.library, scene.app.name, "authorized")
    wait_for(lambda: any(e["status"] == "authorized" for e in scene.app.events()), "the app to be told")
    scene.owner.set(scene.library, scene.app.name, "denied")
    wait_for(lambda: scene.app.end_of("observer"), "the observer's end")
    assert scene.app.status() == "denied"


def test_R19_a_waiting_call_blocks_no_other_connection(scene):
    neighbour = scene.broker.app(uid=scene.app.uid)
    neighbour.introduce("org.example.neighbour")
    scene.owner.set(scene.library, neighbour.name, "authorized")
    neighbour.request()
    scene.app.begin("FetchAssets")
    wait_for(scene.owner.prompts, "the prompt")
    for _ in range(20):
        assert neighbour.count() == len(scene.pictures)
    assert not scene.app.has_answered()
    scene.owner.answer(scene.owner.prompts()[0], "allow")
    assert len(scene.app.hear()["assets"]) == len(scene.pictures)


def test_R31_a_level_without_a_reason_fails_and_prompts_nobody(make_scene):
    scene = make_scene(1, introduce=False)
    scene.app.introduce(NSPhotoLibraryUsageDescription="  ", NSPhotoLibraryAddUsageDescription=None)
    assert scene.app.status() == "notDetermined"
    refused = scene.app.refusal("RequestAuthorization", level="readWrite")
    assert (refused.error, refused.parameters["key"]) == ("UsageDescriptionMissing", "NSPhotoLibraryUsageDescription")
    scene.app.new_connection()
    refused = scene.app.refusal("RequestAuthorization", level="addOnly")
    assert (refused.error, refused.parameters["key"]) == (
        "UsageDescriptionMissing",
        "NSPhotoLibraryAddUsageDescription",
    )
    assert scene.owner.prompts() == []


def test_R35_a_level_unaware_app_reads_authorized_and_sees_the_selection(scene):
    scene.limit(2)
    assert scene.app.call("LevelUnawareAuthorizationStatus") == {"status": "authorized", "code": 3}
    assert scene.app.names() == [scene.pictures[2]]
    scene.owner.set(scene.library, scene.app.name, "denied")
    assert scene.app.call("LevelUnawareAuthorizationStatus") == {"status": "denied", "code": 2}


# One mistake for each method that may ask a person, and the parameter that the error names.
MISTAKES = [
    ("FetchAssets", {"limit": 0}, "limit"),
    ("FetchAssets", {"options": {"sort": "colour"}}, "options.sort"),
    ("FetchAssets", {"options": {"mediaTypes": ["smell"]}}, "options.mediaTypes"),
    ("FetchVersions", {"limit": 0}, "limit"),
    ("CountAssets", {"options": {"smartAlbum": "best"}}, "options.smartAlbum"),
    ("FetchAlbums", {"nonsense": 1}, None),
    ("GetResources", {"asset": 7}, "asset"),
    ("OpenResource", {"asset": "0" * 32, "role": "negative"}, "role"),
    ("ReadBytes", {"asset": "0" * 32, "offset": -1, "length": 1}, "offset"),
    ("ReadBytes", {"asset": "0" * 32, "offset": 0, "length": 0}, "length"),
    ("GetThumbnail", {"asset": "0" * 32, "maxPixels": 1}, "maxPixels"),
    ("PerformChanges", {"changes": []}, "changes"),
    ("PerformChanges", {"changes": [{"kind": "paint"}]}, "changes[0].kind"),
    ("GetCloudIdentifiers", {}, "localIdentifiers"),
    ("GetLocalIdentifiers", {"cloudIdentifiers": ["x"] * 1_001}, "cloudIdentifiers"),
    ("FetchPersistentChanges", {"since": 7}, "since"),
    ("AddAsset", {"filename": ".hidden", "contents": "AAAA"}, "filename"),
    ("AddAsset", {"filename": "a.jpg"}, "contents"),
    ("AddAsset", {"filename": "a.jpg", "contents": "%"}, "contents"),
    ("AppendUpload", {"upload": "x", "data": "%"}, "data"),
]


@pytest.mark.parametrize("method, parameters, field", MISTAKES)
def test_R19_a_mistaken_call_prompts_nobody(scene, method, parameters, field):
    scene.app.begin(method, **parameters)
    with pytest.raises(Refused) as refused:
        scene.app.hear(10)
    assert refused.value.error == "InvalidParameter" and field in (None, refused.value.parameters["parameter"])
    assert scene.owner.prompts() == []


@pytest.mark.library("own")
def test_R21_the_latest_drafts_of_an_answer_are_kept_per_author(scene):
    limit = scene.app.call("GetLimits")["limits"]["selectionDrafts"]
    scene.app.begin_request()
    prompt = scene.owner.wait_for_prompt()["prompt"]
    partner = scene.broker.owner()
    scene.owner.call("DelegateLibrary", name=scene.library, coOwners=[partner.uid])
    scene.broker.accept(partner.uid, scene.library)

    def draft(*pictures, by=scene.owner, **more):
        return by.call("DraftAnswer", prompt=prompt, selector=scene.owner.naming(scene.library, pictures), **more)

    first = draft(scene.pictures[0])
    others = [draft(scene.pictures[1]) for _ in range(limit - 1)]
    both = draft(scene.pictures[2], draft=first["draft"])
    assert (both["draft"], both["drafted"]) == (first["draft"], 2), "windows do not mix"
    with pytest.raises(Refused) as refused:
        draft(scene.pictures[3], by=partner, draft=first["draft"])
    assert refused.value.error == "NotFound", "another owner's draft is none of theirs"
    draft(scene.pictures[3])
    gone = scene.owner.refusal("AnswerPrompt", prompt=prompt, answer="select", draft=first["draft"])
    assert gone.error == "NotFound" and "DraftAnswer" in gone.parameters["message"]
    scene.owner.call("AnswerPrompt", prompt=prompt, answer="select", draft=others[0]["draft"])
    assert scene.app.hear_request() == "limited"
    assert scene.app.names() == [scene.pictures[1]]
