import Export
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing

@Suite(.computation) struct OutputFileTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/out.csv" }
  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
  }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `an output file gets its final name when it is complete`() throws {
    var file = try OutputFile(path: path)
    try file.write(Array("one ".utf8).span)
    try file.write(Array("two".utf8).span)
    #expect(!FileManager.default.fileExists(atPath: path))
    try file.commit()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one two")
    #expect(try files == ["out.csv"])
  }

  @Test func `an abandoned output leaves no file, and an existing file at its path is kept`() throws
  {
    try "before".write(toFile: path, atomically: false, encoding: .utf8)
    do {
      var file = try OutputFile(path: path, replaces: true)
      try file.write(Array("half".utf8).span)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "before")
    #expect(try files == ["out.csv"])
  }

  @Test func `several files can be written only to a folder`() throws {
    try "before".write(toFile: path, atomically: false, encoding: .utf8)
    for other in [path, "/dev/null", "-"] {
      #expect(
        throws: OutputRefusal(
          "cannot write several files to \(other): it is not a folder",
          remedy: "name a folder that does not exist yet, or is empty")
      ) { _ = try AtomicFolder(path: other) }
    }
    #expect(try text(path) == "before")
  }

  private func fill(_ path: String, replaces: Bool = false, _ text: String = "after") throws {
    var file = try OutputFile(path: path, replaces: replaces)
    try file.write(Array(text.utf8).span)
    try file.commit()
  }

  private func text(_ path: String) throws -> String {
    try String(contentsOfFile: path, encoding: .utf8)
  }

  @Test
  func `an existing file is replaced only on request, and the new file gets its permissions`()
    throws
  {
    try "before".write(toFile: path, atomically: false, encoding: .utf8)
    unsafe chmod(path, 0o640)
    #expect(
      throws: OutputRefusal(
        "cannot write \(path): the file already exists",
        remedy: "give another name, or add --force to replace it")
    ) { try fill(path) }
    #expect(try text(path) == "before")
    try fill(path, replaces: true)
    #expect(try text(path) == "after")
    let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions]
    #expect(rights as? Int == 0o640)
    #expect(try files == ["out.csv"])
  }

  @Test func `a file that another program creates in the meantime is not replaced`() throws {
    let file = try OutputFile(path: path)
    try "meanwhile".write(toFile: path, atomically: false, encoding: .utf8)
    do throws(OutputRefusal) {
      try file.commit()
      Issue.record("replaced")
    } catch {
      #expect(error.message == "cannot write \(path): the file already exists")
    }
    #expect(try text(path) == "meanwhile")
    #expect(try files == ["out.csv"])
  }

  @Test
  func `output to a symbolic link is written to the link's target, and the link is kept`() throws {
    let link = folder.path + "/link"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "out.csv")
    try fill(link)
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "out.csv")
    #expect(try text(path) == "after")
    #expect(throws: OutputRefusal.self) { try fill(link, "again") }
    try fill(link, replaces: true, "again")
    #expect(try text(path) == "again")
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "out.csv")
  }

  @Test func `a device is written to instead of being replaced`() throws {
    let link = folder.path + "/full"
    try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
    var file = try OutputFile(path: link)
    #expect(
      throws: OutputRefusal(
        "cannot write \(link): No space left on device",
        remedy: "free some space on that disk, or give a path on another")
    ) { try file.write(Array("x".utf8).span) }
    try fill("/dev/null")
    var status = stat()
    #expect(unsafe stat("/dev/null", &status) == 0 && status.st_mode & S_IFMT == S_IFCHR)
    #expect(try files == ["full"])
  }

  @Test func `a pipe receives the bytes, and a pipe without a reader is rejected`() throws {
    let pipe = folder.path + "/pipe"
    try #require(unsafe mkfifo(pipe, 0o600) == 0)
    #expect(
      throws: OutputRefusal(
        "cannot write \(pipe): No such device or address",
        remedy: "no program reads from it: start the reader first")
    ) { try fill(pipe) }
    let reader = try OwnedDescriptor.open(pipe, flags: OwnedDescriptor.readOnlyWithoutWaiting)
    try fill(pipe)
    var bytes = [UInt8](repeating: 0, count: 100)
    #expect(reader.read(into: &bytes) == 5)
    #expect(String(decoding: bytes.prefix(5), as: UTF8.self) == "after")
    #expect(try files == ["pipe"])
  }

  @Test func `an export that fails midway leaves no file`() throws {
    struct Broken: Error {}
    struct BrokenSource: SessionSource {
      var whole = MemorySource()
      var session: Session { whole.session }
      func streams() -> [SourceStream] { whole.streams() }
      func chunk(ofStream position: Int, after sequence: UInt32?) throws -> SourceChunk? {
        if sequence == 1 { throw Broken() }
        return whole.chunk(ofStream: position, after: sequence)
      }
      func fixes(from first: Int, limit: Int) -> [Fix] { [] }
      func clockEntries() -> [ClockTable.Entry] { [] }
    }
    var source = BrokenSource()
    source.whole.add(
      MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [2_000, 2_000, 10])
    #expect(throws: Broken.self) { try Self.export(source, to: path) }
    #expect(try files.isEmpty)
  }

  @Test func `an export to a full device fails with the device's error`() {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [10_000])
    var sink = MemorySink()
    sink.capacity = 300_000
    #expect(throws: MemorySink.Full.self) { try CSVExport().write(source, to: &sink) }
  }

  @Test func `the error for a missing folder names the folder and a remedy`() throws {
    let path = folder.path + "/no/out.csv"
    do throws(OutputRefusal) {
      _ = try OutputFile(path: path)
      Issue.record("opened")
    } catch {
      #expect(
        error.words == """
          cannot write \(path): No such file or directory
                 create the folder first, or correct the path
          """)
    }
  }

  @Test func `a folder at the file's path is not replaced`() throws {
    do throws(OutputRefusal) {
      _ = try OutputFile(path: folder.path, replaces: true)
      Issue.record("replaced")
    } catch {
      #expect(error.remedy == "give the path of a file, not of a folder")
    }
    #expect(try files.isEmpty)
  }

  private static func export(_ source: some SessionSource, to path: String) throws {
    var file = try OutputFile(path: path)
    _ = try CSVExport().write(source, to: &file)
    try file.commit()
  }
}
