"""Pickers: opening, answering and reading them."""

import base64

import pytest

from .person import PICKER, wait_for


@pytest.fixture
def picking(scene):
    """The scene with an introduced app that has neither a grant nor a usage description."""
    app = scene.broker.app(uid=scene.app.uid)
    app.introduce("org.example.attach", NSPhotoLibraryUsageDescription=None, NSPhotoLibraryAddUsageDescription=None)
    scene.picker = app
    return scene


def present(scene, app=None, **configuration):
    """Open a picker, and return its owner's view."""
    app = app or scene.picker
    known = {p["picker"] for p in scene.owner.call("ListPickers")["pickers"]}
    app.begin(PICKER + "Present", **configuration)
    return wait_for(
        lambda: (
            [p for p in scene.owner.call("ListPickers")["pickers"] if p["picker"] not in known]
            or (app.has_answered() and [None])
        ),
        "the picker to be open",
    )[0]


def identifiers(scene, *numbers):
    return [scene.owner.identifier(scene.library, scene.pictures[n]) for n in numbers]


def answer_picker(scene, picker, *numbers, again=(), app=None):
    scene.owner.call(
        "AnswerPicker", picker=picker["picker"], assets=identifiers(scene, *numbers), again=identifiers(scene, *again)
    )
    return (app or scene.picker).hear()


def cancel_picker(scene, picker):
    scene.owner.call("AnswerPicker", picker=picker["picker"])
    return scene.picker.hear()


def filenames(reply):
    return [r.get("filename") for r in reply["results"]]


def read_item(app, item):
    data = b""
    while True:
        piece = app.call(PICKER + "ReadItem", item=item, offset=len(data), length=524_288)
        data += base64.b64decode(piece["data"])
        if piece["isLast"]:
            return data
