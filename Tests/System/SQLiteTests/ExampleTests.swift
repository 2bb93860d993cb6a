import LinuxSystem
import SQLite
import TestSupport
import Testing

@Suite(.computation) struct ExampleTests {
  @Test func `the example in SQLite's documentation runs`() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/hazards.sqlite"
    let database = try SQLiteDatabase<SQLiteError>.open(path: path, .creating)
    try database.execute("CREATE TABLE hazard (name TEXT, intensity INTEGER)", doing: "make")
    try database.run("INSERT INTO hazard VALUES (?, ?)", ["flood", 3], doing: "write to")
    let names = try database.rows("SELECT name FROM hazard WHERE intensity > ?", [1]) { row in
      row.text(0)
    }
    #expect(names == ["flood"])
  }
}
