import Foundation
import TestSupport
import Testing

/// `Tests/Importer`, a package that imports this package's libraries.
@Suite(.realTime) struct ImporterTests {
  private let scratch: Scratch

  init() throws {
    scratch = try Scratch()
  }

  @Test func `another package reads a store, exports a session and decodes packets`() async throws {
    let store = try await scratch.recordDemo()
    // The first build compiles the libraries. Without optimisation, an index and debugging
    // information, it takes less than half the time.
    let built = try await Program.run(
      "/usr/bin/env",
      [
        "swift", "build", "--package-path", Repository.path("Tests/Importer"),
        "--scratch-path", Repository.path(".build/importer"), "--disable-index-store",
        "-debug-info-format", "none", "-Xswiftc", "-Onone",
      ], within: 200)
    try #require(built.status == 0, "\(built.output)\(built.errors)")

    let table = scratch.path + "/imported.csv"
    let program = Repository.path(".build/importer/debug/importer")
    let outcome = try await Program.run(program, [store, table])
    try #require(outcome.status == 0, "\(outcome.errors)")
    let lines = outcome.output.split(separator: "\n").map { $0.split(separator: " ") }

    let export = try await Program.run(
      Program.footbridge, ["export", "last", "--store", store], environment: scratch.environment)
    #expect(try String(contentsOfFile: table, encoding: .utf8) == export.output)
    let rows = export.output.split(separator: "\n").dropFirst().map {
      $0.split(separator: ",", omittingEmptySubsequences: false)
    }
    #expect(lines.contains(["exported", "\(rows.count)"]))

    let streams = lines.filter { $0[0] == "stream" }
    #expect(streams.count == Set(rows.map { $0[2...3] }).count)
    for stream in streams {
      let own = rows.filter { $0[2] == stream[1] && $0[3] == stream[2] }
      #expect(stream[3] == "\(own.count)")
      let sum = own.compactMap { Double($0[4]) }.reduce(0, +)
      let found = try #require(Double(stream[4]))
      // The export rounds each value to six decimals.
      #expect(abs(found - sum) < 1e-6 * Double(own.count))
      #expect(own.last.map { $0[0].prefix(19) } == stream[5].prefix(19))
    }
    #expect(lines.contains(["notification", "0", "0", "4096"]))
    #expect(lines.contains { $0.starts(with: ["fix", "53.168", "9.94"]) })
  }
}
