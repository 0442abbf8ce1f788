import Bytes
import TestTraits
import Testing

@testable import Access

/// Row ECO-70 for one name at a time.
@Suite struct `changes of fields` {
    private static func changes() -> FieldChanges {
        var request = FieldChangeSettings()
        request.constants = [FieldConstant(name: "X-Environment", value: "production")]
        request.removed = ["X-Debug"]
        var response = FieldChangeSettings()
        response.constants = [FieldConstant(name: "X-Frame-Options", value: "DENY")]
        response.removed = ["Server"]
        return FieldChanges(request: request, response: response, securityHeaders: true)
    }

    private static func bytes<Result>(_ text: String, _ body: (Span<UInt8>) -> Result) -> Result {
        Array(text.utf8).withUnsafeBufferPointer { body($0.span) }
    }

    @Test(
        .holds("ECO-70"), .refuses("ECO-70"),
        arguments: [
            ("X-Environment", true), ("x_environment", true), ("X.ENVIRONMENT", true), ("X+Environment", true),
            ("X-Debug", true), ("X-Environments", false), ("Environment", false), ("", false), ("Server", false),
        ])
    func `drop a client's field in every spelling that an upstream may fold`(name: String, isDropped: Bool) {
        let changes = Self.changes()
        #expect(Self.bytes(name) { changes.dropsRequestField($0) } == isDropped)
    }

    @Test(arguments: [("server", true), ("SERVER", true), ("x-frame-options", true), ("x_frame_options", false)])
    func `drop an upstream's field by its name in any case`(name: String, isDropped: Bool) {
        let changes = Self.changes()
        #expect(Self.bytes(name) { changes.dropsResponseField($0) } == isDropped)
    }

    @Test(.holds("ECO-70")) func `write their lines once, as they travel`() {
        let changes = Self.changes()
        #expect(String(copying: changes.requestLines.span) == "X-Environment: production\r\n")
        #expect(String(copying: changes.responseLines.span) == "X-Frame-Options: DENY\r\n")
        changes.destroy()
    }

    @Test(.holds("ECO-70"), .refuses("ECO-70")) func `add for browsers what nobody said, and loosen nothing`() {
        let nothing = FieldChangeSettings()
        let changes = FieldChanges(request: nothing, response: nothing, securityHeaders: true)
        #expect(changes.securityFields(beside: [], isSecure: true) == .all)
        #expect(changes.securityFields(beside: [], isSecure: false) == SecurityFields.all.subtracting(.transport))
        #expect(changes.securityFields(beside: .all, isSecure: true) == [])
        #expect(
            changes.securityFields(beside: .frameOptions, isSecure: true) == [.transport, .contentType, .referrer])
        #expect(
            changes.securityFields(beside: .contentPolicy, isSecure: true)
                == [.transport, .contentType, .referrer, .frameOptions])
        // The configuration's own X-Frame-Options.
        #expect(Self.changes().securityFields(beside: [], isSecure: true) == [.transport, .contentType, .referrer])
        let off = FieldChanges(request: nothing, response: nothing, securityHeaders: false)
        #expect(off.securityFields(beside: [], isSecure: true) == [])
    }

    @Test(arguments: [
        ("Strict-Transport-Security", SecurityFields.transport), ("x-content-type-options", .contentType),
        ("REFERRER-POLICY", .referrer), ("X-Frame-Options", .frameOptions),
        ("Content-Security-Policy", .contentPolicy), ("Content-Security-Policy-Report-Only", SecurityFields()),
        ("X-Frame-Option", SecurityFields()), ("Referrer_Policy", SecurityFields()),
    ])
    func `know the fields for browsers by their names`(name: String, fields: SecurityFields) {
        #expect(Self.bytes(name) { SecurityFields(named: $0) } == fields)
    }
}
