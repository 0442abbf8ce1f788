import HTTP1
import HTTPMessage

/// A request target, and the path in it under every allowance that an operator can make.
///
/// Whoever stands behind us may decode once or twice, cut `;` off, take `\` for `/` or merge `//`: a path that is taken
/// without allowances is the same path to all of them.
enum PathFuzzer {
    static func attempt(_ input: [UInt8]) -> Outcome {
        checkAllowances(input)
        checkCases(input)
        guard let path = path(of: input) else { return .refused }
        let refusal = refusal(of: path)
        hold(refusal == Self.refusal(of: path), "the same path is refused for the same reason")
        guard refusal == nil else { return .refused }
        checkReadings(path)
        checkCanonical(path)
        checkCases(canonical(path))
        return .accepted
    }

    /// The path of a request for the target; nil when there is no such request.
    private static func path(of target: [UInt8]) -> [UInt8]? {
        let bytes = Array("GET ".utf8) + target + Array(" HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        guard case .complete(let reading) = RequestReader(limits: HTTP1Limits()).makeCut()(bytes),
            reading.length == bytes.count
        else { return nil }
        return reading.path
    }

    private static func refusal(of path: [UInt8], allowing: PathAllowances = []) -> PathRefusal? {
        PathPolicy.refusal(of: path.span, allowing: allowing)
    }

    /// What the most different readers behind us see.
    private static func checkReadings(_ path: [UInt8]) {
        let once = Readers.decode(path)
        let twice = Readers.decode(once)
        hold(twice == once, "decoding twice finds what decoding once found")
        hold(Readers.withoutParameters(path) == path && Readers.withoutParameters(once) == once, "nobody cuts at ;")
        hold(!path.contains(0x5c) && !once.contains(0x5c), "nobody finds another separator")
        hold(once.filter { $0 == 0x2f }.count == path.filter { $0 == 0x2f }.count, "no separator is hidden")
        hold(once.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "no control octet is hidden")
        hold(String(validating: once, as: UTF8.self) != nil, "every escape is text")
        hold(!Readers.segments(of: once).contains { $0 == [0x2e] || $0 == [0x2e, 0x2e] }, "no segment leads elsewhere")
        hold(path.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "what is forwarded is visible ASCII")
        hold(loosest(path) == Readers.merged(once), "the loosest reader sees what the others see")
    }

    /// The form that routes are matched with is one for all spellings of one path.
    private static func checkCanonical(_ path: [UInt8]) {
        let form = canonical(path)
        hold(refusal(of: form) == nil && canonical(form) == form, "a canonical path is taken, and is its own form")
        hold(Readers.decode(form) == Readers.decode(path), "a canonical path is the same path")
        let merged = canonical(path, mergingSlashes: true)
        hold(merged == Readers.merged(form), "slashes are merged, and nothing else")
        hold(canonical(Readers.merged(path), mergingSlashes: true) == merged, "merged before or after is the same")
        let spelt = Readers.escapingUnreserved(path)
        hold(refusal(of: spelt) == nil && canonical(spelt) == form, "another spelling is the same path")
        let other = Readers.invertingEscapes(path)
        hold(refusal(of: other) == nil && canonical(other) == form, "escapes have no case")
    }

    private static func canonical(_ path: [UInt8], mergingSlashes: Bool = false) -> [UInt8] {
        var output: [UInt8] = []
        PathPolicy.appendCanonical(path.span, mergingSlashes: mergingSlashes, to: &output)
        return output
    }

    /// Allowances let more through, never less, and never what has none.
    private static func checkAllowances(_ path: [UInt8]) {
        let isTaken = (UInt8(0)..<32).map { refusal(of: path, allowing: PathAllowances(rawValue: $0)) == nil }
        for set in 0..<32 where isTaken[set] {
            for bit in [1, 2, 4, 8, 16] { hold(isTaken[set | bit], "what is taken is taken with more allowances") }
        }
        guard isTaken[31] else { return }
        // Nobody decodes more often than the path has escapes to unfold.
        var reading = path
        for _ in 0..<8 {
            let cut = Readers.withoutParameters(reading.map { $0 == 0x5c ? 0x2f : $0 })
            hold(!Readers.segments(of: cut).contains { $0 == [0x2e] || $0 == [0x2e, 0x2e] }, "no allowance is for ..")
            hold(reading.allSatisfy { $0 >= 0x20 && $0 != 0x7f }, "no allowance is for control octets")
            reading = Readers.decode(reading)
        }
        let loosest = loosest(path)
        hold(
            !Readers.segments(of: loosest).contains { $0 == [0x2e] || $0 == [0x2e, 0x2e] }, "nor for the loosest reader"
        )
        hold(Readers.decode(loosest) == loosest && Readers.merged(loosest) == loosest, "nothing is left to be read")
        checkOthers(path, loosest)
        checkBeginnings(path)
    }

    /// Whoever reads a path reads one of its readings that were told of its beginning, or what begins with it.
    private static func checkBeginnings(_ path: [UInt8]) {
        let whole = told(path, isWhole: true).map(\.decoded)
        for cut in Set([0, path.count / 3, path.count / 2, path.count * 3 / 4, max(1, path.count) - 1]) {
            let beginnings = told(Array(path[..<cut]), isWhole: false)
            for reading in whole {
                let isTold = beginnings.contains {
                    $0.isWhole
                        ? $0.decoded == reading
                        : reading.starts(with: $0.decoded.dropLast(LoosestReading.unsettled))
                }
                hold(isTold, "a reading begins as one of the path's beginning")
            }
        }
    }

    private static func told(_ path: [UInt8], isWhole: Bool) -> [(decoded: [UInt8], isWhole: Bool)] {
        var told: [([UInt8], Bool)] = []
        _ = LoosestReading.all(of: path.span, isWhole: isWhole, cuttingParameters: true) { decoded, isWhole in
            told.append((decoded, isWhole))
            return true
        }
        return told
    }

    /// Who cuts parameters off before decoding, once or each time, or takes the beginning for an authority, is among the others.
    private static func checkOthers(_ path: [UInt8], _ loosest: [UInt8]) {
        let others = LoosestReading.others(of: path.span, cuttingParameters: true)
        hold(others.count <= 7 * 10, "not many")
        let read = Set(others.map { Self.loosest($0) } + [loosest])
        hold(read.contains(Self.loosest(Readers.withoutParameters(path))), "cut before it is decoded")
        hold(read.contains(Self.loosest(Array(path.prefix { $0 != 0x3b }))), "cut for good")
        let once = Readers.decode(path)
        hold(read.contains(Self.loosest(Readers.withoutParameters(once))), "cut when it is decoded")
        let twice = Readers.withoutParameters(Readers.decode(Readers.withoutParameters(path)))
        hold(read.contains(Self.loosest(twice)), "cut before it is decoded and then")
        for start in [path, once] where start.starts(with: Array("//".utf8)) {
            let rest = start.drop { $0 == 0x2f || $0 == 0x5c }.drop { $0 != 0x2f && $0 != 0x5c }
            hold(read.contains(rest.isEmpty ? [0x2f] : Self.loosest(Array(rest))), "behind an authority")
        }
    }

    /// Nothing is left that a change of case makes ASCII; what was none stays, in its place.
    private static func checkCases(_ path: [UInt8]) {
        var replaced = path
        let isChanged = CaseFolding.replaceLetters(in: &replaced)
        hold(isChanged == (replaced != path) && replaced.count <= 2 * path.count, "it says whether it changed the path")
        var again = replaced
        hold(!CaseFolding.replaceLetters(in: &again), "once is enough")
        guard let before = String(validating: path, as: UTF8.self) else { return }
        guard let after = String(validating: replaced, as: UTF8.self) else {
            return hold(false, "text stays text")
        }
        hold(
            !after.unicodeScalars.contains {
                !$0.isASCII && $0.properties.uppercaseMapping.utf8.allSatisfy { $0 < 0x80 }
            },
            "no character is left whose capital is ASCII")
        let kept = { (text: String) in text.unicodeScalars.filter { "/.-_".unicodeScalars.contains($0) } }
        hold(kept(before).elementsEqual(kept(after)), "separators stay")
    }

    private static func loosest(_ path: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        LoosestReading.append(path.span, to: &output)
        return output
    }
}

/// How others read paths.
private enum Readers {
    /// Every escape once; what is none stays.
    static func decode(_ path: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var index = 0
        while index < path.count {
            if path[index] == 0x25, index + 2 < path.count, let byte = byte(path[(index + 1)...(index + 2)]) {
                output.append(byte)
                index += 3
            } else {
                output.append(path[index])
                index += 1
            }
        }
        return output
    }

    private static func byte(_ digits: ArraySlice<UInt8>) -> UInt8? {
        guard digits.allSatisfy({ Unicode.Scalar($0).properties.isASCIIHexDigit }) else { return nil }
        return UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
    }

    static func segments(of path: [UInt8]) -> [[UInt8]] {
        path.split(separator: 0x2f, omittingEmptySubsequences: false).map { Array($0) }
    }

    /// Each segment as far as its first `;`.
    static func withoutParameters(_ path: [UInt8]) -> [UInt8] {
        Array(segments(of: path).map { $0.prefix { $0 != 0x3b } }.joined(separator: [0x2f]))
    }

    static func merged(_ path: [UInt8]) -> [UInt8] {
        path.indices.filter { path[$0] != 0x2f || $0 == 0 || path[$0 - 1] != 0x2f }.map { path[$0] }
    }

    /// The same path with every plain letter, digit, `-`, `_` and `~` escaped.
    static func escapingUnreserved(_ path: [UInt8]) -> [UInt8] {
        var output: [UInt8] = []
        var index = 0
        while index < path.count {
            let byte = path[index]
            if byte == 0x25 {
                output += path[index..<min(index + 3, path.count)]
                index += 3
                continue
            }
            let isPlain = Unicode.Scalar(byte).properties.isAlphabetic || (0x30...0x39).contains(byte)
            if byte < 0x80, isPlain || [0x2d, 0x5f, 0x7e].contains(byte) {
                let digits = Array("0123456789ABCDEF".utf8)
                output += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            } else {
                output.append(byte)
            }
            index += 1
        }
        return output
    }

    /// The same path with the digits of its escapes in the other case.
    static func invertingEscapes(_ path: [UInt8]) -> [UInt8] {
        var output = path
        for index in path.indices where path[index] == 0x25 {
            for place in [index + 1, index + 2] where place < path.count && path[place] >= 0x41 {
                output[place] ^= 0x20
            }
        }
        return output
    }
}
