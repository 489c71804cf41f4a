"""Interfaces, valid values and difficult texts for tests of bad input."""

import pytest

from .sandbox import Sandbox
from .scene import Scene


SERVED = [
    "io.photobroker.Library",
    "io.photobroker.Picker",
    "io.photobroker.Admin",
    "io.photobroker.Sandbox",
    "org.varlink.service",
]


OWNERS = ("io.photobroker.Admin", "io.photobroker.Sandbox")


# These reply several times, and only to a call with `more`.
SEVERAL = ("ObserveChanges", "StreamResource")


SCRIPTS = [
    "Ferien im Süden",
    "Каникулы",
    "Διακοπές",
    "חופשה",
    "عطلة",
    "छुट्टियाँ",
    "วันหยุด",
    "休暇",
    "假期",
    "휴가",
    "ዕረፍት",
    "Պարապուրդ",
    "შვებულება",
    "👨‍👩‍👧‍👦 🏖️",
    "e\u0301",
    "\u00e9",
    "\U00020000",
    "क्‍ष",
    "می‌خواهم",
    "a" * 1_024,
    "é" * 512,
]


MOVING = [
    "\u202e",
    "\u202a",
    "\u2066",
    "\u2069",
    "\u200e",
    "\u200f",
    "\u061c",
    "\x00",
    "\x07",
    "\x1b",
    "\x7f",
    "\x85",
    "\u2028",
    "\u2029",
    "\ufeff",
]


def valid_value(kind, types):
    """Return a valid value of a type."""
    if isinstance(kind, list):
        return {"maybe": None, "array": [], "map": {}}[kind[0]]
    if isinstance(kind, dict) or kind in types:
        fields = kind if isinstance(kind, dict) else types[kind]
        return {name: valid_value(field, types) for name, field in fields.items()}
    return {"string": "x", "int": 16, "float": 1.0, "bool": True, "object": {}}[kind]


def sandboxed(house):
    """A scene in a broker of its own, which serves every interface."""
    sandbox = Sandbox(house).start()
    scene = Scene(sandbox, 6)
    scene.limit(0)
    yield scene
    sandbox.end()


throw_away = pytest.fixture(sandboxed)
