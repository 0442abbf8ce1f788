import Refusals
import TestTraits
import Testing

@testable import Login

struct HostedRequestsTests {
    private let hosted = HostedRequests()
    private let object = Array("header.claims.signature".utf8)

    private func fetch(
        _ id: String, method: LoginRequest.Method = .get, at milliseconds: Int64 = 0, peer: String = "192.0.2.1",
        of hosted: HostedRequests? = nil
    ) -> LoginAnswer {
        let request = LoginRequest(
            endpoint: .requestObject(id: id), method: method, publicURL: "https://shop.example.com", peer: peer)
        return (hosted ?? self.hosted).answer(request, at: milliseconds)
    }

    private func bytes(_ answer: LoginAnswer) -> [UInt8]? {
        guard case .document("application/oauth-authz-req+jwt", let bytes) = answer.content else { return nil }
        return bytes
    }

    @Test(.holds("JAR-20")) func `The name has 256 bits, and is another one for each login`() throws {
        let one = try #require(hosted.publish(object, state: "state-1", peer: "192.0.2.1", at: 0))
        let other = try #require(hosted.publish(object, state: "state-2", peer: "192.0.2.1", at: 0))
        #expect(one != other)
        #expect(one.utf8.count == 43)
        #expect(HostedRequests.path(one).utf8.count < 200)
        #expect(HostedRequests().publish(object, state: "state-1", peer: "192.0.2.1", at: 0) != one)
    }

    @Test(.refuses("JAR-20", "JAR-23")) func `Who guesses finds nothing, and is told to stop; the server is not`()
        throws
    {
        let id = try #require(hosted.publish(object, state: "state-1", peer: "192.0.2.1", at: 0))
        var answers: [Refusal?] = []
        for guess in 0..<100_000 { answers.append(fetch("guess-\(guess)").refusal) }
        #expect(answers.first == .requestObjectUnknown)
        #expect(answers.last == .loginRequestsTooMany)
        #expect(!answers.contains(nil))
        #expect(fetch("guess", peer: "198.51.100.1").refusal == .requestObjectUnknown)
        let answer = fetch(id)
        #expect(bytes(answer) == object)
        #expect(answer.cookies.isEmpty)
    }

    @Test(.refuses("JAR-21")) func `GET and HEAD have the exact type and bytes; other methods are refused`() throws {
        let id = try #require(hosted.publish(object, state: "state-1", peer: "192.0.2.1", at: 0))
        #expect(bytes(fetch(id)) == object)
        #expect(bytes(fetch(id, method: .head)) == object)
        for method in [LoginRequest.Method.post, .other] {
            let answer = fetch(id, method: method)
            #expect(answer.refusal == .methodNotAllowed)
            #expect(answer.fields.contains { $0 == ("Allow", "GET, HEAD") })
        }
    }

    @Test(.refuses("JAR-21", "JAR-22")) func `After two minutes it is gone, as if it had never been`() throws {
        let id = try #require(hosted.publish(object, state: "state-1", peer: "192.0.2.1", at: 0))
        #expect(bytes(fetch(id, at: 119_999)) == object)
        #expect(fetch(id, at: 120_000).check == fetch("never-there", at: 120_000).check)
        #expect(fetch(id, at: 120_000).refusal == .requestObjectUnknown)
    }

    @Test(.holds("JAR-22"), .refuses("JAR-22"))
    func `Five fetches are answered, the sixth is not, and a callback ends it at once`() throws {
        let id = try #require(hosted.publish(object, state: "state-1", peer: "192.0.2.1", at: 0))
        for _ in 0..<5 { #expect(bytes(fetch(id)) == object) }
        #expect(fetch(id).refusal == .requestObjectUnknown)
        let other = try #require(hosted.publish(object, state: "state-2", peer: "192.0.2.1", at: 0))
        hosted.remove(state: "state-2")
        #expect(fetch(other).refusal == .requestObjectUnknown)
    }

    @Test(.refuses("JAR-23")) func `Memory is bounded, and free again after two minutes though nobody publishes`() {
        let small = HostedRequests(limit: 2, byteLimit: 1000)
        for network in 1...2 {
            let id = small.publish(object, state: "\(network)", peer: "192.0.2.\(network)", at: 0)
            #expect(fetch(id ?? "", of: small).refusal == nil)
        }
        #expect(small.publish(object, state: "3", peer: "192.0.2.3", at: 0) == nil, "nobody loses their only one")
        #expect(small.count == 2)
        small.sweep(at: 119_999)
        #expect(small.count == 2)
        small.sweep(at: 120_000)
        #expect(small.count == 0)
        #expect(small.publish(object, state: "4", peer: "192.0.2.3", at: 120_000) != nil)
        #expect(small.publish(Array(repeating: 0, count: 1001), state: "5", peer: "192.0.2.4", at: 120_000) == nil)
        #expect(small.count == 1)
    }

    @Test(.refuses("JAR-23", "OPS-05"), arguments: [true, false])
    func `A network that begins logins without end keeps nobody else from theirs`(fetches: Bool) throws {
        let small = HostedRequests(limit: 100, byteLimit: 1 << 20)
        let others = try (0..<20).map { number in
            try #require(small.publish(object, state: "other \(number)", peer: "198.51.100.\(number)", at: 0))
        }
        var newest = ""
        for number in 0..<10_000 {
            // Addresses of one /64, which are one subscriber's.
            newest = try #require(
                small.publish(object, state: "\(number)", peer: "2001:db8::\(number % 10)", at: 0), "login \(number)")
            if fetches { #expect(fetch(newest, of: small).refusal == nil) }
        }
        #expect(small.count == 100)
        let late = try (0..<40).map { number in
            try #require(small.publish(object, state: "late \(number)", peer: "203.0.113.\(number)", at: 0))
        }
        for id in others + late + [newest] { #expect(fetch(id, of: small).refusal == nil) }
        let huge = Array(repeating: UInt8(0), count: 2 << 20)
        #expect(small.publish(huge, state: "huge", peer: "203.0.113.99", at: 0) == nil)
        #expect(small.count == 100)
    }

    @Test(.holds("JAR-23", "OPS-05")) func `Whoever holds most gives way first, and their newest login goes on`() throws
    {
        let small = HostedRequests(limit: 6, byteLimit: 1 << 20)
        let one = try (0..<4).map { try #require(small.publish(object, state: "a\($0)", peer: "192.0.2.1", at: 0)) }
        let two = try (0..<2).map { try #require(small.publish(object, state: "b\($0)", peer: "192.0.2.2", at: 0)) }
        _ = try #require(small.publish(object, state: "c", peer: "192.0.2.3", at: 0))
        #expect(fetch(one[0], of: small).refusal == .requestObjectUnknown)
        #expect(fetch(one[3], of: small).refusal == nil)
        _ = try #require(small.publish(object, state: "a4", peer: "192.0.2.1", at: 0))
        #expect(fetch(one[1], of: small).refusal == .requestObjectUnknown, "of its own")
        for id in two { #expect(fetch(id, of: small).refusal == nil) }
    }

    @Test(.refuses("JAR-23")) func `Room is made by bytes too`() throws {
        let small = HostedRequests(limit: 100, byteLimit: 1000)
        let large = Array(repeating: UInt8(0), count: 600)
        let one = try #require(small.publish(large, state: "1", peer: "192.0.2.1", at: 0))
        let other = try #require(small.publish(large, state: "2", peer: "192.0.2.1", at: 0))
        #expect(fetch(one, of: small).refusal == .requestObjectUnknown)
        #expect(fetch(other, of: small).refusal == nil)
        #expect(small.publish(large, state: "3", peer: "192.0.2.2", at: 0) == nil)
        #expect(fetch(other, of: small).refusal == nil)
    }

    @Test(.holds("JAR-23", "LO-12")) func `An IPv6 address shares what its network has left`() {
        #expect(AddressBudget.network(of: "192.0.2.1") == "192.0.2.1")
        #expect(AddressBudget.network(of: "2001:db8:0:1::5") == "2001:db8:0:1")
        #expect(AddressBudget.network(of: "2001:0DB8:0:1:ffff::") == "2001:db8:0:1")
        #expect(AddressBudget.network(of: "2001:db8::1") == "2001:db8:0:0")
        #expect(AddressBudget.network(of: "::1") == "::")
        let budget = AddressBudget(perSecond: 1, burst: 2)
        budget.charge("2001:db8::1", at: 0)
        budget.charge("2001:db8::2", at: 0)
        #expect(!budget.isLeft(to: "2001:db8::3", at: 0))
        #expect(budget.isLeft(to: "2001:db8:0:7::3", at: 0))
        #expect(budget.isLeft(to: "2001:db8::3", at: 1000))
    }
}
