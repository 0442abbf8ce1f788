import Bytes
import HTTPMessage

/// Which fields may come behind a body (H2-50): none that frames, routes, authorises or describes a message.
///
/// Whoever merges trailers into the head, as RFC 9110 §6.5.1 allows some to do, would take such a field for one that was
/// checked with the head. Names that only the gateway may set are not known here: its rewriting removes them.
public enum TrailerRules {
    /// Whether a field passes as a trailer, in either direction, whatever the name's case.
    public static func passes(_ name: Span<UInt8>) -> Bool {
        passes(name, FieldID.identify(name))
    }

    /// The same for a name that was identified.
    static func passes(_ name: Span<UInt8>, _ id: FieldID) -> Bool {
        // Of the names that rules speak about, none is about a body alone but its tag.
        guard id == .other else { return id == .etag }
        // Nearly all trailers are told from all of these by their first letter.
        switch name.count > 0 ? ASCII.lowercase(name[0]) : 0 {
        case 0x61, 0x63, 0x64, 0x70, 0x73, 0x74, 0x78: break
        default: return true
        }
        return
            !(begins(name, "proxy-") || begins(name, "x-forwarded-") || begins(name, "client-cert")
            || begins(name, "access-control-") || begins(name, "dpop") || begins(name, "content-length")
            || begins(name, "transfer-encoding") || begins(name, "set-cookie"))
    }

    /// Whether a name begins so; `_` counts as `-`, because some servers read it so.
    private static func begins(_ name: Span<UInt8>, _ text: String) -> Bool {
        let text = text.utf8Span.span
        guard name.count >= text.count else { return false }
        for index in text.indices {
            let byte = name[index] == 0x5f ? 0x2d : ASCII.lowercase(name[index])
            guard byte == text[index] else { return false }
        }
        return true
    }
}
