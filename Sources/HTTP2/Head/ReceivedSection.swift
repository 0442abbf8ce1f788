import Bytes
import HTTPMessage

/// What a section of fields turned out to be.
enum SectionKind: UInt8 {
    case request, response, trailers
}

/// What the limits of a connection say about each section.
struct SectionBounds {
    let fieldCount: Int
    let cookieParts: Int
    let headerList: Int
    let scheme: AcceptedScheme
    let announcesTunnels: Bool

    init(_ limits: ConnectionLimits) {
        fieldCount = limits.fieldCount
        cookieParts = limits.cookieParts
        headerList = limits.headerList
        scheme = limits.scheme
        announcesTunnels = limits.announcesTunnels
    }
}

/// A header or trailer section as it is decoded, rebuilt into the lines of HTTP/1.1.
///
///     pseudo fields ──▶ aside                      (method, scheme, authority, path)
///     first field or end ──▶ request line, Host ──▶ lines
///     fields ──▶ checked ──▶ lines       cookie parts ──▶ aside, joined ──(end)──▶ lines
///
/// The head is rebuilt and never transcribed: whatever reached a line has passed the checks of `FieldCheck`, and the parser
/// of HTTP/1.1 reads the lines again, so that there is one judgement of what a request may look like.
/// The first fault ends the copying; counting goes on, since the library decodes to the end of the section.
struct ReceivedSection {
    let kind: SectionKind
    let bounds: SectionBounds
    let pool: BlockPool
    private(set) var fault: HeadFault?
    /// Fields so far, and their bytes as RFC 9113 §6.5.2 counts them.
    private(set) var fieldCount = 0
    private var cookieParts = 0
    /// Fields of a trailer section that no message may have there.
    private(set) var droppedCount = 0
    private var listSize = 0

    var pseudo = PseudoFields()
    var lines: HeadText
    var aside: HeadText
    var hasLine = false
    var hostCount = 0
    var hasTE = false
    var hasVersion = false
    /// Where the joined cookie begins, among the bytes that were put aside.
    var cookieStart = -1
    var isTunnel = false

    /// Its texts have begun.
    init(_ kind: SectionKind, _ bounds: SectionBounds, lines: HeadText, aside: HeadText, _ pool: BlockPool) {
        self.kind = kind
        self.bounds = bounds
        self.lines = lines
        self.aside = aside
        self.pool = pool
    }

    /// Takes the next field.
    mutating func add(_ name: Span<UInt8>, _ value: Span<UInt8>) {
        count(name.count &+ value.count)
        if kind == .request, name.count == 6, FieldID.identify(name) == .cookie { cookieParts &+= 1 }
        guard fault == nil else { return }
        guard fieldCount &- cookieParts <= bounds.fieldCount, cookieParts <= bounds.cookieParts else {
            return fail(.tooManyFields)
        }
        guard listSize <= bounds.headerList else { return fail(.listTooLarge) }
        do throws(HeadFault) {
            if name.count > 0, name[0] == 0x3a {
                try addPseudo(name, value)
            } else {
                try addField(name, value)
            }
        } catch {
            fail(error)
        }
    }

    /// Counts a field of so many bytes, whatever it says.
    mutating func count(_ bytes: Int) {
        fieldCount &+= 1
        listSize &+= bytes &+ 32
    }

    /// Whether there are so many fields that nobody should look at the next ones.
    var isEndless: Bool { fieldCount > bounds.fieldCount &* 10 }

    /// Notes the first thing that is wrong.
    mutating func fail(_ fault: HeadFault) {
        if self.fault == nil { self.fault = fault }
    }

    /// Ends the section: what was put aside becomes lines, and the empty line follows.
    mutating func finish() {
        guard fault == nil else { return }
        do throws(HeadFault) {
            try beginLines()
            if kind == .request, hostCount == 0, !pseudo.authority.isPresent { throw .authorityMissing }
        } catch {
            return fail(error)
        }
        if cookieStart >= 0 {
            lines.append("cookie: ", pool)
            lines.append(aside.bytes.extracting(cookieStart...), pool)
            lines.append("\r\n", pool)
        }
        guard kind != .trailers else { return }
        if isTunnel { addHandshake() }
        lines.append("\r\n", pool)
    }

    // MARK: Fields

    private mutating func addField(_ name: Span<UInt8>, _ value: Span<UInt8>) throws(HeadFault) {
        guard FieldCheck.isName(name) else { throw .fieldNameMalformed }
        guard FieldCheck.isValue(value) else { throw .fieldValueMalformed }
        if !hasLine { try beginLines() }
        let id = FieldID.identify(name)
        switch id {
        case .cookie where kind == .request: return addCookie(value)
        case .host where kind == .request: guard try acceptHost(value) else { return }
        case .te where kind == .request:
            guard !hasTE, ASCII.equalsIgnoringCase(value, "trailers") else { throw .transferCodings }
            hasTE = true
        case .secWebSocketKey where isTunnel: return
        case .secWebSocketVersion where isTunnel: hasVersion = true
        case .contentLength where isTunnel: throw .tunnelWithLength
        case _ where FieldCheck.isOfConnection(id): throw .connectionField
        case _ where kind == .trailers && !TrailerRules.passes(name, id):
            droppedCount &+= 1
            return
        default: break
        }
        lines.appendLine(name, value, pool)
    }

    /// Parts of a cookie are joined in their order (RFC 9113 §8.2.3), wherever they stand.
    private mutating func addCookie(_ value: Span<UInt8>) {
        if cookieStart < 0 { cookieStart = aside.count } else { aside.append("; ", pool) }
        aside.append(value, pool)
    }

    /// Whether Host is to be written for it: `:authority` stands there already if there was one.
    private mutating func acceptHost(_ value: Span<UInt8>) throws(HeadFault) -> Bool {
        hostCount &+= 1
        guard hostCount == 1 else { throw .hostRepeated }
        guard Authority.isValid(value) else { throw .authorityMalformed }
        guard pseudo.authority.isPresent else { return true }
        let isTLS = pseudo.scheme.count == 5
        guard AuthorityCheck.areEqual(aside.bytes.extracting(pseudo.authority), value, isTLS: isTLS) else {
            throw .authorityAmbiguous
        }
        return false
    }
}
