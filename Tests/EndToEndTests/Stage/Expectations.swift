// SPDX-License-Identifier: Apache-2.0
import Testing
import TestSupport

/// What every response of the gateway's own carries (REQUIREMENTS 0.2).
func expectTemplate(
    _ response: WireResponse, status: Int, at location: SourceLocation = #_sourceLocation
) {
    #expect(response.status == status, "\(response.headText)", sourceLocation: location)
    #expect(response.version == "HTTP/1.1", sourceLocation: location)
    #expect(response.ending == .length || response.ending == .noBody, sourceLocation: location)
    #expect(response.fields.only("date")?.utf8.count == 29, "\(response.headText)", sourceLocation: location)
    #expect(response.fields.only("cache-control") == "no-store", "\(response.headText)", sourceLocation: location)
    #expect(
        response.fields.only("x-content-type-options") == "nosniff", "\(response.headText)", sourceLocation: location)
    #expect((response.fields.only("x-request-id") ?? "").count >= 8, "\(response.headText)", sourceLocation: location)
    #expect(response.fields["transfer-encoding"].isEmpty, sourceLocation: location)
}

extension Stage {
    /// Sends bytes that must be refused: the template, `Connection: close`, FIN, and nothing for the upstream.
    ///
    /// A good request follows on another connection, so that "nothing" is not merely "nothing yet".
    func expectRefused(
        _ bytes: [UInt8], with status: Int = 400, at location: SourceLocation = #_sourceLocation
    ) throws {
        upstream.forget()
        let client = try gateway.client()
        try client.send(bytes)
        let response = try client.response()
        expectTemplate(response, status: status, at: location)
        #expect(response.announcesClose, "\(response.headText)", sourceLocation: location)
        #expect(client.isClosedByPeer(), "not closed after \(response.headText)", sourceLocation: location)
        #expect(!client.wasReset, "the refusal was cut off", sourceLocation: location)
        try expectNothingForwarded(at: location)
    }

    /// The same for text.
    func expectRefused(
        _ message: String, with status: Int = 400, at location: SourceLocation = #_sourceLocation
    ) throws {
        try expectRefused(Array(message.utf8), with: status, at: location)
    }

    /// Nothing reached the upstream since the last `forget()` but the good request sent here.
    func expectNothingForwarded(at location: SourceLocation = #_sourceLocation) throws {
        let good = try exchange("GET", "/open/sentinel")
        #expect(good.status == 200, "\(good.headText)", sourceLocation: location)
        let record = upstream.now
        #expect(record.requests.map(\.path) == ["/open/sentinel"], sourceLocation: location)
        #expect(record.malformed.isEmpty, "\(record.malformed)", sourceLocation: location)
    }

    /// A request that must come through; answers what the upstream was sent.
    @discardableResult
    func expectForwarded(
        _ bytes: [UInt8], path: String, at location: SourceLocation = #_sourceLocation
    ) throws -> WireRequest {
        upstream.forget()
        let client = try gateway.client()
        try client.send(bytes)
        let response = try client.response()
        #expect(response.status == 200, "\(response.headText)\(response.bodyText)", sourceLocation: location)
        return try #require(upstream.onlyRequest(for: path), sourceLocation: location)
    }

    /// The same for text.
    @discardableResult
    func expectForwarded(
        _ message: String, path: String, at location: SourceLocation = #_sourceLocation
    ) throws -> WireRequest {
        try expectForwarded(Array(message.utf8), path: path, at: location)
    }
}

/// Does something so often, and nine of ten times it is over within a second.
///
/// The machine may be late now and then; a gateway that waits for somebody else is late each time.
func expectPrompt(
    _ times: Int, at location: SourceLocation = #_sourceLocation, _ body: (Int) throws -> Void
) rethrows {
    let clock = ContinuousClock()
    let taken = try (0..<times).map { number in try clock.measure { try body(number) } }.sorted()
    let usual = taken[times * 9 / 10 - 1]
    #expect(usual < .seconds(Sanitizer.isOn ? 5 : 1), "\(taken)", sourceLocation: location)
}

/// The challenge of a response that has exactly one, read strictly.
func challenge(_ response: WireResponse, at location: SourceLocation = #_sourceLocation) throws -> WireChallenge {
    let values = response.fields["www-authenticate"]
    #expect(values.count == 1, "\(response.headText)", sourceLocation: location)
    return try WireChallenge(try #require(values.first, "\(response.headText)", sourceLocation: location))
}

/// E-TOKEN: 401 with `error="invalid_token"` and a constant description.
func expectInvalidToken(_ response: WireResponse, at location: SourceLocation = #_sourceLocation) throws {
    expectTemplate(response, status: 401, at: location)
    let found = try challenge(response, at: location)
    #expect(found.scheme == "Bearer", sourceLocation: location)
    #expect(found["realm"] == "portcullis", sourceLocation: location)
    #expect(found["error"] == "invalid_token", "\(response.headText)", sourceLocation: location)
    #expect(found["error_description"]?.isEmpty == false, "\(response.headText)", sourceLocation: location)
}

/// E-NOAUTH: 401 with a challenge that carries no error.
func expectNoCredentials(_ response: WireResponse, at location: SourceLocation = #_sourceLocation) throws {
    expectTemplate(response, status: 401, at: location)
    let found = try challenge(response, at: location)
    #expect(found.scheme == "Bearer", sourceLocation: location)
    #expect(found["realm"] == "portcullis", sourceLocation: location)
    #expect(!response.headText.contains("error"), "\(response.headText)", sourceLocation: location)
}

/// E-REQ: 400 with `error="invalid_request"`.
func expectInvalidRequest(_ response: WireResponse, at location: SourceLocation = #_sourceLocation) throws {
    expectTemplate(response, status: 400, at: location)
    #expect(try challenge(response, at: location)["error"] == "invalid_request", sourceLocation: location)
}

/// E-AUTHZ-DOWN: 503 with `Retry-After: 5` and no challenge.
func expectAuthorizationDown(_ response: WireResponse, at location: SourceLocation = #_sourceLocation) {
    expectTemplate(response, status: 503, at: location)
    #expect(response.fields.only("retry-after") == "5", "\(response.headText)", sourceLocation: location)
    #expect(!response.fields.contains("www-authenticate"), sourceLocation: location)
}
