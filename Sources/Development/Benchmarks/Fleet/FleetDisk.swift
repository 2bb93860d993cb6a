internal import Glibc
internal import LinuxSystem

/// A separate disk for the first server, which the bench can fill without affecting the computer.
struct FleetDisk {
  let path: String
  private var ballast: String { "\(path)/ballast" }

  /// Uses up all free space on the disk.
  func fill() throws {
    let file = try OwnedDescriptor.open(ballast, flags: O_WRONLY | O_CREAT | O_TRUNC)
    var place = 0
    var size = 1 << 30
    while size >= 512 {
      if posix_fallocate(file.number, place, size) == 0 { place += size } else { size /= 2 }
    }
  }

  /// Frees the space that `fill` used up.
  func free() { _ = Folder.remove(file: ballast) }

  /// Runs the bench again in a process with a private disk of at most `bytes` bytes. If the disk
  /// cannot be created, runs it without one.
  static func run(_ arguments: ArraySlice<String>, bytes: Int) async throws -> Int32 {
    let folder = try TemporaryFolder(prefix: "footbridge-fleet-disk")
    // The server's user must have access to the folder.
    _ = unsafe chmod(folder.path, 0o755)
    // An unprivileged user's PATH often does not include the directory containing mke2fs.
    let script = """
      PATH=$PATH:/usr/sbin:/sbin; disk=$1/disk; size=$2; shift 2
      if mkdir "$disk" && truncate -s "$size" "$disk.image" \
        && mkfs.ext4 -q -F -m 0 "$disk.image" && mount -o loop "$disk.image" "$disk"
      then exec "$@" --disk "$disk"; else exec "$@" --disk ""; fi
      """
    let child = try ChildProcess(
      "unshare",
      ["--mount", "sh", "-c", script, "sh", folder.path, "\(bytes)", ThisProcess.program, "fleet"]
        + arguments, as: .command)
    return await child.end()
  }
}
