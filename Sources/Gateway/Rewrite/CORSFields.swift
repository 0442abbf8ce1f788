import Access
import Bytes
import HTTPMessage

/// Requests of scripts on pages elsewhere (the Fetch standard's CORS protocol; HTTP-71, HTTP-72, T-46).
extension WorkerRef {
    /// What the answer will say to the page that asks, and what a preflight gets; nil for every other request.
    ///
    /// A browser sends a preflight without credentials by itself: it is judged before credentials are asked for, and
    /// never refused for the lack of any. Costs a request without `Origin` two looks.
    func judgeCrossOrigin(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>
    ) throws(Refused) -> Step? {
        let route = exchange.pointee.route.unsafelyUnwrapped
        let head = pointee.head
        let lines = head.pointee.fields.count(of: .origin)
        let isRuled = route.pointee.cors.mode == .rules
        guard lines > 0 else {
            if isRuled { exchange.pointee.corsLines = route.pointee.cors.lines(forPlace: nil) }
            return nil
        }
        let range = head.pointee.fields[head.pointee.fields.firstIndex(of: .origin)].value
        let origin = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        // Of two lines nobody could tell which page it was.
        let place = isRuled && lines == 1 ? route.pointee.cors.place(of: origin) : nil
        if isRuled {
            exchange.pointee.corsLines = route.pointee.cors.lines(forPlace: place)
            exchange.pointee.isOfListedOrigin =
                place != nil && route.pointee.cors.takesCredentials
                && permitted(head.pointee.method, exchange.pointee.method, route, bytes)
        }
        guard isPreflight() else { return nil }
        exchange.pointee.corsLines = nil
        switch route.pointee.cors.mode {
        case .rules:
            guard place != nil || route.pointee.cors.isForAnyone else {
                exchange.pointee.corsLines = route.pointee.cors.lines(forPlace: nil)
                throw refusePreflight(route, origin)
            }
            return .answerPreflight(origin: place)
        case .refused: throw refusePreflight(route, origin)
        case .upstream:
            try checkOrigin(route, bytes)
            let index = head.pointee.fields.firstIndex(of: .accessControlRequestMethod)
            let method = head.pointee.fields[index].value
            let name = UnsafeBufferPointer(start: bytes + Int(method.start), count: Int(method.count))
            // The upstream's answer would be for a request that never gets there.
            guard permitted(method, MethodSet.id(of: name), route, bytes) else {
                throw refuse(
                    .methodNotAllowed, route.pointee.methodNames.allow, String(decoding: name.prefix(32), as: UTF8.self)
                )
            }
            exchange.pointee.isPreflight = true
            return isLastHop(exchange, bytes) ? .answerOptions : .forward(try planRequest(exchange, route, bytes))
        }
    }

    /// `OPTIONS` that asks, for a page, whether another method may follow; without content, as browsers send it.
    ///
    /// With content it is another request, and needs what every request needs.
    private func isPreflight() -> Bool {
        let head = pointee.head
        guard head.pointee.methodID == .options, head.pointee.fields.count(of: .accessControlRequestMethod) > 0 else {
            return false
        }
        return head.pointee.framing == .none || head.pointee.framing == .length(0)
    }

    private func permitted(
        _ range: ByteRange, _ method: MethodID, _ route: UnsafePointer<Route>, _ bytes: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        let methods = route.pointee.cors.methods
        guard method == .other else { return methods.known >> UInt16(method.rawValue) & 1 == 1 }
        let name = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
        return methods.known & 1 == 1 || methods.contains(named: name)
    }

    private func refusePreflight(_ route: UnsafePointer<Route>, _ origin: UnsafeBufferPointer<UInt8>) -> Refused {
        refuse(
            .originNotAllowed, CORSWords.origins(route.pointee.settings.cors),
            String(decoding: origin.prefix(128), as: UTF8.self), check: "HTTP-71")
    }

    /// Tells a browser what may follow; whether its own request is among that, it finds by itself.
    func answerPreflight(_ exchange: ExchangeRef, origin place: Int?) {
        guard let route = exchange.pointee.route, case .rules(let rules) = route.pointee.settings.cors else {
            return answer(exchange, status: 403, fields: [])
        }
        let origin = place.flatMap { place in rules.origins.map { $0[place] } } ?? "*"
        var fields = [("Access-Control-Allow-Origin", origin)]
        if rules.credentials { fields.append(("Access-Control-Allow-Credentials", "true")) }
        fields.append(("Access-Control-Allow-Methods", route.pointee.cors.methods.allow))
        if !rules.requestFields.isEmpty {
            fields.append(("Access-Control-Allow-Headers", rules.requestFields.joined(separator: ", ")))
        }
        fields.append(("Access-Control-Max-Age", "\(rules.maxAgeSeconds)"))
        fields.append(("Vary", "Origin, Access-Control-Request-Method, Access-Control-Request-Headers"))
        answer(exchange, status: 204, fields: fields)
    }

    /// Whether a field of an upstream is its word on other origins, where that is not its to say.
    func isAccessControl(_ slot: FieldSlot, _ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        let prefix: StaticString = "access-control-"
        let length = prefix.utf8CodeUnitCount
        guard Int(slot.name.count) > length, bytes[Int(slot.name.start)] | 0x20 == UInt8(ascii: "a") else {
            return false
        }
        let start = UnsafeBufferPointer(start: bytes + Int(slot.name.start), count: length)
        return ASCII.equalsIgnoringCase(start.span, UnsafeBufferPointer(start: prefix.utf8Start, count: length).span)
    }

    /// The lines for the page that asked.
    func putCORS(_ exchange: ExchangeRef, into writer: inout HeadWriter) {
        if let lines = exchange.pointee.corsLines { writer.put(lines.pointee.buffer) }
    }
}

/// What operators are told of a policy.
enum CORSWords {
    static func origins(_ settings: CORSSettings) -> String {
        switch settings {
        case .refused: "no page elsewhere: the route has no cors"
        case .upstream: "what the upstream allows"
        case .rules(let rules): rules.origins.map { "one of cors.origins: \($0.joined(separator: ", "))" } ?? "any"
        }
    }
}
