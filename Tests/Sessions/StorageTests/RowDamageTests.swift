import LinuxSystem
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing

/// Damaged rows and table definitions in a file that SQLite considers intact.
@Suite(.computation) struct RowDamageTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store" }
  private let chunks = (0..<3).map { SampleRecording.chunk(UInt32($0)) }

  init() throws {
    folder = try TemporaryFolder()
    var store = try Store.open(path: path)
    try store.begin(SampleRecording.session)
    try store.add(
      SampleRecording.board, [SampleRecording.acceleration], session: SampleRecording.session.id)
    try store.commit(
      chunks: chunks, fixes: SampleRecording.fixes, clock: SampleRecording.clock)
    let last = chunks[2].arrivals[99]
    try store.end(session: SampleRecording.session.id, at: last)
    try store.close()
  }

  struct Hit: CustomTestStringConvertible {
    var testDescription: String
    var statement: String
    var finding: String
  }

  private static let hits = [
    Hit(
      testDescription: "the address of a board",
      statement: "UPDATE board SET address = address + 2",
      finding: "1 row of stream: no such board"),
    Hit(
      testDescription: "the session of a board",
      statement: "UPDATE board SET session = CAST(x'ff' || substr(session, 2) AS BLOB)",
      finding: "1 row of board: no such session"),
    Hit(
      testDescription: "the board of a stream", statement: "UPDATE stream SET board = board + 2",
      finding: "1 row of stream: no such board"),
    Hit(
      testDescription: "the session of a stream",
      statement: "UPDATE stream SET session = CAST(x'ff' || substr(session, 2) AS BLOB)",
      finding: "1 row of stream: no such board"),
    Hit(
      testDescription: "the name of a column",
      statement: """
        PRAGMA writable_schema = ON;
        UPDATE sqlite_schema SET sql = replace(sql, 'firmware', 'girmware') WHERE name = 'board';
        PRAGMA writable_schema = OFF
        """,
      finding: "the definition of table board does not match the schema version"),
    Hit(
      testDescription: "the rate of a stream", statement: "UPDATE stream SET rate = rate * 2",
      finding: "the description of stream 1 differs from its chunks"),
    Hit(
      testDescription: "the boot of a session",
      statement: "UPDATE session SET boot_id = CAST(x'ff' || substr(boot_id, 2) AS BLOB)",
      finding: "the description of stream 1 differs from its chunks"),
  ]

  @Test func `no damage is reported in an intact store`() throws {
    let check = try StoreReader(path: path).check()
    #expect(check?.isWhole == true)
  }

  @Test(arguments: hits)
  func `a damaged row or table definition is found, and a repair restores its data`(
    _ hit: Hit
  ) throws {
    do {
      let database = try Database.open(path: path, mode: .editing)
      try database.execute("PRAGMA foreign_keys = OFF", doing: "spoil")
      try database.execute(hit.statement, doing: "spoil")
    }
    let check = try #require(try StoreReader(path: path).check())
    #expect(check.structure.contains(hit.finding), "\(check.structure)")
    let salvage = try #require(try StoreSalvage.run(path))
    #expect(salvage.doubtful.isEmpty && salvage.lostSamples == 0)
    let reader = try StoreReader(path: path)
    #expect(try reader.check()?.isWhole == true)
    let session = try #require(try reader.sessions().first)
    #expect(session.bootID == SampleRecording.session.bootID)
    let stream = try #require(try reader.streams(of: session.id).first)
    #expect(stream.board.address == SampleRecording.board.address)
    #expect(stream.board.firmware == SampleRecording.board.firmware)
    #expect(stream.description == SampleRecording.acceleration)
    #expect(try reader.chunks(of: stream).map(\.id) == chunks.map(\.id))
  }
}
