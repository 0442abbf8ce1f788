extension RequirementTable {
    /// Threats that code and tests name.
    static let threats: [Requirement] = [
        Requirement(
            id: "T-05", source: "threat model of this gateway",
            promise: """
                An attacker hides slashes in an encoded path, so that gateway and upstream see different \
                paths. The gateway refuses it.
                """),
        Requirement(
            id: "T-06", source: "threat model of this gateway",
            promise: """
                An attacker climbs out of a public path by dot segments, plain or encoded. The gateway refuses \
                them.
                """),
        Requirement(
            id: "T-07", source: "threat model of this gateway",
            promise: "An attacker encodes a path twice, for an upstream that decodes twice. The gateway refuses it."),
        Requirement(
            id: "T-08", source: "threat model of this gateway",
            promise: """
                An attacker hides a path behind parameters of a segment. The gateway refuses them unless a \
                route permits them.
                """),
        Requirement(
            id: "T-09", source: "threat model of this gateway",
            promise: """
                An attacker spells a protected path with other case or more slashes. The gateway judges every \
                reading of it.
                """),
        Requirement(
            id: "T-11", source: "threat model of this gateway",
            promise: "An upstream uses a user's token or our cookie elsewhere. The gateway strips both by default."),
        Requirement(
            id: "T-18", source: "threat model of this gateway",
            promise: """
                An attacker names an issuer so that the gateway connects to an address. The gateway asks \
                configured issuers alone.
                """),
        Requirement(
            id: "T-29", source: "threat model of this gateway",
            promise: """
                A clock is set while the gateway runs. The gateway measures timeouts without it, bounds its \
                leeway and reports the step.
                """),
        Requirement(
            id: "T-32", source: "threat model of this gateway",
            promise: """
                An attacker's code reaches the victim's browser, or a stolen one the attacker's. The gateway \
                binds a login to its browser.
                """),
        Requirement(
            id: "T-33", source: "threat model of this gateway",
            promise: """
                An attacker takes PKCE out of a login's request. The gateway signs or pushes requests, and \
                takes no server without S256.
                """),
        Requirement(
            id: "T-34", source: "threat model of this gateway",
            promise: "An attacker gives the victim a session beforehand. The gateway makes a new one at each login."),
        Requirement(
            id: "T-35", source: "threat model of this gateway",
            promise: """
                An attacker has the gateway redirect to another site. The gateway leads only to paths of its \
                own.
                """),
        Requirement(
            id: "T-36", source: "threat model of this gateway",
            promise: """
                A sibling domain sets a cookie of our name. The gateway uses names that browsers protect, and \
                takes two for none.
                """),
        Requirement(
            id: "T-37", source: "threat model of this gateway",
            promise: """
                A sibling domain sets so many cookies that every request is too large. The gateway keeps its \
                own few and small.
                """),
        Requirement(
            id: "T-39", source: "threat model of this gateway",
            promise: "A shared cache keeps a page of one user for others. The gateway marks such pages private."),
        Requirement(
            id: "T-42", source: "threat model of this gateway",
            promise: """
                An attacker is slow, or opens many connections. The gateway bounds time, pace and each \
                client's share.
                """),
        Requirement(
            id: "T-43", source: "threat model of this gateway",
            promise: """
                A slow server or costly work stops an event loop. The gateway asks without waiting, and bounds \
                what it verifies.
                """),
        Requirement(
            id: "T-44", source: "threat model of this gateway",
            promise: """
                A page of another site opens a WebSocket with the user's cookie. The gateway wants an allowed \
                Origin.
                """),
        Requirement(
            id: "T-46", source: "threat model of this gateway",
            promise: """
                A page of another site reads what a user's session gets. The gateway lists origins and \
                compares them byte for byte.
                """),
        Requirement(
            id: "T-47", source: "threat model of this gateway",
            promise: """
                A page of another site sends a request with the user's cookie. The gateway wants a sign that \
                it comes from our own.
                """),
        Requirement(
            id: "T-50", source: "threat model of this gateway",
            promise: """
                Parallel refreshes make a server take its user for a thief. The gateway refreshes a session \
                once for all of them.
                """),
        Requirement(
            id: "T-51", source: "threat model of this gateway",
            promise: "A refresh ends after a logout and brings the session back. The gateway lets the logout win."),
        Requirement(
            id: "T-52", source: "threat model of this gateway",
            promise: """
                An attacker measures how long a comparison takes. The gateway compares secrets in constant \
                time.
                """),
        Requirement(
            id: "T-62", source: "threat model of this gateway",
            promise: "A store or a server is away, and checks are left out. The gateway answers 503."),
        Requirement(
            id: "T-69", source: "threat model of this gateway",
            promise: "A page of the gateway's is put into a frame under the user's hand. The gateway forbids frames."),
    ]
}
