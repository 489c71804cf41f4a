"""Real servers for the plugin rclone, on loopback and under an ordinary user: Apache httpd with
WebDAV, and OpenSSH's SFTP. Also a library on one of them."""

import base64
import functools
import hashlib
import http.server
import os
import pwd
import shutil
import signal
import socket
import subprocess
import sys
import threading
import urllib.parse
from email.utils import formatdate

import pytest

from .broker import BROKER, Broker
from .person import as_user, children, wait_for
from .pictures import day, jpeg
from .soak import choose_values


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Gate:
    """A proxy that counts the bytes of a server's answers, and can hold them back."""

    def __init__(self, port):
        self.server = port
        self.change = threading.Condition()
        self.passed, self.limit, self.pairs = 0, None, []
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.start(self.accept)

    @staticmethod
    def start(body, *arguments):
        threading.Thread(target=body, args=arguments, daemon=True).start()

    def accept(self):
        while True:
            try:
                client = self.listener.accept()[0]
            except OSError:
                return
            try:
                server = socket.create_connection(("127.0.0.1", self.server))
            except OSError:
                client.close()
                continue
            with self.change:
                self.pairs.append((client, server))
            self.start(self.pump, client, server, False)
            self.start(self.pump, server, client, True)

    def pump(self, source, target, counts):
        try:
            while piece := source.recv(65_536):
                if counts:
                    with self.change:
                        self.passed += len(piece)
                        self.change.notify_all()
                        self.change.wait_for(
                            lambda: self.limit is None or self.passed < self.limit or source.fileno() < 0
                        )
                target.sendall(piece)
            target.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def hold_after(self, count):
        with self.change:
            self.passed, self.limit = 0, count

    def wait_until_held(self, seconds=30):
        with self.change:
            assert self.change.wait_for(lambda: self.passed >= self.limit, seconds), f"only {self.passed} bytes passed"

    def open(self):
        with self.change:
            self.limit = None
            self.change.notify_all()

    def cut(self):
        """Cuts all connections, as a crash of the server's machine would."""
        with self.change:
            for pair in self.pairs:
                for end in pair:
                    try:
                        end.shutdown(socket.SHUT_RDWR)
                    except OSError:
                        pass
                    end.close()
            self.pairs = []
            self.change.notify_all()

    def end(self):
        self.listener.close()
        self.open()
        self.cut()


class Remote:
    """A server with a folder of photos, and the rclone configuration for it."""

    missing = None
    uid = 61_901

    def __init__(self, house, name):
        self.folder = house.make_folder(f"{name}-{house.fresh_uid()}", self.uid)
        self.photos = self.folder / "photos"
        self.photos.mkdir()
        os.chown(self.photos, self.uid, self.uid)
        self.port = self.door = free_port()
        self.process = None
        self.prepare()
        self.config = house.make_folder(f"{name}-config-{house.fresh_uid()}", BROKER) / "rclone.conf"
        self.use_port(self.door)
        self.start()

    def use_port(self, door):
        """Lets rclone use another port."""
        self.door = door
        self.config.write_text(self.configuration())
        os.chown(self.config, BROKER, BROKER)
        self.config.chmod(0o600)

    def start(self):
        self.process = subprocess.Popen(
            as_user(self.uid, self.command()),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", **self.variables()},
        )
        wait_for(self.answers, f"{type(self).__name__} to answer")

    def clear(self):
        """Removes all photos, and restarts the server."""
        self.stop()
        for path in self.photos.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if self.door != self.port:
            self.use_port(self.port)
        self.start()

    def variables(self):
        return {}

    def answers(self):
        assert self.process.poll() is None, f"{type(self).__name__} ended with {self.process.returncode}"
        with socket.socket() as client:
            return client.connect_ex(("127.0.0.1", self.port)) == 0

    def put(self, name, data, modified=None):
        path = self.photos / name
        path.parent.mkdir(parents=True, exist_ok=True)
        new = path.parent / f".{path.name}.new"
        new.write_bytes(data)
        if modified is not None:
            os.utime(new, (modified, modified))
        os.rename(new, path)
        for made in [path, *path.parents]:
            if made == self.photos:
                break
            os.chown(made, self.uid, self.uid)
        return path

    def freeze(self):
        self.signal(signal.SIGSTOP)

    def thaw(self):
        self.signal(signal.SIGCONT)

    def signal(self, number):
        for pid in self.family()[::-1]:
            try:
                os.kill(pid, number)
            except ProcessLookupError:
                pass

    def family(self):
        found = [self.process.pid]
        for pid in found:
            found += children(pid)
        return found

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.thaw()
            self.signal(signal.SIGKILL)
            self.process.wait()


@functools.cache
def obscured(password):
    """A password as rclone's configuration has it."""
    return subprocess.run(["rclone", "obscure", password], capture_output=True, text=True, check=True).stdout.strip()


class WebDAV(Remote):
    missing = None if os.path.exists("/usr/sbin/apache2") else "apache2-bin is not installed"

    def prepare(self):
        modules = "/usr/lib/apache2/modules"
        self.file = self.folder / "httpd.conf"
        self.file.write_text(f"""
ServerRoot {self.folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{self.port}
PidFile {self.folder}/pid
ErrorLog {self.folder}/errors
LogFormat "%m %U %s %B" short
CustomLog {self.folder}/access short
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authn_file_module {modules}/mod_authn_file.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule auth_basic_module {modules}/mod_auth_basic.so
LoadModule dav_module {modules}/mod_dav.so
LoadModule dav_fs_module {modules}/mod_dav_fs.so
DavLockDB {self.folder}/locks
DocumentRoot {self.photos}
<Directory {self.photos}>
  Dav On
  AuthType Basic
  AuthName photos
  AuthBasicProvider file
  AuthUserFile {self.folder}/users
  Require valid-user
</Directory>
""")
        hashed = subprocess.run(
            ["openssl", "passwd", "-6", "a secret"], capture_output=True, text=True, check=True
        ).stdout
        (self.folder / "users").write_text("owner:" + hashed)

    def command(self):
        return ["/usr/sbin/apache2", "-X", "-f", self.file]

    def configuration(self):
        address = f"type = webdav\nurl = http://127.0.0.1:{self.door}\nvendor = {self.vendor}\n"
        return f"[far]\n{address}user = owner\npass = {obscured('a secret')}\n"

    remote = "far:"
    vendor = "other"

    def clear(self):
        (self.folder / "access").unlink()
        super().clear()

    def reads(self):
        """Paths of read files, in order."""
        lines = (self.folder / "access").read_text().splitlines()
        return [line.split()[1] for line in lines if line.startswith("GET ")]

    def sent(self):
        """Number of bytes sent."""
        lines = (self.folder / "access").read_text().splitlines()
        return sum(int(line.split()[3]) for line in lines if line.startswith("GET "))


class WholeWebDAV(WebDAV):
    """Sends whole files, even for range requests."""

    def prepare(self):
        super().prepare()
        self.file.write_text(self.file.read_text() + "MaxRanges none\n")


class HashingWebDAV(WebDAV):
    """Serves SHA-1 digests as Nextcloud does, in a property that httpd stores."""

    vendor = "nextcloud"
    remote = "far:/"

    def ask(self, method, path, *words):
        subprocess.run(
            [
                "curl",
                "--silent",
                "--fail",
                "--user",
                "owner:a secret",
                "--request",
                method,
                *words,
                f"http://127.0.0.1:{self.port}/{path}",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )

    def store_hash(self, path):
        found = hashlib.sha1((self.photos / path).read_bytes()).hexdigest()
        self.ask(
            "PROPPATCH",
            path,
            "--header",
            "Content-Type: text/xml",
            "--data",
            f"""<?xml version="1.0"?>
            <d:propertyupdate xmlns:d="DAV:" xmlns:oc="http://owncloud.org/ns"><d:set><d:prop>
            <oc:checksums><oc:checksum>SHA1:{found}</oc:checksum></oc:checksums></d:prop></d:set></d:propertyupdate>""",
        )

    def move(self, path, to):
        self.ask("MOVE", path, "--header", f"Destination: http://127.0.0.1:{self.port}/{to}")


class PlainHTTP(Remote):
    """Sends files until the connection's end, without their length."""

    remote = "far:"

    def prepare(self):
        # Most bytes of a file that are sent (None: all), and the requests.
        self.sends, self.asked = None, []
        # Answers to HEAD requests by file name: a status, or None for an answer without a length.
        self.heads = {}
        # Files whose bytes it does not send.
        self.kept = set()

    def configuration(self):
        return f"[far]\ntype = http\nurl = http://127.0.0.1:{self.door}/\n"

    def start(self):
        remote = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *_):
                pass

            def do_HEAD(self):
                self.answer()

            def do_GET(self):
                self.answer()

            def answer(self):
                path = remote.photos / urllib.parse.unquote(self.path).strip("/")
                if path.is_dir():
                    names = sorted(p.name + ("/" if p.is_dir() else "") for p in path.iterdir())
                    return self.send(
                        "".join(f'<a href="{urllib.parse.quote(n)}">{n}</a>\n' for n in names).encode(), "text/html"
                    )
                if not path.is_file():
                    return self.send_error(404)
                data = path.read_bytes()
                if self.command == "HEAD" and path.name in remote.heads:
                    if remote.heads[path.name]:
                        return self.send_error(remote.heads[path.name])
                    self.send_response(200)
                    self.send_header("Content-Type", "image/jpeg")
                    return self.end_headers()
                if self.command == "HEAD":
                    return self.send(data, "image/jpeg", formatdate(path.stat().st_mtime, usegmt=True))
                if path.name in remote.kept:
                    return self.send_error(503)
                first, last = 0, len(data) - 1
                if asked := self.headers.get("Range"):
                    first, end = asked.removeprefix("bytes=").split("-")
                    first, last = int(first), min(int(end or last), last)
                remote.asked.append((path.name, first))
                self.send_response(206 if asked else 200)
                self.end_headers()
                self.wfile.write(data[first : last + 1][: remote.sends])

            def send(self, data, kind, modified=None):
                self.send_response(200)
                self.send_header("Content-Type", kind)
                self.send_header("Content-Length", str(len(data)))
                if modified:
                    self.send_header("Last-Modified", modified)
                self.end_headers()
                if self.command == "GET":
                    self.wfile.write(data)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", self.port), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def stop(self):
        self.server.shutdown()
        self.server.server_close()


class SFTP(Remote):
    missing = None if os.path.exists("/usr/sbin/sshd") else "openssh-server is not installed"

    def prepare(self):
        for name in ("host", "client"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", self.folder / name], check=True)
        shutil.copy(self.folder / "client.pub", self.folder / "authorized")
        self.file = self.folder / "sshd_config"
        self.file.write_text(f"""
Port {self.port}
ListenAddress 127.0.0.1
HostKey {self.folder}/host
PidFile {self.folder}/pid
AuthorizedKeysFile {self.folder}/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
Subsystem sftp internal-sftp
""")
        # sshd accepts only users with an account, so this one exists for it alone.
        (self.folder / "passwd").write_text(f"photos:x:{self.uid}:{self.uid}::/:/bin/sh\n")
        (self.folder / "group").write_text(f"photos:x:{self.uid}:\n")
        (self.folder / "shadow").write_text("photos:*:19000:0:99999:7:::\n")
        for path in self.folder.iterdir():
            os.chown(path, self.uid, self.uid)

    def command(self):
        return ["/usr/sbin/sshd", "-D", "-f", self.file]

    def configuration(self):
        key = (self.folder / "client").read_text().replace("\n", "\\n")
        address = f"type = sftp\nhost = 127.0.0.1\nport = {self.door}\nuser = photos\n"
        return f"[far]\n{address}key_pem = {key}\nshell_type = unix\n"

    def variables(self):
        names = {f"NSS_WRAPPER_{name.upper()}": str(self.folder / name) for name in ("passwd", "group", "shadow")}
        return {"LD_PRELOAD": "libnss_wrapper.so", **names}

    @property
    def remote(self):
        return f"far:{self.photos}"


MAKE_RINGS = """
import ast, sys
from swift.common.ring import RingBuilder
for path, port in ast.literal_eval(sys.argv[1]):
    ring = RingBuilder(1, 1, 0)
    ring.add_dev({"region": 1, "zone": 1, "ip": "127.0.0.1", "port": port, "device": "disk", "weight": 1.0})
    ring.rebalance()
    ring.get_ring().save(path)
"""


class S3(Remote):
    """OpenStack Swift with its S3 interface: a proxy, and three servers on one folder."""

    missing = (
        None
        if os.path.exists(os.path.join(sys.prefix, "bin/swift-proxy-server"))
        else "swift of Tests/System/requirements.txt is not installed"
    )
    remote = "far:photos"
    # Other users may be unable to read the modules from PyPI.
    uid = os.geteuid()
    kinds = ("account", "container", "object")

    def prepare(self):
        (self.folder / "swift.conf").write_text("""
[swift-hash]
swift_hash_path_prefix = photos
swift_hash_path_suffix = photos
[storage-policy:0]
name = one
default = yes
""")
        self.devices = self.folder / "devices"
        (self.devices / "disk").mkdir(parents=True)
        ports = {kind: free_port() for kind in self.kinds}
        # swift-ring-builder takes a process for each of nine steps.
        rings = [(f"{self.folder}/{kind}.ring.gz", port) for kind, port in ports.items()]
        subprocess.run([sys.executable, "-c", MAKE_RINGS, repr(rings)], check=True)
        for kind, port in ports.items():
            self.write(
                kind,
                port,
                f"{kind}-server",
                f"devices = {self.devices}\nmount_check = false",
                f"[app:{kind}-server]\nuse = egg:swift#{kind}",
            )
        self.write(
            "proxy",
            self.port,
            "cache s3api slo tempauth proxy-server",
            "",
            """
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
allow_account_management = true
[filter:cache]
use = egg:swift#memcache
[filter:s3api]
use = egg:swift#s3api
[filter:slo]
use = egg:swift#slo
[filter:tempauth]
use = egg:swift#tempauth
user_test_owner = secret .admin
""",
        )

    @staticmethod
    def program(name):
        return os.path.join(sys.prefix, "bin", f"swift-{name}")

    def write(self, kind, port, pipeline, settings, parts):
        (self.folder / f"{kind}.conf").write_text(f"""
[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {pwd.getpwuid(self.uid).pw_name}
swift_dir = {self.folder}
recon_cache_path = {self.folder}
{settings}
[pipeline:main]
pipeline = {pipeline}
{parts}
""")

    def command(self):
        servers = [f"'{self.program(kind)}-server' '{self.folder}/{kind}.conf' -v &" for kind in (*self.kinds, "proxy")]
        return ["/bin/sh", "-c", " ".join(servers) + " wait"]

    def configuration(self):
        return (
            f"[far]\ntype = s3\nprovider = Other\naccess_key_id = test:owner\nsecret_access_key = secret\n"
            f"endpoint = http://127.0.0.1:{self.door}\nregion = us-east-1\nforce_path_style = true\n"
        )

    def answers(self):
        return super().answers() and self.rclone("mkdir", "far:photos", check=False).returncode == 0

    def rclone(self, *words, check=True, data=None):
        return subprocess.run(
            ["rclone", "--config", self.config, *words],
            check=check,
            input=data,
            capture_output=True,
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent"},
        )

    def put(self, name, data, modified=None):
        self.rclone("rcat", "--size", str(len(data)), f"far:photos/{name}", data=data)

    def move(self, name, to):
        self.rclone("moveto", f"far:photos/{name}", f"far:photos/{to}")

    def names(self):
        return set(self.rclone("lsf", "--recursive", "--files-only", "far:photos").stdout.decode().split())


def picture(number, **more):
    return jpeg(day(number), note=f"picture {number}".encode(), **more)


DETAIL = 3 << 20


def large(number):
    """A photo of 3 MiB that consists mostly of picture data."""
    return picture(number, detail=DETAIL)


class RemoteScene:
    """A broker with a library on a remote, its owner, and an app."""

    def __init__(self, broker, remote, count, expected=None):
        self.broker, self.remote, self.house = broker, remote, broker.house
        self.owner, self.app = broker.owner(), broker.app()
        self.library = f"far-{self.owner.uid}"
        for number in range(count):
            remote.put(f"2024/picture-{number}.jpg", picture(number), day(number).timestamp())
        self.owner.call(
            "AddLibrary",
            name=self.library,
            backend="rclone",
            offeredTo=[self.app.uid],
            options={"remote": remote.remote, "config": str(remote.config), "rescanSeconds": "5"},
        )
        self.owner.wait_for_library(self.library, count if expected is None else expected)
        self.app.introduce()

    def limit(self, *numbers, **terms):
        self.owner.set(self.library, self.app.name, "limited", terms={"deletions": "allow", **terms})
        self.owner.select(self.library, self.app.name, *[f"picture-{n}.jpg" for n in numbers])
        assert self.app.request() == "limited"

    def read(self, asset):
        data = b""
        while True:
            piece = self.app.call("ReadBytes", asset=asset, offset=len(data), length=524_288)
            data += base64.b64decode(piece["data"])
            if piece["isLast"]:
                return data


@pytest.fixture(scope="module")
def networked(house):
    broker = Broker(house, name=f"own-{house.fresh_uid()}")
    broker.arguments = ["--network", "rclone"]
    yield broker.start()
    broker.end()


def start_server(server, house):
    if server.missing:
        assert not os.environ.get("CI"), server.missing
        pytest.skip(server.missing)
    return server(house, server.__name__.lower())


SERVERS = pytest.StashKey()


def shared_server(request, house, kind):
    """An empty server. The tests of a file share one of each kind."""
    module = request.node.getparent(pytest.Module)
    servers = module.stash.setdefault(SERVERS, {})
    if kind in servers:
        servers[kind].clear()
    else:
        servers[kind] = start_server(kind, house)
        module.addfinalizer(servers[kind].stop)
    return servers[kind]


@pytest.fixture(params=choose_values([WebDAV], [WebDAV, SFTP]), ids=lambda kind: kind.__name__)
def remote(request, house):
    return shared_server(request, house, request.param)


# For tests of listing, reading, changing and errors, on each kind of server.
EVERY_REMOTE = pytest.mark.parametrize("remote", [WebDAV, SFTP], ids=lambda kind: kind.__name__, indirect=True)


@pytest.fixture
def webdav(request, house):
    return shared_server(request, house, WebDAV)


@pytest.fixture
def make_far(networked):
    scenes = []

    def make(remote, count, expected=None):
        scenes.append(RemoteScene(networked, remote, count, expected))
        return scenes[-1]

    yield make
    for scene in scenes:
        scene.owner.call("RemoveLibrary", name=scene.library)


@pytest.fixture
def far(networked, remote):
    scene = RemoteScene(networked, remote, 5)
    yield scene
    scene.owner.call("RemoveLibrary", name=scene.library)
