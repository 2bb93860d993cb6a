internal import DiskFaults
internal import Glibc
internal import LinuxSystem

/// The cost of storing one recording.
struct StoreCost {
  /// The number of bytes written to all files, including the tail.
  var writtenBytes = 0.0
  var tailBytes = 0.0
  /// The closed database's size in bytes.
  var fileBytes = 0.0
  /// The number of syncs, except the tail's.
  var syncs = 0.0
  var tailSyncs = 0.0

  /// Measures `work`, which stores a recording, on a simulated disk that counts its operations.
  static func counted(_ work: (_ path: String) throws -> StoreCost) throws -> StoreCost {
    let disk = try SimulatedDisk(keeping: .history)
    let path = disk.path + "/store"
    var cost = try work(path)
    for operation in disk.history {
      switch operation {
      case .write(_, _, let bytes): cost.writtenBytes += Double(bytes.count)
      case .sync, .syncFolder: cost.syncs += 1
      default: break
      }
    }
    // The simulated disk does not see writes to the tail, because SQLite does not write to the
    // tail. Each byte of the tail is written twice, first as zero.
    cost.writtenBytes += 2 * cost.tailBytes
    cost.fileBytes = size(of: path)
    return cost
  }

  /// Measures the processor time of this thread while `work` stores a recording on a real disk,
  /// including kernel time.
  static func processorNanoseconds(_ work: (_ path: String) throws -> StoreCost) throws -> Double {
    let folder = try TemporaryFolder(prefix: "footbridge-bench")
    defer { folder.remove() }
    let start = processorNanoseconds()
    _ = try work(folder.path + "/store")
    return processorNanoseconds() - start
  }

  private static func size(of path: String) -> Double {
    var status = stat()
    return unsafe stat(path, &status) == 0 ? Double(status.st_size) : 0
  }

  private static func processorNanoseconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) * 1e9 + Double(time.tv_nsec)
  }
}
