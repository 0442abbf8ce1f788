/// Fetches on behalf of a span: each request says which one (W3C Trace Context §3.2).
private struct FetchingInTrace: Fetching {
    let fetching: any Fetching
    let parent: TraceParent

    func fetch(_ request: FetchRequest) async throws(FetchRefusal) -> FetchResponse {
        var request = request
        let text = parent.text
        let value = text.indices.map { text[$0] }
        request.headers.append(("traceparent", String(decoding: value, as: UTF8.self)))
        return try await fetching.fetch(request)
    }
}

extension Fetching {
    /// The same for requests that are sent for this span, whose servers are told so; itself for none.
    public func within(_ parent: TraceParent?) -> any Fetching {
        guard let parent else { return self }
        return FetchingInTrace(fetching: self, parent: parent)
    }
}
