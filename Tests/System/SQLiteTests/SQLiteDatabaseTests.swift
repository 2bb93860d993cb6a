import LinuxSystem
import SQLite
import TestSupport
import Testing

@Suite(.computation) struct SQLiteDatabaseTests {
  private let folder: TemporaryFolder
  private let path: String

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/a name with 100% &?.sqlite"
  }

  private func database(
    _ access: SQLiteDatabase<SQLiteError>.Access = .creating
  ) throws(SQLiteError) -> SQLiteDatabase<SQLiteError> {
    let database = try SQLiteDatabase<SQLiteError>.open(path: path, access)
    if access == .creating {
      try database.execute("CREATE TABLE IF NOT EXISTS thing (number, value)", doing: "make")
    }
    return database
  }

  private struct Stored: CustomTestStringConvertible {
    var value: any SQLiteValue
    var text: String

    var testDescription: String { text }
  }

  @Test(arguments: [
    Stored(value: -7, text: "integer -7"), Stored(value: UInt8.max, text: "integer 255"),
    Stored(value: UInt64.max, text: "integer 9223372036854775807"),
    Stored(value: true, text: "integer 1"), Stored(value: 0.5, text: "real 0.5"),
    Stored(value: "a'b\0", text: "text 61276200"), Stored(value: "", text: "text "),
    Stored(value: [0, 0xff] as [UInt8], text: "blob 00FF"),
    Stored(value: 3 as Int64?, text: "integer 3"), Stored(value: nil as String?, text: "null "),
  ])
  private func `a value is stored with the matching SQLite type, within the range of Int64`(
    _ stored: Stored
  ) throws {
    let database = try database()
    #expect(try database.run("INSERT INTO thing VALUES (1, ?)", [stored.value], doing: "x") == 1)
    let text = try database.first(
      """
      SELECT typeof(value) || ' ' || ifnull(iif(typeof(value) IN ('blob', 'text'),
        hex(value), value), '') FROM thing
      """
    ) { row in row.text(0) }
    #expect(text == stored.text)
  }

  @Test func `rows are returned in order, and rows that are mapped to nil are omitted`() throws {
    let database = try database()
    var insert = try database.prepare("INSERT INTO thing VALUES (?, ?)", doing: "write to")
    for number in 1...4 { try insert.run([number, number % 2 == 0 ? nil : "odd"]) }
    let odd = try database.rows("SELECT number, value FROM thing ORDER BY number DESC") { row in
      row.isNull(1) ? nil : row.int(0)
    }
    #expect(odd == [3, 1])
    #expect(
      try database.first("SELECT value FROM thing WHERE number = ?", [9]) { $0.text(0) } == nil)
    #expect(try database.finds("SELECT 1 FROM thing WHERE number = ?", [2]))
    #expect(try database.run("DELETE FROM thing WHERE number > ?", [1], doing: "empty") == 3)
    #expect(try database.integer("SELECT count(*) FROM thing") == 1)
  }

  @Test
  func `a failed transaction is undone, and its error contains the operation, file and reason`()
    throws
  {
    let database = try database()
    try database.execute("CREATE UNIQUE INDEX once ON thing (number)", doing: "make")
    try database.run("INSERT INTO thing VALUES (1, 1)", doing: "write to")
    do throws(SQLiteError) {
      try database.transaction(doing: "write to") { () throws(SQLiteError) in
        try database.run("INSERT INTO thing VALUES (2, 2)", doing: "write to")
        try database.run("INSERT INTO thing VALUES (?, 1)", [1], doing: "write to")
      }
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .refused)
      #expect("\(error)" == "cannot write to \(path): UNIQUE constraint failed: thing.number")
    }
    #expect(try database.integer("SELECT count(*) FROM thing") == 1)
  }

  @Test func `a file that is opened for reading is not changed, whatever its name`() throws {
    do throws(SQLiteError) {
      _ = try database(.writing)
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .cannotOpen)
    }
    try database().run("INSERT INTO thing VALUES (1, 2)", doing: "write to")
    let reader = try database(.unchanging)
    #expect(try reader.integer("SELECT value FROM thing") == 2)
    do throws(SQLiteError) {
      try reader.execute("DELETE FROM thing", doing: "empty")
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .readOnly)
    }
  }

  @Test func `a statement on an untrusted file is stopped after a maximum number of steps`() throws
  {
    try database().run("INSERT INTO thing VALUES (1, 2)", doing: "write to")
    let reader = try database(.unchanging)
    try reader.distrust(bytes: 1_000, steps: 10_000)
    #expect(try reader.integer("SELECT value FROM thing") == 2)
    do throws(SQLiteError) {
      _ = try reader.integer(
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n")
      Issue.record("it ended")
    } catch {
      #expect(error.kind == .interrupted)
    }
  }
}
