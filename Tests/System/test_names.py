"""Names that look like something else: SQL, paths, formats, markup, other people's names.

Every name and text is refused, or kept as it is and shown harmlessly.
"""

import unicodedata

import pytest

from house.person import Refused, wait_for

NAUGHTY = [
    "'; DROP TABLE assets; --",
    '" OR 1=1 --',
    "' UNION SELECT * FROM grants --",
    "%",
    "_",
    "\\",
    "*",
    "[a-z]",
    "(?:a+)+$",
    "../../etc/passwd",
    "/etc/passwd",
    "..",
    ".",
    "~root",
    "file:///etc/passwd",
    "https://example.org/?x=1",
    "$(id)",
    "`id`",
    "; id",
    "| id",
    "&& id",
    "-rf",
    "--help",
    "%s%s%s%n",
    "%x" * 20,
    "{0}",
    "${jndi:ldap://x}",
    "{{7*7}}",
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\" onload=\"x",
    "\u202egpj.exe",
    "\u2066left\u2069",
    "\u200b",
    "zero\u200bwidth",
    "\ufeffmark",
    "о\u0440g.example",
    "ORG.EXAMPLE.JOURNAL",
    " org.example.journal",
    "e\u0301",
    "\u00e9",
    "\ufb01le",
    "I\u0307",
    "\u1e9e",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467",
    "Z\u0351\u036b\u0343\u036a\u0302\u036b" * 20,
    "\x1b[31mred\x1b[0m",
    "\x1b]0;title\x07",
    "\x07",
    "\x08\x08\x08",
    "\r\nInjected: yes",
    "line\nbreak",
    "tab\ttab",
    "\x00",
    "a\x00b",
    "\x7f",
    "\x85",
    "\u2028",
    "\ue000",
    "\ufffe",
    "CON",
    "NUL.jpg",
    "null",
    "true",
    "0",
    "-1",
    "1e400",
    "NaN",
    "[]",
    "{}",
    "",
    " ",
    "\u3000",
    "x" * 300,
    "é" * 200,
    "\U0001f600" * 100,
]


def folded(text):
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def is_plain(text):
    """Whether a text has no control or direction characters; joiners for emoji are allowed."""
    return all(c in "\n\t\u200c\u200d" or unicodedata.category(c) not in ("Cc", "Cf", "Zl", "Zp") for c in text)


def attempt(person, method, **parameters):
    """Return the reply or the refusal, which must be an intended one."""
    try:
        return person.call(method, **parameters)
    except Refused as refused:
        assert refused.error not in {"MethodNotFound", "internalError"} and refused.reason != "internalError", (
            method,
            parameters,
            refused,
        )
        return None


def test_hostile_names_are_safe_in_the_apps_interface(scene):
    scene.allow()
    app, asset = scene.app, scene.app.fetch()[0]["localIdentifier"]
    everything = app.fetch()
    kept = {}
    for name in NAUGHTY:
        for field, value in [
            ("text", name),
            ("album", name),
            ("smartAlbum", name),
            ("sort", name),
            ("identifiers", [name]),
            ("mediaTypes", [name]),
        ]:
            reply = attempt(app, "FetchAssets", options={field: value})
            found = [a["localIdentifier"] for a in reply["assets"]] if reply else []
            wanted = [
                a["localIdentifier"] for a in everything if field == "text" and folded(name) in folded(a["filename"])
            ]
            assert len(found) in (0, len(wanted)), (
                f"only a text finds something, and only what holds it: {field} {ascii(name)}"
            )
        for method, parameters in [
            ("Attach", {"token": name}),
            ("GetAuthorizationStatus", {"level": "readWrite", "library": name}),
            ("GetAuthorizationStatus", {"level": name}),
            ("FetchAssets", {"cursor": name}),
            ("FetchPersistentChanges", {"since": name}),
            ("GetResources", {"asset": name}),
            ("ReadBytes", {"asset": asset, "role": name, "offset": 0, "length": 1}),
        ]:
            reply = attempt(app, method, **parameters)
            assert reply is None or (method, name) in {("FetchAssets", "")} or "role" in parameters and name == "", (
                method,
                name,
            )
        reply = attempt(app, "PerformChanges", changes=[{"kind": "createAlbum", "text": name}])
        if reply:
            kept[reply["createdAlbums"][0]] = name
        attempt(app, "PerformChanges", changes=[{"kind": "setCaption", "assets": [asset], "text": name}])
    titles = {a["localIdentifier"]: a["title"] for a in app.call("FetchAlbums")["albums"]}
    assert titles == kept, "what is kept is kept as it is"
    assert all(is_plain(title) for title in titles.values()), [ascii(t) for t in titles.values() if not is_plain(t)]
    assert app.count() == len(everything)


@pytest.mark.library("shared")
def test_hostile_names_of_apps_are_safe(scene):
    """An app's texts reach its owner's terminal, so they may not move or hide other text."""
    claimed = {}
    for number, name in enumerate(NAUGHTY):
        for key in ("identifier", "name", "NSPhotoLibraryUsageDescription"):
            app = (
                scene.broker.stranger(uid=scene.app.uid)
                if number == 0
                else claimed.get("person") or scene.broker.stranger(uid=scene.app.uid)
            )
            claimed["person"] = app
            app.new_connection()
            manifest = {
                "identifier": f"org.example.n{number}",
                "name": "N",
                "NSPhotoLibraryUsageDescription": "Why.",
                key: name,
            }
            reply = attempt(app, "Introduce", manifest=manifest)
            if reply and key != "identifier":
                attempt(app, "Attach", token=reply["token"])
                attempt(app, "RequestAuthorization", level="readWrite", wait=False)
            if key == "identifier":
                assert reply is None or name.isascii(), name
    for prompt in scene.owner.prompts():
        for text in (prompt.get("claimedName"), prompt.get("name"), prompt.get("reason")):
            assert text is None or is_plain(text), ascii(text)
    for command in (["request", "list"], ["app", "list"], ["grant", "show"], ["log", scene.library]):
        shown = scene.broker.photobroker(scene.owner.uid, *command, expect=None).stdout
        assert is_plain(shown), [ascii(line) for line in shown.splitlines() if not is_plain(line)][:3]
    assert scene.owner.library(scene.library)["assets"] == len(scene.pictures)


@pytest.mark.library("shared")
def test_hostile_names_are_safe_in_the_owners_interface(scene):
    scene.limit(0)
    owner, library, app = scene.owner, scene.library, scene.app.name
    before = [l["name"] for l in owner.call("ListLibraries")["libraries"]]
    for number, name in enumerate(NAUGHTY):
        is_library_name = name.isascii() and name.isalpha() and name.islower()
        # Each of these starts a plugin, so only some names do.
        adding = (
            []
            if number % 6
            else [
                ("AddLibrary", {"name": "naughty", "backend": name, "options": {"path": "/nonexistent"}}),
                ("AddLibrary", {"name": "naughty", "options": {"path": name}}),
                ("AddLibrary", {"name": "naughty", "options": {name: "x"}}),
            ]
        )
        for method, parameters in (
            []
            if is_library_name
            else [
                ("AddLibrary", {"name": name, "options": {"path": str(scene.album.folder)}}),
                *adding,
                ("RemoveLibrary", {"name": name}),
                ("WatchLibrary", {"name": name}),
                ("RemoveApp", {"app": name}),
                ("SetGrant", {"library": library, "app": app, "level": name, "status": "authorized"}),
                ("SetGrant", {"library": library, "app": app, "level": "readWrite", "status": name}),
                ("SetGrant", {"library": library, "app": name, "level": "readWrite", "status": "authorized"}),
                ("AnswerPrompt", {"prompt": name, "answer": "allow"}),
                ("Revoke", {"accessor": name}),
                ("ListTokens", {"library": name}),
                ("GetOwnedThumbnail", {"library": library, "asset": name, "maxPixels": 64}),
                ("GetOwnedPreview", {"library": library, "asset": name}),
                ("GetOwnedDetails", {"library": library, "asset": name}),
                ("GetOwnedProgress", {"library": library, "asset": name}),
                ("ListOwnedAlbums", {"library": library, "app": name}),
                ("ReadLedger", {"library": library, "app": name}),
                ("AddApp", {"manifest": {"identifier": name, "name": "x", "x": name}}),
            ]
        ):
            reply = attempt(owner, method, **parameters)
            assert reply is None or method == "AddApp" and name.isascii() or not reply.get("library"), (method, name)
        for selector in ({"glob": name}, {"name": name}, {"identifiers": [name]}):
            reply = attempt(owner, "FetchOwnedAssets", library=library, selector=selector)
            assert reply is None or len(reply["assets"]) in (0, len(scene.pictures)), (selector, reply)
    assert [l["name"] for l in owner.call("ListLibraries")["libraries"]] == before
    assert scene.app.names() == [scene.pictures[0]]


def test_hostile_file_names_are_safe(scene):
    """Any file name reaches apps as text, finds its own file, and breaks no line."""
    names = []
    for number, name in enumerate(NAUGHTY):
        name = name.replace("/", "_").replace("\0", "")[:60].strip() + f" {number}.jpg"
        scene.album.add(100 + number, name)
        names.append(name)
    total = len(scene.pictures) + len(names)
    scene.owner.call("RescanLibrary", name=scene.library)
    total -= sum(name.startswith(".") for name in names)
    scene.allow()
    wait_for(
        lambda: scene.app.count() + scene.owner.library(scene.library).get("skipped", 0) >= total,
        "all files to be seen",
    )
    listed = {a["filename"]: a["localIdentifier"] for a in scene.app.fetch(limit=1000)}
    missing = [ascii(n) for n in names if n not in listed and not n.startswith(".")]
    assert len(missing) == scene.owner.library(scene.library).get("skipped", 0), missing
    for name in [n for n in names if n in listed][:20]:
        assert scene.app.count(identifiers=[listed[name]]) == 1
    shown = scene.broker.photobroker(scene.owner.uid, "library", "list").stdout
    assert is_plain(shown)
    result = scene.broker.photobroker(
        scene.owner.uid, "grant", "select", scene.library, scene.app.name, "--all", "--preview", expect=None
    )
    assert is_plain(result.stdout + result.stderr), [ascii(l) for l in result.stdout.splitlines() if not is_plain(l)][
        :3
    ]
