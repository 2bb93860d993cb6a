@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem

/// A folder of files that stand in for kernel and system files. The folder is kept until the whole
/// test run ends, because its readers store only its path.
struct TestTree {
  private let root: String

  /// Creates a tree that contains these files, each with one line.
  init(_ files: [String: String] = [:]) throws {
    root = FileManager.default.temporaryDirectory.path + "/fb-tree-\(UUID().uuidString)"
    try Folder.make(root)
    for (path, text) in files { try file(path, text) }
  }

  /// The tree as the doctor reads it.
  var tree: SystemTree { SystemTree(below: root) }

  /// Writes a file with one line, and creates its parent folders.
  func file(_ path: String, _ text: String) throws {
    try Folder.make(forFile: root + path)
    try Data((text + "\n").utf8).write(to: URL(filePath: root + path))
  }

  func link(_ path: String, to target: String) throws {
    try Folder.make(forFile: root + path)
    try FileManager.default.createSymbolicLink(
      atPath: root + path, withDestinationPath: target)
  }

  func remove(_ path: String) throws {
    try FileManager.default.removeItem(atPath: root + path)
  }
}

extension Finding {
  /// Level, check, text and remedy on one line, in the format of the test tables.
  var line: String {
    "\(level.rawValue) \(check.rawValue): \(text)" + (remedy.isEmpty ? "" : " -> \(remedy)")
  }
}
