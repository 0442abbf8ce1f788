// SPDX-License-Identifier: Apache-2.0

extension Array where Element == UInt8 {
    /// The bytes of `span`, owned.
    public init(copying span: Span<UInt8>) {
        self.init()
        reserveCapacity(span.count)
        for index in span.indices { append(span[index]) }
    }
}
