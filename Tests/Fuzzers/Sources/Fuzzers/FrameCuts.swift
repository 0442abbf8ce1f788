/// One side of a connection of HTTP/2, which is given what the other one sends.
protocol FrameReader {
    /// What it has told, without what depends on when something was sent.
    associatedtype Told: Equatable

    func receive(_ bytes: [UInt8])

    /// What was told, when nothing more comes.
    func end() -> Told
}

/// Holds a reader of frames to tell the same however their bytes are cut.
struct FrameCuts<Reader: FrameReader> {
    /// What stands before every input.
    var preface: [UInt8] = []
    /// Makes a new reader, which does nothing but read or answers as a gateway does.
    let make: (_ answers: Bool) -> Reader

    /// What the input comes to, as a whole and in pieces alike; and once a gateway has answered all of it.
    func told(of input: [UInt8]) -> Reader.Told {
        let bytes = preface + input
        let told = told(of: [bytes], answers: false)
        for size in [1, 7] where size > 1 || input.count <= 2048 {
            let cut = self.told(of: pieces(bytes, size), answers: false)
            hold(cut == told, "what is told does not depend on where bytes were cut")
        }
        let cutsAll = input.count <= 64
        for count in input.indices where cutsAll || count % 127 == 0 {
            let place = preface.count + count
            let cut = self.told(of: [Array(bytes[..<place]), Array(bytes[place...])], answers: false)
            hold(cut == told, "what is told does not depend on one cut")
        }
        _ = self.told(of: pieces(bytes, 512), answers: true)
        return told
    }

    private func told(of pieces: [[UInt8]], answers: Bool) -> Reader.Told {
        let reader = make(answers)
        for piece in pieces { reader.receive(piece) }
        return reader.end()
    }

    private func pieces(_ bytes: [UInt8], _ size: Int) -> [[UInt8]] {
        stride(from: 0, to: bytes.count, by: size).map { Array(bytes[$0..<min(bytes.count, $0 + size)]) }
    }
}
