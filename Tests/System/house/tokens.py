"""Caveats that an app adds to its own token."""

from pymacaroons import Macaroon


def attenuated(token, *added):
    macaroon = Macaroon.deserialize(token)
    for caveat in added:
        macaroon.add_first_party_caveat(caveat)
    return macaroon.serialize()


def expiry(seconds):
    return f"before = {seconds}"
