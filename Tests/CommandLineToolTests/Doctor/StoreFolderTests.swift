@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem
import Storage
import TestSupport
import Testing

/// Findings about the store's folder and its disk.
@Suite(.computation) struct StoreFolderTests {
  private static func folder(
    exists: Bool = true, hasFolder: Bool = true, problem: StoreFolder.Problem? = nil,
    room: StoreFolder.Room? = StoreFolder.Room(state: .ok, free: 21_400_000_000),
    sync: Double? = 0.0042
  ) -> StoreFolder {
    StoreFolder(
      path: "/data/walks.sqlite", exists: exists, folder: "/data", hasFolder: hasFolder,
      problem: problem, room: room, sync: sync)
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var folder: StoreFolder
    var lines: [String]
    var testDescription: String { lines.first ?? "" }
  }

  private static let space =
    "free some space, or choose what may be deleted: footbridge store space --help"

  @Test(arguments: [
    Case(
      folder: folder(),
      lines: ["ok store: /data/walks.sqlite, 21.4 GB free", "ok sync: a sync takes 4.2 ms"]),
    Case(
      folder: folder(exists: false, sync: 0.0561),
      lines: [
        "ok store: /data/walks.sqlite does not exist yet; the first recording creates it, 21.4 GB "
          + "free",
        "ok sync: a sync takes 56 ms",
      ]),
    Case(
      folder: folder(exists: false, hasFolder: false, sync: nil),
      lines: [
        "ok store: the folder of /data/walks.sqlite does not exist yet; the first recording creates "
          + "both, 21.4 GB free"
      ]),
    Case(
      folder: folder(room: .init(state: .low, free: 400_000_000), sync: 0.9),
      lines: [
        "warning store: /data/walks.sqlite, 400.0 MB free, which is low -> \(space)",
        "warning sync: a sync takes 900 ms, which is slow: a power cut may lose more than the "
          + "last second of samples -> use another card, or stop other programs from writing to it",
      ]),
    Case(
      folder: folder(sync: 0.000_04),
      lines: [
        "ok store: /data/walks.sqlite, 21.4 GB free", "ok sync: a sync takes less than 0.1 ms",
      ]),
    Case(
      folder: folder(room: .init(state: .full, free: 4_000_000), sync: nil),
      lines: [
        "fault store: /data/walks.sqlite, 4.0 MB free, which is too little to record -> \(space)"
      ]),
    Case(
      folder: folder(
        problem: .init(text: "cannot write to /data: Read-only file system", remedy: "x")),
      lines: ["fault store: cannot write to /data: Read-only file system -> x"]),
  ])
  func `the store folder's state, free space and sync time are reported`(_ test: Case) {
    #expect(test.folder.findings.map(\.line) == test.lines)
  }

  @Test func `measuring a folder's sync time and free space leaves no files behind`() throws {
    let scratch = try TemporaryFolder()
    let found = StoreFolder(of: scratch.path + "/walks.sqlite")
    #expect(!found.exists && found.hasFolder && found.problem == nil)
    #expect(found.sync != nil && found.room != nil)
    #expect(try Folder.names(in: scratch.path).isEmpty)
    let missing = StoreFolder(of: scratch.path + "/a/b/walks.sqlite")
    #expect(!missing.hasFolder && missing.folder == scratch.path && missing.sync == nil)
    #expect(try Folder.names(in: scratch.path).isEmpty)
  }

  @Test func `a file that is not a store and a file in place of the folder are reported as faults`()
    throws
  {
    let scratch = try TemporaryFolder()
    let path = scratch.path + "/walks.sqlite"
    try Data(repeating: 7, count: 10_000).write(to: URL(filePath: path))
    #expect(StoreFolder(of: path).findings.map(\.level) == [.fault])
    let below = StoreFolder(of: path + "/x.sqlite")
    #expect(
      below.findings.map(\.line) == [
        "fault store: cannot create a store in \(path): it is a file -> choose another path with --store"
      ])
  }

  @Test(.realTime, .enabled(if: geteuid() == 0, "mounting a small disk needs root"))
  func `a full disk and a read-only disk are reported as faults`() async throws {
    let scratch = try TemporaryFolder()
    func mount(_ options: String) async throws -> Bool {
      try await Program.run(
        "/usr/bin/mount", ["-t", "tmpfs", "-o", options, "tmpfs", scratch.path]
      ).status == 0
    }
    guard try await mount("size=1m") else { try Test.cancel("cannot mount a small disk here") }
    try Data(count: 1 << 20).write(to: URL(filePath: scratch.path + "/rest"))
    let full = StoreFolder(of: scratch.path + "/walks.sqlite").findings.map(\.line)
    _ = try await mount("remount,ro")
    let readOnly = StoreFolder(of: scratch.path + "/walks.sqlite").findings.map(\.line)
    let disk = MountedDisk(having: scratch.path, SystemTree())?.finding.line
    _ = try await Program.run("/usr/bin/umount", ["-l", scratch.path])
    #expect(
      full == [
        "fault store: cannot write to \(scratch.path): No space left on device -> free some space on "
          + "that disk"
      ])
    #expect(
      readOnly == [
        "fault store: cannot write to \(scratch.path): Read-only file system -> choose a writable "
          + "path with --store"
      ])
    #expect(disk?.hasPrefix("fault disk: tmpfs on tmpfs is mounted read-only -> ") == true)
  }
}

/// Disks found in the kernel's mount list.
@Suite(.computation) struct MountedDiskTests {
  private static let mounts = """
    22 1 0:21 / /proc rw,relatime - proc proc rw
    27 1 254:0 / / rw,relatime shared:1 - ext4 /dev/mmcblk0p2 rw,discard
    28 27 0:24 / /data rw - ext4 /dev/sda1 rw
    30 27 0:25 / /my\\040disk rw,noatime - vfat /dev/sdb1 rw
    31 27 0:26 / /data/share rw - nfs4 home:/walks rw,vers=4.2
    33 27 0:28 / /data rw - ext4 /dev/sda2 rw,data=writeback,nobarrier
    """

  @Test(arguments: [
    ("/home/anna", "ext4 /dev/mmcblk0p2"), ("/", "ext4 /dev/mmcblk0p2"),
    ("/data", "ext4 /dev/sda2"), ("/database", "ext4 /dev/mmcblk0p2"),
    ("/my disk/x", "vfat /dev/sdb1"), ("/data/share/a", "nfs4 home:/walks"),
  ])
  func `a folder is assigned to the innermost and most recent mount above it`(
    folder: String, disk: String
  )
    throws
  {
    let tree = try TestTree(["/proc/self/mountinfo": Self.mounts]).tree
    let found = try #require(MountedDisk(having: folder, tree))
    #expect("\(found.kind) \(found.source)" == disk)
  }

  @Test(arguments: [
    // Debian's overlayroot, with a visible memory file system.
    ("40 1 0:30 / /media/root-rw rw - tmpfs tmpfs-root rw", "/media/root-rw/overlay", "", true),
    // An older raspi-config, which mounted its in-memory file system before the root file system.
    ("", "/overlay/upper", "quiet boot=overlay", true),
    ("", "/overlay/upper", "quiet overlayroot=\"tmpfs:recurse=0\"", true),
    ("40 1 0:30 / /layers rw - ext4 /dev/zram0 rw", "/layers/upper", "quiet", true),
    // A container, and an overlay on a disk.
    ("", "/var/lib/docker/overlay2/5a/diff", "quiet", nil),
    ("40 1 8:1 / /layers rw - ext4 /dev/sda1 rw", "/layers/upper", "quiet", false),
  ])
  func `an overlay root is a fault if its upper layer is in memory, a warning if that is unknown`(
    mount: String, upper: String, kernel: String, isInMemory: Bool?
  ) throws {
    let mounts = """
      22 1 0:21 / /proc rw,relatime - proc proc rw
      27 1 0:33 / / rw shared:1 - overlay overlayroot rw,lowerdir=/l,upperdir=\(upper),workdir=/w
      \(mount)
      """
    let tree = try TestTree(["/proc/self/mountinfo": mounts, "/proc/cmdline": kernel]).tree
    let disk = try #require(MountedDisk(having: "/home/anna", tree))
    #expect(disk.isLayerInMemory == isInMemory)
    #expect(
      disk.finding.line.hasPrefix(
        isInMemory.map {
          $0
            ? "fault disk: overlay on overlayroot is an overlay in memory: recordings are lost when "
            : "ok disk: overlay on overlayroot"
        } ?? "warning disk: overlay on overlayroot hides the location of its upper layer, which")
    )
  }

  @Test
  func `a separate partition is reported as a fault if its overlay is stored on an in-memory root`()
    throws
  {
    let mounts = """
      27 1 0:33 / / rw - overlay overlayroot rw,lowerdir=/l,upperdir=/media/root-rw/overlay
      41 27 0:35 / /srv rw - overlay /media/root-ro/srv rw,upperdir=/media/root-rw/overlay/srv
      """
    let tree = try TestTree([
      "/proc/self/mountinfo": mounts, "/proc/cmdline": "quiet overlayroot=tmpfs:recurse=1",
    ]).tree
    for folder in ["/", "/srv/walks"] {
      #expect(MountedDisk(having: folder, tree)?.isLayerInMemory == true)
    }
  }

  @Test func `without the kernel's mount list, a folder's disk is unknown`() throws {
    #expect(MountedDisk(having: "/", try TestTree().tree) == nil)
    #expect(MountedDisk(line: "27 1 254:0 / / rw") == nil)
  }

  @Test(arguments: [
    ("ext4", "rw,discard", "ok disk: ext4 on /dev/x"), ("btrfs", "rw", "ok disk: btrfs on /dev/x"),
    (
      "ext4", "ro",
      "fault disk: ext4 on /dev/x is mounted read-only -> mount it writable with 'sudo mount -o "
        + "remount,rw /data', or choose another path with --store; a failing card can become "
        + "read-only"
    ),
    (
      "cifs", "rw",
      "fault disk: cifs on /dev/x is a network or FUSE file system, which may damage a store -> "
        + "record to a disk in this computer, and send recordings there with 'footbridge "
        + "destination add NAME --folder PATH'"
    ),
    (
      "fuse.sshfs", "rw",
      "fault disk: fuse.sshfs on /dev/x is a network or FUSE file system, which may damage a store "
        + "-> record to a disk in this computer, and send recordings there with 'footbridge "
        + "destination add NAME --folder PATH'"
    ),
    (
      "tmpfs", "rw",
      "warning disk: tmpfs on /dev/x is in memory: recordings are lost when the computer is switched "
        + "off -> choose a path on a disk with --store"
    ),
    (
      "vfat", "rw",
      "warning disk: vfat on /dev/x has no journal, and may lose files in a power cut -> record to "
        + "an ext4 file system"
    ),
    (
      "ext4", "rw,nobarrier,data=writeback",
      "warning disk: ext4 on /dev/x is mounted with data=writeback, nobarrier: a power cut may "
        + "damage the newest recordings -> remove that option from /etc/fstab, and restart the "
        + "computer"
    ),
  ])
  func `a mount's kind and options determine whether it is a fault, a warning or neither`(
    kind: String, options: String, line: String
  ) {
    let disk = MountedDisk(
      folder: "/data", kind: kind, source: "/dev/x",
      options: Set(options.split(separator: ",").map(String.init)))
    #expect(disk.finding.line == line)
  }
}
