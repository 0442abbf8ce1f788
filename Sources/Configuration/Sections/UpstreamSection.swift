// SPDX-License-Identifier: Apache-2.0
import Gateway

/// `upstream` of a route: one fixed destination (HTTP-75).
enum UpstreamSection {
    static let url = URLText.origin(
        example: "http://127.0.0.1:3001",
        remedy: "leave out path and query: the request's own are forwarded unchanged")

    static let shape = ObjectShape(
        noun: "a mapping with url",
        keys: [
            KeyDescription(
                "url", .text(url), .required, example: "https://orders.internal:8443", "Where the requests go."),
            KeyDescription(
                "certificate_authority", .text(PlainText.file), .optional, example: "/etc/portcullis/internal-ca.pem",
                "PEM file with the authorities that may sign the upstream's certificate; the system's by default."),
            KeyDescription(
                "server_name", .text(PlainText.serverName), .optional, example: "orders.internal",
                "The name asked for and verified in the upstream's certificate; the URL's host by default."),
        ])

    static func translate(_ value: CheckedValue, _ context: RouteContext) -> UpstreamSettings? {
        let object = value.object
        let authority = object.flatMap { context.translation.certificateAuthority($0) }
        guard let text = object?.text("url") ?? value.text.map({ PlacedText(place: value.place, text: $0) }),
            let address = WebAddress(text.text)
        else { return nil }
        if let object, !address.isSecure {
            for key in ["certificate_authority", "server_name"] where object.says(key) {
                context.translation.problems.error(
                    at: object.place(of: key), expected: "an https upstream", found: Quoted.text(text.text),
                    remedy: "write https, or leave \(key) out")
            }
        }
        judgeLoop(address, text, context)
        return UpstreamSettings(
            host: address.host, port: address.port, tls: address.isSecure, certificateAuthorityFile: authority,
            serverName: object?.text("server_name")?.text)
    }

    /// Refuses what would go round until something breaks (HTTP-51), and a way to admin (OPS-06).
    private static func judgeLoop(_ address: WebAddress, _ text: PlacedText, _ context: RouteContext) {
        let problems = context.translation.problems
        if let own = context.listeners.first(where: { $0.address.isReached(byHost: address.host, port: address.port) })
        {
            problems.error(
                at: text.place, expected: "an upstream other than this gateway",
                found: "\(Quoted.text(text.text)), its own listener \(own.address.text)",
                remedy: "write the address of the server behind the gateway")
        } else if let admin = context.admin, admin.address.isReached(byHost: address.host, port: address.port) {
            problems.error(
                at: text.place, expected: "an upstream other than this gateway",
                found: "\(Quoted.text(text.text)), its own admin listener",
                remedy: "metrics and health are not served through routes; ask the admin listener")
        } else if context.listeners.contains(where: { $0.publicURL == address.origin }) {
            problems.warning(
                at: text.place, expected: "an upstream other than this gateway",
                found: "\(Quoted.text(text.text)), the public_url of a listener",
                remedy: "make sure that this name leads elsewhere from here, or requests will go round")
        }
    }
}
