package import HTTP2

extension Refusal {
    /// What a client of gRPC is told (H2-86); nil where the answer stays a plain one, for the client has to do something
    /// about its connection.
    package var callStatus: GRPCStatus? { GRPCStatus(refusal: Int(status), about: subjectOfCall) }

    private var subjectOfCall: GRPCStatus.Subject {
        switch self {
        case .upstreamMalformed, .upstreamSwitchedProtocols: .upstreamAnswer
        case _ where template == .message: .framing
        case _ where template == .request: .parameter
        case _: .other
        }
    }

    /// The one sentence that a client of gRPC shows.
    package var callMessage: String { clientDescription ?? "\(word)" }

    /// The same for people; nil where its client sees the HTTP status alone.
    package var callAnswer: CallAnswer? {
        callStatus.map { CallAnswer(status: Int($0.rawValue), name: $0.name, message: callMessage) }
    }
}

/// What a client of gRPC is told of a refusal.
package struct CallAnswer: Sendable, Equatable {
    /// `grpc-status`.
    package let status: Int
    /// What gRPC calls that status.
    package let name: String
    /// `grpc-message`, as people read it.
    package let message: String
}

extension GRPCContentType {
    /// The media type of an answer without a message.
    package var mediaType: String {
        switch self {
        case .native: "application/grpc"
        case .web: "application/grpc-web"
        }
    }
}
