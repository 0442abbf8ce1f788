import Bytes

/// The timeouts for all routes as the loop counts them: in milliseconds, with nothing left to convert.
struct LoopTimeouts {
    let requestHead: Int
    let requestBody: Int
    let keepAlive: Int
    let upstreamConnect: Int
    let responseBody: Int
    let upstreamIdle: Int
    let tunnelIdle: Int
    let keyWait: Int

    init(_ settings: TimeoutSettings) {
        requestHead = settings.requestHead.wholeMilliseconds
        requestBody = settings.requestBody.wholeMilliseconds
        keepAlive = settings.keepAlive.wholeMilliseconds
        upstreamConnect = settings.upstreamConnect.wholeMilliseconds
        responseBody = settings.responseBody.wholeMilliseconds
        upstreamIdle = settings.upstreamIdle.wholeMilliseconds
        tunnelIdle = settings.tunnelIdle.wholeMilliseconds
        keyWait = settings.keyWait.wholeMilliseconds
    }
}
