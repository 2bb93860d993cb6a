@testable import CommandLineTool
@testable import Terminal
import Foundation
import LinuxSystem
import TestSupport
import Testing
import Values

@Suite(.computation) struct AuditRunTests {
  private static let name = "7_MetaWear_2023-11-14T22.13.20.000_F1E55E2FE95F"

  /// Writes a table with 100 rows per second, and returns its path.
  private func write(
    _ sensor: String, rows: Int, unit: String = "g", in folder: TemporaryFolder,
    change: (String) -> String = { $0 }
  ) throws -> String {
    var text =
      "epoch (ms),time (+00:00),elapsed (s),x-axis (\(unit)),y-axis (\(unit)),z-axis (\(unit))\n"
    for row in 0..<rows {
      let elapsed = String(format: "%.3f", Double(row) / 100)
      let value = String(format: "%.3f", sin(Double(row * row)))
      text +=
        "\(1_700_000_000_000 + 10 * row),2023-11-14T22:13:20.000,\(elapsed),"
        + "\(value),0.\(row % 9)00,1.000\n"
    }
    let path = "\(folder.path)/\(Self.name)_\(sensor)_100.000Hz_1.5.0.csv"
    try Data(change(text).utf8).write(to: URL(filePath: path))
    return path
  }

  private func audit(_ arguments: String...) async -> Outcome {
    await Outcome.of(["audit"] + arguments, commands: Commands.all)
  }

  @Test func `the text output states that times were computed and rows are missing`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await audit(
      write("Accelerometer", rows: 2_800, in: folder),
      write("Gyroscope", rows: 3_000, unit: "deg/s", in: folder))
    #expect(outcome.status == 5 && outcome.errors.isEmpty)
    let lines = outcome.output.split(separator: "\n").map(String.init)
    #expect(lines.first == Self.name)
    #expect(
      lines.contains {
        $0.hasPrefix(
          "! accelerometer, gyroscope: all rows are exactly 10 ms apart: the times were computed")
      }, "\(lines)")
    #expect(lines.contains { $0.hasPrefix("! accelerometer: about 200 rows are missing") })
    #expect(
      lines.contains { $0.hasPrefix("- accelerometer contains 200 rows fewer than gyroscope") })
    #expect(lines.suffix(2) == ["Not sound.", "0 of 1 recordings are sound"])
  }

  @Test
  func `the JSON output contains the lost rows and the computed times, but no unknown values`()
    async throws
  {
    let folder = try TemporaryFolder()
    let outcome = try await audit(
      write("Accelerometer", rows: 2_800, in: folder),
      write("Gyroscope", rows: 3_000, unit: "deg/s", in: folder), "--json")
    #expect(outcome.status == 5)
    let json = try JSON(parsing: Array(outcome.output.utf8))
    #expect(json["sound"]?.bool == false)
    let recording = try #require(json["recordings"]?.list?.first)
    #expect(recording["comparisons"]?.list?.first?["rowDifference"]?.integer == -200)
    #expect(recording["hiddenLosses"]?.list?.first?["rows"]?.integer == 200)
    let file = try #require(recording["files"]?.list?.first)
    #expect(file["rows"]?.integer == 2_800)
    #expect(file["times"]?.text == "computed")
    #expect(file["exactlyRegular"]?.bool == true)
    #expect(file["trueHertz"] == nil)
    let other = try #require(recording["files"]?.list?.last)
    #expect(other["hiddenLoss"] == nil)
    #expect(file["inferredRange"] == nil)
    #expect(file["board"]?.text == "F1:E5:5E:2F:E9:5F")
  }

  @Test func `a compressed file is read, and a truncated or damaged one is reported`() async throws
  {
    let folder = try TemporaryFolder()
    let path = try write("Accelerometer", rows: 3_000, in: folder)
    let packing = Process()
    packing.executableURL = URL(filePath: "/usr/bin/gzip")
    packing.arguments = [path]
    try packing.run()
    packing.waitUntilExit()
    let whole = await audit(path + ".gz", "--json")
    #expect(whole.output.contains(#""rows":3000,"#), "\(whole)")
    #expect(whole.output.contains(#""truncated":false"#))
    let bytes = try Data(contentsOf: URL(filePath: path + ".gz"))
    try bytes.dropLast(bytes.count / 3).write(to: URL(filePath: path + ".gz"))
    let cut = await audit(path + ".gz")
    #expect(cut.status == 5)
    #expect(cut.output.contains("! accelerometer: the compressed file is truncated"))
    var wrong = bytes
    wrong[wrong.count - 6] ^= 0x55
    try wrong.write(to: URL(filePath: path + ".gz"))
    let damaged = await audit(path + ".gz")
    #expect(damaged.status == 5)
    #expect(damaged.output.contains("! accelerometer: the compressed file is damaged"))
  }

  @Test func `a recording with measured times and no losses is reported as sound`() async throws {
    let folder = try TemporaryFolder()
    var generator = SeededGenerator(seed: 1)
    let path = try write("Accelerometer", rows: 3_000, in: folder) { text in
      var lines = text.split(separator: "\n").map { $0.split(separator: ",").map(String.init) }
      for row in 1..<lines.count {
        let shift = Int(generator.next() % 3)
        lines[row][0] = String(1_700_000_000_000 + 10 * (row - 1) + shift)
        lines[row][2] = String(format: "%.3f", Double(10 * (row - 1) + shift) / 1_000)
      }
      let first = Int(lines[1][0]) ?? 0
      for row in 1..<lines.count {
        lines[row][2] = String(format: "%.3f", Double((Int(lines[row][0]) ?? 0) - first) / 1_000)
      }
      return lines.map { $0.joined(separator: ",") }.joined(separator: "\n") + "\n"
    }
    let outcome = await audit(path)
    #expect(outcome.status == 0, "\(outcome.output)")
    #expect(outcome.output.hasSuffix("Sound.\n\n1 of 1 recordings are sound\n"))
  }

  @Test func `a file with two rows is reported as too short to judge, not as sound`() async throws {
    let folder = try TemporaryFolder()
    let outcome = try await audit(write("Accelerometer", rows: 2, in: folder))
    #expect(outcome.status == 0)
    #expect(outcome.output.hasSuffix("Too short to judge.\n\n0 of 1 recordings are sound\n"))
  }

  @Test func `the error names a missing file, and a binary file is reported as not text`()
    async throws
  {
    let folder = try TemporaryFolder()
    let missing = await audit(folder.path + "/missing.csv")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("missing.csv: No such file or directory"))
    let path = try write("Accelerometer", rows: 10, in: folder) { _ in "\u{0}\u{1}" }
    let binary = await audit(path)
    #expect(binary.status == 5)
    #expect(binary.output.contains("! accelerometer: the file is not text"))
    let none = await audit()
    #expect(none.status == 2)
  }

  // MARK: Import

  private func run(_ arguments: String...) async -> Outcome {
    await Outcome.of(arguments, commands: Commands.all)
  }

  @Test func `a session imported from files is exported with the files' times and values`()
    async throws
  {
    let folder = try TemporaryFolder()
    let store = folder.path + "/walk.sqlite"
    let acceleration = try write("Accelerometer", rows: 2_500, in: folder) { text in
      // Twelve rows are missing.
      text.split(separator: "\n").enumerated().filter { !(1_001...1_012).contains($0.offset) }
        .map { $0.element + "\n" }.joined()
    }
    let rotation = try write("Gyroscope", rows: 2_500, unit: "deg/s", in: folder)
    let outcome = await run("import", acceleration, rotation, "--store", store, "--json")
    #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    let json = try JSON(parsing: Array(outcome.output.utf8))
    let streams = try #require(json["recordings"]?.list?.first?["streams"]?.list)
    #expect(streams.map { $0["samples"]?.integer } == [2_488, 2_500])
    #expect(streams.map { $0["lost"]?.integer } == [12, 0])

    let table = folder.path + "/walk.csv"
    let export = await run("export", "last", "--store", store, "--output", table)
    #expect(export.status == 0, "\(export)")
    let rows = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n")
      .map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) }
      .filter { $0[3] == "acceleration" }
    let source = try String(contentsOfFile: acceleration, encoding: .utf8).split(separator: "\n")
      .dropFirst().map { $0.split(separator: ",").map(String.init) }
    #expect(rows.count == source.count)
    for (row, line) in zip(rows, source) {
      #expect(
        Double(row[1]).map { Int(($0 * 1_000).rounded()) }
          == Int(line[0]).map {
            $0 - 1_700_000_000_000
          })
      #expect(row[4...6].map { Double($0) } == line[3...5].map { Double($0) })
    }
    let verified = await run("verify", "last", "--store", store)
    #expect(verified.status == 0, "\(verified)")
  }

  @Test func `importing the same file again changes nothing`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path + "/walk.sqlite"
    let path = try write("Accelerometer", rows: 500, in: folder)
    _ = await run("import", path, "--store", store)
    _ = await run("session", "edit", "last", "--note", "corrected", "--store", store)
    let before = await run("show", "last", "--json", "--store", store)
    let again = await run("import", path, "--store", store)
    #expect(again.status == 0 && again.output.contains("already imported as session "))
    let after = await run("show", "last", "--json", "--store", store)
    #expect(before == after && before.output.contains("corrected"))
    let sessions = await run("sessions", "--json", "--store", store)
    #expect(try JSON(parsing: Array(sessions.output.utf8)).list?.count == 1)
  }

  @Test func `a file without a date becomes a session without a date`() async throws {
    let folder = try TemporaryFolder()
    let store = folder.path + "/walk.sqlite"
    let path = folder.path + "/walk.csv"
    let text =
      "seconds,x (g),y (g),z (g)\n" + (0..<200).map { "\(Double($0) / 100),0,0,1\n" }.joined()
    try Data(text.utf8).write(to: URL(filePath: path))
    let outcome = await run(
      "import", path, "--board", "C8:4B:AA:97:50:05", "--store", store)
    #expect(outcome.status == 0, "\(outcome)")
    #expect(
      outcome.output.contains(", date unknown") && outcome.output.contains("C8:4B:AA:97:50:05"))
  }

  @Test func `the error for a file that cannot be imported names the file and the reason`()
    async throws
  {
    let folder = try TemporaryFolder()
    let path = try write("Accelerometer", rows: 10, in: folder) { _ in "words\n" }
    let outcome = await run("import", path, "--store", folder.path + "/walk.sqlite")
    #expect(outcome.status == 5)
    #expect(outcome.output.contains("! \(path) was not imported: the first line does not name"))
  }
}
