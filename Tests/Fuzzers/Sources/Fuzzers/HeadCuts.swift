import HTTP1
import HTTPMessage

/// What reading a head has come to, with what it says.
enum HeadVerdict<Reading: Equatable>: Equatable {
    case incomplete
    case refused(HTTP1Refusal)
    case complete(Reading)
}

/// One of the two parsers of heads.
protocol HeadReader {
    associatedtype Reading: Equatable

    /// A parser at the start of a message, which is shown more and more of it.
    func makeCut() -> (_ arrived: [UInt8]) -> HeadVerdict<Reading>
}

/// The same bytes in one piece, in two, and one by one: the verdict must not depend on that.
enum HeadCuts {
    static func verdict<Reader: HeadReader>(of input: [UInt8], reader: Reader) -> HeadVerdict<Reader.Reading> {
        let whole = reader.makeCut()(input)
        hold(reader.makeCut()(input) == whole, "the same bytes are the same head")
        let oneByOne = reader.makeCut()
        // Two pieces cost the square of the length: of long inputs, only those cuts that part something.
        let cutsAll = input.count <= 256
        var last = HeadVerdict<Reader.Reading>.incomplete
        for count in 0...input.count {
            // An array of its own has ends that the sanitizer watches.
            let piece = Array(input[..<count])
            if last == .incomplete { last = oneByOne(piece) }
            guard count < input.count, cutsAll || count % 61 == 0 || input[count] < 0x20 else { continue }
            let parse = reader.makeCut()
            let first = parse(piece)
            let verdict = first == .incomplete ? parse(input) : first
            hold(verdict == whole, "the verdict does not depend on where bytes were cut")
        }
        hold(last == whole, "the verdict does not depend on bytes coming one by one")
        return whole
    }
}

/// The field lines of a head, copied out of its bytes.
enum FieldReading {
    static func read(
        _ list: borrowing FieldList, _ bytes: [UInt8], end: Int
    ) -> (fields: [StrictHead.Field], identifiers: [FieldID]) {
        var fields: [StrictHead.Field] = []
        var identifiers: [FieldID] = []
        var counts: [FieldID: Int] = [:]
        for index in 0..<list.count {
            let slot = list[index]
            let name = StrictHead.lowercase(StrictRequest.latin1(Array(bytes[slot.name.range])))
            fields.append(StrictHead.Field(name: name, value: StrictRequest.latin1(Array(bytes[slot.value.range]))))
            identifiers.append(slot.id)
            let next = index + 1 < list.count ? Int(list[index + 1].line.start) : end - 2
            hold(slot.line.end == next, "one line begins where another ends")
            hold(slot.line.start == slot.name.start, "a line begins with its name")
            if counts[slot.id] == nil {
                hold(list.firstIndex(of: slot.id) == index, "the first line of a name is known")
            }
            counts[slot.id, default: 0] += 1
        }
        for (id, count) in counts { hold(list.count(of: id) == count, "lines of a name are counted") }
        // One identifier is one name: else a rule about one field would act on another.
        for (one, other) in zip(identifiers.indices, identifiers) where other != .other {
            let same = identifiers.firstIndex(of: other) ?? one
            hold(fields[same].name == fields[one].name, "an identifier has one name")
        }
        return (fields, identifiers)
    }
}
