extension RequirementTable {
    /// Rows of message grammar, framing and smuggling.
    static let messages: [Requirement] = [
        Requirement(
            id: "HTTP-01", source: "RFC 9112 §2.2",
            promise: """
                The gateway reads messages as bytes and never as Unicode text. It finds the lines first, and \
                reads fields afterwards.
                """),
        Requirement(
            id: "HTTP-02", source: "RFC 9112 §2.2, §7.1",
            promise: """
                The gateway takes CRLF alone for the end of a line. It refuses a bare LF in a start line, a \
                field, a chunk size or a trailer.
                """),
        Requirement(
            id: "HTTP-03", source: "RFC 9112 §2.2",
            promise: """
                The gateway refuses a message with a bare CR in its start line or fields. It never takes one \
                for white space.
                """),
        Requirement(
            id: "HTTP-04", source: "RFC 9110 §5.5",
            promise: "The gateway refuses a field value with CR, LF, NUL or any other control character but the tab."),
        Requirement(
            id: "HTTP-05", source: "RFC 9112 §2.2",
            promise: "The gateway refuses a message whose first line after the start line begins with white space."),
        Requirement(
            id: "HTTP-06", source: "RFC 9112 §2.2",
            promise: "The gateway ignores one empty line before a request line. It refuses more than one."),
        Requirement(
            id: "HTTP-07", source: "RFC 9112 §3, §3.2",
            promise: """
                The gateway takes a request line only as method, target and version with one space between \
                them. It repairs nothing.
                """),
        Requirement(
            id: "HTTP-08", source: "RFC 9112 §2.3; RFC 9110 §15.6.6",
            promise: """
                The gateway takes HTTP/1.0 and HTTP/1.x, spelt exactly so. It answers another major version \
                with 505.
                """),
        Requirement(
            id: "HTTP-09", source: "RFC 9112 §2.3",
            promise: "The gateway sends its own HTTP version to both sides, and never repeats the version of a peer."),
        Requirement(
            id: "HTTP-10", source: "RFC 9112 §5.1",
            promise: """
                The gateway refuses white space between a field's name and its colon, in requests and in \
                responses of upstreams.
                """),
        Requirement(
            id: "HTTP-11", source: "RFC 9110 §5.1, §5.6.2",
            promise: """
                The gateway takes only tokens for names of fields, and refuses an empty name or any other byte \
                in one.
                """),
        Requirement(
            id: "HTTP-12", source: "RFC 9700 §4.13",
            promise: """
                The gateway takes a name for a reserved one if the two differ in case only, or in underscores \
                or dots in place of hyphens.
                """),
        Requirement(
            id: "HTTP-13", source: "RFC 9112 §5.2",
            promise: """
                The gateway refuses a field that goes on in a second line: 400 for a request, 502 for a \
                response of an upstream.
                """),
        Requirement(
            id: "HTTP-14", source: "RFC 9112 §3.2",
            promise: """
                The gateway refuses an HTTP/1.1 request without Host, with more than one, or with one that is \
                not a host and a port.
                """),
        Requirement(
            id: "HTTP-15", source: "RFC 9112 §3.2.2",
            promise: """
                The gateway takes the absolute form of a target, and its authority in place of Host. It sends \
                the origin form and a Host of its own.
                """),
        Requirement(
            id: "HTTP-16", source: "RFC 9110 §7.1; RFC 9112 §3.2.3-4",
            promise: """
                The gateway takes the asterisk form with OPTIONS alone, and the authority form with CONNECT \
                alone.
                """),
        Requirement(
            id: "HTTP-17", source: "RFC 9110 §9.3.6",
            promise: "The gateway refuses CONNECT with 405, and never opens a tunnel for it."),
        Requirement(
            id: "HTTP-18", source: "RFC 9110 §9.3.8",
            promise: """
                The gateway refuses TRACE and TRACK, so that no cookie, token or identity field is sent back \
                to the client.
                """),
        Requirement(
            id: "HTTP-19", source: "RFC 9110 §9.1, §15.5.6",
            promise: """
                The gateway lets through only methods that a route permits, case for case. It strips fields \
                that would override the method.
                """),
        Requirement(
            id: "HTTP-20", source: "RFC 9110 §7.6.2",
            promise: """
                The gateway answers OPTIONS with Max-Forwards 0 itself, and counts a larger number down. It \
                never adds the field.
                """),
        Requirement(
            id: "HTTP-21", source: "RFC 9110 §7.4, §15.5.20",
            promise: """
                The gateway answers 421 to an authority that it does not know, and where the TLS server name \
                and Host disagree about the rules.
                """),
        Requirement(
            id: "HTTP-22", source: "RFC 9112 §6.3; RFC 9110 §8.6",
            promise: "The gateway takes a Content-Length of digits only, and only if the number does not overflow."),
        Requirement(
            id: "HTTP-23", source: "RFC 9110 §8.6; RFC 9112 §6.3",
            promise: "The gateway refuses a request with several Content-Length values, even if they are equal."),
        Requirement(
            id: "HTTP-24", source: "RFC 9112 §6.1, §6.3",
            promise: """
                The gateway refuses a request that has both Content-Length and Transfer-Encoding, and closes \
                the connection.
                """),
        Requirement(
            id: "HTTP-25", source: "RFC 9112 §6.1, §6.3",
            promise: """
                The gateway refuses a request whose last transfer coding is not chunked, and answers 501 to \
                another coding before it.
                """),
        Requirement(
            id: "HTTP-26", source: "RFC 9112 §6.1, §7.1",
            promise: """
                The gateway takes the one word chunked, in any case, for Transfer-Encoding. It refuses lists, \
                parameters and second lines.
                """),
        Requirement(
            id: "HTTP-27", source: "RFC 9112 §6.1",
            promise: "The gateway refuses Transfer-Encoding in an HTTP/1.0 message."),
        Requirement(
            id: "HTTP-28", source: "RFC 9112 §7.1",
            promise: """
                The gateway takes a chunk size of hexadecimal digits only. It refuses a sign, a prefix, white \
                space and an overflow.
                """),
        Requirement(
            id: "HTTP-29", source: "RFC 9112 §7.1.1",
            promise: "The gateway reads chunk extensions by their grammar, bounds their length, and forwards none."),
        Requirement(
            id: "HTTP-30", source: "RFC 9112 §7.1",
            promise: """
                The gateway wants CRLF right after the data of a chunk. A body ends with the last chunk and \
                its final CRLF alone.
                """),
        Requirement(
            id: "HTTP-31", source: "RFC 9112 §6.3, §8",
            promise: """
                The gateway breaks off the request to the upstream if the client's body ends early, so that \
                nobody takes it for complete.
                """),
        Requirement(
            id: "HTTP-32", source: "RFC 9112 §6.1, §6.2",
            promise: """
                The gateway writes the framing of what it sends itself: either a length or chunks, never both, \
                and no chunks to HTTP/1.0.
                """),
        Requirement(
            id: "HTTP-33", source: "RFC 9110 §6.5.1; RFC 9112 §7.1.2",
            promise: "The gateway drops the trailers of a request, and never merges them into its fields."),
        Requirement(
            id: "HTTP-34", source: "RFC 9112 §6",
            promise: "The gateway frames and reads a body by the same rules for every method, GET and HEAD included."),
        Requirement(
            id: "HTTP-35", source: "RFC 9112 §9.3",
            promise: """
                The gateway reads a bounded rest of a body that it answered early, or closes. It never reads \
                that rest as a request.
                """),
        Requirement(
            id: "HTTP-36", source: "RFC 9112 §9.3.2",
            promise: "The gateway answers pipelined requests in order, and judges the credentials of each by itself."),
        Requirement(
            id: "HTTP-37", source: "RFC 9112 §9.3, §9.6",
            promise: "The gateway obeys Connection: close of either side, and keeps no HTTP/1.0 connection."),
        Requirement(
            id: "HTTP-38", source: "RFC 9112 §6.3, §6.1; RFC 9110 §8.6",
            promise: """
                The gateway sends no body with a response to HEAD, 1xx, 204 or 304, and no framing fields with \
                1xx and 204.
                """),
        Requirement(
            id: "HTTP-39", source: "RFC 9112 §6.3",
            promise: """
                The gateway answers 502 if the framing of an upstream's response is invalid or contradicts \
                itself, and closes that connection.
                """),
        Requirement(
            id: "HTTP-40", source: "RFC 9112 §6.3",
            promise: """
                The gateway closes a connection on which an upstream sends more than its response. No byte of \
                that reaches another client.
                """),
        Requirement(
            id: "HTTP-41", source: "RFC 9112 §8",
            promise: """
                The gateway lets the client see that an upstream's response was cut short. It never completes \
                such a response itself.
                """),
    ]
}
