"""What is known to fail: titles of tests, each with what the gateway does instead. The list may only shrink, and end empty."""
KNOWN_FAILING = {}
