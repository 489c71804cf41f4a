"""The daemon's own interface descriptions as Python data, so that what tests drive is what it serves."""
import re

TOKEN = re.compile(r"#[^\n]*|\s+|(->|\[\]|\[string\]|[?(){},:]|[\w.]+)")


class Interface:
    """`methods`: name to parameters; `types`: name to fields or to a list of words. A type is a word, a struct (a dict), a list
    of words (an enumeration), or one of ("maybe" | "array" | "map", type)."""

    def __init__(self, text):
        self.tokens = [m.group(1) for m in TOKEN.finditer(text) if m.group(1)]
        self.position = 0
        self.methods, self.types = {}, {}
        assert self.take() == "interface"
        self.name = self.take()
        while self.position < len(self.tokens):
            kind, name = self.take(), self.take()
            if kind == "method":
                self.methods[name] = self.struct()
                assert self.take() == "->"
                self.struct()
            elif kind == "type":
                self.types[name] = self.struct()
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

    def struct(self):
        assert self.take() == "("
        fields, words = {}, []
        while self.tokens[self.position] != ")":
            name = self.take()
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
        """For sending along to another process."""
        return {"name": self.name, "methods": self.methods, "types": self.types}
