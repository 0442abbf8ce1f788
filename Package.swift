// swift-tools-version: 6.2
import PackageDescription

/// One list of settings for every target; protocol code adds strict memory safety.
let settings: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
    .enableUpcomingFeature("InferIsolatedConformances"),
    .enableExperimentalFeature("Lifetimes"),
]
let pure: [SwiftSetting] = settings + [.strictMemorySafety()]

/// Of modules that no request waits for: their code is made small and not fast, for the image has a bound (ECO-30).
let small: [SwiftSetting] = [.unsafeFlags(["-Osize"], .when(configuration: .release))]

/// What makes the program 2 MB smaller: equal code once, relocations packed, and no table of symbols for whoever would
/// load it as a library.
///
/// The packing needs glibc 2.36, and the loader of an older one says so.
let packed: [LinkerSetting] = [
    .unsafeFlags(
        ["-use-ld=lld"]
            + ["--icf=safe", "--no-export-dynamic", "-z", "pack-relative-relocs"].flatMap { ["-Xlinker", $0] },
        .when(platforms: [.linux], configuration: .release))
]

let package = Package(
    name: "portcullis",
    products: [
        .executable(name: "portcullis", targets: ["portcullis"]),
        .library(name: "Bytes", targets: ["Bytes"]),
        .library(name: "JSON", targets: ["JSON"]),
        .library(name: "HTTPMessage", targets: ["HTTPMessage"]),
        .library(name: "Compression", targets: ["Compression"]),
        .library(name: "Crypto", targets: ["Crypto"]),
        .library(name: "HTTP1", targets: ["HTTP1"]),
        .library(name: "HTTP2", targets: ["HTTP2"]),
        .library(name: "RESP", targets: ["RESP"]),
        .library(name: "ProxyProtocol", targets: ["ProxyProtocol"]),
        .library(name: "JOSE", targets: ["JOSE"]),
        .library(name: "OAuth", targets: ["OAuth"]),
        .library(name: "Refusals", targets: ["Refusals"]),
        .library(name: "Sessions", targets: ["Sessions"]),
        .library(name: "Pages", targets: ["Pages"]),
        .library(name: "SharedState", targets: ["SharedState"]),
        .library(name: "StoreLink", targets: ["StoreLink"]),
        .library(name: "StoreClient", targets: ["StoreClient"]),
        .library(name: "EventLoop", targets: ["EventLoop"]),
        .library(name: "Transport", targets: ["Transport"]),
        .library(name: "Explain", targets: ["Explain"]),
        .library(name: "Configuration", targets: ["Configuration"]),
        .library(name: "Import", targets: ["Import"]),
        .library(name: "Gateway", targets: ["Gateway"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", exact: "1.8.2")
    ],
    targets: [
        // 0: C libraries — a module map and a shim header, nothing else; and a little C
        .systemLibrary(name: "CEvent", pkgConfig: "libevent_core", providers: [.apt(["libevent-dev"])]),
        .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CYAML", pkgConfig: "yaml-0.1", providers: [.apt(["libyaml-dev"])]),
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CNGHTTP2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        // Parts of the C library by numbers alone, for its headers have types that would be no longer Glibc's. With debugging
        // information as Swift has it: Debian's valgrind ends at DWARF 5.
        .target(name: "CSocket", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
        .target(name: "CResolver", cSettings: [.unsafeFlags(["-gdwarf-4"])]),
        // In place of what the program links and does not use
        .target(name: "CLeftOut", cSettings: [.unsafeFlags(["-gdwarf-4"])]),

        // 1: values and grammars
        .target(name: "Bytes", swiftSettings: pure),
        .target(name: "Rates", swiftSettings: pure),
        .target(name: "JSON", dependencies: ["Bytes"], swiftSettings: pure),
        .target(name: "HTTPMessage", dependencies: ["Bytes"], swiftSettings: pure),

        // 2: protocol rules, pure: bytes, time, keys and randomness in; a value, a step or a refusal out
        .target(name: "Compression", dependencies: ["CZlib"], swiftSettings: pure),
        .target(name: "Crypto", dependencies: ["Bytes", "COpenSSL"], swiftSettings: pure),
        .target(name: "JOSE", dependencies: ["Bytes", "JSON", "Crypto"], swiftSettings: pure),
        .target(name: "HTTP1", dependencies: ["Bytes", "HTTPMessage"], swiftSettings: pure),
        .target(
            name: "HTTP2", dependencies: ["Bytes", "Rates", "HTTPMessage", "CNGHTTP2"], swiftSettings: pure),
        .target(name: "RESP", dependencies: ["Bytes"], swiftSettings: pure),
        .target(name: "ProxyProtocol", dependencies: ["Bytes"], swiftSettings: pure + small),
        .target(
            name: "OAuth", dependencies: ["Bytes", "JSON", "HTTPMessage", "Crypto", "JOSE"], swiftSettings: pure + small
        ),

        .target(name: "Systemd", swiftSettings: pure),

        // 3: I/O without policy
        .target(name: "EventLoop", dependencies: ["CEvent"], swiftSettings: settings),
        .target(
            name: "Transport", dependencies: ["Bytes", "HTTPMessage", "EventLoop", "CSocket", "CResolver", "COpenSSL"],
            swiftSettings: settings),
        .target(
            name: "Fetch", dependencies: ["Bytes", "HTTPMessage", "EventLoop", "CCurl"], swiftSettings: settings),

        .target(
            name: "StoreLink", dependencies: ["Bytes", "RESP", "Crypto", "EventLoop", "Transport"],
            swiftSettings: settings),

        // 4: issuers' metadata and keys; proofs that were used; logs and metrics
        .target(name: "Replay", dependencies: ["Crypto"], swiftSettings: pure),
        .target(name: "Telemetry", dependencies: ["Bytes", "JSON"], swiftSettings: settings),
        .target(
            name: "Issuers", dependencies: ["Bytes", "Rates", "HTTPMessage", "Crypto", "JOSE", "OAuth", "Telemetry"],
            swiftSettings: pure + small),

        // 4: what several gateways have in common: names, seals and steps of their shared store, as values
        .target(name: "SharedState", dependencies: ["Bytes", "Crypto", "Sessions"], swiftSettings: pure),

        // 4: the servers of a shared store, as one loop asks them
        .target(
            name: "StoreClient",
            dependencies: ["RESP", "StoreLink", "SharedState", "Crypto", "EventLoop", "Transport", "Bytes"],
            swiftSettings: settings),

        // 4: what the gateway promises: each id that code, tests and log lines name, a sentence and its source
        .target(name: "Requirements", swiftSettings: pure + small),

        // 4: what people read: pages, their looks, and their sentences in each language
        .target(name: "Pages", dependencies: ["Bytes", "HTTPMessage", "Crypto"], swiftSettings: pure + small),

        // 4: what operators look at: a report of the gateway as a page
        .target(
            name: "StatusPages", dependencies: ["Bytes", "Crypto", "Pages", "Telemetry"], swiftSettings: pure + small),

        // 4: every "no" of the gateway: how it is answered, who must act, and what a log calls it
        .target(
            name: "Refusals",
            dependencies: ["Bytes", "JSON", "HTTPMessage", "Crypto", "JOSE", "HTTP1", "HTTP2", "OAuth", "Pages"],
            swiftSettings: pure),

        // 4: sessions and the stores they are in; logins, refreshes and logouts as values
        .target(
            name: "Sessions", dependencies: ["Bytes", "JSON", "HTTPMessage", "Crypto"], swiftSettings: pure),
        .target(
            name: "Login",
            dependencies: [
                "Bytes", "Rates", "JSON", "HTTPMessage", "Crypto", "JOSE", "OAuth", "Replay", "Telemetry", "Issuers",
                "Sessions", "SharedState", "Pages", "Refusals",
            ],
            swiftSettings: pure + small),

        // 4: the judgement of one request: rights as values, without a socket, a worker or a clock
        .target(
            name: "Access",
            dependencies: [
                "Bytes", "Rates", "JSON", "HTTPMessage", "Crypto", "JOSE", "HTTP1", "OAuth", "Telemetry", "Issuers",
                "Replay", "Sessions", "Pages", "Refusals", "Login",
            ],
            swiftSettings: pure),

        // 5: accept → parse → route → authenticate → authorize → rewrite → forward → log
        .target(
            name: "Gateway",
            dependencies: [
                "Bytes", "Rates", "JSON", "HTTPMessage", "Crypto", "JOSE", "HTTP1", "HTTP2", "OAuth", "EventLoop",
                "Transport", "Fetch", "Telemetry", "Issuers", "Replay", "Sessions", "Pages", "StatusPages", "Refusals",
                "Login",
                "Access", "Systemd", "Compression", "RESP", "ProxyProtocol", "StoreLink", "SharedState", "StoreClient",
            ],
            swiftSettings: settings),

        // 5: why a request was let through or refused: a table over what the gateway decided
        .target(
            name: "Explain",
            dependencies: [
                "Bytes", "JSON", "HTTPMessage", "Crypto", "JOSE", "OAuth", "EventLoop", "Fetch", "Telemetry", "Issuers",
                "Sessions", "Refusals", "Login", "Access", "Gateway",
            ],
            swiftSettings: pure + small),

        // 6: YAML text → the Settings of the modules above
        .target(
            name: "Configuration",
            dependencies: [
                "CYAML", "Bytes", "JSON", "HTTPMessage", "Crypto", "JOSE", "OAuth", "Transport", "Telemetry",
                "Issuers", "Sessions", "SharedState", "Pages", "Login", "Access", "Gateway", "Explain",
            ],
            resources: [.embedInCode("Reference/reference.yaml")], swiftSettings: settings + small),

        // 6: configurations of others → our YAML
        .target(
            name: "Import", dependencies: ["HTTPMessage", "Configuration"], swiftSettings: pure + small),

        // 7: the command line; the only place that builds everything
        .executableTarget(
            name: "portcullis",
            dependencies: [
                "Configuration", "Import", "Access", "Gateway", "Explain", "EventLoop", "Fetch", "Telemetry", "Issuers",
                "SharedState", "Requirements", "Systemd", "CLeftOut",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            swiftSettings: settings + small, linkerSettings: packed),

        .target(
            name: "TestSupport",
            dependencies: [
                "Bytes", "JSON", "Crypto", "JOSE", "HTTPMessage", "OAuth", "COpenSSL", "CZlib", "CNGHTTP2",
            ],
            path: "Tests/Support", swiftSettings: settings),
        .target(name: "TestTraits", path: "Tests/Traits", swiftSettings: settings),
        .testTarget(name: "BytesTests", dependencies: ["Bytes", "TestSupport", "TestTraits"], swiftSettings: settings),
        .testTarget(name: "RatesTests", dependencies: ["Rates", "TestTraits"], swiftSettings: settings),
        .testTarget(name: "SystemdTests", dependencies: ["Systemd", "TestTraits"], swiftSettings: settings),
        .testTarget(
            name: "JSONTests", dependencies: ["JSON", "Bytes", "TestSupport", "TestTraits"], swiftSettings: settings),
        .testTarget(
            name: "HTTPMessageTests", dependencies: ["HTTPMessage", "Crypto", "Bytes", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "HTTP1Tests", dependencies: ["HTTP1", "HTTPMessage", "Bytes", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "HTTP2Tests",
            dependencies: ["HTTP2", "HTTP1", "HTTPMessage", "Bytes", "Rates", "CNGHTTP2", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "CompressionTests", dependencies: ["Compression", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "RESPTests", dependencies: ["RESP", "Bytes", "TestSupport", "TestTraits"], swiftSettings: settings),
        .testTarget(
            name: "ProxyProtocolTests", dependencies: ["ProxyProtocol", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "CryptoTests", dependencies: ["Crypto", "JOSE", "Bytes", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "JOSETests", dependencies: ["JOSE", "JSON", "Crypto", "Bytes", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "OAuthTests",
            dependencies: [
                "OAuth", "Refusals", "JOSE", "JSON", "HTTPMessage", "Crypto", "Bytes", "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "EventLoopTests", dependencies: ["EventLoop", "TestSupport", "TestTraits"], swiftSettings: settings),
        .testTarget(
            name: "TransportTests", dependencies: ["Transport", "EventLoop", "COpenSSL", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "FetchTests",
            dependencies: ["Fetch", "EventLoop", "HTTPMessage", "Bytes", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "StoreLinkTests",
            dependencies: [
                "StoreLink", "RESP", "Crypto", "EventLoop", "Transport", "Bytes", "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "StoreClientTests",
            dependencies: [
                "StoreClient", "StoreLink", "SharedState", "RESP", "Crypto", "EventLoop", "Transport", "Bytes",
                "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "TelemetryTests", dependencies: ["Telemetry", "JSON", "Bytes", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "ReplayTests", dependencies: ["Replay", "Crypto", "Bytes", "TestTraits"], swiftSettings: settings),
        .testTarget(
            name: "SessionsTests",
            // Its suite holds the shared store to the same promises, at the server of that store's own tests.
            dependencies: [
                "Sessions", "SharedStateTests", "Crypto", "JSON", "Bytes", "HTTPMessage", "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "SharedStateTests",
            dependencies: ["SharedState", "Sessions", "Crypto", "Bytes", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "PagesTests", dependencies: ["Pages", "Bytes", "Crypto", "TestSupport", "TestTraits"],
            swiftSettings: settings),
        .testTarget(
            name: "StatusPagesTests", dependencies: ["StatusPages", "Telemetry", "Crypto", "Bytes", "TestTraits"],
            exclude: ["Golden"], swiftSettings: settings),
        .testTarget(
            name: "LoginTests",
            dependencies: [
                "Login", "Pages", "Refusals", "Sessions", "SharedState", "SharedStateTests", "Issuers", "OAuth", "JOSE",
                "JSON", "Crypto", "HTTPMessage",
                "Replay", "Telemetry", "Bytes", "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "IssuersTests",
            dependencies: [
                "Issuers", "OAuth", "JOSE", "JSON", "Crypto", "HTTPMessage", "Telemetry", "Bytes", "TestSupport",
                "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "AccessTests",
            dependencies: [
                "Access", "Bytes", "HTTPMessage", "HTTP1", "Crypto", "OAuth", "JOSE", "JSON", "Telemetry", "Issuers",
                "Replay", "Sessions", "Pages", "Refusals", "Login", "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "GatewayTests",
            dependencies: [
                "Gateway", "Explain", "Access", "Refusals", "EventLoop", "Transport", "HTTPMessage", "HTTP1", "HTTP2",
                "OAuth", "JOSE",
                "Issuers",
                "Telemetry",
                "Sessions", "Pages", "Login", "Bytes", "Rates", "Crypto", "JSON", "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "ExplainTests",
            // The requests that explanations are made of are those of the gateway's own tests.
            dependencies: [
                "Explain", "Gateway", "GatewayTests", "Access", "Refusals", "HTTPMessage", "OAuth", "JOSE", "Issuers",
                "Telemetry",
                "Login", "Crypto", "JSON", "TestSupport", "TestTraits",
            ],
            exclude: ["Golden"], swiftSettings: settings),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "Configuration", "SharedState", "Gateway", "Access", "Refusals", "Login", "Pages", "Sessions",
                "Issuers", "OAuth", "JOSE", "JSON", "Crypto", "Bytes", "HTTPMessage", "TestSupport", "TestTraits",
            ],
            exclude: ["Golden", "embed_languages.py", "validate_schema.py"],
            swiftSettings: settings),
        .testTarget(
            name: "ImportTests",
            dependencies: ["Import", "Configuration", "Gateway", "Access", "TestSupport", "TestTraits"],
            exclude: ["Given", "Golden"], swiftSettings: settings),
        .testTarget(
            name: "ArchitectureTests", dependencies: ["Requirements", "TestSupport", "TestTraits"],
            exclude: ["write_requirements.py"], swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "portcullis", "SharedStateTests", "StoreClientTests", "SharedState", "Sessions", "JSON", "Bytes",
                "Crypto", "JOSE", "CNGHTTP2",
                "TestSupport", "TestTraits",
            ],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
