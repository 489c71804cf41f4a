"""Chooses the values of parametrised tests: all of them in scripts/soak, few in the gate."""

import os

WHOLE = bool(os.environ.get("PHOTOBROKER_SOAK"))


def choose_values(gate_values, all_values):
    """The values for a parametrised test."""
    return all_values if WHOLE else gate_values
