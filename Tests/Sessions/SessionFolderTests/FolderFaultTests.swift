import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing

@testable import SessionFolder

/// The messages and remedies for disks that fail.
@Suite(.computation) struct FolderFaultTests {
  @Test(arguments: [
    (ENOSPC, StoreError.Kind.full, "free some space on that disk; data already stored is safe"),
    (EROFS, .cannotOpen, "give a folder that this user can write to"),
    (ENOENT, .cannotOpen, "create the folder first, or mount the disk that it is on"),
    (EISDIR, .damaged, "remove that folder, or give it another name"),
    (EIO, .other, "check the disk and its mount options with: dmesg"),
  ])
  func `each system error has a remedy`(
    number: Int32, kind: StoreError.Kind, remedy: String
  ) {
    let error = SystemError("write /mnt/stick/a", number: number)
    #expect(StoreError(ofFolder: error) == StoreError(kind, error.message, remedy: remedy))
  }

  @Test func `a disk that returns bytes other than those written is reported`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/chunk"
    let bytes: [UInt8] = [1, 2, 3]
    let file = try FolderFile.write(bytes, to: path, FolderRights(of: folder.path))
    try FolderFile.readBack(file, bytes)
    // The file still has its temporary name.
    let name = try #require(try Folder.names(in: folder.path).first)
    try Data([1, 2, 4]).write(to: URL(filePath: folder.path + "/" + name))
    var failure: StoreError?
    do throws(StoreError) { try FolderFile.readBack(file, bytes) } catch { failure = error }
    #expect(
      failure
        == StoreError(
          .damaged, "cannot write \(path): it reads back differently",
          remedy: "use another disk; this one does not store data reliably"))
  }
}
