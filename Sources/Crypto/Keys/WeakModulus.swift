/// Finds RSA keys whose primes come from a library that made them guessable (CVE-2017-15361, "ROCA").
///
/// Its primes are powers of 65537 modulo a product of small primes, and so is their product: modulo each of these primes the
/// modulus is a power of 65537, which holds for one in 2^27 of other keys at most. Such a key of 2048 bits can be factored.
public enum WeakModulus {
    /// Whether the private key may be found from this modulus, big-endian.
    public static func isGuessable(_ modulus: Span<UInt8>) -> Bool {
        var first = 0
        while first < smallPrimes.count {
            // The rests by as many primes as a division of 64 bits by 32 has room for: a key set may have a hundred such keys.
            var product: UInt64 = 1
            var end = first
            while end < smallPrimes.count, product * UInt64(smallPrimes[end]) < 1 << 32 {
                product *= UInt64(smallPrimes[end])
                end += 1
            }
            let left = remainder(of: modulus, by: product)
            for prime in smallPrimes[first..<end] {
                guard isPower(UInt32(left % UInt64(prime)), of: 65537 % prime, modulo: prime) else { return false }
            }
            first = end
        }
        return true
    }

    /// What is left of a number by a divisor below 2^32.
    private static func remainder(of number: Span<UInt8>, by divisor: UInt64) -> UInt64 {
        var rest: UInt64 = 0
        var index = 0
        while index < number.count {
            var word: UInt64 = 0
            let end = min(index + 4, number.count)
            let bits = 8 * UInt64(end - index)
            while index < end {
                word = word << 8 | UInt64(number[index])
                index += 1
            }
            rest = (rest << bits | word) % divisor
        }
        return rest
    }

    private static func isPower(_ value: UInt32, of base: UInt32, modulo prime: UInt32) -> Bool {
        var power: UInt32 = 1
        repeat {
            if power == value { return true }
            power = power * base % prime
        } while power != 1
        return false
    }

    /// The odd primes whose product is in the modulus of the weak generator at every size of key.
    private static let smallPrimes: [UInt32] = [
        3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
        113,
        127, 131, 137, 139, 149, 151, 157, 163, 167,
    ]
}
