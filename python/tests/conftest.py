"""What all tests need."""

import signal

import pytest


@pytest.fixture(autouse=True)
def ctrl_c_is_heard():
    """Programs that are started in the background ignore Ctrl-C, and so would the tests."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
