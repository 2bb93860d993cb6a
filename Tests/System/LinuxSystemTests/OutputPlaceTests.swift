import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The path of an arbitrary disk on this computer.
private let disk: String? = {
  let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev")) ?? []
  return names.map { "/dev/" + $0 }.first { path in
    let facts = try? FileManager.default.attributesOfItem(atPath: path)
    return facts?[.type] as? FileAttributeType == .typeBlockSpecial
  }
}()

/// Output paths, and what they refer to: files, links, devices or pipes.
@Suite(.computation) struct OutputPlaceTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  @Test func `the error for an unwritable folder names the folder, not the test file in it`() {
    let error = #expect(throws: SystemError.self) { try Folder.checkWritable("/proc") }
    #expect(error?.operation == "write to /proc")
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path(name), withDestinationPath: target)
  }

  @Test func `a symbolic link is followed to its final target, even if the target is missing`()
    throws
  {
    let file = path("file")
    #expect(try OutputPlace(file) == .file(file, isThere: false))
    try link("dangling", to: "file")
    #expect(try OutputPlace(path("dangling")) == .file(file, isThere: false))
    try Data([1]).write(to: URL(filePath: file))
    #expect(try OutputPlace(file) == .file(file, isThere: true))
    try link("second", to: path("dangling"))
    #expect(try OutputPlace(path("second")) == .file(file, isThere: true))
    #expect(try OutputPlace(folder.path) == .folder(folder.path))
    try link("around", to: "around")
    #expect(throws: OutputRefusal(SystemError("", number: ELOOP), writing: path("around"))) {
      try OutputPlace(path("around"))
    }
  }

  @Test func `devices and pipes receive bytes immediately, even through symbolic links`() throws {
    #expect(try OutputPlace("/dev/null") == .stream("/dev/null"))
    try link("null", to: "/dev/null")
    #expect(try OutputPlace(path("null")) == .stream(path("null")))
    try #require(unsafe mkfifo(path("pipe"), 0o600) == 0)
    #expect(try OutputPlace(path("pipe")) == .stream(path("pipe")))
    #expect(try OutputPlace("/dev/fd/7") == .stream("/dev/fd/7"))
    for name in ["-", "/dev/stdout", "/dev/fd/1"] {
      #expect(try OutputPlace(name) == .standardOutput)
    }
  }

  @Test(.enabled(if: disk != nil, "needs a disk in /dev"))
  func `a whole disk is not overwritten`() throws {
    let device = try #require(disk)
    #expect(
      throws: OutputRefusal(
        "cannot write \(device): it is a whole disk", remedy: "give the path of a file")
    ) { try OutputPlace(device) }
  }

  @Test func `a socket is not accepted as an output`() throws {
    let name = path("socket")
    try #require(unsafe mknod(name, S_IFSOCK | 0o600, 0) == 0)
    #expect(
      throws: OutputRefusal(
        "cannot write \(name): it is a socket",
        remedy: "give the path of a file, or write to standard output with '-' and redirect it")
    ) { try OutputPlace(name) }
  }

  @Test func `a disk error is reported with a remedy`() {
    #expect(
      OutputRefusal(SystemError("write walk.csv", number: EIO), writing: "walk.csv")
        == OutputRefusal(
          "cannot write walk.csv: Input/output error", remedy: "check the disk with: dmesg"))
  }

  @Test
  func `a file gets its name only if the name is unused or the existing file may be replaced`()
    throws
  {
    let target = path("target")
    try Data([1]).write(to: URL(filePath: target))
    try Data([2]).write(to: URL(filePath: path("new")))
    #expect(throws: OutputPlace.occupied("it")) {
      try OutputPlace.put(path("new"), at: target, replaces: false, name: "it")
    }
    #expect(try Data(contentsOf: URL(filePath: target)) == Data([1]))
    try OutputPlace.put(path("new"), at: target, replaces: true, name: "it")
    #expect(try Data(contentsOf: URL(filePath: target)) == Data([2]))
    try OutputPlace.put(target, at: path("other"), replaces: false, name: "it")
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["other"])
  }
}
