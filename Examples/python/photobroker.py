"""A Varlink client for PhotoBroker with descriptors, using the standard library alone.

    with Connection("/run/photobroker/photobroker.sock") as library:
        library.authorize(manifest)
        page = library.call("io.photobroker.Library.FetchAssets", limit=10, captions=True, albums=True)

Any Varlink client works too. PyPI's `varlink` supports no descriptors (use ReadBytes);
`asyncvarlink` does.
"""

import json
import os
import pathlib
import socket
import struct
import tempfile


class VarlinkError(Exception):
    """An error reply."""

    def __init__(self, name, parameters):
        super().__init__(f"{name}: {parameters.get('message') or parameters}")
        self.name = name
        self.parameters = parameters


class TokenFile:
    """An app's tokens, in a file that its user alone can read.

    The token identifies the app. Without the file the next start introduces a new app, and a person
    is asked again.
    """

    def __init__(self, identifier):
        state = os.environ.get("XDG_STATE_HOME", "")
        # A relative path is invalid and ignored.
        state = pathlib.Path(state) if state.startswith("/") else pathlib.Path.home() / ".local/state"
        self.path = state / "photobroker" / f"{identifier}.token"

    def load(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def save(self, tokens):
        """Replaces the file atomically. At no moment can another user read it."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, new = tempfile.mkstemp(prefix=".token-", dir=self.path.parent)
        with open(descriptor, "w") as file:
            json.dump(tokens, file)
        os.replace(new, self.path)


class Connection:
    """One connection. Calls are answered in order; one that waits for a person blocks the others."""

    def __init__(self, path, timeout=None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        if timeout:
            # A send timeout, because a nonblocking connect fails at once if many others connect.
            self.socket.setsockopt(
                socket.SOL_SOCKET, socket.SO_SNDTIMEO, struct.pack("ll", int(timeout), int(timeout % 1 * 1_000_000))
            )
        try:
            self.socket.connect(path)
        except BlockingIOError:
            raise TimeoutError("too many others connect to the broker") from None
        self.socket.settimeout(timeout)
        self._received = b""
        self._descriptors = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        for descriptor in self._descriptors:
            os.close(descriptor)
        self._descriptors = []
        self.socket.close()

    def send(self, method, parameters, more=False, descriptors=()):
        message = {"method": method, "parameters": {k: v for k, v in parameters.items() if v is not None}}
        if more:
            message["more"] = True
        data = json.dumps(message).encode() + b"\0"
        sent = socket.send_fds(self.socket, [data], list(descriptors)) if descriptors else 0
        self.socket.sendall(data[sent:])

    def receive(self):
        """Reads one reply: its parameters, its descriptors, and whether more replies follow."""
        while b"\0" not in self._received:
            data, descriptors, _, _ = socket.recv_fds(self.socket, 1 << 16, 16, socket.MSG_CMSG_CLOEXEC)
            self._descriptors += descriptors
            if not data:
                raise ConnectionError("the broker closed the connection")
            self._received += data
        message, self._received = self._received.split(b"\0", 1)
        reply = json.loads(message)
        if "error" in reply:
            raise VarlinkError(reply["error"], reply.get("parameters") or {})
        descriptors, self._descriptors = self._descriptors, []
        return reply.get("parameters") or {}, descriptors, reply.get("continues", False)

    def call(self, method, descriptors=(), **parameters):
        """Calls a method and returns the parameters of its reply.

        A field that is null is left out: read it with `get`, as in `asset.get("creationDate")`.
        """
        self.send(method, parameters, descriptors=descriptors)
        reply, received, _ = self.receive()
        for descriptor in received:
            os.close(descriptor)
        return reply

    def authorize(self, manifest, level="readWrite", library=None):
        """Attaches the app's tokens, requests access, and returns the status.

        If nobody has decided yet, a person is asked, and the call waits for the answer. The tokens
        are kept in the app's `TokenFile`. If the broker refuses the app's own token, for instance
        after the app was removed, `TokenRefused` is raised; without the file the app is introduced
        as a new one. A user with several libraries must name one; the token of each named library
        is kept under its name.
        """
        kept = f"{level} in {library}" if library else level
        file = TokenFile(manifest.get("identifier") or manifest["CFBundleIdentifier"])
        tokens = file.load()
        if "app" in tokens:
            self.call("io.photobroker.Library.Attach", token=tokens["app"])
        # The manifest may have changed since the last introduction.
        tokens["app"] = self.call("io.photobroker.Library.Introduce", manifest=manifest)["token"]
        file.save(tokens)
        # The token of the last access names the library, if several are offered.
        if token := tokens.pop(kept, None):
            try:
                self.call("io.photobroker.Library.Attach", token=token)
            except VarlinkError as error:
                # The access has ended; the request below tells the current status.
                if not error.name.endswith(".TokenRefused"):
                    raise
        answer = self.call("io.photobroker.Library.RequestAuthorization", level=level, library=library)
        # The broker has already attached the new token.
        file.save({**tokens, kept: answer["token"]} if answer.get("token") else tokens)
        return answer["status"]

    def call_with_descriptors(self, method, descriptors=(), **parameters):
        """Calls a method and returns its reply and descriptors, which the caller must close."""
        self.send(method, parameters, descriptors=descriptors)
        reply, received, _ = self.receive()
        return reply, received

    def stream(self, method, **parameters):
        """Calls a method with `more` and yields each reply with its descriptors."""
        self.send(method, parameters, more=True)
        while True:
            reply, descriptors, continues = self.receive()
            yield reply, descriptors
            if not continues:
                return
