"""Tokens: their holders, their attenuation, and no way to widen them."""

import base64
import functools
import random
import time

import pytest
from pymacaroons import Macaroon
from photobroker import Connection, VarlinkError

from house.broker import Album
from house.person import Refused, wait_for
from house.tokens import attenuated, expiry

pytestmark = pytest.mark.library("shared")


def new_apps(scene, *identifiers, uid=None):
    apps = []
    for identifier in identifiers:
        app = scene.broker.app(uid=uid or scene.app.uid)
        app.introduce(identifier)
        apps.append(app)
    return apps


def attach(app, *tokens):
    """Attach these tokens on a new connection, and return the first refusal."""
    app.use()
    app.new_connection()
    for token in tokens:
        try:
            app.call("Attach", token=token)
        except Refused as refused:
            return refused
    return None


def caveats(token):
    return [
        c.caveat_id if isinstance(c.caveat_id, str) else c.caveat_id.decode()
        for c in Macaroon.deserialize(token).caveats
    ]


def test_R121_without_a_token_nothing_is_decided(scene):
    scene.allow()
    stranger = scene.broker.app(uid=scene.app.uid)
    for name, parameters in [
        ("FetchAssets", {}),
        ("CountAssets", {}),
        ("GetResources", {"asset": "0" * 32}),
        ("FetchAlbums", {}),
    ]:
        assert stranger.refusal(name, **parameters).error == "TokenRequired", name
    assert stranger.call("GetAuthorizationStatus", level="readWrite")["status"] == "notDetermined"


def test_R122_a_token_is_valid_for_one_level(scene):
    scene.allow(level="addOnly")
    token = scene.app.token
    assert attach(scene.app, token) is None
    refused = scene.app.refusal("FetchAssets")
    assert refused.error in {"PhotosError", "TokenRequired"}


@pytest.mark.library("own")
def test_R122_tokens_of_users_and_libraries_open_only_their_own(make_scene):
    scenes = [make_scene(2) for _ in range(3)]
    for scene in scenes:
        scene.allow()
    tokens = [scene.app.token for scene in scenes]
    for holder in scenes:
        for token, home in zip(tokens, scenes):
            refused = attach(holder.app, token)
            if holder is home:
                assert refused is None and holder.app.count() == 2
            else:
                assert refused.error == "TokenRefused"
                assert holder.app.is_refused().error == "TokenRequired"


def test_R122_a_token_of_one_library_opens_no_other_of_the_same_user(scene, house):
    album = Album(house, f"second-{scene.owner.uid}", scene.owner.uid)
    album.fill(3)
    scene.owner.add_library(f"second-{scene.owner.uid}", album.folder, [scene.app.uid], 3)
    assert set(scene.app.call("ListLibraries")["libraries"]) == {scene.library, f"second-{scene.owner.uid}"}
    scene.owner.set(scene.library, scene.app.name, "authorized")
    assert scene.app.request(library=scene.library) == "authorized"
    assert scene.app.count() == len(scene.pictures)
    assert (
        scene.app.call("GetAuthorizationStatus", level="readWrite", library=f"second-{scene.owner.uid}")["status"]
        == "notDetermined"
    )
    assert all(a["filename"] in scene.pictures for a in scene.app.fetch())


def test_R123_the_answer_that_grants_access_delivers_the_token(scene):
    scene.app.begin_request()
    scene.owner.answer(scene.owner.wait_for_prompt(), "allow")
    assert scene.app.hear_request() == "authorized"
    assert attach(scene.app, scene.app.token) is None
    assert scene.app.count() == len(scene.pictures)


def test_R123_an_owner_mints_the_token_in_advance(scene):
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(1)
    minted = scene.owner.call("MintToken", library=scene.library, app=scene.app.name, level="readWrite")
    assert attach(scene.app, minted["token"]) is None
    assert scene.app.names() == [scene.pictures[1]]
    listed = scene.owner.call("ListTokens", library=scene.library, app=scene.app.name)["tokens"]
    assert minted["accessor"] in [t["accessor"] for t in listed]
    assert minted["token"] not in str(listed)


def test_R124_an_edit_acts_on_the_same_token(scene):
    scene.limit(0)
    token = scene.app.token
    scene.select(1)
    scene.unselect(0)
    assert attach(scene.app, token) is None
    assert scene.app.names() == [scene.pictures[1]]
    scene.select(2)
    assert scene.app.names() == [scene.pictures[2], scene.pictures[1]]


def test_R125_attenuated_tokens_end_with_their_token(scene):
    scene.allow()
    child = attenuated(scene.app.token, "verbs = read")
    assert attach(scene.app, child) is None, caveats(scene.app.token)
    assert scene.app.count() == len(scene.pictures)
    accessor = next(
        t["accessor"]
        for t in scene.owner.call("ListTokens", library=scene.library)["tokens"]
        if t.get("level") == "readWrite"
    )
    scene.owner.call("Revoke", accessor=accessor)
    assert scene.app.is_refused()
    assert attach(scene.app, child).error == "TokenRefused"


def test_a_token_is_useless_after_revocation(scene):
    scene.allow()
    token = scene.app.token
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    assert scene.app.is_refused()
    assert attach(scene.app, token).error == "TokenRefused"


def test_R155_the_holder_of_an_authentic_token_is_told_why_it_is_refused(scene):
    scene.allow()
    token = scene.app.token
    expired = attenuated(token, expiry(int(time.time() - 1)))
    assert attach(scene.app, expired).parameters["reason"] == "tokenExpired"
    stranger = scene.broker.app()
    assert attach(stranger, token).parameters["reason"] == "tokenOfOtherUser"
    damaged = Macaroon.deserialize(token)
    damaged.signature = "0" * 64
    assert "reason" not in attach(stranger, damaged.serialize()).parameters
    assert "reason" not in attach(scene.app, attenuated(token, "library = other")).parameters
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    assert attach(scene.app, token).parameters["reason"] == "tokenRevoked"
    assert "reason" not in attach(scene.app, damaged.serialize()).parameters


def test_a_token_attenuated_to_reading_by_pymacaroons_works(scene):
    scene.allow()
    asset = scene.app.fetch()[0]["localIdentifier"]
    assert attach(scene.app, attenuated(scene.app.token, "verbs = read")) is None
    assert scene.app.count() == len(scene.pictures)
    refused = scene.app.refusal(
        "PerformChanges", changes=[{"kind": "setFavorite", "assets": [asset], "favorite": True}]
    )
    assert refused.error == "TokenRefused"


def test_a_token_attenuated_to_photos_by_pymacaroons_works(scene):
    scene.allow()
    some = [a["localIdentifier"] for a in scene.app.fetch()[:2]]
    assert attach(scene.app, attenuated(scene.app.token, "assets = " + ",".join(some))) is None
    assert {a["localIdentifier"] for a in scene.app.fetch()} == set(some)
    assert scene.app.count() == 2


def test_a_token_attenuated_to_an_hour_by_pymacaroons_works(scene):
    scene.allow()
    token = scene.app.token
    later, before = int(time.time() + 3600), int(time.time() - 1)
    assert attach(scene.app, attenuated(token, expiry(later))) is None
    assert scene.app.count() == len(scene.pictures)
    assert attach(scene.app, attenuated(token, expiry(before))).error == "TokenRefused"
    assert attach(scene.app, attenuated(token, expiry(before), expiry(later))).error == "TokenRefused", (
        "a later one does not widen"
    )


def test_a_token_attenuated_to_another_user_opens_nothing(scene):
    scene.allow()
    assert attach(scene.app, attenuated(scene.app.token, f"uid = {scene.app.uid + 1}")).error == "TokenRefused"


@pytest.mark.parametrize(
    "caveat",
    ["anything", "verbs=", "verbs = fly", "", "before = soon", "library = other", "VERBS = read", "level = admin"],
)
def test_an_unknown_caveat_is_refused(scene, caveat):
    scene.allow()
    assert attach(scene.app, attenuated(scene.app.token, caveat)).error == "TokenRefused"


def test_a_third_party_caveat_is_refused(scene):
    scene.allow()
    macaroon = Macaroon.deserialize(scene.app.token)
    macaroon.add_third_party_caveat("https://example.org", "a key of 32 bytes for the caveat!", "somebody says so")
    assert attach(scene.app, macaroon.serialize()).error == "TokenRefused"


def test_a_removed_caveat_is_refused(scene):
    scene.allow()
    whole = Macaroon.deserialize(attenuated(scene.app.token, "verbs = read"))
    for index in range(len(whole.caveats)):
        macaroon = Macaroon.deserialize(whole.serialize())
        del macaroon.caveats[index]
        assert attach(scene.app, macaroon.serialize()).error == "TokenRefused", f"without caveat {index}"
    reordered = Macaroon.deserialize(whole.serialize())
    reordered.caveats.reverse()
    assert attach(scene.app, reordered.serialize()).error == "TokenRefused"


def test_a_token_with_any_changed_bit_is_refused(scene):
    scene.allow()
    token = scene.app.token
    data = bytearray(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    chooser = random.Random(1)
    mutants = []
    for _ in range(150):
        mutant = bytearray(data)
        mutant[chooser.randrange(len(mutant))] ^= 1 << chooser.randrange(8)
        mutants.append(base64.urlsafe_b64encode(mutant).decode().rstrip("="))

    def attach_all(agent, tokens):
        names = []
        for token in tokens:
            connection = Connection(agent.path, timeout=20)
            try:
                connection.call("io.photobroker.Library.Attach", token=token)
                names.append("taken")
            except VarlinkError as error:
                names.append(error.name.rsplit(".", 1)[1])
            connection.close()
        return names

    assert set(scene.app.run(attach_all, tokens=mutants)) == {"TokenRefused"}
    assert attach(scene.app, token) is None


@pytest.mark.parametrize(
    "token", ["", "x", "=" * 100, "\u0000", "é" * 50, "A" * 4097, "A" * 600_000, "../../etc/passwd", "AgEBAA"]
)
def test_malformed_tokens_are_refused_and_not_repeated(scene, token):
    refused = attach(scene.app, token)
    assert refused.error in {"TokenRefused", "InvalidParameter"}
    assert token == "" or token not in str(refused.parameters)
    assert scene.app.call("GetLimits")["limits"]["pageLimit"] == 1000, "the connection goes on"


def test_R138_two_scripts_of_one_user_are_two_apps(scene):
    one, two = new_apps(scene, "org.example.one", "org.example.two")
    scene.limit(0, app=one)
    scene.limit(1, app=two)
    assert one.names() == [scene.pictures[0]]
    assert two.names() == [scene.pictures[1]]
    assert one.name != two.name
    apps = {a["app"]: a for a in scene.owner.call("ListApps")["apps"]}
    assert apps[one.name]["uid"] == apps[two.name]["uid"] == scene.app.uid
    assert apps[one.name]["isInterpreter"] or apps[one.name].get("executable") is None


def test_R138_claiming_a_name_without_its_token_is_a_new_app(scene):
    scene.limit(0)
    (impostor,) = new_apps(scene, "org.example.journal")
    assert impostor.name != scene.app.name
    assert impostor.status() == "notDetermined"
    impostor.begin_request()
    asked = scene.owner.wait_for_prompt()["app"]
    assert (asked["app"], asked["identifier"], asked["uid"]) == (impostor.name, "org.example.journal", impostor.uid)
    assert asked.get("verifiedIdentity") is None, "its name is claimed, and nothing but the user is verified"
    scene.owner.answer(scene.owner.wait_for_prompt(), "deny")
    assert impostor.hear_request() == "denied"
    assert scene.app.names() == [scene.pictures[0]]


def test_R127_an_app_sees_only_libraries_offered_to_its_user(make_scene):
    one, other = make_scene(2), make_scene(3)
    assert one.app.call("ListLibraries")["libraries"] == [one.library]
    hidden = one.app.refusal("GetAuthorizationStatus", level="readWrite", library=other.library)
    absent = one.app.refusal("GetAuthorizationStatus", level="readWrite", library="there-is-none")
    assert (hidden.name, hidden.parameters) == (absent.name, absent.parameters)
    other.owner.call("OfferLibrary", name=other.library, offeredTo=[other.app.uid, one.app.uid])
    assert set(one.app.call("ListLibraries")["libraries"]) == {one.library, other.library}


def test_R127_withdrawing_the_offer_ends_access(scene):
    scene.allow()
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    assert scene.app.is_refused()
    assert scene.app.call("ListLibraries")["libraries"] == []


@pytest.mark.library("own")
def test_R126_a_prompt_reaches_only_the_librarys_owner(make_scene):
    one, other = make_scene(2), make_scene(2)
    one.app.begin_request()
    prompt = one.owner.wait_for_prompt()
    assert other.owner.prompts() == []
    refused = other.owner.refusal("AnswerPrompt", prompt=prompt["prompt"], answer="allow")
    assert (refused.error, refused.parameters["what"]) == ("NotFound", "prompt")
    one.owner.answer(prompt, "deny")
    assert one.app.hear_request() == "denied"


@pytest.mark.library("own")
def test_an_owner_finds_nothing_of_another_owner(make_scene):
    mine, theirs = make_scene(2), make_scene(2)
    theirs.limit(0)
    app, library = theirs.app.name, theirs.library
    everything = {"all": True}
    for name, parameters in [
        ("WatchLibrary", {"name": library}),
        ("RescanLibrary", {"name": library}),
        ("OfferLibrary", {"name": library, "offeredTo": []}),
        ("RemoveLibrary", {"name": library}),
        ("ListGrants", {"library": library}),
        ("SetGrant", {"library": library, "app": app, "level": "readWrite", "status": "authorized"}),
        ("EditSelection", {"library": library, "app": app, "add": everything}),
        ("PauseGrant", {"library": library, "app": app, "paused": True}),
        ("Revoke", {"library": library}),
        ("MintToken", {"library": library, "app": app, "level": "readWrite"}),
        ("ListTokens", {"library": library}),
        ("FetchOwnedAssets", {"library": library}),
        ("MarkAssets", {"library": library, "selector": everything, "favorite": True}),
        ("ReadLedger", {"library": library}),
        ("ListDecisions", {"library": library}),
        ("GetOwnedThumbnail", {"library": library, "asset": "0" * 32, "maxPixels": 64}),
        ("GetOwnedPreview", {"library": library, "asset": "0" * 32}),
        ("GetOwnedProgress", {"library": library, "asset": "0" * 32}),
        ("GetOwnedDetails", {"library": library, "asset": "0" * 32}),
        ("ListOwnedAlbums", {"library": library, "app": app}),
    ]:
        refused = mine.owner.refusal(name, **parameters)
        parameters = {k: ("there-is-none" if v == library else v) for k, v in parameters.items()}
        absent = mine.owner.refusal(name, **parameters)
        assert refused.error == "NotFound", (name, refused)
        assert (refused.name, refused.parameters) == (absent.name, absent.parameters), name
    assert theirs.app.names() == [theirs.pictures[0]]


def test_R130_an_administrator_restricts_and_never_sees(scene):
    scene.limit(0, 1)
    root = scene.broker.owner(uid=0)
    assert scene.library in [l["name"] for l in root.call("ListLibraries")["libraries"]]
    for name, parameters in [
        ("FetchOwnedAssets", {"library": scene.library}),
        ("MarkAssets", {"library": scene.library, "selector": {"all": True}, "hidden": False}),
        ("EditSelection", {"library": scene.library, "app": scene.app.name, "add": {"all": True}}),
        ("SetGrant", {"library": scene.library, "app": scene.app.name, "level": "readWrite", "status": "authorized"}),
        ("MintToken", {"library": scene.library, "app": scene.app.name, "level": "readWrite"}),
        ("ReadLedger", {"library": scene.library}),
    ]:
        assert root.refusal(name, **parameters).error == "NotPermitted", name
    root.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True)
    assert scene.app.is_refused()
    assert root.refusal("PauseGrant", library=scene.library, app=scene.app.name, paused=False).error == "NotPermitted"
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=False)
    assert set(scene.app.names()) == {scene.pictures[0], scene.pictures[1]}, "R132: the selection is kept"


def test_an_expiring_grant_ends_all_access(scene):
    scene.allow()
    scene.app.observe()
    end = int((time.time() + 1.5) * 1_000_000)
    scene.owner.call("SetGrant", library=scene.library, app=scene.app.name, level="readWrite", expires=end)
    assert scene.app.count() == len(scene.pictures)
    assert scene.app.call("DescribeAccess", level="readWrite")["expires"] == end
    wait_for(lambda: scene.app.end_of("observer"), "the observer's end")
    assert time.time() * 1_000_000 >= end
    assert scene.app.status() == "notDetermined"
    assert attach(scene.app, scene.app.token).error == "TokenRefused"


def test_R123_the_command_line_mints_attenuates_and_inspects(scene, house):
    run = lambda *arguments, **options: scene.broker.photobroker(scene.owner.uid, *arguments, **options)
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(0, 1)
    folder = house.make_folder(f"tokens-{scene.owner.uid}", scene.owner.uid)
    whole, narrow = folder / "whole", folder / "narrow"
    run("token", "mint", scene.library, scene.app.name, "see-and-change", "--file", whole)
    assert whole.stat().st_mode & 0o777 == 0o600
    shown = run("token", "inspect", whole).stdout
    assert scene.library in shown
    run("token", "narrow", whole, "--verbs", "read", "--file", narrow)
    assert narrow.stat().st_mode & 0o777 == 0o600
    assert narrow.read_text().endswith("\n")
    assert attach(scene.app, narrow.read_text()) is None, "as it is read from the file"
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    refused = scene.app.refusal(
        "PerformChanges", changes=[{"kind": "setFavorite", "assets": [asset], "favorite": True}]
    )
    assert refused.error == "TokenRefused"


def test_R125_a_minted_token_is_the_apps_own_token_and_ends_with_it(scene, house):
    scene.allow()
    folder = house.make_folder(f"minted-{house.fresh_uid()}", scene.owner.uid)
    run = functools.partial(scene.broker.photobroker, scene.owner.uid)
    minted = [folder / "first", folder / "second"]
    accessors = {
        run("token", "mint", scene.library, scene.app.name, "see-and-change", "--file", file).stdout.split()[0]
        for file in minted
    }
    assert len(accessors) == 1 and {file.read_text().strip() for file in minted} == {scene.app.token}
    run("token", "revoke", accessors.pop(), "--yes")
    assert attach(scene.app, scene.app.token).error == "TokenRefused"
    for command in ("mint", "revoke"):
        assert "A grant has one token" in " ".join(run("token", command, "--help").stdout.split())


def test_the_longest_token_of_the_tool_is_accepted(own_scene):
    """`photobroker token narrow` writes up to 4 KiB in binary form, which is more in text."""
    scene = own_scene
    for number in range(20, 130):
        scene.album.add(number)
    wait_for(lambda: scene.owner.library(scene.library)["assets"] >= 110, "the pictures")
    scene.allow()
    assets = [a["localIdentifier"] for a in scene.app.fetch(limit=200)]
    limits = scene.app.call("GetLimits")["limits"]
    most = max(
        n
        for n in range(1, 110)
        if len(base64.urlsafe_b64decode(attenuated(scene.app.token, "assets = " + ",".join(assets[:n])) + "==="))
        <= limits["macaroonBytes"]
    )
    longest = attenuated(scene.app.token, "assets = " + ",".join(assets[:most])).rstrip("=")
    assert 4_096 < len(longest) <= limits["tokenBytes"]
    assert attach(scene.app, longest) is None
    assert scene.app.call("CountAssets")["count"] == most


@pytest.mark.library("own")
def test_R125_an_observe_only_token_is_told_of_no_photo(scene):
    scene.allow()
    assert attach(scene.app, scene.app.own_token, attenuated(scene.app.token, "verbs = observe")) is None
    scene.owner.call("MarkAssets", library=scene.library, selector={"filename": scene.pictures[0]}, favorite=True)
    for name, parameters in [
        ("FetchPersistentChanges", {}),
        ("FetchAssets", {}),
        ("GetResources", {"asset": "0" * 32}),
    ]:
        assert scene.app.refusal(name, **parameters).error == "TokenRefused", name
    assert attach(scene.app, scene.app.own_token, attenuated(scene.app.token, "verbs = observe,read")) is None
    assert scene.app.call("FetchPersistentChanges")["event"]["inserted"] == []
