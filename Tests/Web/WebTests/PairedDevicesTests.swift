import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values
import Web

@Suite(.computation) struct PairedDevicesTests {
  private let folder: TemporaryFolder
  private let store: String
  private let file: DeviceFile

  init() throws {
    folder = try TemporaryFolder()
    store = folder.path + "/walks.sqlite"
    file = DeviceFile(besides: store)
  }

  private static func rights(_ path: String) throws -> Int {
    let facts = try FileManager.default.attributesOfItem(atPath: path)
    return try #require(facts[.posixPermissions] as? NSNumber).intValue
  }

  private static func time(_ seconds: Int64) -> UTCTime {
    UTCTime(nanoseconds: 1_777_000_000_000_000_000 + seconds * 1_000_000_000)
  }

  @Test func `after a restart, a paired browser's token is still accepted`() throws {
    let token = try PairedDevices(file).pair(
      "my phone", role: .operate, at: Self.time(0))
    let devices = PairedDevices(file)
    let other = DeviceToken()
    #expect(devices.device(of: [other], at: nil) == nil)
    #expect(devices.device(of: [], at: nil) == nil)
    let device = try #require(devices.device(of: [other, token], at: Self.time(60)))
    #expect(device.name == "my phone")
    #expect(device.role == .operate)
    #expect(device.paired == Self.time(0))
    #expect(device.seen == Self.time(60))
  }

  @Test func `only its owner can read the device file, and the file contains no token`() throws {
    try Data().write(to: URL(filePath: store))
    try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: store)
    let token = try PairedDevices(file).pair("a", role: .look, at: nil)
    #expect(file.path == store + "-web")
    #expect(try Self.rights(file.path) == 0o600)
    let text = try String(contentsOfFile: file.path, encoding: .utf8)
    #expect(!text.contains(token.revealed))
    let names = try Folder.names(in: folder.path).sorted()
    #expect(names == ["walks.sqlite", "walks.sqlite-web"])
  }

  @Test func `the next query reflects a device that another process has paired or revoked`() throws
  {
    let (daemon, command) = (PairedDevices(file), PairedDevices(file))
    let calls = Guarded(0)
    let number = daemon.observe { calls.withLock { $0 += 1 } }
    let token = try command.pair("phone", role: .look, at: nil)
    let device = try #require(daemon.device(of: [token], at: nil))
    let generation = daemon.generation
    #expect(daemon.isStillPaired(device))
    #expect(calls.withLock { $0 } == 1)
    #expect(try command.forget(device.id) == [device])
    #expect(!daemon.isStillPaired(device))
    #expect(daemon.device(of: [token], at: nil) == nil)
    #expect(daemon.generation == generation + 1)
    #expect(calls.withLock { $0 } == 2)
    daemon.stopObserving(number)
    _ = try daemon.pair("tablet", role: .look, at: nil)
    #expect(calls.withLock { $0 } == 2)
    #expect(try command.forgetAll() == 1)
    #expect(daemon.list.isEmpty)
  }

  @Test func `if several processes change the paired devices in turn, every change is noticed`()
    throws
  {
    // A file that is replaced twice may get its original inode number again.
    let (daemon, command) = (PairedDevices(file), PairedDevices(file))
    for round in 0..<40 {
      let token = try command.pair("\(round)", role: .look, at: nil)
      let device = try #require(daemon.device(of: [token], at: nil))
      try command.forget(device)
      _ = try command.pair("\(round)", role: .look, at: nil)
      #expect(daemon.device(of: [token], at: nil) == nil)
    }
    #expect(daemon.list.count == 40)
  }

  @Test
  func `times of last contact are written to the device file hourly, and do not change its order`()
    throws
  {
    let devices = PairedDevices(file)
    let first = try devices.pair("first", role: .look, at: Self.time(0))
    _ = try devices.pair("second", role: .look, at: Self.time(1))
    _ = devices.device(of: [first], at: Self.time(100))
    let before = FileIdentity(file.path)
    try devices.keepSightings()
    #expect(FileIdentity(file.path) == before)
    _ = devices.device(of: [first], at: Self.time(4_000))
    try devices.keepSightings()
    let kept = PairedDevices(file).list
    #expect(kept.map(\.name) == ["first", "second"])
    #expect(kept.first?.seen == Self.time(4_000))
  }

  @Test func `a device file that is overwritten in place takes effect at the next query`()
    throws
  {
    let devices = PairedDevices(file)
    let token = try devices.pair("phone", role: .look, at: nil)
    let whole = try Data(contentsOf: URL(filePath: file.path))
    for content in [Data("{}".utf8), whole.prefix(80), Data("[]".utf8)] {
      let descriptor = try FileHandle(forWritingTo: URL(filePath: file.path))
      try descriptor.truncate(atOffset: 0)
      try descriptor.write(contentsOf: content)
      try descriptor.close()
      #expect(devices.device(of: [token], at: nil) == nil, "\(content)")
      try whole.write(to: URL(filePath: file.path))
      #expect(devices.device(of: [token], at: nil) != nil)
    }
  }

  @Test func `a damaged device file is reported and renamed, and its devices are no longer paired`()
    throws
  {
    let devices = PairedDevices(file)
    let token = try devices.pair("phone", role: .look, at: nil)
    try Data("{\"version\":1,\"dev".utf8).write(to: URL(filePath: file.path), options: .atomic)
    #expect(devices.device(of: [token], at: nil) == nil)
    let fault = try #require(devices.fault)
    guard case .damaged(_, let kept) = fault else {
      Issue.record("\(fault)")
      return
    }
    #expect(kept == file.path + ".damaged")
    #expect(fault.message(file.path).contains("is damaged, so no browser is paired"))
    #expect(
      fault.remedy(file.path)
        == "pair the browsers again with: footbridge web pair; "
        + "the damaged file was renamed to \(file.path).damaged")
    let text = try String(contentsOfFile: file.path + ".damaged", encoding: .utf8)
    #expect(text == "{\"version\":1,\"dev")
    let next = try devices.pair("phone", role: .look, at: nil)
    #expect(devices.device(of: [next], at: nil) != nil)
    #expect(devices.fault == nil)
  }

  @Test func `a device file from a later version is left unchanged`() throws {
    let text = #"{"version":9}"#
    try Data(text.utf8).write(to: URL(filePath: file.path))
    let devices = PairedDevices(file)
    #expect(devices.fault == .newer)
    #expect(throws: DeviceFileFault.newer) {
      try devices.pair("phone", role: .look, at: nil)
    }
    #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
  }

  @Test
  func `a folder or a pipe at the device file's path is reported without blocking`()
    throws
  {
    for isFolder in [true, false] {
      if isFolder {
        try Folder.make(file.path)
      } else {
        _ = try OwnedDescriptor.openPipe(file.path)
      }
      let devices = PairedDevices(file)
      #expect(devices.list.isEmpty)
      #expect(devices.fault != nil)
      try FileManager.default.removeItem(
        atPath: isFolder ? file.path : file.path + ".damaged")
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can mount"))
  func `on a full disk no browser can be paired, but all devices can be revoked`()
    async throws
  {
    let disk = folder.path + "/disk"
    try Folder.make(disk)
    let mounted = try await Program.run(
      "/usr/bin/mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", disk])
    guard mounted.status == 0 else {
      try Test.cancel("nothing can be mounted here: \(mounted.errors)")
    }
    do {
      let devices = PairedDevices(DeviceFile(besides: disk + "/walks.sqlite"))
      let token = try devices.pair("phone", role: .operate, at: nil)
      let filled = try await Program.run(
        "/usr/bin/dd", ["if=/dev/zero", "of=\(disk)/rest", "bs=4096"])
      #expect(filled.errors.contains("No space left"))
      #expect(throws: DeviceFileFault.self) {
        try devices.pair("other", role: .look, at: nil)
      }
      #expect(devices.device(of: [token], at: nil) != nil)
      #expect(try devices.forgetAll() == 1)
      #expect(devices.device(of: [token], at: nil) == nil)
    }
    let unmounted = try await Program.run("/usr/bin/umount", ["-l", disk])
    #expect(unmounted.status == 0, "\(unmounted.errors)")
  }

  @Test func `a device file that is too large is considered damaged`() throws {
    try Data(repeating: 0x20, count: 1 << 20).write(to: URL(filePath: file.path))
    let devices = PairedDevices(file)
    #expect(devices.fault == .damaged("it is too large", kept: file.path + ".damaged"))
  }
}
