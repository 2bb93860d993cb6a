import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct FileIdentityTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/file" }

  init() throws {
    folder = try TemporaryFolder()
    try Data("first".utf8).write(to: URL(fileURLWithPath: path))
  }

  @Test
  func `a file has the same identity through every path and descriptor, whatever its content`()
    throws
  {
    let descriptor = try OwnedDescriptor.open(path, flags: O_RDONLY)
    let open = FileIdentity(descriptor)
    let identity = try #require(open)
    #expect(identity == FileIdentity(path))
    try FileManager.default.createSymbolicLink(
      atPath: path + "-link", withDestinationPath: path)
    #expect(identity == FileIdentity(path + "-link"))
    let handle = try #require(FileHandle(forWritingAtPath: path))
    try handle.write(contentsOf: Data("second".utf8))
    #expect(identity == FileIdentity(path))
  }

  @Test
  func `an open file that was deleted or replaced has a different identity from its path`()
    throws
  {
    let descriptor = try OwnedDescriptor.open(path, flags: O_RDONLY)
    let open = FileIdentity(descriptor)
    let identity = try #require(open)
    try FileManager.default.removeItem(atPath: path)
    #expect(FileIdentity(path) == nil)
    try Data("first".utf8).write(to: URL(fileURLWithPath: path))
    #expect(FileIdentity(path) != identity)
    #expect(FileIdentity(descriptor) == identity)
  }
}
