import Glibc
import Systemd
import Transport

/// A listening socket of one worker.
struct OpenListener {
    let descriptor: Int32
    let address: SocketAddress
    /// The file of a Unix socket, which all workers share: the first of them that turns clients away removes it.
    let unixFile: UnixListener?
    /// Opened for a configuration that is not served yet.
    var isNew = true
    /// Who may connect to a Unix socket, as its file says.
    var permissions = SocketAddressSettings.standardPermissions

    /// Of a listener that nobody connects to, in a dry run.
    static var none: OpenListener { OpenListener(descriptor: -1, address: SocketAddress(), unixFile: nil) }

    func abandon() {
        guard isNew else { return }
        unixFile?.removeFile()
        close(descriptor)
    }
}

extension OpenListener {
    /// Listens at an address, where `first` is what the first worker has there already.
    ///
    /// TCP sockets are each worker's own, so that the kernel spreads connections over them; of a Unix socket there is
    /// one, as of a socket that was handed over, and each worker has a descriptor of it. Where another process listens is refused, unless `mayShare` says that the
    /// address may be shared.
    init(
        at settings: SocketAddressSettings, beside first: OpenListener? = nil, mayShare: Bool, backlog: Int32 = 4096,
        isAdmin: Bool = false
    ) throws(GatewayFailure) {
        let unixFile: UnixListener?
        let descriptor: Int32
        do throws(Socket.Failure) {
            if let handedOver = settings.handedOver {
                unixFile = nil
                descriptor = try Socket.duplicate(handedOver.descriptor)
            } else if settings.unixPath != nil, let first {
                unixFile = first.unixFile
                descriptor = try Socket.duplicate(first.descriptor)
            } else if let path = settings.unixPath {
                let made = try UnixListener(at: path, permissions: settings.permissions, backlog: backlog)
                unixFile = made
                descriptor = made.descriptor
            } else if let literal = SocketAddress(literal: settings.host, port: first?.address.port ?? settings.port) {
                unixFile = nil
                if !mayShare { try Socket.refuseTaken(literal) }
                descriptor = try Socket.listen(at: literal, backlog: backlog)
            } else {
                // What inet_pton does not know is no address of any family.
                throw Socket.Failure(call: "inet_pton", code: EINVAL)
            }
        } catch {
            throw GatewayFailure(
                "cannot listen at \(settings.text)", "\(error.call): \(error.reason)",
                remedy: OpenListener.remedy(for: error.code, at: settings, isAdmin: isAdmin))
        }
        self.init(descriptor: descriptor, address: Socket.localAddress(of: descriptor), unixFile: unixFile)
        permissions = settings.permissions
    }

    private static func remedy(for code: Int32, at settings: SocketAddressSettings, isAdmin: Bool) -> String? {
        if let path = settings.unixPath {
            switch code {
            case EADDRINUSE:
                return "another process listens there, or \(path) is a file that is no socket: choose another path"
            case ENOENT: return "make the folder that the socket is to be in"
            case EACCES, EPERM, EROFS: return "let the user that runs this write into the socket's folder"
            default: return nil
            }
        }
        switch code {
        case EADDRINUSE:
            return
                "another process listens there:  ss -ltnp 'sport = :\(settings.port)'  names it; end it, or choose another "
                + "port" + (isAdmin ? "" : "; share_address: true in both lets a gateway and its successor share one")
        case EACCES, EPERM:
            return
                "ports below 1024 want CAP_NET_BIND_SERVICE (AmbientCapabilities of a systemd unit): give it that, or "
                + "choose a port above"
        case EADDRNOTAVAIL:
            return "no interface of this machine has that address; 0.0.0.0 and [::] stand for all of them"
        default: return nil
        }
    }

    /// Gives the file of a Unix socket that stays the permissions of another configuration; what went wrong otherwise.
    mutating func permit(_ settings: SocketAddressSettings) -> String? {
        guard let unixFile, permissions != settings.permissions else { return nil }
        do throws(Socket.Failure) {
            try unixFile.setPermissions(settings.permissions)
            permissions = settings.permissions
            return nil
        } catch {
            return "the permissions of \(settings.text) are as they were: \(error.call): \(error.reason)"
        }
    }
}
