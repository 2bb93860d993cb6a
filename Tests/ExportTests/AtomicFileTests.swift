import Export
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing

@Suite(.computation) struct AtomicFileTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/out.csv" }
  var files: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) }
  }

  init() throws {
    folder = try TemporaryFolder()
  }

  @Test func `a file appears under its name when it is whole`() throws {
    var file = try AtomicFile(path: path)
    try file.write(Array("one ".utf8).span)
    try file.write(Array("two".utf8).span)
    #expect(!FileManager.default.fileExists(atPath: path))
    try file.commit()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "one two")
    #expect(try files == ["out.csv"])
  }

  @Test func `an abandoned file leaves nothing, and what was there before stays`() throws {
    try "before".write(toFile: path, atomically: false, encoding: .utf8)
    do {
      var file = try AtomicFile(path: path)
      try file.write(Array("half".utf8).span)
    }
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "before")
    #expect(try files == ["out.csv"])
  }

  @Test func `a whole file replaces the one before it`() throws {
    try "before".write(toFile: path, atomically: false, encoding: .utf8)
    var file = try AtomicFile(path: path)
    try file.write(Array("after".utf8).span)
    try file.commit()
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "after")
  }

  @Test func `an export that fails half-way leaves no file`() throws {
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

  @Test func `an export into a file that cannot take it fails with its error`() {
    var source = MemorySource()
    source.add(MemorySource.acceleration, of: MemorySource.left, offset: 0, counts: [10_000])
    var sink = MemorySink()
    sink.capacity = 300_000
    #expect(throws: MemorySink.Full.self) { try CSVExport().write(source, to: &sink) }
  }

  @Test func `a missing folder is named, with what to do`() throws {
    let path = folder.path + "/no/out.csv"
    do throws(ExportError) {
      _ = try AtomicFile(path: path)
      Issue.record("opened")
    } catch {
      #expect(
        error.description == """
          cannot write \(path): No such file or directory
                 make the folder first, or correct the path
          """)
    }
  }

  @Test func `a folder in the place of the file is not replaced`() throws {
    let file = try AtomicFile(path: folder.path)
    do throws(ExportError) {
      try file.commit()
      Issue.record("replaced")
    } catch {
      #expect(error.remedy == "give the path of a file, not of a folder")
    }
    #expect(try files.isEmpty)
  }

  private static func export(_ source: some SessionSource, to path: String) throws {
    var file = try AtomicFile(path: path)
    _ = try CSVExport().write(source, to: &file)
    try file.commit()
  }
}
