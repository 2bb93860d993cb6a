import Foundation
import LinuxSystem
import TestSupport
import Testing

/// Files get their final name only when they are complete.
@Suite(.computation) struct DurabilityTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  private var names: [String] {
    get throws { try Folder.names(in: folder.path).sorted() }
  }

  @Test func `a file has a hidden name until it is committed`() throws {
    let file = try DurableFile(path("walk.csv"))
    try file.write([1, 2, 3].span)
    let hidden = try names
    #expect(hidden.count == 1)
    #expect(hidden.allSatisfy { $0.hasPrefix(".footbridge-") && $0.hasSuffix(".part") })
    try file.commit(replaces: false)
    #expect(try names == ["walk.csv"])
    #expect(try WholeFile.read(path("walk.csv")) == [1, 2, 3])
  }

  @Test func `an abandoned file is removed`() throws {
    do {
      let file = try DurableFile(path("walk.csv"))
      try file.write([1].span)
      try file.sync()
      #expect(try file.readBack() == [1])
    }
    #expect(try names == [])
  }

  @Test func `a file replaces an existing one only on request`() throws {
    try Data([9]).write(to: URL(filePath: path("walk.csv")))
    for replaces in [false, true] {
      let file = try DurableFile(path("walk.csv"))
      try file.write([1].span)
      if replaces {
        try file.commit(replaces: true)
      } else {
        #expect(throws: SystemError("write \(path("walk.csv"))", number: EEXIST)) {
          try file.commit(replaces: false)
        }
      }
      #expect(try WholeFile.read(path("walk.csv")) == (replaces ? [1] : [9]))
    }
    #expect(try names == ["walk.csv"])
  }

  @Test func `a file gets the owner and the permissions of the file that it replaces`() throws {
    try Data([1]).write(to: URL(filePath: path("a.conf")))
    try #require(unsafe chmod(path("a.conf"), 0o640) == 0)
    // Only root can change the owner of a file.
    if getuid() == 0 { try #require(unsafe chown(path("a.conf"), 65_534, 65_534) == 0) }
    let file = try DurableFile(path("a.conf"))
    file.copyOwner(of: path("a.conf"))
    try file.commit(replaces: true)
    let facts = try FileManager.default.attributesOfItem(atPath: path("a.conf"))
    #expect(facts[.posixPermissions] as? Int == 0o640)
    #expect(facts[.ownerAccountID] as? UInt32 == (getuid() == 0 ? 65_534 : getuid()))
  }

  @Test func `a folder's listing excludes the entries . and ..`() throws {
    for name in [".hidden", "ü", "plain"] { try Data().write(to: URL(filePath: path(name))) }
    #expect(try names == [".hidden", "plain", "ü"].sorted())
    #expect(throws: SystemError("read \(path("none"))", number: ENOENT)) {
      try Folder.names(in: path("none"))
    }
  }

  @Test func `a file is read whole or only at its beginning, and a missing file is not an error`()
    throws
  {
    let bytes = (0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 / 7) }
    try Data(bytes).write(to: URL(filePath: path("long")))
    #expect(try WholeFile.read(path("long")) == bytes)
    let beginning = try #require(try WholeFile.read(path("long"), upTo: 10))
    #expect(beginning.count > 10 && beginning.count < bytes.count)
    #expect(beginning[...] == bytes.prefix(beginning.count))
    #expect(WholeFile.text(path("long"), upTo: 3)?.utf8.count == 3)
    #expect(try WholeFile.read(path("none")) == nil)
    #expect(WholeFile.text("/proc/self/status")?.contains("Name:") == true)
    #expect(throws: SystemError.self) { try WholeFile.read(folder.path) }
  }
}
