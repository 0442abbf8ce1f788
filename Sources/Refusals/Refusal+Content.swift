package import HTTP2
package import Pages

/// What a head says about who reads the answer; kept with the exchange, for refusals come when the head is long gone.
package struct Reader: Sendable, Equatable {
    /// A person waits for a page (ECO-17).
    package var isNavigation = false
    /// A program asked for problems in JSON (RFC 9457).
    package var wantsProblem = false
    /// It calls a procedure, and reads how that ended in fields of its own (gRPC over HTTP/2).
    package var call: GRPCContentType?
    /// Which of the pages' languages the person wants most; 0 for none of them.
    package var language: UInt8 = 0

    package init() {}
}

/// What stands in the answer of a refusal beside its status and fields.
package enum RefusalContent: Sendable, Equatable {
    case nothing
    /// A page for people.
    case page(PageTopic)
    /// `application/problem+json` (RFC 9457).
    case problem
    /// A sentence for whoever cannot know better.
    case sentence
    /// The status of a procedure's call, in fields, under 200: a client of gRPC takes another status for its transport's and
    /// never shows what else the answer says.
    case callStatus(GRPCStatus, GRPCContentType)
}

extension Refusal {
    /// What the answer contains, for whoever reads it: decided here, and nowhere else.
    ///
    /// Scripts, images and other programs get nothing, as fields say all that they can use, unless they ask for it.
    package func content(for reader: Reader, isSignedIn: Bool = false) -> RefusalContent {
        if let call = reader.call, let status = callStatus { return .callStatus(status, call) }
        if reader.isNavigation { return .page(topic(isSignedIn: isSignedIn)) }
        if reader.wantsProblem { return .problem }
        return self == .plainHTTP ? .sentence : .nothing
    }

    /// What a page about it tells; somebody who is signed in reads that it is forbidden to them.
    package func topic(isSignedIn: Bool) -> PageTopic {
        isSignedIn && topic == .notAllowed ? .forbidden : topic
    }

    /// What a page tells somebody whose login it ended: there is no session yet that a store's outage keeps back.
    package var topicOfLogin: PageTopic { self == .sessionStoreUnavailable ? .checkDown : topic }

    /// What a page tells somebody whose logout it ended: where sessions could not be asked about, nothing has ended.
    package var topicOfLogout: PageTopic {
        switch self {
        case .sessionStoreUnavailable, .storeUnavailable: .stillSignedIn
        case _: topic
        }
    }
}
