"""The catalogue of plugins: what there is, what is installed, and what is refused."""
import json

import pytest

from house.broker import BROKER


@pytest.fixture
def root(broker):
    return broker.owner(0)


def listed(caller):
    return {plugin["name"]: plugin for plugin in caller.call("ListPlugins")["plugins"]}


def test_R135_bundled_plugins_are_listed_with_what_they_offer(broker, root):
    plugins = listed(root)
    assert {n: p["origin"] for n, p in plugins.items()}.items() >= {
        "album-policies": "bundled", "content": "bundled", "directory": "bundled", "rclone": "bundled"}.items()
    offers = {(o["protocol"], o["name"]) for p in plugins.values() for o in p["offers"]}
    assert offers >= {("storage", "directory"), ("storage", "rclone"), ("cloudMapping", "content"),
                      *(("albumPolicy", name) for name in ("none", "own", "shared-read", "full"))}
    path = next(o for o in plugins["directory"]["offers"][0]["options"] if o["name"] == "path")
    assert path["isRequired"] and "default" not in path
    table = broker.photobroker(0, "plugin", "list").stdout
    assert "storage directory" in table and "album policy own" in table
    assert json.loads(broker.photobroker(0, "--json", "plugin", "list").stdout)["plugins"]


def test_R130_plugins_are_the_business_of_root_the_broker_and_administrators(scene, root):
    assert scene.owner.refusal("ListPlugins").name.endswith(".NotPermitted")
    assert listed(scene.broker.owner(BROKER)) and listed(root)
    assert listed(root)["directory"]["usedBy"] == [scene.library]
