extension RequirementTable {
    /// Rows of HTTP/2 between clients and the gateway.
    static let clientStreams: [Requirement] = [
        Requirement(
            id: "H2-01", source: "RFC 9113 §3.2; RFC 7301 §3.2",
            promise: """
                Over TLS a client that offers h2 by ALPN gets HTTP/2, whatever else it offers, and one without \
                ALPN gets HTTP/1.1. One that offers neither gets an alert, and what was not agreed on is not \
                spoken.
                """),
        Requirement(
            id: "H2-02", source: "RFC 9113 §9.2, §9.2.1",
            promise: """
                HTTP/2 is spoken by TLS 1.2 and above, by 1.2 with authenticated encryption and ephemeral keys \
                alone. A client that offers only other suites gets no connection.
                """),
        Requirement(
            id: "H2-03", source: "RFC 9113 §3.3, §3.4",
            promise: """
                What the bytes of an HTTP/2 connection mean does not depend on how they were cut. A connection \
                that does not begin with the preface is not served.
                """),
        Requirement(
            id: "H2-04", source: "RFC 9113 §3.1, §11",
            promise: """
                A connection of HTTP/1.1 never goes over to HTTP/2. A request that asks for it goes on as it is, \
                without Upgrade and HTTP2-Settings.
                """),
        Requirement(
            id: "H2-05", source: "RFC 9113 §3.4",
            promise: """
                The gateway's first frame on an HTTP/2 connection is SETTINGS. It serves no client whose first \
                frame behind the preface is another one. A client that does not acknowledge the gateway's within ten \
                seconds gets GOAWAY with SETTINGS_TIMEOUT, and its connection is closed.
                """),
        Requirement(
            id: "H2-06", source: "RFC 9113 §6.5.2; RFC 8441 §3; RFC 9218 §2.1",
            promise: """
                The gateway announces its limits, and that it ignores the priorities of RFC 7540, and never push. It \
                announces extended CONNECT only where a route of the listener has WebSockets, and never takes that \
                back on a connection.
                """),
        Requirement(
            id: "H2-07", source: "RFC 9113 §5.1.2, §10.5",
            promise: """
                The limits of an HTTP/2 connection hold from its first byte. Streams over the limit are refused, \
                and end the connection once the client has acknowledged the limit.
                """),
        Requirement(
            id: "H2-08", source: "RFC 9113 §6.5.2, §6.9.2",
            promise: """
                The gateway checks the values of a client's SETTINGS, and applies a changed window to streams that \
                are open. It ignores settings that it does not know.
                """),
        Requirement(
            id: "H2-09", source: "policy of this gateway",
            promise: """
                A connection whose client asks for nothing is over with `timeouts.request_head`, whatever of its \
                preface has come. One without a stream makes room for clients that have something to ask.
                """),
        Requirement(
            id: "H2-10", source: "RFC 9113 §5.4.2, §8.1",
            promise: """
                Each stream is an exchange of its own. A malformed or refused one leaves the others and the \
                connection alone.
                """),
        Requirement(
            id: "H2-11", source: "RFC 9113 §5.1, §5.1.1",
            promise: """
                The numbers of streams are odd and rise, or the connection is over. Late frames of a stream that \
                has ended are no error.
                """),
        Requirement(
            id: "H2-12", source: "RFC 9113 §8.1, §8.1.1",
            promise: """
                A request over HTTP/2 is a head, a body, and at most one section of trailers that ends the stream. \
                Anything else is reset before it was whole.
                """),
        Requirement(
            id: "H2-13", source: "RFC 9113 §8.1.1",
            promise: """
                A Content-Length over HTTP/2 equals the bytes of the body. A request or an answer whose body is \
                shorter or longer is reset before it was whole.
                """),
        Requirement(
            id: "H2-14", source: "RFC 9113 §4.1, §4.2, §5.5, §6.1",
            promise: """
                Padding is taken off and given back to the windows, and frames of unknown types are ignored. A \
                frame of a wrong size ends the connection.
                """),
        Requirement(
            id: "H2-15", source: "RFC 9113 §4.3; RFC 7541",
            promise: """
                A header section may come in pieces and byte by byte. One that another frame interrupts, or that \
                cannot be decoded, ends the connection.
                """),
        Requirement(
            id: "H2-16", source: "RFC 9113 §5.4.2, §8.7",
            promise: """
                A client that resets a stream is told of at once. What it had sent there and nobody took is given \
                back to the connection's window.
                """),
        Requirement(
            id: "H2-17", source: "RFC 9113 §8.1",
            promise: """
                After a whole answer to a request that is not whole, the gateway resets the stream without an \
                error. What still comes for it does not shrink the connection's window.
                """),
        Requirement(
            id: "H2-18", source: "RFC 9113 §8.1, §8.6",
            promise: """
                Interim answers go before the last one over HTTP/2, and none of them ends the stream. The gateway \
                never sends 101 there.
                """),
        Requirement(
            id: "H2-19", source: "RFC 9113 §6.6, §8.4",
            promise: """
                The gateway tells upstreams that it takes no push, and makes none. A promise ends the connection, \
                whoever makes it.
                """),
        Requirement(
            id: "H2-20", source: "RFC 9113 §8.3, §8.3.1",
            promise: """
                A request over HTTP/2 has each of its pseudo fields once, before all fields, and no others. It is \
                refused with one that is missing, empty, doubled, late or unknown.
                """),
        Requirement(
            id: "H2-21", source: "RFC 9113 §8.2.1",
            promise: """
                A request over HTTP/2 is refused with a malformed name or value. A malformed field is never left \
                out so that the rest can pass.
                """),
        Requirement(
            id: "H2-22", source: "RFC 9113 §8.2.2",
            promise: """
                A request over HTTP/2 may say TE with trailers alone, once. It is refused with any field that \
                speaks of one connection of HTTP/1.1.
                """),
        Requirement(
            id: "H2-23", source: "RFC 9113 §8.1.1, §10.3",
            promise: """
                The head of a request over HTTP/2 is rebuilt with the Content-Length that was sent, if any, and \
                with no Transfer-Encoding. Lengths with two readings are refused.
                """),
        Requirement(
            id: "H2-24", source: "RFC 9113 §10.3",
            promise: """
                The method of a request over HTTP/2 is a token, taken as it is. What is none, or is PRI, is \
                refused.
                """),
        Requirement(
            id: "H2-25", source: "RFC 9113 §8.3.1, §10.3",
            promise: """
                The path of a request over HTTP/2 is used byte for byte. It begins with a slash, or is an asterisk \
                with OPTIONS, or the request is refused.
                """),
        Requirement(
            id: "H2-26", source: "RFC 9113 §8.3.1, §10.3",
            promise: """
                The scheme of a request over HTTP/2 is the listener's own, or either behind a trusted proxy. A \
                request with another is refused.
                """),
        Requirement(
            id: "H2-27", source: "RFC 9113 §8.3.1; RFC 9110 §7.2",
            promise: """
                The authority of a request over HTTP/2 is its :authority, or else its Host. A request with \
                neither, with two that differ, or with more than a host and a port is refused.
                """),
        Requirement(
            id: "H2-28", source: "RFC 9113 §8.3.1",
            promise: "The gateway writes Host once, from the authority that it checked. It copies no other beside it."),
        Requirement(
            id: "H2-29", source: "RFC 9113 §8.2.3",
            promise: """
                The gateway joins the parts of a cookie in their order before anybody looks for sessions. It takes \
                200 parts, beside as many fields as other requests may have.
                """),
        Requirement(
            id: "H2-30", source: "RFC 9113 §10.5.1",
            promise: """
                The gateway counts the fields of a section and their bytes while it decodes them, before it copies \
                the one that passes a bound. The third head over a bound ends the connection, and the first with \
                ten times as many fields as there may be.
                """),
        Requirement(
            id: "H2-31", source: "RFC 9700 §4.13",
            promise: """
                Names that the gateway sets are taken out of requests over HTTP/2 in every spelling, as out of \
                others. The upstream gets each identity field once, with the gateway's value.
                """),
        Requirement(
            id: "H2-32", source: "RFC 9110 §7.6.3",
            promise: """
                Via says 2.0 of a request that came over HTTP/2. One that was here before is answered 508 and goes \
                no further.
                """),
        Requirement(
            id: "H2-33", source: "RFC 9113 §8.2, §8.2.2",
            promise: """
                An answer over HTTP/2 has its names in lower case, and no field that speaks of one connection of \
                HTTP/1.1. A malformed answer is not sent.
                """),
        Requirement(
            id: "H2-34", source: "RFC 9113 §8.1",
            promise: """
                A body that ends with its upstream's connection ends the stream of its client. One that is broken \
                off resets the stream with INTERNAL_ERROR, and is never taken for whole.
                """),
        Requirement(
            id: "H2-35", source: "RFC 9113 §5.4.2, §7",
            promise: """
                A request's line says by which stream of which connection it came, and who reset that with which \
                code. A head that never becomes a request has a line of the operator's. Metrics count streams, \
                resets, and clients that were told to calm down; and ends of connections by whose fault that was.
                """),
        Requirement(
            id: "H2-36", source: "RFC 9113 §8.5",
            promise: """
                The gateway takes CONNECT over HTTP/2 as the opening of a WebSocket alone. It connects nobody to \
                an address that a client names.
                """),
        Requirement(
            id: "H2-37", source: "RFC 8441 §3 … §5",
            promise: """
                An extended CONNECT for a WebSocket becomes the handshake of HTTP/1.1, with a key of the gateway's \
                own. It is refused where it was not announced, and for every other protocol is answered 501.
                """),
        Requirement(
            id: "H2-38", source: "RFC 8441 §5; RFC 6455 §4.1",
            promise: """
                Towards an upstream of HTTP/1.1 an extended CONNECT is a handshake with a key of the gateway's own. An answer \
                that does not prove that key, or does not switch, opens no tunnel.
                """),
        Requirement(
            id: "H2-39", source: "RFC 8441 §3",
            promise: """
                A WebSocket reaches an upstream of HTTP/2 by extended CONNECT where it announced that, else by HTTP/1.1. An \
                answer that does not take it up is no tunnel.
                """),
        Requirement(
            id: "H2-40", source: "RFC 8441 §5",
            promise: """
                A WebSocket in a stream that one side ends or resets is over at the other, in the same way. When its \
                token or session ends, it gets a Close frame with 1008 and its stream ends. A client that does not \
                end its side within a second gets RST_STREAM. The other streams of its connection go on.
                """),
        Requirement(
            id: "H2-41", source: "RFC 9113 §5.2",
            promise: """
                A client that does not read its WebSocket in a stream stops the upstream of that one. Other streams are \
                served as if it were not there.
                """),
        Requirement(
            id: "H2-42", source: "RFC 9113 §5.2, §6.9",
            promise: """
                A window over HTTP/2 opens again when its bytes were taken by the other side, not when they came. \
                It grows for a stream whose request was let through.
                """),
        Requirement(
            id: "H2-43", source: "RFC 9113 §5.2",
            promise: """
                A body is asked of its source only as far as there is window and room for it. A stream without a \
                window stops no other.
                """),
        Requirement(
            id: "H2-44", source: "CVE-2019-9511, CVE-2026-49975",
            promise: """
                An answer whose client gives it no window in time, or next to none, is reset with CANCEL, and its \
                upstream is let go. The connection ends where no other answer went on either.
                """),
        Requirement(
            id: "H2-45", source: "RFC 9113 §6.9, §6.9.1",
            promise: """
                Padding and bytes of streams that have ended do not shrink a window. A window that is opened by \
                nothing, or by more than there can be, is an error, and so are bytes beyond it.
                """),
        Requirement(
            id: "H2-46", source: "RFC 9113 §5.2; RFC 9218 §10",
            promise: """
                Small answers that are ready together leave in one write. Downloads of one connection take turns, \
                so that none waits for another's end.
                """),
        Requirement(
            id: "H2-47", source: "RFC 9218 §2, §5, §7",
            promise: """
                Priority passes as a field in both directions, whatever it says. The gateway orders nothing by it: \
                the answers of a connection take turns.
                """),
        Requirement(
            id: "H2-48", source: "RFC 9110 §6.5, §6.5.1; RFC 9112 §7.1.2",
            promise: """
                Trailers of an answer reach a client of HTTP/2, from an upstream of either version, behind the content and \
                never as fields of the head. Those that are cut off reset the stream.
                """),
        Requirement(
            id: "H2-49", source: "RFC 9110 §6.5.1",
            promise: """
                Trailers of a request reach an upstream of HTTP/2 where the route says `grpc` or \
                `request_trailers: pass`. Anywhere else they are dropped, and at an upstream of HTTP/1.1 always.
                """),
        Requirement(
            id: "H2-50", source: "RFC 9110 §6.5.1",
            promise: """
                Trailers over HTTP/2 pass when they are about the body alone. Those that frame, route, authorise \
                or describe a message are dropped. Metrics count what is dropped, by message and reason.
                """),
        Requirement(
            id: "H2-51", source: "RFC 9113 §8.1",
            promise: """
                Trailers carry the end of their stream, and an answer of trailers alone is told as such. Nothing \
                is added behind the end.
                """),
        Requirement(
            id: "H2-52", source: "CVE-2023-44487, CVE-2025-8671",
            promise: """
                A connection may have a burst of 200 streams that end in a reset, and 20 a second, whoever resets \
                them for the client's fault. It is asked to end before that, and ended then: within a second, whatever \
                streams are open.
                """),
        Requirement(
            id: "H2-53", source: "CVE-2023-44487",
            promise: """
                A stream that was reset counts until what it began is over. One connection has 128 exchanges at a \
                time, however many streams it opens.
                """),
        Requirement(
            id: "H2-54", source: "CVE-2023-44487",
            promise: """
                Requests of one HTTP/2 connection can be taken a few at a time. The rest waits its turn in the \
                input.
                """),
        Requirement(
            id: "H2-55", source: "CVE-2019-9512, -9513, -9514, -9515, -9518",
            promise: """
                A connection may send a burst of 1,000 frames that carry nothing, and 100 a second. A client that \
                looks for signs of life while it downloads is left alone.
                """),
        Requirement(
            id: "H2-56", source: "CVE-2019-9517",
            promise: """
                Pings are answered before other output. A client that does not take the answers it is owed is \
                closed within a bound of memory.
                """),
        Requirement(
            id: "H2-57", source: "CVE-2024-28182",
            promise: """
                A header section may have 8 CONTINUATION frames of less than 8 KiB, counted in frames and not in \
                reads, and 1 MiB as it is sent. More of either ends the connection. One of more than 128 KiB is \
                refused, and its connection goes on.
                """),
        Requirement(
            id: "H2-58", source: "RFC 7541 §4.2; CVE-2016-6581",
            promise: """
                A section of few bytes that stands for many costs little memory and little work. It is refused, or ends the \
                connection. More than two changes of the table's size in a section end the connection.
                """),
        Requirement(
            id: "H2-59", source: "RFC 9113 §6.8",
            promise: """
                A connection ends by itself after 10,000 streams or an hour, or up to a tenth before. None of its \
                requests is lost by that, and streams that are open then go on to their own ends.
                """),
        Requirement(
            id: "H2-60", source: "CVE-2026-27135",
            promise: "A connection that was ended looks at no further input. Answers that were begun may still end."),
        Requirement(
            id: "H2-61", source: "RFC 9113 §6.7, §6.8, §9.1",
            promise: """
                A connection without a stream is closed after `timeouts.keep_alive`, which counts from the end of \
                the last stream. GOAWAY goes before the close, and pings do not put it off.
                """),
        Requirement(
            id: "H2-62", source: "RFC 9113 §6.8",
            promise: """
                A connection ends by two GOAWAYs with a round trip between them. Requests that were sent before \
                the second are answered, those behind it are not looked at.
                """),
        Requirement(
            id: "H2-63", source: "RFC 9113 §6.8",
            promise: """
                SIGTERM tells every connection at once that it ends. Streams that are left when the time to drain \
                is over get the end that their protocol has: a status of gRPC, 1001, or CANCEL.
                """),
        Requirement(
            id: "H2-64", source: "RFC 9113 §6.8",
            promise: """
                Connections live through a reload, and each new stream is judged by the newest configuration. \
                Those of a listener that is taken away, or speaks HTTP/2 no more, come to their end.
                """),
        Requirement(
            id: "H2-65", source: "RFC 9113 §6.8",
            promise: """
                Streams of a client that has said GOAWAY are served to their end. Then the connection is closed.
                """),
        Requirement(
            id: "H2-66", source: "RFC 9110 §3.3",
            promise: """
                Each stream is judged by its own credentials. What one stream of a connection has proved serves no \
                other.
                """),
        Requirement(
            id: "H2-67", source: "policy of this gateway",
            promise: """
                Streams of a connection that wait for the same keys share one lookup, and each of them goes on \
                when the keys are there. The others are served meanwhile.
                """),
        Requirement(
            id: "H2-68", source: "RFC 9449 §4.3",
            promise: """
                A proof of a request over HTTP/2 names its method and the route's public URL, whatever its scheme \
                and authority say. Of two streams with one proof one passes.
                """),
        Requirement(
            id: "H2-69", source: "RFC 8705 §3; RFC 8740 §3",
            promise: """
                A token that is bound to a certificate passes on every stream of a connection with that \
                certificate. On a connection with another one, or with none, it passes on no stream.
                """),
        Requirement(
            id: "H2-70", source: "RFC 9110 §7.4, §15.5.20; RFC 9113 §9.1.1",
            promise: """
                A connection whose handshake named a host serves the others of its listener too, as far as its \
                certificate names them. A request for any other is answered 421, which is not stored, and the \
                connection goes on.
                """),
        Requirement(
            id: "H2-71", source: "RFC 9113 §9.1.1",
            promise: """
                A check warns where a certificate of one listener names a host of another at the same port, and the \
                two have different client_certificates: browsers would ask one connection for both.
                """),
        Requirement(
            id: "H2-72", source: "policy of this gateway",
            promise: """
                Logins, sessions and every other answer of the gateway's own are the same over HTTP/2. Its own \
                paths refuse there what they refuse over HTTP/1.1.
                """),
        Requirement(
            id: "H2-73", source: "policy of this gateway",
            promise: """
                What the library allocates for a request comes from blocks that the worker keeps: requests like \
                those before take none of the system. A connection that ends gives all of its own back.
                """),
    ]
}
