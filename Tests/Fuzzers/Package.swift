// swift-tools-version: 6.2
import PackageDescription

// A package of its own: it sees what a stranger would see of the libraries, and what `run` opens to it by
// `-enable-testing`: the readers of configurations, also of other programs, and of pasted commands, which are the command line's alone, those of
// pages' sentences and languages, those of cookies and of the shared store and its servers, answers of name servers, and the comparison of a proof's URL.
let package = Package(
    name: "fuzzers",
    dependencies: [.package(name: "portcullis", path: "../..")],
    targets: [
        .executableTarget(
            name: "Fuzzers",
            dependencies: [
                .product(name: "Bytes", package: "portcullis"),
                .product(name: "JSON", package: "portcullis"),
                .product(name: "Crypto", package: "portcullis"),
                .product(name: "JOSE", package: "portcullis"),
                .product(name: "HTTPMessage", package: "portcullis"),
                .product(name: "HTTP1", package: "portcullis"),
                .product(name: "HTTP2", package: "portcullis"),
                .product(name: "RESP", package: "portcullis"),
                .product(name: "ProxyProtocol", package: "portcullis"),
                .product(name: "Transport", package: "portcullis"),
                .product(name: "OAuth", package: "portcullis"),
                .product(name: "Refusals", package: "portcullis"),
                .product(name: "Sessions", package: "portcullis"),
                .product(name: "SharedState", package: "portcullis"),
                .product(name: "StoreLink", package: "portcullis"),
                .product(name: "StoreClient", package: "portcullis"),
                .product(name: "Pages", package: "portcullis"),
                .product(name: "Configuration", package: "portcullis"),
                .product(name: "Explain", package: "portcullis"),
                .product(name: "Import", package: "portcullis"),
            ],
            swiftSettings: [
                .treatAllWarnings(as: .error),
                .enableUpcomingFeature("ExistentialAny"),
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .enableExperimentalFeature("Lifetimes"),
            ],
            // gold, the toolchain's choice, does not link the sanitizers' own symbols.
            linkerSettings: [.unsafeFlags(["-use-ld=lld"])])
    ],
    swiftLanguageModes: [.v6]
)
