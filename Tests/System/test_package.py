"""The package with the libraries of kind "core" alone, and its programs' dependencies."""

import json
import pathlib
import re
import subprocess

import pytest

from house.pictures import ROOT

FOLDERS = [
    f"/usr/{place}/pkgconfig"
    for place in ("lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu", "lib64", "lib", "local/lib")
]
CORE = ["sqlite3.pc", "openssl.pc", "libcrypto.pc", "libssl.pc"]
OPTIONAL = {
    "photobroker-media",
    "photobroker-video",
    "MediaWorker",
    "CGLib",
    "photobroker-web",
    "WebPage",
    "CMicroHTTPD",
    "photobroker-run",
    "PictureFolder",
    "CPictureFolder",
}
# Only the core libraries' descriptions exist in this mount namespace.
HIDE = r"""
for folder in FOLDERS; do
  [ -d $folder ] || continue
  kept=$(mktemp -d)
  for name in CORE; do [ ! -e $folder/$name ] || cp $folder/$name $kept/; done
  mount --bind $kept $folder
done
exec "$@"
""".replace("FOLDERS", " ".join(FOLDERS)).replace("CORE", " ".join(CORE))


@pytest.fixture(scope="module")
def targets(tmp_path_factory):
    command = [
        "swift",
        "package",
        "--package-path",
        ROOT,
        "--manifest-cache",
        "none",
        "--scratch-path",
        tmp_path_factory.mktemp("scratch"),
        "dump-package",
    ]
    result = subprocess.run(
        ["unshare", "--mount", "bash", "-c", HIDE, "hide", *map(str, command)], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr[-2000:]
    return {t["name"]: t for t in json.loads(result.stdout)["targets"]}


def test_the_core_build_leaves_out_everything_optional(targets):
    assert not OPTIONAL & set(targets)
    wanted = {
        "photobrokerd",
        "photobroker",
        "photobroker-clean",
        "photobroker-plugin-host",
        "PhotoBroker",
        "DirectoryStorage",
        "AlbumPolicies",
        "ContentMapping",
        "RcloneStorage",
    }
    assert wanted <= set(targets)
    needed = {
        name: {entry["byName"][0] for entry in t["dependencies"] if "byName" in entry} for name, t in targets.items()
    }
    assert {n: sorted(d - set(targets)) for n, d in needed.items() if d - set(targets)} == {}, (
        "nothing that stays needs what goes"
    )


def test_the_core_links_two_libraries_only(targets):
    linked = {}
    for name, target in targets.items():
        for setting in target.get("settings", []):
            if library := setting.get("kind", {}).get("linkedLibrary"):
                linked.setdefault(library["_0"], []).append(name)
    assert set(linked) == {"sqlite3", "crypto"}, linked


@pytest.mark.parametrize(
    "program",
    [
        "photobrokerd",
        "photobroker",
        "photobroker-clean",
        "photobroker-plugin-host",
        "libPluginKit.so",
        "libdirectory.so",
        "libalbum-policies.so",
        "libcontent.so",
        "librclone.so",
    ],
)
def test_a_core_program_loads_only_allowed_libraries(house, program):
    headers = subprocess.run(
        ["readelf", "-d", pathlib.Path(house.programs, program)], capture_output=True, text=True, check=True
    ).stdout
    needed = {
        n
        for n in re.findall(r"\(NEEDED\).*\[(.+)\]", headers)
        if not re.match(r"libswift|lib_?Foundation|lib_FoundationICU", n)
    }
    system = {
        "libc.so.6",
        "libm.so.6",
        "libstdc++.so.6",
        "libgcc_s.so.1",
        "libPluginKit.so",
        "libdispatch.so",
        "libBlocksRuntime.so",
    }
    # Every Debian has libsystemd; `photobroker notify` is built without it where its headers are missing.
    named = {"libsqlite3.so.0", "libcrypto.so.3"} | ({"libsystemd.so.0"} if program == "photobroker" else set())
    assert {n for n in needed - system if not n.startswith("ld-linux")} <= named, needed
