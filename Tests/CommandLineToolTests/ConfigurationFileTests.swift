import Foundation
import Gateway
import LinuxSystem
import TestSupport
import Testing
import Values

@testable import CommandLineTool
@testable import Terminal

/// Changes to a configuration file, some of which fail or are interrupted.
@Suite(.computation) struct ConfigurationFileTests {
  private let folder: TemporaryFolder
  private let file: ConfigurationFile

  init() throws {
    folder = try TemporaryFolder()
    file = try ConfigurationFile(folder.path + "/footbridge.conf")
  }

  private static func text(_ minutes: Int) -> [UInt8] {
    Array("[recording]\nseal = \(minutes)\n".utf8)
  }

  /// Returns the contents of the files in a folder, by file name. Hidden files belong to an
  /// interrupted writer.
  private static func contents(of path: String) throws -> [String: [UInt8]] {
    var contents: [String: [UInt8]] = [:]
    for name in try Folder.names(in: path) where !name.hasPrefix(".") {
      contents[name] = try WholeFile.read(path + "/" + name)
    }
    return contents
  }

  private static func contents(_ text: Int) -> [String: [UInt8]] {
    ["footbridge.conf": Self.text(text)]
  }

  @Test func `new text replaces the configuration file, and identical text leaves it untouched`()
    throws
  {
    for (text, isNew) in [(1, true), (2, true), (2, false)] {
      #expect(try file.write(Self.text(text)) == isNew)
      #expect(try Self.contents(of: folder.path) == Self.contents(text))
    }
  }

  @Test
  func `concurrent writers take turns changing the configuration file, and every change is kept`()
    async throws
  {
    let path = file.path
    try await withThrowingTaskGroup { group in
      for number in 0..<16 {
        group.addTask {
          // Each writer opens the folder itself, as separate processes do.
          let end = String(UInt8(number), radix: 16)
          try ConfigurationFile(path).change { present in
            try ConfigurationEdit("board b\(number).address", ["C8:4B:AA:97:50:0\(end)"])
              .applied(to: present ?? [], file: path)
          }
        }
      }
      try await group.waitForAll()
    }
    let names = ConfigurationReading(path).configuration.boards.map(\.name)
    #expect(Set(names) == Set((0..<16).map { "b\($0)" }))
    #expect(try Folder.names(in: folder.path) == ["footbridge.conf"])
  }

  @Test func `locking the configuration folder fails if another lock lasts too long`() throws {
    let lock = try FolderLock(folder.path, waitingAtMost: 0)
    #expect(throws: SystemError("lock \(folder.path)", number: SystemError.timedOut)) {
      _ = try FolderLock(folder.path, waitingAtMost: 0.05)
    }
    withExtendedLifetime(lock) {}
  }

  @Test func `if the new text is invalid, the configuration file is not changed`() throws {
    try file.write(Self.text(1))
    #expect(throws: ConfigurationFaults.self) { try file.write(Array("[recording]\nseal\n".utf8)) }
    #expect(throws: ConfigurationFaults.self) { try file.write([0]) }
    #expect(try Self.contents(of: folder.path) == Self.contents(1))
  }

  @Test
  func `a change to a configuration file behind a symbolic link replaces the target, not the link`()
    throws
  {
    try Folder.make(folder.path + "/etc")
    let link = folder.path + "/etc/link.conf"
    try FileManager.default.createSymbolicLink(
      atPath: link, withDestinationPath: "../footbridge.conf")
    let linked = try ConfigurationFile(link)
    try linked.write(Self.text(1))
    try ConfigurationFile(link).write(Self.text(2))
    #expect(Folder.isLink(link))
    #expect(try Folder.names(in: folder.path + "/etc") == ["link.conf"])
    #expect(try file.bytes() == Self.text(2))
  }

  @Test func `a change preserves the configuration file's permissions`() throws {
    try file.write(Self.text(1))
    try #require(unsafe chmod(file.path, 0o640) == 0)
    try file.write(Self.text(2))
    let rights = try FileManager.default.attributesOfItem(atPath: file.path)[.posixPermissions]
    #expect(rights as? Int == 0o640)
  }

  /// Collects values on the thread that runs the simulation.
  private final class Collection<Value: Sendable>: Sendable {
    private let guarded = Guarded<[Value]>([])
    func append(_ value: Value) { guarded.withLock { $0.append(value) } }
    var values: [Value] { guarded.withLock { $0 } }
  }

  private func write(
    _ bytes: [UInt8], watching happens: @escaping @Sendable (FileOperation) -> Int32?
  ) throws {
    Computer.simulate(WatchedComputer(happens))
    defer { Computer.simulate(nil) }
    try file.write(bytes)
  }

  @Test
  func `if the program is killed during a change, the old or the new configuration is intact`()
    throws
  {
    try file.write(Self.text(4))
    let before = Self.contents(4)
    let after = Self.contents(5)
    let moments = Collection<[String: [UInt8]]>()
    let path = folder.path
    try write(Self.text(5)) { _ in
      moments.append((try? Self.contents(of: path)) ?? [:])
      return nil
    }
    #expect(try Self.contents(of: path) == after)
    // Writing, syncing and renaming the new file, and syncing the folder.
    #expect(moments.values.count == 4)
    #expect(moments.values.first == before)
    for moment in moments.values {
      let present = moment["footbridge.conf"]
      #expect(present == Self.text(4) || present == Self.text(5), "\(moment)")
      // The next writer completes the change.
      let folder = try TemporaryFolder()
      for (name, bytes) in moment {
        try Data(bytes).write(to: URL(filePath: folder.path + "/" + name))
      }
      try ConfigurationFile(folder.path + "/footbridge.conf").write(Self.text(5))
      #expect(try Self.contents(of: folder.path) == after, "\(moment)")
    }
  }

  @Test func `if writing or syncing the new file fails, the configuration is unchanged`() throws {
    try file.write(Self.text(4))
    for number in 0..<2 {
      let operations = Collection<FileOperation>()
      #expect(throws: OutputRefusal.self) {
        try write(Self.text(5)) { operation in
          operations.append(operation)
          return operations.values.count == number + 1 ? ENOSPC : nil
        }
      }
      #expect(try Self.contents(of: folder.path) == Self.contents(4))
      #expect(try Folder.names(in: folder.path).count == 1, "\(operations.values)")
    }
    try file.write(Self.text(5))
    #expect(try Self.contents(of: folder.path) == Self.contents(5))
  }
}
