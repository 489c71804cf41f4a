"""What a plugin's own process costs: calls and lists through each way to run one, as `photobroker plugin check` measures them."""
import json
import os
import shutil
import subprocess
import zipfile

from house.broker import BROKER
from house.person import as_user
from house.pictures import ROOT


def check(house, path, *words):
    done = subprocess.run(
        as_user(BROKER, [house.programs / "photobroker", "plugin", "check", path, "--json", *words]), text=True, cwd="/",
        capture_output=True, env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"})
    if done.returncode:
        raise SystemExit(f"bench: plugin check {path}: {done.stdout[-2000:]}{done.stderr}")
    return json.loads(done.stdout)["plugins"]


def show(what, mine, inside):
    """Seconds through a process of its own and in process."""
    print(f"   {what:66} {mine * 1e6:13,.1f} us {inside * 1e6:13,.1f} us  {mine / inside:8.1f}x", flush=True)


def measure(house, photos):
    print(f"== plugins: in a process of its own, and in process; {photos:,} files", flush=True)
    folder = house.make_folder("many-photos", BROKER)
    for number in range(photos):
        place = folder / f"{number // 1000:03}"
        place.mkdir(exist_ok=True)
        (place / f"{number}.jpg").touch()
    subprocess.run(["chown", "-R", f"{BROKER}:{BROKER}", folder], check=True)
    [plugin] = check(house, house.programs / "libdirectory.so", "--option", f"path={folder}", "--in-process")
    own, inside = plugin["speed"], plugin["inProcess"]
    show("a call of a storage in a process of its own, and in process", 1 / own["callsPerSecond"], 1 / inside["callsPerSecond"])
    show(f"a list of {photos:,} in a process of its own, and in process", photos / own["itemsPerSecond"], photos / inside["itemsPerSecond"])
    for plugin in check(house, house.programs / "libalbum-policies.so", "--name", "own", "--in-process"):
        show("a question to an album policy", 1 / plugin["speed"]["callsPerSecond"], 1 / plugin["inProcess"]["callsPerSecond"])
    for plugin in check(house, house.programs / "libcontent.so", "--in-process"):
        show("a question to a cloud mapping", 1 / plugin["speed"]["callsPerSecond"], 1 / plugin["inProcess"]["callsPerSecond"])
    archive = house.make_folder("many-zipped", BROKER, mode=0o755) / "a.zip"
    with zipfile.ZipFile(archive, "w") as made:
        for number in range(photos):
            made.writestr(f"{number // 1000:03}/{number}.jpg", b"x")
    archive.chmod(0o644)
    program = archive.with_name("archive.plugin")
    shutil.copy2(ROOT / "Examples/python/archive.plugin", program)
    [plugin] = check(house, program, "--option", f"path={archive}")
    show(f"a list of {photos:,} by a program in Python, and in process", photos / plugin["speed"]["itemsPerSecond"],
         photos / inside["itemsPerSecond"])
    show("a call of a program in Python, and in process", 1 / plugin["speed"]["callsPerSecond"], 1 / inside["callsPerSecond"])
    shutil.rmtree(folder)
    os.unlink(archive)
