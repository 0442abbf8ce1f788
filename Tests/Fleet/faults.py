"""What tests do to gateways and stores: left out in a self-check, in which each test that needs it has to fail."""
import functools

MADE = {"enabled": True}


def fault(function):
    """What makes a fault, or another change that a test is about."""
    @functools.wraps(function)
    def perhaps(*values, **named):
        return function(*values, **named) if MADE["enabled"] else None
    return perhaps
