"""Strict JSON, tested from outside: valid JSON is answered, anything else ends the connection.

A broken message has no effect. The cases are our own, in the manner of the known suites.
"""

import random
import socket
import json
import pytest

from house.soak import WHOLE

WRAP = b'{"method":"io.photobroker.Library.GetLimits","parameters":{"x":%s}}'
GOOD = [
    b"null",
    b"true",
    b"false",
    b"0",
    b"-0",
    b"1",
    b"-1",
    b"0.5",
    b"1e5",
    b"1E+5",
    b"1e-5",
    b"123456789012345678901234567890",
    b'""',
    b'" "',
    b'"\\u0041"',
    b'"\\u00e9"',
    b'"\xc3\xa9"',
    b'"\xf0\x9f\x98\x80"',
    b'"\\ud83d\\ude00"',
    b'"\\"\\\\\\/\\b\\f\\n\\r\\t"',
    b'"\xe2\x80\xa8"',
    b'"\\u0000"',
    b'"\xef\xbf\xbf"',
    b'"\x7f"',
    b"[]",
    b"[1,2]",
    b"[ 1 , 2 ]",
    b"[[],[]]",
    b"{}",
    b'{"a":1,"b":2}',
    b'{"":0}',
    b'{ "a" : { "b" : [ ] } }',
    b"[\n\t\r 1]",
    b'"\xf4\x8f\xbf\xbf"',
    b"[" * 28 + b"]" * 28,
    b"1.0e10",
    b'["a","a"]',
    b'{"a":{"a":1}}',
    b"-0.0",
    b"0e0",
    b"1" * 300,
]
BAD = [
    b"",
    b"nul",
    b"True",
    b"NaN",
    b"-NaN",
    b"Infinity",
    b"-Infinity",
    b"undefined",
    b"+1",
    b"01",
    b"-01",
    b"00",
    b"1.",
    b".5",
    b"1.e5",
    b"1e",
    b"1e+",
    b"0x10",
    b"1_000",
    b"--1",
    b"1-1",
    b"- 1",
    b"1 2",
    b"'a'",
    b'"',
    b'"a',
    b'"\\x41"',
    b'"\\u12"',
    b'"\\u12g4"',
    b'"\\U0041"',
    b'"\\ud800"',
    b'"\\udc00"',
    b'"\\ud800\\ud800"',
    b'"\\ud800x"',
    b'"\\udc00\\ud800"',
    b'"\n"',
    b'"\t"',
    b'"\x01"',
    b'"\x1f"',
    b'"\xff"',
    b'"\xc0\x80"',
    b'"\xe0\x80\x80"',
    b'"\xed\xa0\x80"',
    b'"\xf4\x90\x80\x80"',
    b'"\xc3"',
    b'"\xf0\x9f\x98"',
    b'"\x80"',
    b'"\xf8\x88\x80\x80\x80"',
    b"[",
    b"]",
    b"[1",
    b"[1,]",
    b"[,1]",
    b"[1,,2]",
    b"[1 2]",
    b"[1;2]",
    b"[1:2]",
    b'["a":1]',
    b"{",
    b"{]",
    b"[}",
    b'{"a"}',
    b'{"a":}',
    b'{"a",1}',
    b"{a:1}",
    b"{1:1}",
    b"{'a':1}",
    b'{"a":1,}',
    b'{,"a":1}',
    b'{"a":1 "b":2}',
    b'{"a":1,"a":1}',
    b'{"a":1,"\\u0061":2}',
    b'{"":1,"":1}',
    b'{"a":1,,"b":2}',
    b'{"a"::1}',
    b"{null:1}",
    b"/**/1",
    b"1//",
    b"#1",
    b"1}",
    b"1]",
    b"\xef\xbb\xbf1",
    b"\xa01",
    b"\x0c1",
    b"\x0b1",
    b"\xe2\x80\x831",
    b"*",
    b"(1)",
    b"<a/>",
    b"\\n",
    b"[" * 40 + b"]" * 40,
    b'{"a":' * 40 + b"1" + b"}" * 40,
    b"[" * 500,
    b'[{"":' * 300,
    b"9" * 1_200,
    b"tru\xc3\xa9",
    b"nulll",
    b"f",
    b'"a"b',
]
FAR_OUT = [b"1e400", b"-1e400", b"1e-400", b"0.1e99999", b"1" * 400]


def ask(agent, messages):
    """Send each message on its own connection, with a valid call behind it; return each outcome."""
    found = []
    for message in messages:
        client = socket.socket(socket.AF_UNIX)
        client.settimeout(10)
        client.connect(agent.path)
        client.sendall(bytes.fromhex(message) + b'\0{"method":"io.photobroker.Library.GetLimits"}\0')
        data = b""
        try:
            while data.count(b"\0") < 2 and (piece := client.recv(1 << 16)):
                data += piece
        except ConnectionError:
            pass
        client.close()
        replies = [json.loads(m) for m in data.split(b"\0") if m]
        if not replies:
            found.append("closed")
        elif len(replies) == 1 and "error" in replies[0]:
            # An error explains the end, and the valid call behind it is not answered.
            found.append("closed")
        elif (
            len(replies) == 2
            and replies[0].get("error", "").endswith("InvalidParameter")
            and "limits" in replies[1].get("parameters", {})
        ):
            found.append("answered")
        else:
            found.append(str(replies)[:200])
    return found


def outcomes(person, values):
    values = list(values)
    return dict(zip(values, person.run(ask, messages=[(WRAP % v).hex() for v in values])))


def test_valid_JSON_is_answered_and_invalid_JSON_ends_the_connection(broker):
    person = broker.stranger()
    assert {v: end for v, end in outcomes(person, GOOD).items() if end != "answered"} == {}
    assert {v: end for v, end in outcomes(person, BAD).items() if end != "closed"} == {}
    assert set(outcomes(person, FAR_OUT).values()) <= {"answered", "closed"}, (
        "a number out of range is refused or passed over"
    )


@pytest.mark.parametrize("seed", range(10 if WHOLE else 1))
def test_the_JSON_reader_agrees_with_another_strict_reader_on_mutants(broker, seed):
    """Python's reader without duplicates, lone surrogates, NaN, deep nesting or bad UTF-8."""
    rng = random.Random(seed)
    pieces = [
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b'"',
        b"\\",
        b"\\u",
        b"d83d",
        b"e",
        b"E",
        b".",
        b"-",
        b"+",
        b"0",
        b"1",
        b"null",
        b" ",
        b"\n",
        b"\t",
        b"\xc3\xa9",
        b"\xc3",
        b"\xed\xa0\x80",
        b'"a":1',
        b"\x00x",
        b"\x1f",
        b"a",
    ]

    def mutant():
        value = bytearray(rng.choice([v for v in GOOD if len(v) < 40]))
        for _ in range(rng.randrange(1, 4)):
            at = rng.randrange(len(value) + 1)
            if rng.random() < 0.4 and value:
                del value[min(at, len(value) - 1)]
            else:
                value[at:at] = rng.choice(pieces)
        return bytes(value).replace(b"\0", b"\x01")

    def is_strict(text):
        def pairs(found):
            if len({k for k, _ in found}) < len(found):
                raise ValueError("twice")
            return dict(found)

        def refuse(word):
            raise ValueError(word)

        try:
            value = json.loads(text.decode("utf-8", "strict"), object_pairs_hook=pairs, parse_constant=refuse)
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except (ValueError, RecursionError):
            return None
        return value

    values = {mutant() for _ in range(500)}
    person, wrong = broker.stranger(), {}
    for value, end in outcomes(person, values).items():
        whole = is_strict(WRAP % value)
        if whole is not None and "Infinity" in json.dumps(whole):
            continue
        # A mutant may change the call's own fields, which this test ignores.
        if whole is not None and (set(whole) != {"method", "parameters"} or set(whole["parameters"] or {}) != {"x"}):
            continue
        if end != ("closed" if whole is None else "answered"):
            wrong[value] = end
    assert wrong == {}
