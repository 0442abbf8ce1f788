internal import Foundation
internal import Glibc

/// A folder in which files come to be as Kubernetes mounts a ConfigMap or Secret.
///
///     tls.crt ─▶ ..data/tls.crt      ..data ─▶ ..2026_2
///
/// An update is a folder of its own, to which `..data` is led by one rename; the folder before it is removed then.
package enum KubernetesVolume {
    /// Puts these files in the place of those that are there; the names are links, made once.
    package static func put(_ files: [String: String], in folder: String) throws {
        let manager = FileManager.default
        let old = try? manager.destinationOfSymbolicLink(atPath: folder + "/..data")
        let new = "..\(UUID().uuidString)"
        try manager.createDirectory(atPath: folder + "/" + new, withIntermediateDirectories: false)
        for (name, content) in files {
            let path = "\(folder)/\(new)/\(name)"
            try content.write(toFile: path, atomically: false, encoding: .utf8)
            guard chmod(path, 0o440) == 0 else { throw WireFailure.system("chmod", errno) }
        }
        try manager.createSymbolicLink(atPath: folder + "/..data_tmp", withDestinationPath: new)
        guard rename(folder + "/..data_tmp", folder + "/..data") == 0 else {
            throw WireFailure.system("rename", errno)
        }
        for name in files.keys where (try? manager.destinationOfSymbolicLink(atPath: folder + "/" + name)) == nil {
            try manager.createSymbolicLink(atPath: folder + "/" + name, withDestinationPath: "..data/" + name)
        }
        if let old { try manager.removeItem(atPath: folder + "/" + old) }
    }
}
