"""The Python examples with errors, and with several libraries of one user."""

import os
import subprocess

import pytest

from house.person import as_user
from house.pictures import ROOT


@pytest.fixture(scope="module")
def programs(house):
    folder = house.folder / "python-examples"
    folder.mkdir(mode=0o755)
    for name in ("attach.py", "journal.py"):
        house.put(ROOT / "Examples/python" / name, folder)
    return folder


class User:
    def __init__(self, scene, uid):
        self.scene, self.uid = scene, uid
        self.home = scene.house.make_folder(f"python-{uid}-{scene.house.fresh_uid()}", uid)

    def start(self, *words):
        return subprocess.Popen(
            as_user(self.uid, ["/usr/bin/python3", *words]),
            cwd="/",
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            env={
                "PATH": "/usr/bin:/bin",
                "HOME": str(self.home),
                "PYTHONPATH": str(self.scene.house.python),
                "PHOTOBROKER_SOCKET": str(self.scene.broker.app_socket),
            },
        )

    def run(self, *words, status=0):
        program = self.start(*words)
        said = program.communicate(timeout=30)[0]
        assert program.returncode == status, said
        return said


def test_the_python_examples_explain_errors_in_words(scene, programs):
    user = User(scene, scene.app.uid)
    attach, journal = programs / "attach.py", programs / "journal.py"
    assert (
        user.run(attach, "--help")
        == user.run(attach, "--helpp", status=2)
        == user.run(attach, "a", "b", status=2)
        == "attach.py [FOLDER]\n"
    )
    assert not scene.owner.call("ListPickers")["pickers"], "nothing was opened"
    asking = user.start(journal)
    scene.owner.answer(scene.owner.wait_for_prompt(), "allow")
    assert "6 photos" in asking.communicate(timeout=30)[0]
    said = user.run(journal, "save", "/nonexistent/journal", status=1)
    assert "Traceback" not in said and "/nonexistent/journal" in said
    broken = user.home / "broken"
    broken.write_text("[1]")
    os.chown(broken, user.uid, user.uid)
    assert user.run(journal, "open", broken, status=1) == f"{broken} is no journal\n"


TWO = """
import os, sys
from photobroker import Connection
manifest = {"identifier": "org.example.two", "name": "Two", "NSPhotoLibraryUsageDescription": "Why."}
with Connection(os.environ["PHOTOBROKER_SOCKET"], timeout=30) as library:
    print(status := library.authorize(manifest, library=sys.argv[1]))
    if status == "authorized":
        print(library.call("io.photobroker.Library.CountAssets")["count"])
"""


def test_the_python_client_names_one_library_and_stays_with_it(make_scene):
    first, second = make_scene(3), make_scene(5)
    user = User(second, second.app.uid)
    first.owner.call("OfferLibrary", name=first.library, add=[user.uid])
    first.broker.accept(user.uid, first.library)
    for place in (first, second):
        asking = user.start("-c", TWO, place.library)
        prompt = place.owner.wait_for_prompt()
        place.owner.answer(prompt, "allow")
        assert asking.communicate(timeout=30)[0].split() == ["authorized", str(len(place.pictures))]
    for place in (first, second, first):
        assert user.run("-c", TWO, place.library).split() == ["authorized", str(len(place.pictures))]
    # The app does not look for revoked photos in the other library.
    first.owner.call("Revoke", library=first.library, app=prompt["app"]["app"])
    assert user.run("-c", TWO, first.library) == "denied\n"
    assert user.run("-c", TWO, second.library).split() == ["authorized", "5"]
