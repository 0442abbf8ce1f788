import TestSupport
import TestTraits
import Testing

/// Rows ECO-65 and HTTP-57 where paths of routes have wildcards, over real sockets.
@Suite(.serialized, .byEachProtocol) struct `routes with wildcards` {
    private static let guarded = #"token: { issuers: [main], audience: "https://api.test/orders" }"#
    private static let shared = Shared {
        try Stage(routes: [
            "{ path: /open/, upstream: $UPSTREAM, public: true }",
            "{ path: /api/v1/*/public, upstream: $UPSTREAM, public: true }",
            "{ path: /api/v1/*/, upstream: $UPSTREAM, \(guarded) }",
            "{ path: /api/v1/admin/, upstream: $UPSTREAM, \(guarded) }",
            "{ path: /files/*/report.cgi, upstream: $UPSTREAM, \(guarded) }",
            "{ path: /, upstream: $UPSTREAM, public: true }",
        ])
    }
    let stage: Stage

    init() throws {
        stage = try Self.shared.get()
        stage.reset()
    }

    @Test(
        .holds("ECO-65"),
        arguments: [
            "/api/v1/shop/public", "/api/v1/%73hop/public", "/api/v1/*/public", "/api/v1", "/files/a/report",
            "/files/a",
        ])
    func `take one segment for each, forwarded as it came`(path: String) throws {
        try stage.expectForwarded(request("GET", path), path: path)
    }

    @Test(
        .refuses("ECO-65"),
        arguments: [
            "/api/v1/admin/public", "/api/v1/shop", "/api/v1/shop/public/x", "/api/v1/shop/orders",
            "/files/a/report.cgi",
            "/api/v1/%61dmin/public",
        ])
    func `open nothing that comes before them`(path: String) throws {
        #expect(try stage.exchange("GET", path).status == 401)
        stage.reset()
        #expect(try stage.exchange("GET", path, fields: [stage.tokens.bearer()]).status == 200)
    }

    @Test(
        .refuses("ECO-65", "HTTP-57"),
        arguments: [
            "/api/v1//public", "/api/v1/admin%2Fpublic", "/api/v1/shop%2Fx/public", "/api/v1/admin;/public",
            "/api/v1/shop//public", "//api/v1/shop/public", "/api/v1/../public", "/api/v1/shop/public/",
            "/files/a/report.cgi/x", "/files/a/report.cgi/", "/files/b/report.cgi/.css",
        ])
    func `are refused a path that another reader takes elsewhere`(path: String) throws {
        try stage.expectRefused(request("GET", path))
    }
}
