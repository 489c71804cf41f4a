"""The interface descriptions of the daemon as Python data, for tests of all that it serves."""

import re

TOKEN = re.compile(r"#([^\n]*)|\s+|(->|\[\]|\[string\]|[?(){},:]|[\w.]+)")
RANGE = re.compile(r"Range: (-?[\d,.]+) to (-?[\d,.]+)\.(?: |$)")


class Interface:
    """An interface. `methods` maps names to parameters, `types` maps names to fields or to a list
    of words. A type is a word, a struct (a dict), an enumeration (a list of words), or a tuple
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
        self.methods, self.types, self.ranges = {}, {}, {}
        assert self.take() == "interface"
        self.name = self.take()
        while self.position < len(self.tokens):
            kind, name = self.take(), self.take()
            if kind == "method":
                self.methods[name] = self.struct(name)
                assert self.take() == "->"
                self.struct()
            elif kind == "type":
                self.types[name] = self.struct(name)
            else:
                assert kind == "error", kind
                if self.position < len(self.tokens) and self.tokens[self.position] == "(":
                    self.struct()

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
