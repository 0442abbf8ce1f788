import Access
import Bytes

extension RoutePatience {
    /// What the route says, if there is one, and what is said for all where it says nothing.
    init(_ route: RouteSettings?, _ limits: LimitSettings, _ timeouts: TimeoutSettings) {
        let bodyLimit: Int64 =
            switch route?.limits.requestBody {
            case .unlimited: .max
            case .bytes(let count): count
            case nil: limits.requestBody ?? .max
            }
        self.init(
            bodyLimit: bodyLimit, bodyRate: route?.limits.requestBodyRate ?? limits.requestBodyRate,
            requestBody: (route?.timeouts.requestBody ?? timeouts.requestBody).wholeMilliseconds,
            upstreamFirstByte: (route?.timeouts.upstreamFirstByte ?? timeouts.upstreamFirstByte).wholeMilliseconds,
            responseBody: (route?.timeouts.responseBody ?? timeouts.responseBody).wholeMilliseconds)
    }
}
