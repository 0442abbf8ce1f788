/// Who wants an issuer's keys read once more, and on whose behalf: the two that its budget is told apart by.
package struct KeyRequester: Sendable, Hashable {
    package let asker: KeyAsker
    package let client: AskingClient

    /// Of whom nothing is known, unless a client is said.
    package init(_ asker: KeyAsker, for client: AskingClient = .many) {
        self.asker = asker
        self.client = client
    }
}
