"""The page of each bundled plugin says what its code does: every option with its values and default, dangers and failures."""
import re

import pytest

from house.pictures import ROOT

PAGES = {"directory": "directory", "rclone": "rclone", "album-policies": "album-policies", "content": "content-mapping"}


@pytest.fixture(scope="module")
def plugins(running):
    person = running.owner(0)
    return {p["name"]: p for p in person.call("ListPlugins")["plugins"]}


def rows(page):
    """The options on a page: name, values, default."""
    table = re.search(r"^\| option \| values \| default \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", page, re.MULTILINE)
    lines = table.group(1).splitlines() if table else []
    return {cells[0].strip("` "): [c.strip() for c in cells[1:3]] for cells in (line.strip("|").split("|") for line in lines)}


def test_every_bundled_plugin_has_a_page(plugins):
    assert {name for name, plugin in plugins.items() if plugin["origin"] == "bundled"} >= set(PAGES)
    folders = {path.parent.name for path in ROOT.glob("Plugins/*/README.md")}
    assert folders == set(PAGES.values()) == {path.name for path in (ROOT / "Plugins").iterdir() if path.is_dir()}


@pytest.mark.parametrize("name", PAGES)
def test_the_page_has_the_plugins_options(plugins, name):
    page = (ROOT / "Plugins" / PAGES[name] / "README.md").read_text()
    written = rows(page)
    offered = {option["name"]: option for offer in plugins[name]["offers"] for option in offer["options"]}
    assert set(written) == set(offered)
    for option in offered.values():
        values, default = written[option["name"]]
        if option["isRequired"]:
            assert default == "must be given", option
        else:
            assert default.strip("`").replace(",", "") == (option.get("default") or "none"), option
        # Numbers on the page are those of the code: a range with its unit.
        assert set(re.findall(r"\d+", option["allowed"])) <= set(re.findall(r"\d+", values.replace(",", ""))), option


@pytest.mark.parametrize("name", PAGES)
def test_the_page_names_what_is_offered_and_what_can_go_wrong(plugins, name):
    page = (ROOT / "Plugins" / PAGES[name] / "README.md").read_text()
    assert "\n## Security considerations\n" in page and "\n## Failure modes\n" in page
    for offer in plugins[name]["offers"]:
        assert f"`{offer['name']}`" in page or page.startswith(f"# {offer['name']}\n"), offer["name"]
