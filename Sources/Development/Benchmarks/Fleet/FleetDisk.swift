internal import Glibc
internal import LinuxSystem

/// A disk of its own for the first server, which can be filled.
struct FleetDisk {
  let path: String
  private var ballast: String { "\(path)/ballast" }

  /// Takes all the room that is left.
  func fill() throws {
    let file = try OwnedDescriptor.open(ballast, flags: O_WRONLY | O_CREAT | O_TRUNC)
    var place = 0
    var size = 1 << 30
    while size >= 512 {
      if posix_fallocate(file.number, place, size) == 0 { place += size } else { size /= 2 }
    }
  }

  /// Gives the room back.
  func free() { _ = Folder.remove(file: ballast) }

  /// Runs the bench again as a process that alone sees such a disk, of at most this many bytes.
  static func run(_ arguments: ArraySlice<String>, bytes: Int) async throws -> Int32 {
    let folder = try TemporaryFolder(prefix: "footbridge-fleet-disk")
    // The server's user must be able to enter.
    _ = unsafe chmod(folder.path, 0o755)
    // A user's path often lacks the folder of mke2fs.
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
