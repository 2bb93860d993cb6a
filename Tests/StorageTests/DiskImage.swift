import DiskFaults
import Foundation
import LinuxSystem

/// A folder with files as they were left, on a disk that is sound.
struct DiskImage {
  private let disk: SimulatedDisk
  var path: String { disk.path }

  init(_ files: [String: [UInt8]]) throws {
    disk = try SimulatedDisk()
    for (name, bytes) in files {
      try Data(bytes).write(to: URL(filePath: path + "/" + name))
    }
  }
}
