import Foundation
import TestSupport
import Testing

/// `export` of a session recorded by the demo. Independent programs read the output.
@Suite(.realTime) struct ExportTests {
  private let scratch: Scratch
  private var store: String { scratch.path + "/kept/footbridge.sqlite" }

  init() throws {
    scratch = try Scratch()
  }

  private func recordDemo() async throws {
    let outcome = try await Program.run(
      Program.footbridge,
      ["demo", "--boards", "2", "--seconds", "2", "--json", "--keep", scratch.path + "/kept"],
      environment: scratch.environment)
    try #require(outcome.status == 0, "\(outcome.errors)")
  }

  private func export(_ arguments: String...) async throws -> Program.Outcome {
    try await Program.run(
      Program.footbridge, ["export", "--store", store] + arguments,
      environment: scratch.environment)
  }

  private func text(_ name: String) throws -> String {
    try String(contentsOfFile: scratch.path + "/" + name, encoding: .utf8)
  }

  /// Runs a Python program. Its SQLite library and its parsers are independent of footbridge.
  private func python(_ program: String, _ arguments: String...) async throws -> String {
    let outcome = try await Program.run("/usr/bin/python3", ["-c", program] + arguments)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output.trimmingCharacters(in: .newlines)
  }

  @Test func `a session is exported as CSV, JSON, GPX and GeoJSON, both as a whole and in part`()
    async throws
  {
    try await recordDemo()
    let samples = try text("kept/samples.csv")
    let rows = samples.split(separator: "\n").dropFirst()
    try #require(rows.count > 600)

    // The command exports the same table as the demo. An independent program reads the id.
    let onOutput = try await export("last")
    #expect(onOutput.status == 0 && onOutput.errors == "", "\(onOutput.errors)")
    #expect(onOutput.output == samples)
    let id = try await python(
      "import sqlite3, sys, uuid; print(uuid.UUID(bytes=sqlite3.connect(sys.argv[1])"
        + ".execute('SELECT id FROM session').fetchone()[0]))", store)
    let byID = try await export(String(id.prefix(7)))
    #expect(byID.status == 0 && byID.output == samples, "\(id): \(byID.errors)")

    let csv = try await export("last", "--output", scratch.path + "/walk.csv")
    #expect(csv.status == 0, "\(csv.errors)")
    #expect(csv.output.hasPrefix("Exported "))
    #expect(try text("walk.csv") == samples)
    let files = try FileManager.default.contentsOfDirectory(atPath: scratch.path)
    #expect(
      Set(files).isSuperset(of: [
        "walk.gaps.csv", "walk.events.csv", "walk.hazards.csv", "walk.fixes.csv",
        "walk.session.json",
      ]))
    let description = try JSONSerialization.jsonObject(
      with: Data(try text("walk.session.json").utf8))
    #expect((description as? [String: Any])?["session"] as? String == id)

    // The JSON lines and the JSON document have as many samples as the table.
    let lines = try await export("last", "--format", "jsonl").output.split(separator: "\n")
    #expect(lines.count == rows.count)
    let document = try JSONSerialization.jsonObject(
      with: Data(try await export("last", "--format", "json").output.utf8))
    #expect(((document as? [String: Any])?["samples"] as? [Any])?.count == rows.count)

    let gpx = try await export("last", "--format", "gpx").output
    #expect(gpx.contains("<trkpt lat=\""))
    let geojson = try await export("last", "--format", "geojson").output
    #expect(geojson == (try text("kept/track.geojson")))

    // One board, one signal, a limited time range.
    let address = try #require(rows.first?.split(separator: ",")[2])
    let own = rows.filter { $0.contains(",\(address),acceleration,") }
    let part = try await export(
      "last", "--board", String(address.prefix(13)), "--signal", "acceleration")
    #expect(part.output.split(separator: "\n").dropFirst().elementsEqual(own), "\(part.errors)")
    let middle = String(rows[rows.startIndex + 300].split(separator: ",")[1])
    let early = try await export("last", "--to", middle).output.split(separator: "\n").dropFirst()
    let late = try await export("last", "--from", middle).output.split(separator: "\n").dropFirst()
    #expect(!early.isEmpty && !late.isEmpty && Array(early + late) == Array(rows))
    let moment = try #require(rows[rows.startIndex + 300].split(separator: ",").first)
    let always = try await export(
      "last", "--from", "1700-01-01T00:00Z", "--to", "2200-01-01T00:00Z")
    #expect(always.output == samples, "\(always.errors)")
    let since = try await export("last", "--from", String(moment)).output
    #expect(since.split(separator: "\n").count < rows.count)

    let wide = try await export("last", "--wide", "--output", scratch.path + "/wide")
    #expect(wide.status == 0, "\(wide.errors)")
    let tables = try FileManager.default.contentsOfDirectory(atPath: scratch.path + "/wide")
    #expect(tables.count { $0.hasSuffix(".acceleration.csv") } == 2)
    let count = try await python(
      """
      import csv, glob, sys
      print(sum(len(list(csv.reader(open(name, newline=''), strict=True))) - 1
                for name in glob.glob(sys.argv[1] + '/wide/*_*.csv') + glob.glob(
                  sys.argv[1] + '/wide/*.acceleration.csv')))
      """, scratch.path)
    #expect(count == "\(rows.count)")
  }

  @Test func `an export omits only the damaged chunk, reports the gap, and exits with status 5`()
    async throws
  {
    try await recordDemo()
    _ = try await python(
      """
      import sqlite3, sys
      store = sqlite3.connect(sys.argv[1])
      number, = store.execute("SELECT min(number) FROM chunk").fetchone()
      store.execute("UPDATE chunk SET bytes = substr(bytes, 1, 300) WHERE number = ?", (number,))
      store.commit()
      """, store)
    let outcome = try await export("last", "--output", scratch.path + "/walk.csv")
    #expect(outcome.status == 5)
    #expect(outcome.errors.contains("level=warning event=gap board="), "\(outcome.errors)")
    #expect(outcome.errors.contains("event=incomplete missing_chunks=1 samples="))
    let gaps = try text("walk.gaps.csv").split(separator: "\n")
    #expect(gaps.count { $0.contains(",chunks,") } == 1)
    #expect(try text("walk.csv").split(separator: "\n").count > 300)
  }

  @Test
  func `Ctrl-C during an export causes exit status 130, unless the export is already complete`()
    async throws
  {
    try await recordDemo()
    // A pipe that is never read blocks the export at its first write.
    let fifo = scratch.path + "/fifo"
    try #require(unsafe mkfifo(fifo, 0o600) == 0)
    let program = try Program(
      "/bin/sh",
      [
        "-c", "exec \"$0\" export last --format json --store \"$1\" > \"$2\"", Program.footbridge,
        store, fifo,
      ], environment: scratch.environment)
    let reader = try #require(FileHandle(forReadingAtPath: fifo))
    // As soon as the pipe is readable, the export has written its first data.
    let first = try #require(try reader.read(upToCount: 1))
    #expect(first == Data("{".utf8))
    program.signal(SIGINT)
    try await wait(for: "the program has taken the signal") { !isPending(program.id) }
    let rest = try reader.readToEnd() ?? Data()
    let outcome = await program.wait()
    // The export may have written its last data to the pipe's buffer before it received the signal.
    #expect(outcome.status == 130 || rest.hasSuffix("}\n"), "\(outcome.errors)")
  }

  /// Returns whether a signal is pending for a process.
  private func isPending(_ process: Int32) -> Bool {
    let status = (try? String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("ShdPnd:") }
    return line.map { !$0.hasSuffix("0000000000000000") } ?? false
  }

  @Test func `the error for an impossible export states the reason`() async throws {
    let missing = try await export("last")
    #expect(missing.status == 1)
    #expect(missing.errors.contains("error: there is no store at \(store)"), "\(missing.errors)")
    try await recordDemo()
    let unknown = try await export("zz")
    #expect(unknown.status == 1)
    #expect(unknown.errors.contains("error: no session's id begins with 'zz'"))
    let board = try await export("last", "--board", "nobody")
    #expect(board.status == 4)
    #expect(board.errors.contains("error: no board in the session matches 'nobody'"))
    let signal = try await export("last", "--signal", "acceleratoin")
    #expect(signal.status == 2)
    #expect(signal.errors.contains("did you mean 'acceleration'?"), "\(signal.errors)")
    let nothing = try await export("last", "--from", "2", "--to", "1")
    #expect(nothing.status == 2)
    let folder = try await export("last", "--output", scratch.path + "/no/walk.csv")
    #expect(folder.status == 1)
    #expect(folder.errors.contains("create the folder first"))
    let taken = try await export("last", "--wide", "--output", scratch.path + "/kept")
    #expect(taken.errors.contains("the folder is not empty"))
  }
}

extension Data {
  fileprivate func hasSuffix(_ text: String) -> Bool {
    suffix(text.utf8.count).elementsEqual(text.utf8)
  }
}
