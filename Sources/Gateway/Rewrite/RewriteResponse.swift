// SPDX-License-Identifier: Apache-2.0
import Bytes
import HTTPMessage
import Telemetry

extension WorkerRef {
    /// Writes the head a client gets: the upstream's fields without hop-by-hop ones, with framing of ours.
    func writeClientHead(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter
    ) {
        let head = pointee.responseHead
        // Our own version and a status line made anew: never the peer's (HTTP-09).
        writer.put("HTTP/1.1 ")
        writer.putDecimal(UInt64(head.pointee.status))
        writer.put(" ")
        writer.put(bytes + Int(head.pointee.reason.start), Int(head.pointee.reason.count))
        writer.put("\r\n")
        let rules = pointee.responseRules
        let judgesProofs = exchange.pointee.route.map { $0.pointee.token.schemes.contains(.dpop) } ?? false
        let givesNonce = exchange.pointee.givesNonce
        let removesCORS = exchange.pointee.route.map { $0.pointee.cors.removesUpstreamFields } ?? false
        let isPrivate = givesNonce || exchange.pointee.cookies != nil
        var runStart = 0
        var runEnd = 0
        for index in 0..<head.pointee.fields.count {
            let slot = head.pointee.fields[index]
            guard !rules.contains(slot.id), !(judgesProofs && slot.id == .dpopNonce),
                !(isPrivate && pointee.cachingRules.contains(slot.id)),
                !(head.pointee.connectionNamesFields && responseConnectionNames(slot, bytes)),
                slot.id != .other && slot.id != .setCookie || mayPass(slot, bytes),
                !(removesCORS && slot.id == .other && isAccessControl(slot, bytes))
            else { continue }
            if runEnd == Int(slot.line.start), runEnd > runStart {
                runEnd = slot.line.end
            } else {
                writer.put(bytes + runStart, runEnd - runStart)
                runStart = Int(slot.line.start)
                runEnd = slot.line.end
            }
        }
        writer.put(bytes + runStart, runEnd - runStart)
        // What is for one client alone is in no cache.
        if isPrivate { writer.put("Cache-Control: no-store\r\n") }
        if givesNonce { putNonce(into: &writer) }
        putCookies(exchange, into: &writer)
        putCORS(exchange, into: &writer)
        putResponseFraming(exchange, bytes, into: &writer)
        if !exchange.pointee.keepsAlive { writer.put("Connection: close\r\n") }
        writer.put("\r\n")
    }

    /// Whether a field of an upstream may reach the client: none that only we set, and no cookie of ours (HTTP-49).
    func mayPass(_ slot: FieldSlot, _ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        if slot.id == .setCookie {
            let value = UnsafeBufferPointer(start: bytes + Int(slot.value.start), count: Int(slot.value.count))
            guard setsOurs(value) else { return true }
            pointee.operatorLog.write(.warning, .upstreamCookieDropped)
            return false
        }
        let name = UnsafeBufferPointer(start: bytes + Int(slot.name.start), count: Int(slot.name.count))
        return !pointee.routes.reservedNames.contains(name)
    }

    private func putResponseFraming(
        _ exchange: ExchangeRef, _ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter
    ) {
        if exchange.pointee.sendsChunks {
            writer.put("Transfer-Encoding: chunked\r\n")
            return
        }
        let head = pointee.responseHead
        switch head.pointee.framing {
        case .length(let count):
            writer.put("Content-Length: ")
            writer.putDecimal(UInt64(count))
            writer.put("\r\n")
        case .none:
            // HEAD and 304 keep the length of what they stand for; 1xx and 204 have none (RFC 9110 §8.6, HTTP-38).
            let status = head.pointee.status
            guard status != 204, status >= 200 else { return }
            if exchange.pointee.method == .head || status == 304 {
                putSingleLength(bytes, into: &writer)
            } else {
                writer.put("Content-Length: 0\r\n")
            }
        case .chunked, .untilClose: break
        }
    }

    private func putSingleLength(_ bytes: UnsafeMutablePointer<UInt8>, into writer: inout HeadWriter) {
        let head = pointee.responseHead
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .contentLength {
            let value = head.pointee.fields[index].value
            writer.put("Content-Length: ")
            writer.put(bytes + Int(value.start), Int(value.count))
            writer.put("\r\n")
            return
        }
    }

    private func responseConnectionNames(_ slot: FieldSlot, _ bytes: UnsafeMutablePointer<UInt8>) -> Bool {
        let head = pointee.responseHead
        let name = UnsafeBufferPointer(start: bytes + Int(slot.name.start), count: Int(slot.name.count))
        for index in 0..<head.pointee.fields.count where head.pointee.fields[index].id == .connection {
            let range = head.pointee.fields[index].value
            let list = UnsafeBufferPointer(start: bytes + Int(range.start), count: Int(range.count))
            var position = 0
            while let member = CommaList.next(in: list.span, from: &position) {
                if ASCII.equalsIgnoringCase(list.span.extracting(member.range), name.span) { return true }
            }
        }
        return false
    }
}
