extension RequirementTable {
    /// Rows of the store that replicas share.
    static let sharedState: [Requirement] = [
        Requirement(
            id: "SH-07", source: "policy of this gateway",
            promise: """
                A link to the store waits a second for a connection, and 250 ms for an answer unless it is told \
                otherwise, from the command's writing. An answer that has come by then counts.
                """),
        Requirement(
            id: "SH-14", source: "policy of this gateway",
            promise: """
                A link to the store never holds up its loop, whatever hangs: a name server, a connection, the \
                store.
                """),
        Requirement(
            id: "SH-15", source: "policy of this gateway",
            promise: """
                The commands of one turn of a loop leave in one write at its end. No command waits for others to \
                come.
                """),
        Requirement(
            id: "SH-16", source: "RESP specification",
            promise: """
                A link to the store awaits 4,096 answers and holds 4 MiB to be written; it refuses more at once. It \
                closes a connection on which a reply is announced that is larger than 128 KiB, has more than 1,024 \
                elements in one array, or an array inside more than four others.
                """),
        Requirement(
            id: "SH-17", source: "policy of this gateway",
            promise: """
                A link to the store never sends a command again by itself. It tells whoever gave it the command \
                whether it was certainly not executed; otherwise nobody knows.
                """),
        Requirement(
            id: "SH-18", source: "policy of this gateway",
            promise: """
                A link that has read nothing for a second asks the store for a sign of life. It leaves a connection \
                without an answer to three commands in a row, or for a second.
                """),
        Requirement(
            id: "SH-19", source: "policy of this gateway",
            promise: """
                A link that lasted is opened again at once, then after a random wait up to a time that doubles, two \
                seconds at most. It says who it is, and all that it says first, in one write.
                """),
        Requirement(
            id: "SH-48", source: "RESP specification",
            promise: "Commands to the store are counted byte strings: no byte of a key or a value begins an argument."),
        Requirement(
            id: "SH-52", source: "policy of this gateway",
            promise: """
                The store's words are shown by 80 printable characters at most, and never those with which it refuses \
                a password. No argument of a command is shown.
                """),
        Requirement(
            id: "SH-80", source: "RESP specification",
            promise: """
                A link closes a connection whose bytes are no reply, or a reply too many. Nobody is given the answer \
                to another's command. The reason has the first sixteen bytes in hexadecimal.
                """),
        Requirement(
            id: "SH-83", source: "policy of this gateway",
            promise: """
                A link that the store does not let in is down, says which refusal it was, and tries again every two \
                seconds or so.
                """),
    ]
}
