"""A desktop without a screen: a real dbus-daemon for a person's session, a notification service on
it, and a browser that records the links it should open."""

import os
import subprocess
import threading

from jeepney import DBusAddress, HeaderFields, MessageType, message_bus, new_error, new_method_return, new_signal
from jeepney.io.blocking import open_dbus_connection

from .person import as_user, wait_for

NAME = "org.freedesktop.Notifications"


class Desktop:
    def __init__(self, house, uid):
        self.house, self.uid = house, uid
        self.runtime = house.make_folder(f"session-{house.fresh_uid()}", uid)
        self.programs = house.make_folder(f"browser-{house.fresh_uid()}", uid, mode=0o755)
        self.opened = self.runtime / "opened"
        browser = self.programs / "xdg-open"
        browser.write_text(f'#!/bin/sh\nprintf "%s\\n" "$*" >> {self.opened}\n')
        browser.chmod(0o755)
        self.path = self.runtime / "bus"
        # A bus serves accounts only, so this one has root's and the person's.
        names = {}
        for kind, lines in (
            ("passwd", f"root:x:0:0::/:/bin/sh\nowner:x:{uid}:{uid}::/:/bin/sh\n"),
            ("group", f"root:x:0:\nowner:x:{uid}:\n"),
        ):
            (self.programs / kind).write_text(lines)
            names[f"NSS_WRAPPER_{kind.upper()}"] = str(self.programs / kind)
        self.daemon = subprocess.Popen(
            as_user(
                uid,
                [
                    "dbus-daemon",
                    "--session",
                    "--nofork",
                    "--nopidfile",
                    "--nosyslog",
                    f"--address=unix:path={self.path}",
                ],
            ),
            cwd="/",
            env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LD_PRELOAD": "libnss_wrapper.so", **names},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        wait_for(self.path.exists, "the session bus")
        self.notices, self.shown, self.number, self.is_broken, self.refused = [], {}, 0, False, 0
        # The bus accepts only the person, not even root.
        os.seteuid(uid)
        try:
            self.bus = wait_for(self.connect, "the session bus to let somebody in")
        finally:
            os.seteuid(0)
        self.bus.send_and_get_reply(message_bus.RequestName(NAME))
        threading.Thread(target=self.serve, daemon=True).start()

    def connect(self):
        """Connects, or returns None: the socket exists a moment before anybody listens."""
        try:
            return open_dbus_connection(f"unix:path={self.path}")
        except ConnectionRefusedError:
            return None

    @property
    def environment(self):
        return {
            "PATH": f"{self.programs}:/usr/bin:/bin",
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.path}",
            "XDG_RUNTIME_DIR": str(self.runtime),
            "DISPLAY": ":9",
            "LANG": "en_GB.UTF-8",
        }

    def serve(self):
        try:
            while True:
                message = self.bus.receive()
                if message.header.message_type is MessageType.method_call:
                    self.answer(message)
        except (OSError, EOFError, ConnectionError):
            pass

    def answer(self, message):
        member = message.header.fields[HeaderFields.member]
        if self.is_broken:
            self.refused += 1
            return self.bus.send(new_error(message, "org.example.Broken"))
        if member == "Notify":
            app, replaces, icon, title, text, actions, hints, timeout = message.body
            self.number += 1
            notice = {"app": app, "title": title, "text": text, "actions": actions, "timeout": timeout}
            # A test that sees a notification may press it at once, which no service reports before its reply.
            self.bus.send(new_method_return(message, "u", (self.number,)))
            self.shown[self.number] = notice
            self.notices.append(notice)
            return None
        if member == "CloseNotification":
            self.shown.pop(message.body[0], None)
            return self.bus.send(new_method_return(message))

    def press(self, number, action="default", bus=None):
        """Report a press, from the notification service or by another connection."""
        here = DBusAddress("/org/freedesktop/Notifications", interface=NAME)
        (bus or self.bus).send(new_signal(here, "ActionInvoked", "us", (number, action)))

    def stranger(self):
        """Another program of the person's on the bus."""
        os.seteuid(self.uid)
        try:
            return self.connect()
        finally:
            os.seteuid(0)

    def wait_for_notice(self, title):
        return wait_for(
            lambda: [n for n, notice in list(self.shown.items()) if notice["title"] == title],
            f"the notification {title}",
        )[0]

    def opened_pages(self):
        return self.opened.read_text().splitlines() if self.opened.exists() else []

    def end(self):
        self.daemon.kill()
        self.daemon.wait()
        self.bus.close()


class Teller:
    """`photobroker notify` in that session."""

    def __init__(self, broker, desktop, *options, **environment):
        command = [broker.programs / "photobroker", "--socket", broker.admin_socket, "notify", *options]
        self.process = subprocess.Popen(
            as_user(desktop.uid, command),
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={key: value for key, value in {**desktop.environment, **environment}.items() if value is not None},
        )

    def end(self):
        """Ends it, and returns its output."""
        if self.process.poll() is None:
            self.process.kill()
        return self.process.communicate(timeout=10)
