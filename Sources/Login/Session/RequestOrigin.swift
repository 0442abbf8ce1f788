import HTTPMessage

extension LoginRequest {
    /// Whether a page of this very origin asks, and not another site's in the user's name (SC-09, SC-10).
    ///
    /// A browser that says where a request comes from is believed, for no page can make it say otherwise. One that does
    /// not say sends `Origin` with every POST; and a field of our own can be added by no other site's page without being
    /// asked about first, which is refused.
    var isFromThisOrigin: Bool {
        // A page that lets no referrer out has no origin to show, and its browser says all the same that it is ours.
        if origin == "null" { return fetchSite == "same-origin" }
        if let origin, !Self.isSameOrigin(origin, publicURL) { return false }
        if let fetchSite { return fetchSite == "same-origin" || fetchSite == "none" }
        return origin != nil || hasRequestedBy
    }

    /// Scheme, host and port alike; `null` is nobody's origin.
    private static func isSameOrigin(_ origin: String, _ publicURL: String) -> Bool {
        guard let one = URI(origin), let other = URI(publicURL), one.path.isEmpty, one.query == nil,
            one.fragment == nil
        else { return false }
        return one.scheme.utf8.elementsEqual(other.scheme.utf8) && one.host.utf8.elementsEqual(other.host.utf8)
            && one.effectivePort == other.effectivePort
    }
}
