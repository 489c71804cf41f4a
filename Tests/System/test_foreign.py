"""Foreign identifiers are answered like absent ones, to owners and to apps."""

from house.interfaces import Interface

# The other parameters of each call.
FILLING = {
    "level": "readWrite",
    "status": "authorized",
    "answer": "allow",
    "paused": True,
    "offeredTo": [],
    "options": {},
    "maxPixels": 64,
    "selector": {"all": True},
    "favorite": True,
    "method": "none",
    "language": "de",
    "limit": 10,
    "add": {"all": True},
    "albumPolicy": "own",
}
# The caller's own identifiers, so that a single one is foreign.
NAMING = {"library", "name", "app", "prompt", "asset", "accessor", "decision", "token"}
# The caller chooses these names.
CHOOSING = {("AddLibrary", "name"), ("AddApp", "name"), ("MintToken", "name")}


def value(kind, name, interface):
    if name in FILLING:
        return FILLING[name]
    if isinstance(kind, list) and kind[0] in ("array", "map"):
        return [] if kind[0] == "array" else {}
    return {"string": "x", "int": 1, "bool": True, "float": 0.0}.get(kind, {})


def is_optional(kind):
    return isinstance(kind, list) and kind[0] == "maybe"


def test_an_owner_finds_nothing_of_another_owner_by_any_method(make_scene):
    """OpenBao CVE-2026-40264. Each method that takes an identifier is tried."""
    mine, theirs = make_scene(2), make_scene(3)
    theirs.limit(0)
    mine.limit(0)
    other = theirs.broker.app(uid=theirs.app.uid)
    other.introduce("org.example.waiting")
    other.begin_request()
    prompt = theirs.owner.wait_for_prompt()["prompt"]
    foreign = {
        "library": theirs.library,
        "name": theirs.library,
        "app": theirs.app.name,
        "prompt": prompt,
        "asset": theirs.owner.assets(theirs.library)[0]["identifier"],
        "accessor": theirs.owner.call("ListTokens", library=theirs.library)["tokens"][0]["accessor"],
    }
    own = {
        "library": mine.library,
        "name": mine.library,
        "app": mine.app.name,
        "asset": mine.owner.assets(mine.library)[0]["identifier"],
    }
    absent = {"library": "there-is-none", "name": "there-is-none"}
    interface = Interface.of(mine.owner, "io.photobroker.Admin")
    state = [
        theirs.owner.call("ListGrants"),
        theirs.owner.assets(theirs.library),
        theirs.owner.call("ListTokens"),
        theirs.owner.prompts(),
    ]
    tried = []

    def outcome(method, parameters):
        try:
            return {"reply": mine.owner.call(method, **parameters)}
        except Exception as refused:
            assert hasattr(refused, "name"), (method, parameters, refused)
            return {"error": refused.name, "parameters": refused.parameters}

    for method, parameters in interface.methods.items():
        for target in [p for p in parameters if p in NAMING and p in foreign and (method, p) not in CHOOSING]:
            given = {
                p: own.get(p, value(k, p, interface))
                for p, k in parameters.items()
                if not is_optional(k) and p != target
            }
            for more in ({}, {"library": mine.library} if "library" in parameters and target != "library" else {}):
                gone = absent.get(target, "%032x" % 7)
                with_foreign = outcome(method, {**given, **more, target: foreign[target]})
                with_absent = outcome(method, {**given, **more, target: gone})
                assert with_foreign == with_absent, (method, target)
                tried.append((method, target))
    for method, parameter in (("EditSelection", "add"), ("MarkAssets", "selector"), ("FetchOwnedAssets", "selector")):
        given = {
            p: own.get(p, value(k, p, interface)) for p, k in interface.methods[method].items() if not is_optional(k)
        }
        # The message repeats the identifier.
        outcomes = [
            str(outcome(method, {**given, parameter: {"identifiers": [asset]}})).replace(asset, "it")
            for asset in (foreign["asset"], "%032x" % 7)
        ]
        assert outcomes[0] == outcomes[1], method
    assert len(set(tried)) >= 24, tried
    assert state == [
        theirs.owner.call("ListGrants"),
        theirs.owner.assets(theirs.library),
        theirs.owner.call("ListTokens"),
        theirs.owner.prompts(),
    ]
    assert theirs.app.names() == [theirs.pictures[0]]
    theirs.owner.call("AnswerPrompt", prompt=prompt, answer="deny")
    other.hear()


def test_an_app_finds_nothing_outside_its_selection_by_any_method(scene):
    """R40: each method that takes an identifier answers a hidden and an absent one alike."""
    scene.allow()
    hidden = next(a["localIdentifier"] for a in scene.app.fetch() if a["filename"] == scene.pictures[1])
    full = scene.broker.app(uid=scene.app.uid)
    full.introduce("org.example.full")
    scene.allow(app=full)
    reply = full.call("PerformChanges", changes=[{"kind": "createAlbum", "text": "Hidden"}])
    album = reply["createdAlbums"][0]
    scene.owner.set(scene.library, scene.app.name, "limited")
    scene.select(0)
    scene.app.request()
    interface = Interface.of(scene.app, "io.photobroker.Library")
    tried = []

    def outcome(method, parameters):
        try:
            return {"reply": scene.app.call(method, **parameters)}
        except Exception as refused:
            assert hasattr(refused, "name"), (method, parameters, refused)
            return {"error": refused.name, "parameters": refused.parameters}

    def same(method, make):
        answers = [outcome(method, make(identifier)) for identifier in (hidden, "%032x" % 7, album)]
        for answer in answers:
            if "reply" in answer:
                answer["reply"].pop("changeToken", None)
        assert answers[0] == answers[1] == answers[2], (method, answers)
        tried.append(method)

    for method, parameters in interface.methods.items():
        if method in ("StreamResource", "ObserveChanges"):
            continue
        given = {p: value(k, p, interface) for p, k in parameters.items() if not is_optional(k)}
        if "asset" in parameters:
            same(method, lambda identifier: {**given, "asset": identifier})
        if "options" in parameters:
            options = interface.types["FetchOptions"]
            for field in [f for f in options if f in ("identifiers", "album", "albums")]:
                many = field != "album"
                same(method, lambda identifier: {**given, "options": {field: [identifier] if many else identifier}})
    for kind, more in [
        ("setFavorite", {"favorite": True}),
        ("delete", {}),
        ("setCaption", {"text": "x"}),
        ("setCreationDate", {"creationDate": 1}),
        ("setLocation", {}),
    ]:
        same("PerformChanges", lambda identifier: {"changes": [{"kind": kind, "assets": [identifier], **more}]})
    for kind in ("renameAlbum", "deleteAlbum", "addToAlbum", "removeFromAlbum"):
        own = scene.app.fetch()[0]["localIdentifier"]
        same(
            "PerformChanges",
            lambda identifier: {"changes": [{"kind": kind, "album": identifier, "text": "x", "assets": [own]}]},
        )
    assert len(tried) >= 16, tried
