"""AI agents, by `photobroker mcp` and the stock client of the Model Context Protocol."""

import base64
import json
import os
import pathlib
import struct
import subprocess
import threading

import anyio.from_thread
import pytest

from house.person import as_user, wait_for
from house.pictures import day, described, jpeg
from house.places import LATITUDE, LONGITUDE, TOWN, seeds_in
from house.tokens import attenuated

JPEG = b"\xff\xd8"


class Agent:
    """A stock client, in a thread of its own, with `photobroker mcp` under the app's user."""

    def __init__(self, portal, scene, *options, mode="auto", name="Test Agent", home=None):
        # Each worker collects every file, and this import took a third of the time for all.
        import mcp
        from mcp.types import Implementation

        self.error = mcp.MCPError
        self.portal, self.scene = portal, scene
        self.home = home or scene.house.make_folder(f"agent-{scene.house.fresh_uid()}", scene.app.uid)
        self.command = as_user(
            scene.app.uid,
            [scene.broker.programs / "photobroker", "mcp", "--app-socket", scene.broker.app_socket, *options],
        )
        server = mcp.StdioServerParameters(
            command=self.command[0],
            args=self.command[1:],
            env={"HOME": str(self.home), "PATH": "/usr/bin:/bin"},
            cwd="/",
        )
        self.client = mcp.Client(server, mode=mode, client_info=Implementation(name=name, version="1"))
        self.connection = portal.wrap_async_context_manager(self.client)
        self.connection.__enter__()

    def end(self):
        self.connection.__exit__(None, None, None)

    def tools(self):
        return [tool.name for tool in self.portal.call(self.client.list_tools).tools]

    def begin(self, tool, on_progress=None, **arguments):
        return self.portal.start_task_soon(
            lambda: self.client.call_tool(tool, arguments, progress_callback=on_progress)
        )

    def call(self, tool, **arguments):
        """The content of an answer: the value of JSON, else a text or picture."""
        result = self.begin(tool, **arguments).result(60)
        assert not result.is_error, result.content
        return self.content(result)

    @staticmethod
    def content(result):
        block = result.content[0]
        if block.type == "image":
            return base64.b64decode(block.data)
        try:
            return json.loads(block.text)
        except ValueError:
            return block.text

    def refusal(self, tool, **arguments):
        result = self.begin(tool, **arguments).result(60)
        assert result.is_error, result.content
        return result.content[0].text

    def photos(self, **arguments):
        return self.call("list_photos", **arguments)["photos"]


@pytest.fixture(scope="module")
def portal():
    with anyio.from_thread.start_blocking_portal() as portal:
        yield portal


@pytest.fixture
def make_agent(portal, scene):
    agents = []

    def make(*options, **more):
        agents.append(Agent(portal, scene, *options, **more))
        return agents[-1]

    yield make
    for agent in agents:
        agent.end()


def allow_photos(scene, agent, *numbers):
    """The agent asks, and the owner selects photos."""
    asking = agent.begin("ask_for_access")
    prompt = scene.owner.wait_for_prompt()
    chosen = scene.owner.naming(scene.library, map(scene.name, numbers))
    scene.owner.answer(prompt, "select", selector=chosen)
    return prompt, Agent.content(asking.result(60))


def test_R168_only_a_tool_that_asks_asks_the_owner(scene, make_agent):
    agent = make_agent()
    for tool in ("list_photos", "list_albums", "ask_for_more_photos"):
        assert "Call ask_for_access first" in agent.refusal(tool)
    assert agent.portal.call(agent.client.list_resources).resources == []
    assert scene.owner.prompts() == []
    assert "has not answered yet" in agent.call("ask_for_access", wait_seconds=0)
    assert len(scene.owner.prompts()) == 1


@pytest.mark.parametrize("mode", ["legacy", "2026-07-28"])
def test_R168_an_agent_sees_the_selected_photos_and_nothing_else(scene, make_agent, mode):
    agent = make_agent(mode=mode)
    assert agent.call("access")["status"] == "notDetermined"
    prompt, access = allow_photos(scene, agent, 0, 1)
    assert prompt["app"]["displayName"] == "Test Agent"
    assert (access["status"], access["visible_photos"]) == ("limited", 2)
    photos = agent.photos()
    assert [photo["filename"] for photo in photos] == [scene.pictures[1], scene.pictures[0]]
    assert agent.call("look", photo=photos[0]["id"], size=64).startswith(JPEG)
    assert agent.call("details", photo=photos[0]["id"])["files"][0]["filename"] == scene.pictures[1]
    hidden = scene.owner.identifier(scene.library, scene.pictures[2])
    unknown = "0" * len(hidden)
    for tool in ("look", "details"):
        assert agent.refusal(tool, photo=hidden) == agent.refusal(tool, photo=unknown)
    listed = agent.portal.call(agent.client.list_resources).resources
    assert [resource.name for resource in listed] == [photo["filename"] for photo in photos]
    read = agent.portal.call(agent.client.read_resource, listed[0].uri)
    assert base64.b64decode(read.contents[0].blob).startswith(JPEG)


def test_R149_an_agent_gets_no_larger_picture_than_its_owner_allows(scene, make_agent):
    agent = make_agent()
    scene.album.put("large.jpg", jpeg(day(7), width=3_000, height=2_000))
    scene.owner.rescan(scene.library)
    prompt, access = allow_photos(scene, agent, "large.jpg")
    assert "picture_pixels" not in access
    terms = {"files": False, "pixels": 256}
    scene.owner.set(scene.library, prompt["app"]["app"], None, terms=terms)
    access = agent.call("access")
    assert "files" in access["withheld"] and access["picture_pixels"] == 256
    [photo] = agent.photos()
    picture = agent.call("look", photo=photo["id"], size=2_560)
    at = picture.index(b"\xff\xc0")
    assert struct.unpack(">HH", picture[at + 5 : at + 9]) == (171, 256)


def test_R168_the_owner_sees_what_an_agent_looked_at_and_ends_it_at_once(scene, make_agent):
    agent = make_agent()
    prompt, _ = allow_photos(scene, agent, 0)
    photo = agent.photos()[0]["id"]
    agent.call("look", photo=photo)
    asset = scene.owner.identifier(scene.library, scene.pictures[0])
    entries = scene.owner.call("ReadLedger", library=scene.library)["entries"]
    assert any(entry["app"] == prompt["app"]["app"] and entry["asset"] == asset for entry in entries)
    scene.owner.call("Revoke", library=scene.library, app=prompt["app"]["app"])
    assert "accessUserDenied" in agent.refusal("look", photo=photo)
    assert agent.call("access")["status"] == "denied"


@pytest.mark.parametrize("names", [("First", "Second"), ("小明", "大红"), ("A B", "A-B")])
def test_R168_agents_of_different_names_have_their_own_grants(scene, make_agent, names):
    first = make_agent(name=names[0])
    second = make_agent(name=names[1], home=first.home)
    allow_photos(scene, first, 0)
    assert second.call("access")["status"] == "notDetermined"
    allow_photos(scene, second, 1)
    for agent, picture in ((first, 0), (second, 1)):
        assert [photo["filename"] for photo in agent.photos()] == [scene.pictures[picture]]


def test_R168_a_read_only_agent_has_no_tool_that_changes_photos(scene, make_agent):
    changing = {"add_photo", "edit_photos", "create_album", "delete_photos"}
    every = set(make_agent().tools())
    assert changing <= every and {"export_photo", "pick_photos"} <= every
    reading = make_agent("--read-only")
    assert set(reading.tools()) == every - changing
    with pytest.raises(reading.error, match="There is no such tool"):
        reading.call("edit_photos", photos=["x"], caption="y")


def test_R153_R168_an_agents_deletion_waits_for_its_owner(scene, make_agent):
    agent = make_agent()
    allow_photos(scene, agent, 0, 1)
    photos, told = [photo["id"] for photo in agent.photos()], []
    agent.call("edit_photos", photos=photos, caption="By an agent")
    assert agent.call("details", photo=photos[0])["caption"] == "By an agent"

    async def note(progress, total, message):
        told.append(message)

    scene.owner.show_requests()
    deleting = agent.begin("delete_photos", on_progress=note, photos=photos[:1])
    question = wait_for(lambda: scene.owner.call("ListDeletions")["deletions"], "the question")[0]
    wait_for(lambda: told, "word of the wait")
    scene.owner.call("AnswerDeletion", deletion=question["deletion"], allow=False)
    result = deleting.result(60)
    assert result.is_error and "userCancelled" in result.content[0].text
    assert len(agent.photos()) == 2


def test_R168_photos_are_picked_without_permission_and_saved_in_the_agents_folder(scene, make_agent):
    agent = make_agent()
    picking = agent.begin("pick_photos", folder=str(agent.home), limit=1)
    picker = wait_for(lambda: scene.owner.call("ListPickers")["pickers"], "the picker")[0]
    asset = scene.owner.identifier(scene.library, scene.pictures[0])
    scene.owner.call("AnswerPicker", picker=picker["picker"], assets=[asset])
    (saved,) = Agent.content(picking.result(60))["saved"]
    assert os.path.dirname(saved) == str(agent.home) and pathlib.Path(saved).read_bytes().startswith(JPEG)
    assert agent.call("access")["status"] == "notDetermined"


def test_R168_an_agent_finds_photos_by_their_captions(scene, make_agent):
    agent = make_agent()
    allow_photos(scene, agent, *range(6))
    photos = [photo["id"] for photo in agent.call("list_photos")["photos"]]
    agent.call("edit_photos", photos=[photos[4]], caption="Sunset over the Lake")
    agent.call("edit_photos", photos=[photos[1]], caption="A bridge")
    found = lambda **more: agent.call("list_photos", caption_contains="the lake", **more)
    assert [photo["id"] for photo in found()["photos"]] == [photos[4]]
    # Pages without a match are passed over.
    page = found(limit=2)
    assert [photo["caption"] for photo in page["photos"]] == ["Sunset over the Lake"]
    assert found(limit=4, favorites=True)["photos"] == []
    grants = scene.owner.call("ListGrants", library=scene.library)["grants"]
    [app] = {grant["app"] for grant in grants if grant["identifier"].startswith("io.photobroker.mcp.")}
    scene.owner.set(scene.library, app, None, terms={"captions": False})
    assert found() == {"photos": [], "withheld": ["captions", "location"]}


def test_R168_wrong_arguments_are_refused_with_the_right_ones(scene, make_agent):
    agent = make_agent()
    allow_photos(scene, agent, 0)
    for tool, arguments, words in [
        (
            "list_photos",
            {"folder": "x"},
            "There is no argument folder. Arguments: album, filename_contains, caption_contains",
        ),
        ("list_photos", {"limit": 0}, "limit must be a whole number from 1 to 100"),
        ("list_photos", {"limit": 2**63}, "limit must be a whole number from 1 to 100"),
        ("list_photos", {"from": "yesterday"}, "from must be a date such as 2026-05-01"),
        ("list_photos", {"region": [1, 2, 3]}, "region takes four numbers"),
        ("list_photos", {"cursor": "x"}, "cursor"),
        ("list_photos", {"media": "audio"}, "media must be image or video"),
        ("list_photos", {"region": [10, 0, -10, 0]}, "south is not above north"),
        ("add_photo", {"path": "relative.jpg"}, "path must be an absolute path"),
        ("look", {}, "photo is missing"),
        ("look", {"photo": "x", "size": -(2**63)}, "size must be a whole number from 64 to 2560"),
        ("edit_photos", {"photos": []}, "photos takes 1 to 100 strings"),
        ("export_photo", {"photo": agent.photos()[0]["id"], "folder": "/proc"}, "Nothing can be saved in /proc"),
    ]:
        assert words in agent.refusal(tool, **arguments), tool
    assert len(agent.photos()) == 1


def test_R168_garbage_and_floods_end_no_server(scene, make_agent):
    agent = make_agent()
    server = subprocess.Popen(
        agent.command,
        env={"HOME": str(agent.home), "PATH": "/usr/bin:/bin"},
        cwd="/",
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    lines = [b"garbage", b"[]", b"{}", b"\xff" * 10, b"x" * 3_000_000, b'{"id":1}', b'{"jsonrpc":"2.0","method":"x"}']
    lines += [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "ask_for_access"}}).encode()
        for n in range(100)
    ]
    lines += [b'{"jsonrpc":"2.0","id":"end","method":"tools/list"}']
    server.stdin.write(b"\n".join(lines) + b"\n")
    server.stdin.flush()
    refused = 0
    for line in server.stdout:
        reply = json.loads(line)
        refused += "At most 16 calls" in str(reply.get("error"))
        if refused >= 84:
            break
    assert server.poll() is None
    server.stdin.close()
    assert server.wait(20) == 0


def test_R155_R168_an_agent_with_a_token_file_asks_nobody(scene, make_agent, tmp_path):
    scene.limit(0)
    file = scene.house.make_folder(f"token-{scene.house.fresh_uid()}", scene.app.uid) / "token"
    file.write_text(scene.app.token)
    os.chown(file, scene.app.uid, scene.app.uid)
    agent = make_agent("--token-file", file)
    assert [photo["filename"] for photo in agent.photos()] == [scene.pictures[0]]
    assert scene.owner.prompts() == []


def test_R155_R168_an_agent_with_a_dead_token_file_learns_what_its_owner_can_do(scene, make_agent):
    scene.limit(0)
    folder = scene.house.make_folder(f"token-{scene.house.fresh_uid()}", scene.app.uid)
    for name, text in (("garbage", "no token"), ("dead", scene.app.token)):
        (folder / name).write_text(text)
        os.chown(folder / name, scene.app.uid, scene.app.uid)
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    for name in ("garbage", "dead"):
        said = make_agent("--token-file", folder / name).refusal("list_photos")
        assert "Ask the owner of the photos for a new file" in said and "RequestAuthorization" not in said, said


def test_R155_R168_a_token_can_be_narrowed_for_an_agent_and_ended(scene, make_agent):
    scene.limit(0, 1)
    asset = scene.app.named(scene.pictures[0])["localIdentifier"]
    file = scene.house.make_folder(f"token-{scene.house.fresh_uid()}", scene.app.uid) / "token"
    file.write_text(attenuated(scene.app.token, f"assets = {asset}"))
    os.chown(file, scene.app.uid, scene.app.uid)
    agent = make_agent("--token-file", file)
    assert [photo["id"] for photo in agent.photos()] == [asset]
    scene.owner.call("Revoke", library=scene.library, app=scene.app.name)
    assert agent.begin("look", photo=asset).result(60).is_error


def garden(number):
    """A photo of some 10 KB, with a place in its fields and in its caption."""
    facts = (
        f'xmlns:exif="http://ns.adobe.com/exif/1.0/" exif:GPSLatitude="{LATITUDE}" exif:GPSLongitude="{LONGITUDE}" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:description><rdf:Alt><rdf:li xml:lang="x-default">'
        f"At {LATITUDE}, {LONGITUDE} in {TOWN}</rdf:li></rdf:Alt></dc:description>"
    )
    return described(jpeg(day(number), note=b"%02d" % number, padding=10_000), facts.encode())


def test_R150_R155_R168_an_agent_learns_no_place_takes_no_more_than_allowed_and_changes_nothing(scene, make_agent):
    """Its app has full access: the narrowed token alone is between the agent and the rest."""
    house = scene.house
    size = len(garden(0))
    gardens = [scene.album.put(f"garden-{number:02}.jpg", garden(number)).name for number in range(12)]
    secret = scene.album.put("secret.jpg", garden(12)).name
    scene.owner.rescan(scene.library)
    scene.allow()
    known, stored = scene.app.identifiers(), scene.owner.assets(scene.library)
    assert seeds_in(json.dumps(scene.app.fetch()).encode()), "the app itself sees places"
    folder = house.make_folder(f"token-{house.fresh_uid()}", scene.app.uid)
    (folder / "whole").write_text(scene.app.token)
    os.chown(folder / "whole", scene.app.uid, scene.app.uid)
    chosen = [word for name in gardens for word in ("--asset", known[name])]
    limits = ("--without", "location", "--verbs", "read", "--bytes", str(5 * size))
    scene.broker.photobroker(
        scene.app.uid, "token", "narrow", folder / "whole", *chosen, *limits, "--file", folder / "narrow"
    )
    decisions = len(scene.owner.call("ListDecisions", limit=100)["decisions"])
    agent = make_agent("--token-file", folder / "narrow")
    said = []
    call = lambda tool, **arguments: said.append(agent.call(tool, **arguments)) or said[-1]
    refusal = lambda tool, **arguments: said.append(agent.refusal(tool, **arguments)) or said[-1]

    # Not where they were taken.
    access = call("access")
    assert (access["withheld"], access["visible_photos"], access["may"]) == (["location"], 12, ["read"])
    listed = call("list_photos", limit=100)
    photos = {photo["filename"]: photo["id"] for photo in listed["photos"]}
    assert sorted(photos) == gardens and listed["withheld"] == ["location"]
    assert not any("place" in photo for photo in listed["photos"])
    details = [call("details", photo=photo) for photo in photos.values()]
    assert not any("caption" in one for one in details), "each caption has coordinates"
    regions = [[LATITUDE - 1, LONGITUDE - 1, LATITUDE + 1, LONGITUDE + 1], [-48.0, 8.0, -46.0, 9.0]]
    assert len({refusal("list_photos", region=region) for region in regions}) == 1
    # Not a photo more, by its identifier, a name, a question, or the picker.
    assert refusal("details", photo=known[secret]) == refusal("details", photo="0" * 32)
    assert call("list_photos", filename_contains="secret")["photos"] == []
    assert (call("list_albums"), call("ask_for_access")["visible_photos"]) == ([], 12)
    for tool, arguments in (("ask_for_more_photos", {}), ("pick_photos", {"folder": str(agent.home)})):
        refusal(tool, **arguments)
    # No byte more than allowed, in pictures and files together.
    taken = []
    if house.has_media:
        taken.append(call("look", photo=photos[gardens[0]], size=64))
    for name in gardens:
        result = agent.begin("export_photo", photo=photos[name], folder=str(agent.home)).result(60)
        said.append(result.content[0].text)
        if not result.is_error:
            taken.append(pathlib.Path(Agent.content(result)["saved"]).read_bytes())
    assert 4 <= len(taken) <= 5 + house.has_media and sum(map(len, taken)) <= 5 * size
    for data in taken:
        assert data.startswith(JPEG) and seeds_in(data) == []
    # No change, and nobody was asked for one.
    (agent.home / "own.jpg").write_bytes(jpeg(day(40)))
    for tool, arguments in (
        ("edit_photos", {"photos": [photos[gardens[0]]], "caption": "By an agent"}),
        ("edit_photos", {"photos": [photos[gardens[0]]], "favorite": True}),
        ("create_album", {"title": "By an agent", "photos": [photos[gardens[0]]]}),
        ("delete_photos", {"photos": [photos[gardens[0]]]}),
        ("add_photo", {"path": str(agent.home / "own.jpg")}),
    ):
        refusal(tool, **arguments)
    assert seeds_in(repr(said).encode()) == []
    assert scene.owner.assets(scene.library) == stored
    assert scene.owner.prompts() == scene.owner.call("ListDeletions")["deletions"] == []
    assert scene.owner.call("ListPickers")["pickers"] == []
    assert len(scene.owner.call("ListDecisions", limit=100)["decisions"]) == decisions


@pytest.mark.library("shared")
def test_R168_resources_come_in_pages(make_scene, portal):
    scene = make_scene(120)
    agent = Agent(portal, scene)
    try:
        asking = agent.begin("ask_for_access")
        scene.owner.answer(scene.owner.wait_for_prompt(), "select", selector={"last": 110})
        asking.result(60)
        first = portal.call(agent.client.list_resources)
        second = portal.call(lambda: agent.client.list_resources(cursor=first.next_cursor))
        names = [resource.name for resource in first.resources + second.resources]
        assert len(first.resources) == 100 and second.next_cursor is None
        assert sorted(names) == sorted(scene.pictures[10:])
        with pytest.raises(agent.error, match="cursor"):
            portal.call(lambda: agent.client.list_resources(cursor="x"))
    finally:
        agent.end()


def test_R168_an_agent_saves_adds_and_arranges_photos_and_asks_for_more(scene, make_agent):
    scene.let_broker_add()
    agent = make_agent()
    prompt, _ = allow_photos(scene, agent, 0, 1)
    photos = {photo["filename"]: photo["id"] for photo in agent.photos()}
    saved = agent.call("export_photo", photo=photos[scene.pictures[0]], folder=str(agent.home))["saved"]
    assert pathlib.Path(saved).read_bytes() == (scene.album.folder / scene.pictures[0]).read_bytes()
    again = agent.call("export_photo", photo=photos[scene.pictures[0]], folder=str(agent.home))["saved"]
    assert again != saved and pathlib.Path(again).stat().st_uid == scene.app.uid
    drawn = agent.home / "drawn.jpg"
    drawn.write_bytes(jpeg(day(9), b"drawn by an agent"))
    os.chown(drawn, scene.app.uid, scene.app.uid)
    added = agent.call("add_photo", path=str(drawn))["photo"]
    assert "drawn.jpg" in [photo["filename"] for photo in agent.photos()], "its own additions are in its view"
    album = agent.call("create_album", title="By an agent", photos=[added, *photos.values()])["album"]
    [listed] = agent.call("list_albums")
    assert (listed["id"], listed["title"], listed["photos"]) == (album, "By an agent", 3)
    assert len(agent.photos(album=album)) == 3
    asking = agent.begin("ask_for_more_photos")
    question = scene.owner.wait_for_prompt("selection")
    more = scene.owner.naming(scene.library, [scene.name(2)])
    scene.owner.call("AnswerPrompt", prompt=question["prompt"], answer="select", selector=more)
    result = Agent.content(asking.result(60))
    assert scene.pictures[2] in [photo["filename"] for photo in agent.photos()] and len(result["added"]) >= 1


class RawAgent:
    """A server by its lines alone, for what a stock client does not do."""

    def __init__(self, agent):
        self.server = subprocess.Popen(
            agent.command,
            env={"HOME": str(agent.home), "PATH": "/usr/bin:/bin"},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        client = {"name": "Test Agent", "version": "1"}
        self.send("hello", "initialize", protocolVersion="2025-11-25", clientInfo=client, capabilities={})
        assert self.receive()["id"] == "hello"

    def send(self, number, method, **parameters):
        message = {"jsonrpc": "2.0", "method": method, "params": parameters}
        if number is not None:
            message["id"] = number
        print(json.dumps(message), file=self.server.stdin, flush=True)

    def receive(self):
        return json.loads(self.server.stdout.readline())

    def end(self):
        self.server.stdin.close()
        assert self.server.wait(20) == 0


def test_R168_a_cancelled_call_ends_its_question_and_gets_no_answer(scene, make_agent):
    agent = make_agent()
    raw = RawAgent(agent)
    raw.send(1, "tools/call", name="pick_photos", arguments={"folder": str(agent.home)})
    pickers = lambda: scene.owner.call("ListPickers")["pickers"]
    wait_for(pickers, "the picker")
    raw.send(None, "notifications/cancelled", requestId=1, reason="changed its mind")
    wait_for(lambda: not pickers(), "the end of the picker")
    raw.send(None, "notifications/cancelled", requestId="unknown")
    raw.send(2, "tools/call", name="access", arguments={})
    assert raw.receive()["id"] == 2, "the cancelled call has no answer"
    raw.end()


def test_R168_a_thousand_calls_at_once_are_each_answered_once(scene, make_agent):
    agent = make_agent()
    allow_photos(scene, agent, 0)
    raw = RawAgent(agent)
    sender = threading.Thread(
        target=lambda: [raw.send(number, "tools/call", name="list_photos", arguments={}) for number in range(1_000)]
    )
    sender.start()
    replies = [raw.receive() for _ in range(1_000)]
    sender.join()
    assert sorted(reply["id"] for reply in replies) == list(range(1_000))
    refused = [reply["error"]["message"] for reply in replies if "error" in reply]
    assert all("At most 16 calls" in message for message in refused)
    served = [reply["result"] for reply in replies if "result" in reply]
    assert served and all(scene.pictures[0] in result["content"][0]["text"] for result in served)
    raw.send("after", "tools/call", name="access", arguments={})
    assert raw.receive()["result"]["isError"] is False
    raw.end()


def test_R168_a_slow_download_tells_its_progress(make_scene, portal):
    scene = make_scene(1)
    # Sparse: the bytes after the picture cost no disk.
    scene.album.put("long.jpg", jpeg(day(8)))
    with open(scene.album.folder / "long.jpg", "r+b") as file:
        file.truncate(600 << 20)
    scene.owner.rescan(scene.library)
    agent = Agent(portal, scene)
    told = []

    async def note(progress, total, message):
        told.append((progress, message))

    try:
        prompt, _ = allow_photos(scene, agent, "long.jpg")
        # Otherwise the file is delivered as a copy without places, or not at all.
        scene.owner.set(scene.library, prompt["app"]["app"], None, terms={"location": True})
        photo = agent.photos()[0]["id"]
        saving = agent.begin("export_photo", on_progress=note, photo=photo, folder=str(agent.home))
        result = saving.result(120)
        assert not result.is_error, result.content
        assert told and all("Loading the file: " in message for _, message in told)
        assert [number for number, _ in told] == sorted({number for number, _ in told})
        os.unlink(Agent.content(result)["saved"])
    finally:
        agent.end()
