import HTTPMessage
import TestTraits
import Testing

@testable import Fetch

@Suite struct `classes of addresses` {
    @Test(
        .holds("MD-08"),
        arguments: [
            // IPv4
            ("0.0.0.0", .unspecified), ("0.1.2.3", .unspecified),
            ("10.0.0.0", .privateUse), ("10.255.255.255", .privateUse),
            ("100.64.0.0", .sharedUse), ("100.127.255.255", .sharedUse),
            ("127.0.0.1", .loopback), ("127.255.255.255", .loopback),
            ("169.254.169.254", .linkLocal), ("169.254.0.0", .linkLocal),
            ("172.16.0.0", .privateUse), ("172.31.255.255", .privateUse),
            ("192.168.0.1", .privateUse), ("192.168.255.255", .privateUse),
            ("192.0.0.8", .reserved), ("192.0.2.1", .reserved), ("192.88.99.1", .reserved),
            ("198.18.0.1", .reserved), ("198.19.255.255", .reserved), ("198.51.100.1", .reserved),
            ("203.0.113.9", .reserved), ("240.0.0.1", .reserved), ("255.255.255.255", .reserved),
            ("224.0.0.1", .multicast), ("239.255.255.255", .multicast),
            // IPv6
            ("::", .unspecified), ("::1", .loopback),
            ("fc00::", .privateUse), ("fdff:ffff::1", .privateUse), ("fec0::1", .privateUse),
            ("fe80::1", .linkLocal), ("febf:ffff::1", .linkLocal),
            ("ff02::1", .multicast), ("ffff::1", .multicast),
            ("::2", .reserved), ("::127.0.0.1", .reserved), ("::8.8.8.8", .reserved), ("100::1", .reserved),
            ("2001::1", .reserved), ("2001:1ff::1", .reserved), ("2001:db8::1", .reserved), ("3fff:fff::1", .reserved),
            ("4000::1", .reserved), ("5f00::1", .reserved), ("64:ff9b:1::8.8.8.8", .reserved),
            // the same, in disguise
            ("::ffff:127.0.0.1", .loopback), ("::ffff:7f00:1", .loopback), ("::ffff:169.254.169.254", .linkLocal),
            ("::ffff:10.0.0.1", .privateUse), ("64:ff9b::127.0.0.1", .loopback), ("64:ff9b::a9fe:a9fe", .linkLocal),
            ("64:ff9b::10.0.0.1", .privateUse), ("2002:7f00:1::", .loopback), ("2002:a00:1::1", .privateUse),
            ("64:ff9b::1:0:0", .reserved),
        ] as [(String, AddressClass)])
    func `an address that only insiders may name has its own class`(text: String, expected: AddressClass) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressClass(address) == expected)
    }

    @Test(
        .holds("MD-08"),
        arguments: [
            "1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0", "126.255.255.255", "128.0.0.1",
            "169.253.255.255", "169.255.0.0", "172.15.255.255", "172.32.0.0", "192.167.255.255", "192.169.0.0",
            "192.0.1.1", "198.17.255.255", "198.20.0.0", "223.255.255.255", "2000::1", "2606:4700::1111", "2001:200::1",
            "2001:db7::1", "2001:db9::1", "3ffe::1", "3fff:1000::1", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8",
            "2002:808:808::1",
        ])
    func `an address beside a reserved block is public`(text: String) throws {
        let address = try #require(IPAddress(text))
        #expect(AddressClass(address) == .publicUnicast)
    }

    @Test(arguments: [
        "", "1", "127.1", "2130706433", "0x7f.0.0.1", "256.0.0.1", "1.2.3.4.5", "[::1]", "fe80::1%lo", ":::",
        "localhost",
        " 127.0.0.1",
    ])
    func `a text that is no plain address is none`(text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test(arguments: ["127.0.0.1", "8.8.8.8", "::1", "2001:db8::1", "fe80::a:b"])
    func `an address is described as it is written`(text: String) {
        #expect(IPAddress(text)?.description == text)
    }
}

@Suite struct `blocks of addresses` {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1"), ("10.1.2.3/8", "10.9.9.9"), ("10.0.0.1", "10.0.0.1"), ("10.0.0.1/32", "10.0.0.1"),
        ("0.0.0.0/0", "127.0.0.1"), ("fd00::/8", "fd12::1"), ("::/0", "::1"), ("fd00::1/128", "fd00::1"),
        ("10.0.0.0/8", "::ffff:10.0.0.1"), ("::ffff:10.0.0.0/104", "10.1.1.1"), ("172.16.0.0/12", "172.31.255.255"),
    ])
    func `hold what shares their first bits`(block: String, address: String) throws {
        let block = try #require(AddressBlock(block))
        #expect(block.contains(try #require(IPAddress(address))))
    }

    @Test(arguments: [
        ("10.0.0.0/8", "11.0.0.0"), ("10.0.0.1", "10.0.0.2"), ("fd00::/8", "fe00::1"), ("0.0.0.0/0", "::1"),
        ("::/0", "127.0.0.1"), ("::/0", "::ffff:127.0.0.1"), ("172.16.0.0/12", "172.32.0.0"),
        ("10.0.0.0/31", "10.0.0.2"),
    ])
    func `do not hold anything else`(block: String, address: String) throws {
        let block = try #require(AddressBlock(block))
        #expect(!block.contains(try #require(IPAddress(address))))
    }

    @Test(arguments: [
        "", "/8", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0/8", "fd00::/129",
        "::ffff:10.0.0.0/95", "::ffff:10.0.0.0/129", "host/8", "10.0.0.0/8 ", "10.0.0.0/99999999999999999999",
    ])
    func `are refused when they are not written as one`(text: String) {
        #expect(AddressBlock(text) == nil)
    }
}

@Suite struct `the address guard` {
    private func permits(
        _ address: String, host: String = "id.example", written: String? = nil, blocks: [String] = []
    ) throws -> Bool {
        var request = FetchRequest(url: "https://id.example/", maximumBytes: 1, timeoutMilliseconds: 1)
        request.allowLoopbackAndPrivateHost = written
        request.allowPrivate = blocks
        return AddressGuard(request, host: host).permits(try #require(IPAddress(address)))
    }

    @Test(.holds("MD-08")) func `lets a public address through`() throws {
        #expect(try permits("8.8.8.8"))
    }

    @Test(
        .holds("MD-08"), .refuses("MD-08"),
        arguments: [
            "127.0.0.1", "169.254.169.254", "10.0.0.1", "172.16.0.1", "192.168.1.1", "100.64.0.1", "0.0.0.0",
            "224.0.0.1",
            "::1", "fe80::1", "fc00::1", "::ffff:127.0.0.1", "64:ff9b::7f00:1",
        ])
    func `stops what only the operator may point at`(address: String) throws {
        #expect(try !permits(address))
        #expect(try !permits(address, written: "other.example"))
        #expect(try permits(address, written: "id.example"))
    }

    @Test(.holds("MD-08"), .refuses("MD-08")) func `a block the operator allowed is open, its neighbours are not`()
        throws
    {
        #expect(try permits("10.1.2.3", blocks: ["10.1.0.0/16"]))
        #expect(try permits("::ffff:10.1.2.3", blocks: ["10.1.0.0/16"]))
        #expect(try !permits("10.2.2.3", blocks: ["10.1.0.0/16"]))
        #expect(try !permits("10.1.2.3", blocks: ["10.1.0.0/99", "nonsense", ""]))
    }

    @Test(arguments: [
        ("ID.example", "id.EXAMPLE"), ("127.0.0.1", "::ffff:127.0.0.1"), ("[::1]", "::1"), ("0:0::1", "[::1]"),
    ])
    func `the operator's host is known in every spelling`(written: String, host: String) throws {
        #expect(try permits("127.0.0.1", host: host, written: written))
    }

    @Test(
        .refuses("MD-08"),
        arguments: [
            ("id.example", "id.example.evil.test"), ("id.example", "evil-id.example"), ("", ""),
            ("127.0.0.1", "127.0.0.2"),
            ("localhost", "127.0.0.1"),
        ])
    func `another host is not the operator's`(written: String, host: String) throws {
        #expect(try !permits("127.0.0.1", host: host, written: written))
    }
}
