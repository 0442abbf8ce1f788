"""What is known to fail: titles of tests, each with what the gateway does instead. The list may only shrink, and end empty."""
KNOWN_FAILING = {
    "a store that speaks tls 1 1 at most is told by its version":
        "found says that the server does not accept what it was shown, or wants a client certificate",
    "a store that begins to ask for certificates is told with tls 1 3 too":
        "reason is broken, without a setting, and found says that a server may want TLS",
}
