"""The interface descriptions of the daemon as Python data, for tests of all that it serves."""

import re

TOKEN = re.compile(r"#([^\n]*)|\s+|(->|\[\]|\[string\]|[?(){},:]|[\w.]+)")
RANGE = re.compile(r"Range: (-?[\d,.]+) to (-?[\d,.]+)\.(?: |$)")


class Interface:
    """An interface. `methods` maps names to parameters, `replies` to the fields of replies, `errors`
    names to fields, and `types` maps names to fields or to a list of words. A type is a word, a struct (a dict), an enumeration (a list of words), or a tuple
    of "maybe", "array" or "map" and a type. `ranges` maps fields of parameters and types, by
    their full name, to the bounds in their comment."""

    def __init__(self, text):
        self.tokens, self.comments, comment = [], [], ""
        for found in TOKEN.finditer(text):
            comment += found.group(1) or ""
            if found.group(2):
                self.tokens.append(found.group(2))
                self.comments.append(comment)
                comment = ""
        self.position = 0
        self.methods, self.replies, self.errors, self.types, self.ranges = {}, {}, {}, {}, {}
        assert self.take() == "interface"
        self.name = self.take()
        while self.position < len(self.tokens):
            kind, name = self.take(), self.take()
            if kind == "method":
                self.methods[name] = self.struct(name)
                assert self.take() == "->"
                self.replies[name] = self.struct()
            elif kind == "type":
                self.types[name] = self.struct(name)
            else:
                assert kind == "error", kind
                bare = self.position == len(self.tokens) or self.tokens[self.position] != "("
                self.errors[name] = {} if bare else self.struct()

    @classmethod
    def of(cls, caller, name):
        return cls(caller.call("org.varlink.service.GetInterfaceDescription", interface=name)["description"])

    def take(self):
        self.position += 1
        return self.tokens[self.position - 1]

    def struct(self, owner=None):
        assert self.take() == "("
        fields, words = {}, []
        while self.tokens[self.position] != ")":
            said, name = RANGE.search(self.comments[self.position]), self.take()
            if said:
                self.ranges[owner, name] = [
                    float(bound.replace(",", "")) if "." in bound else int(bound.replace(",", ""))
                    for bound in said.groups()
                ]
            if self.tokens[self.position] == ":":
                self.take()
                fields[name] = self.type()
            else:
                words.append(name)
            if self.tokens[self.position] == ",":
                self.take()
        self.take()
        return words or fields

    def type(self):
        token = self.tokens[self.position]
        if token == "(":
            return self.struct()
        self.take()
        if token in ("?", "[]", "[string]"):
            return [{"?": "maybe", "[]": "array", "[string]": "map"}[token], self.type()]
        return token

    def plain(self):
        """Opens a file to be sent to another process."""
        return {"name": self.name, "methods": self.methods, "types": self.types}

    def breaks(self, later, served_by_plugins=False):
        """Name the parts of this interface that programs of its version miss in a later one."""
        sent, heard = (self.replies, self.methods) if served_by_plugins else (self.methods, self.replies)
        later_sent, later_heard = (
            (later.replies, later.methods) if served_by_plugins else (later.methods, later.replies)
        )
        sends = self.reached(sent.values())
        heard = {name: fields for name, fields in heard.items() if name in later_heard}
        found = changes(sent, later_sent, "{}, sent", True) + changes(heard, later_heard, "{}, heard")
        found += changes(self.errors, later.errors, "error {}")
        for name, fields in self.types.items():
            found += changes({name: fields}, later.types, "type {}", name in sends)
        for (owner, field), (least, most) in self.ranges.items():
            now = later.ranges.get((owner, field), (least, most))
            if now[0] > least or now[1] < most:
                found.append(f"{owner}.{field} has a narrower range")
        return found

    def reached(self, parts):
        """The names of the types that these types use."""
        found, todo = set(), list(parts)
        while todo:
            part = todo.pop()
            if isinstance(part, dict):
                todo += part.values()
            elif isinstance(part, list):
                todo += part
            elif part in self.types and part not in found:
                found.add(part)
                todo.append(self.types[part])
        return found


def changes(before, after, place, sent=False):
    """Name the breaking changes of structs and enumerations. New fields that programs send are optional."""
    found = []
    for name, fields in before.items():
        where, now = place.format(name), after.get(name)
        if now is None:
            found.append(f"{where}: removed")
        elif isinstance(fields, list):
            found += [f"{where}: {word} removed" for word in fields if word not in now]
        else:
            now = now if isinstance(now, dict) else {}
            found += [f"{where}: {field} removed" for field in fields if field not in now]
            for field, kind in now.items():
                if field in fields:
                    found += changed(fields[field], kind, f"{where}: {field}", sent)
                elif sent and kind[0] != "maybe":
                    found.append(f"{where}: {field} is new and required")
    return found


def changed(before, after, where, sent):
    """Name the changes of a type; words may join an enumeration, and fields a struct inside of it."""
    if isinstance(before, dict) and isinstance(after, dict):
        return changes({where: before}, {where: after}, "{}", sent)
    if isinstance(before, list) and before and before[0] not in ("maybe", "array", "map") and isinstance(after, list):
        return [f"{where}: {word} removed" for word in before if word not in after]
    if isinstance(before, list) and isinstance(after, list) and before[0] == after[0]:
        return changed(before[1], after[1], where, sent)
    return [] if before == after else [f"{where} has another type"]
