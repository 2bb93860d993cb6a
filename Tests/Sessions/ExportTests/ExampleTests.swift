import Export
import LinuxSystem
import Recording
import TestSupport
import Testing

/// The example of the library's documentation.
@Suite(.computation) struct ExampleTests {
  @Test func `the example of Export runs`() throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/walk.csv"
    var session = MemorySource()
    session.add(MemorySource.acceleration, of: MemorySource.right, offset: 0, counts: [50])
    var file = try OutputFile(path: path)
    let totals = try CSVExport().write(session, to: &file)
    try file.commit()
    let lines = try #require(WholeFile.text(path)).split(separator: "\n")
    #expect(totals.rows == 50)
    #expect(lines.count == 51)
    #expect(lines.first?.hasPrefix(CSVExport.header) == true)
  }
}
