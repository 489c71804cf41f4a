"""The promises of Compatibility.md: each kept version's state, interfaces, clients and answers."""

import json
import re
import subprocess

import pytest

from house import versions
from house.interfaces import Interface
from house.person import as_user

ARCHIVES = sorted(versions.VERSIONS.glob("*.tar.xz"))
MADE_ANEW = "Before the tag of that version scripts/keep-version keeps it anew; after it this change breaks a promise."
# Parts of a state that must not be empty, or nothing is kept of them.
WHOLE = {
    "ListLibraries": "libraries",
    "ListApps": "apps",
    "ListGrants": "grants",
    "ListTokens": "tokens",
    "ListRules": "rules",
    "ListDecisions": "decisions",
    "ReadLedger": "entries",
    "ListOwnedAlbums": "albums",
    "FetchOwnedAssets": "assets",
    "FetchTrashedAssets": "assets",
}
MADE = """interface org.example.Made
type Photo (
  name: string,
  size: ?int
)
type Query ( word: ?string )
type Kind ( image, video )
method Find(
  query: Query,
  # Range: 1 to 100.
  limit: ?int
) -> ( photos: []Photo, kind: Kind )
error Missing ( name: string )
"""


@pytest.fixture(scope="module", params=ARCHIVES, ids=lambda path: path.name.removesuffix(".tar.xz"))
def kept(house, request):
    return versions.unpacked(house, request.param)


@pytest.fixture(scope="module")
def kept_broker(house, kept):
    broker = versions.KeptBroker.of(house, kept)
    try:
        broker.start()
    except AssertionError as problem:
        raise AssertionError(f"{problem}\n{MADE_ANEW}") from None
    yield broker
    broker.end()


def test_R145_a_released_state_opens_with_every_decision_edit_token_and_record(kept, kept_broker):
    steps = versions.transcript_of(kept)["steps"]
    problems = []
    for step, today in zip(steps, versions.replay(kept_broker, steps)):
        problems += versions.differences(step["reply"], today, f"{step['who']} {step['method']}")
    assert not problems, "\n".join([*problems, MADE_ANEW])


def test_R145_a_kept_version_has_all_that_the_promise_names(kept):
    steps = versions.transcript_of(kept)["steps"]
    replies = {}
    for step in steps:
        replies.setdefault(step["method"].rsplit(".", 1)[1], step["reply"])
    assert all(replies[method][part] for method, part in WHOLE.items())
    said = json.dumps(steps)
    assert all(
        part in said
        for part in ("The bridge at noon", "tokenRevoked", '"hidden": true', '"neverShare": true', '"Summer"')
    )
    for name in ("Library", "Picker"):
        file = kept / f"interfaces/io.photobroker.{name}.varlink"
        asked = {step["method"].removeprefix(f"io.photobroker.{name}.") for step in steps}
        assert not Interface(file.read_text()).methods.keys() - asked, "each method for apps is asked"


@pytest.fixture
def start(house, kept, kept_broker):
    """Runs a client of the kept version as its user, and returns its lines."""
    clients = house.make_folder(f"clients-{house.fresh_uid()}", 0, mode=0o755)
    for file in (kept / "clients").iterdir():
        house.put(file, clients)
    home = house.make_folder(f"home-{house.fresh_uid()}", versions.APP)

    def start(*command, **environment):
        said = subprocess.run(
            as_user(versions.APP, command),
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(home),
                "PYTHONDONTWRITEBYTECODE": "1",
                "PHOTOBROKER_SOCKET": str(kept_broker.app_socket),
                **environment,
            },
            cwd=home,
            text=True,
            capture_output=True,
            timeout=60,
        )
        assert said.returncode == 0, said.stdout + said.stderr
        return said.stdout

    start.clients, start.home = clients, home
    return start


def check_selection(said):
    """The version's rules selected the photos from the third day on. One is in the trash, or came back by the undone
    decision; one is hidden and one is never shared."""
    names = set(re.findall(r"picture-\d+\.jpg", said))
    assert "photos, access is limited" in said
    assert names - {"picture-004.jpg"} == {"picture-002.jpg", "picture-003.jpg", "picture-005.jpg"}


def test_R145_a_client_of_a_released_version_works_unchanged(house, start):
    said = start("/usr/bin/python3", start.clients / "journal.py", "list", PYTHONPATH=str(house.python))
    check_selection(said)


def test_R145_a_swift_program_of_a_released_version_works_unchanged(start):
    program = start.clients / versions.swift_client_name()
    if not program.exists():
        pytest.skip(f"{program.name} is not kept; there is {[file.name for file in start.clients.glob('*-swift-*')]}")
    # A program finds its runtime where it was built, which may have been another folder.
    runtime = {"LD_LIBRARY_PATH": str(versions.swift()[1])}
    said = start(program, "list", **runtime)
    check_selection(said)
    [photo] = re.findall(r"^  (\S+) picture-005\.jpg ", said, re.M)
    assert re.search(r"^  read [1-9]\d* bytes$", start(program, "show", photo, "copy.jpg", **runtime), re.M)
    assert (start.home / "copy.jpg").read_bytes().startswith(b"\xff\xd8")
    assert re.search(
        r"^  drawn in [1-9]\d* bytes$", start(program, "picture", photo, "64", "small.jpg", **runtime), re.M
    )
    assert "photos readWrite: limited" in start(program, "access", **runtime)
    assert "photos saved" in start(program, "save", "saved", **runtime)
    assert photo in start(program, "open", "saved", **runtime)
    assert "caption written" in start(program, "caption", photo, "Of a version before", **runtime)


def test_R145_the_interfaces_keep_what_a_released_version_had(kept):
    for file in sorted((kept / "interfaces").glob("*.varlink")):
        today = versions.INTERFACES / file.name
        assert today.exists(), f"{file.name} is gone. {MADE_ANEW}"
        before, now = Interface(file.read_text()), Interface(today.read_text())
        found = before.breaks(now, served_by_plugins=file.name == "io.photobroker.Plugin.varlink")
        assert not found, "\n".join([file.name, *found, MADE_ANEW])


def test_R145_the_present_version_is_kept_with_its_interfaces(house):
    said = subprocess.run([house.programs / "photobroker", "--version"], capture_output=True, text=True).stdout.split()
    archive = versions.VERSIONS / f"{said[1]}.tar.xz"
    assert archive.exists(), f"Before {said[1]} is tagged, scripts/keep-version keeps it."
    for file in (versions.unpacked(house, archive) / "interfaces").glob("*.varlink"):
        today = Interface((versions.INTERFACES / file.name).read_text())
        assert Interface(file.read_text()).tokens == today.tokens, f"{file.name} has changed. {MADE_ANEW}"


@pytest.mark.parametrize(
    "old, new, problem",
    [
        ("method Find(", "method Search(", "Find, sent: removed"),
        ("limit: ?int", "limitOfPhotos: ?int", "Find, sent: limit removed"),
        ("limit: ?int", "limit: ?int, from: int", "Find, sent: from is new and required"),
        ("limit: ?int", "limit: int", "Find, sent: limit has another type"),
        ("Range: 1 to 100.", "Range: 1 to 99.", "Find.limit has a narrower range"),
        ("word: ?string", "word: ?string, place: string", "type Query: place is new and required"),
        ("photos: []Photo, ", "", "Find, heard: photos removed"),
        ("photos: []Photo", "photos: [string]Photo", "Find, heard: photos has another type"),
        ("size: ?int", "size: ?float", "type Photo: size has another type"),
        ("  name: string,\n  size: ?int", "  size: ?int", "type Photo: name removed"),
        ("image, video", "image", "type Kind: video removed"),
        ("error Missing ( name: string )", "", "error Missing: removed"),
        ("error Missing ( name: string )", "error Missing ( file: string )", "error Missing: name removed"),
    ],
)
def test_R145_each_kind_of_break_in_an_interface_is_found(old, new, problem):
    assert MADE.count(old) == 1
    assert Interface(MADE).breaks(Interface(MADE.replace(old, new))) == [problem]


@pytest.mark.parametrize(
    "old, new",
    [
        ("limit: ?int", "limit: ?int, from: ?int"),
        ("Range: 1 to 100.", "Range: 1 to 200."),
        ("kind: Kind )", "kind: Kind, count: int )"),
        ("size: ?int", "size: ?int, place: string"),
        ("image, video", "image, video, sound"),
        ("error Missing ( name: string )", "error Missing ( name: string, place: string )\nerror Gone"),
    ],
)
def test_R145_an_interface_may_grow(old, new):
    assert MADE.count(old) == 1
    assert Interface(MADE).breaks(Interface(MADE.replace(old, new))) == []


def test_R145_a_plugin_answers_without_the_fields_of_later_versions():
    later = Interface(MADE.replace("kind: Kind )", "kind: Kind, count: int )"))
    assert Interface(MADE).breaks(later, served_by_plugins=True) == ["Find, sent: count is new and required"]
    later = Interface(MADE.replace("limit: ?int", "limit: ?int, from: int"))
    assert Interface(MADE).breaks(later, served_by_plugins=True) == []


@pytest.mark.parametrize(
    "kept, today, found",
    [
        ({"a": 1}, {"a": 1, "b": 2}, []),
        ({"a": {"any": "number"}}, {"a": 7}, []),
        ({"a": {"any": "number"}}, {"a": "7"}, ["reply.a is no number"]),
        ({"a": 1}, {}, ["reply.a is missing"]),
        ({"a": True}, {"a": 1}, ["reply.a is no bool"]),
        ([1, 2], [1], ["reply has 1 entries, and had 2"]),
        ({"a": ["x"]}, {"a": ["y"]}, ["reply.a.0 is 'y', and was 'x'"]),
    ],
)
def test_R145_a_lost_or_changed_part_of_an_answer_is_found(kept, today, found):
    assert versions.differences(kept, today) == found
