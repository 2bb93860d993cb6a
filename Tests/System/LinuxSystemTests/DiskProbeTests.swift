import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Disk measurements and file permissions.
@Suite(.computation) struct DiskProbeTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `a measurement performs the requested number of syncs and removes its file`() throws {
    let seconds = try DiskProbe.syncs(5, in: folder.path, limit: 600)
    #expect(seconds.count == 5 && seconds.allSatisfy { $0 >= 0 })
    #expect(try Folder.names(in: folder.path).isEmpty)
    #expect(try DiskProbe.syncs(5, in: folder.path, limit: 0).isEmpty)
    #expect(try FileSystem.room(at: folder.path) > 0)
  }

  @Test func `the error for a missing folder names the folder`() {
    #expect(throws: SystemError("write to /nowhere", number: ENOENT)) {
      try DiskProbe.syncs(1, in: "/nowhere", limit: 1)
    }
    #expect(throws: SystemError("determine the free space for /nowhere", number: ENOENT)) {
      try FileSystem.room(at: "/nowhere")
    }
  }

  @Test
  func `a symbolic link has its target's owner and permissions, and a missing file has none`()
    throws
  {
    let file = folder.path + "/file"
    try Data().write(to: URL(filePath: file))
    try FileManager.default.createSymbolicLink(
      atPath: folder.path + "/link", withDestinationPath: "file")
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: file)
    #expect(
      FileFacts(folder.path + "/link")
        == FileFacts(owner: geteuid(), group: getegid(), isOpenToGroup: false))
    try FileManager.default.setAttributes([.posixPermissions: 0o660], ofItemAtPath: file)
    #expect(FileFacts(file)?.isOpenToGroup == true)
    #expect(FileFacts(folder.path + "/missing") == nil)
    #expect(FileFacts.refusal(file, writing: true) == nil)
    #expect(FileFacts.refusal("/nowhere", writing: false)?.operation == "read /nowhere")
  }
}
