#!/usr/bin/env python3
"""Builds the kernel and the initramfs of the rig's VM from an unpacked Debian kernel package.

The initramfs contains busybox, the kernel modules for 9p and Bluetooth, and a script. Everything
else comes from the host's files over 9p. The script writes the initramfs as a cpio archive ("newc"
format), which requires neither root nor a tool.

The kernel is extracted from its compressed image, because QEMU can start it uncompressed, and a VM
without hardware virtualisation takes seconds to decompress it.
"""
import argparse
import lzma
import os
import re
import struct

# Each module is loaded after its dependencies; modules built into a kernel are skipped.
MODULES = """
    virtio_pci virtio_console 9pnet_virtio 9p overlay
    sha256_generic sha512_generic hmac drbg
    ecb cmac ecdh_generic algif_hash algif_skcipher
    bluetooth hci_uart hci_vhci uhid
""".split()
REQUIRED = {"9p", "overlay", "virtio_console", "bluetooth", "hci_uart"}

INIT = r"""#!/bin/busybox sh
# The root of the VM is that of the host, read-only, with an overlay in memory for changes.
b=/bin/busybox
$b mount -t devtmpfs dev /dev
$b mount -t proc proc /proc
while read module; do
  $b insmod "/modules/$module.ko" || echo "rig: cannot load $module"
done </modules/order

share=trans=virtio,version=9p2000.L,msize=524288
$b mount -t 9p -o ro,$share,cache=loose host /host || exec $b poweroff -f
$b mount -t tmpfs -o mode=755 changes /changes
$b mkdir /changes/upper /changes/work
$b mount -t overlay -o lowerdir=/host,upperdir=/changes/upper,workdir=/changes/work root /root ||
  exec $b poweroff -f

$b mount --move /dev /root/dev
$b mount --move /proc /root/proc
$b mount -t tmpfs -o mode=755 run /root/run
$b mkdir /root/run/rig
$b mount -t 9p -o $share,cache=none rig /root/run/rig || exec $b poweroff -f
exec $b switch_root /root /bin/bash /run/rig/guest-init
"""


def content(path):
    with (lzma.open if path.endswith(".xz") else open)(path, "rb") as file:
        return file.read()


def modules(folder):
    """Return names and contents of the modules to load, in load order."""
    paths = {}
    for place, _, names in os.walk(os.path.join(folder, "kernel")):
        for name in names:
            if name.endswith((".ko", ".ko.xz")):
                paths[name.split(".")[0].replace("-", "_")] = os.path.join(place, name)
    loaded = {}

    def load(name):
        if name in loaded or name not in paths:
            return
        data = content(paths[name])
        found = re.search(rb"\0depends=([^\0]*)\0", data)
        for other in found.group(1).decode().split(",") if found else []:
            load(other.replace("-", "_"))
        loaded[name] = data

    for name in MODULES:
        load(name)
    if missing := REQUIRED - set(loaded):
        raise SystemExit(f"initramfs.py: this kernel has no module {', '.join(sorted(missing))}")
    return loaded


def archive(entries):
    """Return a cpio archive, as bytes, of entries given as (name, mode, content)."""
    parts = []
    for number, (name, mode, data) in enumerate([*entries, ("TRAILER!!!", 0, b"")], 1):
        fields = [number, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0]
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + name.encode() + b"\0"
        parts += [head, bytes(-len(head) % 4), data, bytes(-len(data) % 4)]
    return b"".join(parts)


def unpacked(image):
    """Return the kernel from a bzImage, or the image itself if its format is not Debian's."""
    setup_sectors, = struct.unpack_from("<B", image, 0x1F1)
    payload, = struct.unpack_from("<I", image, 0x248)
    start = ((setup_sectors or 4) + 1) * 512 + payload
    if image[start:start + 6] == b"\xfd7zXZ\0":
        # The length after the compressed stream is not part of the stream.
        return lzma.LZMADecompressor().decompress(image[start:])
    return image


def main():
    parser = argparse.ArgumentParser()
    for name in ("modules", "busybox", "initramfs", "vmlinuz", "kernel"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    loaded = modules(options.modules)
    entries = [(folder, 0o40755, b"")
               for folder in ("bin", "dev", "proc", "host", "changes", "root", "modules")]
    entries += [
        ("bin/busybox", 0o100755, content(options.busybox)),
        ("init", 0o100755, INIT.encode()),
        ("modules/order", 0o100644, "".join(f"{name}\n" for name in loaded).encode()),
    ]
    entries += [(f"modules/{name}.ko", 0o100644, data) for name, data in loaded.items()]
    with open(options.initramfs, "wb") as file:
        file.write(archive(entries))
    with open(options.kernel, "wb") as file:
        file.write(unpacked(content(options.vmlinuz)))


if __name__ == "__main__":
    main()
