/// Every way in which bytes may arrive in two pieces, whole, and one by one.
///
/// Each way is a list of pieces whose concatenation is `bytes`; the first way is the whole in one piece.
public func everyCut(of bytes: [UInt8]) -> [[[UInt8]]] {
    var ways = [[bytes]]
    for cut in bytes.indices.dropFirst() {
        ways.append([Array(bytes[..<cut]), Array(bytes[cut...])])
    }
    if bytes.count > 2 { ways.append(bytes.map { [$0] }) }
    return ways
}

/// Every text that `bytes` begins with and that is shorter: what has arrived when a connection breaks.
public func everyStart(of bytes: [UInt8]) -> [[UInt8]] {
    bytes.indices.map { Array(bytes[..<$0]) }
}

/// Every text that differs from `bytes` in one byte, and that byte's place.
public func everyChange(of bytes: [UInt8]) -> some Sequence<(place: Int, bytes: [UInt8])> {
    bytes.indices.lazy.flatMap { place in
        (UInt8.min...UInt8.max).lazy.filter { $0 != bytes[place] }.map { byte in
            var changed = bytes
            changed[place] = byte
            return (place: place, bytes: changed)
        }
    }
}
