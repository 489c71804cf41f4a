"""A Varlink client for PhotoBroker in the standard library alone: messages, errors, and descriptors beside them.

    with Connection("/run/photobroker/photobroker.sock") as library:
        library.authorize(manifest)
        page = library.call("io.photobroker.Library.FetchAssets", limit=10)

Any Varlink client works as well; PyPI's `varlink` takes no descriptors (use ReadBytes), `asyncvarlink` does.
"""

import json
import os
import pathlib
import socket
import struct
import tempfile


class VarlinkError(Exception):
    """What a call was answered with instead of its reply."""

    def __init__(self, name, parameters):
        super().__init__(f"{name}: {parameters.get('message') or parameters}")
        self.name = name
        self.parameters = parameters


class TokenFile:
    """What an app keeps between its starts, in a file that its user alone can read.

    Its token is the app: without it the next start is that of a new app, of which a person is asked anew.
    """

    def __init__(self, identifier):
        state = os.environ.get("XDG_STATE_HOME", "")
        # One that is not absolute is as good as none.
        state = pathlib.Path(state) if state.startswith("/") else pathlib.Path.home() / ".local/state"
        self.path = state / "photobroker" / f"{identifier}.token"

    def load(self):
        return json.loads(self.path.read_text()) if self.path.exists() else {}

    def save(self, tokens):
        """Nobody else may read it, not for a moment, and nothing leaves half of it."""
        self.path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        descriptor, new = tempfile.mkstemp(prefix=".token-", dir=self.path.parent)
        with open(descriptor, "w") as file:
            json.dump(tokens, file)
        os.replace(new, self.path)


class Connection:
    """One connection. Calls are answered in order; a call that waits for a person occupies it."""

    def __init__(self, path, timeout=None):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC)
        if timeout:
            # Where many others connect this one waits for its turn: a connect that may not block would fail at once.
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
        """One reply: its parameters, the descriptors that came with it, and whether more replies follow."""
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
        """Calls a method and gives the parameters of its reply."""
        self.send(method, parameters, descriptors=descriptors)
        reply, received, _ = self.receive()
        for descriptor in received:
            os.close(descriptor)
        return reply

    def authorize(self, manifest, level="readWrite", library=None):
        """Makes the connection the app's, asks for access where nobody has decided, which waits for a person, and gives the status.

        The tokens are kept in the app's `TokenFile`. Where its own is refused, as after its removal, the error says so; without the
        file it is introduced as a new app. A library has to be named where the app's user has several; the token of each that was
        named is kept by its name.
        """
        kept = f"{level} in {library}" if library else level
        file = TokenFile(manifest.get("identifier") or manifest["CFBundleIdentifier"])
        tokens = file.load()
        if "app" in tokens:
            self.call("io.photobroker.Library.Attach", token=tokens["app"])
        # What the manifest says may be another thing by now.
        tokens["app"] = self.call("io.photobroker.Library.Introduce", manifest=manifest)["token"]
        file.save(tokens)
        # The access from last time says which library is meant, where several are offered.
        if token := tokens.pop(kept, None):
            try:
                self.call("io.photobroker.Library.Attach", token=token)
            except VarlinkError as error:
                # It has ended; what there is instead is answered below.
                if not error.name.endswith(".TokenRefused"):
                    raise
        answer = self.call("io.photobroker.Library.RequestAuthorization", level=level, library=library)
        # The answer attached the token that it brings.
        file.save({**tokens, kept: answer["token"]} if answer.get("token") else tokens)
        return answer["status"]

    def call_with_descriptors(self, method, descriptors=(), **parameters):
        """Calls a method and gives its reply and the descriptors beside it, which are the caller's to close."""
        self.send(method, parameters, descriptors=descriptors)
        reply, received, _ = self.receive()
        return reply, received

    def stream(self, method, **parameters):
        """Calls a method with `more` and gives each reply with its descriptors, until the last one."""
        self.send(method, parameters, more=True)
        while True:
            reply, descriptors, continues = self.receive()
            yield reply, descriptors
            if not continues:
                return
