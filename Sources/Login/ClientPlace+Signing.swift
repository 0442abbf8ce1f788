// SPDX-License-Identifier: Apache-2.0
import HTTPMessage
import Issuers

extension ClientPlace {
    /// What `work` makes with a key: beside the executor where that takes long (OPS-04).
    ///
    /// Nil, with nothing made, when too much for the same purpose waits already.
    func signing<Value: Sendable>(
        for purpose: FetchRequest.Purpose, isSlow: Bool, _ work: @escaping @Sendable () -> Value
    ) async -> Value? {
        await SlowWork(sources.workBeside).value(for: purpose, isSlow: isSlow, work)
    }
}
