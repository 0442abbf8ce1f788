import HTTPMessage

extension HeadView {
    /// Whether a request without a session comes from a network whose clients need none.
    ///
    /// By the address that the connection has, or that proxies which the operator names tell: nothing that a client writes
    /// decides. A page elsewhere, opened by a browser in that network, must not use this: what it may not do with a session
    /// it may not do without one. What a browser fetches for it brings no session (SameSite), and gets nothing here either.
    /// `site` is counted from the first of the route's, as its pages are.
    func needsNoLogin(
        _ arrival: borrowing Arrival, _ login: FixedValue<LoginPolicy>, site: Int, _ findings: inout Findings
    ) throws(Refused) -> Bool {
        findings.isLetInByNetwork = false
        guard login.pointee.networks.count > 0, let address = arrival.connection.address else { return false }
        for index in 0..<login.pointee.networks.count where login.pointee.networks[index].contains(address) {
            try checkSamePage(login, site: site, isListed: findings.isOfListedOrigin)
            guard !isOfPageElsewhere(login, site: site, isListed: findings.isOfListedOrigin) else { return false }
            findings.isLetInByNetwork = true
            return true
        }
        return false
    }
}
