import Foundation
import Gateway
import Recording
import TestSupport
import Testing
import Values

@testable import CommandLineTool

/// The tables in `docs/models.md`, compared with the types that they describe.
@Suite(.computation) struct ModelTablesTests {
  /// An attribute in a table, or a stored property of a type.
  private struct Attribute: Hashable, CustomStringConvertible {
    var name: String
    var type: String
    var description: String { "\(name): \(type)" }
  }

  private static func text(_ file: String) throws -> String {
    try String(contentsOfFile: Repository.path(file), encoding: .utf8)
  }

  /// Returns the stored properties of a value.
  private static func properties(of value: Any) -> [Attribute] {
    Mirror(reflecting: value).children.map { child in
      var type = String(describing: Swift.type(of: child.value))
      while let optional = type.range(of: #"Optional<([^<>]*)>"#, options: .regularExpression) {
        type.replaceSubrange(optional, with: type[optional].dropFirst(9).dropLast() + "?")
      }
      return Attribute(name: child.label ?? "", type: type)
    }
  }

  /// Returns the document's tables, each under the type named in its heading.
  private static func tables() throws -> [String: [Attribute]] {
    var tables: [String: [Attribute]] = [:]
    var type: String?
    for line in try Self.text("docs/models.md").split(separator: "\n") {
      let words = line.split(separator: "`", omittingEmptySubsequences: false).map(String.init)
      if line.hasPrefix("#") {
        type = line.hasPrefix("### ") && words.count == 3 ? words[1] : nil
      } else if let type, line.hasPrefix("| `"), words.count >= 5 {
        tables[type, default: []].append(Attribute(name: words[1], type: words[3]))
      }
    }
    return tables
  }

  private static var examples: [String: Any] {
    let (id, time) = (UniqueID(high: 1, low: 2), BootTime(nanoseconds: 0))
    let utc = UTCTime(nanoseconds: 0)
    let board = BoardIdentity(
      address: BoardAddress(value: 0xC84B_AA97_5005), name: "", model: "", firmware: "")
    let stream = StreamDescription(
      signal: "", unit: "", countsPerUnit: 1, rate: 1, lossAccounting: .counted)
    return [
      "Session": Session(bootID: id, start: time),
      "Participant": Participant("P07"),
      "BoardIdentity": board,
      "StreamDescription": stream,
      "Chunk": Chunk(
        id: id, session: id, bootID: id, board: board, stream: stream, sequence: 0,
        clock: Chunk.Clock(first: time, period: 1), counters: [], arrivals: [], columns: [],
        gaps: [], fixes: []),
      "Gap": Gap(start: time, end: time, lost: 1, isEstimate: false, reason: .link),
      "Fix": Fix(arrival: time, utc: utc, latitude: 0, longitude: 0),
      "Hazard": Hazard(name: "", intensity: 0, time: time),
      "SessionEvent": SessionEvent(.battery, at: time),
      "TaskTurn": TaskTurn(task: "", repetition: 1, begin: time),
      "WalkReport": WalkReport(hazards: .none),
      "SessionStatistics": SessionStatistics(),
      "ClockTable.Entry": ClockTable.Entry(boot: time, utc: utc, source: .system),
      "GatewayStatus": GatewayStatus.blank,
      "StudyTask": StudyTask(id: "", name: "", kind: .timed),
    ]
  }

  @Test func `every table lists the stored properties of its type, in order`() throws {
    let tables = try Self.tables()
    #expect(Set(tables.keys) == Set(Self.examples.keys))
    for (type, value) in Self.examples {
      #expect(tables[type] == Self.properties(of: value), "\(type)")
    }
  }

  @Test func `docs/models.md lists the libraries that the package offers`() throws {
    let manifest = try Self.text("Package.swift")
    let list = try #require(
      manifest.range(of: #"let importable = \[[^\]]*\]"#, options: .regularExpression))
    let offered = manifest[list].split(separator: "\"").enumerated().filter { $0.offset % 2 == 1 }
    let rows = try Self.text("docs/models.md").split(separator: "\n")
    let table = rows.drop { !$0.hasPrefix("| Library") }.dropFirst(2).prefix { $0.hasPrefix("|") }
    #expect(
      Set(table.compactMap { $0.split(separator: "`").dropFirst().first.map(String.init) })
        == Set(offered.map { String($0.element) }))
  }
}
