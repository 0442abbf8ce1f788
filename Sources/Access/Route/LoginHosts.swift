/// Where a login is: at the hosts of the routes that ask for it, several only where its session's cookie is of a domain.
package enum LoginHosts {
    /// The hosts, by their places, each once in the order of the routes; nil is whatever routes without a host are at, and
    /// where a login is that no route asks for.
    package static func all(of login: Int, in routes: [RouteSettings]) -> [Int?] {
        var hosts: [Int?] = []
        for route in routes where route.access.login?.login == login && !hosts.contains(route.host) {
            hosts.append(route.host)
        }
        return hosts.isEmpty ? [nil] : hosts
    }
}
