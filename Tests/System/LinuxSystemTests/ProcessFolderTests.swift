import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The temporary folders of processes, some of which were killed.
@Suite(.computation) struct ProcessFolderTests {
  private let prefix = "fb-\(UUID().uuidString.prefix(8))"

  @Test func `the folders of killed processes are removed, and folders in use are kept`() throws {
    let files = FileManager.default
    let used = try ProcessFolder(prefix: prefix)
    let parent = Folder.containing(used.path)
    let elsewhere = try TemporaryFolder()
    for folder in [used.path, elsewhere.path, "\(parent)\(prefix)-left/deep"] {
      try files.createDirectory(atPath: folder, withIntermediateDirectories: true)
      #expect(files.createFile(atPath: folder + "/file", contents: nil))
    }
    try files.createSymbolicLink(
      atPath: "\(parent)\(prefix)-link", withDestinationPath: elsewhere.path)
    let another = try ProcessFolder(prefix: prefix)
    #expect(another.path != used.path && Folder.exists(another.path))
    #expect(!Folder.exists("\(parent)\(prefix)-left"))
    #expect(Folder.exists(used.path + "/file") && Folder.exists(elsewhere.path + "/file"))
    used.remove()
    another.remove()
    #expect(!Folder.exists(used.path) && !Folder.exists(another.path))
    try files.removeItem(atPath: "\(parent)\(prefix)-link")
  }
}
