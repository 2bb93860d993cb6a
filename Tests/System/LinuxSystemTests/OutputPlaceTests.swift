import Foundation
import LinuxSystem
import TestSupport
import Testing

/// The meaning of an output path.
@Suite(.computation) struct OutputPlaceTests {
  let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
  }

  private func path(_ name: String) -> String { folder.path + "/" + name }

  @Test func `an unwritable folder is named in the error, not the test file in it`() {
    let error = #expect(throws: SystemError.self) { try Folder.checkWritable("/proc") }
    #expect(error?.operation == "write in /proc")
  }

  private func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(
      atPath: path(name), withDestinationPath: target)
  }

  @Test func `links lead to their final target, even if it is missing`() throws {
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

  @Test func `devices and pipes receive bytes as they are written, even through links`() throws {
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

  @Test func `a file gets its name only if it is free or may be replaced`() throws {
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
