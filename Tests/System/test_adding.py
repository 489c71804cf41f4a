"""Add-only access, and the life of added pictures."""

import base64
import hashlib
import os
import threading
import time

import pytest
from photobroker import VarlinkError

from house.client_functions import send_in_two_halves
from house.person import Refused, wait_for
from house.pictures import day, jpeg
from house.soak import WHOLE


@pytest.fixture
def scene(scene):
    scene.let_broker_add()
    return scene


def test_R11_add_only_adds_and_reads_nothing(scene):
    scene.allow(level="addOnly")
    identifier = scene.app.add("mine.jpg", jpeg(day(40), b"mine"))
    wait_for(lambda: "mine.jpg" in scene.owner.names(scene.library), "the picture in the library")
    for name, parameters in [
        ("FetchAssets", {}),
        ("CountAssets", {}),
        ("FetchAlbums", {}),
        ("GetResources", {"asset": identifier}),
        ("GetDetails", {"asset": identifier}),
        ("OpenResource", {"asset": identifier}),
        ("ReadBytes", {"asset": identifier, "offset": 0, "length": 10}),
        ("GetThumbnail", {"asset": identifier, "maxPixels": 64}),
        ("FetchPersistentChanges", {}),
        ("PerformChanges", {"changes": [{"kind": "setFavorite", "assets": [identifier], "favorite": True}]}),
    ]:
        scene.owner.set(scene.library, scene.app.name, "denied", level="readWrite")
        refused = scene.app.refusal(name, **parameters)
        assert refused.error in {"PhotosError", "TokenRequired"}, (name, refused)
    assert scene.app.call("DescribeAccess", level="addOnly")["visible"] == 0


def test_R11_adding_a_duplicate_looks_like_adding_a_new_photo(scene):
    scene.allow(level="addOnly")
    known = (scene.album.folder / scene.pictures[0]).read_bytes()
    new = jpeg(day(50), b"nobody has this")
    answers = [
        scene.app.add(scene.pictures[0], known),
        scene.app.add("new.jpg", new),
        scene.app.add(scene.pictures[0], known),
    ]
    assert len(set(answers)) == 3
    assert all(len(a) == 32 and set(a) <= set("0123456789abcdef") for a in answers)


def test_R19_a_request_that_no_answer_can_allow_prompts_nobody(scene):
    refused = scene.app.refusal(
        "PerformChanges", level="addOnly", changes=[{"kind": "setFavorite", "assets": ["0" * 32], "favorite": True}]
    )
    assert "can only add" in refused.parameters["message"] and scene.owner.prompts() == []


def test_R142_adding_leaves_the_owners_files_alone(scene):
    before = {p.name: p.read_bytes() for p in scene.album.folder.glob("*.jpg")}
    scene.allow(level="addOnly")
    scene.app.add(scene.pictures[0], jpeg(day(51), b"another of the same name"))
    assert {name: (scene.album.folder / name).read_bytes() for name in before} == before


@pytest.mark.library("shared")
@pytest.mark.parametrize("name", ["photo", "a.txt", "a.thm", "a.xmp", "a.jpg ", "a.jpg.", "a.jpg.bak", "Thumbs.db"])
def test_R113_a_file_name_that_scans_ignore_is_refused(scene, name):
    scene.allow(level="addOnly")
    scene.limit(0)
    picture = jpeg(day(52), b"no ending")
    step = {"kind": "createAsset", "filename": name, "contents": base64.b64encode(picture).decode()}
    for level in ("addOnly", "readWrite"):
        refused = scene.app.refusal("AddAsset", filename=name, contents=step["contents"], level=level)
        assert refused.parameters["reason"] == "invalidResource" and ".jpg" in refused.parameters["message"], refused
    assert scene.app.refusal("PerformChanges", changes=[step]).parameters["reason"] == "invalidResource"
    scene.owner.rescan(scene.library)
    assert set(scene.owner.names(scene.library)) == set(scene.pictures)
    assert not [p for p in scene.album.folder.glob("PhotoBroker/**/*") if p.is_file()]


def test_R43_added_files_survive_a_scan_under_every_file_extension(scene):
    scene.limit(0)
    names = ["UPPER.JPG", "two.dots.jpeg", "x.jpe", "from-windows.jfif"]
    for number, name in enumerate(names):
        scene.app.add(name, jpeg(day(53 + number), name.encode()), level="readWrite")
    scene.owner.rescan(scene.library)
    assert set(names) < set(scene.app.names())


def test_R10_adding_does_not_depend_on_the_selection(scene):
    scene.allow(level="addOnly")
    scene.limit(0)
    scene.app.add("one.jpg", jpeg(day(60), b"one"), level="addOnly")
    scene.unselect(0)
    scene.app.add("two.jpg", jpeg(day(61), b"two"), level="addOnly")
    wait_for(lambda: {"one.jpg", "two.jpg"} <= set(scene.owner.names(scene.library)), "both pictures")


def test_R43_an_asset_that_an_app_creates_joins_its_selection(scene):
    scene.limit(1)
    identifier = scene.app.add("mine.jpg", jpeg(day(70), b"mine"), level="readWrite")
    wait_for(lambda: set(scene.app.names()) == {scene.pictures[1], "mine.jpg"}, "the picture in the app's view")
    assert scene.app.named("mine.jpg")["localIdentifier"] == identifier


def test_R44_an_added_photo_joins_no_other_apps_selection(scene):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, app=other)
    scene.limit(1)
    scene.app.add("mine.jpg", jpeg(day(71), b"mine"), level="readWrite")
    wait_for(lambda: "mine.jpg" in scene.app.names(), "the picture in its creator's view")
    assert other.names() == [scene.pictures[0]]


def test_R44_two_apps_adding_the_same_bytes_make_two_photos(scene):
    other = scene.broker.app(uid=scene.app.uid)
    other.introduce("org.example.other")
    scene.limit(0, app=other)
    scene.limit(1)
    mine = scene.app.add("IMG_0042.jpg", jpeg(day(77), b"mine"), level="readWrite")
    for name in ("IMG_E0042.jpg", "img_0042-edited.jpg", "IMG_0042.JPG"):
        other.add(name, jpeg(day(78), name.encode()), level="readWrite")
    scene.owner.call("RescanLibrary", name=scene.library)
    scene.owner.wait_for_library(scene.library, len(scene.pictures) + 4)
    assert sorted(scene.app.names()) == sorted([scene.pictures[1], "IMG_0042.jpg"])
    assert [r["filename"] for r in scene.app.call("GetResources", asset=mine)["resources"]] == ["IMG_0042.jpg"]
    assert scene.app.named("IMG_0042.jpg")["localIdentifier"] == mine
    assert len(other.names()) == 4


def test_added_bytes_are_read_back_unchanged(scene):
    scene.limit(1)
    data = jpeg(day(72), b"round trip", padding=300_000)
    identifier = scene.app.add("mine.jpg", data, level="readWrite")
    wait_for(lambda: "mine.jpg" in scene.app.names(), "the picture")
    assert scene.app.digest(identifier) == hashlib.sha256(data).hexdigest()


def test_R11_a_dry_run_checks_everything_and_adds_nothing(scene):
    scene.allow(level="addOnly")
    known = (scene.album.folder / scene.pictures[0]).read_bytes()
    before = scene.owner.names(scene.library)
    folders = sorted(scene.album.folder.rglob("*"))
    # A known photo is checked like a new one.
    for name, data in ((scene.pictures[0], known), ("new.jpg", jpeg(day(75), b"dry"))):
        assert scene.app.add(name, data, dryRun=True) == ""
    upload = scene.app.call("BeginUpload")["upload"]
    scene.app.call("AppendUpload", upload=upload, data=base64.b64encode(known).decode())
    assert scene.app.call("AddAsset", filename="sent.jpg", upload=upload, dryRun=True)["localIdentifier"] == ""
    for name, data in (("text.jpg", b"no picture"), ("words.png", b"no picture either")):
        refused = [
            scene.app.refusal("AddAsset", filename=name, contents=base64.b64encode(data).decode(), dryRun=dry)
            for dry in (True, False)
        ]
        assert (
            refused[0].reason == refused[1].reason == "invalidResource"
            and refused[0].parameters == refused[1].parameters
        )
    assert scene.app.refusal("AddAsset", filename="../up.jpg", contents="", dryRun=True).error == "InvalidParameter"
    scene.owner.rescan(scene.library)
    assert scene.owner.names(scene.library) == before and sorted(scene.album.folder.rglob("*")) == folders
    scene.owner.call("Revoke", library=scene.library)
    refused = scene.app.refusal("AddAsset", filename="new.jpg", contents=base64.b64encode(known).decode(), dryRun=True)
    assert refused.error in ("PhotosError", "TokenRequired"), "who may not add may not ask whether it could"


def test_R11_R142_a_dry_run_reports_a_read_only_storage_as_the_addition_does(scene):
    scene.allow(level="addOnly")
    scene.allow()
    data = jpeg(day(76), b"refused")
    added = scene.app.add("mine.jpg", data, level="readWrite")
    scene.app.call("PerformChanges", changes=[{"kind": "delete", "assets": [added]}])
    trashed = wait_for(
        lambda: [a["identifier"] for a in scene.owner.call("FetchTrashedAssets", library=scene.library)["assets"]],
        "the trash",
    )
    create = {"kind": "createAsset", "filename": "new.jpg", "contents": base64.b64encode(data).decode()}
    asked = {
        "AddAsset": lambda dry: scene.app.refusal(
            "AddAsset", filename="new.jpg", contents=create["contents"], dryRun=dry
        ),
        "PerformChanges": lambda dry: scene.app.refusal("PerformChanges", changes=[create], dryRun=dry),
    }
    folders = [scene.album.folder, *(path for path in scene.album.folder.rglob("*") if path.is_dir())]
    before = {folder: folder.stat().st_mode for folder in folders}
    try:
        for folder in folders:
            folder.chmod(0o555)
        for name, refusal in asked.items():
            dry, real = refusal(True), refusal(False)
            assert (dry.reason, dry.parameters) == (real.reason, real.parameters), name
            assert dry.reason == "changeNotSupported", (name, dry)
        refused = scene.owner.refusal("RestoreAssets", library=scene.library, identifiers=trashed, dryRun=True)
        assert refused.error == "Refused" and "only be read" in refused.parameters["message"]
    finally:
        for folder, mode in before.items():
            folder.chmod(mode)
    assert scene.owner.call("RestoreAssets", library=scene.library, identifiers=trashed, dryRun=True)["restored"] == 1
    assert scene.app.add("new.jpg", data, dryRun=True) == ""


def test_an_upload_arrives_in_pieces(scene):
    scene.limit(1)
    data = jpeg(day(73), b"in pieces", padding=900_000)
    upload = scene.app.call("BeginUpload")["upload"]
    for start in range(0, len(data), 200_000):
        received = scene.app.call(
            "AppendUpload", upload=upload, data=base64.b64encode(data[start : start + 200_000]).decode()
        )
        assert received["received"] == min(len(data), start + 200_000)
    identifier = scene.app.call("AddAsset", filename="pieces.jpg", upload=upload, level="readWrite")["localIdentifier"]
    wait_for(lambda: "pieces.jpg" in scene.app.names(), "the picture")
    assert scene.app.digest(identifier) == hashlib.sha256(data).hexdigest()


def test_a_photo_is_added_from_a_descriptor(scene):
    scene.allow(level="addOnly")
    path = scene.house.folder / f"outbox-{scene.app.uid}.jpg"
    path.write_bytes(jpeg(day(74), b"by descriptor"))
    path.chmod(0o644)
    scene.app.order(
        do="call_with_file",
        method="io.photobroker.Library.AddAsset",
        parameters={"filename": "sent.jpg", "descriptor": 0},
        path=str(path),
    )
    wait_for(lambda: "sent.jpg" in scene.owner.names(scene.library), "the picture")


def add_in_sequence(agent, files):
    connection = agent.connection()
    for name, path in files:
        file = os.open(path, os.O_RDONLY)
        connection.send("io.photobroker.Library.AddAsset", {"filename": name, "descriptor": 0}, descriptors=[file])
        os.close(file)

    def error():
        try:
            connection.receive()
        except VarlinkError as refused:
            return str(refused)

    return [error() for _ in files]


def test_descriptors_of_a_refused_call_do_not_reach_the_next_call(scene):
    scene.allow()
    files = []
    for number, name in enumerate([".refused.jpg", "first.jpg", ".again.jpg", "..", "second.jpg"]):
        path = scene.house.folder / f"outbox-{scene.app.uid}-{number}.jpg"
        path.write_bytes(jpeg(day(80 + number), b"of its own"))
        path.chmod(0o644)
        files.append((name, str(path)))
    errors = scene.app.run(add_in_sequence, files=files)
    assert [bool(error) for error in errors] == [True, False, True, True, False], errors
    wait_for(lambda: {"first.jpg", "second.jpg"} <= set(scene.app.names()), "the pictures")
    for name, path in files:
        if not name.startswith("."):
            assert (
                scene.app.digest(scene.app.named(name)["localIdentifier"])
                == hashlib.sha256(open(path, "rb").read()).hexdigest()
            )


def test_R132_nothing_is_added_after_an_acknowledged_revocation(scene):
    scene.allow(level="addOnly")
    picture, go = jpeg(day(90), b"too late"), scene.house.folder / f"go-{scene.app.uid}"
    half = len(picture) // 2
    scene.app.start(
        send_in_two_halves,
        method="AddAsset",
        parameters={"filename": "late.jpg", "descriptor": 0},
        first=base64.b64encode(picture[:half]).decode(),
        second=base64.b64encode(picture[half:]).decode(),
        go=str(go),
    )
    time.sleep(0.5)
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    go.touch()
    go.chmod(0o644)
    assert "refused" in scene.app.hear()
    time.sleep(0.5)
    assert not (scene.album.folder / "PhotoBroker/late.jpg").exists()
    assert "late.jpg" not in scene.owner.names(scene.library)


def send_slowly(agent, count):
    """Add through pipes that never end: one byte arrives now and then."""
    agent.pipes = []
    for number in range(count):
        reader, writer = os.pipe()
        agent.connection(f"pipe {number}").send(
            "io.photobroker.Library.AddAsset", {"filename": "held.jpg", "descriptor": 0}, descriptors=[reader]
        )
        os.close(reader)
        agent.pipes.append(writer)
    agent.lock = threading.Lock()

    def feed():
        while True:
            with agent.lock:
                for pipe in agent.pipes:
                    os.write(pipe, b"x")
            time.sleep(0.2)

    threading.Thread(target=feed, daemon=True).start()


def send_upload(agent, filename, data):
    library, connection = "io.photobroker.Library.", agent.connection("upload")
    upload = connection.call(library + "BeginUpload")["upload"]
    connection.call(library + "AppendUpload", upload=upload, data=data)
    connection.send(library + "AddAsset", {"filename": filename, "upload": upload})
    # By the third answer the loop has handled all that was sent before the first.
    return [agent.connection().call(library + "GetAuthorizationStatus", level="addOnly")["status"] for _ in range(3)]


def close_unsent_pipes(agent):
    with agent.lock:
        while agent.pipes:
            os.close(agent.pipes.pop())
    try:
        return {"added": agent.connection("upload").receive()[0]}
    except Exception as refusal:
        return {"refused": str(refusal)}


def copies(scene):
    """Return the inodes of the memory files in which the broker holds copies of photos."""
    folder, found = f"/proc/{scene.broker.process.pid}/fd", set()
    for number in os.listdir(folder):
        try:
            if "/memfd:photo" in os.readlink(f"{folder}/{number}"):
                found.add(os.stat(f"{folder}/{number}").st_ino)
        except FileNotFoundError:
            pass
    return found


SLOW, TURNS = 12, 2  # more than a library reads or receives at a time; LibraryRuntime.uploadsAtOnce


@pytest.mark.parametrize("ends", [False, True], ids=["and added", "R132 and not once access ended"])
def test_a_slow_sender_delays_no_other_client(scene, ends):
    """Neither viewers nor another adding app nor the event loop waits."""
    scene.allow(level="addOnly")
    viewer, adder = (scene.broker.app(uid=scene.app.uid) for _ in range(2))
    for app, level in ((viewer, "readWrite"), (adder, "addOnly")):
        app.introduce(f"org.example.{level.lower()}")
        scene.allow(app, level)
    before = copies(scene)
    scene.app.run(send_slowly, count=SLOW)
    wait_for(lambda: len(copies(scene) - before) == TURNS, "the first pipes to be read")
    held = copies(scene) - before
    data = base64.b64encode(jpeg(day(91), b"uploaded")).decode()
    assert scene.app.run(send_upload, filename="uploaded.jpg", data=data) == ["authorized"] * 3
    path = scene.album.folder / scene.pictures[0]
    assert viewer.digest(viewer.named(path.name)["localIdentifier"]) == hashlib.sha256(path.read_bytes()).hexdigest()
    adder.call("AddAsset", filename="quick.jpg", contents=base64.b64encode(jpeg(day(92), b"quick")).decode())
    sent = scene.house.folder / f"quick-{adder.uid}.jpg"
    sent.write_bytes(jpeg(day(93), b"quick too"))
    sent.chmod(0o644)
    adder.order(
        do="call_with_file",
        method="io.photobroker.Library.AddAsset",
        parameters={"filename": "quick too.jpg", "descriptor": 0},
        path=str(sent),
    )
    assert held <= copies(scene), "the pipes are still being read"
    assert "uploaded.jpg" not in scene.owner.names(scene.library), "what its app sent behind them waits for its turn"
    if ends:
        scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    answer = scene.app.run(close_unsent_pipes)
    assert ("refused" if ends else "added") in answer, answer
    if ends:
        time.sleep(0.5)
    assert (scene.album.folder / "PhotoBroker/uploaded.jpg").exists() != ends
    assert ("uploaded.jpg" in scene.owner.names(scene.library)) != ends


def send_nothing(agent, count):
    """Send pipes without data, each on a connection of its own, and keep the other ends open."""
    agent.pipes = []
    for number in range(count):
        reader, writer = os.pipe()
        agent.connection(f"left {number}").send(
            "io.photobroker.Library.AddAsset", {"filename": "left.jpg", "descriptor": 0}, descriptors=[reader]
        )
        os.close(reader)
        agent.pipes.append(writer)


def receive_answers(agent, count):
    found = []
    for number in range(count):
        try:
            found.append(str(agent.connection(f"left {number}").receive()))
        except VarlinkError as error:
            found.append(error.parameters["message"])
    return found


def test_calls_waiting_for_a_library_are_answered_after_its_setup_changes(scene):
    scene.allow(level="addOnly")
    before = copies(scene)
    scene.app.run(send_nothing, count=5)
    wait_for(lambda: len(copies(scene) - before) == TURNS, "the first pipes to be read")
    # By the third answer the loop has handled all that was sent before the first.
    for _ in range(3):
        scene.app.call("GetAuthorizationStatus", level="addOnly")
    scene.owner.call("SetUpLibrary", name=scene.library, options={"rescanSeconds": "60"})
    answers = scene.app.run(receive_answers, count=5)
    assert all("setup changed" in answer for answer in answers), answers


def disconnect_uploads(agent, count):
    for number in range(count):
        agent.close(f"left {number}")


def test_descriptors_of_a_closed_connection_are_closed(scene):
    scene.allow(level="addOnly")
    before = scene.broker.settled_descriptor_count()
    count = 60
    scene.app.run(send_nothing, count=count)
    wait_for(lambda: scene.broker.descriptor_count() >= before + 2 * count - 10, "connections and pipes")
    scene.app.run(disconnect_uploads, count=count)
    # A silent pipe times out after some seconds.
    wait_for(lambda: scene.broker.descriptor_count() <= before + 4, "what was handed over to be closed", 25)


def test_a_file_name_with_a_folder_is_refused(scene):
    scene.allow(level="addOnly")
    for name in ["../escape.jpg", "/etc/escape.jpg", "a/b.jpg", "..", ".", "", "nul\0.jpg", "x" * 300 + ".jpg"]:
        try:
            scene.app.add(name, jpeg(day(75), b"escape"))
        except Refused as refused:
            assert refused.error in {"PhotosError", "InvalidParameter"}, (name, refused)
        else:
            raise AssertionError(f"{name!r} was taken")


def send_and_disconnect(agent, path, filename, patience):
    """Send a large photo, and disconnect once the storage writes it; return if that was seen."""
    line = agent.connection(filename)
    file = os.open(path["photo"], os.O_RDONLY)
    line.send(
        "io.photobroker.Library.AddAsset",
        {"filename": filename, "descriptor": 0, "level": "addOnly"},
        descriptors=[file],
    )
    os.close(file)
    end = time.monotonic() + patience
    while time.monotonic() < end and not any(one.endswith(".part") for one in os.listdir(path["folder"])):
        pass
    agent.close(filename)
    return time.monotonic() < end


def test_R14_R40_a_file_written_for_a_disconnected_app_is_removed_at_once(scene, house):
    scene.allow(level="addOnly")
    scene.app.add("first.jpg", jpeg(day(40), b"first"))
    folder = scene.album.folder / "PhotoBroker"
    folder.chmod(0o777)
    scene.album.folder.chmod(0o777)
    large = house.folder / "left.jpg"
    large.write_bytes(jpeg(day(41), b"left", padding=60_000_000))
    large.chmod(0o644)
    before = sorted(scene.owner.names(scene.library))
    names = [f"left-{number}.jpg" for number in range(6)]
    path = {"photo": str(large), "folder": str(folder)}
    seen = [scene.app.run(send_and_disconnect, path=path, filename=name, patience=20) for name in names]
    assert all(seen), "each was on its way into the storage"
    wait_for(lambda: not [p for p in folder.iterdir() if p.suffix == ".part"], "what nobody waits for to go")
    # A photo that had its final name when the app left is an asset; any other is gone.
    kept = {p.name for p in folder.rglob("*.jpg") if ".photobroker-trash" not in p.parts} - {"first.jpg"}
    wait_for(
        lambda: sorted(scene.owner.names(scene.library)) == sorted([*before, *kept]),
        "the library to hold what is there",
    )
    assert len(kept) < len(names)


def test_R11_oversized_inline_bytes_and_reordering_file_names_are_refused_by_name(scene):
    scene.allow(level="addOnly")
    most = scene.app.call("GetLimits")["limits"]["pieceBytes"]
    photo = jpeg(day(42), b"large")
    assert scene.app.add("most.jpg", photo + bytes(most - len(photo)), dryRun=True) == ""
    for call, parameters in (
        ("AddAsset", lambda data: {"filename": "a.jpg", "contents": data}),
        ("PerformChanges", lambda data: {"changes": [{"kind": "createAsset", "filename": "a.jpg", "contents": data}]}),
    ):
        refused = scene.app.refusal(call, **parameters(base64.b64encode(bytes(most + 3)).decode()))
        assert refused.reason == "limitExceeded" and str(most) in refused.parameters["message"], refused
        assert "descriptor" in refused.parameters["message"] and "upload" in refused.parameters["message"]
    for name in ("\u202egpj.exe", "a\u2066b.jpg", "a\u200fb.jpg", "a\x85b.jpg", "a\nb.jpg"):
        refused = scene.app.refusal("AddAsset", filename=name, contents=base64.b64encode(photo).decode(), dryRun=True)
        assert (refused.error, refused.parameters["parameter"]) == ("InvalidParameter", "filename"), name
        assert "no slash, and no dot in front" in refused.parameters["problem"], "the rule, without the name"
    assert scene.app.add("Été à l’île – 写真 👩‍🚀.jpg", photo, dryRun=True) == ""


def test_R14_a_wrong_folder_for_added_files_reports_a_read_only_storage(scene):
    scene.allow(level="addOnly")
    folder = scene.album.folder / "PhotoBroker"
    folder.rename(scene.album.folder / "before")
    folder.symlink_to("/tmp")
    refused = scene.app.refusal(
        "AddAsset", filename="a.jpg", contents=base64.b64encode(jpeg(day(43), b"link")).decode()
    )
    assert refused.reason == "changeNotSupported" and "storage(" not in refused.parameters["message"]


def test_R10_an_addition_under_paused_access_reports_the_pause(scene):
    scene.allow(level="readWrite")
    scene.allow(level="addOnly")
    scene.owner.call("PauseGrant", library=scene.library, app=scene.app.name, paused=True, level="addOnly")
    scene.owner.set(scene.library, scene.app.name, "denied", level="readWrite")
    refused = scene.app.refusal(
        "AddAsset", filename="a.jpg", contents=base64.b64encode(jpeg(day(44), b"paused")).decode()
    )
    assert refused.reason == "accessUserDenied" and "paused" in refused.parameters["message"], refused.parameters


FILES = 4_000 if WHOLE else 1_500


@pytest.fixture
def slow_scan(scene):
    """A library whose scan takes longer than a request."""
    place = scene.album.folder / "zz"
    place.mkdir()
    data = jpeg(day(1), b"one of many")
    for number in range(FILES):
        (place / f"{number:04}.jpg").write_bytes(data + b"%d" % number)
    for path in (place, *place.iterdir()):
        os.chown(path, scene.owner.uid, -1)
    scene.owner.call("RescanLibrary", name=scene.library)
    scene.owner.wait_for_library(scene.library, FILES + 6, seconds=120)
    return scene


def test_R43_R44_a_photo_added_during_a_scan_stays_the_apps_own(slow_scan):
    """A scan may read a folder before the file comes, and later expect the file in it."""
    scene = slow_scan
    scene.limit(0)
    scene.app.observe()
    added = {}
    for number in range(12):
        scene.owner.call("RescanLibrary", name=scene.library)
        added[f"{number}.jpg"] = scene.app.add(
            f"{number}.jpg", jpeg(day(60 + number), b"%d" % number), level="readWrite"
        )
    scene.owner.call("RescanLibrary", name=scene.library)
    scene.owner.wait_for_library(scene.library, FILES + 18, seconds=60)
    assert {a["filename"]: a["localIdentifier"] for a in scene.app.fetch() if a["filename"] in added} == added
    events = wait_for(
        lambda: (e := scene.app.events()) and sum(len(one["inserted"]) for one in e) >= 12 and e, "all to be told"
    )
    assert sum(len(one["inserted"]) for one in events) == 12 and not any(one["removed"] for one in events)
