import Bytes

/// Parameters of a logout request, found in a form or a query whose other parameters nobody cares for.
enum LogoutForm {
    /// Why a parameter has no value.
    enum Problem: Error {
        /// Two readers could take two of them.
        case repeated
        /// An incomplete escape.
        case malformed
    }

    /// The one value of `name`, decoded; nil when the parameter is absent.
    static func value(of name: String, in form: Span<UInt8>) throws(Problem) -> [UInt8]? {
        var found: [UInt8]?
        var start = 0
        while start <= form.count {
            var end = start
            var separator: Int?
            while end < form.count, form[end] != UInt8(ascii: "&") {
                if separator == nil, form[end] == UInt8(ascii: "=") { separator = end }
                end += 1
            }
            let nameEnd = separator ?? end
            // What is spelt in a way that cannot be read has another name than the one looked for.
            if FormEncoding.isSpelling(form.extracting(start..<nameEnd), of: name) {
                guard found == nil else { throw .repeated }
                guard let value = FormEncoding.decode(form.extracting(min(nameEnd + 1, end)..<end)) else {
                    throw .malformed
                }
                found = value
            }
            start = end + 1
        }
        return found
    }
}
