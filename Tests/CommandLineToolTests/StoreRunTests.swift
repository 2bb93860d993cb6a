@testable import CommandLineTool
import Foundation
import LinuxSystem
import Recording
import SQLite
@testable import Storage
@testable import Terminal
import TestSupport
import Testing
import Values

/// `footbridge store` on its own store, with the exact output.
@Suite(.computation) struct StoreRunTests {
  private let walk: RecordedWalk

  init() throws {
    walk = try RecordedWalk()
  }

  @Test func `an intact store is reported as intact`() async {
    #expect(
      await walk.run("store", "check")
        == Outcome(
          status: 0, output: "2 sessions, 3 chunks: no damage found.\n"))
    #expect(
      await walk.run("store", "check", "--json").output
        == #"{"whole":true,"structure":[],"sessions":2,"chunks":3,"damaged":[],"damagedChunks":0,"restoredChunks":0,"setAsideBefore":0}"#
        + "\n")
    #expect(
      await walk.run("store", "repair")
        == Outcome(
          status: 0, output: "2 sessions, 3 chunks: no damage found.\n"))
  }

  @Test func `damaged chunks that are not listed are counted`() {
    let finding = StoreCheck.Finding(
      session: RecordedWalk.walk.id, board: RecordedWalk.board.address, signal: "light",
      sequence: 4, samples: 9, why: "not a chunk")
    let check = StoreCheck(sessions: 2, chunks: 2_000, damaged: 1_201, findings: [finding])
    let outcome = StoreText.outcome(of: check)
    #expect(
      outcome.lines == [
        "2 sessions, 2,000 chunks: 1,201 chunks damaged:",
        "  session \(RecordedWalk.walk.id) board C8:4B:AA:97:50:05 light chunk 4: not a chunk",
        "  and 1,200 more", "'footbridge store repair' sets damaged data aside.",
      ])
    #expect(outcome.json.text.contains(#""damagedChunks":1201"#))
    #expect(StoreText.outcome(ofRepair: check).lines.dropFirst(2) == ["  and 1,200 more"])
  }

  /// Changes one byte in the second of the three chunks in the file.
  private func spoilChunk() throws {
    var bytes = try Data(contentsOf: URL(filePath: walk.store))
    let magic = Data([0x89]) + Data("FBCH\r\n\u{1a}".utf8)
    var places: [Int] = []
    while let found = bytes.range(of: magic, in: (places.last.map { $0 + 1 } ?? 0)..<bytes.count) {
      places.append(found.lowerBound)
    }
    try #require(places.count == 3)
    bytes[places[1] + 150] ^= 0xff
    try bytes.write(to: URL(filePath: walk.store))
  }

  @Test func `a damaged chunk is listed, and a repair sets it aside`() async throws {
    try spoilChunk()
    let line =
      "  session \(RecordedWalk.walk.id) board C8:4B:AA:97:50:05 acceleration chunk 1: "
    let checked = await walk.run("store", "check")
    #expect(checked.status == 1)
    let lines = checked.output.split(separator: "\n").map(String.init)
    #expect(lines.count == 3)
    #expect(lines.first == "2 sessions, 3 chunks: 1 chunk damaged:")
    #expect(lines.dropFirst().first?.hasPrefix(line) == true, "\(checked.output)")
    #expect(lines.last == "'footbridge store repair' sets damaged data aside.")
    let repaired = await walk.run("store", "repair")
    #expect(repaired.status == 5)
    #expect(
      repaired.output.hasPrefix(
        "2 sessions, 3 chunks: 1 chunk set aside; the rest is usable:\n" + line))
    #expect(
      await walk.run("store", "check").output == """
        2 sessions, 2 chunks: no damage found.
        1 chunk set aside earlier.

        """)
    let shown = await walk.run("show", "last")
    #expect(
      shown.output.contains(
        "  left acceleration: ~1,012 in unavailable chunks, 1 chunk no longer stored\n"))
    // These commands report the missing samples.
    #expect(shown.status == 5)
    #expect(await walk.run("export", "last").status == 5)
    let listed = await walk.run("sessions")
    #expect(listed.status == 5)
    #expect(listed.output.contains("\nStored samples are missing from "), "\(listed.output)")
  }

  @Test func `a chunk whose row describes a different chunk is restored by a repair`() async throws
  {
    do {
      let database = try Database.open(path: walk.store, mode: .recording)
      try database.execute("UPDATE chunk SET sequence = 7 WHERE number = 2", doing: "spoil")
    }
    #expect(await walk.run("store", "check").status == 1)
    let repaired = await walk.run("store", "repair")
    #expect(repaired.status == 0)
    #expect(repaired.output.hasPrefix("2 sessions, 3 chunks: 1 chunk restored:\n  session "))
    let end = " chunk 7: its row describes another chunk, restored\n"
    #expect(repaired.output.hasSuffix(end), "\(repaired.output)")
    let checked = await walk.run("store", "check")
    #expect(
      checked == Outcome(status: 0, output: "2 sessions, 3 chunks: no damage found.\n"))
    var check = StoreCheck(sessions: 2, chunks: 9, damaged: 3)
    check.restored = 1
    let both = StoreText.outcome(ofRepair: check)
    #expect(
      both.lines.first
        == "2 sessions, 9 chunks: 1 chunk restored, 2 chunks set aside; the rest is usable:")
    #expect(both.status == .notUnderstood)
  }

  @Test func `a total is marked as an estimate if it includes samples from lost chunks`()
    async throws
  {
    try spoilChunk()
    _ = await walk.run("store", "repair")
    let listed = await walk.run("sessions")
    #expect(listed.output.contains("  ~1,015  "), "\(listed.output)")
    let json = await walk.run("sessions", "--json")
    #expect(
      json.output.contains(#""lostChunks":1,"lossIsEstimate":true}"#), "\(json.output)")
    var salvage = StoreSalvage(kept: "/s.damaged")
    salvage.lostSamples = 2_000
    salvage.losses = [
      StoreCheck.Finding(
        session: RecordedWalk.walk.id, board: BoardAddress(value: 1), signal: "acceleration",
        sequence: 1, samples: 2_000, why: "cannot read its pages")
    ]
    let outcome = StoreText.outcome(of: salvage)
    #expect(outcome.lines.contains("~2,000 samples are counted as lost:"), "\(outcome.lines)")
    #expect(outcome.lines.contains { $0.hasSuffix("cannot read its pages, ~2,000 samples") })
    #expect(outcome.json.text.contains(#""lostSamples":2000,"lossIsEstimate":true"#))
  }

  @Test func `a backup is reported with its size and never overwrites a file`() async throws {
    let copy = walk.store + "-copy"
    let outcome = await walk.run("store", "backup", copy)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let size = try #require(
      try FileManager.default.attributesOfItem(atPath: copy)[.size] as? Double)
    let text = NumberText.fixed(size / 1_000, decimals: 1)
    #expect(outcome.output == "\(copy): \(text) kB, the store as it was when the backup began.\n")
    #expect(
      await walk.run("store", "backup", copy)
        == Outcome(
          status: 1,
          errors: """
            error: cannot write \(copy): the file already exists
                   give another name, or add --force to replace it

            """))
    #expect(await walk.run("store", "backup", copy, "--force").status == 0)
    #expect(
      await walk.run("store", "check", "--force")
        == .misunderstood(
          """
          error: '--force' cannot be used with 'check'
                 leave it out
                 try 'footbridge store --help'
          """))
  }

  @Test func `a store created by this release needs no migration`() async throws {
    #expect(
      await walk.run("store", "migrate")
        == Outcome(
          status: 0,
          output: "\(walk.store) already has the version of this release, 2: nothing to do.\n"))
    #expect(
      await walk.run("store", "migrate", "--json").output
        == #"{"before":2,"now":2,"copy":null,"bytes":null}"# + "\n")
    let migration = StoreMigration(
      before: 1, now: 2, copy: StoreMigration.Copy(path: "/s.version-1", bytes: 71_000))
    let outcome = StoreText.outcome(of: migration, "/s")
    #expect(
      outcome.lines == [
        "/s: version 1 before, 2 now. The old store is at /s.version-1, 71.0 kB."
      ])
    #expect(outcome.json.text == #"{"before":1,"now":2,"copy":"/s.version-1","bytes":71000}"#)
  }

  @Test func `a store that is truncated or has lost its first page is repaired`() async throws {
    let whole = try Data(contentsOf: URL(filePath: walk.store))
    let kept = walk.store + ".damaged"
    try whole.dropLast(4_096).write(to: URL(filePath: walk.store))
    #expect(
      await walk.run("sessions").errors.hasSuffix(
        "\n       set damaged parts aside with: footbridge store repair --store \(walk.store)\n"))
    let repaired = await walk.run("store", "repair")
    #expect(repaired.status == 5, "\(repaired.errors)")
    #expect(repaired.output.hasPrefix("The file was damaged or truncated. Saved to a new file: "))
    #expect(repaired.output.hasSuffix("The damaged file is kept as \(kept).\n"))
    #expect(await walk.run("store", "check").status == 0)
    #expect(try Data(contentsOf: URL(filePath: kept)) == whole.dropLast(4_096))

    try FileManager.default.removeItem(atPath: kept)
    try (Data(count: 512) + whole.dropFirst(512)).write(to: URL(filePath: walk.store))
    #expect(
      await walk.run("store", "repair")
        == Outcome(
          status: 5,
          output: """
            The file was damaged or truncated. Saved to a new file: 1 session, 3 chunks.
            Found only by searching the whole file: 3 chunks.
            Only the chunks of 1 session were found: notes, hazards and events are lost.
              session \(RecordedWalk.walk.id): an unknown number of further samples is lost
            More sessions may be lost: their table could not be read completely.
            These tables could not be read completely: session, board, stream, fix, clock, \
            known_board, hazard, annotation, event, destination, upload, session_upload, damaged, \
            absent, statistics, steps, setting.
            The damaged file is kept as \(kept).

            """))
    let shown = await walk.run("sessions")
    #expect(shown.output.contains("  3,000  15 or more  recovered  "), "\(shown.output)")
    #expect(shown.status == 5)
    let listed = await walk.run("sessions", "--json")
    #expect(listed.output.contains(#""lost":null,"#))
    #expect(listed.output.contains(#""lostAtLeast":15"#))
    let told = await walk.run("show", "last")
    #expect(
      told.output.contains(
        "\n  an unknown number of further samples is lost: the store was damaged\n"))
    #expect(told.status == 5)
    let exported = await walk.run("export", "last", "--format", "json")
    #expect(exported.output.contains(#""hasUnknownLosses":true"#))
    #expect(exported.status == 5)
  }

  @Test func `'store compact' reports the store's new size`() async {
    _ = await walk.run("delete", "last", "--yes")
    let outcome = await walk.run("store", "compact")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.output.hasPrefix("\(walk.store): "))
    #expect(outcome.output.hasSuffix(" kB now.\n"))
  }

  @Test func `the limits on disk usage are shown and changed`() async {
    let shown = await walk.run("store", "space")
    #expect(
      shown.output.contains(
        "\nquota      none\nfloor      268.4 MB\nwhen full  stop\nkeep sent  while there is space\n"
      )
    )
    #expect(shown.output.hasPrefix("space      "))
    let changed = await walk.run(
      "store", "space", "--quota", "4000", "--floor=0", "--when-full", "drop-uploaded")
    #expect(
      changed.output.contains("\nquota      4.0 GB\nfloor      0 B\nwhen full  drop-uploaded\n"))
    #expect(changed.output.hasPrefix("space      ok\n"))
    let full = await walk.run("store", "space", "--quota", "0.001", "--json")
    #expect(full.output.hasPrefix(#"{"space":"full","used":"#))
    #expect(
      full.output.hasSuffix(
        #""quota":1000,"floor":0,"whenFull":"drop-uploaded","keepSentDays":null}"# + "\n"))
    let free = await walk.run("store", "space", "--quota", "0", "--json")
    #expect(free.output.contains(#""quota":null,"floor":0"#))
    let kept = await walk.run("store", "space", "--keep-sent", "7.5")
    #expect(kept.output.hasSuffix("\nkeep sent  7.5 days\n"))
    let days = await walk.run("store", "space", "--json")
    #expect(days.output.hasSuffix(#""keepSentDays":7.5}"# + "\n"))
    let forever = await walk.run("store", "space", "--keep-sent=0")
    #expect(forever.output.hasSuffix("\nkeep sent  while there is space\n"))
  }

  @Test func `missing, invalid or conflicting arguments are rejected, and so is a missing store`()
    async
  {
    #expect(
      await walk.run("store", "backup")
        == .misunderstood(
          """
          error: 'FILE' is missing
                 use 'footbridge store backup FILE'
                 try 'footbridge store --help'
          """))
    #expect(
      await walk.run("store", "check", "x")
        == .misunderstood(
          """
          error: unexpected argument 'x'
                 leave it out
                 try 'footbridge store --help'
          """))
    #expect(
      await walk.run("store", "check", "--floor", "3")
        == .misunderstood(
          """
          error: '--quota', '--floor', '--when-full' and '--keep-sent' cannot be used with 'check'
                 use them with 'footbridge store space'
                 try 'footbridge store --help'
          """))
    #expect(
      await Outcome.of("store", "space", "--when-full", "panic")
        == .misunderstood(
          """
          error: '--when-full' cannot be 'panic'
                 choose one of stop, drop-uploaded, drop-oldest
                 try 'footbridge store --help'
          """))
    #expect(
      await Outcome.of(
        ["store", "check"], environment: ["FOOTBRIDGE_STORE": "/nowhere/s"], commands: Commands.all)
        == Outcome(
          status: 1,
          errors: """
            error: there is no store at /nowhere/s
                   specify another store with --store FILE, or record into this one

            """))
  }

  @Test
  func `a store with a running recording cannot be repaired or compacted, but can be checked`()
    async throws
  {
    let store = try Store.open(path: walk.store)
    for action in ["repair", "compact"] {
      #expect(
        await walk.run("store", action)
          == Outcome(
            status: 1,
            errors: """
              error: cannot change \(walk.store): process \(getpid()) is recording into it
                     wait for the other program, or give another store

              """))
    }
    #expect(await walk.run("store", "check").status == 0)
    try store.close()
  }
}
