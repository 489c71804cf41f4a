"""Comparable programs from Debian's packages; a missing one is skipped by name."""

import hashlib
import base64
import glob
import os
import pathlib
import shutil
import statistics
import subprocess
import time

import library

ROOT = pathlib.Path(__file__).resolve().parents[2]


def pinned(core, command):
    return ["taskset", "-c", str(core), *map(str, command)]


def on_session_bus(folder, core, server, client, *arguments):
    """Runs a C client against a server on a session bus of their own. Returns the printed numbers
    by the lines' first words; None if the server is not installed."""
    program = next((p for p in (f"/usr/libexec/{server}", f"/usr/lib/{server}") if os.path.exists(p)), None)
    if not program or not shutil.which("dbus-run-session") or not os.path.exists("/usr/include/systemd/sd-bus.h"):
        return None
    subprocess.run(
        ["gcc", "-O2", "-Wall", "-Wextra", "-o", folder / client, ROOT / f"Tests/Bench/{client}.c", "-lsystemd"],
        check=True,
    )
    home = folder / "home"
    home.mkdir(exist_ok=True)
    script = '"$0" & sleep 1; "$@" >"$HOME/numbers" 2>"$HOME/errors"; status=$?; kill $!; exit $status'
    # On a busy machine the bus starts a second server, which outlives it and would keep a pipe open.
    session = subprocess.run(
        pinned(core, ["dbus-run-session", "--", "sh", "-c", script, program, folder / client, *arguments]),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={"PATH": "/usr/bin:/bin", "HOME": str(home), "XDG_DATA_HOME": str(home), "XDG_RUNTIME_DIR": str(home)},
    )
    if session.returncode:
        raise SystemExit(f"bench: {client}: {(home / 'errors').read_text().strip()}")
    return {words[0]: int(words[1]) for words in map(str.split, (home / "numbers").read_text().splitlines())}


def permission_store(folder, core, rounds):
    """The median of GetPermission in nanoseconds; None if it is not installed."""
    found = on_session_bus(folder, core, "xdg-permission-store", "permission", rounds)
    return found and found["peer"]


def document_portal(folder, core, files):
    """The median, in nanoseconds, of opening and reading files for the first time, and the bytes of
    one file. None if it is not installed."""
    if not os.path.exists("/dev/fuse") or not shutil.which("fusermount3"):
        return None
    found = on_session_bus(folder, core, "xdg-document-portal", "portal", *files)
    return found and (found["peer"], found["bytes"])


class Nginx:
    """Serves one file by signed links that expire."""

    port = 61_380

    def __init__(self, folder, core, file):
        self.folder = folder
        (folder / "files").mkdir()
        shutil.copyfile(file, folder / "files/large.jpg")
        (folder / "conf").write_text(f"""
          daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log; user root;
          events {{ }}
          http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 1000000;
            server {{ listen 127.0.0.1:{self.port}; root {folder}/files;
              location / {{ secure_link $arg_md5,$arg_expires; secure_link_md5 "$secure_link_expires$uri secret";
                if ($secure_link = "") {{ return 403; }} if ($secure_link = "0") {{ return 410; }} }} }} }}""")
        self.process = subprocess.Popen(pinned(core, ["nginx", "-c", folder / "conf", "-e", folder / "error.log"]))
        time.sleep(0.5)

    def link(self):
        end = int(time.time()) + 3600
        digest = hashlib.md5(f"{end}/large.jpg secret".encode()).digest()
        return f"/large.jpg?md5={base64.urlsafe_b64encode(digest).rstrip(b'=').decode()}&expires={end}"

    def end(self):
        self.process.terminate()
        self.process.wait()


class Postgres:
    """The library in PostgreSQL: with a row-level security policy, and as a table optimised for one
    query."""

    USER = ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"]

    def __init__(self, folder, core):
        self.folder = folder
        self.bin = pathlib.Path(sorted(glob.glob("/usr/lib/postgresql/*/bin"))[-1])
        shutil.chown(folder, "postgres", "postgres")
        self.run("initdb", "-D", folder / "data", "-A", "trust", "--no-sync")
        self.server = subprocess.Popen(
            pinned(
                core,
                [
                    *self.USER,
                    self.bin / "postgres",
                    "-D",
                    folder / "data",
                    "-k",
                    folder,
                    "-c",
                    "listen_addresses=",
                    "-c",
                    "shared_buffers=1GB",
                    "-c",
                    "jit=off",
                    "-c",
                    "max_parallel_workers_per_gather=0",
                ],
            ),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(100):
            if subprocess.run([self.bin / "pg_isready", "-q", "-h", folder]).returncode == 0:
                break
            time.sleep(0.1)

    def run(self, program, *arguments):
        return subprocess.run(
            [*self.USER, self.bin / program, *map(str, arguments)], check=True, capture_output=True, text=True, cwd="/"
        ).stdout

    def sql(self, text, user="postgres"):
        return self.run(
            "psql", "-h", self.folder, "-U", user, "-d", "postgres", "-qAt", "-v", "ON_ERROR_STOP=1", "-c", text
        )

    COLUMNS = "identifier, created, added, modified, media_type, width, height, favourite, file_name, version"

    def fill(self, first, count):
        time = f"{library.FIRST} + i * {library.STEP}::bigint"
        self.sql(f"""
          CREATE TABLE assets AS SELECT i AS id, md5(i::text)::uuid AS identifier, {time} AS created, {time} AS added,
            {time} AS modified, 1 AS media_type, 4032 AS width, 3024 AS height,
            i % {library.FAVOURITE} = 0 AS favourite,
            'IMG_' || lpad(i::text, 7, '0') || '.JPG' AS file_name, 1 AS version
            FROM generate_series({first}, {first + count - 1}) i;
          ALTER TABLE assets ADD PRIMARY KEY (id);
          CREATE INDEX ON assets (created DESC);
          CREATE INDEX ON assets (created DESC) WHERE favourite;
          CREATE TABLE chosen AS SELECT 'app' AS app, id AS asset FROM assets WHERE id % {library.SELECTED} = 0;
          ALTER TABLE chosen ADD PRIMARY KEY (app, asset);
          CREATE ROLE app LOGIN;
          GRANT SELECT ON assets, chosen TO app;
          ALTER TABLE assets ENABLE ROW LEVEL SECURITY;
          CREATE POLICY chosen ON assets FOR SELECT TO app
            USING (EXISTS (SELECT 1 FROM chosen c WHERE c.app = current_user AND c.asset = assets.id));
          CREATE TABLE best AS SELECT 'app' AS app, * FROM assets WHERE id % {library.SELECTED} = 0;
          CREATE INDEX ON best (app, created DESC) WHERE favourite;
          CREATE INDEX ON best (app, created DESC);
          GRANT SELECT ON best TO app""")
        self.sql("VACUUM ANALYZE")

    SECURED = f"SELECT {COLUMNS} FROM assets WHERE favourite ORDER BY created DESC LIMIT 100"
    BEST = f"SELECT {COLUMNS} FROM best WHERE app = 'app' AND favourite ORDER BY created DESC LIMIT 100"
    PAGE = f"SELECT {COLUMNS} FROM best WHERE app = 'app' ORDER BY created DESC LIMIT 100"

    def names(self, query):
        return [line.split("|")[8] for line in self.sql(query, user="app").splitlines()]

    def bench(self, query, *arguments):
        script = self.folder / "script.sql"
        script.write_text(query + ";\n")
        return self.run(
            "pgbench", "-h", self.folder, "-U", "app", "-n", "-M", "prepared", "-f", script, *arguments, "postgres"
        )

    def median(self, query, count):
        """The median of one transaction in nanoseconds."""
        log = self.folder / "log"
        for old in self.folder.glob("log*"):
            old.unlink()
        self.bench(query, "-c", 1, "-t", count, "-l", f"--log-prefix={log}")
        times = [int(line.split()[2]) for path in self.folder.glob("log*") for line in path.read_text().splitlines()]
        return statistics.median(times) * 1_000

    def rate(self, query, clients, seconds):
        """Transactions per second."""
        output = self.bench(query, "-c", clients, "-j", 2, "-T", seconds)
        return float(next(line for line in output.splitlines() if line.startswith("tps")).split()[2])

    def end(self):
        self.server.terminate()
        self.server.wait()


def has_postgres():
    return bool(glob.glob("/usr/lib/postgresql/*/bin/postgres")) and shutil.which("pgbench") is not None
