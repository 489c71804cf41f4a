"""Whether the whole cross of a test's values runs, as in scripts/soak, or the few that the gate has time for."""

import os

WHOLE = bool(os.environ.get("PHOTOBROKER_SOAK"))


def cross(gate_values, all_values):
    """The values that a test is parametrised with."""
    return all_values if WHOLE else gate_values
