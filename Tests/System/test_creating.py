"""Change requests that create assets, in albums and with metadata, all or nothing."""

import hashlib
import json
import os
import signal
import tempfile
import time

import pytest

from house.app import creation, encoded
from house.client_functions import send_in_two_halves
from house.person import Refused, storage_processes, wait_for
from house.pictures import day, jpeg
from house.scene import Scene


@pytest.fixture
def scene(scene):
    scene.let_broker_add()
    return scene


def stored_files(scene):
    return sorted(str(p.relative_to(scene.album.folder)) for p in scene.album.folder.rglob("*") if p.is_file())


def test_R14_R43_one_request_creates_a_photo_in_a_new_album(scene):
    scene.limit(1)
    scene.set_terms(location=True)
    picture = jpeg(day(40), b"lake")
    reply = scene.app.perform(
        {"kind": "createAlbum", "text": "Lake", "placeholder": "$album"},
        creation(
            "lake.jpg",
            picture,
            placeholder="$photo",
            favorite=True,
            creationDate=1_500_000_000_000_000,
            latitude=47.5,
            longitude=8.5,
            text="At noon",
        ),
        {
            "kind": "addToAlbum",
            "album": "$album",
            "assets": ["$photo", scene.app.named(scene.pictures[1])["localIdentifier"]],
        },
    )
    assert reply["placeholders"] == {"$album": reply["createdAlbums"][0], "$photo": reply["createdAssets"][0]}
    album = reply["createdAlbums"][0]
    assert [a["title"] for a in scene.app.call("FetchAlbums")["albums"]] == ["Lake"]
    members = scene.app.fetch(album=album, sort="album", ascending=True)
    assert [a["filename"] for a in members] == ["lake.jpg", scene.pictures[1]]
    made = members[0]
    assert made["localIdentifier"] == reply["createdAssets"][0]
    assert (
        made["isFavorite"] and made["creationDate"] == 1_500_000_000_000_000 and made["creationDateOrigin"] == "edited"
    )
    assert (made["latitude"], made["longitude"]) == (47.5, 8.5)
    assert scene.app.digest(made["localIdentifier"]) == hashlib.sha256(picture).hexdigest()
    scene.owner.rescan(scene.library)
    assert scene.app.named("lake.jpg") == made, "what was said of it wins over its file"
    assert scene.app.call("GetDetails", asset=made["localIdentifier"]) == {"caption": "At noon"}


def create_by_descriptors(agent, files, changes, method="io.photobroker.Library.PerformChanges"):
    """Send a call with the descriptors of these files, in their order."""
    opened = [os.open(file, os.O_RDONLY) for file in files]
    try:
        return agent.connection().call(method, descriptors=opened, changes=changes)
    finally:
        for number in opened:
            os.close(number)


def pipeline_creations(agent, pictures, calls):
    """Send all calls while the first waits for its pipe; return how many photos each created."""
    connection = agent.connection()

    def send(name, files):
        connection.send(
            "io.photobroker.Library.PerformChanges",
            {
                "changes": [
                    {"kind": "createAsset", "filename": f"{name}-{index}.jpg", "descriptor": index}
                    for index in range(len(files))
                ]
            },
            descriptors=[file.fileno() for file in files],
        )
        for file in files:
            file.close()

    reader, writer = os.pipe()
    send("first", [os.fdopen(reader, "rb")])
    rest = iter(pictures)
    for call, count in enumerate(calls):
        files = []
        for _ in range(count):
            file = tempfile.TemporaryFile()
            file.write(next(rest).encode("latin1"))
            file.seek(0)
            files.append(file)
        send(f"ahead-{call}", files)
    with os.fdopen(writer, "wb") as pipe:
        pipe.write(next(rest).encode("latin1"))
    return [len(connection.receive()[0]["createdAssets"]) for _ in range(len(calls) + 1)]


@pytest.mark.parametrize("calls", [[32] * 4, [16] * 8, [3] * 24])
def test_pipelined_calls_with_many_descriptors_all_create_their_photos(scene, calls):
    scene.allow()
    pictures = [jpeg(day(index % 300), b"%d" % index).decode("latin1") for index in range(sum(calls) + 1)]
    assert scene.app.run(pipeline_creations, pictures=pictures, calls=calls) == [1] + calls
    assert len(scene.owner.assets(scene.library)) == len(scene.pictures) + len(pictures)


def disconnect_with_pending_calls(agent, calls, each):
    """Send calls with `each` descriptors while the first waits for its pipe, then disconnect."""
    connection = agent.connection("ahead")

    def send(descriptors):
        connection.send(
            "io.photobroker.Library.PerformChanges",
            {
                "changes": [
                    {"kind": "createAsset", "filename": f"{index}.jpg", "descriptor": index}
                    for index in range(len(descriptors))
                ]
            },
            descriptors=descriptors,
        )

    reader, agent.pipe = os.pipe()
    send([reader])
    os.close(reader)
    with open("/dev/null") as file:
        for _ in range(calls):
            send([file.fileno()] * each)
    agent.close("ahead")


def close_pipe(agent):
    os.close(agent.pipe)


def test_a_client_that_leaves_with_calls_waiting_leaks_no_descriptor_and_is_logged(scene):
    scene.allow()
    before = scene.broker.settled_descriptor_count()
    scene.app.run(disconnect_with_pending_calls, calls=4, each=32)
    wait_for(lambda: "a connection was closed by its app while calls waited" in scene.broker.log, "the line in the log")
    scene.app.run(close_pipe)
    assert scene.broker.wait_until_descriptors(before) <= before


def test_too_many_descriptors_with_one_call_close_the_connection(scene):
    scene.allow()

    def pile(agent):
        connection = agent.connection()
        with open("/dev/null") as file:
            try:
                connection.send(
                    "io.photobroker.Library.PerformChanges", {"changes": []}, descriptors=[file.fileno()] * 65
                )
                connection.receive()
            except OSError as error:
                return type(error).__name__

    assert scene.app.run(pile) in ("ConnectionError", "ConnectionResetError", "BrokenPipeError")
    assert "the number of descriptors that wait" in scene.broker.log


def test_R14_one_request_takes_photos_by_descriptor_upload_and_inline(scene, photographs):
    """Each step gets its own bytes, of real photographs if there are some."""
    scene.limit(0)
    # The delivered bytes are those of the file.
    scene.set_terms(location=True)
    real = sorted((photographs or scene.album.folder).rglob("*.jpg"))[:3]
    upload = scene.app.call("BeginUpload")["upload"]
    drawn = jpeg(day(41), b"sent", padding=600_000)
    scene.app.call("AppendUpload", upload=upload, data=encoded(drawn[:400_000]))
    scene.app.call("AppendUpload", upload=upload, data=encoded(drawn[400_000:]))
    small = jpeg(day(42), b"small")
    places = []
    for number, photo in enumerate(real):
        place = scene.house.folder / f"handed-{scene.app.uid}-{number}{photo.suffix}"
        place.write_bytes(photo.read_bytes())
        place.chmod(0o644)
        places.append(str(place))
    reply = scene.app.run(
        create_by_descriptors,
        files=places,
        changes=[
            {"kind": "createAsset", "filename": f"second{real[1].suffix}", "descriptor": 1},
            {"kind": "createAsset", "filename": "sent.jpg", "upload": upload},
            {"kind": "createAsset", "filename": f"first{real[0].suffix}", "descriptor": 0},
            creation("small.jpg", small),
            {"kind": "createAsset", "filename": f"third{real[2].suffix}", "descriptor": 2},
        ],
    )
    wanted = [real[1].read_bytes(), drawn, real[0].read_bytes(), small, real[2].read_bytes()]
    assert [scene.app.digest(a) for a in reply["createdAssets"]] == [hashlib.sha256(b).hexdigest() for b in wanted]
    assert len(scene.app.names()) == 6, "the one that was selected, and its own"


def test_one_bad_photo_among_five_leaves_nothing(scene):
    scene.limit(0)
    before, names, seen = stored_files(scene), scene.owner.names(scene.library), scene.app.names()
    steps = [{"kind": "createAlbum", "text": "Trip", "placeholder": "$trip"}]
    for number in range(5):
        data = b"neither a photo nor a video" if number == 3 else jpeg(day(40 + number), b"%d" % number)
        steps += [
            creation(f"{number}.jpg", data, placeholder=f"${number}"),
            {"kind": "addToAlbum", "album": "$trip", "assets": [f"${number}"]},
        ]
    refused = scene.app.refusal("PerformChanges", changes=steps)
    assert (refused.reason, refused.parameters["code"]) == ("invalidResource", 3302)
    dry = scene.app.refusal("PerformChanges", changes=steps, dryRun=True)
    assert dry.parameters == refused.parameters
    # One step is invalid, although the bytes of all are good.
    good = [step for step in steps if step.get("filename") != "3.jpg" and step.get("assets") != ["$3"]]
    refused = scene.app.refusal(
        "PerformChanges", changes=good + [{"kind": "renameAlbum", "album": "0" * 32, "text": "x"}]
    )
    assert refused.reason == "identifierNotFound"
    dry = scene.app.perform(*good, dryRun=True)
    assert dry["createdAssets"] == dry["createdAlbums"] == [] and dry["placeholders"] == {}
    scene.owner.rescan(scene.library)
    assert stored_files(scene) == before and scene.owner.names(scene.library) == names and scene.app.names() == seen
    assert scene.app.call("FetchAlbums")["albums"] == []
    assert len(scene.app.perform(*good)["createdAssets"]) == 4
    assert len(stored_files(scene)) == len(before) + 4


@pytest.mark.parametrize("mayTrash", [False, True], ids=["where it may only read", "where it may trash"])
def test_R142_an_owners_file_is_never_mistaken_for_one_of_a_failed_request(own_broker, mayTrash):
    """A file of the same name and bytes comes into the folder after the failure: it stays."""
    scene = Scene(own_broker, 3)
    scene.allow()
    if mayTrash:
        scene.album.folder.chmod(0o770)
        folder = scene.album.folder / "PhotoBroker"
        folder.mkdir(mode=0o555)
        os.chown(folder, scene.album.uid, 61001)
    data = jpeg(day(60), b"mine")
    with pytest.raises(Refused):
        scene.app.perform(creation("IMG_1.jpg", data))
    scene.album.put("IMG_1.jpg", data)
    for again in range(2):
        scene.owner.rescan(scene.library)
        wait_for(lambda: "IMG_1.jpg" in scene.owner.names(scene.library), "the owner's file")
        if not again:
            own_broker.restart()
            scene.owner.new_connection()
            wait_for(lambda: scene.owner.library(scene.library)["state"] == "online", "the library")
    assert (scene.album.folder / "IMG_1.jpg").read_bytes() == data
    assert not list(scene.album.folder.rglob(".photobroker-trash/*/*.jpg"))
    assert scene.owner.call("FetchTrashedAssets", library=scene.library)["total"] == 0


def test_R128_an_unremovable_leftover_becomes_the_owners_and_blocks_no_other_app(own_broker):
    scene = Scene(own_broker, 3)
    scene.let_broker_add()
    scene.allow()
    app = scene.app
    other = own_broker.app(uid=app.uid)
    other.use(app.own_token, app.token)
    third = own_broker.app(uid=app.uid)
    third.introduce("org.example.third")
    scene.allow(app=third)
    album = app.perform({"kind": "createAlbum", "text": "x"})["createdAlbums"][0]
    folder = scene.album.folder / "PhotoBroker"
    for place in (folder, scene.album.folder):
        (place / ".photobroker-trash").mkdir(mode=0o555)
    changes = [creation(f"{i}.jpg", jpeg(day(i), b"%d" % i), placeholder=f"$p{i}") for i in range(32)]
    app.begin("PerformChanges", changes=[*changes, {"kind": "addToAlbum", "album": album, "assets": ["$p0"]}])
    wait_for(lambda: len(list(folder.rglob("*.jpg"))) > 2, "the first files")
    other.call("PerformChanges", changes=[{"kind": "deleteAlbum", "album": album}])
    with pytest.raises(Refused) as refused:
        app.hear()
    assert refused.value.reason == "identifierNotFound"
    there = {p.name for p in folder.rglob("*.jpg")}
    assert there, "they cannot be taken away"
    wait_for(lambda: there <= set(scene.owner.names(scene.library)), "the owner to see what is there")
    assert third.perform(creation("third.jpg", jpeg(day(70), b"third")))["createdAssets"]
    assert app.perform(creation("more.jpg", jpeg(day(71), b"more")))["createdAssets"]


def hold_unfinished_request(agent, size, seconds):
    """Send a request whose second asset arrives slowly; end the connection, or return the error."""
    head = agent.connection()
    picture = os.memfd_create("large")
    os.write(picture, bytes.fromhex(size["picture"]))
    os.truncate(picture, size["bytes"])
    reader, writer = os.pipe()
    head.send(
        "io.photobroker.Library.PerformChanges",
        {
            "changes": [
                {"kind": "createAsset", "filename": "large.jpg", "descriptor": 0},
                {"kind": "createAsset", "filename": "slow.jpg", "descriptor": 1},
            ]
        },
        descriptors=[picture, reader],
    )
    os.close(reader)
    os.close(picture)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            os.write(writer, b"x")
        except BrokenPipeError:
            break
        time.sleep(0.2)
        if os.path.exists(size["go"]):
            break
    os.close(writer)
    try:
        head.receive()
        return "made"
    except Exception as refusal:
        return str(refusal)


def add_large_photo(agent, size):
    picture = os.memfd_create("large")
    os.write(picture, bytes.fromhex(size["picture"]))
    os.truncate(picture, size["bytes"])
    try:
        return agent.connection().call(
            "io.photobroker.Library.AddAsset", descriptors=[picture], filename="large.jpg", descriptor=0
        )
    except Exception as refusal:
        return str(refusal)
    finally:
        os.close(picture)


def test_R128_the_bytes_of_an_apps_unfinished_requests_share_a_quota(own_broker):
    """Two requests exceed the app's quota, so one is refused; another app is not affected."""
    scene = Scene(own_broker, 1)
    scene.let_broker_add()
    scene.allow()
    app = scene.app
    twin = own_broker.app(uid=app.uid)
    twin.use(app.own_token, app.token)
    third = own_broker.app(uid=app.uid)
    third.introduce("org.example.third")
    scene.allow(app=third)
    go = scene.house.folder / f"go-holding-{app.uid}"
    size = {
        "picture": jpeg(day(80), b"large").hex(),
        "bytes": app.call("GetLimits")["limits"]["createdBytesPerApp"] * 3 // 5,
        "go": str(go),
    }
    for each in (app, twin):
        each.start(hold_unfinished_request, size=size, seconds=60)
    refused = wait_for(
        lambda: next((each for each in (app, twin) if each.has_answered()), None), "one of them to be refused", 50
    )
    assert "Too much is being created at once" in refused.hear()
    held = twin if refused is app else app
    assert not held.has_answered()
    assert third.perform(creation("third.jpg", jpeg(day(81), b"third")))["createdAssets"]
    go.touch()
    go.chmod(0o644)
    assert "not a photo or video" in held.hear()
    assert refused.perform(creation("later.jpg", jpeg(day(82), b"later")))["createdAssets"], (
        "what it held is free again"
    )


def test_R128_an_addition_waits_for_the_apps_bytes_in_flight(own_broker):
    """Together both exceed the memory quota of one user's apps."""
    scene = Scene(own_broker, 1)
    scene.let_broker_add()
    scene.allow()
    app = scene.app
    twin = own_broker.app(uid=app.uid)
    twin.use(app.own_token, app.token)
    size = {
        "picture": jpeg(day(83), b"large").hex(),
        "bytes": app.call("GetLimits")["limits"]["createdBytesPerApp"] * 3 // 5,
    }
    stopped = set()
    try:
        for each in (app, twin):
            each.start(add_large_photo, size=size)
        # The broker starts a process that adds on demand and after each mount; the test stops each.
        end = time.monotonic() + 2
        while time.monotonic() < end:
            for pid in set(storage_processes(own_broker)) - stopped:
                os.kill(pid, signal.SIGSTOP)
                stopped.add(pid)
            time.sleep(0.01)
        assert not app.has_answered() and not twin.has_answered()
    finally:
        for pid in stopped.intersection(storage_processes(own_broker)):
            os.kill(pid, signal.SIGCONT)
    assert app.hear()["localIdentifier"] and twin.hear()["localIdentifier"]


def test_R11_add_only_access_creates_and_does_nothing_else(scene):
    scene.allow(level="addOnly")
    known = (scene.album.folder / scene.pictures[0]).read_bytes()
    steps = [creation(scene.pictures[0], known, favorite=True, text="mine"), creation("new.jpg", jpeg(day(43), b"new"))]
    reply = scene.app.perform(*steps)
    assert len(set(reply["createdAssets"])) == 2 and reply["createdAlbums"] == [] and reply["placeholders"] == {}
    assert not set(reply["createdAssets"]) & set(scene.app.perform(*steps)["createdAssets"]), (
        "what is there already is as new as the rest"
    )
    scene.owner.set(scene.library, scene.app.name, "denied", level="readWrite")
    count = len(scene.owner.names(scene.library))
    for extra in (
        {"kind": "createAlbum", "text": "Mine"},
        {"kind": "setFavorite", "assets": reply["createdAssets"][:1], "favorite": True},
        {"kind": "delete", "assets": reply["createdAssets"][:1]},
    ):
        for level in (None, "addOnly", "readWrite"):
            refused = scene.app.refusal(
                "PerformChanges", changes=[steps[1], extra], **({"level": level} if level else {})
            )
            assert refused.error in ("PhotosError", "TokenRequired") and refused.parameters.get("code", 3311) == 3311, (
                extra,
                level,
                refused,
            )
    assert len(scene.owner.names(scene.library)) == count


def test_R43_R44_a_created_photo_joins_its_creators_selection_only(scene):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, app=other)
    scene.limit(1)
    other.observe()
    scene.app.observe()
    scene.app.perform(creation("mine.jpg", jpeg(day(71), b"mine")))
    wait_for(lambda: any(e["inserted"] for e in scene.app.events()), "the creator to be told")
    assert [a["filename"] for e in scene.app.events() for a in e["inserted"]] == ["mine.jpg"]
    assert other.names() == [scene.pictures[0]] and other.events() == []


# Complete steps of each kind that creates no asset, sample values, and optional fields.
ANY = "0" * 32
COMPLETE = {
    "setFavorite": {"assets": [ANY], "favorite": True},
    "setCreationDate": {"assets": [ANY], "creationDate": 1},
    "setLocation": {"assets": [ANY], "latitude": 1.0, "longitude": 1.0},
    "setCaption": {"assets": [ANY], "text": "x"},
    "delete": {"assets": [ANY]},
    "createAlbum": {"text": "x"},
    "renameAlbum": {"album": ANY, "text": "x"},
    "addToAlbum": {"album": ANY, "assets": [ANY]},
    "removeFromAlbum": {"album": ANY, "assets": [ANY]},
    "moveInAlbum": {"album": ANY, "assets": [ANY]},
    "deleteAlbum": {"album": ANY},
}
SOMETHING = {
    "assets": [ANY],
    "versions": ["0" * 16],
    "album": ANY,
    "albumVersion": "0" * 16,
    "favorite": False,
    "creationDate": 1,
    "latitude": 1.0,
    "longitude": 1.0,
    "text": "x",
    "before": ANY,
    "placeholder": "$a",
    "filename": "a.jpg",
    "descriptor": 0,
    "contents": "AAAA",
    "upload": "u",
}
OF_ASSETS, OF_ALBUMS = ("versions",), ("versions", "albumVersion")
OPTIONAL = {
    "setFavorite": OF_ASSETS,
    "setCreationDate": OF_ASSETS,
    "setLocation": OF_ASSETS,
    "setCaption": OF_ASSETS,
    "delete": OF_ASSETS,
    "createAlbum": ("placeholder",),
    "renameAlbum": ("albumVersion",),
    "addToAlbum": OF_ALBUMS,
    "removeFromAlbum": OF_ALBUMS,
    "moveInAlbum": (*OF_ALBUMS, "before"),
    "deleteAlbum": ("albumVersion",),
}
WRONG = [
    ("changes[0].filename", {"contents": "AAAA"}),
    ("changes[0].filename", {"filename": ".x.jpg", "contents": "AAAA"}),
    ("changes[0].filename", {"filename": "a/b.jpg", "contents": "AAAA"}),
    ("changes[0].contents", {"filename": "a.jpg"}),
    ("changes[0].contents", {"filename": "a.jpg", "contents": "%"}),
    ("changes[0].contents", {"filename": "a.jpg", "contents": "AAAA", "upload": "1"}),
    ("changes[0].upload", {"filename": "a.jpg", "upload": "none"}),
    ("changes[0].descriptor", {"filename": "a.jpg", "descriptor": 1}),
    ("changes[0].descriptor", {"filename": "a.jpg", "descriptor": -1}),
    ("changes[0].descriptor", {"filename": "a.jpg", "descriptor": 0}),
    ("changes[0].placeholder", {"filename": "a.jpg", "contents": "AAAA", "placeholder": "a"}),
    ("changes[0].placeholder", {"filename": "a.jpg", "contents": "AAAA", "placeholder": "$"}),
    ("changes[0].placeholder", {"filename": "a.jpg", "contents": "AAAA", "placeholder": "$ä"}),
    ("changes[0].placeholder", {"filename": "a.jpg", "contents": "AAAA", "placeholder": "$" + "a" * 64}),
    ("changes[0].creationDate", {"filename": "a.jpg", "contents": "AAAA", "creationDate": 2**62}),
    ("changes[0].latitude", {"filename": "a.jpg", "contents": "AAAA", "latitude": 91.0, "longitude": 0.0}),
    ("changes[0].longitude", {"filename": "a.jpg", "contents": "AAAA", "latitude": 9.0}),
    ("changes[0].assets", {"filename": "a.jpg", "contents": "AAAA", "assets": ["0" * 32]}),
    ("changes[0].album", {"filename": "a.jpg", "contents": "AAAA", "album": "0" * 32}),
    ("changes[0].placeholder", {"kind": "renameAlbum", "album": "0" * 32, "text": "x", "placeholder": "$a"}),
    ("changes[0].contents", {"kind": "createAlbum", "text": "x", "contents": "AAAA"}),
    ("changes[0].filename", {"kind": "setCaption", "assets": ["0" * 32], "text": "x", "filename": "a.jpg"}),
    ("changes[0].before", {"filename": "a.jpg", "contents": "AAAA", "before": "0" * 32}),
    ("changes[0].kind", {"kind": "paint"}),
    ("changes[0].favourite", {"kind": "setFavorite", "assets": ["0" * 32], "favourite": True}),
    # Each kind with each field that it does not take, because a silent field would be lost.
    *(
        (f"changes[0].{name}", {"kind": kind, **step, name: SOMETHING[name]})
        for kind, step in COMPLETE.items()
        for name in SOMETHING
        if name not in step and name not in OPTIONAL.get(kind, ())
    ),
]


@pytest.mark.library("shared")
@pytest.mark.parametrize("field, step", WRONG, ids=[f"{number} {field}" for number, (field, _) in enumerate(WRONG)])
def test_a_mistaken_step_is_refused_by_its_fields_name(scene, field, step):
    scene.allow()
    refused = scene.app.refusal("PerformChanges", changes=[{"kind": "createAsset", **step}])
    assert refused.error == "InvalidParameter" and refused.parameters["parameter"] == field


def test_a_placeholder_names_an_earlier_steps_result_of_its_kind(scene):
    scene.allow()
    before = stored_files(scene)
    picture = jpeg(day(44), b"new")
    asset, album = (
        creation("a.jpg", picture, placeholder="$a"),
        {"kind": "createAlbum", "text": "A", "placeholder": "$b"},
    )
    put = {"kind": "addToAlbum", "album": "$b", "assets": ["$a"]}
    for steps in (
        [put, asset, album],
        [asset, put, album],
        [album, put, asset],
        [asset, album, {**put, "album": "$a"}],
        [asset, album, {**put, "assets": ["$b"]}],
        [asset, album, {**put, "assets": ["$c"]}],
        [asset, {**album, "placeholder": "$a"}],
        [asset, {"kind": "setFavorite", "assets": ["$a"], "favorite": True}],
        [asset, {"kind": "delete", "assets": ["$a"]}],
        [asset, album, {"kind": "deleteAlbum", "album": "$b"}],
    ):
        for dry in (True, False):
            refused = scene.app.refusal("PerformChanges", changes=steps, dryRun=dry)
            assert (refused.reason, refused.parameters["code"]) == ("changeNotSupported", 3300), steps
            assert refused.parameters["message"].endswith(".")
    assert stored_files(scene) == before and scene.app.call("FetchAlbums")["albums"] == []


def test_each_limit_of_a_creation_request_is_enforced(scene):
    scene.allow()
    limits = scene.app.call("GetLimits")["limits"]
    steps = [
        creation(f"{number}.jpg", jpeg(day(number), b"%d" % number)) for number in range(limits["createdAssets"] + 1)
    ]
    refused = scene.app.refusal("PerformChanges", changes=steps)
    assert (refused.reason, refused.parameters["code"]) == ("limitExceeded", 3307)
    assert len(scene.app.perform(*steps[1:])["createdAssets"]) == limits["createdAssets"]
    longest = "$" + "a" * (limits["placeholderBytes"] - 1)
    assert list(scene.app.perform({**steps[0], "placeholder": longest})["placeholders"]) == [longest]


def test_a_request_too_large_in_total_is_refused_before_copying(scene):
    scene.allow()
    limit = scene.app.call("GetLimits")["limits"]["createdBytes"]
    small = jpeg(day(45), b"small")
    place = scene.house.folder / f"sparse-{scene.app.uid}"
    for before, size in ((b"", limit + 1), (small, limit - len(small) + 1)):
        with open(place, "wb") as file:
            file.truncate(size)
        place.chmod(0o644)
        steps = [creation("small.jpg", before)] if before else []
        begun = time.monotonic()
        with pytest.raises(Refused) as refused:
            scene.app.run(
                create_by_descriptors,
                files=[str(place)],
                changes=[*steps, {"kind": "createAsset", "filename": "a.jpg", "descriptor": 0}],
            )
        assert refused.value.reason == "limitExceeded" and str(limit) in refused.value.parameters["message"]
        assert time.monotonic() - begun < 2
    os.unlink(place)
    assert stored_files(scene) == sorted(scene.pictures)


def test_R14_R71_an_observer_sees_a_whole_request_at_once_during_scans(scene):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.allow(other)
    scene.allow()
    other.observe()
    for number in range(8):
        scene.owner.call("RescanLibrary", name=scene.library)
        scene.app.perform(
            *[
                creation(f"{number}-{letter}.jpg", jpeg(day(60 + number), f"{number}{letter}".encode()))
                for letter in "abc"
            ]
        )
        page = [name for name in other.names() if "-" in name and name[0].isdigit()]
        assert len(page) == 3 * (number + 1)
    wait_for(lambda: sum(len(e["inserted"]) for e in other.events()) == 24, "all of them to be told")
    for event in other.events():
        told = [a["filename"][0] for a in event["inserted"]]
        assert all(told.count(number) == 3 for number in told), told
        assert not event["changed"] and not event["removed"]
    owned = scene.owner.names(scene.library)
    assert len(owned) == len(set(owned)) == len(scene.pictures) + 24, "each is one asset, whoever found its file"


def test_R42_a_caption_is_the_latest_edit_or_the_files_own(scene):
    """Captions are shared by all apps that see the asset, and by no others."""
    scene.limit(0)
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, 1, app=other)
    sidecar = """<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
        xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt><rdf:li xml:lang="x-default">From the file</rdf:li></rdf:Alt>
        </dc:description></rdf:Description></rdf:RDF></x:xmpmeta>"""
    mine, theirs = scene.app.fetch()[0]["localIdentifier"], other.named(scene.pictures[1])["localIdentifier"]
    assert "caption" not in scene.app.call("GetDetails", asset=mine)
    if scene.house.has_media:
        scene.album.put(scene.pictures[0].replace(".jpg", ".xmp"), sidecar.encode())
        scene.owner.rescan(scene.library)
        wait_for(lambda: scene.app.call("GetDetails", asset=mine).get("caption") == "From the file", "the file's own")
    before = scene.app.fetch()[0]["version"]
    other.call(
        "PerformChanges",
        changes=[
            {"kind": "setCaption", "assets": [other.named(name)["localIdentifier"]], "text": f"of {name}"}
            for name in scene.pictures[:2]
        ],
    )
    assert scene.app.call("GetDetails", asset=mine)["caption"] == f"of {scene.pictures[0]}"
    assert scene.app.fetch()[0]["version"] != before
    assert other.call("GetDetails", asset=theirs)["caption"] == f"of {scene.pictures[1]}"
    hidden = scene.app.refusal("GetDetails", asset=theirs)
    assert (
        hidden.parameters == scene.app.refusal("GetDetails", asset="0" * 32).parameters
        and hidden.reason == "identifierNotFound"
    )
    scene.owner.rescan(scene.library)
    assert scene.app.call("GetDetails", asset=mine)["caption"] == f"of {scene.pictures[0]}", "it wins over the file's"
    # An empty caption replaces the file's by none.
    other.call(
        "PerformChanges",
        changes=[{"kind": "setCaption", "assets": [other.named(scene.pictures[0])["localIdentifier"]], "text": ""}],
    )
    for _ in range(2):
        assert "caption" not in scene.app.call("GetDetails", asset=mine)
        owned = scene.owner.identifier(scene.library, scene.pictures[0])
        assert "caption" not in scene.owner.call("GetOwnedDetails", library=scene.library, asset=owned)
        scene.owner.rescan(scene.library)


def test_the_command_line_creates_from_files_and_shows_the_caption(scene):
    """`photobroker call` runs a request as an app with tokens; `asset show` is the owner's."""
    scene.allow()
    folder = scene.house.make_folder(f"call-{scene.app.uid}", scene.app.uid, mode=0o755)

    def keep(name, data):
        path = folder / name
        path.write_bytes(data)
        os.chown(path, scene.app.uid, scene.app.uid)
        path.chmod(0o600)
        return path

    token = keep("token", scene.app.token.encode())
    pictures = [keep(f"{number}.jpg", jpeg(day(50 + number), b"%d" % number)) for number in range(2)]
    changes = {
        "changes": [
            {
                "kind": "createAsset",
                "filename": "one.jpg",
                "descriptor": 1,
                "text": "two\nlines",
                "placeholder": "$one",
            },
            {"kind": "createAsset", "filename": "other.jpg", "descriptor": 0},
        ]
    }
    call = [
        "call",
        "io.photobroker.Library.PerformChanges",
        json.dumps(changes),
        "--app-socket",
        scene.broker.app_socket,
    ]
    given = [word for picture in pictures for word in ("--file", picture)]
    made = json.loads(scene.broker.photobroker(scene.app.uid, *call, "--token-file", token, *given).stdout)
    assert [scene.app.digest(a) for a in made["createdAssets"]] == [
        hashlib.sha256(picture.read_bytes()).hexdigest() for picture in reversed(pictures)
    ]
    assert "TokenRequired" in scene.broker.photobroker(scene.app.uid, *call, "--json", expect=None).stderr
    assert (
        str(folder / "absent")
        in scene.broker.photobroker(
            scene.app.uid, *call, "--token-file", token, "--file", folder / "absent", expect=None
        ).stderr
    )
    owned = {
        a["filename"]: a["identifier"]
        for a in scene.owner.call("FetchOwnedAssets", library=scene.library, limit=100)["assets"]
    }
    shown = scene.broker.photobroker(scene.owner.uid, "asset", "show", scene.library, owned["one.jpg"]).stdout
    file, caption, taken, place = shown.splitlines()
    assert file == "File: one.jpg (original)"
    assert caption.startswith("Caption: two") and "lines" in caption and "Taken: 20" in taken and place == "Place: none"
    plain = scene.broker.photobroker(
        scene.owner.uid, "asset", "show", scene.library, owned["other.jpg"], "--json"
    ).stdout
    assert list(json.loads(plain)) == ["creationDate", "files"]


@pytest.mark.parametrize("level", ["addOnly", "readWrite"])
def test_R132_nothing_is_created_after_an_acknowledged_revocation(scene, level):
    scene.allow(level=level)
    before = stored_files(scene)
    picture, go = jpeg(day(90), b"too late"), scene.house.folder / f"go-creating-{scene.app.uid}"
    half = len(picture) // 2
    scene.app.start(
        send_in_two_halves,
        method="PerformChanges",
        parameters={
            "changes": [
                {"kind": "createAsset", "filename": "soon.jpg", "contents": encoded(picture)},
                {"kind": "createAsset", "filename": "late.jpg", "descriptor": 0},
            ]
        },
        first=encoded(picture[:half]),
        second=encoded(picture[half:]),
        go=str(go),
    )
    time.sleep(0.5)
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    go.touch()
    go.chmod(0o644)
    assert "refused" in scene.app.hear()
    time.sleep(0.5)
    assert stored_files(scene) == before and len(scene.owner.names(scene.library)) == len(scene.pictures)
