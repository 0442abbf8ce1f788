import Access
import Bytes
import HTTPMessage

/// Requests of scripts on pages elsewhere (the Fetch standard's CORS protocol; HTTP-71, HTTP-72, T-46).
extension WorkerRef {
    /// Tells a browser what may follow; whether its own request is among that, it finds by itself.
    func answerPreflight(_ exchange: ExchangeRef, origin place: Int?) {
        guard let route = exchange.pointee.findings.route, case .rules(let rules) = route.pointee.settings.cors else {
            return answer(exchange, status: 403, fields: [])
        }
        let origin = place.flatMap { place in rules.origins.map { $0[place] } } ?? "*"
        var fields = [("Access-Control-Allow-Origin", origin)]
        if rules.credentials { fields.append(("Access-Control-Allow-Credentials", "true")) }
        fields.append(("Access-Control-Allow-Methods", route.pointee.cors.methods.allow))
        if !rules.requestFields.isEmpty {
            fields.append(("Access-Control-Allow-Headers", rules.requestFields.joined(separator: ", ")))
        }
        fields.append(("Access-Control-Max-Age", "\(rules.maximumAge.wholeSeconds)"))
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
        let place: Int?
        switch exchange.pointee.findings.corsLines {
        case .none: return
        case .anyone: place = nil
        case .origin(let listed): place = listed
        }
        guard let route = exchange.pointee.findings.route else { return }
        route.pointee.cors.put(linesForPlace: place, into: &writer)
    }
}

extension CORSPolicy {
    fileprivate func put(linesForPlace place: Int?, into writer: inout HeadWriter) {
        writer.put(lines(forPlace: place))
    }
}
