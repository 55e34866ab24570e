"""Rubbish of every kind, by hypothesis: the same few examples in each run of the tests, as many as you like by hand.

``REFEREE_FUZZ=5000 python3 run test tests/fuzz -n 2`` tries that many new ones in each test. Whatever it finds is
mended, and stays as an ``@example`` or a test of its own.
"""

import os

from hypothesis import HealthCheck, Phase, settings

LONG = int(os.environ.get("REFEREE_FUZZ", "0"))


def tries(short: int) -> settings:
    """Give the settings of a test that tries so many examples, always the same ones; many new ones in the long form."""
    return settings(
        max_examples=LONG or short,
        derandomize=not LONG,
        database=None,
        deadline=None,  # a busy machine is no fault
        phases=(Phase.explicit, Phase.generate),  # making a find smaller would take minutes; its blob does that later
        print_blob=True,
        suppress_health_check=list(HealthCheck),
    )
