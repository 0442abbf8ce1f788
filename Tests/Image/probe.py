"""Tries system calls that the gateway has no use for, by number, and prints what the kernel said: an errno for each."""
import ctypes
import json
import platform

# Numbers of x86_64 and of aarch64. The arguments are such that nothing is done where the call is let through.
CALLS = {
    "ptrace": (101, 117, [0, 0, 0, 0]),
    "socket(AF_PACKET)": (41, 198, [17, 3, 0]),
    "socket(AF_ALG)": (41, 198, [38, 5, 0]),
    "mount": (165, 40, [0, 0, 0, 0, 0]),
    "unshare": (272, 97, [0]),
    "bpf": (321, 280, [-1, 0, 0]),
    "keyctl": (250, 219, [-1, 0, 0, 0]),
    "io_uring_setup": (425, 425, [0, 0]),
    "userfaultfd": (323, 282, [-1]),
    "perf_event_open": (298, 241, [0, 0, 0, -1, 0]),
    "process_vm_readv": (310, 270, [0, 0, 0, 0, 0, 0]),
    "init_module": (175, 105, [0, 0, 0]),
    "setns": (308, 268, [-1, 0]),
    "chroot": (161, 51, [0]),
    "getpid": (39, 172, []),
}


def main():
    """One line of JSON."""
    library = ctypes.CDLL(None, use_errno=True)
    place = {"x86_64": 0, "aarch64": 1}[platform.machine()]
    found = {}
    for name, (*numbers, arguments) in CALLS.items():
        ctypes.set_errno(0)
        result = library.syscall(ctypes.c_long(numbers[place]), *map(ctypes.c_long, arguments))
        found[name] = ctypes.get_errno() if result == -1 else 0
    print(json.dumps(found))


if __name__ == "__main__":
    main()
