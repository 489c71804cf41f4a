"""The README's examples for authors of apps, run as printed."""

import re
import subprocess

import pytest

from house.broker import Album
from house.person import as_user, wait_for
from house.pictures import ROOT, day, jpeg

# The snippet expects the system service's socket path, so this mounts it for the snippet alone.
AS_A_SERVICE = 'mount -t tmpfs none /run && mkdir /run/photobroker && mount --bind "$0" /run/photobroker && exec "$@"'


@pytest.fixture
def snippet(house):
    section = (ROOT / "README.md").read_text().split("\n## For authors of apps\n")[1].split("\n## ")[0]
    file = house.folder / f"snippet-{house.fresh_uid()}.py"
    file.write_text(re.search(r"^```python\n(from photobroker import .+?)^```", section, re.M | re.S)[1])
    return file


def test_R17_the_readmes_app_keeps_its_identity_at_every_start(make_scene, snippet):
    scene = make_scene(4, introduce=False)
    house, broker, user = scene.house, scene.broker, scene.app.uid
    home = house.make_folder(f"home-{house.fresh_uid()}", user)
    command = [
        "unshare",
        "--mount",
        "--propagation=private",
        "/bin/sh",
        "-c",
        AS_A_SERVICE,
        broker.runtime,
        *as_user(user, ["/usr/bin/python3", snippet]),
    ]
    environment = {"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home), "PYTHONPATH": str(house.python)}

    def start():
        return subprocess.Popen(
            command, env=environment, cwd="/", stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def asked():
        return [prompt for prompt in scene.owner.prompts() if prompt["kind"] == "authorization"]

    with start() as first:
        prompt = scene.owner.wait_for_prompt()
        broker.photobroker(scene.owner.uid, "request", "answer", prompt["prompt"], "select", "--last", "2")
        said = first.communicate(timeout=30)[0]
    with start() as second:
        wait_for(lambda: second.poll() is not None or asked(), "the second start")
        assert not asked(), "nobody is asked twice"
        assert second.communicate(timeout=30)[0] == said
    assert first.returncode == second.returncode == 0, said
    assert re.findall(r"^\S+\.jpg", said, re.M) == scene.newest_first[:2]
    assert len(scene.owner.call("ListApps")["apps"]) == 1
    [token] = home.rglob("*.token")
    assert token.stat().st_mode & 0o777 == 0o600 and token.parent.stat().st_mode & 0o777 == 0o700
    assert token.stat().st_uid == user and [p for p in token.parent.iterdir() if p != token] == []


def test_a_refused_readme_app_exits_quietly(make_scene, snippet):
    scene = make_scene(1, introduce=False)
    home = scene.house.make_folder(f"home-{scene.house.fresh_uid()}", scene.app.uid)
    app = subprocess.Popen(
        [
            "unshare",
            "--mount",
            "--propagation=private",
            "/bin/sh",
            "-c",
            AS_A_SERVICE,
            scene.broker.runtime,
            *as_user(scene.app.uid, ["/usr/bin/python3", snippet]),
        ],
        env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "HOME": str(home), "PYTHONPATH": str(scene.house.python)},
        cwd="/",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    with app:
        prompt = scene.owner.wait_for_prompt()
        scene.broker.photobroker(scene.owner.uid, "request", "answer", prompt["prompt"], "decline")
        assert app.communicate(timeout=30)[0] == ""
    assert app.returncode == 0


def tasks():
    """Return the README's five tasks, each as its command lines."""
    section = (ROOT / "README.md").read_text().split("\n## Five tasks\n")[1].split("\n## ")[0]
    blocks = re.findall(r"^```(\w*)\n(.+?)^```", section, re.M | re.S)
    return [text.strip().splitlines() for language, text in blocks if not language]


def test_the_readmes_five_tasks_run_as_written(own_broker):
    broker, house = own_broker, own_broker.house
    owner = broker.owner()
    app = broker.app(uid=owner.uid)
    add, run, answer, look, page = tasks()
    home = Album(house, f"home-{owner.uid}", owner.uid).folder
    Album(house, f"home-{owner.uid}/Pictures", owner.uid).fill(14)
    programs = house.make_folder(f"programs-{owner.uid}", owner.uid)
    (programs / "gthumb").write_text(f"#!/bin/sh\nls {home}/Pictures\n")
    (programs / "gthumb").chmod(0o755)
    environment = {
        "PATH": f"{broker.programs}:{programs}:/usr/bin:/bin",
        "HOME": str(home),
        "PHOTOBROKER_ADMIN_SOCKET": str(broker.admin_socket),
    }

    def start(line):
        return subprocess.Popen(
            as_user(owner.uid, ["/bin/bash", "-c", line]),
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def finish(process):
        said, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors
        return said

    finish(start(add[0]))
    owner.wait_for_library("photos", 14)
    app.introduce()
    viewer = start(run[0])
    assert "gthumb" in finish(start(answer[0]))
    prompt = owner.wait_for_prompt()
    finish(start(answer[1].replace("ID", prompt["prompt"])))
    assert finish(viewer).split() == [f"picture-{number:03}.jpg" for number in range(2, 14)]
    owner.set("photos", app.name, "authorized")
    assert app.request() == "authorized"
    app.digest(app.fetch()[0]["localIdentifier"])
    assert "picture-013.jpg" in finish(start(look[0]))
    finish(start(look[1].replace("org.example.journal", app.name) + " --yes"))
    assert app.refusal("FetchAssets").reason == "accessUserDenied"
    assert "http://127." in finish(start(page[0]))


@pytest.mark.parametrize("caption", ["Drawn at noon", None])
def test_the_getting_started_page_changes_the_library_with_and_without_a_caption(make_scene, caption):
    scene = make_scene(1)
    scene.let_broker_add()
    scene.allow()
    guide = (ROOT / "Sources/PhotoBroker/PhotoBroker.docc/GettingStarted.md").read_text()
    sample = re.search(r"## Change the library\n.+?^```python\n(.+?)^```", guide, re.M | re.S)[1]
    assert '"text": "Drawn at noon"' in sample
    if caption is None:
        sample = sample.replace(', "text": "Drawn at noon"', "")
    page = scene.house.folder / f"page-{scene.house.fresh_uid()}.jpg"
    page.write_bytes(jpeg(day(3)))
    program = page.with_suffix(".py")
    program.write_text(
        "import sys\nfrom photobroker import Connection\n"
        "with Connection(sys.argv[1]) as library, open(sys.argv[2], 'rb') as page:\n"
        "    library.call('io.photobroker.Library.Attach', token=sys.argv[3])\n" + sample
    )
    command = ["/usr/bin/python3", program, scene.broker.app_socket, page, scene.app.token]
    said = subprocess.run(
        as_user(scene.app.uid, command),
        env={"PATH": "/usr/bin:/bin", "PYTHONPATH": str(scene.house.python)},
        cwd="/",
        capture_output=True,
        text=True,
    )
    assert said.returncode == 0, said.stderr
    assert said.stdout.strip().endswith(f" {caption}")
