@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem

/// A tree of files in a folder, in the place of those of the kernel and the system. It goes with
/// the temporary files of the whole run, since its readers keep its path alone.
struct TestTree {
  private let root: String

  /// A tree with these files, whose content is a line.
  init(_ files: [String: String] = [:]) throws {
    root = FileManager.default.temporaryDirectory.path + "/fb-tree-\(UUID().uuidString)"
    try Folder.make(root)
    for (path, text) in files { try file(path, text) }
  }

  /// The tree as the doctor reads it.
  var tree: SystemTree { SystemTree(below: root) }

  /// Writes a file with a line, and makes the folders above it.
  func file(_ path: String, _ text: String) throws {
    try Folder.make(forFile: root + path)
    try Data((text + "\n").utf8).write(to: URL(filePath: root + path))
  }

  /// Makes a link with these words as target.
  func link(_ path: String, to target: String) throws {
    try Folder.make(forFile: root + path)
    try FileManager.default.createSymbolicLink(
      atPath: root + path, withDestinationPath: target)
  }

  /// Removes a file.
  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: root + path)
  }
}

extension Finding {
  /// Level, check, text and remedy on a line, as tables of tests have them.
  var line: String {
    "\(level.rawValue) \(check.rawValue): \(text)" + (remedy.isEmpty ? "" : " -> \(remedy)")
  }
}
