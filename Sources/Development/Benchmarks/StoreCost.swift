internal import DiskFaults
internal import Glibc
internal import LinuxSystem

/// What storing everything once cost.
struct StoreCost {
  /// The tail included.
  var writtenBytes = 0.0
  var tailBytes = 0.0
  /// Of the database when it was closed.
  var fileBytes = 0.0
  /// Without those of the tail.
  var syncs = 0.0
  var tailSyncs = 0.0

  /// Stores on a disk that counts what is done to it.
  static func counted(_ work: (_ path: String) throws -> StoreCost) throws -> StoreCost {
    let disk = try SimulatedDisk(keepsHistory: true)
    let path = disk.path + "/store"
    var cost = try work(path)
    for operation in disk.history {
      switch operation {
      case .write(_, _, let bytes): cost.writtenBytes += Double(bytes.count)
      case .sync, .syncFolder: cost.syncs += 1
      default: break
      }
    }
    // The disk is not told of it: SQLite knows nothing of the tail. Each of its bytes is a zero
    // before it is written.
    cost.writtenBytes += 2 * cost.tailBytes
    cost.fileBytes = size(of: path)
    return cost
  }

  /// Processor time of this thread while it stores on a real disk, what the kernel does for it
  /// included.
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
