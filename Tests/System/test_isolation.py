"""Two owners, three users of apps, two libraries each: every method answers on the diagonal only.

A foreign library, app or asset gets the same bytes as an absent one. Calls without a name return
only the caller's own things. The methods come from the daemon's own descriptions, and each needs a
row in this file.
"""

import json
import re

import pytest
from photobroker import Connection, VarlinkError

from house.broker import Album
from house.deletions import deletion
from house.person import wait_for
from house.sandbox import Sandbox

ADMIN, LIBRARY, PICKER, SANDBOX, SERVICE = (
    "io.photobroker.Admin",
    "io.photobroker.Library",
    "io.photobroker.Picker",
    "io.photobroker.Sandbox",
    "org.varlink.service",
)
ABSENT = "io.photobroker.Absent"
NOTHING = {
    "library": "absent",
    "app": "0" * 32,
    "asset": "0" * 32,
    "prompt": "0" * 32,
    "accessor": "0" * 32,
    "decision": 2**40,
    "rule": "absent",
    "album": "0" * 32,
    "picker": "0" * 32,
    "deletion": "0" * 32,
    "item": "0" * 32,
    "token": "bm90aGluZw",
    "upload": "0" * 32,
    "cloud": "nothing",
}


class Row:
    """A method's parameters, made from names; `names` are those that can be foreign."""

    def __init__(self, *names, more=False, diagonal="answers", last=0, **parameters):
        self.names, self.more, self.diagonal, self.last, self.parameters = names, more, diagonal, last, parameters

    def fill(self, names):
        return fill(self.parameters, names)


def fill(value, names):
    if isinstance(value, str) and value.startswith("$"):
        return names[value[1:]]
    if isinstance(value, dict):
        return {key: fill(v, names) for key, v in value.items()}
    return [fill(v, names) for v in value] if isinstance(value, list) else value


RW = {"level": "readWrite"}
GRANT = {"library": "$library", "app": "$app", **RW}
# Diagonal rows succeed or give this error; `last` orders rows with side effects.
ADMIN_ROWS = {
    "GetStatus": Row(),
    "ListLibraries": Row(),
    "ListApps": Row(),
    "ListPrompts": Row(),
    # Library names are unique on the machine: a used one is refused, without its owner.
    "AddLibrary": Row(name="$library", options={"path": "/nonexistent"}, diagonal="Refused"),
    "WatchLibrary": Row("library", name="$library"),
    "RescanLibrary": Row("library", name="$library"),
    "ListSkippedFiles": Row("library", library="$library"),
    "SetUpLibrary": Row("library", name="$library", albumPolicies=[{"policy": "shared-read", "options": {}}]),
    "OfferLibrary": Row("library", name="$library", offeredTo="$offered"),
    "ListOffers": Row(),
    # Owners get no offers of their own libraries.
    "AnswerOffer": Row("library", library="$library", accept=True, diagonal="Refused"),
    # A user's answer to offers concerns that user alone.
    "AnswerOffers": Row(user=4_000_000, accept=True),
    "ShareOriginals": Row("library", name="$library", share=True),
    "AllowDeletions": Row("library", name="$library", allow=True),
    "SetDefaultTerms": Row("library", name="$library", terms={"captions": True}),
    "DelegateLibrary": Row("library", name="$library", administratorsSee=False),
    "ListAdministrators": Row(diagonal="NotPermitted"),
    "SetAdministrators": Row(administrators=[], diagonal="NotPermitted"),
    "RemoveLibrary": Row("library", name="$library", last=9),
    "AddApp": Row(manifest={"identifier": "org.example.new", "name": "New"}, uid="$uid"),
    "RemoveApp": Row("app", app="$app", last=8),
    "ListGrants": Row("library", "app", library="$library", app="$app"),
    "SetGrant": Row("library", "app", **GRANT, albumPolicy="own"),
    "DraftSelection": Row("library", library="$library", selector={"all": True}),
    "EditSelection": Row("library", "app", library="$library", app="$app", add={"all": True}, preview=True),
    "PauseGrant": Row("library", "app", library="$library", app="$app", paused=False),
    "Revoke": Row("accessor", accessor="$accessor", last=7),
    "DraftAnswer": Row("prompt", prompt="$prompt", selector={"all": True}, last=4),
    "AnswerPrompt": Row("prompt", prompt="$prompt", answer="deny", last=5),
    "MintToken": Row("library", "app", **GRANT, name="helper"),
    "ListTokens": Row("library", "app", library="$library", app="$app"),
    "FetchOwnedAssets": Row("library", "app", library="$library", app="$app"),
    "MarkAssets": Row("library", "asset", library="$library", selector={"identifiers": ["$asset"]}, favorite=False),
    "FetchTrashedAssets": Row("library", library="$library"),
    "EditAsset": Row("library", "asset", library="$library", asset="$asset", caption="lake"),
    "ResetAssets": Row("library", "asset", library="$library", identifiers=["$asset"]),
    # An asset outside the trash, foreign or absent, restores nothing.
    "RestoreAssets": Row("library", library="$library", identifiers=["$asset"], diagonal="any"),
    "GetOwnedThumbnail": Row("library", "asset", library="$library", asset="$asset", maxPixels=16, diagonal="any"),
    "GetOwnedPreview": Row("library", "asset", library="$library", asset="$asset", diagonal="any"),
    "GetOwnedDetails": Row("library", "asset", library="$library", asset="$asset"),
    "GetOwnedProgress": Row("library", "asset", library="$library", asset="$asset"),
    "ReadLedger": Row("library", library="$library", app="$app", asset="$asset"),
    "VerifyLedger": Row("library", library="$library"),
    "ListDecisions": Row("library", library="$library", app="$app"),
    "UndoDecision": Row("decision", decision="$decision", last=4),
    "Apply": Row("library", "app", grants=[{**GRANT, "albumPolicy": "own"}], preview=True),
    "ListRules": Row("library", library="$library"),
    "RemoveRule": Row("library", "rule", library="$library", name="$rule", last=6),
    "ListOwnedAlbums": Row("library", "app", library="$library", app="$app"),
    "EditOwnedAlbum": Row("library", "album", library="$library", album="$album", title="Renamed"),
    "FetchOwnedColumns": Row("library", "app", library="$library", app="$app"),
    "FetchSearchHints": Row("library", library="$library", text="lake"),
    "ServePage": Row(address="127.0.0.1", port=1),
    "OpenPage": Row(diagonal="any"),
    "RedeemPageCode": Row(code="0" * 64, diagonal="NotFound"),
    "ListPickers": Row(),
    "AnswerPicker": Row("picker", picker="$picker", assets=["$asset"], last=3),
    "ListDeletions": Row(),
    "AnswerDeletion": Row("deletion", deletion="$deletion", allow=False, last=-1),
    "ListPickerApps": Row("library", library="$library"),
    "BackUp": Row(diagonal="NotPermitted"),
    # Plugins run with the broker's rights, so owners may not manage them.
    "ListPlugins": Row(diagonal="NotPermitted"),
    "InstallPlugin": Row(name="odd", form="program", descriptor=0, diagonal="NotPermitted"),
    "SetPluginEnabled": Row(name="directory", enabled=False, diagonal="NotPermitted"),
    "RemovePlugin": Row(name="directory", diagonal="NotPermitted"),
    "ReadPluginLog": Row(name="directory", diagonal="NotPermitted"),
}
LIBRARY_ROWS = {
    "Introduce": Row(manifest={"identifier": "$identifier", "name": "App", "NSPhotoLibraryUsageDescription": "Shows."}),
    "Attach": Row("token", token="$token"),
    "ListLibraries": Row(),
    "MintChildToken": Row(name="helper"),
    "LevelUnawareAuthorizationStatus": Row(),
    "LevelUnawareRequestAuthorization": Row(),
    "GetLimits": Row(),
    "FetchAssets": Row(captions=True, albums=True),
    "FetchVersions": Row(),
    "CountAssets": Row(),
    "FetchAlbums": Row(),
    "FetchPersistentChanges": Row(),
    "ObserveChanges": Row(more=True),
    "GetAuthorizationStatus": Row("library", library="$library", **RW),
    "RequestAuthorization": Row("library", library="$library", **RW, wait=False),
    "DescribeAccess": Row("library", library="$library", **RW),
    "GetResources": Row("asset", asset="$asset"),
    "GetDetails": Row("asset", asset="$asset"),
    "OpenResource": Row("asset", asset="$asset"),
    "ReadBytes": Row("asset", asset="$asset", offset=0, length=10),
    "StreamResource": Row("asset", asset="$asset", more=True),
    "GetThumbnail": Row("asset", asset="$asset", maxPixels=16, inline=True, diagonal="any"),
    "PerformChanges": Row(
        "asset", changes=[{"kind": "setFavorite", "assets": ["$asset"], "favorite": True}], dryRun=True
    ),
    "AddAsset": Row("upload", filename="a.jpg", upload="$upload", diagonal="any"),
    "BeginUpload": Row(),
    "AppendUpload": Row("upload", upload="$upload", data="AAAA", diagonal="any"),
    "GetCloudIdentifiers": Row("asset", localIdentifiers=["$asset"]),
    "GetLocalIdentifiers": Row("cloud", cloudIdentifiers=["$cloud"]),
    # Prompts a person, so it is tested in test_R126_the_selection_page_is_the_owners_question.
    "PresentLimitedLibraryPicker": Row(diagonal="waits"),
}
PICKER_ROWS = {
    "Present": Row("library", library="$library", diagonal="waits"),
    # Items belong to the connection that picked them, and here each call has its own.
    "LoadItem": Row("item", item="$item", diagonal="any"),
    "ReadItem": Row("item", item="$item", offset=0, length=10, diagonal="any"),
}
APP_ROWS = [(f"{LIBRARY}.{m}", row) for m, row in LIBRARY_ROWS.items()] + [
    (f"{PICKER}.{m}", row) for m, row in PICKER_ROWS.items()
]
SANDBOX_ROWS = {
    "GetClock": Row(),
    "SetClock": Row(now=1_800_000_000_000_000),
    "AdvanceClock": Row(microseconds=1),
    "SetSeed": Row(seed="another"),
}
SERVICE_ROWS = {"GetInfo": Row(), "GetInterfaceDescription": Row(interface=SERVICE)}


def methods(caller, interface):
    text = caller.call(SERVICE + ".GetInterfaceDescription", interface=interface)["description"]
    return set(re.findall(r"^method (\w+)", text, re.M))


def test_every_method_of_every_interface_has_a_row(scene):
    assert methods(scene.owner, ADMIN) == set(ADMIN_ROWS)
    assert methods(scene.app, LIBRARY) == set(LIBRARY_ROWS)
    assert methods(scene.app, PICKER) == set(PICKER_ROWS)
    for caller, interfaces in [(scene.owner, {ADMIN}), (scene.app, {LIBRARY, PICKER})]:
        assert methods(caller, SERVICE) == set(SERVICE_ROWS)
        assert set(caller.call(SERVICE + ".GetInfo")["interfaces"]) == {SERVICE, *interfaces}


def test_R127_R148_a_sandbox_answers_only_on_its_owners_socket(house, scene):
    """To any other user its methods belong to an unknown interface."""
    sandbox = Sandbox(house).start()
    try:
        owner = sandbox.owner()
        assert methods(owner, SANDBOX) == set(SANDBOX_ROWS)
        assert set(owner.call(SERVICE + ".GetInfo")["interfaces"]) == {SERVICE, ADMIN, SANDBOX}
        others = [sandbox.app(), scene.owner, scene.app, scene.broker.owner()]
        for method, row in SANDBOX_ROWS.items():
            assert owner.run(drive, calls=[[[], f"{SANDBOX}.{method}", row.parameters, False]])[0].keys() == {
                "reply"
            }, method
            for caller in others:
                hidden, absent = caller.run(
                    drive, calls=[[[], f"{name}.{method}", row.parameters, False] for name in (SANDBOX, ABSENT)]
                )
                assert hidden["error"] == "InterfaceNotFound", method
                assert without_names(hidden, [SANDBOX, ABSENT]) == without_names(absent, [SANDBOX, ABSENT]), method
        for caller in others:
            described, absent = caller.run(
                drive,
                calls=[
                    [[], f"{SERVICE}.GetInterfaceDescription", {"interface": name}, False] for name in (SANDBOX, ABSENT)
                ],
            )
            assert "error" in described and without_names(described, [SANDBOX, ABSENT]) == without_names(
                absent, [SANDBOX, ABSENT]
            )
    finally:
        sandbox.end()


def drive(agent, calls):
    """Make each call on its own connection, with the tokens it names; return the raw replies."""
    answers = []
    for tokens, method, parameters, more in calls:
        with Connection(agent.path, timeout=30) as connection:
            try:
                for token in tokens:
                    connection.call("io.photobroker.Library.Attach", token=token)
                connection.send(method, parameters, more=more)
                answers.append({"reply": connection.receive()[0]})
            except VarlinkError as error:
                answers.append({"error": error.name.rsplit(".", 1)[-1], "parameters": error.parameters})
    return answers


class TwoOwners:
    """Two owners and three apps. Each app's user is offered two libraries."""

    def __init__(self, broker):
        self.broker = broker
        self.owners = [broker.owner(), broker.owner()]
        self.apps = [broker.app(), broker.app(), broker.app()]
        for number, app in enumerate(self.apps):
            app.introduce(f"org.example.app{number}")
        self.places = []
        for number, (owner, offered) in enumerate([(0, [0]), (0, [0, 1]), (1, [1, 2]), (1, [2])]):
            self.add(number, self.owners[owner], [self.apps[i] for i in offered])

    def add(self, number, owner, offered):
        name = f"place{number}-{owner.uid}"
        album = Album(self.broker.house, name, owner.uid)
        for picture in range(3):
            album.add(number * 3 + picture, name=f"{name}-{picture}.jpg")
        album.let_broker_add()
        owner.add_library(name, album.folder, [a.uid for a in offered], 3)
        app = offered[0]
        owner.set(name, app.name, "limited", terms={"deletions": "ask"})
        owner.select(name, app.name, f"{name}-0.jpg")
        token = app.call("RequestAuthorization", level="readWrite", library=name)["token"]
        app.refusal("RequestAuthorization", level="addOnly", library=name, wait=False)
        owner.call(
            "Apply", rules=[{"library": name, "name": f"rule-{name}", "uid": 7, "level": "addOnly", "answer": "deny"}]
        )
        place = {
            "library": name,
            "owner": owner,
            "apps": offered,
            "holder": app,
            "token": token,
            "app": app.name,
            "offered": [a.uid for a in offered],
            "uid": app.uid,
            "rule": f"rule-{name}",
            "identifier": "org.example.app",
        }
        place["asset"] = owner.identifier(name, f"{name}-0.jpg")
        place["prompt"] = next(p["prompt"] for p in owner.prompts() if p["library"] == name)
        place["accessor"] = next(t["accessor"] for t in owner.call("ListTokens", library=name)["tokens"])
        owner.call("PauseGrant", library=name, app=app.name, paused=True)
        owner.call("PauseGrant", library=name, app=app.name, paused=False)
        place["decision"] = next(
            d["decision"] for d in owner.call("ListDecisions", library=name)["decisions"] if d["action"] == "resume"
        )
        place["album"] = owner.call("EditOwnedAlbum", library=name, title=f"album-{name}")["album"]["album"]
        picking = self.broker.app(uid=app.uid)
        picking.use(app.own_token)
        picking.begin(f"{PICKER}.Present", library=name)
        place["picking"] = picking
        place["picker"] = wait_for(
            lambda: [p for p in owner.call("ListPickers")["pickers"] if p["library"] == name], "the picker"
        )[0]["picker"]
        deleting = self.broker.app(uid=app.uid)
        deleting.use(app.own_token, token)
        owner.show_requests()
        deleting.begin("PerformChanges", changes=[deletion(deleting.fetch()[0]["localIdentifier"])])
        place["deletion"] = wait_for(
            lambda: [d for d in owner.call("ListDeletions")["deletions"] if d["library"] == name], "the question"
        )[0]["deletion"]
        self.places.append(place)

    def secrets(self, allowed):
        """Return words that occur in places outside the allowed ones only."""
        words = set()
        for place in self.places:
            if place not in allowed:
                words |= {
                    place["library"],
                    place["asset"],
                    place["prompt"],
                    place["accessor"],
                    place["rule"],
                    place["album"],
                    place["picker"],
                    place["deletion"],
                }
                if place["app"] not in [p["app"] for p in allowed]:
                    words.add(place["app"])
        return words


@pytest.fixture
def two_owners(broker):
    return TwoOwners(broker)


def mentioned_words(answer, words):
    text = json.dumps(answer)
    return sorted(word for word in words if word in text)


def without_names(answer, names):
    text = json.dumps(answer, sort_keys=True)
    for name in sorted(map(str, names), key=len, reverse=True):
        text = text.replace(name, "_")
    return text


def test_R126_R127_only_an_owners_own_libraries_answer(two_owners):
    scene = two_owners
    # An app's user and a stranger reach the owners' socket too, and own nothing.
    callers = [*scene.owners, scene.broker.owner(scene.apps[0].uid), scene.broker.owner()]
    seen = 0
    for caller in callers:
        own = [p for p in scene.places if p["owner"] is caller]
        secrets = scene.secrets(own)
        if caller.uid == scene.apps[0].uid:
            secrets.discard(scene.apps[0].name)  # the app knows its own name, but not the decisions about it
        told = {p["library"] for p in scene.places if caller.uid in p["offered"]}
        known = {p["app"] for p in own} | ({scene.apps[0].name} if caller.uid == scene.apps[0].uid else set())
        calls, expected = [], []
        for method, row in ADMIN_ROWS.items():
            for place in scene.places:
                if place in own or method == "AnswerOffer" and place["library"] in told:
                    continue
                # All names foreign, and then one foreign among own ones.
                tries = [row.names] if not own else [row.names] + [(name,) for name in row.names if len(row.names) > 1]
                for foreign in tries:
                    base = own[0] if own else NOTHING
                    if place["app"] in known:
                        foreign = tuple(n for n in foreign if n != "app")
                    if row.names and not foreign:
                        continue
                    names = {**place, **{n: base.get(n, place[n]) for n in row.names}, **{n: place[n] for n in foreign}}
                    nothing = {**names, **{n: NOTHING[n] for n in foreign}}
                    if method in ("AddLibrary", "AddApp"):
                        names["uid"] = nothing["uid"] = 4_000_000
                    for filled in (names, nothing):
                        calls.append([[], f"{ADMIN}.{method}", row.fill(filled), row.more])
                    expected.append((method, foreign, names, nothing))
        answers = caller.run(drive, calls=calls)
        for index, (method, foreign, names, nothing) in enumerate(expected):
            theirs, absent = answers[2 * index], answers[2 * index + 1]
            asked = [
                str(v)
                for n in (names, nothing)
                for v in n.values()
                if isinstance(v, (str, int)) and not isinstance(v, bool)
            ]
            assert without_names(theirs, asked) == without_names(absent, asked), (
                f"{method} with {foreign} of {names['library']} for {caller.uid}"
            )
            if foreign and method != "AddLibrary":
                assert "error" in theirs, f"{method} with {foreign} answered {caller.uid}: {theirs}"
            given = set(asked)
            assert not mentioned_words(theirs, secrets - given - (told if method == "ListOffers" else set())), (
                f"{method} for {caller.uid}"
            )
            seen += 1
    assert seen > 250


def test_R126_every_method_answers_an_owner_about_their_own_libraries(two_owners):
    scene = two_owners
    for owner in scene.owners:
        own = [p for p in scene.places if p["owner"] is owner]
        secrets = scene.secrets(own)
        removed = set()
        for method, row in sorted(ADMIN_ROWS.items(), key=lambda item: item[1].last):
            for place in own:
                if method in ("RemoveApp", "Revoke") and place["app"] in [
                    p["app"] for p in scene.places if p["owner"] is not owner
                ]:
                    continue
                if method == "RemoveApp" and place["app"] in removed:
                    continue
                removed |= {place["app"]} if method == "RemoveApp" else set()
                answer = owner.run(drive, calls=[[[], f"{ADMIN}.{method}", row.fill(place), row.more]])[0]
                assert not mentioned_words(answer, secrets), method
                if row.diagonal == "answers":
                    assert "reply" in answer, f"{method} of one's own: {answer}"
                elif row.diagonal != "any":
                    assert answer.get("error") == row.diagonal, f"{method}: {answer}"


def test_R127_only_offered_libraries_answer_an_app(two_owners):
    scene = two_owners
    for app in scene.apps:
        offered = [p for p in scene.places if app in p["apps"]]
        held = [p for p in scene.places if p["holder"] is app]
        secrets = {w for p in scene.places if p not in offered for w in (p["library"], p["asset"], p["prompt"])}
        secrets |= {p["asset"] for p in scene.places} | {p["accessor"] for p in scene.places if p not in held}
        for place in held:
            # Identifiers are per app, so another app's are useless to it.
            identifiers = app.run(
                drive, calls=[[[app.own_token, place["token"]], f"{LIBRARY}.FetchAssets", {}, False]]
            )[0]
            place["sealed"] = identifiers["reply"]["assets"][0]["localIdentifier"]
            cloud = app.run(
                drive,
                calls=[
                    [
                        [app.own_token, place["token"]],
                        f"{LIBRARY}.GetCloudIdentifiers",
                        {"localIdentifiers": [place["sealed"]]},
                        False,
                    ]
                ],
            )[0]["reply"]
            place["owner"].call("AnswerPicker", picker=place["picker"], assets=[place["asset"]])
            place["item"] = place["picking"].hear()["results"][0]["item"]
            place["cloud"] = cloud["mappings"][0].get("cloudIdentifier") or "nothing"
    for app in scene.apps:
        held = [p for p in scene.places if p["holder"] is app]
        for mine in held:
            calls, expected = [], []
            for method, row in APP_ROWS:
                own = {
                    **NOTHING,
                    **mine,
                    "asset": mine["sealed"],
                    "identifier": f"org.example.app{scene.apps.index(app)}",
                }
                is_attach = method.endswith(".Attach")
                tokens = [] if is_attach else [app.own_token, mine["token"]]
                if row.diagonal != "waits":
                    calls.append([tokens, method, row.fill(own), row.more])
                    expected.append((method, row, None))
                for place in scene.places:
                    if place is mine or "library" in row.names and app in place["apps"]:
                        continue
                    if is_attach and place["holder"] is app:
                        continue
                    if not row.names or row.names == ("item",) and place is mine:
                        continue
                    theirs = {
                        **own,
                        **{
                            n: {"asset": place.get("sealed", place["asset"])}.get(n, place.get(n, NOTHING[n]))
                            for n in row.names
                        },
                    }
                    nothing = {**own, **{n: NOTHING[n] for n in row.names}}
                    for filled in (theirs, nothing):
                        calls.append([tokens, method, row.fill(filled), row.more])
                    expected.append(
                        (method, row, [str(v) for n in (theirs, nothing) for v in n.values() if isinstance(v, str)])
                    )
            answers = iter(app.run(drive, calls=calls))
            others = {p["library"] for p in scene.places if p is not mine}
            for method, row, asked in expected:
                answer = next(answers)
                if asked is None:
                    if row.diagonal == "answers":
                        assert "reply" in answer, f"{method} of one's own: {answer}"
                    if method != f"{LIBRARY}.ListLibraries":
                        assert not mentioned_words(answer, others), f"{method} under the token of {mine['library']}"
                    else:
                        assert sorted(
                            l if isinstance(l, str) else l["name"] for l in answer["reply"]["libraries"]
                        ) == sorted(p["library"] for p in scene.places if app in p["apps"])
                else:
                    # The holder of an authentic token is told that it is another user's (R155).
                    if answer.get("error") == "TokenRefused" and method.endswith(".Attach"):
                        answer["parameters"].pop("reason", None)
                    assert without_names(answer, asked) == without_names(next(answers), asked), (
                        f"{method} with another's name"
                    )


def test_R126_only_the_owner_sees_the_selection_prompt(two_owners):
    scene = two_owners
    place = scene.places[0]
    place["holder"].use(place["holder"].own_token, place["token"])
    place["holder"].new_connection()
    place["owner"].show_requests()
    place["holder"].begin("PresentLimitedLibraryPicker")
    prompt = place["owner"].wait_for_prompt("selection")
    assert prompt["library"] == place["library"]
    assert not [p for p in scene.owners[1].prompts() if p["kind"] == "selection"]
    refused = scene.owners[1].refusal("AnswerPrompt", prompt=prompt["prompt"], answer="cancel")
    assert refused.parameters == scene.owners[1].refusal("AnswerPrompt", prompt="0" * 32, answer="cancel").parameters
    place["owner"].answer(prompt, "cancel")
    assert place["holder"].hear() == {"added": []}
