import HTTPMessage
import JSON
import TestSupport
import TestTraits
import Testing

@testable import OAuth

private let issuer = "https://id.example.com/t"

private func document(_ members: [String: String?] = [:]) -> String {
    var all: [String: String] = [
        "issuer": "\"\(issuer)\"",
        "jwks_uri": "\"https://id.example.com/keys\"",
        "token_endpoint": "\"https://id.example.com/token\"",
        "response_types_supported": "[\"code\"]",
    ]
    for (name, value) in members { all[name] = value }
    return "{" + all.sorted { $0.key < $1.key }.map { "\"\($0.key)\":\($0.value)" }.joined(separator: ",") + "}"
}

private func response(
    _ body: String, status: Int = 200, contentType: String? = "application/json"
) -> FetchResponse {
    FetchResponse(status: status, contentType: contentType, body: Array(body.utf8))
}

private func accept(
    _ response: FetchResponse, issuer: String = issuer, schemes: EndpointSchemes = .httpsOnly
) throws -> ServerMetadata {
    try ServerMetadata.accept(response, issuer: IssuerIdentifier(issuer, schemes: schemes), schemes: schemes)
}

@Suite struct `a metadata document is believed` {
    @Test(.holds("MD-07")) func `when it says where the keys are, and they are sought there alone`() throws {
        let metadata = try accept(response(document(["jwks_uri": "\"https://id.example.com/elsewhere/keys\""])))
        #expect(metadata.jwksURI == "https://id.example.com/elsewhere/keys")
    }

    @Test(.holds("MD-04")) func `when it is this issuer's and points to https`() throws {
        let metadata = try accept(response(document()))
        #expect(metadata.issuer == issuer)
        #expect(metadata.jwksURI == "https://id.example.com/keys")
    }

    @Test(
        .holds("MD-04"),
        arguments: [
            "application/json", "application/json; charset=utf-8", "APPLICATION/JSON", "application/json;",
            " application/json ",
            "application/oauth-authz-server+json", "application/vnd.x+JSON;v=1",
        ])
    func `when its type is JSON or has the suffix`(type: String) throws {
        #expect(throws: Never.self) { try accept(response(document(), contentType: type)) }
    }

    @Test(.holds("MD-04")) func `with members that nobody knows`() throws {
        let text = document([
            "x_new": "{\"a\":[1,2]}", "x_endpointless": "\"http://a\"", "op_policy_uri": "\"http://a\"",
        ])
        #expect(throws: Never.self) { try accept(response(text)) }
    }

    @Test(.holds("MD-04")) func `with an endpoint that is null`() throws {
        #expect(throws: Never.self) { try accept(response(document(["end_session_endpoint": "null"]))) }
    }

    @Test(.holds("MD-04")) func `with http endpoints where the operator allowed http`() throws {
        let local = "http://127.0.0.1:4593/api"
        let text = document([
            "issuer": "\"\(local)\"", "jwks_uri": "\"http://127.0.0.1:4593/jwks\"",
            "token_endpoint": "\"http://127.0.0.1:4593/token\"",
        ])
        #expect(
            try accept(response(text), issuer: local, schemes: .insecureHTTPAllowed).jwksURI
                == "http://127.0.0.1:4593/jwks")
    }

    @Test(.holds("MD-04"), .refuses("MD-04")) func `up to 256 KiB`() throws {
        let body = document()
        let padded = body + String(repeating: " ", count: 256 * 1024 - body.utf8.count)
        #expect(throws: Never.self) { try accept(response(padded)) }
        #expect(throws: MetadataRefusal.tooLarge(bytes: 256 * 1024 + 1)) { try accept(response(padded + " ")) }
    }
}

@Suite struct `a metadata document is refused` {
    @Test(.refuses("MD-04"), arguments: [201, 204, 301, 400, 401, 404, 500, 503])
    func `with any status but 200`(status: Int) {
        #expect(throws: MetadataRefusal.status(status)) { try accept(response(document(), status: status)) }
    }

    @Test(
        .refuses("MD-04"),
        arguments: [
            "text/html", "text/html; charset=utf-8", "text/json", "application/javascript", "json", "",
            "application/jsonp",
            "application/+json", "application/", "/json", "a/b/c+json", "application/x json",
            "text/plain;application/json",
        ])
    func `when its type is not JSON`(type: String) {
        #expect(throws: MetadataRefusal.contentType(type)) { try accept(response(document(), contentType: type)) }
    }

    @Test(.refuses("MD-04")) func `without a type`() {
        #expect(throws: MetadataRefusal.contentType("")) { try accept(response(document(), contentType: nil)) }
    }

    @Test(.refuses("MD-04")) func `when it is not strict JSON`() {
        let twice = document().replacing("{", with: "{\"issuer\":\"https://evil.example\",", maxReplacements: 1)
        #expect(throws: MetadataRefusal.notJSON(.duplicateMember)) { try accept(response(twice)) }
        #expect(throws: MetadataRefusal.notJSON(.trailingBytes)) { try accept(response(document() + "{}")) }
        #expect(throws: MetadataRefusal.self) { try accept(response("<html></html>")) }
        #expect(throws: MetadataRefusal.self) { try accept(response("")) }
    }

    @Test(.refuses("MD-04"), arguments: ["[]", "\"x\"", "1", "null", "true"])
    func `when it is no object`(text: String) {
        #expect(throws: MetadataRefusal.notAnObject) { try accept(response(text)) }
    }

    @Test(
        .refuses("MD-03"),
        arguments: [
            "https://id.example.com/t/", "https://id.example.com", "https://ID.example.com/t",
            "https://id.example.com/T",
            "http://id.example.com/t", "https://id.example.com:443/t", "https://id.example.com/t ",
            "https://evil.example/t",
            "https://id.example.com/%74", "",
        ])
    func `when its issuer differs in a single octet`(found: String) {
        #expect(throws: MetadataRefusal.issuerMismatch(found: found)) {
            try accept(response(document(["issuer": "\"\(found)\""])))
        }
    }

    @Test(.refuses("MD-03")) func `when its issuer only looks alike to Unicode`() throws {
        // The Kelvin sign is canonically equivalent to K: String's == takes one for the other.
        let kelvin = "https://id.example.com/\u{212A}"
        #expect(kelvin == "https://id.example.com/K")
        #expect(throws: MetadataRefusal.issuerMismatch(found: kelvin)) {
            try accept(response(document(["issuer": "\"\(kelvin)\""])), issuer: "https://id.example.com/K")
        }
    }

    @Test(.refuses("MD-03"), arguments: [nil, "null", "1", "[\"\(issuer)\"]", "{}"] as [String?])
    func `when its issuer is missing or no text`(value: String?) {
        #expect(throws: MetadataRefusal.issuerMissing) { try accept(response(document(["issuer": value]))) }
    }

    @Test(.refuses("MD-07"), arguments: [nil, "null"] as [String?])
    func `when it lacks what key sets are found by: nothing is guessed`(value: String?) {
        #expect(throws: MetadataRefusal.keySetLocationMissing) { try accept(response(document(["jwks_uri": value]))) }
    }

    @Test(
        .refuses("MD-04"),
        arguments: [
            "jwks_uri", "token_endpoint", "authorization_endpoint", "introspection_endpoint", "end_session_endpoint",
            "pushed_authorization_request_endpoint", "some_future_endpoint",
        ])
    func `when an endpoint is not https`(member: String) {
        for value in ["http://id.example.com/x", "ftp://id.example.com/x", "HTTP://id.example.com/x"] {
            #expect(throws: MetadataRefusal.endpointNotHTTPS(member: member)) {
                try accept(response(document([member: "\"\(value)\""])))
            }
        }
    }

    @Test(
        .refuses("MD-04"),
        arguments: ["\"\"", "\"/relative\"", "\"https://\"", "\"https://a@b/\"", "1", "[]", "\"https://a b/\"", "{}"])
    func `when an endpoint is no URL`(value: String) {
        #expect(throws: MetadataRefusal.endpointNotURL(member: "token_endpoint")) {
            try accept(response(document(["token_endpoint": value])))
        }
    }

    @Test(.refuses("MD-04")) func `when an alias for mutual TLS is not https`() {
        let aliases = "{\"token_endpoint\":\"http://mtls.example.com/token\"}"
        #expect(throws: MetadataRefusal.endpointNotHTTPS(member: "token_endpoint")) {
            try accept(response(document(["mtls_endpoint_aliases": aliases])))
        }
    }

    @Test(.refuses("MD-04")) func `when http is allowed and the scheme is another`() {
        let text = document(["jwks_uri": "\"file:///etc/passwd\""])
        #expect(throws: MetadataRefusal.self) { try accept(response(text), schemes: .insecureHTTPAllowed) }
    }

    @Test func `wherever it is cut off`() {
        for body in everyStart(of: Array(document().utf8)) {
            let part = FetchResponse(status: 200, contentType: "application/json", body: body)
            #expect(throws: MetadataRefusal.self) { try accept(part) }
        }
    }
}
