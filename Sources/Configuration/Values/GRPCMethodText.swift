import Access

/// Methods of gRPC services, as paths name them.
enum GRPCMethodText {
    private static let segment = "[A-Za-z_][0-9A-Za-z_.-]*"

    /// A method of a service, all of a service by `/package.Service/*`, all by `/*`; or a method of HTTP.
    static let orHTTPMethod = TextShape(
        expected: "a method such as GET, or /package.Service/Method of gRPC",
        pattern: "^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,32}|/\\*|/\(segment)/(\\*|\(segment)))$"
    ) { text in
        if text.hasPrefix("/") { return fault(text) }
        guard var fault = PlainText.method.fault(text) else { return nil }
        if text.contains("/") {
            fault.remedy = "begin the name of a method of gRPC with /"
        } else if fault.expected == nil {
            fault.expected = PlainText.method.expected
        }
        return fault
    }

    private static func fault(_ text: String) -> TextFault? {
        let example = text == "/*" ? "/s/m" : text.hasSuffix("/*") ? text.dropLast() + "m" : text
        if text.utf8.count <= 512, GRPCMethodNames.isMethod(example.utf8Span.span) { return nil }
        return TextFault(
            expected: "a method such as /package.Service/Method",
            remedy: "write the path of its calls, byte for byte, with * in place of the method for all of a service")
    }
}
