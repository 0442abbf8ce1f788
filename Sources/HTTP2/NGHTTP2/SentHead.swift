import Bytes
import CNGHTTP2
import HTTPMessage

/// The head of an HTTP/1.1 message of ours as the fields of an HTTP/2 section.
///
/// Names are lowered in the room that the worker has for them; the array of fields is the worker's too, and values are read where
/// they are. The library copies both when they are submitted, but for names that stay where they are.
@safe
struct SentHead {
    // The worker's rooms; pointers in `fields` go there and into the head's own bytes.
    private let names: UnsafeMutableBufferPointer<UInt8>
    private let knownNames: UnsafeMutablePointer<UInt8>
    private let fields: UnsafeMutableBufferPointer<nghttp2_nv>
    private var namesUsed = 0
    private(set) var count = 0
    /// How large a peer counts the section: names, values, and 32 for each field (RFC 9113 §6.5.2).
    private(set) var listSize = 0

    init(_ memory: ConnectionMemory) {
        unsafe names = memory.state.pointee.names
        unsafe knownNames = memory.state.pointee.knownNames
        unsafe fields = memory.state.pointee.fields
    }

    /// The fields, until the next head is made.
    var first: UnsafePointer<nghttp2_nv>? { unsafe UnsafePointer(fields.baseAddress) }

    /// Adds a field with a name in any case; false when there is no room, or when the name is none.
    mutating func add(_ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isIndexed: Bool) -> Bool
    {
        guard let room = unsafe names.baseAddress,
            unsafe name.count > 0 && count < fields.count && namesUsed + name.count <= names.count
        else { return false }
        let start = namesUsed
        var index = 0
        // Eight at a time as long as they are letters and dashes, which bit 5 makes the lowered ones; the last eight again with
        // some of those before.
        while index < name.count, name.count >= 8 {
            let place = min(index, name.count &- 8)
            let word = unsafe name.span.word(at: place)
            guard ByteWord.lettersAndDashes(word) == ByteWord.tops else { break }
            let lowered = (word | 0x2020_2020_2020_2020).littleEndian
            unsafe UnsafeMutableRawPointer(room + start + place).storeBytes(of: lowered, as: UInt64.self)
            index = place &+ 8
        }
        while index < name.count {
            let byte = unsafe name[index]
            // Pseudo fields are ours.
            guard ASCII.isToken(byte) || byte == 0x3a && index == 0 else { return false }
            unsafe (room + start)[index] = ASCII.lowercase(byte)
            index &+= 1
        }
        namesUsed += name.count
        return unsafe put(room + start, name.count, value, isIndexed ? [] : [.isNotIndexed])
    }

    /// Adds a field whose name, in any case, is one that rules speak about; false when there is no room.
    ///
    /// What it is called was written once for all heads, and the library need not copy it.
    private mutating func add(
        _ id: FieldID, _ name: UnsafeBufferPointer<UInt8>, _ value: UnsafeBufferPointer<UInt8>, isIndexed: Bool
    ) -> Bool {
        let known = unsafe knownNames + Int(id.rawValue) &* ConnectionMemory.knownName
        if unsafe known[0] == 0 {
            for index in name.indices { unsafe known[index] = ASCII.lowercase(name[index]) }
        }
        return unsafe put(known, name.count, value, isIndexed ? .nameStays : [.nameStays, .isNotIndexed])
    }

    /// Adds a field whose name is a text of ours, in lower case.
    mutating func add(_ name: StaticString, _ value: UnsafeBufferPointer<UInt8>) -> Bool {
        unsafe put(UnsafeMutablePointer(mutating: name.utf8Start), name.utf8CodeUnitCount, value, .nameStays)
    }

    /// What the library is told of a field.
    private struct Flags: OptionSet {
        let rawValue: UInt8
        static let isNotIndexed = Flags(rawValue: UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue))
        /// The name is in lower case, and in its place until the frame is made.
        static let nameStays = Flags(rawValue: UInt8(NGHTTP2_NV_FLAG_NO_COPY_NAME.rawValue))
    }

    private mutating func put(
        _ name: UnsafeMutablePointer<UInt8>, _ nameCount: Int, _ value: UnsafeBufferPointer<UInt8>, _ flags: Flags
    ) -> Bool {
        guard unsafe count < fields.count else { return false }
        unsafe fields[count] = nghttp2_nv(
            name: name, value: UnsafeMutablePointer(mutating: value.baseAddress),
            namelen: nameCount, valuelen: value.count, flags: flags.rawValue)
        count &+= 1
        listSize &+= nameCount &+ value.count &+ 32
        return true
    }

    /// Adds a field of two texts of ours.
    mutating func add(_ name: StaticString, _ value: StaticString) -> Bool {
        unsafe add(name, UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    }

    /// Adds the lines of `text` from `start`, up to an empty one or the end; false when they are no lines, or too many.
    mutating func addLines(_ text: UnsafeBufferPointer<UInt8>, from start: Int, _ rules: LineRules) -> Bool {
        guard let base = text.baseAddress else { return true }
        var line = start
        while line < text.count {
            if unsafe base[line] == 0x0d { return unsafe line &+ 1 < text.count && base[line &+ 1] == 0x0a }
            let colon = unsafe text.span.firstIndex(of: 0x3a, from: line, to: text.count)
            guard colon > line, colon < text.count else { return false }
            // A value has no control octet but HTAB: the first one ends its line, or it is no field of ours.
            let end = unsafe FieldCheck.firstControl(in: text.span, from: colon &+ 1)
            guard end &+ 1 < text.count, unsafe base[end] == 0x0d, unsafe base[end &+ 1] == 0x0a else { return false }
            let name = unsafe UnsafeBufferPointer(start: base + line, count: colon &- line)
            let id = unsafe FieldID.identify(name.span)
            if unsafe rules.sends(name.span, id) {
                var (from, to) = (colon &+ 1, end)
                while from < to, unsafe base[from] == 0x20 || base[from] == 0x09 { from &+= 1 }
                while to > from, unsafe base[to &- 1] == 0x20 || base[to &- 1] == 0x09 { to &-= 1 }
                let value = unsafe UnsafeBufferPointer(start: base + from, count: to &- from)
                let isIndexed = unsafe rules.isIndexed(name.span, id)
                // A name of two words is none, nor is one with a line in it: nothing is sent then.
                let isSent =
                    id == .other
                    ? unsafe add(name, value, isIndexed: isIndexed)
                    : unsafe add(id, name, value, isIndexed: isIndexed)
                guard isSent else { return false }
            } else if id == .other {
                guard unsafe FieldCheck.firstControl(in: name.span, from: 0) == name.count else { return false }
            }
            line = end &+ 2
        }
        return true
    }
}

/// Which lines of a head become fields.
struct LineRules {
    var isTrailers = false
    /// Whether `Host` has become `:authority`.
    var isRequest = false
    /// Whether a WebSocket's handshake has become an extended CONNECT, or its answer.
    var isTunnel = false

    /// Connection-specific fields stay behind (RFC 9113 §8.2.2).
    func sends(_ name: Span<UInt8>, _ id: FieldID) -> Bool {
        switch id {
        case .connection, .keepAlive, .proxyConnection, .transferEncoding, .upgrade, .http2Settings: false
        case .host: !isRequest
        case .secWebSocketAccept, .secWebSocketKey: !isTunnel
        case _ where isTrailers: TrailerRules.passes(name, id)
        default: true
        }
    }

    /// Whether a value may enter the table that all streams of a connection share (H2-84).
    ///
    /// A connection to an upstream is shared by all clients: whoever can have the gateway send values learns by the length of
    /// his own requests what is in the table. Of requests only what says nothing of anybody is in it, so that a credential in a
    /// field of its own, an identity or an assertion never is; what differs each time would only drive out the rest.
    func isIndexed(_ name: Span<UInt8>, _ id: FieldID) -> Bool {
        // Of trailers most are made for one message.
        guard !isTrailers else {
            return name.count == 11 && ASCII.equalsIgnoringCase(name, "grpc-status".utf8Span.span)
        }
        guard isRequest else {
            switch id {
            case .authorization, .cookie, .setCookie, .dpop, .proxyAuthorization, .dpopNonce, .xRequestID, .traceparent:
                return false
            default: return true
            }
        }
        switch id {
        case .host, .te, .trailer, .via, .accept, .acceptEncoding, .acceptLanguage, .contentType, .contentEncoding,
            .cacheControl, .userAgent, .priority, .pragma, .xForwardedProto, .xForwardedHost, .xForwardedPort,
            .upgradeInsecureRequests, .secFetchSite, .secFetchMode, .secFetchDest, .secFetchUser:
            return true
        case .other:
            return name.count == 20 && ASCII.equalsIgnoringCase(name, "grpc-accept-encoding".utf8Span.span)
                || name.count == 13 && ASCII.equalsIgnoringCase(name, "grpc-encoding".utf8Span.span)
        default: return false
        }
    }
}
