/// Why bytes of a server are no reply; what follows on that connection belongs to nobody any more.
public enum ReplyRefusal: Error, Sendable, Equatable {
    /// A reply, or something in one, begins with this byte, which begins no type of RESP2.
    case unknownType(UInt8)
    /// A line ends with something else than CR LF, or has one of the two in it.
    case brokenLine
    /// A line is longer than any that a server has reason to send.
    case lineTooLong
    /// A number is empty, out of range, or not written as servers write it.
    case brokenNumber
    /// The length of a string or the count of an array is negative, and not the one that says null.
    case negativeLength
    /// A string is not followed by CR LF: its length lies.
    case lengthDisagrees
    /// More bytes than a reply may have, or announced so many.
    case tooLarge
    /// An array of more elements than one may have.
    case tooManyElements
    /// Arrays in arrays, deeper than they may stand.
    case tooDeep
}
