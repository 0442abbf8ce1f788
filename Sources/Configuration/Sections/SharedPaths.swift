import Access

/// Routes that have a path of one host in common, and names that two of them have.
struct SharedPaths {
    private struct Route {
        let object: CheckedObject
        let path: PlacedText
        let host: String
        let settings: RouteSettings

        init?(_ object: CheckedObject) {
            guard let path = object.text("path") else { return nil }
            self.object = object
            self.path = path
            host = object.text("host")?.text.lowercased() ?? ""
            // What tells routes apart is known of those too that do not load.
            var settings = RouteSettings(
                name: "", path: path.text, upstream: UpstreamSettings(servers: []), access: .publicAccess,
                methods: MethodsOfRoute(object, ProblemList()).allowed)
            settings.field = RouteFieldSettings.said(object)
            self.settings = settings
        }
    }

    private let routes: [Route]

    init(_ objects: [CheckedObject]) { routes = objects.compactMap(Route.init) }

    /// Refuses two routes of which either could be meant: which one wins would depend on their order.
    ///
    /// And two of one name, which logs could not tell apart.
    func judge(_ problems: ProblemList) {
        var seen: [String: [Route]] = [:]
        var refused: Set<String> = []
        for route in routes {
            let key = "\(route.host) \(route.path.text)"
            if seen[key]?.contains(where: { judge(route, beside: $0, problems) }) ?? false {
                refused.insert(route.path.place.path)
            }
            seen[key, default: []].append(route)
        }
        judgeNames(besides: refused, problems)
    }

    /// Whether a route was refused for what another one for its path says.
    private func judge(_ route: Route, beside first: Route, _ problems: ProblemList) -> Bool {
        let line = first.path.place.position.words
        if RouteChoices.tie(first.settings, route.settings) {
            problems.error(
                at: route.path.place,
                expected: "a path of its own for each route, or methods or fields that tell them apart",
                found: "\(Quoted.text(route.path.text)) again",
                remedy: "a request could be for the route on \(line) too; merge the two routes")
            return true
        }
        let (one, other) = (first.object, route.object)
        let isSame = [
            "allow_in_path": Set(one.texts("allow_in_path").map(\.text))
                == Set(other.texts("allow_in_path").map(\.text)),
            "case_insensitive": one.flag("case_insensitive") ?? false == other.flag("case_insensitive") ?? false,
        ]
        for key in ["allow_in_path", "case_insensitive"] where isSame[key] == false {
            problems.error(
                at: other.place(of: key), expected: "the same \(key) as the route for this path on \(line)",
                found: "another one", remedy: "a path is read before its route is chosen: say the same in both")
            return true
        }
        return false
    }

    private func judgeNames(besides refused: Set<String>, _ problems: ProblemList) {
        var seen: [String: Place] = [:]
        for route in routes {
            let said = route.object.text("name")
            let name = said ?? PlacedText(place: route.path.place, text: route.host + route.path.text)
            guard let first = seen[name.text] else {
                seen[name.text] = name.place
                continue
            }
            // A path said twice is reported as such, not also as a name.
            guard !refused.contains(name.place.path) else { continue }
            problems.error(
                at: name.place, expected: "a name of its own for each route", found: "\(Quoted.text(name.text)) again",
                remedy: "the first is on \(first.position.words); "
                    + (said == nil ? "give one a name" : "rename one"))
        }
    }
}
