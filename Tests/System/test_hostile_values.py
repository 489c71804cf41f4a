"""Every method of every interface, with parameters at and beyond each bound.

The calls come from the daemon's own descriptions: first valid, then with one number, text or list
replaced. test_bad_input covers wrong types, test_fuzz calls of any shape.
"""

import base64
import functools
import json
import math
import os
import re

import pytest
from photobroker import Connection, VarlinkError

from house.broker import Album
from house.hostile import MOVING, OWNERS, SCRIPTS, SERVED, SEVERAL, valid_value
from house.interfaces import Interface
from house.person import Refused, wait_for
from house.pictures import day, jpeg
from house.scene import Scene

ABSENT = "0" * 31 + "7"
INTEGERS = [
    -(2**63),
    -(2**53),
    -(2**31) - 1,
    -(2**31),
    -1,
    0,
    1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**53 + 1,
    2**63 - 1,
]
FLOATS = [-1e308, -1.0, -0.0, 5e-324, 1.0, 1e308]
NO_CHARACTERS = ["\ufdd0", "\ufffe", "\uffff", "\U0001fffe", "\U0010ffff"]
TEXTS = ["", ABSENT, "f" * 16, "../..", "-1", "x" * 4_097, *SCRIPTS, *(f"a{mark}b" for mark in MOVING + NO_CHARACTERS)]


def times(count, value):
    """Return a short form of a long text or list, expanded where it is sent."""
    return {"$times": count, "of": value}


def smallest(kind, types):
    """Return the smallest valid value of a type."""
    fields = kind if isinstance(kind, dict) else types.get(kind) if isinstance(kind, str) else None
    if not isinstance(fields, dict):
        return valid_value(kind, types)
    return {
        name: smallest(field, types)
        for name, field in fields.items()
        if not (isinstance(field, list) and field[0] == "maybe")
    }


def places(kind, value, types, owner, path, absent=True):
    """Yield each place in a value: path, type, struct and field, and a function that fills it.

    `absent`: include fields that the value does not have.
    """
    if isinstance(kind, list) and kind[0] == "maybe":
        kind = kind[1]
    yield path, kind, owner, lambda new: new
    if kind in types if isinstance(kind, str) else isinstance(kind, dict):
        fields, name = (types[kind], kind) if isinstance(kind, str) else (kind, owner[0])
        value = smallest(kind, types) if value is None else value
        for field, inner in fields.items():
            if not absent and field not in value:
                continue
            for where, leaf, at, put in places(
                inner, value.get(field), types, (name, field), f"{path}.{field}", absent
            ):
                yield where, leaf, at, lambda new, field=field, put=put: {**value, field: put(new)}
    elif isinstance(kind, list) and kind[0] in ("array", "map"):
        first = next(iter(value.values() if kind[0] == "map" else value), None) if value else None
        for where, leaf, at, put in places(
            kind[1], first, types, owner, path + ("[0]" if kind[0] == "array" else ".{}"), absent
        ):
            yield where, leaf, at, lambda new, put=put: [put(new)] if kind[0] == "array" else {"key": put(new)}


def numbers(text):
    """The numbers of a text, such as the bounds of a range."""
    return [json.loads(number) for number in re.findall(r"-?\d[\d.e+]*", text)]


def hostile_values(kind, bounds, types):
    """Yield the values tried at a place of a type."""
    if kind in ("int", "float"):
        yield from INTEGERS if kind == "int" else FLOATS
        for bound in bounds or ():
            yield from (
                (bound - 1, bound, bound + 1)
                if kind == "int"
                else (math.nextafter(bound, -math.inf), float(bound), math.nextafter(bound, math.inf))
            )
    elif kind == "string":
        yield from (*TEXTS, times(65_537, "x"))
    elif kind == "object":
        yield from (
            {},
            {"identifier": "a.b", "name": times(70_000, "x")},
            *({"identifier": text, "name": text} for text in TEXTS),
        )
    elif isinstance(kind, list) and kind[0] == "array":
        yield from ([], times(1_001, smallest(kind[1], types)), times(10_001, smallest(kind[1], types)))
    elif isinstance(kind, list) and kind[0] == "map":
        yield from (
            {},
            {str(n): smallest(kind[1], types) for n in range(10_001)},
            {text: smallest(kind[1], types) for text in TEXTS},
        )
    yield None


def drive(agent, tokens, calls, seconds):
    """Make calls, and reconnect if the broker closes or waits; return how each ended."""
    upload = None

    def whole(value):
        nonlocal upload
        if isinstance(value, dict) and "$times" in value:
            return value["of"] * value["$times"] if isinstance(value["of"], str) else [value["of"]] * value["$times"]
        if isinstance(value, dict):
            return {key: whole(inner) for key, inner in value.items()}
        if value == "$upload":
            upload = upload or connection.call("io.photobroker.Library.BeginUpload")["upload"]
            return upload
        return [whole(inner) for inner in value] if isinstance(value, list) else value

    ends, connection = [], None
    for method, parameters, more in calls:
        data = b""
        try:
            if connection is None:
                connection, upload = Connection(agent.path, timeout=30), None
                for token in tokens:
                    connection.call("io.photobroker.Library.Attach", token=token)
                connection.socket.settimeout(seconds)
            data = (
                json.dumps(
                    {"method": method, "parameters": whole(parameters), **({"more": True} if more else {})}
                ).encode()
                + b"\0"
            )
            connection.socket.sendall(data)
            _, descriptors, _ = connection.receive()
            for descriptor in descriptors:
                os.close(descriptor)
            end = ["answered", None]
        except VarlinkError as error:
            end = [error.name.rsplit(".", 1)[-1], error.parameters]
        except TimeoutError:
            end = ["silent", None]
        except OSError as error:
            end = ["closed", str(error)]
        ends.append([*end, len(data)])
        if connection and (
            more
            or method.endswith(".Introduce")
            or len(data) > 1 << 20
            or end[0] in ("silent", "closed", "MessageRefused")
        ):
            connection = connection.close()
    return ends


TERMS = {
    "location": True,
    "captions": True,
    "files": False,
    "pixels": 1_024,
    "changes": True,
    "deletions": "allow",
    "photosPerDay": 1_000,
    "photosPerHour": 500,
    "bytesPerDay": 1_000_000_000_000,
    "bytesPerHour": 1_000_000_000,
}


class ValidParameters:
    """Valid parameters of every method for a scene's app or owner, new for each use."""

    def __init__(self, scene, neighbour):
        self.scene, self.neighbour, self.count = scene, neighbour, 0
        self.root = scene.broker.owner(0)
        self.folder = Album(scene.house, f"{scene.library}-b", scene.owner.uid).folder
        self.picture = base64.b64encode(jpeg(day(40), b"new")).decode()
        scene.let_broker_add()
        scene.allow()
        self.owned = [asset["identifier"] for asset in scene.owner.assets(scene.library)]
        self.album = scene.owner.call(
            "EditOwnedAlbum", library=scene.library, title="Album", add={"identifiers": self.owned}, shared=True
        )["album"]["album"]
        self.restore()
        self.seen = [asset["localIdentifier"] for asset in scene.app.fetch()]
        self.selector = {
            "identifiers": self.owned,
            "glob": "**",
            "album": self.album,
            "createdFrom": 0,
            "createdBefore": 2**53,
            "filename": scene.pictures[0],
            "mediaType": "image",
            "favorite": False,
            "hidden": False,
            "neverShare": False,
            "last": 1,
            "all": True,
        }

    def restore(self):
        """Restore the state that hostile calls may have changed."""
        scene = self.scene
        scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[scene.app.uid])
        scene.owner.call("PauseGrant", library=scene.library, paused=False)
        scene.owner.set(
            scene.library,
            scene.app.name,
            "limited",
            expires=0,
            albumPolicy="full",
            terms={**TERMS, "files": True, "pixels": None},
        )
        scene.owner.call(
            "EditSelection", library=scene.library, app=scene.app.name, add={"identifiers": self.owned}, live=False
        )
        scene.app.use(scene.app.own_token)
        scene.app.new_connection()
        assert scene.app.request() == "limited"

    def other_app(self, name="other"):
        """Introduce another app of the same user, without a decision."""
        self.count += 1
        app = self.scene.broker.app(uid=self.scene.app.uid)
        app.introduce(f"org.example.{name}{self.count}")
        return app

    def prompt(self):
        known = {prompt["prompt"] for prompt in self.scene.owner.prompts()}
        self.other_app().refusal("RequestAuthorization", level="readWrite", wait=False)
        return ({prompt["prompt"] for prompt in self.scene.owner.prompts()} - known).pop()

    def picker(self):
        known = {picker["picker"] for picker in self.pickers}
        self.other_app().begin("io.photobroker.Picker.Present", library=self.scene.library, selectionLimit=0)
        return wait_for(lambda: {picker["picker"] for picker in self.pickers} - known, "the picker to be open").pop()

    @property
    def pickers(self):
        return self.scene.owner.call("ListPickers")["pickers"]

    def decision(self):
        self.count += 1
        return self.scene.owner.call(
            "EditOwnedAlbum", library=self.scene.library, album=self.album, title=f"Album {self.count}"
        )["decisions"][0]

    def library(self):
        self.count += 1
        name = f"{self.scene.library}-{self.count}"
        self.scene.owner.call("AddLibrary", name=name, options={"path": str(self.folder)})
        return name

    def draft(self):
        return self.scene.owner.call("DraftSelection", library=self.scene.library, selector={"last": 1})["draft"]

    def of(self, interface, method):
        found = getattr(self, interface.rsplit(".", 1)[1])()[method]
        return found() if callable(found) else found

    def service(self):
        return {"GetInfo": [{}], "GetInterfaceDescription": [{"interface": "io.photobroker.Library"}]}

    def Sandbox(self):
        return {
            "GetClock": [{}],
            "SetClock": [{"now": 1}],
            "SetSeed": [{"seed": "x"}],
            "AdvanceClock": lambda: [
                {"microseconds": self.scene.owner.call("io.photobroker.Sandbox.SetClock", now=1)["now"]}
            ],
        }

    def Picker(self):
        library = self.scene.library
        return {
            "Present": [
                {
                    "library": library,
                    "identifiers": True,
                    "selectionLimit": 2,
                    "mediaTypes": ["image"],
                    "ordered": True,
                    "preselected": self.seen[:1],
                }
            ],
            "LoadItem": [{"item": ABSENT}],
            "ReadItem": [{"item": ABSENT, "offset": 0, "length": 1}],
        }

    def Library(self):
        library, asset, app = self.scene.library, self.seen[0], self.scene.app
        album = app.call("FetchAlbums")["albums"][0]["localIdentifier"]
        options = {
            "mediaTypes": ["image"],
            "mediaSubtypes": ["hdr"],
            "withoutSubtypes": ["raw"],
            "favorite": False,
            "createdFrom": 0,
            "createdBefore": 2**53,
            "album": album,
            "smartAlbum": "recentlyAdded",
            "place": {"south": -1.0, "west": -1.0, "north": 1.0, "east": 1.0},
            "text": "picture",
            "identifiers": self.seen,
            "sort": "album",
            "ascending": True,
        }
        made = {
            "kind": "createAsset",
            "placeholder": "$a",
            "filename": "new.jpg",
            "contents": self.picture,
            "favorite": True,
            "creationDate": 0,
            "latitude": 0.0,
            "longitude": 0.0,
            "text": "x",
        }
        steps = [
            [{"kind": "setFavorite", "assets": [asset], "favorite": False}],
            [{"kind": "setCreationDate", "assets": [asset], "creationDate": 0}],
            [{"kind": "setLocation", "assets": [asset], "latitude": 0.0, "longitude": 0.0}],
            [{"kind": "setCaption", "assets": [asset], "text": "x"}],
            [{"kind": "createAlbum", "text": "x", "placeholder": "$b"}],
            [{"kind": "renameAlbum", "album": album, "text": "x"}],
            [{"kind": "moveInAlbum", "album": album, "assets": [asset], "before": self.seen[1]}],
            [{"kind": "delete", "assets": [asset]}],
            [made],
        ]
        return {
            "Introduce": [
                {"manifest": {"identifier": "org.example.more", "name": "More", "localizations": {"de": {}}}}
            ],
            "Attach": [{"token": app.token}],
            "ListLibraries": [{}],
            "GetAuthorizationStatus": [{"level": "readWrite", "library": library}],
            "RequestAuthorization": [{"level": "readWrite", "library": library, "wait": False}],
            "LevelUnawareAuthorizationStatus": [{}],
            "LevelUnawareRequestAuthorization": [{}],
            "DescribeAccess": [{"level": "readWrite", "library": library}],
            "MintChildToken": [{"level": "readWrite", "name": "helper", "uid": app.uid}],
            "FetchAssets": [{"options": options, "limit": 10, "captions": True, "albums": True}, {"limit": 1}],
            "FetchVersions": [{"limit": 10}],
            "CountAssets": [{"options": options}],
            "FetchAlbums": [{"limit": 10}],
            "GetResources": [{"asset": asset}],
            "GetDetails": [{"asset": asset}],
            "OpenResource": [{"asset": asset, "role": "original"}],
            "ReadBytes": [{"asset": asset, "role": "original", "offset": 0, "length": 10}],
            "StreamResource": [{"asset": asset, "role": "original"}],
            "GetThumbnail": [{"asset": asset, "maxPixels": 64, "inline": True}],
            "PerformChanges": [{"changes": changes, "dryRun": True, "level": "readWrite"} for changes in steps],
            "AddAsset": [{"filename": "new.jpg", "contents": self.picture, "level": "readWrite", "dryRun": True}],
            "BeginUpload": [{}],
            "AppendUpload": [{"upload": "$upload", "data": self.picture}],
            "ObserveChanges": [{}],
            "FetchPersistentChanges": [{"since": app.call("FetchPersistentChanges")["event"]["changeToken"]}],
            "PresentLimitedLibraryPicker": [{}],
            "GetCloudIdentifiers": [{"localIdentifiers": [asset, album]}],
            "GetLocalIdentifiers": [{"cloudIdentifiers": ["x"]}],
            "GetLimits": [{}],
        }

    def Admin(self):
        scene, owner, selector = self.scene, self.scene.owner, self.selector
        library, app, uid, asset = scene.library, scene.app.name, scene.app.uid, self.owned[0]
        grant = {"library": library, "app": app, "level": "readWrite"}
        rule = {
            "library": library,
            "name": "r",
            "identifier": "org.example.rule",
            "uid": uid,
            "verifiedIdentity": "x",
            "level": "readWrite",
            "answer": "select",
            "albumPolicy": "none",
            "lifetime": 60,
            "author": 0,
            "made": 0,
            "rests": False,
            "restsOver": "x",
            "albumTitle": "x",
            "terms": {"location": True, "captions": True, "files": True, "changes": True, "deletions": "ask"},
            "select": [
                {
                    "glob": "**",
                    "createdFrom": 0,
                    "createdBefore": 1,
                    "filename": "x",
                    "mediaType": "image",
                    "favorite": True,
                    "last": 1,
                    "all": True,
                }
            ],
        }
        entry = {
            **grant,
            "status": "limited",
            "expires": 2_000_000_000_000_000,
            "albumPolicy": "none",
            "select": [selector],
            "replace": False,
        }
        added = {"manifest": {"identifier": "org.example.added", "name": "Added"}, "uid": uid}
        mapping = owner.library(library)["cloudMapping"]
        return {
            "GetStatus": [{}],
            "AddLibrary": [
                {
                    "name": f"{library}-b",
                    "backend": "directory",
                    "options": {"path": str(self.folder)},
                    "owner": owner.uid,
                    "offeredTo": [uid],
                    "timeZone": "Europe/Zurich",
                    "zoneOffsetMinutes": 60,
                    "cloudMapping": mapping,
                    "cloudMappingOptions": {},
                    "credentials": [],
                }
            ],
            "SetUpLibrary": [
                {
                    "name": library,
                    "options": {"path": str(scene.album.folder)},
                    "credentials": [],
                    "cloudMapping": mapping,
                    "cloudMappingOptions": {},
                    "albumPolicies": [{"policy": "shared-read", "options": {}}],
                    "timeZone": "Europe/Zurich",
                    "zoneOffsetMinutes": 60,
                }
            ],
            "ShareOriginals": [{"name": library, "share": True}],
            "AllowDeletions": [{"name": library, "allow": True}],
            "SetDefaultTerms": [{"name": library, "terms": {"photosPerDay": 20}, "standard": False}],
            "ListLibraries": [{}],
            "WatchLibrary": [{"name": library}],
            "RescanLibrary": [{"name": library}],
            "ListSkippedFiles": [{"library": library}],
            "OfferLibrary": [
                {"name": library, "offeredTo": [uid]},
                {"name": library, "add": [uid], "remove": [uid + 1]},
            ],
            "ListOffers": [{}],
            "AnswerOffer": [{"library": self.neighbour.library, "accept": True, "owner": self.neighbour.owner.uid}],
            "AnswerOffers": [{"user": self.neighbour.owner.uid, "accept": True}],
            "DelegateLibrary": [
                {
                    "name": library,
                    "coOwners": [],
                    "add": [],
                    "remove": [],
                    "administratorsSee": False,
                    "administratorsDecide": False,
                }
            ],
            "ListAdministrators": [{}],
            "SetAdministrators": [{"administrators": []}],
            "RemoveLibrary": lambda: [{"name": self.library()}],
            "AddApp": [added],
            "ListApps": [{}],
            "RemoveApp": lambda: [{"app": owner.call("AddApp", **added)["app"]["app"]}],
            "ListGrants": [{"library": library, "app": app}],
            "SetGrant": [{**grant, "status": "limited", "expires": 0, "albumPolicy": "none", "terms": TERMS}],
            "DraftSelection": [{"library": library, "selector": selector}],
            "EditSelection": lambda: [
                {"library": library, "app": app, "add": selector, "remove": {"last": 1}, "preview": True},
                {"library": library, "app": app, "addDraft": self.draft(), "removeDraft": self.draft()},
                {"library": library, "app": app, "add": {"favorite": True}, "live": True, "preview": True},
            ],
            "PauseGrant": [
                {"library": library, "app": app, "uid": uid, "level": "readWrite", "everything": False, "paused": True}
            ],
            "Revoke": [{"library": library, "app": app, "uid": uid, "level": "readWrite", "everything": False}],
            "ListPrompts": [{"language": "de"}],
            "AnswerPrompt": lambda: [
                {
                    "prompt": self.prompt(),
                    "answer": "select",
                    "selector": {"last": 1},
                    "language": "de",
                    "terms": TERMS,
                },
                {"prompt": self.prompt(), "answer": "select", "selector": {"favorite": True}, "live": True},
                {"prompt": self.prompt(), "answer": "deny"},
            ],
            "DraftAnswer": lambda: [{"prompt": self.prompt(), "selector": {"last": 1}}],
            "MintToken": [{**grant, "name": "helper"}],
            "ListTokens": [{"library": library, "app": app}],
            "FetchOwnedAssets": [
                {
                    "library": library,
                    "selector": selector,
                    "app": app,
                    "seenBy": app,
                    "addedBy": app,
                    "addedByIdentifier": "org.example.journal",
                    "limit": 10,
                    "skip": 0,
                    "purpose": "selection",
                }
            ],
            "FetchOwnedColumns": [
                {"library": library, "app": app, "seenBy": app, "album": self.album, "skip": 0, "limit": 10},
                {"library": library, "since": 1},
                {"library": library, "folder": "trips"},
                {"library": library, "place": {"south": 46.0, "west": 7.0, "north": 47.0, "east": 8.0}},
            ],
            "FetchSearchHints": [{"library": library, "text": "zur"}],
            "MarkAssets": [
                {"library": library, "selector": selector, "favorite": False, "hidden": False, "neverShare": False}
            ],
            "FetchTrashedAssets": [{"library": library, "limit": 10, "skip": 0}],
            "EditAsset": [
                {
                    "library": library,
                    "asset": asset,
                    "caption": "lake",
                    "creationDate": 1720000000000000,
                    "location": {"latitude": 47.0, "longitude": 8.0},
                },
                {"library": library, "asset": asset, "removesLocation": True},
            ],
            "ResetAssets": [{"library": library, "identifiers": [asset]}],
            "RestoreAssets": [{"library": library, "identifiers": [asset], "dryRun": True}],
            "GetOwnedThumbnail": [{"library": library, "asset": asset, "maxPixels": 64}],
            "GetOwnedPreview": [{"library": library, "asset": asset}],
            "GetOwnedProgress": [{"library": library, "asset": asset}],
            "GetOwnedDetails": [{"library": library, "asset": asset}],
            "ReadLedger": [
                {
                    "library": library,
                    "app": app,
                    "asset": asset,
                    "since": 0,
                    "limit": 10,
                    "identifier": "org.example.journal",
                }
            ],
            "VerifyLedger": [{"library": library}],
            "ListDecisions": [
                {
                    "library": library,
                    "app": app,
                    "asset": asset,
                    "since": 0,
                    "limit": 10,
                    "identifier": "org.example.journal",
                }
            ],
            "UndoDecision": lambda: [{"decision": self.decision()}],
            "Apply": [
                {"grants": [entry], "rules": [rule], "preview": True, "inSettings": True},
                {"rules": [{"library": library, "name": "q", "uid": uid, "level": "addOnly", "answer": "allow"}]},
            ],
            "ListRules": [{"library": library}],
            "RemoveRule": lambda: [owner.call("Apply", rules=[rule]) and {"library": library, "name": "r"}],
            "BackUp": [{}],
            "ListPickers": [{}],
            "AnswerPicker": lambda: [{"picker": self.picker(), "assets": self.owned, "again": []}],
            "ListDeletions": [{}],
            "AnswerDeletion": [{"deletion": "0" * 32, "allow": False}],
            "ListPickerApps": [{"library": library, "app": app, "everyone": True}],
            "ListOwnedAlbums": [{"library": library, "app": app, "limit": 10}],
            "EditOwnedAlbum": [
                {
                    "library": library,
                    "album": self.album,
                    "title": "Album",
                    "add": selector,
                    "remove": {"identifiers": []},
                    "shared": True,
                    "delete": False,
                }
            ],
            "ServePage": [{"address": "127.0.0.1", "port": 8080}],
            "OpenPage": [{}],
            "RedeemPageCode": [{"code": "0" * 64}],
            "ListPlugins": [{"name": "directory"}],
            "InstallPlugin": [{"name": "x", "form": "program", "descriptor": 0}],
            "SetPluginEnabled": [{"name": "content", "enabled": True}],
            "RemovePlugin": [{"name": "x"}],
            "ReadPluginLog": [{"name": "directory", "limit": 10}],
        }


# Methods for root alone.
ROOTS = [
    "ListAdministrators",
    "SetAdministrators",
    "BackUp",
    "ListPlugins",
    "InstallPlugin",
    "SetPluginEnabled",
    "RemovePlugin",
    "ReadPluginLog",
]
# They start processes for their values, so they get fewer texts.
COSTLY = ["AddLibrary", "SetUpLibrary"]
# They wait for a person once they accept their parameters.
WAITING = ["Present", "PresentLimitedLibraryPicker"]
MORE = [*SEVERAL, "ServePage"]
# Valid calls with another outcome here. A person is waited for, nothing was picked or trashed, and
# the asset is no video. A sandbox has no backup. No page is served, no descriptor is sent, and no
# plugin is installed.
UNMET = {
    "Present": "silent",
    "PresentLimitedLibraryPicker": "silent",
    "LoadItem": "PhotosError",
    "ReadItem": "PhotosError",
    "AnswerDeletion": "NotFound",
    "RestoreAssets": "NotFound",
    "GetOwnedPreview": "Refused",
    "BackUp": "NotPermitted",
    "OpenPage": "NotFound",
    "RedeemPageCode": "NotFound",
    "InstallPlugin": "InvalidParameter",
    "RemovePlugin": "NotFound",
}


# The owners' interface is split, because it takes as long as four others.
PARTS = [
    (name, part, parts) for name in SERVED for parts in [4 if name.endswith("Admin") else 1] for part in range(parts)
]


@pytest.mark.parametrize("name, part, parts", PARTS)
def test_every_method_takes_valid_values_and_survives_extreme_ones(throw_away, name, part, parts):
    scene, neighbour = throw_away, Scene(throw_away.broker, 1)
    neighbour.allow()
    neighbour.owner.call("OfferLibrary", name=neighbour.library, add=[scene.owner.uid])
    meant = ValidParameters(scene, neighbour)
    person = scene.owner if name in OWNERS else scene.app
    interface = Interface.of(person, name)
    for method, kinds in list(interface.methods.items())[part::parts]:
        caller = meant.root if method in ROOTS else person

        def ends(calls):
            tokens = [scene.app.own_token, scene.app.token] if person is scene.app and method != "Introduce" else []
            return caller.run(
                drive,
                tokens=tokens,
                calls=[(f"{name}.{method}", call, method in MORE) for call in calls],
                seconds=0.3 if method in WAITING else 60,
            )

        if method in WAITING:
            scene.owner.show_requests()
        for whole in meant.of(name, method):
            [(end, more, _)] = ends([whole])
            assert end == UNMET.get(method, "answered"), (method, whole, end, more)
        calls, about, had_text = [], [], False
        for number, whole in enumerate(meant.of(name, method)):
            for parameter, kind in kinds.items():
                if number > 0 and parameter not in whole:
                    continue
                for where, leaf, field, put in places(
                    kind, whole.get(parameter), interface.types, (method, parameter), parameter, number == 0
                ):
                    bounds = interface.ranges.get(field) if leaf in ("int", "float") else None
                    values = list(hostile_values(leaf, bounds, interface.types))[
                        :: 16 if leaf == "string" and method in COSTLY else 1
                    ]
                    if leaf == "string" and not had_text:
                        # The longest text, one byte more, and more than a message holds.
                        values += [times(count, "x") for count in (699_052, 699_053, 1 << 20)]
                        had_text = True
                    calls += [{**whole, parameter: put(value)} for value in values]
                    about += [(where, leaf, bounds, value) for value in values]
        found = ends(calls)
        for (where, leaf, bounds, value), (end, more, size) in zip(about, found):
            told = f"{method}({where}) = {json.dumps(value)[:100]}: {end} {more}"
            if bounds and value is not None and not bounds[0] <= value <= bounds[1]:
                assert (end, more["parameter"]) == ("InvalidParameter", where), told
                assert "does not fit" in more["problem"] or numbers(more["problem"]) == list(bounds), told
            elif size > 1 << 20:
                assert end in ("MessageRefused", "Refused", "closed"), told
            else:
                assert end not in ("MessageRefused", "closed") and (end != "silent" or method in WAITING), told
                # A sum can exceed its range, and a change refuses the fields of another kind.
                assert (
                    not bounds
                    or value is None
                    or (more or {}).get("parameter") != where
                    or method in ("AdvanceClock", "PerformChanges")
                ), told
                assert not more or "message" in more or set(more) & {"parameter", "method", "interface"}, told
                if isinstance(value, dict) and value.get("$times") == 10_001:
                    assert end == "InvalidParameter" and re.sub(r"\[\d+\]", "", more["parameter"]) == re.sub(
                        r"\[\d+\]", "", where
                    ), told
        assert scene.broker.is_running, method
        assert neighbour.app.names() == neighbour.pictures, method
        meant.restore()


# Fields whose upper bound, or both bounds, GetLimits tells.
TOLD = {
    ("pageLimit",): ["Library.FetchAssets.limit", "Library.FetchAlbums.limit"],
    ("columnLimit",): ["Admin.FetchOwnedColumns.limit"],
    ("versionsLimit",): ["Library.FetchVersions.limit"],
    ("identifiers",): ["Picker.Present.selectionLimit"],
    ("pieceBytes",): ["Library.ReadBytes.length", "Picker.ReadItem.length"],
    ("resourceBytes",): ["Library.ReadBytes.offset", "Picker.ReadItem.offset"],
    ("thumbnailPixelsFrom", "thumbnailPixels"): ["Library.GetThumbnail.maxPixels", "Admin.GetOwnedThumbnail.maxPixels"],
    ("picturePixelsFrom", "picturePixels"): ["Admin.Terms.pixels"],
    ("datesFrom", "datesTo"): [
        "Library.Change.creationDate",
        "Admin.EditAsset.creationDate",
        "Admin.SetGrant.expires",
        "Admin.GrantEntry.expires",
    ],
}


def test_the_interfaces_ranges_equal_the_reported_limits(scene):
    limits = scene.app.call("GetLimits")["limits"]
    ranges = {
        f"{name}.{member}.{field}": bounds
        for person, name in ((scene.app, "Library"), (scene.app, "Picker"), (scene.owner, "Admin"))
        for (member, field), bounds in Interface.of(person, f"io.photobroker.{name}").ranges.items()
    }
    for names, fields in TOLD.items():
        assert all(ranges[field][-len(names) :] == [limits[name] for name in names] for field in fields), (
            names,
            [ranges[field] for field in fields],
        )


def users(count):
    return list(range(70_000, 70_000 + count))


@pytest.mark.parametrize(
    "method, parameters, most",
    [
        # The owner counts too.
        ("OfferLibrary", lambda count: {"offeredTo": users(count - 1)}, 256),
        ("OfferLibrary", lambda count: {"add": users(count - 1)}, 256),
        ("DelegateLibrary", lambda count: {"coOwners": users(count)}, 32),
        ("DelegateLibrary", lambda count: {"add": users(count)}, 32),
        ("EditOwnedAlbum", lambda count: {"title": "x" * count}, 1_024),
        ("EditOwnedAlbum", lambda count: {"title": "é" * (count // 2) + "x" * (count % 2)}, 1_024),
    ],
    ids=["a complete offer", "an added offer", "co-owners", "added co-owners", "a title", "a title of other letters"],
)
def test_a_documented_count_is_accepted_and_one_more_is_refused(make_scene, method, parameters, most):
    scene = make_scene(1)
    scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    call = functools.partial(scene.owner.call, method, **{"library" if "Album" in method else "name": scene.library})
    call(**parameters(most))
    with pytest.raises(Refused) as refused:
        call(**parameters(most + 1))
    assert str(most) in json.dumps(refused.value.parameters).replace(",", ""), refused.value.parameters
