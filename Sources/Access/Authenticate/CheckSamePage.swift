import Bytes
package import HTTPMessage

extension HeadView {
    /// An unsafe request, or a WebSocket, must come from a page of an origin that is served here (SC-09, HTTP-58).
    ///
    /// The cookie alone says nothing of who made the browser send it: a form on a sibling's page does, too. `isListed`
    /// says that the route's rules for pages elsewhere let this very request through.
    func checkSamePage(_ login: FixedValue<LoginPolicy>, site: Int, isListed: Bool) throws(Refused) {
        if login.pointee.requiresHeader, !offersWebSocket {
            guard hasField("x-requested-by") else {
                throw Refused(.crossSiteRequest, expected: "X-Requested-By", found: "none")
            }
            return
        }
        switch methodID {
        case .get, .head, .options: guard offersWebSocket else { return }
        case .other, .post, .put, .delete, .patch, .connect, .trace, .track: break
        }
        // What a page may do by CORS says nothing of the WebSockets that it may open.
        let evidence = pageEvidence(login.pointee.origins[site], isListed: isListed && !offersWebSocket)
        if evidence.hasForeignOrigin || (offersWebSocket && !evidence.hasOwnOrigin) {
            throw Refused(.crossSiteRequest, expected: "a page of ours", found: "a page of another origin, or none")
        }
        guard evidence.hasOwnOrigin || evidence.isSameOriginFetch || hasField("x-requested-by") else {
            throw Refused(
                .crossSiteRequest, expected: "Sec-Fetch-Site, Origin or X-Requested-By of a page of ours",
                found: "none of them")
        }
    }

    /// Whether a browser asks for a page of another site, and nobody goes from there to here: to read, to frame or to measure
    /// what the answer is.
    func isOfPageElsewhere(_ login: FixedValue<LoginPolicy>, site: Int, isListed: Bool) -> Bool {
        let evidence = pageEvidence(login.pointee.origins[site], isListed: isListed)
        return evidence.hasForeignOrigin || evidence.isCrossSiteFetch && !evidence.hasOwnOrigin && !isNavigation()
    }

    /// What a browser says of the page that a request comes from; every line counts, so that none can hide another.
    private func pageEvidence(_ origins: borrowing OriginList, isListed: Bool) -> PageEvidence {
        var evidence = PageEvidence()
        var fetchSites = 0
        for index in 0..<fieldCount {
            let id = id(at: index)
            guard id == .origin || id == .secFetchSite else { continue }
            let value = value(at: index)
            if id == .origin {
                if value.isEqual(to: "null".utf8.span) {
                    evidence.hasNullOrigin = true
                } else if isListed || origins.contains(value) {
                    evidence.hasOwnOrigin = true
                } else {
                    evidence.hasForeignOrigin = true
                }
            } else {
                fetchSites += 1
                if value.isEqual(to: "cross-site".utf8.span) { evidence.isCrossSiteFetch = true }
                evidence.isSameOriginFetch =
                    fetchSites == 1
                    && (value.isEqual(to: "same-origin".utf8.span) || value.isEqual(to: "none".utf8.span))
            }
        }
        // A browser calls no page in a sandbox same-origin; where it says so, `null` is a page of ours without referrer.
        if evidence.hasNullOrigin, !evidence.isSameOriginFetch { evidence.hasForeignOrigin = true }
        return evidence
    }

    /// Whether a field of that name, in lower case, is there, of those without an ID of their own.
    package func hasField(_ name: String) -> Bool {
        for index in 0..<fieldCount where id(at: index) == .other {
            if ASCII.equalsIgnoringCase(text(nameRange(at: index)), name) { return true }
        }
        return false
    }
}

/// What a browser says of the page that a request comes from.
private struct PageEvidence {
    var hasOwnOrigin = false
    /// `null`: a frame in a sandbox, or a page that lets no referrer out, our own included.
    var hasNullOrigin = false
    var hasForeignOrigin = false
    var isSameOriginFetch = false
    var isCrossSiteFetch = false
}
