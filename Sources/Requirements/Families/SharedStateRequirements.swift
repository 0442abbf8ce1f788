extension RequirementTable {
    /// Rows of what several gateways have in common in one store: names, seals and steps.
    static let sharedState: [Requirement] = [
        Requirement(
            id: "SH-01", source: "policy of this gateway",
            promise: """
                A gateway has one store at most. Sessions that are to be in it, and a store that nothing uses, are \
                told where they are written.
                """),
        Requirement(
            id: "SH-02", source: "RFC 3986 §3.2.1",
            promise: """
                The URL of a store names a server and perhaps a database. One with a user, a password, a query or \
                another path is refused and not repeated.
                """),
        Requirement(
            id: "SH-03", source: "Redis manual: Sentinel clients",
            promise: """
                The primary is the server that more than half of the Sentinels name, and that says itself that it is one. Where \
                nobody serves, and that was not said for a second, the word of those that speak is enough.
                """),
        Requirement(
            id: "SH-04", source: "Redis Cluster specification",
            promise: """
                A command goes to the node of a cluster that has its key's slot, and follows three redirects at most. The \
                cluster is asked for its map once a second at most, and 256 of its servers are believed in.
                """),
        Requirement(
            id: "SH-05", source: "RFC 9525 §6",
            promise: """
                Over TLS, a server of the store proves the name of the settings, or its own, wherever it is found. Nothing \
                turns that off.
                """),
        Requirement(
            id: "SH-06", source: "RFC 9325 §3.2",
            promise: """
                A store on another machine is spoken to over TLS. Without it the configuration has to allow that by \
                name, and a warning says so at each start.
                """),
        Requirement(
            id: "SH-07", source: "policy of this gateway",
            promise: """
                A link to the store waits a second for a connection, and 250 ms for an answer unless it is told \
                otherwise, from the command's writing. An answer that has come by then counts.
                """),
        Requirement(
            id: "SH-08", source: "NIST SP 800-57 Part 1 §5.2",
            promise: "The keys of what is in a store are 32 random bytes each, and no session keys."),
        Requirement(
            id: "SH-09", source: "policy of this gateway",
            promise: """
                Names in a store begin with a prefix of letters, digits and a few signs. Gateways with another \
                prefix do not see each other.
                """),
        Requirement(
            id: "SH-10", source: "policy of this gateway",
            promise: """
                A server that the settings do not fit is not used, and the setting to change is named: a replica, a server of a \
                cluster that is asked alone, a lone one that is asked as a cluster, Sentinels that do not know the name.
                """),
        Requirement(
            id: "SH-11", source: "policy of this gateway",
            promise: """
                A start does not wait for the store. Readiness waits for the first contact, ten seconds at most. With \
                `readiness: strict` a gateway whose store is down says that it is not ready. It says since when, as long as that lasts.
                """),
        Requirement(
            id: "SH-12", source: "policy of this gateway",
            promise: """
                A reload may change how the store is reached. New connections are proved before the old ones go, which serve on while \
                a password is refused. What was used stays used. One that brings another store says whose sessions it leaves behind.
                """),
        Requirement(
            id: "SH-13", source: "RFC 9449 §8; policy of this gateway",
            promise: """
                A configuration with a store has the other keys that replicas need in common: of nonces beside \
                proofs, of cookies beside sessions.
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
                elements in one array, or an array inside more than four others. What anybody can ask, who has proved \
                nothing, gets half of the places of a store at most.
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
                A link that has read nothing for a second asks the store for a sign of life, and under load every ten \
                milliseconds at most. It leaves a connection without an answer to three commands in a row, or for a second.
                """),
        Requirement(
            id: "SH-19", source: "policy of this gateway",
            promise: """
                A link that lasted is opened again at once, then after a random wait up to a time that doubles, two \
                seconds at most. It says who it is, and all that it says first, in one write.
                """),
        Requirement(
            id: "SH-20", source: "RFC 6265 §4.1.2.5; policy of this gateway",
            promise: """
                The cookie of a session in the store is 64 characters that a refresh and a touch leave as they are. \
                One with another identifier or secret, or of another client or issuer, finds nothing and ends nothing.
                """),
        Requirement(
            id: "SH-21", source: "policy of this gateway",
            promise: """
                An error of the store, or one answer that there is none, says that nobody knows whether there is a session. \
                It is never taken for none: nothing is deleted, and nobody is sent to log in again.
                """),
        Requirement(
            id: "SH-22", source: "NIST SP 800-38D; RFC 5869",
            promise: """
                A session in the store opens with its value, a key of the ring and the browser's cookie, and with no two \
                of them. It is bound to its name, its client and its generation.
                """),
        Requirement(
            id: "SH-23", source: "OAuth 2.0 for Browser-Based Applications",
            promise: """
                A session in the store lives for the idle limit and never beyond its absolute end. That end is inside the \
                seal, where no writer of the store moves it.
                """),
        Requirement(
            id: "SH-24", source: "policy of this gateway",
            promise: """
                A note of a session's use never shortens the session's time in the store, and makes no session where none \
                is.
                """),
        Requirement(
            id: "SH-25", source: "policy of this gateway",
            promise: """
                A session of more than 64 KiB is refused before it goes to the store, with the names and sizes of its \
                parts, and never cut.
                """),
        Requirement(
            id: "SH-26", source: "policy of this gateway",
            promise: """
                A value in the store says its format in its first byte. One of an unknown format, or of a key that is not here, is \
                never taken for no session. The format before the newest is read too, and written where store.format says so.
                """),
        Requirement(
            id: "SH-27", source: "Redis manual: EXPIRE",
            promise: """
                Each key in the store but the log and the epoch has a time to live from the step that makes it, whatever \
                happens at the same time.
                """),
        Requirement(
            id: "SH-28", source: "policy of this gateway",
            promise: """
                Sessions move from sealed cookies into the store, and replicas read both meanwhile, without a new \
                login. One that was ended stays out, whichever cookie comes back.
                """),
        Requirement(
            id: "SH-29", source: "policy of this gateway",
            promise: """
                Whoever runs the gateways lists and ends the sessions of a user, of one of the server's sessions, or \
                one by its name, with the store alone. A list says when they began, were used and end, and no more.
                """),
        Requirement(
            id: "SH-30", source: "RFC 9700 §4.14.2",
            promise: """
                One process at a time holds the lease of a session's refresh, by the store's clock, under a number that no \
                holder before it had.
                """),
        Requirement(
            id: "SH-31", source: "policy of this gateway",
            promise: """
                A lease ends by itself. The next holder has another number, and whoever comes late with the old one \
                changes nothing.
                """),
        Requirement(
            id: "SH-32", source: "RFC 9700 §4.14.2",
            promise: """
                A refreshed session replaces the one that was leased only if that is still there, unchanged, and still \
                leased to the same holder.
                """),
        Requirement(
            id: "SH-33", source: "policy of this gateway",
            promise: """
                A process that finds a session's refresh under way elsewhere waits for the log's line or a quarter of \
                a second, then asks again, and gives up after five seconds.
                """),
        Requirement(
            id: "SH-34", source: "RFC 9700 §4.14.2",
            promise: """
                New tokens that the store does not take are used by the process that has them, and written when the \
                store answers. The old ones are never given out again, and a logout meanwhile still wins.
                """),
        Requirement(
            id: "SH-35", source: "policy of this gateway",
            promise: """
                After a failure that will pass, all processes leave the server alone for the same pause, one session \
                as the other.
                """),
        Requirement(
            id: "SH-36", source: "policy of this gateway",
            promise: """
                A replica whose clock is more than five seconds from the store's for thirty seconds is not ready, \
                for its own fault. Nothing of a refresh goes by replicas' clocks.
                """),
        Requirement(
            id: "SH-37", source: "OpenID Connect RP-Initiated Logout §2",
            promise: """
                A logout is confirmed when the store has the tombstone in the session's place, and not before. The \
                log's line makes it quick, and nothing rests on it.
                """),
        Requirement(
            id: "SH-38", source: "OpenID Connect Back-Channel Logout §2.7",
            promise: """
                A session that was ended leaves a tombstone in the store. No login, import or refresh that is under way \
                makes it again.
                """),
        Requirement(
            id: "SH-39", source: "OpenID Connect Back-Channel Logout §2.7",
            promise: """
                A process reads each line of the log of endings once, on a connection of its own. It ends the \
                session that the line names, or asks the store about those that a marker may end, and closes their \
                streams.
                """),
        Requirement(
            id: "SH-40", source: "policy of this gateway",
            promise: """
                When lines of the log may have been missed, the store is asked about every session that is known \
                before it is used again, and about those of open streams first. They were trimmed, not read for too \
                long, not understood, or the store forgot. Lines that cannot be read are passed over, and the operator is \
                told which key has them.
                """),
        Requirement(
            id: "SH-41", source: "OpenID Connect Back-Channel Logout §2.7",
            promise: """
                A logout token at any replica ends the sessions that it names at all of them. It is answered with \
                success only when the store confirmed all of it.
                """),
        Requirement(
            id: "SH-42", source: "OpenID Connect Back-Channel Logout §2.7",
            promise: """
                With sid a logout token ends the sessions of that sid alone, without it those of the subject, and \
                never those of another issuer.
                """),
        Requirement(
            id: "SH-43", source: "OpenID Connect Back-Channel Logout §2.7",
            promise: """
                A user's sessions stand in an index of a thousand at most, from which each write removes those that are \
                over.
                """),
        Requirement(
            id: "SH-44", source: "OpenID Connect Back-Channel Logout §2.7",
            promise: """
                Each load, creation and recheck of a session reads the markers that could end it, so that an ending \
                needs no index.
                """),
        Requirement(
            id: "SH-45", source: "OWASP Session Management Cheat Sheet",
            promise: "A new login in a browser ends the session that it replaces, at all replicas."),
        Requirement(
            id: "SH-46", source: "RFC 7009 §2.1",
            promise: """
                Tokens of a session that was ended without its cookie are revoked by one of the gateways that have it open. \
                Where none has, they end by themselves, and that is counted, unless the store keeps the refresh token for this.
                """),
        Requirement(
            id: "SH-47", source: "Redis manual: ACL",
            promise: """
                A user who may use 26 commands, on keys of the prefix alone, is enough for everything that a gateway asks \
                of the store.
                """),
        Requirement(
            id: "SH-48", source: "RESP specification",
            promise: "Commands to the store are counted byte strings: no byte of a key or a value begins an argument."),
        Requirement(
            id: "SH-49", source: "Redis manual: scripting",
            promise: """
                The store's scripts are constants of the program, are called by their digests, and touch one key each.
                """),
        Requirement(
            id: "SH-50", source: "RFC 2104; policy of this gateway",
            promise: """
                Names of keys in the store are digests of what nobody can guess, and codes under a key of the ring of what \
                somebody could.
                """),
        Requirement(
            id: "SH-51", source: "policy of this gateway",
            promise: "Nobody reads a token, a claim, a name, a cookie or a secret in the store."),
        Requirement(
            id: "SH-52", source: "policy of this gateway",
            promise: """
                The store's words are shown by 80 printable characters at most, and never those with which it refuses \
                a password. No argument of a command is shown.
                """),
        Requirement(
            id: "SH-53", source: "NIST SP 800-38D",
            promise: """
                A value that does not open for its name, generation and client is no session, and is told to the operator. \
                It is deleted where its cookie is known to be right, and the store says the same twice.
                """),
        Requirement(
            id: "SH-54", source: "policy of this gateway",
            promise: """
                A process refuses a generation of a session that is older than one it has seen or heard of, and tells \
                the operator.
                """),
        Requirement(
            id: "SH-55", source: "RFC 9449 §11.1",
            promise: """
                Of equal proofs one is the first at the store, which remembers it for as long as any replica's clock could \
                accept it.
                """),
        Requirement(
            id: "SH-56", source: "RFC 9449 §11.1",
            promise: """
                The store is asked about a proof when nothing else refuses its request. What may have changed until the answer is \
                looked at anew then: the token and the configuration.
                """),
        Requirement(
            id: "SH-57", source: "policy of this gateway",
            promise: "The signature of a proof is verified once by one configuration, however its request waits."),
        Requirement(
            id: "SH-58", source: "policy of this gateway",
            promise: """
                Where the store's word on a proof does not come, the answer is 503 and never 401, and the proof stays used up.
                """),
        Requirement(
            id: "SH-59", source: "policy of this gateway",
            promise: """
                Where the operator says `when_down: { proofs: local }`, the memory of each process counts while nobody reaches the \
                store. Otherwise proofs are refused then.
                """),
        Requirement(
            id: "SH-60", source: "Redis manual: WAIT",
            promise: """
                With `durability: replica` a write counts once a replica has it. Of another one nobody knows whether it lasts. \
                Reads do not wait for it.
                """),
        Requirement(
            id: "SH-61", source: "policy of this gateway",
            promise: """
                A proof that the store, or a shard of it, may have known before it lost what it knew is refused. A log that ends \
                before a line which was read says that it lost something, whatever the epoch says, and after a restart too.
                """),
        Requirement(
            id: "SH-62", source: "RFC 9449 §11.1",
            promise: """
                Another primary, or one that started anew, is noticed, in each shard of a cluster too. Where the operator says \
                so, proofs from before are refused as if the store had forgotten them.
                """),
        Requirement(
            id: "SH-63", source: "RFC 6749 §10.12; OpenID Connect Back-Channel Logout §2.6",
            promise: """
                A state and a logout token are used once at all replicas. A second callback leads to the page that \
                the login was for, at whichever replica, and makes no token request. Where the store cannot be asked, nothing is \
                decided: the browser keeps its login, and the server repeats its token.
                """),
        Requirement(
            id: "SH-64", source: "RFC 9101 §5.2, §10.2",
            promise: """
                A request object is fetched at any replica, five times in all and for two minutes. The store has it \
                sealed under a key that the store does not have.
                """),
        Requirement(
            id: "SH-65", source: "policy of this gateway",
            promise: """
                One client has the store remember no more proofs than its part of the memory that each process has for them, which is \
                looked at first.
                """),
        Requirement(
            id: "SH-66", source: "policy of this gateway",
            promise: """
                Requests that wait for the store have places of their own, of which one client gets a part, and wait for a bounded \
                time.
                """),
        Requirement(
            id: "SH-70", source: "policy of this gateway",
            promise: """
                A session that is known here, and was asked about a moment ago, costs a request no question to the \
                store.
                """),
        Requirement(
            id: "SH-71", source: "policy of this gateway",
            promise: """
                A session that is due is asked about once in a process, by its generation alone, beside the requests \
                that use it. After twice that time they wait for the store.
                """),
        Requirement(
            id: "SH-73", source: "policy of this gateway",
            promise: """
                A process knows a bounded number of sessions and endings, and those in use are the last that it \
                forgets.
                """),
        Requirement(
            id: "SH-74", source: "policy of this gateway",
            promise: """
                While the store is down, requests that need it are answered 503 at once. Those that need nothing of it are served.
                """),
        Requirement(
            id: "SH-75", source: "policy of this gateway",
            promise: """
                A store that was away is used again about two seconds after its return at the latest, and not before it has its data.
                """),
        Requirement(
            id: "SH-76", source: "Redis manual: persistence",
            promise: """
                A store that restarts has what it kept, and gets the scripts again without an error. While it reads its data it is \
                down.
                """),
        Requirement(
            id: "SH-77", source: "Redis manual: Sentinel, Cluster",
            promise: """
                When another server becomes the primary, it is used within a second. Where two claim to be one, most of the \
                Sentinels decide.
                """),
        Requirement(
            id: "SH-78", source: "policy of this gateway",
            promise: """
                A slow store is waited for as long as a command may take. One that answers nothing is down after a second.
                """),
        Requirement(
            id: "SH-79", source: "RFC 9293 §3.8.3; RFC 5482",
            promise: """
                A server whose packets are lost is left within three seconds, though nobody says that it is gone. No command waits \
                longer than its time meanwhile.
                """),
        Requirement(
            id: "SH-80", source: "RESP specification",
            promise: """
                A link closes a connection whose bytes are no reply, a reply too many, or one that its command cannot have. \
                The server says a number back behind each write, and no answer is told before: where one was lost or came \
                twice, none of that write is told. An error is that number only where a server says it to every command. \
                The reason has the first sixteen bytes in hexadecimal.
                """),
        Requirement(
            id: "SH-81", source: "Redis manual: maxmemory",
            promise: "A store whose memory is full refuses new entries and is read all the same."),
        Requirement(
            id: "SH-82", source: "policy of this gateway",
            promise: """
                What has the wrong type in the store, or in an answer, is an error, never a used proof, never an absent \
                session, and ends none.
                """),
        Requirement(
            id: "SH-83", source: "policy of this gateway",
            promise: """
                A link that the store does not let in is down, says which refusal it was, and tries again every two \
                seconds or so. The log names the user, never the password, and the command where a right is missing.
                """),
        Requirement(
            id: "SH-84", source: "Redis manual: maxclients",
            promise: """
                A store that takes no more clients is reached when it has fewer. Until then all workers of a process use what \
                connections some have; one without any says that the store is down. `check` says how many a process has.
                """),
        Requirement(
            id: "SH-85", source: "Redis Cluster specification",
            promise: """
                Without one of its shards, a cluster answers for the keys of the others where its settings allow that. It is not \
                asked for its map, nor for its keys, in a storm.
                """),
        Requirement(
            id: "SH-86", source: "policy of this gateway",
            promise: """
                The metrics say of each server whether it is reached, of the commands what they were about, what came of \
                them, and how long they took, and of sessions and refreshes what the store said.
                """),
        Requirement(
            id: "SH-87", source: "policy of this gateway",
            promise: """
                The access log says of a request how long it waited for the store. The operator log names a server that was \
                slow for a minute, once a minute at most.
                """),
        Requirement(
            id: "SH-88", source: "policy of this gateway",
            promise: """
                An explanation says what a gateway would ask the store, and asks it nothing. Of a request that the gateway \
                remembers it says what the store answered.
                """),
        Requirement(
            id: "SH-89", source: "redis/redis issue 14541",
            promise: """
                With the users that the documents tell operators to have, a store that starts again from its file has everything \
                that scripts wrote, and nobody reaches it who does not sign in.
                """),
    ]
}
