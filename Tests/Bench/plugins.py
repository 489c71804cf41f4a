"""What a plugin's own process costs: calls and lists through each way to run one, as `photobroker plugin check` measures them."""
import json
import os
import shutil
import statistics
import subprocess
import time
import zipfile

from house.broker import BROKER, Broker
from house.person import as_user
from house.pictures import ROOT, day, jpeg
from house.remotes import WebDAV


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
        show("1,000 cloud mappings", 1_000 / plugin["speed"]["namesPerSecond"], 1_000 / plugin["inProcess"]["namesPerSecond"])
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
    measure_remote(house)


def open_each(agent, assets):
    """Seconds until each asset's bytes are there, none of which was asked for before."""
    import os
    import time
    connection, taken = agent.connection("remote"), []
    for asset in assets:
        began = time.perf_counter()
        _, files = connection.call_with_descriptors("io.photobroker.Library.OpenResource", asset=asset, role="original")
        taken.append(time.perf_counter() - began)
        for file in files:
            os.close(file)
    return taken


def measure_remote(house, count=20):
    what = "3 MB of a WebDAV server through rclone and the broker, and with curl"
    if WebDAV.missing or not shutil.which("rclone") or not shutil.which("curl"):
        return print(f"   {what:66} skipped: apache2-bin, rclone or curl is not installed", flush=True)
    remote = WebDAV(house, "bench-webdav")
    broker = Broker(house, "bench-remote")
    broker.arguments = ["--network", "rclone"]
    try:
        broker.start()
        for number in range(count):
            remote.put(f"picture-{number}.jpg", jpeg(day(number), note=str(number).encode(), padding=3_000_000), day(number).timestamp())
        owner, app = broker.owner(), broker.app()
        owner.call("AddLibrary", name="far", backend="rclone", offeredTo=[app.uid], options={
            "remote": remote.remote, "config": str(remote.config)})
        owner.wait_for_library("far", count, seconds=120)
        app.introduce()
        owner.set("far", app.name, "authorized")
        assert app.request() == "authorized"
        mine = app.run(open_each, assets=[asset["localIdentifier"] for asset in app.fetch()])
        theirs = []
        for number in range(count):
            began = time.perf_counter()
            subprocess.run(["curl", "--silent", "--fail", "--user", "owner:a secret", "--output", "/dev/null",
                            f"http://127.0.0.1:{remote.port}/picture-{number}.jpg"], check=True)
            theirs.append(time.perf_counter() - began)
        show(what, statistics.median(mine), statistics.median(theirs))
    finally:
        broker.end()
        remote.stop()
