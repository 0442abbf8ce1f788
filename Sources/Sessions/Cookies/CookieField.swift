import Bytes

/// The request's `Cookie` field (RFC 6265bis §4.2.1), read where it lies.
///
/// Works on the bytes of all its lines joined by `; `. Names are compared with their case: `__host-` promises nothing.
///
/// A value that one cookie cannot hold is in `name`, `name.1` and so on, each but the last as long as a cookie may be.
/// That length alone says that another one follows: chunks that an earlier, longer value left behind are never joined.
package enum CookieField {
    /// What a request brings under one name.
    package enum Found: Sendable, Equatable {
        case none
        /// The value, its chunks joined.
        case one([UInt8])
        /// More than one cookie of that name: another host or path planted one, and nobody can tell which (SC-06).
        case repeated
    }

    /// Where in the field a value is.
    package enum Located: Sendable, Equatable {
        case none
        /// The value is there in one piece.
        case one(Range<Int>)
        /// The value is in so many chunks, which `value` joins.
        case chunked(Int)
        case repeated
    }

    /// The value of the cookie, with the chunks that `SetCookie` split it into.
    package static func value(of name: String, in cookies: Span<UInt8>) -> Found {
        var chunks = Chunks()
        switch chunks.read(name.utf8Span.span, cookies) {
        case .none: return .none
        case .repeated: return .repeated
        case .one(let range): return .one([UInt8](copying: cookies.extracting(range)))
        case .chunked(let count):
            var value: [UInt8] = []
            value.reserveCapacity(count * SetCookie.limit)
            for chunk in 0..<count { value.append(copying: cookies.extracting(chunks.range(chunk))) }
            return .one(value)
        }
    }

    /// The place of the cookie's value, without copying it; allocates nothing.
    package static func locate(_ name: String, in cookies: Span<UInt8>) -> Located {
        var chunks = Chunks()
        return chunks.read(name.utf8Span.span, cookies)
    }

    /// Values that are tried at most: each is up to 16 KiB, and all come in one request.
    private static let valueLimit = 32

    /// Each value that cookies of that name could stand for, where there are several of one name, and whether that is all.
    ///
    /// For what ends sessions: whoever plants a second cookie is not to keep the session of the first one alive. What was
    /// planted and is no session opens for none. The last come first, for browsers send those of longer paths before the
    /// session's own.
    package static func values(of name: String, in cookies: Span<UInt8>) -> (values: [[UInt8]], areAll: Bool) {
        var places = [[Range<Int>]](repeating: [], count: SetCookie.maximumChunks)
        var areAll = true
        var pairs = CookiePairs()
        while let pair = pairs.next(in: cookies) {
            guard let chunk = chunk(cookies.extracting(pair.name), of: name.utf8Span.span) else { continue }
            let value = cookies.extracting(pair.value)
            if let same = places[chunk].firstIndex(where: { cookies.extracting($0).isEqual(to: value) }) {
                places[chunk].remove(at: same)
            } else if places[chunk].count == valueLimit {
                places[chunk].removeFirst()
                areAll = false
            }
            places[chunk].append(pair.value)
        }
        var values: [[UInt8]] = []
        var unfinished: [[UInt8]] = [[]]
        for chunk in places.indices {
            if chunk > 0, places[chunk].isEmpty { break }
            let room = SetCookie.room(chunk, nameCount: name.utf8.count)
            var longer: [[UInt8]] = []
            for place in places[chunk].reversed() {
                for beginning in unfinished {
                    guard values.count + longer.count < valueLimit else {
                        areAll = false
                        break
                    }
                    var value = beginning
                    value.append(copying: cookies.extracting(place))
                    if place.count >= room { longer.append(value) } else { values.append(value) }
                }
            }
            unfinished = longer
        }
        return (values + unfinished.filter { !$0.isEmpty }, areAll)
    }

    /// How many chunks of that name the browser has, gaps included, so that a shorter value deletes the others.
    package static func chunks(of name: String, in cookies: Span<UInt8>) -> Int {
        var chunks = Chunks()
        _ = chunks.read(name.utf8Span.span, cookies)
        return chunks.highest
    }

    /// Whether a cookie of that name is the gateway's, and never goes to an upstream: every name that begins with
    /// `__Host-portcullis` or `__Secure-portcullis`, in any case, and the configured names with their chunks.
    ///
    /// A cookie of the second kind may be that of another gateway, at another host of its domain: the servers behind this
    /// one are not to learn that either.
    package static func isOurs(_ name: Span<UInt8>, names: [String] = []) -> Bool {
        if begins(name, ignoringCaseWith: "__Host-portcullis")
            || begins(name, ignoringCaseWith: "__Secure-portcullis")
        {
            return true
        }
        for configured in names {
            let count = configured.utf8.count
            guard name.count >= count, ASCII.equalsIgnoringCase(name.extracting(first: count), configured) else {
                continue
            }
            if name.count == count || chunkNumber(name.extracting(droppingFirst: count)) != nil { return true }
        }
        return false
    }

    /// The field without the gateway's cookies; nil when there are none of them, and it can go on as it is.
    ///
    /// Empty when there are no others: then the field is to be left out.
    package static func stripped(_ cookies: Span<UInt8>, names: [String] = []) -> [UInt8]? {
        guard hasOurs(cookies, names: names) else { return nil }
        var rest: [UInt8] = []
        rest.reserveCapacity(cookies.count)
        forEachForeign(in: cookies, names: names) { pair in
            if !rest.isEmpty { rest.append(contentsOf: "; ".utf8) }
            rest.append(copying: cookies.extracting(pair))
        }
        return rest
    }

    /// Whether one of the field's cookies is the gateway's; allocates nothing.
    private static func hasOurs(_ cookies: Span<UInt8>, names: [String]) -> Bool {
        var pairs = CookiePairs()
        while let pair = pairs.next(in: cookies) {
            if isOurs(cookies.extracting(pair.name), names: names) { return true }
        }
        return false
    }

    /// Tells where the cookies are that go on to an upstream, in their order; allocates nothing.
    ///
    /// Answers whether there was one of the gateway's: if not, the field can go on as it is.
    @discardableResult
    package static func forEachForeign(
        in cookies: Span<UInt8>, names: [String], _ tell: (_ pair: Range<Int>) -> Void
    ) -> Bool {
        var pairs = CookiePairs()
        var foundOurs = false
        while let pair = pairs.next(in: cookies) {
            if isOurs(cookies.extracting(pair.name), names: names) { foundOurs = true } else { tell(pair.all) }
        }
        return foundOurs
    }

    @inline(__always)
    private static func begins(_ name: Span<UInt8>, ignoringCaseWith prefix: String) -> Bool {
        name.count >= prefix.utf8.count && name[0] == UInt8(ascii: "_")
            && ASCII.equalsIgnoringCase(name.extracting(first: prefix.utf8.count), prefix)
    }

    @inline(__always)
    private static func begins(_ name: Span<UInt8>, with prefix: Span<UInt8>) -> Bool {
        guard name.count >= prefix.count else { return false }
        for index in prefix.indices where name[index] != prefix[index] { return false }
        return true
    }

    /// Which chunk of the cookie a cookie of this name is: none but the first has a number; nil for any other cookie.
    @inline(__always)
    private static func chunk(_ found: Span<UInt8>, of name: Span<UInt8>) -> Int? {
        guard found.count == name.count || found.count == name.count &+ 2, begins(found, with: name) else { return nil }
        return found.count == name.count ? 0 : chunkNumber(found.extracting(droppingFirst: name.count))
    }

    /// The number behind the dot of a chunk's name, given what follows the cookie's name; nil for any other cookie.
    @inline(__always)
    private static func chunkNumber(_ suffix: Span<UInt8>) -> Int? {
        guard suffix.count == 2, suffix[0] == UInt8(ascii: ".") else { return nil }
        let number = Int(suffix[1]) - 0x30
        return number > 0 && number < SetCookie.maximumChunks ? number : nil
    }

    /// Where the chunks of one cookie are.
    private struct Chunks {
        private var starts: InlineArray<4, Int> = [0, 0, 0, 0]
        private var ends: InlineArray<4, Int> = [-1, -1, -1, -1]
        private var isRepeated: InlineArray<4, Bool> = [false, false, false, false]

        func range(_ chunk: Int) -> Range<Int> { starts[chunk]..<ends[chunk] }

        /// One more than the number of the last chunk that is there.
        var highest: Int {
            for chunk in (0..<4).reversed() where ends[chunk] >= 0 { return chunk + 1 }
            return 0
        }

        mutating func read(_ name: Span<UInt8>, _ cookies: Span<UInt8>) -> Located {
            var pairs = CookiePairs()
            while let pair = pairs.next(in: cookies) {
                guard let number = CookieField.chunk(cookies.extracting(pair.name), of: name) else { continue }
                note(number, pair.value)
            }
            return judge(name.count)
        }

        private mutating func note(_ chunk: Int, _ value: Range<Int>) {
            if ends[chunk] >= 0 { isRepeated[chunk] = true }
            starts[chunk] = value.lowerBound
            ends[chunk] = value.upperBound
        }

        private func judge(_ nameCount: Int) -> Located {
            guard ends[0] >= 0 else { return .none }
            var count = 0
            var isFull = true
            while isFull, count < SetCookie.maximumChunks, ends[count] >= 0 {
                if isRepeated[count] { return .repeated }
                isFull = range(count).count >= SetCookie.room(count, nameCount: nameCount)
                count &+= 1
            }
            return count == 1 ? .one(range(0)) : .chunked(count)
        }
    }
}
