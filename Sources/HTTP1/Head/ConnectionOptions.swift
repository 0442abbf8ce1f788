import Bytes
import HTTPMessage

/// What the Connection lines of a head say (RFC 9110 §7.6.1).
struct ConnectionOptions: OptionSet {
    let rawValue: UInt8

    static let close = ConnectionOptions(rawValue: 1)
    static let upgrade = ConnectionOptions(rawValue: 2)
    /// Names of other fields than the four that every hop knows.
    static let others = ConnectionOptions(rawValue: 4)
    /// Something that is no token; only in responses, requests are refused for it.
    static let malformed = ConnectionOptions(rawValue: 8)

    /// The options of a request; one that is no token, or names a field that must reach us or the upstream, is refused.
    ///
    /// A proxy removes what Connection names. `Connection: Authorization` would make the second of two proxies see a
    /// request without the credentials that the first one checked (HTTP-44).
    @inline(__always)
    static func inRequest(
        _ fields: borrowing FieldList, bytes: Span<UInt8>, names: inout ConnectionNames
    ) throws(HTTP1Refusal) -> ConnectionOptions {
        names.clear()
        guard fields.count(of: .connection) > 0 else { return [] }
        let options = try read(fields, bytes: bytes, refusing: true, names: &names)
        guard !options.contains(.malformed) else { throw .connectionMalformed }
        return options
    }

    /// The options of a response.
    static func inResponse(
        _ fields: borrowing FieldList, bytes: Span<UInt8>, names: inout ConnectionNames
    ) throws(HTTP1Refusal) -> ConnectionOptions {
        names.clear()
        guard fields.count(of: .connection) > 0 else { return [] }
        return try read(fields, bytes: bytes, refusing: false, names: &names)
    }

    /// Reads all options in one pass, and notes the names of other fields.
    ///
    /// More than `ConnectionNames.capacity` are refused: nobody needs so many, and each is held against every field.
    private static func read(
        _ fields: borrowing FieldList, bytes: Span<UInt8>, refusing: Bool, names: inout ConnectionNames
    ) throws(HTTP1Refusal) -> ConnectionOptions {
        var options: ConnectionOptions = []
        var count = 0
        for index in fields.firstIndex(of: .connection)..<fields.count {
            let slot = fields[index]
            guard slot.id == .connection else { continue }
            let list = bytes.extracting(slot.value)
            var position = 0
            while let member = CommaList.next(in: list, from: &position) {
                count &+= 1
                guard count <= ConnectionNames.capacity else { throw .connectionOptionsTooMany }
                let option = list.extracting(member)
                let meaning = read(option)
                options.formUnion(meaning)
                if meaning.contains(.others) {
                    names.insert(ByteRange(start: slot.value.start &+ member.start, count: member.count), of: bytes)
                }
                if refusing, isReserved(FieldID.identify(option)) { throw .connectionNamesReserved }
            }
        }
        return options
    }

    private static func read(_ option: Span<UInt8>) -> ConnectionOptions {
        switch option.count {
        case 2: if ASCII.equalsIgnoringCase(option, "te") { return [] }
        case 5: if ASCII.equalsIgnoringCase(option, "close") { return .close }
        case 7: if ASCII.equalsIgnoringCase(option, "upgrade") { return .upgrade }
        case 10: if ASCII.equalsIgnoringCase(option, "keep-alive") { return [] }
        default: break
        }
        for index in option.indices where !ASCII.isToken(option[index]) { return .malformed }
        return .others
    }

    /// Fields that frame, address or authorise the message; nobody on the way may be told to drop them.
    private static func isReserved(_ id: FieldID) -> Bool {
        switch id {
        case .host, .contentLength, .transferEncoding, .authorization, .cookie, .dpop, .expect, .contentType,
            .contentEncoding, .cacheControl, .origin, .via, .maxForwards, .forwarded, .xForwardedFor,
            .xForwardedProto, .xForwardedHost, .xForwardedPort:
            true
        default: false
        }
    }
}
