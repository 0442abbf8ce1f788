"""What can go wrong in a way that a person has to read."""


class Failure(Exception):
    """Something did not work; the text says what, and what to do where that is known."""
