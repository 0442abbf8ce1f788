import JSON
import TestTraits
import Testing

@testable import Access

/// The claim of RFC 9396 §9.1, as far as it is one member.
private let example = """
    [{"type":"https://scheme.example.org/files","identifier":"folder-1",\
    "locations":["https://resource.local/other","https://resource.local/files"],"actions":["read","write"],\
    "datatypes":["contacts","photos"],"privileges":["admin"],"permissions":[{"path":"/myfiles/A","access":["read"]}]}]
    """

private func rule(
    _ type: String = "https://scheme.example.org/files", actions: [String] = [], locations: [String] = [],
    dataTypes: [String] = [], privileges: [String] = [], identifier: String? = nil
) -> AuthorizationDetailsRule {
    AuthorizationDetailsRule(
        type: type, actions: actions, locations: locations, dataTypes: dataTypes, privileges: privileges,
        identifier: identifier)
}

private func claims(_ details: String?) throws -> JSONValue {
    let text = Array((details.map { "{\"authorization_details\":\($0)}" } ?? "{}").utf8)
    return try JSONValue.parse(text.span)
}

@Suite struct `authorization details` {
    @Test(
        .holds("RAR-01"),
        arguments: [
            rule(), rule(actions: ["read"]), rule(actions: ["write", "read"]),
            rule(locations: ["https://resource.local/files"]), rule(dataTypes: ["photos"]), rule(privileges: ["admin"]),
            rule(identifier: "folder-1"),
            rule(
                actions: ["read"], locations: ["https://resource.local/other"], dataTypes: ["contacts"],
                privileges: ["admin"], identifier: "folder-1"),
        ])
    func `grant what one member names`(wanted: AuthorizationDetailsRule) throws {
        #expect(AuthorizationDetails.grant(wanted, in: try claims(example)))
    }

    @Test(
        .refuses("RAR-01"),
        arguments: [
            rule("https://scheme.example.org/file"), rule("HTTPS://scheme.example.org/files"), rule(""),
            rule(actions: ["delete"]), rule(actions: ["read", "delete"]), rule(actions: ["Read"]),
            rule(locations: ["https://resource.local/"]), rule(dataTypes: ["photo"]), rule(privileges: ["read"]),
            rule(identifier: "folder-2"), rule(identifier: ""),
        ])
    func `grant nothing else: one thing more and it is refused`(wanted: AuthorizationDetailsRule) throws {
        #expect(!AuthorizationDetails.grant(wanted, in: try claims(example)))
    }

    @Test(.refuses("RAR-01")) func `two members do not grant together what each grants in part`() throws {
        let details = try claims(
            """
            [{"type":"account","identifier":"mine","actions":["read"]},\
            {"type":"account","identifier":"theirs","actions":["pay"]},{"type":"other","actions":["read","pay"]}]
            """)
        #expect(AuthorizationDetails.grant(rule("account", actions: ["read"]), in: details))
        #expect(AuthorizationDetails.grant(rule("account", actions: ["pay"], identifier: "theirs"), in: details))
        #expect(!AuthorizationDetails.grant(rule("account", actions: ["read", "pay"]), in: details))
        #expect(!AuthorizationDetails.grant(rule("account", actions: ["pay"], identifier: "mine"), in: details))
    }

    @Test(
        .refuses("RAR-01"),
        arguments: [
            #"[{"type":"a","actions":"read"}]"#, #"[{"type":"a","actions":["read",1]}]"#,
            #"[{"type":"a","actions":[["read"]]}]"#, #"[{"type":"a","actions":{"read":true}}]"#,
            #"[{"type":"a","actions":null}]"#, #"[{"type":"a"}]"#, #"[{"type":"a","Actions":["read"]}]"#,
            #"[{"type":"a","datatypes":["read"],"privileges":["read"]}]"#, "[]",
        ])
    func `a list that is no list of strings grants nothing`(details: String) throws {
        #expect(!AuthorizationDetails.grant(rule("a", actions: ["read"]), in: try claims(details)))
        #expect(AuthorizationDetails.areWellFormed(in: try claims(details)))
    }

    @Test(
        .holds("RAR-01"),
        arguments: [
            #"{"type":"a"}"#, #""a""#, "null", "1", #"["a"]"#, #"[{"type":"a"},null]"#, #"[{"type":"a"},{}]"#,
            #"[{"type":1}]"#, #"[{"type":["a"]}]"#, #"[[{"type":"a"}]]"#, #"[{"Type":"a"}]"#,
        ])
    func `anything but an array of objects with a type is malformed`(details: String) throws {
        #expect(!AuthorizationDetails.areWellFormed(in: try claims(details)))
    }

    @Test(.holds("RAR-01"), arguments: [nil, "[]", #"[{"type":""}]"#, #"[{"type":"a"},{"type":"b","actions":7}]"#])
    func `none at all, and members of any type, are well formed`(details: String?) throws {
        #expect(AuthorizationDetails.areWellFormed(in: try claims(details)))
        #expect(!AuthorizationDetails.grant(rule("c"), in: try claims(details)))
    }

    @Test(.holds("RAR-01")) func `the operator's text names everything that is wanted`() {
        let wanted = rule("t", actions: ["a", "b"], dataTypes: ["d"], identifier: "i")
        #expect(wanted.text == "type t actions [a, b] datatypes [d] identifier i")
    }
}
