/// What the store does in one step, because two commands would leave room for somebody else between them (SH-49).
///
/// Each is a text of this program and nothing else, touches one key, and calls only commands that the minimal ACL user may
/// use (SH-47). A key that a script makes has a time to live when the script ends (SH-27). What gives it that is called once
/// before anything is written, where it changes nothing (`NX`): a user who may not do it would leave keys for ever else. The
/// time of leases is the store's; no replica's clock counts.
///
///     a session    g  generation        f  fence of the last lease       x  ended: the generation it had
///                  v  sealed value      l  end of the lease              n  not to be refreshed before
///                  r  sealed refresh token, to be revoked when the session ends without its cookie
enum StoreScript: String, Sendable, CaseIterable {
    /// Keeps a new session unless there is one, or was.
    case keep
    /// Leases a session for a refresh.
    case begin
    /// Puts the refreshed session in place of the one that was leased.
    case commit
    /// Gives a lease back.
    case putBack
    /// Ends a session, and leaves a tombstone in its place.
    case end
    /// Notes that all sessions of a user, or of a server's session, are over that began until a time.
    case mark
    /// Notes a session in an index, and clears away those that are over.
    case enroll
    /// Gives a hosted request object out, a few times.
    case fetch
    /// Writes a line into the log of endings and refreshes.
    case log
    /// Grants a part of a rate of requests.
    case lease

    /// The script, as the store is given it.
    var text: String {
        switch self {
        case .keep: StoreScript.keepText
        case .begin: StoreScript.beginText
        case .commit: StoreScript.commitText
        case .putBack: StoreScript.putBackText
        case .end: StoreScript.endText
        case .mark: StoreScript.markText
        case .enroll: StoreScript.enrollText
        case .fetch: StoreScript.fetchText
        case .log: StoreScript.logText
        case .lease: StoreScript.leaseText
        }
    }
}

extension StoreScript {
    /// ARGV: generation, value, milliseconds to live; the refresh token for its revocation, or nothing.
    private static let keepText = """
        #!lua
        if redis.call('EXISTS', KEYS[1]) == 1 then
            if redis.call('HGET', KEYS[1], 'x') then return 2 end
            return 1
        end
        redis.call('PEXPIRE', KEYS[1], ARGV[3], 'NX')
        redis.call('HSET', KEYS[1], 'g', ARGV[1], 'v', ARGV[2])
        if ARGV[4] then redis.call('HSET', KEYS[1], 'r', ARGV[4]) end
        redis.call('PEXPIRE', KEYS[1], ARGV[3])
        return 0
        """

    /// Milliseconds that a lease or a pause lasts at most.
    static let longestHold: Int64 = 600_000

    /// ARGV: generation, milliseconds of the lease.
    ///
    /// What lies more than `longestHold` ahead nobody here has written: the store's clock was set back, or a stranger
    /// wrote it. It would keep a session from its refresh for as long.
    private static let beginText = """
        #!lua
        local s = redis.call('HMGET', KEYS[1], 'g', 'v', 'f', 'l', 'n')
        if not s[1] or not s[2] then return {0} end
        if s[1] ~= ARGV[1] then return {1, s[1], s[2]} end
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        local lease = (tonumber(s[4] or 0) or 0) - now
        if lease > 0 and lease <= \(longestHold) then return {2, lease} end
        local pause = (tonumber(s[5] or 0) or 0) - now
        if pause > 0 and pause <= \(longestHold) then return {3, pause} end
        local fence = string.format('%.0f', (tonumber(s[3] or 0) or 0) + 1)
        redis.call('HSET', KEYS[1], 'f', fence, 'l', string.format('%.0f', now + ARGV[2]))
        return {4, fence}
        """

    /// ARGV: generation, fence, new generation, new value, milliseconds to live; the refresh token for its revocation, or
    /// nothing.
    ///
    /// Nobody but the holder of a fence moves a session on under it. So a holder who does not know whether this was done,
    /// because the answer was lost, may ask again, and learns that it was.
    private static let commitText = """
        #!lua
        local s = redis.call('HMGET', KEYS[1], 'g', 'f')
        if not s[1] then return {0} end
        if s[2] == ARGV[2] and s[1] == ARGV[3] then return {2} end
        if s[1] ~= ARGV[1] or s[2] ~= ARGV[2] then return {1, s[1]} end
        redis.call('HSET', KEYS[1], 'g', ARGV[3], 'v', ARGV[4])
        redis.call('HDEL', KEYS[1], 'l', 'n', 'r')
        if ARGV[6] then redis.call('HSET', KEYS[1], 'r', ARGV[6]) end
        redis.call('PEXPIRE', KEYS[1], ARGV[5])
        return {2}
        """

    /// ARGV: fence, milliseconds until somebody may try again.
    private static let putBackText = """
        #!lua
        local s = redis.call('HMGET', KEYS[1], 'g', 'f')
        if not s[1] then return 0 end
        if s[2] ~= ARGV[1] then return 1 end
        redis.call('HDEL', KEYS[1], 'l')
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        redis.call('HSET', KEYS[1], 'n', string.format('%.0f', now + ARGV[2]))
        return 2
        """

    /// ARGV: milliseconds that the tombstone stays; 1 where the refresh token stays with it, for whoever revokes it.
    private static let endText = """
        #!lua flags=allow-oom
        local s = redis.call('HMGET', KEYS[1], 'g', 'x', 'r')
        if s[2] then
            redis.call('PEXPIRE', KEYS[1], ARGV[1], 'GT')
            return {2}
        end
        redis.call('PEXPIRE', KEYS[1], ARGV[1], 'NX')
        redis.call('UNLINK', KEYS[1])
        redis.call('HSET', KEYS[1], 'x', s[1] or '-')
        if s[3] and ARGV[2] == '1' then redis.call('HSET', KEYS[1], 'r', s[3]) end
        redis.call('PEXPIRE', KEYS[1], ARGV[1])
        if s[1] then return {1, s[1]} end
        return {0}
        """

    /// ARGV: the time until which sessions began that are over, milliseconds to live.
    private static let markText = """
        #!lua flags=allow-oom
        local held = redis.call('GET', KEYS[1])
        if not held then
            redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
            return 0
        end
        if (tonumber(held) or 0) < tonumber(ARGV[1]) then redis.call('SET', KEYS[1], ARGV[1], 'KEEPTTL') end
        redis.call('PEXPIRE', KEYS[1], ARGV[2], 'GT')
        return 0
        """

    /// ARGV: the session's name, milliseconds until its end, members at most; returns those that are too many.
    private static let enrollText = """
        #!lua
        local time = redis.call('TIME')
        local now = time[1] * 1000 + math.floor(time[2] / 1000)
        redis.call('PEXPIRE', KEYS[1], ARGV[2], 'NX')
        redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', string.format('%.0f', now))
        local known = redis.call('EXISTS', KEYS[1]) == 1
        redis.call('ZADD', KEYS[1], string.format('%.0f', now + ARGV[2]), ARGV[1])
        if known then
            redis.call('PEXPIRE', KEYS[1], ARGV[2], 'GT')
        else
            redis.call('PEXPIRE', KEYS[1], ARGV[2])
        end
        local excess = redis.call('ZCARD', KEYS[1]) - ARGV[3]
        if excess <= 0 then return {} end
        local leaving = redis.call('ZRANGE', KEYS[1], 0, math.min(excess, 100) - 1)
        redis.call('ZREM', KEYS[1], unpack(leaving))
        return leaving
        """

    /// ARGV: how often at most.
    private static let fetchText = """
        #!lua
        local s = redis.call('HMGET', KEYS[1], 'g', 'v')
        local count = tonumber(s[1] or nil)
        if not count or not s[2] or count >= tonumber(ARGV[1]) then return false end
        redis.call('HSET', KEYS[1], 'g', string.format('%.0f', count + 1))
        return s[2]
        """

    /// ARGV: nanoseconds that one takes to come back, how many there are at most, how many were spent, how many are wanted.
    ///
    /// Those that were spent are the ones without a grant, less those granted and not spent. Returns how many are granted,
    /// and in how many microseconds there is another one.
    ///
    /// The value is until when all that was taken is paid for, by the store's clock. What lies further ahead than anybody
    /// here writes is nobody's word: the clock was set back, or a stranger wrote it.
    private static let leaseText = """
        #!lua
        local time = redis.call('TIME')
        local now = time[1] * 1000000 + time[2]
        local interval = ARGV[1] / 1000
        local full = ARGV[2] * interval
        local taken = (tonumber(redis.call('GET', KEYS[1]) or 0) or 0) - now
        if not (taken > 0 and taken <= 10 * full + 1) then taken = 0 end
        taken = math.min(math.max(0, taken + ARGV[3] * interval), 10 * full)
        local granted = math.max(0, math.min(tonumber(ARGV[4]), math.floor((full - taken) / interval + 0.000001)))
        taken = taken + granted * interval
        redis.call('SET', KEYS[1], string.format('%.0f', now + taken), 'PX', string.format('%.0f', taken / 1000 + 1))
        return {granted, math.ceil(math.max(0, taken + interval - full))}
        """

    /// ARGV: lines that are kept, more or less; kind, name, generation.
    ///
    /// The end of the log, in a hundred years, is there so that two commands write: a server that leaves out at its start what
    /// scripts wrote by several, because its default user has no rights, then lacks the line too, and that is noticed.
    private static let logText = """
        #!lua flags=allow-oom
        redis.call('PEXPIRE', KEYS[1], '3153600000000', 'NX')
        local place = redis.call('XADD', KEYS[1], 'MAXLEN', '~', ARGV[1], '*',
            'k', ARGV[2], 'n', ARGV[3], 'g', ARGV[4])
        redis.call('PEXPIRE', KEYS[1], '3153600000000')
        return place
        """
}
