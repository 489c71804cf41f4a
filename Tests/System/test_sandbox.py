"""`photobroker sandbox` for authors' tests: run as ordinary users, with the daemon that ships."""

import json
import os
import signal
import socket
import subprocess

import pytest

from house.broker import BROKER
from house.person import as_user, wait_for
from house.pictures import ROOT, day, jpeg
from house.sandbox import SANDBOX, Sandbox
from house.scene import Scene


@pytest.fixture
def photos(house):
    uid = house.fresh_uid()
    folder = house.make_folder(f"sandbox-photos-{uid}", uid)
    for number in range(4):
        (folder / f"picture-{number}.jpg").write_bytes(jpeg(day(number), note=b"%d" % number))
        os.chown(folder / f"picture-{number}.jpg", uid, uid)
    return folder, uid


def command(house, photos, *more):
    folder, uid = photos
    return as_user(uid, [house.programs / "photobroker", "sandbox", "--photos", folder, *more])


def environment(house, **more):
    scratch = house.folder / "sandboxes"
    scratch.mkdir(exist_ok=True)
    scratch.chmod(0o1777)
    return {
        "PATH": "/usr/bin:/bin",
        "HOME": "/nonexistent",
        "TMPDIR": str(scratch),
        "PYTHONPATH": str(house.python),
        **more,
    }


def leftover_files(house):
    return os.listdir(house.folder / "sandboxes")


JOURNAL = """
import os, sys, time
from photobroker import Connection, VarlinkError
L = "io.photobroker.Library."
with Connection(os.environ["PHOTOBROKER_SOCKET"], timeout=30) as library:
    library.call(L + "Introduce", manifest={
        "identifier": "org.example.journal", "name": "Journal", "NSPhotoLibraryUsageDescription": "Why.",
        "PHPhotoLibraryPreventAutomaticLimitedAccessAlert": True})
    print(library.call(L + "RequestAuthorization", level="readWrite")["status"])
    assets = library.call(L + "FetchAssets")["assets"]
    print([a["filename"] for a in assets])
    print(len(library.call(L + "PresentLimitedLibraryPicker")["added"]))
    library.call(L + "ReadBytes", asset=assets[0]["localIdentifier"], offset=0, length=10)
    deadline = time.monotonic() + 10
    try:
        while time.monotonic() < deadline:
            library.call(L + "CountAssets")
            time.sleep(0.02)
    except VarlinkError as error:
        print(error.parameters["reason"])
sys.exit(7)
"""


def test_R148_an_apps_test_runs_with_scripted_answers(house, photos):
    """The documentation's example: a selection, an edit of it on the page, and a revocation."""
    script = house.folder / "answers.json"
    example = (ROOT / "Examples/sandbox/answers.json").read_text()
    page = ROOT / "Sources/PhotoBroker/PhotoBroker.docc/Testing.md"
    assert example in page.read_text(), "the documentation shows the example that is tested"
    script.write_text(example)
    before = sorted((p.name, p.stat().st_mtime_ns, p.stat().st_ino) for p in photos[0].iterdir())
    result = subprocess.run(
        command(house, photos, "--script", script, "--", "/usr/bin/python3", "-c", JOURNAL),
        env=environment(house),
        cwd="/",
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert result.stdout.splitlines() == ["limited", "['picture-3.jpg', 'picture-2.jpg']", "1", "accessUserDenied"], (
        result
    )
    assert result.returncode == 7, "the command's own status"
    assert leftover_files(house) == []
    assert before == sorted((p.name, p.stat().st_mtime_ns, p.stat().st_ino) for p in photos[0].iterdir())


def test_R148_a_known_app_is_new_in_each_sandbox(house, photos):
    _, uid = photos
    home = house.make_folder(f"home-{uid}", uid)
    elsewhere = home / ".local/state/photobroker"
    script = house.folder / "allowing.json"
    script.write_text('{"answers": [{"answer": "allow"}]}')
    journal = house.folder / "sandboxed-journal.py"
    journal.write_text((ROOT / "Examples/python/journal.py").read_text())
    for _ in range(2):
        result = subprocess.run(
            command(house, photos, "--script", script, "--", "/usr/bin/python3", journal),
            env=environment(house, HOME=str(home)),
            cwd="/",
            text=True,
            capture_output=True,
            timeout=60,
        )
        assert result.returncode == 0 and result.stdout.startswith("4 photos, access is authorized"), result
        assert not elsewhere.exists()
    assert leftover_files(house) == []


def test_R148_an_unwritable_folder_is_refused_and_leaves_nothing_behind(house, photos):
    folder, uid = photos
    folder.chmod(0o555)
    result = subprocess.run(
        command(house, photos, "--", "/bin/true"),
        env=environment(house),
        cwd="/",
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert (result.returncode, result.stderr) == (0, "")
    assert leftover_files(house) == [] and folder.stat().st_mode & 0o777 == 0o555


PICKING = """
import os
from photobroker import Connection
P = "io.photobroker.Picker."
with Connection(os.environ["PHOTOBROKER_SOCKET"], timeout=30) as library:
    library.call("io.photobroker.Library.Introduce", manifest={"identifier": "org.example.attach", "name": "Attach"})
    several = {"identifiers": True, "selectionLimit": 0}
    first = library.call(P + "Present", **several)
    print([r["filename"] for r in first["results"]], first["cancelled"])
    kept = [r["localIdentifier"] for r in first["results"]]
    second = library.call(P + "Present", **several, preselected=kept)
    print([r.get("filename") for r in second["results"]], [r["localIdentifier"] for r in second["results"][:2]] == kept)
    third = library.call(P + "Present", **several, preselected=kept)
    print([r.get("filename") for r in third["results"]])
    fourth = library.call(P + "Present")
    print(len(fourth["results"]), fourth["cancelled"])
"""


def test_R148_the_script_answers_pickers(house, photos):
    script = house.folder / "picking.json"
    script.write_text(
        json.dumps(
            {
                "answers": [
                    {
                        "kind": "picker",
                        "app": "org.example.attach",
                        "answer": "pick",
                        "select": {"last": 2},
                        "times": 1,
                    },
                    {
                        "kind": "picker",
                        "answer": "pick",
                        "select": {"filename": "picture-0.jpg"},
                        "after": 0.1,
                        "times": 1,
                    },
                    {"kind": "picker", "answer": "replace", "select": {"filename": "picture-1.jpg"}, "times": 1},
                    {"answer": "cancel"},
                ]
            }
        )
    )
    result = subprocess.run(
        command(house, photos, "--script", script, "--", "/usr/bin/python3", "-c", PICKING),
        env=environment(house),
        cwd="/",
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert result.stdout.splitlines() == [
        "['picture-3.jpg', 'picture-2.jpg'] False",
        "[None, None, 'picture-0.jpg'] True",
        "['picture-1.jpg']",
        "0 True",
    ], result


ASKING = """
import os
from photobroker import Connection
with Connection(os.environ["PHOTOBROKER_SOCKET"], timeout=30) as library:
    library.call("io.photobroker.Library.Introduce", manifest={"identifier": "org.example.attach", "name": "Attach"})
    library.call("io.photobroker.Picker.Present")
with Connection(os.environ["PHOTOBROKER_ADMIN_SOCKET"], timeout=30) as person:
    print(person.call("io.photobroker.Sandbox.GetClock")["now"] // 1_000_000)
"""


def test_R148_opening_a_picker_counts_as_asking(house, photos):
    script = house.folder / "asking.json"
    script.write_text(
        json.dumps(
            {
                "clock": "2026-01-01T00:00:00Z",
                "answers": [{"kind": "picker", "answer": "cancel", "after": 1}],
                "actions": [{"do": "advance", "on": "asks", "app": "org.example.attach", "seconds": 86400}],
            }
        )
    )
    result = subprocess.run(
        command(house, photos, "--script", script, "--", "/usr/bin/python3", "-c", ASKING),
        env=environment(house),
        cwd="/",
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert result.stdout.split() == ["1767312000"], result


CHOSEN = """
import os, time
from photobroker import Connection
L = "io.photobroker.Library."
with Connection(os.environ["PHOTOBROKER_SOCKET"], timeout=30) as library:
    library.authorize({
        "identifier": "org.example.journal", "name": "Journal", "NSPhotoLibraryUsageDescription": "Why."})
    print(library.call(L + "CountAssets")["count"])
"""
KEEPING = (
    CHOSEN
    + """
    print(library.call(L + "GetAuthorizationStatus", level="readWrite")["status"])
    end = time.monotonic() + 10
    while library.call(L + "CountAssets")["count"] == 1 and time.monotonic() < end:
        time.sleep(0.02)
    print(library.call(L + "CountAssets")["count"], len(library.call(L + "PresentLimitedLibraryPicker")["added"]))
"""
)


# The prompt about a selection does not come in the run in which it was chosen.
START_TWICE = '/usr/bin/python3 -c "$CHOSEN"; exec /usr/bin/python3 -c "$KEEPING"'


def test_R53_R148_the_script_answers_the_selection_prompt_and_sets_the_clock(house, photos):
    script = house.folder / "keeping.json"
    script.write_text(
        json.dumps(
            {
                "clock": "2026-01-01T12:00:00Z",
                "answers": [
                    {"kind": "authorization", "answer": "select", "select": {"last": 1}},
                    {"kind": "keepSelection", "answer": "change", "select": {"last": 3}},
                    {"kind": "selection", "answer": "cancel"},
                ],
                "actions": [{"do": "setClock", "clock": "2031-05-06T07:08:09Z"}],
            }
        )
    )
    result = subprocess.run(
        command(house, photos, "--script", script, "--", "/bin/sh", "-c", START_TWICE),
        env=environment(house, CHOSEN=CHOSEN, KEEPING=KEEPING),
        cwd="/",
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert result.stdout.splitlines() == ["1", "1", "limited", "3 0"], result


STARTING = """
import os
from photobroker import Connection
L, A = "io.photobroker.Library.", "io.photobroker.Admin."
sockets = [os.environ[name] for name in ("PHOTOBROKER_SOCKET", "PHOTOBROKER_ADMIN_SOCKET")]
manifest = {"identifier": "org.example.journal", "name": "Journal", "NSPhotoLibraryUsageDescription": "Why."}
with Connection(sockets[0], timeout=30) as library, Connection(sockets[1], timeout=30) as person:
    library.authorize(manifest)
    library.call(L + "CountAssets")
    asked = person.call(A + "ListPrompts")["prompts"]
    print([prompt["kind"] for prompt in asked])
    for prompt in asked:
        person.call(A + "AnswerPrompt", prompt=prompt["prompt"], answer="keep")
"""


def test_R54_R148_each_start_prompts_about_the_selection_with_a_stopped_clock(house, photos):
    script = house.folder / "starting.json"
    script.write_text(
        '{"clock": "2026-01-01T12:00:00Z", '
        '"answers": [{"kind": "authorization", "answer": "select", "select": {"last": 2}}]}'
    )
    result = subprocess.run(
        command(
            house,
            photos,
            "--script",
            script,
            "--",
            "/bin/sh",
            "-c",
            'for i in 1 2 3 4 5 6; do /usr/bin/python3 -c "$STARTING"; done',
        ),
        env=environment(house, STARTING=STARTING),
        cwd="/",
        text=True,
        capture_output=True,
        timeout=60,
    )
    assert result.stdout.splitlines() == ["[]"] + ["['keepSelection']"] * 5, result


LEVELS = """
import os, time
from photobroker import Connection, VarlinkError
L = "io.photobroker.Library."
with Connection(os.environ["PHOTOBROKER_SOCKET"], timeout=30) as library:
    library.call(L + "Introduce", manifest={
        "identifier": "org.example.journal", "name": "Journal", "NSPhotoLibraryUsageDescription": "Why.",
        "NSPhotoLibraryAddUsageDescription": "Why."})
    for level in ("addOnly", "readWrite"):
        library.call(L + "RequestAuthorization", level=level)
    def statuses():
        return [library.call(L + "GetAuthorizationStatus", level=level)["status"] for level in ("addOnly", "readWrite")]
    before = statuses()
    print(before, len(library.call(L + "FetchAssets")["assets"]))
    end = time.monotonic() + 10
    while statuses() == before and time.monotonic() < end:
        time.sleep(0.02)
    time.sleep(0.3)
    print(statuses())
"""


def test_R148_a_scripted_action_on_one_level_leaves_the_other(house, photos):
    script = house.folder / "levels.json"
    for verb, level, after in [
        ("revoke", "addOnly", ["denied", "authorized"]),
        ("revoke", "readWrite", ["authorized", "denied"]),
        ("revoke", None, ["denied", "denied"]),
    ]:
        action = {"on": "fetches", "app": "org.example.journal", "do": verb, **({"level": level} if level else {})}
        script.write_text(json.dumps({"answers": [{"answer": "allow"}], "actions": [action]}))
        result = subprocess.run(
            command(house, photos, "--script", script, "--", "/usr/bin/python3", "-c", LEVELS),
            env=environment(house),
            cwd="/",
            text=True,
            capture_output=True,
            timeout=60,
        )
        assert result.stdout.splitlines() == ["['authorized', 'authorized'] 4", str(after)], (verb, level, result)


def test_R148_every_word_of_the_script_is_documented(house):
    said = subprocess.run(
        [house.programs / "photobroker", "help", "sandbox"], text=True, capture_output=True, timeout=20
    ).stdout
    for word in (
        "authorization",
        "keepSelection",
        "selection",
        "allowance",
        "picker",
        "pick",
        "replace",
        "cancel",
        "keep",
        "change",
        "select",
        "allow",
        "deny",
        "introduces",
        "asks",
        "fetches",
        "opens",
        "limit",
        "forget",
        "unselect",
        "revoke",
        "pause",
        "resume",
        "advance",
        "setClock",
        "clock",
        "seed",
        "after",
        "times",
        "seconds",
        "library",
        "Selector",
    ):
        assert word in " ".join(said.split()), word


@pytest.mark.parametrize("end", ["input", "SIGTERM", "SIGKILL"])
def test_R148_a_sandbox_ends_with_its_input_or_a_signal_and_leaves_no_broker(house, photos, end):
    process = subprocess.Popen(
        command(house, photos),
        env=environment(house),
        cwd="/",
        text=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    places = json.loads(process.stdout.readline())
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(places["socket"])
    if end == "input":
        process.stdin.close()
    else:
        process.send_signal(getattr(signal, end))
    process.wait(10)

    def is_gone():
        with socket.socket(socket.AF_UNIX) as client:
            try:
                client.connect(places["socket"])
            except OSError:
                return True
        return False

    wait_for(is_gone, "the broker to end with its sandbox")
    if end != "SIGKILL":
        assert leftover_files(house) == []
    else:
        subprocess.run(["rm", "-rf", os.path.dirname(places["photos"])], check=True)


@pytest.mark.parametrize(
    "script, wrong",
    [
        ("[]", "not an object"),
        ('{"answer": []}', "answers"),
        ('{"answers": [{"kind": "authorization"}]}', "answer is missing"),
        ('{"actions": [{"do": "explode", "app": "x"}]}', "do must be one of"),
        ('{"actions": [{"do": "revoke"}]}', "app is missing"),
        ('{"actions": [{"do": "setClock"}]}', "clock is missing"),
        ('{"answers": [{"kind": "picker", "answer": "pick"}]}', "select is missing"),
        ('{"actions": [{"do": "select", "app": "x"}]}', "select is missing"),
        ('{"answers": [{"answer": "select", "select": {}}]}', "all"),
        ('{"clock": "someday"}', "clock"),
        ('{"answers": [{"answer": "deny", "times": 0}]}', "times"),
        ('{"answers": [{"answer": "slect"}]}', "answer must be one of allow, select"),
        ('{"answers": [{"kind": "authorisation", "answer": "deny"}]}', "kind must be one of authorization"),
        ('{"clock": "2200-01-01"}', "1970 to 2099"),
        ('{"actions": [{"do": "setClock", "clock": "2200-01-01"}]}', "1970 to 2099"),
        ('{"seed": "%s"}' % ("x" * 257), "256 bytes"),
        ('{"answers": [{"kind": "picker", "answer": "deny"}]}', "Possible: pick, replace, cancel"),
        ('{"answers": [{"level": "addOnly", "answer": "select", "select": {"last": 1}}]}', "Possible: allow, deny"),
        ('{"answers": [{"kind": "authorization", "answer": "keep"}]}', "Possible: select, allow, deny"),
        ('{"answers": [{"answer": "deny", "select": {"last": 1}}]}', "select stands beside"),
        ('{"actions": [{"do": "advance"}]}', "seconds is missing"),
        ('{"actions": [{"do": "deny", "app": "x", "seconds": 1}]}', "seconds stands beside"),
        ('{"actions": [{"do": "advance", "seconds": 1, "app": "x"}]}', "the clock is no app's"),
        ('{"library": "X Y"}', "lower-case letters"),
        ('{"actions": [{"do": "limit", "app": "x", "select": {"last": 1}}]}', "select stands beside"),
        ('{"answer": []}', "Did you mean answers?\n"),
        ('{"answers": [{"answer": "select", "select": {"last": -1}}]}', "last must be"),
        ('{"actions": [{"do": "deny", "app": "x", "clock": "2030"}]}', "clock stands"),
        (
            '{"actions": [{"do": "unselect", "app": "x", "level": "addOnly", "select": {"last": 1}}]}',
            "level stands beside allow, limit, deny, forget, revoke",
        ),
        ('{"actions": [{"do": "advance", "seconds": 1, "level": "readWrite"}]}', "level stands beside"),
        ('{"answers": [{"answer": "deny", "after": -1}]}', "after"),
        ('{"answers": [{"answer": "select", "select": {"lest": 1}}]}', "lest"),
    ],
)
def test_R148_an_invalid_script_is_refused_with_its_position(house, photos, script, wrong):
    file = house.folder / "wrong.json"
    file.write_text(script)
    result = subprocess.run(
        command(house, photos, "--script", file),
        env=environment(house),
        cwd="/",
        text=True,
        capture_output=True,
        timeout=20,
        stdin=subprocess.DEVNULL,
    )
    assert result.returncode == 65 and wrong in result.stderr, result
    assert leftover_files(house) == []


def start_sandbox(house, **options):

    sandbox = Sandbox(house, **options).start()
    return sandbox, Scene(sandbox, 3)


def test_R148_the_clock_stops_until_set(house):
    sandbox, scene = start_sandbox(house)
    try:
        scene.allow()
        owner = scene.owner
        now = owner.call(SANDBOX + "GetClock")["now"]
        assert now == sandbox.clock
        scene.owner.set(scene.library, scene.app.name, "authorized", expires=now + 60_000_000)
        assert scene.app.count() == 3
        assert owner.call(SANDBOX + "AdvanceClock", microseconds=59_999_999)["now"] == now + 59_999_999
        assert scene.app.count() == 3
        owner.call(SANDBOX + "AdvanceClock", microseconds=1)
        wait_for(lambda: scene.app.status() == "notDetermined", "the grant to end")
        assert owner.call(SANDBOX + "SetClock", now=now - 5)["now"] == now - 5
        assert scene.app.status() == "notDetermined", "setting the clock back brings nothing back"
        for method, parameters in [
            ("AdvanceClock", {"microseconds": -1}),
            ("AdvanceClock", {"microseconds": 2**63 - 1}),
            ("SetClock", {"now": -1}),
            ("SetClock", {"now": 2**63 - 1}),
            ("SetSeed", {"seed": "x" * 257}),
        ]:
            assert owner.refusal(SANDBOX + method, **parameters).error == "InvalidParameter"
        assert owner.call(SANDBOX + "SetSeed", seed="x" * 256) == {}
    finally:
        sandbox.end()


def test_R148_equal_seeds_give_equal_random_values(house):
    """Equal seeds give equal values, and the seed can be set at runtime."""
    drawn = []
    for seed in ("a", "a", "b"):
        sandbox = Sandbox(house, seed=seed).start()
        first = sandbox.app().introduce()
        sandbox.owner().call(SANDBOX + "SetSeed", seed="from here on")
        drawn.append((first, sandbox.app().introduce()))
        sandbox.end()
    assert drawn[0] == drawn[1]
    assert drawn[0][0] != drawn[2][0] and drawn[0][1] == drawn[2][1]


def test_R148_a_real_broker_has_no_settable_clock_and_refuses_a_sandboxes_state(house, broker):
    owner = broker.owner()
    for method, parameters in [
        ("GetClock", {}),
        ("SetClock", {"now": 0}),
        ("AdvanceClock", {"microseconds": 1}),
        ("SetSeed", {"seed": "x"}),
    ]:
        assert owner.refusal(SANDBOX + method, **parameters).error in ("InterfaceNotFound", "MethodNotFound")
    assert SANDBOX[:-1] not in owner.call("org.varlink.service.GetInfo")["interfaces"]
    sandbox = Sandbox(house).start()
    assert SANDBOX[:-1] in sandbox.owner().call("org.varlink.service.GetInfo")["interfaces"]
    assert sandbox.app().refusal(SANDBOX + "GetClock").error in ("InterfaceNotFound", "MethodNotFound"), "not for apps"
    sandbox.end()
    for state, more, words in [
        (sandbox.state, [], "belongs to a sandbox"),
        (broker.state, ["--sandbox", "1"], "needs an empty state folder"),
    ]:
        run = house.make_folder(f"refused-{house.fresh_uid()}", BROKER, mode=0o755)
        result = subprocess.run(
            as_user(BROKER, [house.programs / "photobrokerd", "--state", state, "--runtime", run, *more]),
            text=True,
            capture_output=True,
            timeout=20,
            env=broker.environment(),
        )
        assert result.returncode == 1 and words in result.stderr, result
