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
