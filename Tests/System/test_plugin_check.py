"""`photobroker plugin check`: results for sound plugins, and for files that are none."""

import json
import os
import shutil
import zipfile

import pytest

from house.broker import BROKER
from house.checks import check, failed
from house.faults import install_describing, install_faulty
from house.pictures import ROOT
from house.planted import plant
from house.plugins import PROGRAM
from house.soak import choose_values

ARCHIVE = ROOT / "Examples/python/archive.plugin"


def outcomes(plugin):
    return {c["check"]: c["outcome"] for c in plugin["checks"]}


def passes(plugin, allowed_to_skip=()):
    odd = [c for c in plugin["checks"] if c["outcome"] != "passed" and c["check"] not in allowed_to_skip]
    assert not odd and plugin["passed"], odd
    assert (
        len(plugin["checks"]) > 20 and plugin["speed"]["startsPerSecond"] > 0 and plugin["speed"]["callsPerSecond"] > 0
    )


# Checks left out for a storage with a root, since its files are not read through the plugin.
THROUGH_A_ROOT = {
    "bytes-from-an-offset",
    "bytes-past-the-end",
    "bytes-of-another-version",
    "bytes-of-nothing",
    "slow-reader",
    "reader-that-stops",
    "killed-in-a-read",
    "many-reads",
    "read-only-is-kept",
    "bytes-of-a-range",
}
CHANGES = {
    "read-only-is-kept",
    "add",
    "add-the-same-name",
    "add-of-one-family",
    "add-the-same-bytes",
    "add-what-is-listed",
    "add-in-a-folder",
    "stage-and-publish",
    "add-cut-short",
    "killed-in-an-add",
    "trash-and-restore",
    "trash-of-a-trashed-name",
    "restore-onto-a-taken-name",
    "a-change-is-noticed",
}


def test_the_bundled_policies_and_the_mapping_pass(house):
    report = check(house, house.programs / "libalbum-policies.so")
    assert {p["name"] for p in report["plugins"]} >= {"none", "own", "full", "shared-read"}
    for plugin in report["plugins"]:
        passes(plugin)
        assert plugin["protocol"] == "albumPolicy" and plugin["speed"]["albumsPerSecond"] > 0
    [mapping] = check(house, house.programs / "libcontent.so")["plugins"]
    passes(mapping)
    assert mapping["speed"]["namesPerSecond"] > 0


def test_each_of_several_offers_gets_its_own_options(house):
    policies = house.programs / "libalbum-policies.so"
    report = check(house, policies, "--option", "create=false", "--only", "nothing-asked")
    assert len(report["plugins"]) >= 4 and all(p["passed"] for p in report["plugins"])
    told = check(house, policies, "--option", "colour=red", expect=65)
    assert told["message"] == 'The plugin has no option "colour". Its options: create.'


def test_the_folder_storage_passes_and_leaves_the_folder_unchanged(house, photos):
    def state():
        return {p.relative_to(photos): p.read_bytes() for p in photos.rglob("*.jpg")}

    before = state()
    [plugin] = check(house, house.programs / "libdirectory.so", "--option", f"path={photos}")["plugins"]
    passes(plugin, THROUGH_A_ROOT | CHANGES)
    assert state() == before, "without --changes nothing is written"
    [plugin] = check(house, house.programs / "libdirectory.so", "--option", f"path={photos}", "--changes")["plugins"]
    passes(plugin, THROUGH_A_ROOT | {"add-in-a-folder"})
    assert {p: b for p, b in state().items() if "trash" not in str(p)} == before, "what was added is in the trash"


@pytest.mark.skipif(not shutil.which("rclone"), reason="rclone is not installed (scripts/debian-packages)")
def test_the_remote_storage_passes(house, photos):
    config = photos.parent / f"{photos.name}.conf"
    config.write_text(f"[here]\ntype = alias\nremote = {photos}\n")
    os.chown(config, BROKER, BROKER)
    config.chmod(0o600)
    # Each call starts rclone, and the other test_rclone files cover the omitted checks.
    some = (
        "list-again,list-in-another-process,page-that-never-was,killed-in-a-list,wait,"
        "bytes-from-an-offset,bytes-of-a-range,"
        "bytes-past-the-end,bytes-of-another-version,bytes-of-nothing,slow-reader,reader-that-stops,"
        "killed-in-a-read,restore-of-nothing,"
        "add-the-same-bytes,add-in-a-folder,add-cut-short,killed-in-an-add,trash-of-a-trashed-name,"
        "many-calls,killed-in-a-call"
    )
    [plugin] = check(
        house,
        house.programs / "librclone.so",
        "--option",
        "remote=here:",
        "--option",
        f"config={config}",
        "--option",
        f"localFolder={photos}",
        "--network",
        "--changes",
        *choose_values(["--only", some], []),
        seconds=280,
    )["plugins"]
    passes(plugin, {"read-only-is-kept", "list-of-folders", "a-change-is-noticed", "stage-and-publish"})


def test_the_python_archive_passes(house, photos, tmp_path):
    path = house.make_folder(f"zip-{house.fresh_uid()}", BROKER, mode=0o755) / "a.zip"
    with zipfile.ZipFile(path, "w") as made:
        for picture in sorted(photos.rglob("*.jpg")):
            made.write(picture, picture.relative_to(photos), zipfile.ZIP_DEFLATED)
    program = path.with_name("archive.plugin")
    shutil.copy2(ARCHIVE, program)
    os.chown(program, BROKER, BROKER)
    path.chmod(0o644)
    [plugin] = check(house, program, "--option", f"path={path}", "--option", "rescanSeconds=2", "--changes")["plugins"]
    passes(plugin, CHANGES | {"list-of-folders", "restore-of-nothing", "bytes-of-a-range"})
    assert plugin["speed"]["bytesPerSecond"] > 1_000_000


@pytest.fixture
def faulty(house):
    path = install_describing(house.make_folder(f"described-{house.fresh_uid()}", BROKER, mode=0o755))
    os.chown(path, BROKER, BROKER)
    return path


def test_the_correct_variant_of_the_faulty_plugin_passes(house, photos, faulty):
    [plugin] = check(house, faulty, "--option", f"path={photos}", "--changes")["plugins"]
    passes(
        plugin, {"read-only-is-kept", "list-of-folders", "a-change-is-noticed", "bytes-of-a-range", "stage-and-publish"}
    )


@pytest.mark.parametrize("protocol", ["albumPolicy", "cloudMapping"])
def test_the_correct_variants_of_the_faulty_policy_and_mapping_pass(house, protocol):
    passes(check(house, plant(house, protocol))["plugins"][0])


def test_a_correct_staging_plugin_passes(house, photos):
    path = install_describing(house.make_folder(f"staging-{house.fresh_uid()}", BROKER, mode=0o755), stages=True)
    os.chown(path, BROKER, BROKER)
    [plugin] = check(house, path, "--option", f"path={photos}", "--changes")["plugins"]
    passes(
        plugin, {"read-only-is-kept", "list-of-folders", "a-change-is-noticed", "bytes-of-a-range", "add-in-a-folder"}
    )


def test_selected_checks_run_with_their_prerequisites(house, photos, faulty):
    words = ["--option", f"path={photos}", "--changes"]
    [plugin] = check(house, faulty, *words, "--only", "list-again,add", "--only", "wait")["plugins"]
    assert outcomes(plugin) == dict.fromkeys(
        ["start", "capabilities", "facts", "list", "list-again", "wait", "add"], "passed"
    )
    assert (
        'no check "no-such-check"' in check(house, faulty, *words, "--only", "no-such-check,wait", expect=64)["message"]
    )


def test_credentials_come_from_files_and_are_absent_from_the_report(house, tmp_path):
    text = PROGRAM.replace(
        "@ANSWER@",
        """
    if method == "Describe":
        options = [{"name": "key", "type": "text", "optional": False, "secret": True, "summary": "A secret."}]
        reply = {"kit": 1, "plugins": [{"protocol": "storage", "name": "locked", "summary": "A test.",
            "capabilities": [], "options": options}]}
        channel.sendall(json.dumps({"parameters": reply}).encode() + b"\\0")
    elif method == "Start": channel.sendall(b'{"parameters": {"kit": 1}}\\0')
    else: channel.sendall(json.dumps({"error": "io.photobroker.Plugin.PluginError", "parameters": {
        "code": "offline", "message": "The key is " + key}}).encode() + b"\\0")
""",
    ).replace(
        'yield json.loads(message)["method"]',
        'call = json.loads(message); globals().update(call.get("parameters", {}).get("secrets") or {}); '
        'yield call["method"]',
    )
    folder = house.make_folder(f"locked-{house.fresh_uid()}", BROKER, mode=0o755)
    path, secret = folder / "locked.plugin", folder / "key"
    path.write_text(text)
    path.chmod(0o755)
    secret.write_text("correct-horse-battery\n")
    for file in (path, secret):
        os.chown(file, BROKER, BROKER)
    secret.chmod(0o644)
    assert "chmod 600" in check(house, path, "--credential", f"key={secret}", expect=65)["message"]
    secret.chmod(0o600)
    [without] = check(house, path, expect=65)["plugins"]
    assert "--credential" in without["checks"][0]["message"] and len(without["checks"]) == 1
    report = check(house, path, "--credential", f"key={secret}", expect=65)
    told = outcomes(report["plugins"][0])
    assert told["start"] == "passed" and told["facts"] == "failed", report
    assert "offline to Facts: The key is [secret]" in json.dumps(report) and "correct-horse" not in json.dumps(report)


@pytest.mark.parametrize(
    "name, content, told",
    [
        ("text.so", b"no object", "shared object"),
        ("text.plugin", b"#!/bin/true\n", "exited"),
        ("missing.so", None, "missing.so"),
        ("plain.txt", b"x", "neither a shared object"),
        ("plain.plugin", b"import json\n", "such as #!/usr/bin/python3"),
        ("lines.plugin", b"#!/usr/bin/python3\r\n", "Unix line endings"),
        ("away.plugin", b"#!/usr/bin/no-python\n", "/usr/bin/no-python"),
        ("script.py", b"#!/usr/bin/python3\n", "chmod +x"),
        ("empty.so", b"", "0 bytes"),
        ("empty.plugin", b"", "0 bytes"),
        ("My Plugin.plugin", b"#!/bin/true\n", "hyphen"),
        ("libShelf.so", b"no object", "hyphen"),
        ("a" * 65 + ".plugin", b"#!/bin/true\n", "64"),
    ],
)
def test_a_file_that_is_not_a_plugin_is_refused_with_a_reason(house, tmp_path, name, content, told):
    folder = house.make_folder(f"odd-{house.fresh_uid()}", BROKER, mode=0o755)
    if content is not None:
        (folder / name).write_bytes(content)
        (folder / name).chmod(0o755 if name.endswith(".plugin") else 0o644)
        os.chown(folder / name, BROKER, BROKER)
    report = check(house, folder / name, expect=66 if content is None else 65)
    assert told in json.dumps(report), report


def test_a_replaceable_plugin_is_refused_as_at_installation(house, faulty):
    for place, mode in [(faulty, 0o777), (faulty, 0o775), (faulty.parent, 0o777)]:
        was = place.stat().st_mode & 0o777
        place.chmod(mode)
        report = check(house, faulty, expect=65)
        assert f"can change {place}." in report["message"] and "chmod go-w" in report["message"], report
        place.chmod(was)


def test_a_plugin_without_a_description_is_reported_as_not_installable(house, photos):
    [plugin] = check(house, install_faulty(house), "--option", f"path={photos}", expect=65)["plugins"]
    [wrong] = failed(plugin)
    assert wrong["check"] == "describe" and "Answer Describe" in wrong["message"], wrong
    assert len(plugin["checks"]) > 20, "the others are tried all the same"


def test_a_checked_plugin_leaves_nothing_behind(house, photos):
    check(
        house,
        install_faulty(house),
        "--option",
        f"path={photos}",
        "--option",
        "fault=processes",
        "--only",
        "facts",
        expect=65,
    )
    left = [
        p
        for p in os.listdir("/proc")
        if p.isdigit()
        and b"faulty.plugin" in read(f"/proc/{p}/cmdline")
        and str(house.programs).encode() in read(f"/proc/{p}/cmdline")
    ]
    assert left == []


def read(path):
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return b""
