/// What follows in a chain that begins with `first`, without `one`: links are in the elements themselves.
func without<Element>(
    _ one: UnsafeMutablePointer<Element>, _ first: UnsafeMutablePointer<Element>?,
    _ next: WritableKeyPath<Element, UnsafeMutablePointer<Element>?>
) -> UnsafeMutablePointer<Element>? {
    if first == one { return one.pointee[keyPath: next] }
    var place = first
    while let before = place {
        if before.pointee[keyPath: next] == one {
            before.pointee[keyPath: next] = one.pointee[keyPath: next]
            break
        }
        place = before.pointee[keyPath: next]
    }
    return first
}
