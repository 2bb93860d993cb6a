import SessionFolder
@testable import CommandLineTool
@testable import Terminal
import Export
import Foundation
import UploadProtocol
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// The arguments of `footbridge export`. Invalid ones are rejected before anything is written.
@Suite(.computation) struct ExportCommandTests {
  @Test func `every option of 'export' is parsed`() throws {
    #expect(try ExportCommand.typed("last") == .plain { $0.sessions = ["last"] })
    #expect(
      try ExportCommand.typed(
        "--format", "gpx", "--wide", "--board", "left", "--board=C8", "--signal", "acceleration",
        "--from", "12.5", "--to", "1970-01-01T00:00:01Z", "--output", "/out", "3f", "--store", "/y")
        == .plain {
          $0.sessions = ["3f"]
          $0.format = .gpx
          $0.isWide = true
          $0.boards = ["left", "C8"]
          $0.signals = ["acceleration"]
          $0.from = .seconds(12.5)
          $0.to = .utc(UTCTime(nanoseconds: 1_000_000_000))
          $0.output = "/out"
          $0.store.given = "/y"
        })
  }

  @Test
  func `a table's rate is parsed, but rejected for a format whose rows are not evenly spaced`()
    async throws
  {
    #expect(
      try ExportCommand.typed("last", "--format", "table", "--resample", "62.5")
        == .plain {
          $0.sessions = ["last"]
          $0.format = .table
          $0.rate = 62.5
        })
    #expect(
      await Outcome.of("export", "last", "--resample", "50", commands: Commands.all)
        == .misunderstood(
          """
          error: '--resample' is for table and sto, not for csv
                 leave it out, or add '--format table'
                 try 'footbridge export --help'
          """))
    #expect(
      await Outcome.of(
        "export", "last", "--resample", "50", "--wide", "--output", "/x", commands: Commands.all)
        == .misunderstood(
          """
          error: '--resample' cannot be used with '--wide'
                 use '--format table' instead of '--wide'
                 try 'footbridge export --help'
          """))
    for rate in ["0", "-1", "20000", "fast"] {
      let outcome = await Outcome.of("export", "last", "--format", "table", "--resample", rate)
      #expect(outcome.status == 2, "\(rate)")
    }
  }

  @Test
  func
    `a resampled table's times are multiples of its interval; the sto format needs orientations`()
    async throws
  {
    let walk = try RecordedWalk()
    let folder = try TemporaryFolder()
    let path = folder.path + "/walk.csv"
    let long = await walk.run("export", "last")
    let table = await walk.run(
      "export", "last", "--format", "table", "--resample", "10", "--output", path)
    #expect(table.status == long.status, "\(table.errors)")
    let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    #expect(lines.first?.hasPrefix("time_utc,seconds,") == true)
    let seconds = lines.dropFirst().compactMap { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      return Double(fields[1])
    }
    #expect(seconds.count == lines.count - 1 && seconds.count > 100)
    #expect(seconds.allSatisfy { ($0 * 10).rounded() / 10 == $0 })
    let refused = await walk.run("export", "last", "--format", "sto")
    #expect(refused.status == 1)
    #expect(
      refused.errors.hasPrefix(
        "error: cannot write sto: the exported part of the session contains no orientations\n"))
  }

  @Test func `the error for a missing or invalid argument shows valid ones`() async {
    #expect(
      await Outcome.of("export", commands: Commands.all)
        == .misunderstood(
          """
          error: 'SESSION' is missing
                 SESSION is the id of a session, the beginning of one, or 'last'
                 'footbridge sessions' lists the ids
                 try 'footbridge export --help'
          """))
    #expect(
      await Outcome.of("export", "last", "--format", "xlsx")
        == .misunderstood(
          """
          error: '--format' cannot be 'xlsx'
                 choose one of csv, jsonl, json, geojson, gpx, table, sto, bids
                 try 'footbridge export --help'
          """))
    #expect(
      await Outcome.of("export", "last", "--from", "yesterday")
        == .misunderstood(
          """
          error: '--from' cannot be 'yesterday'
                 TIME is the time since the start of the session, as in 80 or 1:20, or a time with a
                 time zone, as in 2026-05-04T09:30:00Z or 2026-05-04T11:30:00+02:00
                 try 'footbridge export --help'
          """))
  }

  @Test(arguments: ["--from", "--to"])
  func `the error for a time outside the session states its length, or that it began later`(
    _ option: String
  )
    async throws
  {
    let walk = try RecordedWalk()
    let isFrom = option == "--from"
    #expect(
      await walk.run("export", "last", option, isFrom ? "76" : "1970-01-01T00:00:01Z")
        == Outcome(
          status: 2,
          errors: """
            error: session 11112233 \(isFrom ? "is only 75.5 s long" : "began later")
                   set \(option) to a time within the session

            """))
  }

  @Test func `a session in a folder is exported like one in the store`() async throws {
    let walk = try RecordedWalk()
    let folder = try TemporaryFolder()
    let none = await Outcome.of("export", "--folder", folder.path, "last", commands: Commands.all)
    #expect(none.status != 0)
    #expect(
      none.errors.hasPrefix(
        "error: cannot open \(folder.path): this folder contains no sessions\n"))
    let reader = try StoreReader(path: walk.store)
    var writer = try FolderWriter(folder: folder.path)
    for session in try reader.sessions() {
      let record = try #require(try reader.record(of: session.id))
      for stream in record.streams {
        let parts = try stream.chunks.map {
          ChunkBatch.Part(id: $0.id, bytes: try reader.bytes(ofChunk: $0.id))
        }
        _ = try writer.store(parts)
      }
      _ = try writer.store(
        TrackPiece(session: session.id, first: 0, fixes: try reader.fixes(of: session.id)))
      _ = try writer.store(record)
    }
    let stored = await walk.run("export", "last")
    // The session that starts last by its own clock, and a session selected by a prefix of its id.
    for word in ["last", "11112233"] {
      let outcome = await Outcome.of(
        "export", "--folder", folder.path, word, commands: Commands.all)
      #expect(outcome.status == stored.status, "\(outcome.errors)")
      #expect(outcome.output == stored.output)
    }
    #expect(stored.output.split(separator: "\n").count > 2_000)
  }

  @Test func `'export --wide' requires a folder and the CSV format`() async {
    #expect(
      await Outcome.of("export", "last", "--wide", "--format", "json", commands: Commands.all)
        == .misunderstood(
          """
          error: '--wide' is for CSV, not for json
                 leave one of them out
                 try 'footbridge export --help'
          """))
    #expect(
      await Outcome.of("export", "last", "--wide", commands: Commands.all)
        == .misunderstood(
          """
          error: '--wide' writes several files
                 give a folder for them with '--output PATH'
                 try 'footbridge export --help'
          """))
  }

  @Test func `an export file's extension determines its format; a conflicting format is rejected`()
    async throws
  {
    let walk = try RecordedWalk()
    let folder = try TemporaryFolder()
    let track = folder.path + "/walk.gpx"
    #expect(
      await walk.run("export", "last", "--output", track)
        == Outcome(
          status: 0,
          output: """
            Exported the track to \(track)
              \(track)
              \(folder.path)/walk.session.json

            """))
    let text = try String(contentsOfFile: track, encoding: .utf8)
    #expect(text.contains("<gpx "))
    #expect(
      await walk.run("export", "last", "--format", "csv", "--output", track)
        == .misunderstood(
          """
          error: '--format csv' contradicts the extension of '\(track)'
                 leave '--format' out, or give the file another extension
                 try 'footbridge export --help'
          """))
    #expect(
      await walk.run("export", "last", "--output", track)
        == Outcome(
          status: 1,
          errors: """
            error: cannot write \(track): the file already exists
                   give another name, or add --force to replace it

            """))
    #expect(await walk.run("export", "last", "--output", track, "--force").status == 0)
  }

  @Test
  func `an export file with an unknown extension is rejected instead of being written as CSV`()
    async throws
  {
    let walk = try RecordedWalk()
    let folder = try TemporaryFolder()
    let table = folder.path + "/walk.parquet"
    #expect(
      await walk.run("export", "last", "--output", table)
        == .misunderstood(
          """
          error: '\(table)' has an unknown extension
                 use another extension (csv, jsonl, json, geojson, gpx, sto, bids), or give the format with '--format'
                 try 'footbridge export --help'
          """))
    #expect(await walk.run("export", "last", "--format", "csv", "--output", table).status == 0)
    #expect(await walk.run("export", "last", "--output", folder.path + "/walk").status == 0)
  }

  @Test(arguments: [["record", "--export"], ["demo", "--keep"]])
  func `a recording is rejected before it starts if its export file already exists`(
    _ arguments: [String]
  ) async throws {
    let folder = try TemporaryFolder()
    let path = folder.path + "/track.geojson"
    try "yesterday".write(toFile: path, atomically: false, encoding: .utf8)
    let store = folder.path + "/store.sqlite"
    let outcome = await Outcome.of(
      arguments + [folder.path], environment: ["FOOTBRIDGE_STORE": store], commands: Commands.all)
    #expect(
      outcome
        == Outcome(
          status: 1,
          errors: """
            error: cannot write \(path): the file already exists
                   give another name, or add --force to replace it

            """))
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["track.geojson"])
  }

  @Test func `a hyphen in place of the export file's name means standard output`() async throws {
    let walk = try RecordedWalk()
    let plain = await walk.run("export", "last")
    let hyphen = await walk.run("export", "last", "--output", "-")
    #expect(hyphen == plain)
    #expect(
      await walk.run("export", "last", "--wide", "--output", "-").errors.hasPrefix(
        "error: '--wide' writes several files\n"))
  }

  @Test func `export progress is shown only on a terminal, where the next line replaces it`()
    throws
  {
    let size = TerminalSize(columns: 20, rows: 10)
    let both = MemorySink(terminal: size)
    let console = Console(output: both, errors: both)
    console.showProgress("exporting 1 of 2")
    console.showProgress("exporting something that is far too long")
    console.notice("gap")
    console.showProgress("exporting 2 of 2")
    try console.print("Exported.")
    console.showProgress("again")
    console.finishPainting()
    console.close()
    var terminal = TinyTerminal()
    terminal.feed(both.text)
    #expect(terminal.lines == ["level=notice", "  event=gap", "Exported."])

    let file = MemorySink()
    for console in [
      Console(output: file, errors: file), Console(output: both, errors: both, level: .quiet),
    ] {
      console.showProgress("exporting")
      console.close()
    }
    #expect(file.text == "")
    #expect(!both.text.hasSuffix("exporting\u{1b}[K"))
  }
}
