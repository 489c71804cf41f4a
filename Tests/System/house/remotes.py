"""Real servers for the plugin rclone, on loopback and under an ordinary user: Apache httpd with WebDAV, and OpenSSH's SFTP."""
import os
import shutil
import signal
import socket
import subprocess

from .broker import BROKER
from .person import as_user, wait_for


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Remote:
    """A server with a folder of photos, and the rclone configuration that reaches it."""

    missing = None
    uid = 61_901

    def __init__(self, house, name):
        self.folder = house.make_folder(f"{name}-{house.fresh_uid()}", self.uid)
        self.photos = self.folder / "photos"
        self.photos.mkdir()
        os.chown(self.photos, self.uid, self.uid)
        self.port = free_port()
        self.process = None
        self.prepare()
        self.config = house.make_folder(f"{name}-config-{house.fresh_uid()}", BROKER) / "rclone.conf"
        self.config.write_text(self.configuration())
        os.chown(self.config, BROKER, BROKER)
        self.config.chmod(0o600)
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            as_user(self.uid, self.command()), cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            env={"PATH": "/usr/bin:/bin", **self.variables()})
        wait_for(self.answers, f"{type(self).__name__} to answer")

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
        for pid in self.family():
            os.kill(pid, signal.SIGSTOP)

    def thaw(self):
        for pid in self.family():
            os.kill(pid, signal.SIGCONT)

    def family(self):
        found = [self.process.pid]
        for pid in found:
            try:
                for task in os.listdir(f"/proc/{pid}/task"):
                    with open(f"/proc/{pid}/task/{task}/children") as children:
                        found += map(int, children.read().split())
            except FileNotFoundError:
                pass
        return found

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.thaw()
            for pid in self.family()[::-1]:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
            self.process.wait()


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
        hashed = subprocess.run(["openssl", "passwd", "-6", "a secret"], capture_output=True, text=True, check=True).stdout
        (self.folder / "users").write_text("owner:" + hashed)

    def command(self):
        return ["/usr/sbin/apache2", "-X", "-f", self.file]

    def configuration(self):
        hidden = subprocess.run(["rclone", "obscure", "a secret"], capture_output=True, text=True, check=True).stdout.strip()
        return f"[far]\ntype = webdav\nurl = http://127.0.0.1:{self.port}\nvendor = other\nuser = owner\npass = {hidden}\n"

    remote = "far:"


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
        # sshd lets in only who has an account: one that exists for it alone.
        (self.folder / "passwd").write_text(f"photos:x:{self.uid}:{self.uid}::/:/bin/sh\n")
        (self.folder / "group").write_text(f"photos:x:{self.uid}:\n")
        (self.folder / "shadow").write_text("photos:*:19000:0:99999:7:::\n")
        for path in self.folder.iterdir():
            os.chown(path, self.uid, self.uid)

    def command(self):
        return ["/usr/sbin/sshd", "-D", "-f", self.file]

    def configuration(self):
        key = (self.folder / "client").read_text().replace("\n", "\\n")
        return f"[far]\ntype = sftp\nhost = 127.0.0.1\nport = {self.port}\nuser = photos\nkey_pem = {key}\nshell_type = unix\n"

    def variables(self):
        names = {f"NSS_WRAPPER_{name.upper()}": str(self.folder / name) for name in ("passwd", "group", "shadow")}
        return {"LD_PRELOAD": "libnss_wrapper.so", **names}

    @property
    def remote(self):
        return f"far:{self.photos}"
