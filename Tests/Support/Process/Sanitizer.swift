import Glibc

/// The sanitizer that this process was built with, if any (`deploy/test --sanitize`).
///
/// Its red zones, shadow and quarantine are memory of the process too, and each step costs several times as much: what is
/// measured in bytes or in time says nothing then, and is not measured.
package enum Sanitizer {
    package static let isOn = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
}
