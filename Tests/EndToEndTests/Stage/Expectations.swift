import Testing
import TestSupport

/// What every response of the gateway's own carries.
func expectTemplate(
    _ response: WireResponse, status: Int, at location: SourceLocation = #_sourceLocation
) {
    #expect(response.status == status, "\(response.headText)", sourceLocation: location)
    #expect(response.version == WireProtocol.current.version, sourceLocation: location)
    #expect(response.ending == .length || response.ending == .noBody, sourceLocation: location)
    #expect(response.fields.only("date")?.utf8.count == 29, "\(response.headText)", sourceLocation: location)
    #expect(response.fields.only("cache-control") == "no-store", "\(response.headText)", sourceLocation: location)
    #expect(
        response.fields.only("x-content-type-options") == "nosniff", "\(response.headText)", sourceLocation: location)
    #expect((response.fields.only("x-request-id") ?? "").count >= 8, "\(response.headText)", sourceLocation: location)
    #expect(response.fields["transfer-encoding"].isEmpty, sourceLocation: location)
}

extension Stage {
    /// Waits until every line is at hand that the only worker has written to the operator log so far: the log keeps
    /// their order.
    func awaitOperatorLog(at location: SourceLocation = #_sourceLocation) throws {
        let refused = try exchange("GET", "/open/a%zz")
        let id = try #require(refused.fields.only("x-request-id"), sourceLocation: location)
        _ = try #require(gateway.operatorLine { $0["request_id"] == id }, sourceLocation: location)
    }

    /// Sends bytes that must be refused: the template, `Connection: close`, FIN, and nothing for the upstream.
    ///
    /// A good request follows on another connection, so that "nothing" is not merely "nothing yet".
    func expectRefused(
        _ bytes: [UInt8], with status: Int = 400, at location: SourceLocation = #_sourceLocation
    ) throws {
        upstream.forget()
        let client = try gateway.client()
        try client.send(bytes)
        if WireProtocol.current == .http1 {
            let response = try client.response()
            expectTemplate(response, status: status, at: location)
            #expect(response.announcesClose, "\(response.headText)", sourceLocation: location)
            #expect(client.isClosedByPeer(), "not closed after \(response.headText)", sourceLocation: location)
            #expect(!client.wasReset, "the refusal was cut off", sourceLocation: location)
        } else {
            try expectStreamRefused(client, with: [status, 400], at: location)
        }
        try expectNothingForwarded(at: location)
    }

    /// What a refused message comes to in HTTP/2: its stream is answered so, or reset where its framing is wrong, and the
    /// connection serves others.
    private func expectStreamRefused(
        _ client: RawClient, with statuses: [Int], at location: SourceLocation
    ) throws {
        do {
            let response = try client.response()
            expectTemplate(response, status: response.status, at: location)
            #expect(statuses.contains(response.status), "\(response.headText)", sourceLocation: location)
        } catch WireFailure.closed {
            // PROTOCOL_ERROR
            #expect(client.http2?.refusal == 1, sourceLocation: location)
            return
        }
        client.http2?.leaveRequest()
        try client.send(request("GET", "/open/behind"))
        #expect(try client.response().status == 200, sourceLocation: location)
        #expect(upstream.requests.map(\.path) == ["/open/behind"], sourceLocation: location)
        upstream.forget()
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

/// Does something so often, and more often than not it is over within a second.
///
/// The machine may be late now and then, for seconds; a gateway that waits for somebody else is late each time.
func expectPrompt(
    _ times: Int, at location: SourceLocation = #_sourceLocation, _ body: (Int) throws -> Void
) rethrows {
    let clock = ContinuousClock()
    let taken = try (0..<times).map { number in try clock.measure { try body(number) } }.sorted()
    let usual = taken[(times - 1) / 2]
    #expect(usual < .seconds(Sanitizer.isOn ? 5 : 1), "\(taken)", sourceLocation: location)
}

/// What `body` answers when it took less than a second; on a machine that was late it is done again.
///
/// For what a second more or less decides, such as a time near the border of what is accepted.
func withinASecond<Value>(_ body: () throws -> Value) rethrows -> Value {
    for _ in 0..<30 {
        let began = ContinuousClock.now
        let value = try body()
        if ContinuousClock.now - began < .seconds(1) { return value }
    }
    return try body()
}

/// The least time that something took, done again until it was less than `limit`, and so often at most.
///
/// A machine that is late once is not late each time; what waits for a timeout of its own is.
func leastTime(
    _ times: Int = 5, below limit: Duration, _ body: () throws -> Void
) rethrows -> Duration {
    var least = Duration.seconds(3600)
    for _ in 0..<times where least >= limit { least = min(least, try ContinuousClock().measure { try body() }) }
    return least
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
