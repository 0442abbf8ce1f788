extension RequirementTable {
    /// Rows of what servers publish, and of what the gateway does.
    static let metadata: [Requirement] = [
        Requirement(
            id: "MD-01", source: "RFC 8414 §2; FAPI 2.0 Security Profile §5.3.3.1",
            promise: """
                The gateway takes an issuer's address from the configuration alone: https, without query and \
                fragment.
                """),
        Requirement(
            id: "MD-02", source: "RFC 8414 §3.1, §5; OpenID Connect Discovery §4.1; MCP authorization",
            promise: """
                The gateway makes the address of an issuer's metadata as OpenID Connect or RFC 8414 defines \
                it, as configured.
                """),
        Requirement(
            id: "MD-03", source: "RFC 8414 §3.3; OpenID Connect Discovery §4.3",
            promise: "The gateway drops metadata whose issuer is not the configured one, byte for byte."),
        Requirement(
            id: "MD-04", source: "RFC 8414 §3.2",
            promise: """
                The gateway takes metadata only as a JSON object of bounded size with https endpoints. \
                Otherwise it keeps the previous one.
                """),
        Requirement(
            id: "MD-05", source: "RFC 8414 §6; RFC 9728 §7.10",
            promise: """
                The gateway refreshes metadata by itself, goes on with the old one for a while, and logs a \
                change of address.
                """),
        Requirement(
            id: "MD-06", source: "RFC 8414 §2; RFC 8725 §3.10; FAPI 2.0 Security Profile §5.4.2",
            promise: """
                The gateway takes an issuer's keys from its jwks_uri alone, by https, without redirects and of \
                bounded size.
                """),
        Requirement(
            id: "MD-07", source: "RFC 8414 §2; RFC 9126 §5; RFC 9207 §3; RFC 9449 §5.1; RFC 8705 §5",
            promise: """
                The gateway holds the configuration against what a server says it supports, and refuses what \
                does not fit.
                """),
        Requirement(
            id: "MD-08", source: "RFC 8725 §2.9, §3.10; RFC 9728 §7.7",
            promise: """
                The gateway fetches nothing from private addresses that are not permitted, and connects to the \
                address that it checked.
                """),
        Requirement(
            id: "MD-20", source: "RFC 9728 §3, §3.1, §3.2",
            promise: "The gateway publishes the metadata of each protected resource by GET, without authentication."),
        Requirement(
            id: "MD-21", source: "RFC 9728 §3.3",
            promise: "The gateway names in that metadata the resource that the address was made of."),
        Requirement(
            id: "MD-22", source: "RFC 9728 §3.3, §5.1",
            promise: """
                The gateway points its challenges to that metadata by the configured public address, which no \
                request can change.
                """),
        Requirement(
            id: "MD-23", source: "RFC 9728 §2; MCP authorization",
            promise: """
                The gateway makes that metadata of the route's own configuration, so that the two cannot \
                differ.
                """),
        Requirement(
            id: "MD-24", source: "RFC 9728 §7.10",
            promise: """
                The gateway lets scripts of every site read that metadata, without credentials, and lets \
                caches keep it.
                """),
        Requirement(
            id: "MD-25", source: "RFC 9728 §3",
            promise: "The gateway answers the addresses of that metadata itself, and does not forward them."),
        Requirement(
            id: "MD-30", source: "RFC 7517 §8.5; FAPI 2.0 Security Profile §5.4.2",
            promise: "The gateway publishes its public keys, and never a private or a symmetric one."),
        Requirement(
            id: "MD-31", source: "RFC 7638 §1",
            promise: "The gateway names each key by its thumbprint, and publishes the next one ahead."),
    ]

    /// Rows of logs, bounds, reloads and the end.
    static let operation: [Requirement] = [
        Requirement(
            id: "OPS-01", source: "RFC 6749 §10; RFC 9700 §4.3; RFC 7523 §6",
            promise: """
                The gateway logs no token, code, secret, proof or cookie at any level. It logs a short digest \
                in its place.
                """),
        Requirement(
            id: "OPS-02", source: "policy of this gateway",
            promise: "The gateway escapes and bounds what it logs, so that nobody can forge a line."),
        Requirement(
            id: "OPS-03", source: "policy of this gateway",
            promise: """
                The gateway logs of each request what was decided, which check failed and for whom, and counts \
                it. The client learns none of that.
                """),
        Requirement(
            id: "OPS-04", source: "policy of this gateway",
            promise: """
                The gateway never blocks its loops. A slow server or upstream delays only the requests that \
                need it.
                """),
        Requirement(
            id: "OPS-05", source: "policy of this gateway",
            promise: "The gateway bounds every cache, queue and share of one client, and answers 429 or 503 beyond."),
        Requirement(
            id: "OPS-06", source: "policy of this gateway",
            promise: "The gateway serves health and metrics on a listener of their own, which no route leads to."),
        Requirement(
            id: "OPS-07", source: "policy of this gateway",
            promise: "The gateway takes a new configuration as a whole, or goes on with the old one."),
        Requirement(
            id: "OPS-08", source: "policy of this gateway",
            promise: """
                The gateway stops accepting at its end, but at sockets that were handed over, finishes what is under \
                way within a bounded time, and sends its last revocations. Where it is told to wait first, it is not \
                ready and serves on meanwhile.
                """),
        Requirement(
            id: "OPS-09", source: "policy of this gateway",
            promise: """
                The gateway measures timeouts by a clock that is never set, and reports a step of the wall \
                clock.
                """),
        Requirement(
            id: "OPS-10", source: "RFC 6749 §10.10; FAPI 2.0 Security Profile §5.4.1",
            promise: "The gateway takes its randomness from the system alone."),
    ]

    /// Rows of what surrounds the gateway: whoever starts it, and the pages that people see.
    static let surroundings: [Requirement] = [
        Requirement(
            id: "ECO-17", source: "policy of this gateway",
            promise: "The gateway tells a navigation from a script by Sec-Fetch-* and Accept."),
        Requirement(
            id: "ECO-41", source: "sd_notify(3); sd_watchdog_enabled(3)",
            promise: """
                The gateway tells its service manager when it serves, reads its configuration again and stops. It \
                gives signs of life only while every loop turns.
                """),
        Requirement(
            id: "ECO-42", source: "sd_listen_fds(3)",
            promise: """
                The gateway listens at the sockets that its service manager hands over, by their names, and leaves \
                them to the process that comes next. While it finishes what was under way when it was told to end, it \
                serves who comes there. What does not fit ends the start with status 2.
                """),
        Requirement(
            id: "ECO-43", source: "policy of this gateway",
            promise: """
                The systemd unit of the gateway permits what the gateway needs and little more, and starts it again \
                however often it fails.
                """),
        Requirement(
            id: "ECO-44", source: "Debian Policy 4.6",
            promise: """
                The Debian package of the gateway installs, upgrades and purges by Debian's rules, and a purge \
                leaves nothing.
                """),
        Requirement(
            id: "ECO-65", source: "policy of this gateway, after the precedence of the Gateway API",
            promise: """
                A request is for the routes of the host that is named exactly, else of the wildcard that fits, else of those \
                without a host; in them the longest path wins, then methods, then a field. Where `*` stands for a whole segment, \
                literal segments come before it, from the left. A path that a route has is never another one's, and two \
                routes that could both be meant do not load.
                """),
        Requirement(
            id: "ECO-66", source: "policy of this gateway",
            promise: """
                Each host has its own public URL, login client, cookies, metadata and paths of the gateway. A session of one \
                host is nothing on another, unless its client names a domain.
                """),
        Requirement(
            id: "ECO-67", source: "RFC 9110 §7.4",
            promise: """
                The name of the TLS handshake, Host and listener agree: a host that another listener serves, with other rules \
                for certificates, is answered 421, and no wildcard takes it.
                """),
        Requirement(
            id: "ECO-68", source: "RFC 3986 §3.3; policy of this gateway",
            promise: """
                An upstream may know a route's paths without their prefix, or with another one. The gateway takes whole \
                segments of the raw path, after the decision, decodes nothing, and refuses a path whose rest could name a \
                server. Clients see their own paths in what comes back.
                """),
        Requirement(
            id: "ECO-69", source: "RFC 9110 §15.4; policy of this gateway",
            promise: """
                A route may answer itself, with a redirect or with fixed content. A redirect leads to the configured place \
                alone, with what follows the route's path and the query. The rules of other routes hold for these too.
                """),
        Requirement(
            id: "ECO-70", source: "policy of this gateway",
            promise: """
                A route may set and remove fields of requests and responses, but none that frames a message, is of one \
                hop, or says who calls. A field that is set to a claim is of the client's own token or session, or is not \
                there, whatever clients and upstreams send. security_headers adds what makes browsers strict, and never beside the \
                upstream's own word.
                """),
        Requirement(
            id: "ECO-71", source: "policy of this gateway",
            promise: """
                Requests go to the servers of an upstream by their weights, in turn or to the less busy of two that are \
                drawn. Those of one user stay at one server where that is said, and a server that goes moves nobody \
                but its own users.
                """),
        Requirement(
            id: "ECO-72", source: "policy of this gateway",
            promise: """
                A server that fails several requests in a row, or several checks, gets no more for a while. No more \
                than half of the servers are left out for what they do to requests. When none is well, all are used, \
                and the operator is told.
                """),
        Requirement(
            id: "ECO-73", source: "RFC 9110 §9.2.2; policy of this gateway",
            promise: """
                A request that one server has failed goes to another one where the operator says so: once, before its \
                client has seen anything, only one that may be repeated and of which all that was sent is held (64 KiB \
                of content, and 16 MiB of all of a worker's), framed as the first time, and within a budget.
                """),
        Requirement(
            id: "ECO-74", source: "policy of this gateway",
            promise: """
                Requests at an upstream, those of them that wait for a connection, and those at one server are bounded \
                where the operator says so; one more is answered 503 at once. A server that accepts connections and says \
                nothing has no more than its part of those that wait, said or not. An upstream that stalls delays no other \
                route. A server that comes back gets its share little by little where that is said.
                """),
        Requirement(
            id: "ECO-75", source: "RFC 8305 §4, §5; policy of this gateway",
            promise: """
                The names of upstreams are looked up again when their name server says so, within a second and five \
                minutes. New connections go to the new addresses at once; what is under way finishes. An address that \
                does not answer soon has another one tried beside it. Where nobody can say where a name leads, its \
                last addresses are used for upstream.stale and no longer.
                """),
        Requirement(
            id: "ECO-76", source: "PROXY protocol, versions 1 and 2 (2020); policy of this gateway",
            promise: """
                A listener may read a header of the PROXY protocol, of version 1 or 2, in front of each connection. Then \
                every connection has one, within three seconds, from a network that is named, or is closed without an \
                answer. Its client is whom the header names, everywhere, and nothing else in it identifies anybody.
                """),
        Requirement(
            id: "ECO-77", source: "PROXY protocol, version 2 (2020); policy of this gateway",
            promise: """
                A connection to an upstream may begin with a header of the PROXY protocol, version 2, that names the client. \
                Then it carries the requests of that client's connection alone and ends with it.
                """),
        Requirement(
            id: "ECO-78", source: "RFC 6585 §4; policy of this gateway",
            promise: """
                The gateway counts the requests of an address before it looks at their credentials, and those of a client, a \
                user, a claim or a route when they may go on. It lets through what limits.requests says, and answers more with \
                429 and Retry-After. Its memory for that never grows, and neither a new token nor a flood of other keys gives \
                anybody anything back.
                """),
        Requirement(
            id: "ECO-80", source: "policy of this gateway",
            promise: """
                Gateways with a store count requests together, about and in the long run, and no request waits for it. While \
                the store does not answer, each lets its part through, refuses nothing for want of an answer, and says so in a \
                metric.
                """),
        Requirement(
            id: "ECO-81", source: "policy of this gateway",
            promise: """
                Without any setting, one client can have authorization servers asked only so often about tokens that prove \
                bad, and for logins that it begins; other clients have as much. For keys that tokens name and nobody has, an \
                issuer is asked a few times in a while, whoever sends them, and once of these for one client: what a \
                stranger sends does not keep a new key of the issuer away from others. Signatures are verified for a client \
                only as long as little of it is in vain; what was verified before passes all the same. Nonces keep no state, so \
                none is counted.
                """),
        Requirement(
            id: "ECO-83", source: "policy of this gateway",
            promise: """
                What the gateway makes of another program's configuration loads, and lets nobody pass whom that \
                configuration kept out. It says of each setting that it does not carry where it stands and why.
                """),
        Requirement(
            id: "ECO-84", source: "policy of this gateway",
            promise: """
                The readers of other programs' configurations take bounded work for any bytes, and say with line and \
                column what they cannot read. No secret of such a file is printed.
                """),
        Requirement(
            id: "ECO-95", source: "policy of this gateway",
            promise: """
                Clients of a network that a route names need no login there: they pass without identity, and the access \
                log says so. The connection decides who they are, or a proxy that the listener names, and no page \
                elsewhere can use it.
                """),
        Requirement(
            id: "ECO-96", source: "policy of this gateway",
            promise: """
                A configuration includes files of hosts and routes, whose problems are told where they are, and whose \
                change is one of the configuration. Of the environment it takes the variables that it names, each as one scalar that no \
                message repeats.
                """),
        Requirement(
            id: "ECO-97", source: "policy of this gateway",
            promise: """
                Browsers sign in by plain HTTP at localhost alone, where the listener is on loopback and says so; the \
                gateway warns of it at every start, and the cookies stay as they are elsewhere.
                """),
        Requirement(
            id: "ECO-98", source: "policy of this gateway",
            promise: """
                Clients of several hosts with one id are one sign-in where they say silent_first: the server is asked to \
                show nothing first, and for its page where it knows nobody. A logout at one, or the server's word to one, \
                ends the sessions of the same session of the server at all of them, and no other.
                """),
        Requirement(
            id: "ECO-85", source: "policy of this gateway",
            promise: """
                The gateway answers a refused navigation with a page that says what its reader can do. \
                Everybody else gets the terse answer.
                """),
        Requirement(
            id: "ECO-86", source: "policy of this gateway",
            promise: """
                The gateway's pages hold no script and nothing of the request, and no other site can frame \
                them.
                """),
        Requirement(
            id: "ECO-87", source: "policy of this gateway",
            promise: "The gateway's pages have the operator's name, logo and colour, and speak the reader's language."),
        Requirement(
            id: "ECO-88", source: "policy of this gateway",
            promise: """
                The gateway's pages of an outage try again by themselves, later each time, and never repeat a \
                form.
                """),
    ]
}
