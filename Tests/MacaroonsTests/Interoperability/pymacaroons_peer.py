"""Answers requests with PyPI's pymacaroons: a JSON array in, a JSON array out."""

import json
import sys

from pymacaroons import MACAROON_V2, Macaroon, Verifier


def make(request):
    token = Macaroon(
        location=request["location"],
        identifier=bytes.fromhex(request["identifier"]),
        key=bytes.fromhex(request["key"]),
        version=MACAROON_V2,
    )
    for caveat in request["caveats"]:
        token.add_first_party_caveat(caveat)
    if request.get("thirdParty"):
        token.add_third_party_caveat("elsewhere", "their key", "their identifier")
    return {"token": token.serialize()}


def narrow(request):
    token = Macaroon.deserialize(request["token"])
    for caveat in request["caveats"]:
        token.add_first_party_caveat(caveat)
    return {"token": token.serialize()}


def verify(request):
    try:
        token = Macaroon.deserialize(request["token"])
        verifier = Verifier()
        verifier.satisfy_general(lambda caveat: True)
        verifier.verify(token, bytes.fromhex(request["key"]))
        return {"caveats": [caveat.caveat_id_bytes.hex() for caveat in token.caveats]}
    except Exception as error:
        return {"error": type(error).__name__}


OPERATIONS = {"make": make, "narrow": narrow, "verify": verify}
json.dump([OPERATIONS[r["operation"]](r) for r in json.load(sys.stdin)], sys.stdout)
