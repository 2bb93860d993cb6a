import Foundation
import TestSupport
import Testing

/// Compares the tables of log events in the documentation with the code.
@Suite(.realTime) struct LogTableTests {
  /// Returns the event names in the Swift files of these folders.
  private func events(in folders: [String]) throws -> Set<String> {
    let remark = /(?:[Rr]emark|self\.init|LogEvent)\(\s*\.(?:detail|notice|warning),\s*"([^"\\]+)"/
    var events: Set<String> = []
    for folder in folders {
      let path = Repository.path("Sources/\(folder)")
      for name in try FileManager.default.subpathsOfDirectory(atPath: path)
      where name.hasSuffix(".swift") {
        let text = try String(contentsOfFile: "\(path)/\(name)", encoding: .utf8)
        events.formUnion(text.matches(of: remark).map { String($0.output.1) })
      }
    }
    return events
  }

  @Test func `every log event of the gateway and of the Bluetooth client is documented`() throws {
    let text = try ["docs/bluetooth.md", "docs/operations.md", "docs/positions.md"].map { page in
      try String(contentsOfFile: Repository.path(page), encoding: .utf8)
    }.joined()
    let events = try events(in: ["Boards/BlueZ", "Gateway"])
    #expect(events.contains("link lost"))
    let unexplained = events.filter { !text.contains("| `\($0)` |") }
    #expect(unexplained.isEmpty, "rows are missing in these pages: \(unexplained.sorted())")
  }
}
