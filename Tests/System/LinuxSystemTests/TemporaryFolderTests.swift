import Foundation
import LinuxSystem
import TestSupport
import Testing

@Suite(.computation) struct TemporaryFolderTests {
  private let files = FileManager.default

  @Test func `a temporary folder is removed with everything in it`() throws {
    var folder: TemporaryFolder? = try TemporaryFolder(prefix: "folder-test")
    let path = try #require(folder?.path)
    #expect(path.contains("/folder-test-"))
    try files.createDirectory(atPath: path + "/a/b/c", withIntermediateDirectories: true)
    for name in ["/x", "/a/y", "/a/b/c/z with blank", "/a/.hidden"] {
      try Data().write(to: URL(fileURLWithPath: path + name))
    }
    folder = nil
    #expect(!files.fileExists(atPath: path))
  }

  @Test func `removal does not follow symbolic links`() throws {
    let precious = try TemporaryFolder()
    let kept = precious.path + "/kept"
    try Data("kept".utf8).write(to: URL(fileURLWithPath: kept))

    let folder = try TemporaryFolder()
    for (name, target) in [
      ("folder", precious.path), ("file", kept), ("dangling", "/nowhere"), ("up", ".."),
    ] {
      try files.createSymbolicLink(
        atPath: folder.path + "/" + name, withDestinationPath: target)
    }
    folder.remove()
    #expect(!files.fileExists(atPath: folder.path))
    #expect(files.contents(atPath: kept) == Data("kept".utf8))
  }

  @Test func `a symbolic link that has replaced a folder is not followed`() throws {
    let precious = try TemporaryFolder()
    let kept = precious.path + "/kept"
    try Data("kept".utf8).write(to: URL(fileURLWithPath: kept))

    let folder = try TemporaryFolder()
    try files.removeItem(atPath: folder.path)
    try files.createSymbolicLink(atPath: folder.path, withDestinationPath: precious.path)
    folder.remove()
    #expect(files.contents(atPath: kept) == Data("kept".utf8))
    try files.removeItem(atPath: folder.path)
  }

  @Test func `removing a temporary folder twice has no further effect`() throws {
    let folder = try TemporaryFolder()
    folder.remove()
    folder.remove()
    #expect(!files.fileExists(atPath: folder.path))
  }

  @Test func `two temporary folders never have the same path`() throws {
    let folders = try (0..<20).map { _ in try TemporaryFolder() }
    #expect(Set(folders.map(\.path)).count == 20)
  }

  @Test func `a folder that another thread is creating does not remain when the process exits`()
    async throws
  {
    let parent = try TemporaryFolder(prefix: "folder-exit")
    await #expect(processExitsWith: .success) { [path = parent.path as String] in
      let isBusy = StopFlag()
      try NamedThread("maker") {
        var folders = [TemporaryFolder]()
        while let folder = try? TemporaryFolder(in: path) {
          folders.append(folder)
          for name in 0..<5 { _ = try? OwnedDescriptor.create("\(folder.path)/\(name)") }
          if folders.count == 20 { isBusy.raise() }
        }
      }.letGo()
      while !isBusy.isRaised {}
      ThisProcess.exitAtOnce(0)
    }
    #expect(try files.contentsOfDirectory(atPath: parent.path) == [])
  }
}
