import Bytes
import HTTPMessage

/// The routes that share a path of one host, in the order in which they are asked: those that name methods before those that
/// name none, and of these those that name a field before those that name none (ECO-65).
package struct RouteChoices: Sendable {
    /// The first route for each path, by host; -1 stands for none.
    let first: [Int: [Int]]
    /// The route that is asked behind each; -1 behind the last.
    let next: [Int]
    /// What `Allow` says, for routes that share their path.
    let allow: [(route: Int, allow: String)]

    private struct Place: Hashable {
        let host: Int
        let path: String
        let ignoresCase: Bool
    }

    init(_ routes: [RouteSettings]) {
        var groups: [Place: Int] = [:]
        var members: [[Int]] = []
        for (index, route) in routes.enumerated() {
            let place = Place(host: route.host ?? -1, path: route.path, ignoresCase: route.ignoresCase)
            if let group = groups[place] {
                members[group].append(index)
            } else {
                groups[place] = members.count
                members.append([index])
            }
        }
        var first: [Int: [Int]] = [:]
        var next = [Int](repeating: -1, count: routes.count)
        var allow: [(route: Int, allow: String)] = []
        for group in members {
            let order = group.sorted { (routes[$0].precedence, $0) < (routes[$1].precedence, $1) }
            first[routes[order[0]].host ?? -1, default: []].append(order[0])
            guard order.count > 1 else { continue }
            for (one, other) in zip(order, order.dropFirst()) { next[one] = other }
            var names: [String] = []
            for route in order {
                for name in MethodSet.of(routes[route]).allow.utf8.split(whereSeparator: { $0 == 0x20 || $0 == 0x2C }) {
                    let name = String(decoding: name, as: UTF8.self)
                    if !names.contains(name) { names.append(name) }
                }
            }
            for route in order { allow.append((route, names.joined(separator: ", "))) }
        }
        self.first = first
        self.next = next
        self.allow = allow
    }

    /// Whether requests could be meant for either of two routes for one path, so that nothing but their order would tell.
    package static func tie(_ one: RouteSettings, _ other: RouteSettings) -> Bool {
        guard one.precedence == other.precedence else { return false }
        if let some = one.methods, let others = other.methods, Set(some).isDisjoint(with: others) { return false }
        // A request may have two fields at once, but one field has one value.
        if let field = one.field, let another = other.field, field.name == another.name {
            return field.value == another.value
        }
        return true
    }
}

extension RouteSettings {
    /// Less of it comes first.
    fileprivate var precedence: Int { (methods == nil ? 2 : 0) + (field == nil ? 1 : 0) }
}

/// The field of a request by which a route is chosen, in memory of its own.
struct FieldChoice: Sendable {
    private let name: FixedBytes
    private let value: FixedBytes

    enum Fit { case fits, differs, repeated }

    init(_ settings: RouteFieldSettings) {
        name = FixedBytes(settings.name)
        value = FixedBytes(settings.value)
    }

    func destroy() {
        name.destroy()
        value.destroy()
    }

    /// Whether the request has the field, once and with this value; of two lines nobody could tell which is meant.
    func fit(_ head: HeadView) -> Fit {
        var found = Fit.differs
        var count = 0
        for index in 0..<head.fieldCount where head.id(at: index) == .other {
            guard ASCII.equalsIgnoringCase(head.text(head.nameRange(at: index)), name.span) else { continue }
            count += 1
            if head.value(at: index).isEqual(to: value.span) { found = .fits }
        }
        return count > 1 ? .repeated : found
    }
}

extension RouteIndex {
    /// Which of the routes for one path a request is for, the first of which this is.
    ///
    /// A path that some route has is never another path's: a method that none of them takes is answered 405 by the last of
    /// them, and a field that none of them fits 404.
    func choose(_ head: HeadView, from first: FixedValue<Route>) throws(Refused) -> FixedValue<Route> {
        var route = first
        var takesMethod = false
        // A browser's question is about the method that it asks for.
        let asks =
            head.methodID == .options && head.count(of: .accessControlRequestMethod) == 1
            && head.count(of: .origin) > 0
        let name = asks ? head.value(at: head.firstIndex(of: .accessControlRequestMethod)) : head.method
        let method = asks ? MethodSet.id(of: name) : head.methodID
        while true {
            if route.pointee.methodNames.allows(method, named: name) {
                takesMethod = true
                guard let field = route.pointee.field else { return route }
                switch field.fit(head) {
                case .fits: return route
                case .differs: break
                case .repeated:
                    throw Refused(
                        .routeUnknown, expected: "one line of the field that chooses the route", found: "more")
                }
            }
            guard route.pointee.next >= 0 else { break }
            route = list.value(at: route.pointee.next)
        }
        guard takesMethod else { return route }
        throw Refused(
            .routeUnknown, expected: "a field that a route for this path names", found: "none of them",
            check: "ECO-65")
    }
}
