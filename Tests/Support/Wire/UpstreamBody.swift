/// A request body on its way into the record.
struct UpstreamBody {
    private enum Framing {
        case none, length(Int), chunked
    }

    private let index: Int
    private let head: [UInt8]
    private let framing: Framing
    private(set) var recorded: [UInt8] = []
    private(set) var count = 0
    private(set) var isComplete = false
    private var chunks: [Int] = []
    private var chunkLeft = 0
    private var trailers: [String] = []
    private var isInTrailers = false

    init(of request: WireRequest, at index: Int) {
        self.index = index
        head = request.rawHead
        if let length = request.fields.only("content-length").flatMap({ Int($0) }) {
            framing = .length(length)
        } else if request.fields.only("transfer-encoding")?.lowercased() == "chunked" {
            framing = .chunked
        } else {
            framing = .none
        }
    }

    /// Takes what belongs to the body from the front of `buffer`.
    mutating func consume(_ buffer: inout [UInt8], recording limit: Int) throws {
        switch framing {
        case .none: isComplete = true
        case .length(let length):
            take(min(length - count, buffer.count), from: &buffer, recording: limit)
            isComplete = count == length
        case .chunked: try consumeChunks(&buffer, recording: limit)
        }
    }

    /// Writes progress to the request's place, unless the record was forgotten meanwhile.
    func write(to requests: inout [WireRequest]) {
        guard requests.indices.contains(index), requests[index].rawHead == head else { return }
        requests[index].body = recorded
        requests[index].bodyCount = count
        requests[index].chunks = chunks
        requests[index].trailers = trailers
        requests[index].isComplete = isComplete
    }

    private mutating func take(_ size: Int, from buffer: inout [UInt8], recording limit: Int) {
        recorded += buffer[..<min(size, max(0, limit - recorded.count))]
        count += size
        buffer.removeFirst(size)
    }

    private mutating func consumeChunks(_ buffer: inout [UInt8], recording limit: Int) throws {
        while !isComplete {
            if chunkLeft > 2 {
                let size = min(chunkLeft - 2, buffer.count)
                take(size, from: &buffer, recording: limit)
                chunkLeft -= size
                if chunkLeft > 2 { return }
            }
            if chunkLeft > 0 {
                guard buffer.count >= 2 else { return }
                guard buffer[0] == 0x0D, buffer[1] == 0x0A else { throw WireFailure.malformed("no CRLF after a chunk") }
                buffer.removeFirst(2)
                chunkLeft = 0
            }
            guard let end = firstIndex(of: [0x0D, 0x0A], in: Array(buffer.prefix(4096))) else { return }
            let line = text(Array(buffer[..<end]))
            buffer.removeFirst(end + 2)
            try read(line)
        }
    }

    private mutating func read(_ line: String) throws {
        if isInTrailers {
            if line.isEmpty { isComplete = true } else { trailers.append(line) }
            return
        }
        guard let size = Int(line, radix: 16), size >= 0, line.allSatisfy(\.isHexDigit) else {
            throw WireFailure.malformed("chunk size line \(line)")
        }
        if size == 0 {
            isInTrailers = true
        } else {
            chunks.append(size)
            chunkLeft = size + 2
        }
    }
}
