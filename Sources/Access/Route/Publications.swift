import Bytes
import HTTPMessage

extension AccessPolicy {
    /// What the gateway answers itself under its own paths; nil for nearly all requests, which costs them a comparison of
    /// one byte.
    ///
    /// The paths below the well-known one and below `/.portcullis/` are the gateway's: what is not there is answered
    /// 404 and never forwarded (MD-25), however it is spelt, unless a route names such a well-known path itself.
    borrowing func publication(
        _ head: HeadView, _ arrival: borrowing Arrival, _ findings: inout Findings, hasAssertionKeys: Bool
    ) throws(Refused) -> Judgement? {
        let path = head.path
        guard path.count > 2 else { return nil }
        switch path[1] {
        // `/.…` itself, an escape that may stand for the dot, and a slash that some reader merges.
        case UInt8(ascii: "."), UInt8(ascii: "%"), UInt8(ascii: "/"):
            return try reservedPublication(head, arrival, &findings, hasAssertionKeys: hasAssertionKeys)
        default: return nil
        }
    }

    private borrowing func reservedPublication(
        _ head: HeadView, _ arrival: borrowing Arrival, _ findings: inout Findings, hasAssertionKeys: Bool
    ) throws(Refused) -> Judgement? {
        let path = head.path
        guard let reserved = ReservedPath(path) else { return nil }
        try findSite(head, arrival, &findings)
        switch reserved {
        case .protectedResource:
            let found = published.find(
                site: Int(findings.site), authority: head.authority, path: path, query: head.query)
            if let found { return .publish(.resource(found)) }
            if let route = routes.match(path, inTable: table(of: findings.site)),
                route.pointee.settings.path.hasPrefix(ReservedPath.protectedResourceMetadata)
            {
                return nil
            }
        case .gateway:
            if let endpoint = loginPaths.endpoint(path, site: Int(findings.site)) { return .login(endpoint) }
            if hasAssertionKeys || publishesClientKeys,
                path.isEqual(to: ReservedPath.assertionKeys.utf8.span)
            {
                return .publish(.assertionKeys)
            }
        }
        try PathPatterns.checkPath(path, [])
        throw Refused(
            .routeUnknown, expected: "a document that is published here",
            found: .text(String(copying: path.extracting(first: 64))),
            check: reserved == .protectedResource ? "MD-20" : "MD-25")
    }
}
