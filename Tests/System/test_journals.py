"""The two example journals, run as apps and compared.

One is in Swift with the client library, one in Python with a stock client.
"""

import hashlib
import pathlib
import re
import subprocess

import pytest

from house.broker import Album, Broker
from house.person import as_user, wait_for
from house.pictures import ROOT, day, jpeg
from house.plugins import SHARED
from house.scene import Scene


@pytest.fixture(scope="session")
def programs(house):
    """Build the Swift examples and copy all of them to a place where every user can run them."""
    folder = house.folder / "journals"
    folder.mkdir(mode=0o755)
    scratch = ROOT / ".build/examples"
    for name in ("journal", "attach"):
        built = subprocess.run(
            [
                "swift",
                "build",
                "--manifest-cache",
                "none",
                "--disable-index-store",
                "--package-path",
                ROOT / "Examples" / name,
                "--scratch-path",
                scratch,
            ],
            text=True,
            capture_output=True,
        )
        assert built.returncode == 0, built.stdout[-4000:] + built.stderr[-2000:]
        house.put(scratch / "debug" / name, folder)
    house.put(ROOT / "Examples/python/attach.py", folder)
    house.put(ROOT / "Examples/python/journal.py", folder)
    return {
        "swift": [folder / "journal"],
        "python": ["/usr/bin/python3", folder / "journal.py"],
        "attach swift": [folder / "attach"],
        "attach python": ["/usr/bin/python3", folder / "attach.py"],
    }


class Journal:
    def __init__(self, scene, command):
        self.scene, self.command = scene, command
        self.home = scene.house.make_folder(f"home-{scene.house.fresh_uid()}", scene.app.uid)
        self.environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(self.home),
            "PYTHONPATH": str(scene.house.python),
            "PYTHONUNBUFFERED": "1",
            "PHOTOBROKER_SOCKET": str(scene.broker.app_socket),
            "SWIFT_BACKTRACE": "enable=no",
        }
        self.started = []

    def start(self, *words):
        # A file, because it can be read while the journal runs.
        self.output = self.home.parent / f"{self.home.name}-{len(self.started)}.txt"
        with open(self.output, "wb") as output:
            process = subprocess.Popen(
                as_user(self.scene.app.uid, [*self.command, *words]),
                env=self.environment,
                cwd="/",
                stdout=output,
                stderr=subprocess.STDOUT,
            )
        self.started.append(process)
        return process

    def run(self, *words, status=0):
        assert self.start(*words).wait(60) == status, self.output_text
        return self.output_text

    @property
    def output_text(self):
        return self.output.read_text()

    def introduce(self, *names):
        """Run it for the first time; the owner selects these pictures."""
        first = self.start()
        prompt = self.scene.owner.wait_for_prompt()
        self.name = prompt["app"]["app"]
        self.scene.owner.answer(
            prompt, "select", selector=self.scene.owner.naming(self.scene.library, [self.scene.name(n) for n in names])
        )
        assert first.wait(60) == 0, self.output_text
        return self.output_text

    def end(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
                process.wait()


@pytest.fixture(params=["swift", "python"])
def journal(request, own_broker, programs):
    journal = Journal(Scene(own_broker, 6, introduce=False), programs[request.param])
    yield journal
    journal.end()


def without_identifiers(text):
    """Replace identifiers, which differ from app to app."""
    return re.sub(r"\b[0-9a-f]{32}\b", "ID", text)


def lines(text):
    return without_identifiers(text).splitlines()


def photo_line(name, size="64x48"):
    return f"ID {name} {size}"


def test_a_journal_lists_the_selection_by_day(journal):
    pictures = journal.scene.pictures
    said = lines(journal.introduce(0, 2))
    assert said == [
        "2 photos, access is limited",
        "2024-01-03",
        f"  {photo_line(pictures[2])}",
        "2024-01-01",
        f"  {photo_line(pictures[0])}",
        "`journal choose` changes what is here",
    ]
    assert lines(journal.run()) == said


@pytest.mark.parametrize("language", ["swift", "python"])
def test_a_journal_lists_a_photo_with_an_impossible_date(own_broker, programs, language):
    """The time counts as no date."""
    plugin = own_broker.house.programs / "fardated.plugin"
    plugin.write_text(SHARED.replace('"modified": facts.st_mtime_ns // 1000', '"modified": 9 * 10**18'))
    plugin.chmod(0o755)
    scene = Scene(own_broker, 2, introduce=False, backend="fardated")
    scene.album.put("far.jpg", jpeg(None, note=b"far"))
    scene.owner.wait_for_library(scene.library, 3)
    assert [a.get("creationDate") for a in scene.owner.assets(scene.library) if a["filename"] == "far.jpg"] == [None]
    journal = Journal(scene, programs[language])
    try:
        assert lines(journal.introduce(0, "far.jpg")) == [
            "2 photos, access is limited",
            "2024-01-01",
            f"  {photo_line(scene.pictures[0])}",
            "no date",
            f"  {photo_line('far.jpg')}",
            "`journal choose` changes what is here",
        ]
    finally:
        journal.end()


def test_a_journal_shows_a_photo_with_its_bytes(journal):
    identifier = re.search(r"[0-9a-f]{32}", journal.introduce(1))[0]
    copy = journal.home / "copy"
    said = journal.run("show", identifier, copy)
    original = journal.scene.album.folder / journal.scene.pictures[1]
    size = original.stat().st_size
    assert lines(said) == [
        photo_line(original.name),
        f"  {original.name}: image/jpeg, {size} bytes",
        f"  read {size} bytes",
    ]
    assert hashlib.sha256(copy.read_bytes()).digest() == hashlib.sha256(original.read_bytes()).digest()
    assert journal.run("show", "0" * 32, status=1) == "no such photo\n"


def test_a_journal_without_a_valid_command_prompts_nobody(journal):
    for words in (["nonsense"], ["show"], ["save"], ["list", "more"]):
        assert "list | choose | watch" in journal.run(*words, status=2)
    assert "list | choose | watch" in journal.run("--help")
    assert journal.scene.owner.prompts() == []


def test_R66_a_journal_offers_the_selection_page(journal):
    journal.introduce(0)
    choosing = journal.start("choose")
    prompt = journal.scene.owner.wait_for_prompt("selection")
    both = journal.scene.owner.naming(journal.scene.library, journal.scene.pictures[:2])
    journal.scene.owner.answer(prompt, "select", selector=both)
    assert choosing.wait(60) == 0
    assert lines(journal.output_text) == ["1 added", f"  {photo_line(journal.scene.pictures[1])}"]
    assert lines(journal.run())[0] == "2 photos, access is limited"
    journal.scene.owner.set(journal.scene.library, journal.name, "authorized")
    assert journal.run("choose") == "nothing to choose: access is authorized\n"


def test_a_journal_follows_changes_until_access_ends(journal):
    scene = journal.scene
    gone = re.search(r"[0-9a-f]{32}", journal.introduce(0))[0]
    watching = journal.start("watch")
    # It begins to watch after its first event.
    wait_for(lambda: select_again(scene, journal, 1), "the journal to watch")
    scene.owner.unselect(scene.library, journal.name, scene.pictures[0])
    wait_for(lambda: f"- {gone}" in journal.output_text, "the journal to be told what left")
    scene.owner.call("Revoke", library=scene.library, app=journal.name)
    assert watching.wait(60) == 0, "it watched to the end"
    assert set(lines(journal.output_text)) == {f"+ {photo_line(scene.pictures[1])}", "- ID", "access ended"}
    assert journal.output_text.splitlines()[-1] == "access ended"
    for words in ([], ["watch"], ["show", gone], ["choose"]):
        assert journal.run(*words, status=1) == "no access: denied\n"


def test_a_journal_reports_a_large_change_after_full_access(journal):
    scene = journal.scene
    journal.introduce(0)
    watching = journal.start("watch")
    wait_for(lambda: select_again(scene, journal, 1), "the journal to watch")
    scene.owner.set(scene.library, journal.name, "authorized")
    wait_for(lambda: "much has changed: `journal` shows it" in lines(journal.output_text), "the journal to be told")
    scene.owner.call("Revoke", library=scene.library, app=journal.name)
    assert watching.wait(60) == 0


def test_a_journal_stays_with_its_library_when_another_is_offered(journal, house):
    scene = journal.scene
    said = journal.introduce(0, 2)
    other = Album(house, f"other-{house.fresh_uid()}", scene.owner.uid)
    other.fill(3)
    scene.owner.add_library(f"other-{scene.owner.uid}", other.folder, [scene.app.uid], 3)
    assert journal.run() == said
    identifier = re.search(r"[0-9a-f]{32}", said)[0]
    assert journal.run("show", identifier).splitlines()[0] in [line.strip() for line in said.splitlines()]
    assert scene.owner.prompts() == []


def select_again(scene, journal, number):
    scene.owner.unselect(scene.library, journal.name, scene.pictures[number])
    scene.owner.select(scene.library, journal.name, scene.pictures[number])
    return f" {scene.pictures[number]} " in journal.output_text


@pytest.fixture
def other_journal(request, house, journal, programs):
    """The same journal on another broker, with a library of its own."""
    broker = Broker(house, name=f"own-{house.fresh_uid()}").start()
    other = Journal(Scene(broker, 6, introduce=False), journal.command)
    yield other
    other.end()
    broker.end()


def test_R97_R106_R110_a_journal_opens_on_another_machine(journal, other_journal):
    scene = other_journal.scene
    journal.introduce(0, 1, 2)
    assert journal.run("save", journal.home / "saved") == "3 photos saved\n"
    saved = other_journal.home / "saved"
    saved.write_bytes((journal.home / "saved").read_bytes())
    saved.chmod(0o644)
    # There the second photo is not selected, and the third exists twice.
    scene.album.put("copy.jpg", (scene.album.folder / scene.pictures[2]).read_bytes())
    scene.owner.wait_for_library(scene.library, 7)
    other_journal.introduce(0, 2, "copy.jpg")
    listed = dict(re.findall(r"^  (\w{32}) (\S+)", other_journal.run(), re.M))
    here = {name: identifier for identifier, name in listed.items()}
    assert other_journal.run("open", saved).splitlines()[:3] == [
        f"  {here[scene.pictures[0]]} {scene.pictures[0]}",
        f"  (not here) {scene.pictures[1]}",
        f"  which one is {scene.pictures[2]}?",
    ]
    choices = re.findall(r"^    (\w{32}) (\S+)", other_journal.output_text, re.M)
    assert {name for _, name in choices} == {scene.pictures[2], "copy.jpg"}
    assert all(here[name] == identifier for identifier, name in choices)


@pytest.mark.parametrize("journal", ["swift"], indirect=True)
def test_the_client_library_reconnects_after_a_broker_restart(journal):
    scene = journal.scene
    journal.introduce(0)
    journal.start("watch")
    wait_for(lambda: select_again(scene, journal, 1), "the journal to watch")
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 6)
    scene.owner.select(scene.library, journal.name, scene.pictures[4])
    wait_for(lambda: f" {scene.pictures[4]} " in journal.output_text, "the journal to be told after the restart")


def test_both_journals_tokens_are_private_to_their_user(journal):
    journal.introduce(0)
    files = list(pathlib.Path(journal.home, ".local/state/photobroker").glob("*.token"))
    assert len(files) == 1
    assert files[0].stat().st_mode & 0o7777 == 0o600
    assert files[0].stat().st_uid == journal.scene.app.uid


@pytest.mark.parametrize("language", ["swift", "python"])
def test_R72_R87_R119_a_photo_is_attached_without_any_permission(own_broker, programs, language):
    scene = Scene(own_broker, 6, introduce=False)
    attach = Journal(scene, programs[f"attach {language}"])
    folder = attach.home / "attached"
    for numbers in ([1, 4], None, [], [2]):
        folder = scene.house.make_folder(f"attached-{scene.house.fresh_uid()}", scene.app.uid)
        running = attach.start(folder)
        picker = wait_for(lambda: scene.owner.call("ListPickers")["pickers"], "the picker to be open")[0]
        assets = (
            None if numbers is None else [scene.owner.identifier(scene.library, scene.pictures[n]) for n in numbers]
        )
        scene.owner.call("AnswerPicker", picker=picker["picker"], **({} if assets is None else {"assets": assets}))
        running.wait(60)
        originals = [scene.album.folder / scene.pictures[n] for n in numbers or []]
        expected = "nothing attached" if numbers is None else f"{len(numbers)} attached"
        assert attach.output_text.splitlines() == [expected] + [
            f"  {o.name}: {o.stat().st_size} bytes" for o in originals
        ]
        assert {p.name: p.read_bytes() for p in folder.iterdir()} == {o.name: o.read_bytes() for o in originals}
    assert scene.owner.call("ListGrants")["grants"] == [] and scene.owner.prompts() == []
    # Every start is the same app to the owner.
    assert len([app for app in scene.owner.call("ListApps")["apps"] if app["uid"] == scene.app.uid]) == 1
    attach.end()


@pytest.mark.parametrize("journal", ["swift"], indirect=True)
def test_the_client_library_streams_checks_changes_and_catches_up_after_a_restart(journal):
    scene = journal.scene
    identifier = re.search(r"[0-9a-f]{32}", journal.introduce(1))[0]
    original = (scene.album.folder / scene.pictures[1]).read_bytes()
    copy = journal.home / "copy"
    assert journal.run("copy", identifier, copy) == f"  copied {len(original)} bytes, in order, to 100 %\n"
    assert copy.read_bytes() == original
    assert journal.run("missed") == "", "nothing is missed by one who begins"
    scene.owner.select(scene.library, journal.name, scene.pictures[3])
    scene.broker.restart()
    scene.owner.wait_for_library(scene.library, 6)
    assert lines(journal.run("missed")) == [f"+ {photo_line(scene.pictures[3])}"]
    assert journal.run("caption", identifier, "x" * 1025, status=1).startswith("not possible: ")
    assert journal.run("missed") == "", "a check changes nothing"
    assert journal.run("caption", identifier, "At the lake") == "caption written\n"
    assert lines(journal.run("missed")) == [f"~ {photo_line(scene.pictures[1])}"]
    scene.owner.set(scene.library, journal.name, "authorized")
    assert lines(journal.run("missed")) == ["much has changed: `journal` shows it"]
    assert journal.run("missed") == "", "it is told once"


@pytest.mark.parametrize("journal", ["swift"], indirect=True)
def test_the_client_library_draws_pictures_and_keeps_albums(journal):
    scene = journal.scene
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.album.put("large.jpg", jpeg(day(30), width=640, height=320))
    scene.owner.wait_for_library(scene.library, 7)
    listed = dict(
        (name, identifier) for identifier, name in re.findall(r"(\w{32}) (\S+)", journal.introduce(0, 1, "large.jpg"))
    )
    drawn = journal.home / "drawn"
    assert journal.run("picture", listed["large.jpg"], "64", drawn) == f"  drawn in {drawn.stat().st_size} bytes\n"
    assert jpeg_size(drawn.read_bytes()) == (64, 32)
    assert journal.run("picture", "0" * 32, "64", drawn, status=1) == "no such photo\n"
    said = journal.run("chapter", "Lake", listed[scene.pictures[0]])
    assert lines(said) == ["Lake: 1", f"  {photo_line(scene.pictures[0])}"]
    assert lines(journal.run("chapter", "Lake", listed[scene.pictures[1]], listed["large.jpg"])) == [
        "Lake: 3",
        f"  {photo_line('large.jpg', '640x320')}",
        f"  {photo_line(scene.pictures[1])}",
        f"  {photo_line(scene.pictures[0])}",
    ]
    assert [a["title"] for a in scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]] == ["Lake"]


@pytest.mark.parametrize("journal", ["swift"], indirect=True)
def test_R43_the_client_library_creates_a_photo_in_a_new_album_by_one_change(journal):
    scene = journal.scene
    scene.let_broker_add()
    journal.introduce(0)
    page = journal.home / "page.jpg"
    page.write_bytes(jpeg(day(40), b"a page", width=64, height=48))
    page.chmod(0o644)
    said = lines(journal.run("paste", "Drawn", page, "By the lake"))
    assert said == ["added ID", "Drawn: 1", f"  {photo_line('page.jpg', '64x48')}"]
    assert set(scene.owner.names(scene.library)) == {*scene.pictures, "page.jpg"}
    page.write_bytes(b"no picture")
    assert journal.run("paste", "Torn", page, "Gone", status=1).startswith("not possible: ")
    assert [a["title"] for a in scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]] == ["Drawn"]


@pytest.mark.parametrize("journal", ["swift"], indirect=True)
def test_the_client_library_makes_every_kind_of_change(journal):
    scene = journal.scene
    scene.let_broker_add()
    listed = dict((name, identifier) for identifier, name in re.findall(r"(\w{32}) (\S+)", journal.introduce(0, 1, 2)))
    scene.owner.set(scene.library, journal.name, "authorized")
    first, second, third = scene.pictures[:3]
    journal.run("chapter", "Lake", *(listed[name] for name in (first, second, third)))

    def order(said):
        title, *members = lines(said)
        return title, [member.split()[1] for member in members]

    title, before = order(journal.run("retitle", "Lake", "Sea"))
    assert title == "Sea: 3" and sorted(before) == sorted([first, second, third])
    assert order(journal.run("move", "Sea", listed[third], listed[first])) == ("Sea: 3", [third, first, second])
    assert journal.run("move", "Sea", listed[third], "0" * 32, status=1) == "no such photo\n"
    assert order(journal.run("move", "Sea", listed[third])) == ("Sea: 3", [first, second, third])
    assert order(journal.run("tear", "Sea", listed[second])) == ("Sea: 2", [name for name in before if name != second])
    assert journal.run("date", listed[first], "86400") == "date written\n"
    assert re.search(rf"^1970-01-02\n  \w+ {re.escape(first)} ", journal.run(), re.M)
    assert journal.run("close", "Sea") == "" and journal.run("close", "Sea", status=1) == "no such chapter\n"
    assert journal.run("bin", listed[second]) == "5 photos left\n"
    assert second not in journal.run()


@pytest.mark.parametrize("journal", ["swift"], indirect=True)
def test_the_client_library_polls_for_access_and_describes_it(journal):
    scene = journal.scene
    assert lines(journal.run("access"))[0] == f"offered: {scene.library}" and scene.owner.prompts() == []
    assert f"{scene.library} readWrite: notDetermined, " in journal.output_text
    for _ in range(2):
        assert journal.run("ask") == "asked: run this again for the answer\n"
    (prompt,) = scene.owner.prompts()
    scene.owner.answer(prompt, "select", selector=scene.owner.naming(scene.library, [scene.name(0), scene.name(3)]))
    assert journal.run("ask") == "access is limited\n"
    assert f"{scene.library} readWrite: limited, 2 photos, may " in journal.run("access")
    assert lines(journal.output_text)[-1] == "pages of 1000 photos"
    assert journal.run().startswith("2 photos, access is limited\n") and scene.owner.prompts() == []


@pytest.mark.parametrize("journal", ["swift"], indirect=True)
def test_R43_the_client_library_adds_a_photo(journal):
    scene = journal.scene
    if not scene.house.has_media:
        pytest.skip("photobroker-media was not built, because its libraries are missing")
    scene.let_broker_add()
    journal.introduce(0)
    page = journal.home / "page.jpg"
    # More than a message holds.
    page.write_bytes(jpeg(day(40), note=b"page", padding=3_000_000))
    page.chmod(0o644)
    journal.run("add", page)
    identifier = re.fullmatch(r"added (\w{32})\n", journal.output_text)
    assert identifier, journal.output_text
    assert (scene.album.folder / "PhotoBroker/page.jpg").read_bytes() == page.read_bytes()
    assert f"  {identifier[1]} page.jpg" in journal.run(), "what it added is in its selection"
    broken = journal.home / "broken.jpg"
    broken.write_bytes(b"no picture")
    assert "invalidResource" in journal.run("add", broken, status=1)
    # The same from an open file at any position, and from a pipe.
    command = as_user(scene.app.uid, [*journal.command, "add", "-", "input.jpg"])
    with open(page, "rb") as file:
        file.seek(1_000)
        said = subprocess.run(
            command, env=journal.environment, cwd="/", stdin=file, capture_output=True, text=True, timeout=60
        ).stdout
    assert re.fullmatch(r"fit to be added\nadded \w{32}\n", said), said
    second = jpeg(day(41), note=b"pipe", padding=2_000_000)
    said = subprocess.run(
        command, env=journal.environment, cwd="/", input=second, capture_output=True, timeout=60
    ).stdout.decode()
    assert re.fullmatch(r"added \w{32}\n", said), said
    added = {path.read_bytes() for path in (scene.album.folder / "PhotoBroker").rglob("*.jpg")}
    assert added == {page.read_bytes(), second}


def jpeg_size(data):
    place = 2
    while data[place + 1] not in (0xC0, 0xC1, 0xC2):
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return int.from_bytes(data[place + 7 : place + 9], "big"), int.from_bytes(data[place + 5 : place + 7], "big")
