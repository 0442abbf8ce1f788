extension RequirementTable {
    /// Rows of HTTP/2 between the gateway and its upstreams, and of the calls of gRPC that it carries.
    static let upstreamStreams: [Requirement] = [
        Requirement(
            id: "H2-74", source: "RFC 9113 §3.2, §3.3",
            promise: """
                A route says what its upstream speaks. One that speaks another version of HTTP is answered 502, and nobody \
                guesses.
                """),
        Requirement(
            id: "H2-75", source: "RFC 9113 §3.3, §3.4",
            promise: """
                A request to an upstream over HTTP/2 has the fields of its head and none of HTTP/1.1's connection. \
                An upstream that does not begin with SETTINGS is given up, and no head is sent that is none.
                """),
        Requirement(
            id: "H2-76", source: "RFC 9113 §5.1.2",
            promise: """
                Requests of a worker share two connections to an upstream of HTTP/2 at most, and the second one is \
                opened when the first has no room. A request that finds none within `timeouts.upstream_connect` is \
                answered 503.
                """),
        Requirement(
            id: "H2-77", source: "RFC 9113 §5.1.2, §6.5.2",
            promise: """
                The gateway obeys the SETTINGS of an upstream, and opens at most 100 streams before they have \
                come. It opens none above the upstream's limit.
                """),
        Requirement(
            id: "H2-78", source: "RFC 9113 §8.7",
            promise: """
                A stream that an upstream said it has not looked at may be sent again. One that was answered, or \
                reset for another reason, may not.
                """),
        Requirement(
            id: "H2-79", source: "RFC 9113 §6.8",
            promise: """
                Behind an upstream's GOAWAY no stream is opened there, and those that it took end as they would \
                have.
                """),
        Requirement(
            id: "H2-80", source: "RFC 9113 §8.1",
            promise: """
                A reset without an error behind an upstream's whole answer lets the answer stand. A reset in the \
                middle of one is told, and is never taken for its end.
                """),
        Requirement(
            id: "H2-81", source: "RFC 9113 §8.3.2, §8.1.1",
            promise: """
                The head of an upstream's answer over HTTP/2 is checked and rebuilt like a request's. An answer \
                that is malformed, 101, or not as long as it said is reset.
                """),
        Requirement(
            id: "H2-82", source: "RFC 9113 §6.7",
            promise: """
                An upstream of HTTP/2 that says nothing for 20 seconds with requests open is asked by PING, and \
                given up when it has not answered 5 seconds later. One that answers is kept, and asked again after \
                five minutes, or twice sooner for requests that begin meanwhile; an idle one is not asked.
                """),
        Requirement(
            id: "H2-83", source: "policy of this gateway",
            promise: """
                A client may have every stream to an upstream as long as nobody else waits for one. Where others \
                wait, a client with more than half of them gets no more, and is answered 429 in the end.
                """),
        Requirement(
            id: "H2-84", source: "RFC 7541 §7.1",
            promise: """
                Of a request to an upstream only fields that say nothing of anybody are indexed, by a list of names. One \
                request's other values do not change the length of another's.
                """),
        Requirement(
            id: "H2-85", source: "gRPC over HTTP/2",
            promise: """
                Calls pass message by message in both directions, and each side ends by itself. A route with grpc needs an \
                upstream of HTTP/2, and passes the trailers of requests.
                """),
        Requirement(
            id: "H2-86", source: "gRPC over HTTP/2",
            promise: """
                A refusal to a gRPC client can be written as an answer of trailers alone, with the status and text \
                that say what the HTTP status does. Other content types are never answered so.
                """),
        Requirement(
            id: "H2-87", source: "gRPC-Web",
            promise: """
                Calls of gRPC-Web pass as they are, and a refusal of one is its status in fields that the page may read. A \
                page that the route does not name gets nothing of it.
                """),
        Requirement(
            id: "H2-88", source: "gRPC over HTTP/2",
            promise: """
                A grpc-timeout is one to eight digits and a unit, read exactly. Any other value is refused. On a route with grpc \
                the call ends with DEADLINE_EXCEEDED when it is over, whatever the call waits for.
                """),
        Requirement(
            id: "H2-89", source: "gRPC over HTTP/2",
            promise: """
                An upstream of HTTP/2 is told once that the trailers of a call are read, whatever its client says. One of \
                HTTP/1.1 is told nothing of it.
                """),
        Requirement(
            id: "H2-90", source: "configuration",
            promise: """
                A route may give scopes by method of gRPC. A path is compared byte for byte, and one of no name, or of another \
                spelling of one, is refused whatever the token grants.
                """),
        Requirement(
            id: "H2-91", source: "gRPC over HTTP/2 (metadata)",
            promise: """
                The server of a call is told who calls under the names of the route, bytes in base64. No client can say these names \
                in any spelling, and none of them is gRPC's own.
                """),
        Requirement(
            id: "H2-92", source: "gRPC health checking",
            promise: """
                Calls for health and reflection go where a route leads. Without a route the gateway does not answer them. \
                Servers of an upstream may be asked by gRPC whether they are well, and SERVING alone says so.
                """),
        Requirement(
            id: "H2-93", source: "configuration",
            promise: """
                A call ends with its token or session, with the status for that, and its upstream's end is cancelled. It outlives \
                its token where the route says so; other calls of the connection stay.
                """),
        Requirement(
            id: "H2-94", source: "gRPC status codes",
            promise: """
                A call that fails on the gateway's side ends with the status that says so. What an upstream answered passes \
                as it is.
                """),
        Requirement(
            id: "H2-95", source: "RFC 9110 §15.5.14",
            promise: """
                How a call codes its messages is its own business. Those that are more together than the route allows end it with \
                RESOURCE_EXHAUSTED.
                """),
        Requirement(
            id: "H2-96", source: "gRPC A6",
            promise: """
                A call is told in milliseconds when to try again, by its server or by the gateway. One that is tried again with \
                the same proof is refused, and told why.
                """),
    ]
}
