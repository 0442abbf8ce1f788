import Access
import OAuth
import TestTraits
import Testing

@testable import Gateway

@Suite struct `a predicate` {
    @Test(.holds("RS-12", "RS-13", "RS-19", "RS-21")) func `holds for exactly what it names`() throws {
        let token = try verifiedToken(["aud": "[\"https://api.example/\",\"https://b.example\"]"])
        #expect(Predicate.issuer(3).holds(for: token, issuer: 3))
        #expect(!Predicate.issuer(3).holds(for: token, issuer: 2))
        for audience in ["https://api.example/", "https://b.example"] {
            #expect(Predicate.audience(audience).holds(for: token, issuer: 0))
        }
        for audience in ["https://api.example", "https://b.example/", "HTTPS://b.example", ""] {
            #expect(!Predicate.audience(audience).holds(for: token, issuer: 0))
        }
        #expect(Predicate.scope("orders:read").holds(for: token, issuer: 0))
        for scope in ["orders", "Orders:read", "orders:read orders:write", ""] {
            #expect(!Predicate.scope(scope).holds(for: token, issuer: 0))
        }
        #expect(Predicate.user.holds(for: token, issuer: 0))
        #expect(!Predicate.user.holds(for: try verifiedToken(["sub": "\"client-1\""]), issuer: 0))
    }

    @Test(.holds("RS-20")) func `on a claim holds for one of its values`() throws {
        let token = try verifiedToken(["realm": "{\"roles\":[\"admin\",\"ops\"]}", "tenant": "\"blue\""])
        func holds(_ claim: [String], _ anyOf: [String]) -> Bool {
            Predicate.claim(ClaimRuleSettings(claim: claim, anyOf: anyOf)).holds(for: token, issuer: 0)
        }
        #expect(holds(["realm", "roles"], ["nobody", "ops"]))
        #expect(holds(["tenant"], ["blue"]))
        #expect(!holds(["realm", "roles"], ["Admin"]))
        #expect(!holds(["realm", "roles"], []))
        #expect(!holds(["roles"], ["admin"]))
        #expect(!holds(["tenant", "x"], ["blue"]))
        #expect(!holds(["missing"], ["blue"]))
    }
}

@Suite struct `the catalogue of predicates` {
    @Test func `gives one number to one question`() {
        var catalogue = PredicateCatalogue()
        let rule = ClaimRuleSettings(claim: ["a"], anyOf: ["b"])
        let questions: [Predicate] = [
            .issuer(0), .issuer(1), .audience("x"), .scope("x"), .claim(rule), .user,
            .claim(ClaimRuleSettings(claim: ["a"], anyOf: ["b", "c"])), .scope("X"),
        ]
        #expect(catalogue.wordCount == 0)
        let numbers = questions.map { catalogue.number(of: $0) }
        #expect(numbers == Array(0..<8))
        #expect(questions.reversed().map { catalogue.number(of: $0) } == numbers.reversed())
        #expect(catalogue.predicates == questions)
    }

    @Test(arguments: [(1, 1), (63, 1), (64, 1), (65, 2), (127, 2), (128, 2), (129, 3)])
    func `answers each in its own bit across words`(count: Int, words: Int) throws {
        var catalogue = PredicateCatalogue()
        for number in 0..<count { _ = catalogue.number(of: .scope("s\(number)")) }
        #expect(catalogue.wordCount == words)
        // One word more than needed, to see that it is left alone.
        let answers = UnsafeMutablePointer<UInt64>.allocate(capacity: words + 1)
        defer { answers.deallocate() }
        for granted in [[], [0], [count - 1], [0, count / 2, count - 1], Array(0..<count)] {
            answers.initialize(repeating: .max, count: words + 1)
            let scope = granted.map { "s\($0)" }.joined(separator: " ")
            catalogue.answer(
                try verifiedToken(["scope": granted.isEmpty ? nil : "\"\(scope)\""]), issuer: 0, into: answers)
            for number in 0..<count {
                let isSet = answers[number / 64] >> UInt64(number % 64) & 1 == 1
                #expect(isSet == granted.contains(number), "\(number) of \(count)")
                let written = UnsafeBufferPointer(start: answers, count: words)
                let holds = AnswerBits(written.span).holds(Int32(number))
                #expect(holds == isSet)
            }
            if count % 64 != 0 { #expect(answers[words - 1] >> UInt64(count % 64) == 0, "no bit beyond the last") }
            #expect(answers[words] == .max)
        }
    }
}

@Suite struct `a list of predicates` {
    @Test(arguments: [[], [0], [63, 64, 0], Array(0..<200)] as [[Int32]])
    func `lends the numbers that it was made of`(numbers: [Int32]) {
        let list = PredicateList(numbers)
        #expect(Array(list.numbers) == numbers)
        list.destroy()
    }
}

@Suite struct `a record's answers` {
    @Test(arguments: [0, 1, 2, 9]) func `are as many words as the configuration has, and no byte of its text`(
        count: Int
    ) throws {
        let records = try TokenRecords()
        let record = records.make(TokenRecords.digest(1), wordCount: count)
        for index in 0..<count { record.pointee.answers[index] = UInt64(index) }
        #expect(Array(record.pointee.answerWords) == (0..<count).map { UInt64($0) })
    }
}
