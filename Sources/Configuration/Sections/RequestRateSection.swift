import Access
import Gateway

/// `limits.requests`, of all routes or of one: how many requests there may be, and whose (ECO-78).
enum RequestRateSection {
    private static let shape = ObjectShape(
        noun: "a rate of requests",
        keys: [
            KeyDescription(
                "rate", .text(RequestRateText.rate), .required, example: "100/s",
                "How many requests in a second (s), minute (min), hour (h) or day (d), on average."),
            KeyDescription(
                "burst", .integer(1...1_000_000), .optional, example: "200",
                "How many at once, after as long a pause; as many as rate has in its time by default."),
            KeyDescription(
                "by", .text(RequestRateText.key), .required, example: "subject",
                "Whose are counted together: address, client_id, subject, route, or claim: and its path."),
        ])

    /// At most so many for one route: each is looked up for every request.
    static let value = Shape.list(ListShape(noun: "rates of requests", element: .object(shape), count: 0...16))

    /// What is said; nil where nothing is.
    static func translate(_ limits: CheckedObject?, isPublic: Bool, _ problems: ProblemList) -> [RequestLimitSettings]?
    {
        guard let limits, limits["requests"] != nil else { return nil }
        var all: [RequestLimitSettings] = []
        for object in limits.list("requests").compactMap(\.object) {
            guard let rate = object.text("rate"), let by = object.text("by"),
                let (count, period) = RequestRateText.parse(rate.text), let key = RequestRateText.parseKey(by.text)
            else { continue }
            judge(key, by, isPublic: isPublic, problems)
            let limit = RequestLimitSettings(count, per: period, burst: object.integer("burst"), by: key)
            if all.contains(where: { $0.key == key && $0.period == period && $0.count == count }) {
                problems.error(
                    at: rate.place, expected: "each rate by the same key once",
                    found: "\(rate.text) by \(key.text) again", remedy: "keep one of them")
            }
            all.append(limit)
        }
        return all
    }

    /// Nobody is known on a public route.
    private static func judge(
        _ key: RequestLimitSettings.Key, _ by: PlacedText, isPublic: Bool, _ problems: ProblemList
    ) {
        switch key {
        case .address, .route: return
        case .clientID, .subject, .claim:
            guard isPublic else { return }
            problems.error(
                at: by.place, expected: "by: address or by: route on a public route", found: Quoted.text(by.text),
                remedy: "nobody is known here: count by address, or say token or login in place of public")
        }
    }
}

/// Rates of requests, and whose they are.
enum RequestRateText {
    static let rate = TextShape(
        expected: "a rate such as 100/s, 600/min, 1000/h or 5000/d", pattern: "^[1-9][0-9]{0,6}/(s|min|h|d)$"
    ) { text in
        if parse(text) != nil { return nil }
        if text.allSatisfy(\.isASCIIDigit) { return TextFault(remedy: "say in how long:  \(text)/s") }
        return TextFault(remedy: "write a number of at most 1000000, a slash, and s, min, h or d")
    }

    static let key = TextShape(
        expected: "address, client_id, subject, route, or a claim such as claim:tenant",
        pattern: "^(address|client_id|subject|route|claim:[^ ].*)$"
    ) { text in
        if parseKey(text) != nil { return nil }
        switch text {
        case "ip", "client_ip", "client_address", "remote_addr": return TextFault(remedy: "write  by: address")
        case "client", "azp": return TextFault(remedy: "write  by: client_id")
        case "sub", "user": return TextFault(remedy: "write  by: subject")
        case _ where text.hasPrefix("claim"):
            return TextFault(remedy: "write the claim's path behind the colon without a space:  by: claim:tenant")
        case _: return TextFault(remedy: "write one of these words; a claim is  claim:  and its path")
        }
    }

    static func parse(_ text: String) -> (Int, RequestLimitSettings.Period)? {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let period = RequestLimitSettings.Period(rawValue: String(parts[1])),
            (1...7).contains(parts[0].count), parts[0].allSatisfy(\.isASCIIDigit), parts[0].first != "0",
            let count = Int(parts[0]), count <= 1_000_000
        else { return nil }
        return (count, period)
    }

    static func parseKey(_ text: String) -> RequestLimitSettings.Key? {
        switch text {
        case "address": return .address
        case "client_id": return .clientID
        case "subject": return .subject
        case "route": return .route
        case _:
            guard text.hasPrefix("claim:"), !text.hasPrefix("claim: ") else { return nil }
            return ClaimPathText.parse(String(text.dropFirst(6))).map { .claim($0) }
        }
    }
}

extension Character {
    fileprivate var isASCIIDigit: Bool { ("0"..."9").contains(self) }
}
