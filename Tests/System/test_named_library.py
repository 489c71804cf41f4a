"""A library that a client names is never replaced by another one (R127)."""

import os
import shutil
import subprocess

import pytest

from house.broker import Album
from house.person import as_user
from house.scene import Scene

ASKS = ["count", "album", "add", "upload", "watch"]


class Client:
    """An app of the client library; each start has the tokens of the first one."""

    def __init__(self, scene):
        self.scene = scene
        self.home = scene.house.make_folder(f"home-{scene.house.fresh_uid()}", scene.app.uid)

    def start(self, what, home=None):
        environment = {
            "PATH": "/usr/bin:/bin",
            "HOME": str(home or self.home),
            "PHOTOBROKER_SOCKET": str(self.scene.broker.app_socket),
            "SWIFT_BACKTRACE": "enable=no",
        }
        command = [self.scene.house.programs / "client-child", what, self.scene.library]
        return subprocess.Popen(
            as_user(self.scene.app.uid, command), env=environment, cwd="/", stdout=subprocess.PIPE, text=True
        )

    def ask(self, what):
        """Start the app anew with the first start's tokens, and return its output."""
        home = self.scene.house.make_folder(f"home-{self.scene.house.fresh_uid()}", self.scene.app.uid)
        shutil.copytree(self.home, home, dirs_exist_ok=True)
        for folder, _, files in os.walk(home):
            for path in [folder, *(os.path.join(folder, name) for name in files)]:
                os.chown(path, self.scene.app.uid, self.scene.app.uid)
        process = self.start(what, home)
        try:
            said, _ = process.communicate(timeout=20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()
            pytest.fail(f"{what}: it waits; asked is {self.scene.owner.prompts()}")
        return said.strip()


@pytest.fixture
def client(own_broker):
    """An app with access to a library, whose user accepted another one since."""
    scene = Scene(own_broker, 3)
    scene.let_broker_add()
    scene.other = f"other-{scene.owner.uid}"
    album = Album(scene.house, scene.other, scene.owner.uid)
    album.add(70)
    scene.owner.add_library(scene.other, album.folder, [scene.app.uid], 1)
    scene.broker.accept(scene.app.uid, scene.other)
    client = Client(scene)
    first = client.start("request")
    scene.owner.answer(scene.owner.wait_for_prompt(), "allow")
    assert first.communicate(timeout=60)[0].strip() == "authorized"
    assert client.ask("count") == "3"
    return client


@pytest.mark.parametrize("how, told", [("revoked", "accessUserDenied"), ("not offered", "identifierNotFound")])
def test_R127_a_named_library_is_never_replaced_by_another(client, how, told):
    scene = client.scene
    if how == "revoked":
        scene.owner.call("Revoke", library=scene.library)
    else:
        scene.owner.call("OfferLibrary", name=scene.library, offeredTo=[])
    for what in ASKS:
        said = client.ask(what)
        assert said.startswith(f"{told}: ") and "Several" not in said, f"{what}: {said}"
        assert scene.owner.prompts() == [], f"{what}: nobody is asked about another library"
    assert scene.owner.call("ListOwnedAlbums", library=scene.other)["albums"] == []
    assert len(scene.owner.assets(scene.other)) == 1
    assert scene.owner.call("ListDecisions", library=scene.other, limit=20)["decisions"][0]["action"] != "allow"


def test_R127_access_to_a_named_library_returns_without_a_prompt(client):
    scene = client.scene
    [app] = [grant["app"] for grant in scene.owner.call("ListGrants", library=scene.library)["grants"]]
    scene.owner.call("Revoke", library=scene.library)
    scene.owner.set(scene.library, app, "authorized")
    assert client.ask("count") == "3" and scene.owner.prompts() == []
    assert client.ask("album") == "made 1"
    assert len(scene.owner.call("ListOwnedAlbums", library=scene.library)["albums"]) == 1
