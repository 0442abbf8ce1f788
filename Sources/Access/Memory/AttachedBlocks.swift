/// The blocks of one kind that are kept with a record, one a rule; a use of each is the list's.
///
/// A list, because hardly any token meets more than one rule of a kind.
package struct AttachedBlocks {
    package private(set) var first: AttachedBlock?

    /// Of no rule yet.
    package init() {}

    /// The block of this rule, however old.
    @inlinable
    package func find(_ rule: Int) -> AttachedBlock? {
        var block = first
        while let one = block, one.rule != rule { block = one.next }
        return block
    }

    /// Takes over a use of `block` in the place of the one before of its rule, whose use ends.
    ///
    /// Answers by how many bytes the cost of the list grew, which is less than nothing where the one before was larger.
    package mutating func put(_ block: AttachedBlock) -> Int {
        let freed = remove(block.rule)
        block.next = first
        first = block
        return block.cost - freed
    }

    /// Ends the list's use of every block.
    package mutating func removeAll() {
        while let block = first {
            first = block.next
            block.release()
        }
    }

    /// Lets the block of a rule go, and answers what it cost; 0 where there is none.
    private mutating func remove(_ rule: Int) -> Int {
        var previous: AttachedBlock?
        var candidate = first
        while let one = candidate, one.rule != rule {
            previous = one
            candidate = one.next
        }
        guard let found = candidate else { return 0 }
        if let previous { previous.next = found.next } else { first = found.next }
        let cost = found.cost
        found.release()
        return cost
    }
}
