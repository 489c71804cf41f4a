"""Bad input on every route of the page's server: each kind has a status and a helpful text."""

import json
import pathlib
import re

import pytest

from house import page as pages
from house.page import send_request

SOURCES = pathlib.Path(__file__).parents[2] / "Sources/WebPage"
NOTHING, HUGE = "0" * 32, 2**63 - 1
# Bad fields of an otherwise valid request (None: left out), the status, and a word of the text.
# "$library", "$app", "$asset" and "$folder" stand for the scene's.
LIBRARY = [
    ({"library": None}, 400, "library"),
    ({"library": 7}, 400, "library"),
    ({"library": ""}, 404, "list the libraries"),
    ({"library": "absent"}, 404, "list the libraries"),
    ({"library": "x" * 10_000}, 404, "list the libraries"),
]
MAYBE_LIBRARY = LIBRARY[1:]
APP = [({"app": []}, 400, "app"), ({"app": "\u202e"}, 404, "app"), ({"app": NOTHING}, 404, "app")]
SEEN_BY = [({"seenBy": []}, 400, "seenBy"), ({"seenBy": NOTHING}, 404, "app")]
LIMIT = [({"limit": bad}, 400, "limit") for bad in (0, -1, HUGE, "x", 1.5)]
CURSOR = [({"cursor": bad}, 400, "cursor") for bad in ("x", 7)]
ASSET = [
    ({"asset": None}, 400, "asset"),
    ({"asset": NOTHING}, 404, "asset"),
    ({"asset": "../../x"}, 404, "asset"),
    ({"asset": {}}, 400, "asset"),
]
SELECTOR = [({"selector": {"last": -1}}, 422, "last"), ({"selector": {"identifiers": [NOTHING]}}, 404, "asset")]
ROWS = {
    "/session": (
        {"code": "0" * 64},
        [
            # A known session gives another one.
            ({"code": None}, 200, ""),
            ({"code": 7}, 400, "code"),
            ({"code": ""}, 401, "To open it again"),
            ({}, 401, "To open it again"),
        ],
    ),
    "/wait": (
        {"version": 0},
        [({"version": bad}, 400, "version") for bad in (-1, "x", 0.5, True)]
        + [({"language": bad}, 400, "language") for bad in ("", 7, "x" * 36, "de/../..", "de,", ",".join(["de"] * 9))]
        + [({"isHasty": 1}, 400, "isHasty"), ({"other": 1}, 400, "no such field")],
    ),
    "/touch": ({}, []),
    "/lock": ({}, []),
    "/leave": ({}, []),
    "/thumbnail": (
        {"library": "$library", "asset": "$asset", "maxPixels": 320},
        LIBRARY
        + ASSET
        + [({"maxPixels": bad}, 400, "maxPixels") for bad in (None, 0, -1, 15, 2561, HUGE, "320", 320.5, [])],
    ),
    "/preview": ({"library": "$library", "asset": "$asset"}, LIBRARY + ASSET + [({}, 422, "thumbnail")]),
    "/accounts": (
        {"users": [0]},
        [({"users": bad}, 400, "users") for bad in (None, 0, [-1], ["x"], [0.5], [HUGE], [0] * 1001)]
        + [({"other": 1}, 400, "users"), ({"name": "root"}, 400, "users")]
        + [({"users": None, "name": bad}, 400, "name") for bad in ("", 7, "x" * 257, "x\0")],
    ),
    "/folder": (
        {"path": "$folder"},
        [({"path": bad}, 400, "path") for bad in (7, [], "", "photos", "../photos", "x" * 5_000, "/tmp\0/x")]
        + [
            ({"path": bad}, 404, "no such folder")
            for bad in ("/nowhere", "/" + "x" * 5_000, "/etc/passwd", "/x" * 2_500)
        ]
        + [({"path": "/root"}, 403, "closed"), ({"path": None, "name": "x"}, 400, "path")]
        + [({"name": bad}, 400, "name") for bad in (7, "", "A", "../x", "x" * 65, "x\0", "ä")]
        + [({"letIn": bad}, 400, "letIn") for bad in (1, "yes", [])]
        + [({"name": "$library"}, 422, "there already")]
        # A co-owner's, an administrator's and a plugin's fields of AddLibrary.
        + [({other: 1}, 400, "nothing else") for other in ("owner", "offeredTo", "backend", "options", "credentials")],
    ),
    "/plugin": (
        {"path": "/usr/bin/true"},
        [({}, 422, "libNAME.so"), ({"path": None}, 400, "path"), ({"path": 7}, 400, "path")]
        + [({"path": bad}, 400, "path") for bad in ("", "x.plugin", "/x\0.plugin")]
        + [({"path": bad}, 404, "no such file") for bad in ("/x.plugin", "/", "/dev/null", "/" + "x" * 5_000)]
        + [({"path": "/etc/shadow"}, 403, "closed"), ({"path": "$plugin"}, 403, "broker's rights")]
        + [({"install": 1}, 400, "install"), ({"upgrade": True}, 400, "nothing else")],
    ),
    "/call/GetStatus": ({}, []),
    "/call/ListLibraries": ({}, []),
    "/call/ListApps": ({}, []),
    "/call/ListPickers": ({}, []),
    "/call/ListDeletions": ({}, []),
    "/call/RescanLibrary": (
        {"name": "$library"},
        [({"name": None}, 400, "name"), ({"name": "absent"}, 404, "list the libraries")],
    ),
    "/call/OfferLibrary": (
        {"name": "$library", "offeredTo": []},
        [
            ({"name": "absent"}, 404, "list the libraries"),
            ({"add": 7}, 400, "add"),
            ({"remove": [-1]}, 400, "remove"),
            ({"offeredTo": [-1]}, 400, "offeredTo"),
            ({"offeredTo": [HUGE]}, 400, "offeredTo"),
        ],
    ),
    "/call/ShareOriginals": (
        {"name": "$library", "share": False},
        [
            ({"name": "absent"}, 404, "list the libraries"),
            ({"share": None}, 400, "share"),
            ({"share": "no"}, 400, "share"),
        ],
    ),
    "/call/SetDefaultTerms": (
        {"name": "$library", "terms": {}},
        [
            ({"name": "absent"}, 404, "list the libraries"),
            ({"terms": None}, 400, "terms"),
            ({"terms": {"location": "no"}}, 400, "location"),
        ],
    ),
    "/call/AllowDeletions": (
        {"name": "$library", "allow": True},
        [
            ({"name": "absent"}, 404, "list the libraries"),
            ({"allow": None}, 400, "allow"),
            ({"allow": "no"}, 400, "allow"),
        ],
    ),
    "/call/ListGrants": ({}, MAYBE_LIBRARY + APP),
    "/call/SetGrant": (
        {"library": "$library", "app": "$app", "level": "readWrite"},
        LIBRARY
        + APP
        + [
            ({"level": "all"}, 400, "level"),
            ({"status": "yes"}, 400, "status"),
            ({"expires": -1}, 422, ""),
            ({"albumPolicy": "x" * 65}, 400, "albumPolicy"),
            ({"albumPolicy": "absent"}, 422, ""),
            ({"level": "addOnly", "status": "limited"}, 422, ""),
        ],
    ),
    "/call/DraftSelection": (
        {"library": "$library", "selector": {"last": 1}},
        LIBRARY + [({"selector": None}, 400, "selector"), ({"draft": NOTHING}, 404, "draft")],
    ),
    "/call/EditSelection": (
        {"library": "$library", "app": "$app"},
        LIBRARY + APP + [({"addDraft": NOTHING}, 404, "draft"), ({"removeDraft": 7}, 400, "removeDraft")],
    ),
    "/call/PauseGrant": (
        {"library": "$library", "app": "$app", "paused": True},
        MAYBE_LIBRARY + APP + [({"paused": None}, 400, "paused"), ({"uid": -1}, 400, "uid")],
    ),
    "/call/Revoke": (
        {"library": "$library", "app": "$app"},
        MAYBE_LIBRARY + APP + [({"library": None, "app": None}, 422, "everything")],
    ),
    "/call/ListPrompts": ({}, [({"language": 7}, 400, "language")]),
    "/call/AnswerPrompt": (
        {"prompt": NOTHING, "answer": "deny"},
        [({}, 404, "request"), ({"prompt": 7}, 400, "prompt"), ({"answer": None}, 400, "answer")],
    ),
    "/call/DraftAnswer": (
        {"prompt": NOTHING, "selector": {"last": 1}},
        [({}, 404, "request"), ({"selector": None}, 400, "selector")],
    ),
    "/call/ListTokens": ({}, MAYBE_LIBRARY + APP),
    "/call/FetchOwnedAssets": (
        {"library": "$library"},
        LIBRARY + LIMIT + APP + SEEN_BY + [({"skip": "x"}, 400, "skip")],
    ),
    "/call/FetchOwnedColumns": (
        {"library": "$library"},
        LIBRARY
        + APP
        + SEEN_BY
        + [({"album": NOTHING}, 404, "album"), ({"skip": "x"}, 400, "skip"), ({"limit": 0}, 400, "limit")]
        + [
            ({"folder": "trips", "since": 1}, 400, "folder"),
            ({"folder": 7}, 400, "folder"),
            ({"place": {"south": 1.0, "west": 0.0, "north": 0.0, "east": 0.0}}, 400, "place"),
            ({"place": {"south": 91.0, "west": 0.0, "north": 91.0, "east": 0.0}}, 400, "place"),
        ],
    ),
    "/call/FetchSearchHints": (
        {"library": "$library", "text": "lake"},
        LIBRARY + [({"text": ""}, 400, "text"), ({"text": "x" * 257}, 400, "text"), ({"text": None}, 400, "text")],
    ),
    "/call/ListOwnedAlbums": ({"library": "$library"}, LIBRARY + APP),
    "/call/EditOwnedAlbum": (
        {"library": "$library", "title": "Lake"},
        LIBRARY
        + [
            ({"title": None}, 422, ""),
            ({"title": ""}, 422, ""),
            ({"title": 7}, 400, "title"),
            ({"album": NOTHING}, 404, "album"),
            ({"add": {"last": -1}}, 422, "last"),
            ({"shared": "yes"}, 400, "shared"),
        ],
    ),
    "/call/MarkAssets": (
        {"library": "$library", "selector": {"last": 1}, "favorite": True},
        LIBRARY + SELECTOR + [({"selector": None}, 400, "selector"), ({"hidden": 1}, 400, "hidden")],
    ),
    "/call/EditAsset": (
        {"library": "$library", "asset": "$asset", "caption": "Lake"},
        LIBRARY
        + ASSET
        + [
            ({"caption": "x" * 1025}, 422, ""),
            ({"creationDate": "now"}, 400, "creationDate"),
            ({"location": {"latitude": 91.0, "longitude": 0.0}}, 400, "location"),
        ],
    ),
    "/call/ListSkippedFiles": ({"library": "$library"}, LIBRARY + CURSOR),
    "/call/FetchTrashedAssets": ({"library": "$library"}, LIBRARY + LIMIT),
    "/call/RestoreAssets": (
        {"library": "$library", "identifiers": [NOTHING]},
        LIBRARY
        + [({}, 404, ""), ({"identifiers": []}, 400, "identifiers"), ({"identifiers": None}, 400, "identifiers")],
    ),
    "/call/GetOwnedDetails": ({"library": "$library", "asset": "$asset"}, LIBRARY + ASSET),
    "/call/GetOwnedProgress": ({"library": "$library", "asset": "$asset"}, LIBRARY + ASSET),
    "/call/ReadLedger": ({"library": "$library"}, LIBRARY + LIMIT + CURSOR + APP[:2]),
    "/call/ListDecisions": ({}, MAYBE_LIBRARY + LIMIT + CURSOR + APP[:2] + ASSET[2:]),
    "/call/UndoDecision": (
        {"decision": 2**40},
        [
            ({}, 404, "decision"),
            ({"decision": None}, 400, "decision"),
            ({"decision": "x"}, 400, "decision"),
            ({"decision": -1}, 404, "decision"),
        ],
    ),
    "/call/Apply": ({}, [({"rules": 7}, 400, "rules"), ({"rules": [{}]}, 400, "rules")]),
    "/call/ListOffers": ({}, []),
    "/call/AnswerOffer": (
        {"library": "absent", "accept": False},
        [
            ({}, 404, "list the offers"),
            ({"library": None}, 400, "library"),
            ({"accept": None}, 400, "accept"),
            ({"accept": "no"}, 400, "accept"),
            ({"owner": -1}, 400, "owner"),
            ({"programs": "no"}, 400, "programs"),
            ({"coOwner": 1}, 400, "coOwner"),
        ],
    ),
    "/call/AnswerOffers": (
        {"user": 0, "accept": True},
        [
            ({"user": None}, 400, "user"),
            ({"user": -1}, 400, "user"),
            ({"accept": None}, 400, "accept"),
            ({"accept": "no"}, 400, "accept"),
        ],
    ),
    "/call/ListRules": ({}, MAYBE_LIBRARY),
    "/call/RemoveRule": (
        {"library": "$library", "name": "absent"},
        LIBRARY + [({}, 404, "rule"), ({"name": None}, 400, "name")],
    ),
    "/call/AnswerPicker": (
        {"picker": NOTHING},
        [({}, 404, "picker"), ({"picker": None}, 400, "picker"), ({"assets": 7}, 400, "assets")],
    ),
    "/call/AnswerDeletion": (
        {"deletion": NOTHING, "allow": False},
        [({}, 404, "deletion"), ({"deletion": None}, 400, "deletion"), ({"allow": 7}, 400, "allow")],
    ),
    "/call/ListPickerApps": ({"library": "$library"}, LIBRARY + APP[:2]),
    "/call/ListPlugins": ({}, [({"name": 7}, 400, "name")]),
    "/call/ReadPluginLog": (
        {"name": "directory"},
        [({}, 403, "broker's rights"), ({"name": None}, 400, "name"), ({"limit": 0}, 400, "limit")],
    ),
    "/call/RemovePlugin": ({"name": "directory"}, [({}, 403, "broker's rights"), ({"name": 7}, 400, "name")]),
    "/call/DelegateLibrary": (
        {"name": "$library", "add": []},
        [
            ({"name": "absent"}, 404, "list the libraries"),
            ({"name": None}, 400, "name"),
            ({"add": [-1]}, 400, "add"),
            ({"remove": [HUGE]}, 400, "remove"),
            ({"add": "7"}, 400, "add"),
            ({"add": list(range(7_000, 7_033))}, 422, "at most 32"),
            # The rights of administrators are for the command line.
            ({"administratorsSee": True}, 400, "library delegate"),
            ({"administratorsDecide": False}, 400, "library delegate"),
        ],
    ),
}
# Bodies that every route refuses.
NO_OBJECT = ["", "x", "[]", "null", "{", '{"a":1,"a":2}', '{"a":' * 40 + "1" + "}" * 40, '{"a":"\ud800"}', "\ufeff{}"]


def routes():
    """Return the routes that the server's sources name."""
    methods = re.search(r"methods: Set<String> = \[(.*?)\n  \]", (SOURCES / "PageService.swift").read_text(), re.S)[1]
    named = re.findall(r'"(/\w+)": \.', (SOURCES / "Route.swift").read_text())
    return {*named, *("/call/" + name for name in re.findall(r'"(\w+)"', re.sub(r"//.*", "", methods)))}


@pytest.fixture
def ask(scene):
    """Send a request to the page's server; return status, error name, error text and response."""
    server = pages.Page(scene.broker, scene.owner, None)
    host, code = server.address_and_code()
    headers = {"Host": host, "Origin": f"http://{host}", "Content-Type": "application/json"}

    def ask(path, body, method="POST", **more):
        body = body if isinstance(body, (str, bytes)) else json.dumps(body)
        response, data = send_request(
            host,
            method,
            path,
            {**headers, **more},
            body.encode(errors="surrogatepass") if isinstance(body, str) else body,
        )
        told = json.loads(data) if data and response.getheader("Content-Type") == "application/json" else {}
        return (
            response.status,
            told.get("error"),
            (told.get("parameters") or {}).get("message", "") if "error" in told else "",
            response,
        )

    ask.begin = lambda: headers.update(
        {
            "X-PhotoBroker-Session": json.loads(
                send_request(host, "POST", "/session", headers, json.dumps({"code": code}))[1]
            )["session"]
        }
    )
    yield ask
    server.end()


def with_names(question, names):
    return {
        key: names.get(value, value) if isinstance(value, str) else value
        for key, value in question.items()
        if value is not None
    }


def test_a_pages_key_reaches_no_administrators_secrets_tokens_and_options(scene, ask):
    """The page adds folders, co-owners and plugins by their names and paths alone, and removes no library."""
    ask.begin()
    assert ask("/call/GetStatus", {})[0] == 200
    asked = {
        "SetAdministrators": {"administrators": [scene.app.uid]},
        "InstallPlugin": {"name": "odd", "form": "program", "descriptor": 0},
        "SetPluginEnabled": {"name": "directory", "enabled": False},
        "SetUpLibrary": {"name": scene.library, "options": {"path": "/"}},
        "AddLibrary": {"name": "another", "options": {"path": "/"}},
        "RemoveLibrary": {"name": scene.library},
        "MintToken": {"library": scene.library, "app": scene.app.name, "level": "readWrite", "name": "x"},
    }
    for method, parameters in asked.items():
        assert ask(f"/call/{method}", parameters)[0] == 404, method
    assert scene.owner.library(scene.library)["coOwners"] == []


def test_every_route_answers_bad_input_with_its_own_status_and_text(scene, ask):
    assert set(ROWS) == routes()
    scene.limit(0)
    plugin = scene.album.put("odd.plugin", b"#!/bin/sh\n")
    names = {
        "$folder": str(scene.album.folder),
        "$plugin": str(plugin),
        "$library": scene.library,
        "$app": scene.app.name,
        "$asset": scene.owner.assets(scene.library)[0]["identifier"],
    }
    before = scene.owner.call("ListGrants")
    wrong = []

    def expect(status, word, path, question, **more):
        got, name, text, response = ask(path, question, **more)
        if got != status or (
            status >= 400
            and more.get("method") != "HEAD"
            and (not name or word not in text or len(text) < 20 or len(text) > 300)
        ):
            wrong.append((path, str(question)[:80], more, got, name, text))
        return response

    for path in ROWS:
        if path != "/session":
            expect(401, "photobroker open", path, "{}")
            expect(401, "photobroker open", path, "{}", **{"X-PhotoBroker-Session": "0" * 64})
    ask.begin()
    for path, (question, rows) in sorted(ROWS.items(), key=lambda row: row[0] == "/lock"):
        for method in ("GET", "PUT", "DELETE", "OPTIONS", "HEAD"):
            response = expect(405, "POST", path, "", method=method)
            if response.getheader("Allow") != "POST":
                wrong.append((path, method, response.getheaders()))
        expect(403, "photobroker open", path, "{}", Origin="http://evil.example")
        if path in ("/lock", "/leave"):
            continue
        for body in NO_OBJECT:
            expect(400, "JSON", path, body)
        expect(413, "too long", path, "[" * (1 << 20) + "x")
        for change, status, word in rows:
            expect(status, word, path, with_names({**question, **change}, names))
    for path in (
        "/nothing",
        "/call/",
        "/call/Nothing",
        "/call/BackUp",
        "/call/../wait",
        "/wait/",
        "//wait",
        "/" + "x" * 5000,
    ):
        expect(404, "photobroker", path, "{}")
    for path in ("/", "/main.js"):
        expect(405, "GET", path, "{}")
    assert not wrong, "\n".join(map(str, wrong))
    assert scene.owner.call("ListGrants") == before
    expect(200, "", "/lock", "no JSON at all")
    expect(401, "photobroker open", "/call/GetStatus", "{}")
    assert wrong == []
