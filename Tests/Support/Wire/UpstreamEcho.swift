/// The response of an upstream that says what it was sent.
enum UpstreamEcho {
    static func response(to request: WireRequest, body: [UInt8]) -> [UInt8] {
        let lines = request.fields.all.map { "[\(quote($0.name)),\(quote($0.value))]" }
        let json = """
            {"method":\(quote(request.method)),"target":\(quote(request.target)),\
            "fields":[\(lines.joined(separator: ","))],"body":\(quote(text(body)))}
            """
        let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: \(json.utf8.count)\r\n\r\n"
        return Array(head.utf8) + (request.method == "HEAD" ? [] : Array(json.utf8))
    }

    private static func quote(_ value: String) -> String {
        var result = "\""
        for scalar in value.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case _ where scalar.value < 0x20:
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
