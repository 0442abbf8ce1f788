import Testing

/// Where a suite about paths has its routes: at the root, or behind a segment that may be anything.
///
/// A path that some reader takes for another one leads past no guard, whichever way the guard's own path is written.
enum RoutePlace: String, CaseIterable, Sendable {
    case root, wildcard

    /// What the path of a route is there.
    func route(_ path: String) -> String { (self == .root ? "" : "/shop/*") + path }

    /// What requests begin with.
    var beginning: String { self == .root ? "" : "/shop/a" }

    /// Each path at each place.
    ///
    /// What is `atRoot` begins with what some take for a server's name, or with the gateway's own paths: behind other segments
    /// it does not.
    static func each(_ paths: [String], atRoot: [String] = []) -> [PlacedPath] {
        (paths + atRoot).map { PlacedPath(place: .root, path: $0) }
            + paths.map { PlacedPath(place: .wildcard, path: wildcard.beginning + $0) }
    }
}

/// A path of a request, to routes at one place.
struct PlacedPath: Sendable, CustomTestStringConvertible {
    let place: RoutePlace
    let path: String

    var testDescription: String { path }
}
