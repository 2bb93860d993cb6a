internal import LinuxSystem
internal import Values

/// A line of `/proc/self/mountinfo`: a mounted file system with its options.
struct MountedDisk: Hashable, Sendable {
  /// The mount point.
  var folder: String
  /// The file system's type, such as `ext4`.
  var kind: String
  /// The device or network share that is mounted.
  var source: String
  /// The options of the mount and of the file system.
  var options: Set<String>
  /// Whether the file system is an overlay with its upper layer in memory, which raspi-config can
  /// set up to protect the card. `nil` if the upper layer's mount is hidden, as in a container.
  var isLayerInMemory: Bool? = false

  /// The finding for a store that is on this file system.
  var finding: Finding {
    let words = "\(kind) on \(source)"
    if options.contains("ro") {
      return .fault(
        .disk, "\(words) is mounted read-only",
        remedy: "mount it writable with 'sudo mount -o remount,rw \(ShellText.quoted(folder))', or "
          + "choose another path with --store; a failing card can become read-only")
    }
    if isLayerInMemory == true {
      return .fault(
        .disk,
        "\(words) is an overlay in memory: recordings are lost when the computer is switched off",
        remedy:
          "disable the overlay with 'sudo raspi-config nonint disable_overlayfs' and restart the "
          + "computer, or choose a path on another disk with --store")
    }
    if Self.shares.contains(kind) || kind.hasPrefix("fuse.") {
      return .fault(
        .disk, "\(words) is a network or FUSE file system, which may damage a store",
        remedy: "record to a disk in this computer, and send recordings there with 'footbridge "
          + "destination add NAME --folder PATH'")
    }
    if isLayerInMemory == nil {
      return .warning(
        .disk,
        "\(words) hides the location of its upper layer, which may be in memory or in a "
          + "container",
        remedy: "use --store to choose a path on a disk or, in a container, on a volume")
    }
    if isInMemory {
      return .warning(
        .disk, "\(words) is in memory: recordings are lost when the computer is switched off",
        remedy: "choose a path on a disk with --store")
    }
    if Self.plain.contains(kind) {
      return .warning(
        .disk, "\(words) has no journal, and may lose files in a power cut",
        remedy: "record to an ext4 file system")
    }
    let risky = options.intersection(Self.riskyOptions).sorted()
    guard risky.isEmpty else {
      return .warning(
        .disk,
        "\(words) is mounted with \(risky.joined(separator: ", ")): a power cut may damage "
          + "the newest recordings",
        remedy: "remove that option from /etc/fstab, and restart the computer")
    }
    return .ok(.disk, words)
  }

  /// The types of network file systems and of folders shared with other systems. They lack the
  /// shared memory and the reliable locks that SQLite's write-ahead log needs.
  private static let shares: Set = [
    "nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "afs", "ceph", "glusterfs", "virtiofs", "vboxsf",
    "fuse", "vmhgfs", "prl_fs", "lustre", "davfs", "drvfs", "hostfs",
  ]
  private static let memory: Set = ["tmpfs", "ramfs", "devtmpfs", "rootfs"]
  private var isInMemory: Bool {
    Self.memory.contains(kind) || source.hasPrefix("/dev/zram") || source.hasPrefix("/dev/ram")
  }
  private static let plain: Set = ["vfat", "msdos", "exfat", "ext2", "ntfs", "ntfs3", "fuseblk"]
  private static let riskyOptions: Set = [
    "data=writeback", "nobarrier", "barrier=0", "fsync_mode=nobarrier",
  ]
}

extension MountedDisk {
  /// Finds the file system that contains a store; `nil` if the kernel does not list it.
  init?(ofStore store: String, _ tree: SystemTree) {
    self.init(having: PathPattern.target(of: StoreFolder.existingFolder(of: store)), tree)
  }

  /// Finds the file system that contains a folder; `nil` if the kernel does not list it.
  init?(having folder: String, _ tree: SystemTree) {
    let all = (tree.text("/proc/self/mountinfo") ?? "").split(separator: "\n")
      .compactMap { MountedDisk(line: $0) }
    guard let disk = Self.innermost(of: all, having: folder) else { return nil }
    self = disk
    // The root mount may hide an overlay that was mounted before it, but the kernel's command line
    // names the overlay.
    let words = (tree.line("/proc/cmdline") ?? "").split(separator: " ")
    let isRootInMemory = words.contains {
      $0 == "boot=overlay" || $0.filter { $0 != "\"" }.hasPrefix("overlayroot=tmpfs")
    }
    isLayerInMemory = disk.isLayerInMemory(of: all, isRootInMemory)
  }

  /// Returns whether the upper layer of an overlay is in memory. Overlays of other partitions keep
  /// their layers in folders below the root overlay's layers
  /// (github.com/raspberrypi/bookworm-feedback/issues/137).
  private func isLayerInMemory(of all: [MountedDisk], _ isRootInMemory: Bool) -> Bool? {
    guard kind == "overlay" || kind == "aufs" else { return false }
    if folder == "/", isRootInMemory { return true }
    let upper = options.first { $0.hasPrefix("upperdir=") }?.dropFirst("upperdir=".count)
    guard let layer = upper.flatMap({ Self.innermost(of: all, having: Self.unescaped($0)) }),
      layer != self
    else { return nil }
    guard !layer.isInMemory else { return true }
    return layer.folder.utf8.count < folder.utf8.count
      ? layer.isLayerInMemory(of: all, isRootInMemory) : false
  }

  private static func innermost(of all: [MountedDisk], having folder: String) -> MountedDisk? {
    let around = all.filter {
      folder == $0.folder || folder.hasPrefix($0.folder == "/" ? "/" : $0.folder + "/")
    }
    // If several file systems are mounted on one folder, only the last is visible.
    let longest = around.map(\.folder.utf8.count).max()
    return around.last { $0.folder.utf8.count == longest }
  }

  /// Parses a line: id, parent, device, root, folder, options, optional fields, `-`, kind, source,
  /// options of the file system.
  init?(line: Substring) {
    let fields = line.split(separator: " ")
    guard let dash = fields.firstIndex(of: "-"), dash >= 6, fields.count > dash + 2 else {
      return nil
    }
    folder = Self.unescaped(fields[4])
    kind = String(fields[dash + 1])
    source = Self.unescaped(fields[dash + 2])
    let own = fields.count > dash + 3 ? fields[dash + 3].split(separator: ",") : []
    options = Set((fields[5].split(separator: ",") + own).map(String.init))
  }

  /// Decodes blanks, which the kernel writes as octal escapes.
  private static func unescaped(_ text: Substring) -> String {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      if byte == UInt8(ascii: "\\"), digits.count == 3,
        let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
      {
        bytes.append(value)
        rest.removeFirst(3)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
