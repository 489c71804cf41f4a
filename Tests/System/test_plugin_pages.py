"""Each bundled plugin's page agrees with its code: options, values, defaults, dangers and
failures."""

import re

import pytest

from house.pictures import ROOT

PAGES = {"directory": "directory", "rclone": "rclone", "album-policies": "album-policies", "content": "content-mapping"}


@pytest.fixture(scope="module")
def plugins(running):
    person = running.owner(0)
    return {p["name"]: p for p in person.call("ListPlugins")["plugins"]}


def rows(page):
    """Return the options on a page: name, values, default."""
    table = re.search(r"^\| option \| values \| default \|.*\n\|[-| ]+\|\n((?:\|.*\n)+)", page, re.MULTILINE)
    lines = table.group(1).splitlines() if table else []
    return {
        cells[0].strip("` "): [c.strip() for c in cells[1:3]]
        for cells in (line.strip("|").split("|") for line in lines)
    }


def test_every_bundled_plugin_has_a_page(plugins):
    assert {name for name, plugin in plugins.items() if plugin["origin"] == "bundled"} >= set(PAGES)
    folders = {path.parent.name for path in ROOT.glob("Plugins/*/README.md")}
    assert folders == set(PAGES.values()) == {path.name for path in (ROOT / "Plugins").iterdir() if path.is_dir()}


@pytest.mark.parametrize("name", PAGES)
def test_a_plugins_page_has_its_options(plugins, name):
    page = (ROOT / "Plugins" / PAGES[name] / "README.md").read_text()
    written = rows(page)
    offered = {option["name"]: option for offer in plugins[name]["offers"] for option in offer["options"]}
    assert set(written) == set(offered)
    for option in offered.values():
        values, default = written[option["name"]]
        if option["isRequired"]:
            assert default == "must be given", option
        elif option["name"] == "bins":
            # The directory storage's page has the list, for both.
            listed = (ROOT / "Plugins/directory/README.md").read_text().replace("\n", " ")
            assert all(f"`{pattern}`" in listed for pattern in option["default"].split(",")), option
        else:
            assert default.strip("`").replace(",", "") == (option.get("default") or "none"), option
        # Numbers and units on the page equal those in the code.
        assert set(re.findall(r"\d+", option["allowed"])) <= set(re.findall(r"\d+", values.replace(",", ""))), option
        if found := re.match(r"a whole number of (\w+) from", option["allowed"]):
            assert values.endswith(found[1]), f"{option}: the page says no unit, or another one"


@pytest.mark.parametrize("name", PAGES)
def test_a_plugins_page_names_its_offers_and_failures(plugins, name):
    page = (ROOT / "Plugins" / PAGES[name] / "README.md").read_text()
    assert "\n## Security considerations\n" in page and "\n## Failure modes\n" in page
    for offer in plugins[name]["offers"]:
        assert f"`{offer['name']}`" in page or page.startswith(f"# {offer['name']}\n"), offer["name"]


GUIDE, HOST, RUNTIME = "Sources/PluginKit/README.md", "Sources/PluginHost/", "Sources/BrokerService/Runtime/"
RCLONE, LIMITS = "Plugins/rclone/README.md", "Sources/Limits/Limits.swift"
SECONDS = r"\.seconds\(([\d_]+)\)"

# Figures on pages and their source: page, its words, the code's file, its words.
SAID = [
    (
        GUIDE,
        r"`facts` \| at start .* \| (\d+ s) \|",
        HOST + "IsolatedStorage.swift",
        r"Facts\.self, \.init\(\), deadline: limits\.deadline\(" + SECONDS,
    ),
    (GUIDE, r"`enumerate` \| .* \| (\d+ s) a page", LIMITS, "answerDeadline = Duration" + SECONDS),
    (
        GUIDE,
        r"the time given, and (\d+ s)",
        HOST + "IsolatedStorage.swift",
        r"milliseconds\) \+ limits\.deadline\(" + SECONDS,
    ),
    (
        GUIDE,
        r"must return within (\d+ seconds)",
        HOST + "IsolatedPlugin+Transfers.swift",
        "noticeTime = Duration" + SECONDS,
    ),
    (GUIDE, r"must return within (\d+ seconds)", HOST + "TrustedPlugin.swift", "noticeTime = Duration" + SECONDS),
    (GUIDE, r"of a file of more than (\d+ KiB)", RUNTIME + "FarLook.swift", r"smallBytes = (.+)"),
    (GUIDE, r"the first (\d+ KiB)", RUNTIME + "FarLook.swift", r"headBytes = (.+)"),
    (GUIDE, r"the last (\d+ KiB)", RUNTIME + "FarLook.swift", r"tailBytes = (.+)"),
    (GUIDE, r"`add` .* a second for each (\d+ KiB)", LIMITS, r"uploadBytesPerSecond = (.+)"),
    (
        GUIDE,
        r"`restore` .* \| (\d+ s), and a second",
        HOST + "PluginAllowance.swift",
        r"deadline\(moving.*\{\n +deadline\(" + SECONDS,
    ),
    (
        GUIDE,
        r"`AlbumPolicy.decide` .* \| (\d+ s) \|",
        HOST + "IsolatedAlbumPolicy.swift",
        "deadline = Duration" + SECONDS,
    ),
    (GUIDE, r"(\w+) with a start", HOST + "IsolatedAlbumPolicy.swift", "startDeadline = Duration" + SECONDS),
    (GUIDE, r"asks again after (\d+ seconds)", RUNTIME + "SilentPolicy.swift", "firstPause = Duration" + SECONDS),
    (
        GUIDE,
        r"doubles the pause up to (\d+ minutes)",
        RUNTIME + "SilentPolicy.swift",
        "longestPause = Duration" + SECONDS,
    ),
    (GUIDE, r"missing still (an hour) later", RUNTIME + "MissedPhotos.swift", "patience = Duration" + SECONDS),
    (GUIDE, r"half of a folder and (\w+) photos at least", RUNTIME + "MissedPhotos.swift", r"many = (\d+)"),
    (RCLONE, r"missing still (an hour) later", RUNTIME + "MissedPhotos.swift", "patience = Duration" + SECONDS),
    (RCLONE, r"half of a folder and (\w+) at least", RUNTIME + "MissedPhotos.swift", r"many = (\d+)"),
    (GUIDE, r"`AlbumPolicy.decide` .* \| (\d+ s) \|", HOST + "TrustedAlbumPolicy.swift", "deadline: " + SECONDS),
    (
        GUIDE,
        r"`CloudMapping.cloudIdentifiers` .* \| (\d+ s) \|",
        HOST + "TrustedCloudMapping.swift",
        "piece, application: application, deadline: " + SECONDS,
    ),
    (GUIDE, r"at most (\d+) albums a question", HOST + "IsolatedAlbumPolicy.swift", r"batch = ([\d_]+)"),
    (GUIDE, r"an answer of (\d+ MiB)", LIMITS, r"frameBytes = (.+)"),
    (GUIDE, r"items in a list \| ([\d,]+) and", LIMITS, r"listedItems = (.+)"),
    (GUIDE, r"and (\d+ bytes) for each on average", LIMITS, r"listedItemBytes = (.+)"),
    (GUIDE, r"pages without an item in a row \| ([\d,]+)", LIMITS, r"emptyPages = (.+)"),
    (
        GUIDE,
        r"`locator` \| ([\d,]+ bytes)",
        HOST + "ItemRules.swift",
        r"\(1\.\.\.([\d_]+)\)\.contains\(bytes\.count\), bytes",
    ),
    (
        GUIDE,
        r"`filename` \| ([\d,]+ bytes)",
        HOST + "ItemRules.swift",
        r"\(1\.\.\.([\d_]+)\)\.contains\(bytes\.count\),\n +!bytes",
    ),
    (GUIDE, r"`identityHint` \| ([\d,]+ bytes)", HOST + "ItemRules.swift", r"identityHint .* <= (\d+)"),
    (
        GUIDE,
        r"`unreadable`, volumes \| (\d+) \|",
        "Sources/PluginKit/Sources/PhotoModel/StorageFolder.swift",
        r"listLimit = (\d+)",
    ),
    (GUIDE, r"1 to (\d+ bytes) of visible ASCII", HOST + "IsolatedCloudMapping.swift", r"\(1\.\.\.(\d+)\)\.contains"),
    (GUIDE, r"At most (\d+ GiB) and", "Sources/Supervisor/ChildOptions.swift", r"bytes: Int64 = (.+)"),
    (
        GUIDE,
        r"([\d,]+) files and folders may lie there",
        "Sources/Supervisor/ChildOptions.swift",
        r"var entries = (.+)",
    ),
    (
        GUIDE,
        r"measured every (\d+ seconds)",
        "Sources/Supervisor/ChildOptions.swift",
        "pause: Duration = " + SECONDS,
    ),
    (GUIDE, r"at most (\d+) processes and threads", HOST + "PluginFinder.swift", r"processes = (\d+)"),
    (
        GUIDE,
        r"restarts it after (\d+ ms)",
        "Sources/Supervisor/RestartPolicy.swift",
        r"firstPause: Duration = \.milliseconds\((\d+)\)",
    ),
    (
        GUIDE,
        r"with a backoff up to (\d+ s)",
        "Sources/Supervisor/RestartPolicy.swift",
        "longestPause: Duration = " + SECONDS,
    ),
    (GUIDE, r"After (\w+) failures in", "Sources/Supervisor/RestartPolicy.swift", r"var failureLimit = (\d+)"),
    (GUIDE, r"failures in (a minute)", "Sources/Supervisor/RestartPolicy.swift", "window: Duration = " + SECONDS),
    (
        GUIDE,
        r"it pauses for (\d+ s)",
        "Sources/Supervisor/RestartPolicy.swift",
        "coolDown: Duration = " + SECONDS,
    ),
    (GUIDE, r"From (\d+) late calls on", LIMITS, r"lateThreads = (\d+)"),
    (RCLONE, r"first (\d+ KiB) and the", RUNTIME + "FarLook.swift", r"headBytes = (.+)"),
    (RCLONE, r"last (\d+ KiB), then further", RUNTIME + "FarLook.swift", r"tailBytes = (.+)"),
    (RCLONE, r"files up to (\d+ KiB)", RUNTIME + "FarLook.swift", r"smallBytes = (.+)"),
    (RCLONE, r"in pages of ([\d,]+)", "Plugins/rclone/Listing.swift", r"pageSize = (.+)"),
    (
        RCLONE,
        r"waits for this (\d+ seconds)",
        RUNTIME + "DigestService.swift",
        "patience = Duration" + SECONDS,
    ),
    (RCLONE, r"keeps (a thousand) of these", RUNTIME + "LeftOut+Kept.swift", r"keptLimit = (.+)"),
    (RCLONE, r"An upload has (a minute)", LIMITS, "answerDeadline = Duration" + SECONDS),
    (RCLONE, r"a second more for each (\d+ KiB)", LIMITS, r"uploadBytesPerSecond = (.+)"),
    (
        RCLONE,
        r"moving has (half a minute)",
        HOST + "PluginAllowance.swift",
        r"deadline\(moving.*\{\n +deadline\(" + SECONDS,
    ),
    (RCLONE, r"does not begin ends after (\d+ seconds)", LIMITS, "firstByteDeadline = Duration" + SECONDS),
    (RCLONE, r"one that stalls after (\d+ seconds)", LIMITS, "byteDeadline = Duration" + SECONDS),
    (GUIDE, r"(\d+ s) to the first byte", LIMITS, "firstByteDeadline = Duration" + SECONDS),
    (GUIDE, r"(\d+ s) between bytes", LIMITS, "byteDeadline = Duration" + SECONDS),
    (RCLONE, r"\((\w+) for apps\)", HOST + "IsolatedStorage.swift", r"appTransfers = (\d+)"),
    (RCLONE, r"photobrokerd --library-photos` allows \(([\d,]+)\)", LIMITS, r"listedItems = (.+)"),
    (
        "Plugins/directory/README.md",
        r"more than (\d+) folders deep",
        "Plugins/directory/Walk.swift",
        r"depthLimit = (\d+)",
    ),
    (
        "Plugins/content-mapping/README.md",
        r"within (\d+ seconds) for",
        HOST + "TrustedCloudMapping.swift",
        "piece, application: application, deadline: " + SECONDS,
    ),
    (
        "Plugins/content-mapping/README.md",
        r"seconds for (a thousand) items",
        HOST + "IsolatedCloudMapping.swift",
        r"batch = (.+)",
    ),
    (
        "Plugins/content-mapping/README.md",
        r"for (\d+ seconds) a call",
        RUNTIME + "DigestService.swift",
        "patience = Duration" + SECONDS,
    ),
]
WORDS = {"a": 1, "an": 1, "half a": 0.5, "a thousand": 1_000, "four": 4, "five": 5, "ten": 10, "eight": 8, "twelve": 12}
UNITS = {
    "ms": 0.001,
    "s": 1,
    "seconds": 1,
    "minute": 60,
    "minutes": 60,
    "hour": 3_600,
    "bytes": 1,
    "KiB": 1 << 10,
    "MiB": 1 << 20,
    "GiB": 1 << 30,
}


def amount(said):
    """Convert a figure to seconds or bytes."""
    number, _, unit = said.rpartition(" ")
    if unit not in UNITS:
        number, unit = said, "bytes"
    return (WORDS[number] if number in WORDS else float(number.replace(",", ""))) * UNITS[unit]


@pytest.mark.parametrize(
    "page, words, source, code", SAID, ids=[f"{page.split('/')[1]}: {words}" for page, words, _, _ in SAID]
)
def test_a_plugin_pages_seconds_and_bytes_equal_the_codes(page, words, source, code):
    text = (
        " ".join(line.strip() for line in (ROOT / page).read_text().splitlines())
        if " \\|" not in words
        else (ROOT / page).read_text()
    )
    said, kept = re.findall(words, text), re.findall(code, (ROOT / source).read_text())
    assert said, f"{page} does not say {words} any more: mend this table"
    assert kept, f"{source} does not have {code} any more: mend this table"
    factor = 0.001 if "milliseconds" in code and "\\.seconds" not in code else 1
    assert {amount(one) for one in said} == {eval(one.strip()) * factor for one in kept}
