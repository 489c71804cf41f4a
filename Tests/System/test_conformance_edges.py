"""Edge cases of requirements whose main cases other files test."""

import hashlib
import os
import signal
import time

import pytest
from pymacaroons import Macaroon

from house.app import USAGE
from house.hostile import valid_value
from house.interfaces import Interface
from house.person import PICKER, Refused, children, storage_processes, wait_for
from house.pickers import present
from house.pictures import day, jpeg
from house.scene import Scene

pytestmark = pytest.mark.library("shared")

ABSENT = "%032x" % 7
AUTOMATIC = "PHPhotoLibraryPreventAutomaticLimitedAccessAlert"


# R13


@pytest.mark.library("own")
@pytest.mark.parametrize("status", ["authorized", "limited"])
def test_R13_never_share_overrides_every_grant_by_every_route_at_once(scene, status):
    if status == "limited":
        scene.limit(0, 1, 2)
    else:
        scene.allow()
    never = scene.app.named(scene.pictures[1])
    asset = never["localIdentifier"]
    album = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Trip"}])["createdAlbums"][0]
    scene.app.call("PerformChanges", changes=[{"kind": "addToAlbum", "album": album, "assets": [asset]}])
    cloud = wait_for(
        lambda: scene.app.call("GetCloudIdentifiers", localIdentifiers=[asset])["mappings"][0].get("cloudIdentifier"),
        "its name",
    )
    token = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    scene.app.observe()
    scene.mark(1, neverShare=True)
    absent = {"reason": "identifierNotFound", "code": 3201}
    for method, parameters in [
        ("GetResources", {}),
        ("GetDetails", {}),
        ("OpenResource", {}),
        ("ReadBytes", {"offset": 0, "length": 10}),
        ("GetThumbnail", {"maxPixels": 16}),
    ]:
        refused = scene.app.refusal(method, asset=asset, **parameters)
        unknown = scene.app.refusal(method, asset=ABSENT, **parameters)
        assert refused.parameters == unknown.parameters and absent.items() <= refused.parameters.items(), method
    for step in (
        {"kind": "setFavorite", "favorite": True},
        {"kind": "delete"},
        {"kind": "removeFromAlbum", "album": album},
    ):
        assert (
            scene.app.refusal("PerformChanges", changes=[{**step, "assets": [asset]}]).reason == "identifierNotFound"
        ), step
    assert scene.app.names(identifiers=[asset]) == scene.app.names(album=album) == []
    assert scene.app.call("FetchAlbums")["albums"][0]["count"] == 0
    assert asset not in scene.app.call("FetchVersions")["localIdentifiers"]
    assert never["filename"] not in scene.app.names(smartAlbum="recentlyAdded") + scene.app.names(
        text=never["filename"]
    )
    assert (
        scene.app.call("GetLocalIdentifiers", cloudIdentifiers=[cloud])["mappings"][0]["reason"] == "identifierNotFound"
    )
    assert scene.app.call("FetchPersistentChanges", since=token)["event"]["removed"] == [asset]
    wait_for(scene.app.events, "the event")
    assert scene.app.events()[0]["removed"] == [asset]
    # A selector that names it does not select it either.
    identifier = scene.owner.identifier(scene.library, never["filename"])
    if status == "limited":
        edit = scene.owner.call(
            "EditSelection", library=scene.library, app=scene.app.name, add={"identifiers": [identifier]}
        )
        assert edit["added"] == 0
    # Without the mark it is visible as before.
    scene.mark(1, neverShare=False)
    if status == "authorized":
        assert scene.app.named(never["filename"])["localIdentifier"] == asset


@pytest.mark.library("own")
def test_R13_only_the_owner_edits_hidden_and_never_share(scene):
    scene.allow()
    asset = scene.app.fetch()[0]["localIdentifier"]
    for kind in ("setHidden", "setNeverShare", "hide", "neverShare"):
        refused = scene.app.refusal("PerformChanges", changes=[{"kind": kind, "assets": [asset]}])
        assert (refused.error, refused.parameters["parameter"]) == ("InvalidParameter", "changes[0].kind")
    for field in ("hidden", "isHidden", "neverShare"):
        refused = scene.app.refusal(
            "PerformChanges", changes=[{"kind": "setFavorite", "assets": [asset], "favorite": True, field: True}]
        )
        assert refused.error == "InvalidParameter", "there is no such field"
    assert not {"hidden", "isHidden", "neverShare"} & set(scene.app.fetch()[0]), "nor is an app told of the marks"
    for option, name in (("--hidden", scene.pictures[0]), ("--never-share", scene.pictures[1])):
        scene.broker.photobroker(scene.owner.uid, "asset", "mark", scene.library, "--name", name, option, "--yes")
        assert name not in scene.app.names()
    scene.broker.photobroker(
        scene.owner.uid, "asset", "mark", scene.library, "--name", scene.pictures[2], "--favorite", "--yes"
    )
    assert scene.app.names(favorite=True) == [scene.pictures[2]]


# R19, R21, R31

OPERATIONS = [
    ("FetchAssets", {}),
    ("FetchVersions", {}),
    ("CountAssets", {}),
    ("FetchAlbums", {}),
    ("FetchPersistentChanges", {}),
    ("GetResources", {"asset": ABSENT}),
    ("PerformChanges", {"changes": [{"kind": "createAlbum", "text": "x"}]}),
    ("GetCloudIdentifiers", {"localIdentifiers": []}),
    ("AddAsset", {"filename": "a.jpg", "contents": "AAAA"}),
]


@pytest.mark.parametrize("method, parameters", OPERATIONS, ids=[m for m, _ in OPERATIONS])
def test_R19_the_first_operation_prompts_by_itself_and_blocks_no_other_connection(scene, method, parameters):
    scene.take_additions()
    scene.app.begin(method, **parameters)
    prompt = scene.owner.wait_for_prompt()
    level = "addOnly" if method == "AddAsset" else "readWrite"
    assert (prompt["level"], prompt["usageDescription"]) == (
        level,
        USAGE["NSPhotoLibraryAddUsageDescription" if level == "addOnly" else "NSPhotoLibraryUsageDescription"],
    )
    second = scene.broker.app(uid=scene.app.uid)
    second.use(scene.app.own_token)
    assert second.status(level) == "notDetermined" and second.call("GetLimits")["limits"], "its other connections go on"
    assert not scene.app.has_answered() and len(scene.owner.prompts()) == 1
    scene.owner.answer(prompt, "deny")
    with pytest.raises(Refused) as refused:
        scene.app.hear()
    assert refused.value.parameters["code"] == 3311 and scene.owner.prompts() == []


def test_R21_an_add_only_prompt_offers_no_selection(scene):
    scene.take_additions()
    scene.app.begin_request("addOnly")
    prompt = scene.owner.wait_for_prompt()
    refused = scene.owner.refusal("AnswerPrompt", prompt=prompt["prompt"], answer="select", selector={"all": True})
    assert refused.error in ("Refused", "InvalidParameter") and not scene.app.has_answered()
    scene.owner.answer(prompt, "deny")
    assert scene.app.hear_request() == "denied"


# Methods that work without a usage description (R31). Any other closes the connection.
UNDESCRIBED = {
    "Introduce",
    "Attach",
    "ListLibraries",
    "GetAuthorizationStatus",
    "LevelUnawareAuthorizationStatus",
    "DescribeAccess",
    "GetLimits",
}


@pytest.mark.parametrize("granted", [False, True])
def test_R25_R31_access_without_a_reason_fails_closes_and_is_recorded(make_scene, granted):
    scene = make_scene(2, introduce=False)
    scene.app.introduce(NSPhotoLibraryUsageDescription=None, NSPhotoLibraryAddUsageDescription=None)
    if granted:
        for level in ("readWrite", "addOnly"):
            scene.owner.set(
                scene.library, scene.app.name, "limited" if level == "readWrite" else "authorized", level=level
            )
    interface = Interface.of(scene.app, "io.photobroker.Library")
    own = {
        "level": "readWrite",
        "changes": [{"kind": "createAlbum", "text": "x"}],
        "asset": ABSENT,
        "filename": "a.jpg",
        "contents": "AAAA",
        "maxPixels": 16,
        "length": 1,
        "wait": False,
        "library": None,
        "localIdentifiers": [],
        "cloudIdentifiers": [],
    }
    refused = set()
    for method, fields in interface.methods.items():
        # Without limited access there is no selection to change, which is another error (R65).
        if method in UNDESCRIBED or method == "PresentLimitedLibraryPicker" and not granted:
            continue
        # An upload gives no access by itself; AddAsset does.
        parameters = {n: own.get(n, valid_value(k, interface.types)) for n, k in fields.items()}
        parameters = {n: v for n, v in parameters.items() if v is not None}
        if method in ("ObserveChanges", "StreamResource"):
            with pytest.raises(Refused) as found:
                scene.app.watch(method, method, **parameters)
            error = found.value
        else:
            error = scene.app.refusal(method, **parameters)
        assert error.error == "UsageDescriptionMissing", (method, error)
        assert error.parameters["key"] in USAGE and error.parameters["message"], method
        if method not in ("ObserveChanges", "StreamResource"):
            with pytest.raises(Exception):
                scene.app.call("GetLimits")
            scene.app.new_connection()
        refused.add(method)
    assert len(refused) > 12 and scene.owner.prompts() == []
    told = [
        d
        for d in scene.owner.call("ListDecisions", library=scene.library, limit=1000)["decisions"]
        if d["role"] == "app"
    ]
    assert told and all(d["source"] == "app" for d in told)
    for level in ("readWrite", "addOnly"):
        scene.app.call("GetAuthorizationStatus", level=level)
        scene.app.call("DescribeAccess", level=level)
    scene.app.begin(PICKER + "Present")
    picker = wait_for(lambda: scene.owner.call("ListPickers")["pickers"], "the picker")[0]
    scene.owner.call("AnswerPicker", picker=picker["picker"])
    assert scene.app.hear()["cancelled"] is True


# R33 to R36


def test_R33_R60_a_property_list_works_as_a_manifest(scene):
    manifest = scene.house.folder / f"Info-{scene.app.uid}.plist"
    for prevents in (True, False):
        manifest.write_text(f"""<?xml version="1.0" encoding="UTF-8"?><plist version="1.0"><dict>
          <key>identifier</key><string>org.example.plist-{str(prevents).lower()}</string><key>name</key><string>Plist</string>
          <key>NSPhotoLibraryUsageDescription</key><string>From a property list.</string>
          <key>{AUTOMATIC}</key><{str(prevents).lower()}/></dict></plist>""")
        manifest.chmod(0o644)
        token = scene.house.folder / f"plist-{scene.app.uid}-{prevents}.token"
        added = scene.broker.photobroker(scene.app.uid, "app", "add", manifest, "--json").stdout
        import json

        found = json.loads(added)
        app = scene.broker.app(uid=scene.app.uid)
        app.name, app.own_token = (
            found["app"]["app"] if isinstance(found["app"], dict) else found["app"],
            found["token"],
        )
        app.use(app.own_token)
        app.begin_request()
        prompt = scene.owner.wait_for_prompt()
        assert prompt["usageDescription"] == "From a property list."
        scene.owner.answer(prompt, "select", selector={"last": 1})
        assert app.hear_request() == "limited" and app.count() == 1 and len(app.names()) == 1
        app.end()

        def asked():
            # A new life cycle begins when the broker has noticed the end of the former one.
            again = scene.broker.app(uid=scene.app.uid)
            again.use(app.own_token, app.token)
            again.names()
            again.end()
            return [p for p in scene.owner.prompts() if p["kind"] == "keepSelection" and p["app"]["app"] == app.name]

        if prevents:
            assert asked() == []
        else:
            assert len(wait_for(asked, "the question of the next life cycle")) == 1
        assert not token.exists()


def test_R35_a_level_unaware_request_of_a_limited_app_says_authorized_without_a_prompt(scene):
    scene.limit(0)
    reply = scene.app.call("LevelUnawareRequestAuthorization")
    assert (reply["status"], reply["code"]) == ("authorized", 3) and "limited" not in str(reply).lower().replace(
        reply["token"].lower(), ""
    )
    assert scene.owner.prompts() == [] and scene.app.names() == [scene.pictures[0]]
    scene.owner.set(scene.library, scene.app.name, "authorized")
    scene.owner.set(scene.library, scene.app.name, "limited")
    assert scene.app.call("LevelUnawareAuthorizationStatus")["status"] == "authorized"


# R43 to R48


@pytest.mark.parametrize("first", [None, "denied", "restricted"])
def test_R10_R43_R44_earlier_additions_join_the_selection_when_access_becomes_limited(own_scene, first):
    scene = own_scene
    scene.let_broker_add()
    scene.allow(level="addOnly")
    mine = scene.app.add("mine.jpg", jpeg(day(60), b"mine.jpg"))
    wait_for(lambda: "mine.jpg" in scene.owner.names(scene.library), "the picture")
    if first:
        (scene.owner if first == "denied" else scene.broker.owner(0)).set(scene.library, scene.app.name, first)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(1, app=other)
    scene.owner.set(scene.library, scene.app.name, "limited")
    assert scene.app.request() == "limited"
    assert [(a["filename"], a["localIdentifier"]) for a in scene.app.fetch()] == [("mine.jpg", mine)]
    assert other.names() == [scene.pictures[1]], "it joins its creator's selection only"
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 7)
    scene.app.new_connection()
    assert scene.app.names() == ["mine.jpg"]
    scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, remove={"filename": "mine.jpg"})
    assert scene.app.names() == []
    for status in ("denied", "limited"):
        scene.owner.set(scene.library, scene.app.name, status)
    scene.app.use(scene.app.own_token)
    scene.app.new_connection()
    assert scene.app.request() == "limited" and scene.app.names() == []


@pytest.mark.library("own")
def test_R47_R48_an_own_album_may_share_a_hidden_albums_title(scene):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, 1)
    scene.limit(0, 2, app=other)
    theirs = other.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Trip"}])["createdAlbums"][0]
    scene.owner.call("EditOwnedAlbum", library=scene.library, title="Trip", add={"all": True})
    assert scene.app.call("FetchAlbums")["albums"] == []
    mine = scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Trip"}])["createdAlbums"][0]
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    scene.app.call(
        "PerformChanges",
        changes=[
            {"kind": "addToAlbum", "album": mine, "assets": [asset]},
            {"kind": "renameAlbum", "album": mine, "text": "Trip 2"},
        ],
    )
    [album] = scene.app.call("FetchAlbums")["albums"]
    assert (album["localIdentifier"], album["title"], album["count"], album["canEdit"]) == (mine, "Trip 2", 1, True)
    assert [a["title"] for a in other.call("FetchAlbums")["albums"]] == ["Trip"]
    for kind, more in (("renameAlbum", {"text": "x"}), ("addToAlbum", {"assets": [asset]}), ("deleteAlbum", {})):
        hidden = scene.app.refusal("PerformChanges", changes=[{"kind": kind, "album": theirs, **more}])
        absent = scene.app.refusal("PerformChanges", changes=[{"kind": kind, "album": ABSENT, **more}])
        assert hidden.parameters == absent.parameters and hidden.reason == "identifierNotFound", kind
    assert (
        scene.app.refusal("FetchAssets", options={"album": theirs}).parameters
        == scene.app.refusal("FetchAssets", options={"album": ABSENT}).parameters
    )


# R54, R58, R60


def test_R54_the_selection_prompt_returns_with_the_life_cycle_and_not_with_a_token(make_scene):
    """A long-lived worker keeps the life cycle alive while others come and go."""
    scene = make_scene(3, introduce=False)
    scene.app.introduce(**{AUTOMATIC: False})
    scene.limit_earlier(0)

    def questions():
        return [p for p in scene.owner.prompts() if p["kind"] == "keepSelection"]

    worker = scene.broker.app(uid=scene.app.uid)
    worker.use(scene.app.own_token, scene.app.token)
    worker.call("GetLimits")
    scene.app.count()
    scene.owner.answer(wait_for(questions, "the question of the key that is false")[0], "keep")
    for _ in range(3):
        scene.app.new_connection()
        scene.app.count()
        worker.count()
    scene.owner.set(scene.library, scene.app.name, "authorized")
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.app.count()
    assert questions() == []


# R76 to R94


def test_R74_R77_a_limited_app_using_a_picker_keeps_its_status_and_selection(scene):
    scene.limit(0)
    before = scene.app.call("FetchPersistentChanges")["event"]["changeToken"]
    picker = present(scene, scene.app, identifiers=True, selectionLimit=0)
    identifiers = [scene.owner.identifier(scene.library, scene.pictures[n]) for n in (3, 4)]
    scene.owner.call("AnswerPicker", picker=picker["picker"], assets=identifiers)
    picked = [r["localIdentifier"] for r in scene.app.hear()["results"]]
    assert scene.app.status() == "limited" and scene.app.names() == [scene.pictures[0]] and scene.app.count() == 1
    assert scene.app.names(identifiers=picked) == []
    for asset in picked:
        assert scene.app.refusal("OpenResource", asset=asset).reason == "identifierNotFound", (
            "what was picked is no selection"
        )
    event = scene.app.call("FetchPersistentChanges", since=before)["event"]
    assert not event["inserted"] and not event["resynchronize"]
    assert scene.owner.grant(scene.library, scene.app.name)["selected"] == 1


@pytest.mark.library("own")
def test_R82_R88_deleted_items_are_not_preselected_and_cause_no_error(scene):
    app = scene.broker.app(uid=scene.app.uid)
    app.introduce("org.example.attach", NSPhotoLibraryUsageDescription=None)
    several = {"identifiers": True, "selectionLimit": 0}
    identifiers = [scene.owner.identifier(scene.library, scene.pictures[n]) for n in (1, 2)]
    scene.owner.call("AnswerPicker", picker=present(scene, app, **several)["picker"], assets=identifiers)
    given = [r["localIdentifier"] for r in app.hear()["results"]]
    scene.mark(1, neverShare=True)
    picker = present(scene, app, **several, preselected=[*given, ABSENT])
    assert picker["preselected"] == identifiers[1:], "neither what is gone nor what never was"
    scene.owner.call("AnswerPicker", picker=picker["picker"])
    cancelled = app.hear()
    assert cancelled["cancelled"] and all(r.get("item") is None for r in cancelled["results"])


@pytest.mark.library("own")
def test_R13_R82_items_lost_while_a_picker_is_open_are_not_preselected(scene):
    app = scene.broker.app(uid=scene.app.uid)
    app.introduce("org.example.attach", NSPhotoLibraryUsageDescription=None)
    several = {"identifiers": True, "selectionLimit": 0}
    identifiers = [scene.owner.identifier(scene.library, scene.pictures[n]) for n in (1, 2, 3)]
    scene.owner.call("AnswerPicker", picker=present(scene, app, **several)["picker"], assets=identifiers)
    given = [r["localIdentifier"] for r in app.hear()["results"]]
    scene.limit(3)
    os.chmod(scene.album.folder, 0o770)

    def preselected():
        [picker] = scene.owner.call("ListPickers")["pickers"]
        return picker["preselected"]

    picker = present(scene, app, **several, preselected=given)
    assert picker["preselected"] == preselected() == identifiers
    scene.mark(1, neverShare=True)
    assert preselected() == identifiers[1:]
    scene.app.call(
        "PerformChanges",
        changes=[{"kind": "delete", "assets": [scene.app.named(scene.pictures[3])["localIdentifier"]]}],
    )
    assert preselected() == identifiers[1:2], "nor what is in the trash"
    for gone in (identifiers[0], identifiers[2]):
        assert scene.owner.refusal("AnswerPicker", picker=picker["picker"], assets=[identifiers[1], gone]).error in (
            "Refused",
            "NotFound",
        )
    scene.mark(1, neverShare=False)
    assert preselected() == identifiers[:2]
    scene.owner.call("AnswerPicker", picker=picker["picker"], assets=identifiers[:2])
    assert [r["localIdentifier"] for r in app.hear()["results"]] == given[:2]


@pytest.mark.parametrize("level", ["readWrite", "addOnly"])
def test_R93_R94_apps_that_ever_had_access_are_not_listed_as_picker_only(scene, level):
    app = scene.broker.app(uid=scene.app.uid)
    app.introduce("org.example.attach")
    asset = scene.owner.identifier(scene.library, scene.pictures[0])
    scene.owner.call("AnswerPicker", picker=present(scene, app)["picker"], assets=[asset])
    app.hear()

    def listed():
        return [a["app"]["app"] for a in scene.owner.call("ListPickerApps", library=scene.library)["apps"]]

    assert listed() == [app.name]
    said = scene.broker.photobroker(scene.owner.uid, "picker", "apps", scene.library).stdout
    assert "org.example.attach" in said and "see picked assets only" in " ".join(said.split()), (
        "and settings say what that means"
    )
    scene.owner.set(scene.library, app.name, "denied", level=level)
    assert listed() == [app.name], "a refusal is no access"
    scene.owner.set(scene.library, app.name, "authorized", level=level)
    assert listed() == []
    scene.owner.set(scene.library, app.name, "notDetermined", level=level)
    assert listed() == [], "once given access, also where all of it was forgotten"


# R113 to R125


def test_R113_each_failing_change_has_a_named_and_numbered_error(scene):
    scene.limit(0)
    asset = scene.app.fetch()[0]
    one = [asset["localIdentifier"]]
    for step, code, reason in [
        ({"kind": "setFavorite", "assets": [ABSENT], "favorite": True}, 3201, "identifierNotFound"),
        ({"kind": "renameAlbum", "album": ABSENT, "text": "x"}, 3201, "identifierNotFound"),
        ({"kind": "setCaption", "assets": one, "text": "a\u202eb"}, 3300, "changeNotSupported"),
        ({"kind": "createAlbum", "text": ""}, 3300, "changeNotSupported"),
        (
            {"kind": "setFavorite", "assets": one, "favorite": True, "versions": ["0" * 16]},
            3301,
            "operationInterrupted",
        ),
    ]:
        refused = scene.app.refusal("PerformChanges", changes=[step])
        assert refused.error == "PhotosError" and refused.parameters["message"].endswith("."), (step, refused)
        assert (refused.parameters["code"], refused.reason) == (code, reason), step
    scene.owner.set(scene.library, scene.app.name, "limited", albumPolicy="none")
    wait_for(
        lambda: (
            scene.app.refusal("PerformChanges", changes=[{"kind": "createAlbum", "text": "x"}]).parameters["code"]
            == 3311
        ),
        "the policy of 2020",
    )


def test_R114_an_offline_storage_is_reported(own_scene):
    scene = own_scene
    scene.limit(0)
    asset = scene.app.fetch()[0]["localIdentifier"]
    away = scene.album.folder.with_name(scene.album.folder.name + "-away")
    os.rename(scene.album.folder, away)
    scene.owner.call("RescanLibrary", name=scene.library)
    wait_for(lambda: scene.owner.library(scene.library)["state"] == "offline", "the library to be offline")
    refused = scene.app.refusal("OpenResource", asset=asset)
    assert (refused.parameters["code"], refused.reason) == (3114, "libraryVolumeOffline") and refused.parameters[
        "message"
    ].endswith(".")
    hidden = scene.app.refusal("OpenResource", asset=ABSENT)
    assert hidden.reason == "identifierNotFound", "what is absent is so also then"
    os.rename(away, scene.album.folder)


@pytest.mark.parametrize("trouble", ["storage away", "processes stopped", "processes killed"])
def test_R133_attenuating_and_revoking_wait_for_no_plugin(own_scene, trouble):
    """Neither the storage's nor the album policy's process matters, nor the media worker."""
    scene = own_scene
    scene.limit(0, 1, 2)
    kept, taken = (scene.app.named(scene.pictures[n])["localIdentifier"] for n in (0, 1))
    assert scene.app.call("GetThumbnail", asset=kept, maxPixels=32, inline=True)["data"]
    away = scene.album.folder.with_name(scene.album.folder.name + "-away")
    stopped = []
    if trouble == "storage away":
        os.rename(scene.album.folder, away)
        scene.owner.call("RescanLibrary", name=scene.library)
        wait_for(lambda: scene.owner.library(scene.library)["state"] == "offline", "the library to be offline")
    else:
        stopped = children(scene.broker.process.pid)
        assert len(stopped) > 1
        for pid in stopped:
            os.kill(pid, signal.SIGSTOP if trouble == "processes stopped" else signal.SIGKILL)
    try:
        scene.unselect(1)
        assert scene.app.refusal("GetResources", asset=taken).reason == "identifierNotFound"
        assert sorted(scene.app.names()) == sorted([scene.pictures[0], scene.pictures[2]])
        scene.owner.call(
            "MarkAssets",
            library=scene.library,
            selector={"identifiers": [scene.owner.identifier(scene.library, scene.pictures[2])]},
            neverShare=True,
        )
        assert scene.app.names() == [scene.pictures[0]]
        scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
        assert scene.app.refusal("FetchAssets").reason == "accessUserDenied"
        receipt = scene.owner.call("Revoke", library=scene.library, app=scene.app.name)["receipt"]
        assert receipt["grants"] == 1
        for method, parameters in (
            ("FetchAssets", {}),
            ("OpenResource", {"asset": kept}),
            ("ReadBytes", {"asset": kept, "offset": 0, "length": 10}),
        ):
            assert scene.app.refusal(method, **parameters).reason == "accessUserDenied", method
    finally:
        if trouble == "storage away":
            os.rename(away, scene.album.folder)
        elif trouble == "processes stopped":
            for pid in stopped:
                os.kill(pid, signal.SIGCONT)


def test_R121_every_call_except_the_named_ones_requires_a_token(scene):
    """Without a token, only status, request, picker and introspection answer."""
    scene.allow()
    interface = Interface.of(scene.app, "io.photobroker.Library")
    open_to_all = {
        "Introduce",
        "Attach",
        "ListLibraries",
        "GetAuthorizationStatus",
        "RequestAuthorization",
        "LevelUnawareAuthorizationStatus",
        "LevelUnawareRequestAuthorization",
        "DescribeAccess",
        "GetLimits",
    }
    assert open_to_all < set(interface.methods)
    stranger = scene.broker.app(uid=scene.app.uid)
    for method, fields in interface.methods.items():
        if method in open_to_all:
            continue
        parameters = {n: v for n, k in fields.items() if (v := valid_value(k, interface.types)) is not None}
        if method in ("ObserveChanges", "StreamResource"):
            with pytest.raises(Refused) as refused:
                stranger.watch(method, method, **parameters)
            assert refused.value.error == "TokenRequired", method
        else:
            assert stranger.refusal(method, **parameters).error == "TokenRequired", method


# The methods of an add-only app: asking for access, and adding.
ADDING = {"RequestAuthorization", "LevelUnawareRequestAuthorization", "AddAsset", "BeginUpload", "AppendUpload"}


@pytest.mark.library("own")
def test_R122_an_add_only_token_never_reads(scene):
    scene.let_broker_add()
    scene.allow(level="addOnly")
    adding = scene.app.token
    scene.allow()
    reading = scene.app.token
    assert adding != reading
    scene.app.use(adding)
    scene.app.new_connection()
    asset = scene.app.add("mine.jpg", jpeg(day(60), b"mine.jpg"))
    interface, seen = Interface.of(scene.app, "io.photobroker.Library"), {}
    own = {
        "level": None,
        "changes": [{"kind": "setFavorite", "assets": [asset], "favorite": True}],
        "asset": asset,
        "album": None,
        "maxPixels": 64,
        "length": 10,
        "localIdentifiers": [asset],
        "library": None,
    }
    for method, fields in interface.methods.items():
        if method in UNDESCRIBED | ADDING:
            continue
        parameters = {n: own.get(n, valid_value(k, interface.types)) for n, k in fields.items()}
        parameters = {n: v for n, v in parameters.items() if v is not None}
        if method in ("ObserveChanges", "StreamResource"):
            with pytest.raises(Refused) as found:
                scene.app.watch(method, method, **parameters)
            seen[method] = found.value.error
        else:
            seen[method] = scene.app.refusal(method, **parameters).error
    assert seen.pop("PresentLimitedLibraryPicker") == "NotLimited", "an error of its own (R65)"
    assert len(seen) > 10 and set(seen.values()) == {"TokenRequired"}, seen


def test_R123_R124_R125_one_token_string_survives_every_edit_and_its_attenuations_end_with_it(scene):
    scene.limit(0)
    token = scene.app.token
    narrowed = Macaroon.deserialize(token)
    narrowed.add_first_party_caveat("verbs = read")
    worker = scene.broker.app(uid=scene.app.uid)
    worker.use(scene.app.own_token, narrowed.serialize())
    assert worker.names() == [scene.pictures[0]]
    scene.select(1)
    scene.owner.set(scene.library, scene.app.name, "authorized")
    assert worker.count() == len(scene.pictures), "the same string, and what was narrowed from it"
    scene.owner.set(scene.library, scene.app.name, "limited")
    assert set(worker.names()) == set(scene.pictures[:2])
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
    assert worker.is_refused()
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    assert worker.count() == 2 and scene.app.request() == "limited" and scene.app.token == token
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    assert worker.is_refused() and scene.app.is_refused()
    scene.owner.set(scene.library, scene.app.name, "limited")
    worker.new_connection()
    with pytest.raises(Refused) as refused:
        worker.count()
    assert refused.value.error == "TokenRefused"


# R38, R41


def shape(value):
    if isinstance(value, dict):
        return {k: shape(v) for k, v in sorted(value.items())}
    if isinstance(value, list):
        return [shape(v) for v in value]
    return type(value).__name__


def test_R38_R41_full_and_limited_access_answer_in_the_same_shape_with_the_same_errors(make_scene):
    """Full access, and limited access to all photos: equal answers but for sealed values."""
    scene = make_scene(4)
    scene.allow()
    asset = scene.app.fetch()[0]["localIdentifier"]
    calls = [
        ("FetchAssets", {}),
        ("FetchAssets", {"limit": 2}),
        ("FetchAssets", {"options": {"sort": "filename", "text": "picture"}}),
        ("FetchAssets", {"captions": True, "albums": True}),
        ("FetchVersions", {}),
        ("CountAssets", {}),
        ("FetchAlbums", {}),
        ("GetResources", {"asset": asset}),
        ("ReadBytes", {"asset": asset, "offset": 0, "length": 64}),
        ("GetThumbnail", {"asset": asset, "maxPixels": 32, "inline": True}),
        ("FetchPersistentChanges", {}),
        ("GetCloudIdentifiers", {"localIdentifiers": [asset, ABSENT]}),
        ("GetLocalIdentifiers", {"cloudIdentifiers": ["nonsense"]}),
        ("PerformChanges", {"changes": [{"kind": "setFavorite", "assets": [asset], "favorite": True}], "dryRun": True}),
    ]
    wrong = [
        ("FetchAssets", {"limit": 0}),
        ("FetchAssets", {"options": {"sort": "size"}}),
        ("FetchAssets", {"cursor": "x"}),
        ("FetchAssets", {"options": {"album": ABSENT}}),
        ("GetResources", {"asset": ABSENT}),
        ("ReadBytes", {"asset": ABSENT, "offset": 0, "length": 1}),
        ("OpenResource", {"asset": asset, "role": "raw"}),
        ("GetThumbnail", {"asset": asset, "maxPixels": 1}),
        ("FetchPersistentChanges", {"since": "x"}),
        ("PerformChanges", {"changes": [{"kind": "renameAlbum", "album": ABSENT, "text": "x"}]}),
        ("PerformChanges", {"changes": [{"kind": "setCaption", "assets": [asset], "text": "\x07"}]}),
    ]

    def all_of_it():
        wait_for(
            lambda: scene.app.call("GetCloudIdentifiers", localIdentifiers=[asset])["mappings"][0].get(
                "cloudIdentifier"
            ),
            "its name",
        )
        answers = [shape(scene.app.call(method, **parameters)) for method, parameters in calls]
        plain = ("CountAssets", "GetResources", "ReadBytes", "GetThumbnail", "GetCloudIdentifiers")
        values = [scene.app.call(m, **p) for m, p in calls if m in plain]
        errors = [(r.error, r.parameters) for r in (scene.app.refusal(m, **p) for m, p in wrong)]
        return answers, values, scene.app.fetch(), errors

    full = all_of_it()
    scene.owner.set(scene.library, scene.app.name, "limited", terms={"location": True, "deletions": "allow"})
    scene.owner.call("EditSelection", library=scene.library, app=scene.app.name, add={"all": True})
    for one, other in zip(full, all_of_it()):
        assert one == other


# R128, R129


def test_R128_a_removed_library_leaves_no_data_and_no_processes(own_broker):

    kept = Scene(own_broker, 2)
    before = set(children(own_broker.process.pid))
    scene = Scene(own_broker, 1)
    secret = "geheimnis-4711.jpg"
    scene.album.put(secret, jpeg(day(9), b"secret"))
    scene.owner.wait_for_library(scene.library, 2)
    scene.limit(secret)
    scene.app.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "geheimes-album-4711"}])
    asset = scene.app.named(secret)["localIdentifier"]
    scene.app.call("PerformChanges", changes=[{"kind": "setCaption", "assets": [asset], "text": "geheimer-text-4711"}])
    scene.app.digest(asset)
    scene.app.call("GetThumbnail", asset=asset, maxPixels=64, inline=True)
    mine = set(children(own_broker.process.pid)) - before
    assert mine & set(storage_processes(own_broker)), "its plugins' processes are its own"

    words = {
        "its file's name": b"geheimnis-4711",
        "its album": b"geheimes-album-4711",
        "its caption": b"geheimer-text-4711",
        "its identifier": bytes.fromhex(scene.owner.identifier(scene.library, secret)),
        "its digest": hashlib.sha256((scene.album.folder / secret).read_bytes()).digest(),
    }

    def traces():
        files = [path.read_bytes() for path in own_broker.state.rglob("*") if path.is_file()]
        return [what for what, word in words.items() if any(word in data for data in files)]

    wait_for(lambda: traces() == list(words), "all that is looked for to be there before")
    scene.owner.call("RemoveLibrary", name=scene.library)
    wait_for(lambda: not mine & set(children(own_broker.process.pid)), "its processes to end", 20)
    # A neighbour's edits still commit between the steps of the erasure.
    kept.limit(0)
    kept.select(1)
    wait_for(lambda: own_broker.stop() == 0 or True, "the broker's end")
    assert traces() == [], "keys, names, texts and albums of it are erased"
    own_broker.start()
    assert (scene.album.folder / secret).exists(), "the owner's files are the owner's"


def test_R129_a_stopped_plugin_does_not_affect_another_library(own_broker):
    well = Scene(own_broker, 3)
    hosts_of_well = set(storage_processes(own_broker))
    ill = Scene(own_broker, 3)
    well.limit(0, 1)
    ill.limit(0, 1)
    hosts = set(storage_processes(own_broker)) - hosts_of_well
    assert hosts
    expected = well.app.fetch(), well.app.digest(well.app.fetch()[0]["localIdentifier"])
    asset = ill.app.fetch()[0]["localIdentifier"]
    for pid in hosts:
        os.kill(pid, signal.SIGSTOP)
    try:
        ill.owner.call("RescanLibrary", name=ill.library)
        ill.app.begin("OpenResource", asset=asset)
        begun = time.monotonic()
        for _ in range(5):
            found = well.app.fetch()
            assert (found, well.app.digest(found[0]["localIdentifier"])) == expected
            well.select(2)
            well.unselect(2)
        assert time.monotonic() - begun < 10, "nothing of it waits"
    finally:
        for pid in hosts:
            os.kill(pid, signal.SIGCONT)
    try:
        ill.app.hear()
    except Refused:
        pass
