"""What is known to fail: titles of tests, each with what the gateway does instead. The list may only shrink, and end empty."""
KNOWN_FAILING = {
    "a right that a script lacks is named":
        "the server's words do not say which command of a script it refused, and store_refused adds nothing to them",
    "a right that the log of endings lacks is no reason to remove the log":
        "store_unsuitable says besides: remove this key",
    "a reload that leaves the sessions behind in another store says so":
        "nothing is said where store.url leads to another store: sessions_left_behind is about session.store alone",
    "a proof that one store knew passes nowhere else by another store":
        "a reload that leads to another store begins the watch of the epoch anew, so that the other word is no other one",
    "the right to ask a cluster for its map is named":
        "store_unsuitable says: a user that may not ask which servers there are",
    "the right to follow a slot that moves is named":
        "store_refused says MOVED and no setting: what the server answered to ASKING is not looked at",
    "tokens that are held are written before another gateway comes with the old ones":
        "they are written after blind pauses of up to 15 s, whenever the store is back, while the lease ends after 22",
}
