import ChunkFormat
import Export
@testable import Upload
import Foundation
import HTTPClient
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

@Suite(.realTime, .enabled(if: Emulator.isInstalled, Emulator.absence))
struct EmulatorTests {
  private let project = Emulator.project()
  private let gateway = "0D9C5F5B-2A51-4B0B-9C40-6D2A0E8B7F11"

  private func place(_ layout: DestinationSettings.FirestoreLayout) -> FirestorePlace {
    FirestorePlace(project: project, layout: layout, gateway: gateway)
  }

  private func access(_ emulator: Emulator) -> FirestoreAccess {
    FirestoreAccount(
      place(.compact), .none, over: emulator.client, environment: emulator.environment
    ).access
  }

  @Test(
    .enabled(if: Emulator.hasPython, Emulator.pythonAbsence),
    arguments: [DestinationSettings.FirestoreLayout.researchers, .researchersPerUser])
  func `Firestore's own client can read the researchers' layout, and the requests are valid`(
    _ layout: DestinationSettings.FirestoreLayout
  ) async throws {
    let emulator = try await Emulator.running()
    let keeper = BodyKeeper(emulator.client)
    let session = MadeSession()
    let destination = FirestoreDestination(
      place(layout), credentials: .none, over: keeper, environment: emulator.environment)
    #expect(destination.traits.needsDatedSession)
    let verdicts = await session.send(to: destination)
    #expect(verdicts == verdicts.map { _ in .stored })
    for board in [MadeSession.left, MadeSession.right] {
      let ids = session.gyroscopeChunks(of: board).map { $0.id.description.uppercased() }
      let root = layout == .researchersPerUser ? "users/\(gateway)/" : ""
      let read = try await run(
        Emulator.python, [Emulator.script("read_back.py"), project, root, "16.4"] + ids,
        input: try csv(session, board), environment: emulator.environment)
      #expect(read == "4500\n")
    }
    // The requests are valid messages according to the service's definition.
    let count = try await run(
      Emulator.python, [Emulator.script("check_bodies.py")], input: keeper.lines)
    #expect(count == "\(keeper.bodies)\n")
    #expect(keeper.bodies > 10)
  }

  @Test(arguments: [DestinationSettings.FirestoreLayout.researchers, .researchersPerUser])
  func `records contain the fields that the researchers' programs expect`(
    _ layout: DestinationSettings.FirestoreLayout
  ) async throws {
    let emulator = try await Emulator.running()
    let session = MadeSession()
    let destination = FirestoreDestination(
      place(layout), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    _ = await session.send(to: destination)
    // The session ends 90 seconds after 2026-05-04T09:30:00Z.
    for (board, suffix) in [(MadeSession.left, ""), (MadeSession.right, "-2")] {
      let path =
        layout == .researchersPerUser
        ? ["users", gateway, "records", "20260504-093130" + suffix]
        : ["records", "\(gateway)___20260504093130\(suffix)"]
      let fields = try await access(emulator).read(path, fields: []).fields
      #expect(fields["user_id"] == .string(gateway))
      #expect(fields["timestamp"] == .double(1_777_887_090))
      #expect(fields["start_time"] == .double(1_777_887_000))
      #expect(fields["sensor_id"] == .string("\(board.address)"))
      #expect(fields["image_id"] == .string(""))
      #expect(fields["point_count"] == .integer(4_500))
      let ids = session.gyroscopeChunks(of: board).map { $0.id.description.uppercased() }
      #expect(fields["gscope_data"] == .array(ids.map { .string($0) }))
      let others = session.chunks.filter {
        $0.board == board.address && $0.signal == "acceleration"
      }
      #expect(
        fields["other_chunks"]
          == .array(
            others.map { .string($0.id.description.uppercased()) }))
      #expect(
        fields["hazards"]?.map == [
          FirestoreField("Change in Floor Levels", .integer(0)),
          FirestoreField("Debris or Obstacles", .integer(0)), FirestoreField("Ice", .integer(3)),
          FirestoreField("Poor Lighting", .integer(2)), FirestoreField("Slippery", .integer(0)),
          FirestoreField("Slope", .integer(0)), FirestoreField("Uneven Surface", .integer(0)),
        ])
      // The first fix has no altitude, so the field is omitted instead of being zero.
      #expect(
        fields["start_loc"]?.map == [
          FirestoreField("latitude", .double(48.2)), FirestoreField("longitude", .double(16.37)),
        ])
    }
    let hike = try await access(emulator).read(
      ["Users", gateway, "Hikes", session.made.session.id.description.uppercased()], fields: [])
    #expect(
      hike.fields == [
        FirestoreField("date", .timestamp(UTCTime(nanoseconds: MadeSession.utc))),
        FirestoreField("distance", .double(123.5)),
        FirestoreField("negativeAltitudeChange", .double(-6.5)),
        FirestoreField("netAltitudeChange", .double(-2.5)),
        FirestoreField("positiveAltitudeChange", .double(4)),
        FirestoreField("steps", .integer(141)), FirestoreField("time", .double(90)),
      ])
  }

  @Test(arguments: [DestinationSettings.FirestoreLayout.researchers, .researchersPerUser])
  func `a fetched record contains the same times, values and positions as the export`(
    _ layout: DestinationSettings.FirestoreLayout
  ) async throws {
    let emulator = try await Emulator.running()
    let session = MadeSession(sizes: [2_000, 1, 1_999, 700])
    _ = await session.send(
      to: FirestoreDestination(
        place(layout), credentials: .none, over: emulator.client,
        environment: emulator.environment))
    let library = FirestoreLibrary(
      place(layout), credentials: .none, over: emulator.client, environment: emulator.environment)
    let entries = try await library.entries()
    #expect(
      entries.map(\.boards) == [["\(MadeSession.left.address)"], ["\(MadeSession.right.address)"]])
    #expect(entries.map(\.chunks) == [4, 4])
    #expect(entries.map(\.samples) == [4_700, 4_700])
    for (entry, board) in zip(entries, [MadeSession.left, MadeSession.right]) {
      var table = WrittenTable()
      var calls = 0
      let missing = try await library.samples(of: entry) { samples, done, count in
        table.append(samples)
        calls += 1
        #expect((done, count) == (calls, 4))
      }
      #expect(missing.isEmpty)
      let wanted = try Self.columns(try csv(session, board))
      #expect(String(decoding: table.take(), as: UTF8.self) == wanted)
    }
  }

  @Test func `a session fetched in the compact layout has the same export, byte for byte`()
    async throws
  {
    let emulator = try await Emulator.running()
    let session = MadeSession(fixes: 5_000)
    let keeper = BodyKeeper(emulator.client)
    let destination = FirestoreDestination(
      place(.compact), credentials: .none, over: keeper, environment: emulator.environment)
    #expect(!destination.traits.needsDatedSession)
    let verdicts = await session.send(to: destination)
    #expect(verdicts == verdicts.map { _ in .stored })
    let library = FirestoreLibrary(
      place(.compact), credentials: .none, over: keeper, environment: emulator.environment)
    let entry = try #require(try await library.entries().first)
    #expect(entry.chunks == 9)
    #expect(entry.samples == 13_500)
    let fetched = try await library.session(of: entry)
    #expect(fetched.missingChunks.isEmpty && fetched.missingFixes.isEmpty)
    #expect(fetched.record == session.made)
    // A description lists the file names, so both exports must use the same names.
    let (here, there) = (try TemporaryFolder(), try TemporaryFolder())
    for format in ExportFormat.allCases where format.suitsEverySession {
      let name = "walk.\(format)"
      let before = try SessionFiles().write(
        session.source, as: format, to: "\(here.path)/\(name)")
      let after = try SessionFiles().write(fetched, as: format, to: "\(there.path)/\(name)")
      #expect(before.paths.count == after.paths.count)
      for (one, other) in zip(before.paths, after.paths) {
        #expect(
          try Data(contentsOf: URL(filePath: one)) == Data(contentsOf: URL(filePath: other)),
          "\(one)")
      }
    }
    if Emulator.hasPython {
      let count = try await run(
        Emulator.python, [Emulator.script("check_bodies.py")], input: keeper.lines)
      #expect(count == "\(keeper.bodies)\n")
    } else {
      print("\(Emulator.pythonAbsence)")
    }
  }

  @Test(arguments: DestinationSettings.FirestoreLayout.allCases)
  func `a session sent twice is stored once`(_ layout: DestinationSettings.FirestoreLayout)
    async throws
  {
    let emulator = try await Emulator.running()
    let session = MadeSession(sizes: [200, 30])
    for _ in 0..<2 {
      let destination = FirestoreDestination(
        place(layout), credentials: .none, over: emulator.client,
        environment: emulator.environment)
      let verdicts = await session.send(to: destination)
      #expect(verdicts == verdicts.map { _ in .stored })
    }
    let library = FirestoreLibrary(
      place(layout), credentials: .none, over: emulator.client, environment: emulator.environment)
    #expect(try await library.entries().count == (layout == .compact ? 1 : 2))
  }

  @Test(arguments: DestinationSettings.FirestoreLayout.allCases)
  func `if a different chunk has the id of a stored one, the error shows both checksums`(
    _ layout: DestinationSettings.FirestoreLayout
  ) async throws {
    let emulator = try await Emulator.running()
    let session = MadeSession(sizes: [20])
    let destination = FirestoreDestination(
      place(layout), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    let first = await destination.store([session.chunks[0]], of: session)
    #expect(first == [.stored])
    var decoded = try Self.decode(session.chunks[0])
    decoded.columns[0][3] ^= 1
    var other = session.chunks[0]
    other.bytes = decoded.encoded()
    let second = await destination.store([other], of: session)
    #expect(
      second == [
        .refused(
          "a chunk with this id already exists with different content: its checksum is "
            + ChunkDocument.checksum(session.chunks[0].bytes) + " and not "
            + ChunkDocument.checksum(other.bytes))
      ])
  }

  @Test func `a chunk that already exists does not block other chunks`() async throws {
    let emulator = try await Emulator.running()
    let session = MadeSession(sizes: [20, 20])
    let destination = FirestoreDestination(
      place(.compact), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    let first = await destination.store([session.chunks[2]], of: session)
    #expect(first == [.stored])
    let all = await destination.store(session.chunks, of: session)
    #expect(all == session.chunks.map { _ in .stored })
  }

  @Test
  func `updating a session's hazards keeps another user's edits and the record's other fields`()
    async throws
  {
    let emulator = try await Emulator.running()
    var session = MadeSession(sizes: [20])
    let destination = FirestoreDestination(
      place(.researchers), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    _ = await session.send(to: destination)
    let library = FirestoreLibrary(
      place(.researchers), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    let before = try await library.entries()[0].document
    // In the meantime, another user has added a field and a hazard.
    try await access(emulator).commit([
      FirestoreWrite(
        .update(
          FirestoreDocument(
            path: before.path,
            fields: [
              FirestoreField("image_id", .string("photo")),
              FirestoreField("hazards", .map([FirestoreField("Dogs", .integer(1))])),
              FirestoreField("checked", .bool(true)),
            ]), paths: ["hazards.Dogs", "checked"]))
    ])
    session.made.hazards = [
      Hazard(name: "Slope", intensity: 3, time: MadeSession.start)
    ]
    let verdict = await destination.finish(session)
    #expect(verdict == .stored)
    let after = try await library.entries()[0].document
    #expect(after.path == before.path)
    let hazards = try #require(after.fields["hazards"]?.map)
    #expect(hazards["Dogs"] == .integer(1))
    #expect(hazards["Slope"] == .integer(3))
    #expect(hazards["Poor Lighting"] == .integer(0))
    #expect(after.fields["checked"] == .bool(true))
    for name in ["gscope_data", "timestamp", "other_chunks", "start_loc"] {
      #expect(after.fields[name] == before.fields[name])
    }
  }

  @Test
  func `a report changes a record's time, and each of its answers is a value, null or missing`()
    async throws
  {
    let emulator = try await Emulator.running()
    var session = MadeSession(sizes: [20])
    let destination = FirestoreDestination(
      place(.researchers), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    _ = await session.send(to: destination)
    let library = FirestoreLibrary(
      place(.researchers), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    let before = try await library.entries()[0].document
    #expect(before.fields["reports"] == nil)
    let submitted = UTCTime(nanoseconds: MadeSession.utc + 7_200_000_000_000)
    let report = WalkReport(
      hazards: .none, answers: ["mood": .text("good"), "pain": .number(3), "note": nil],
      utc: submitted)
    session.made.events.append(report.event(at: session.made.session.end ?? MadeSession.start))
    let verdict = await destination.finish(session)
    #expect(verdict == .stored)
    let after = try await library.entries()[0].document
    #expect(after.path == before.path)
    #expect(after.fields["timestamp"] == .double(ResearchersRecord.seconds(submitted)))
    let stored = try #require(after.fields["reports"]?.array?.first?.map)
    #expect(stored["hazards"] == .string("none"))
    #expect(stored["submitted"] == .double(ResearchersRecord.seconds(submitted)))
    let answers = try #require(stored["answers"]?.map)
    #expect(answers["mood"] == .string("good") && answers["pain"] == .double(3))
    #expect(answers["note"] == .null && answers["sleep"] == nil)
  }

  @Test(.enabled(if: Emulator.hasPython, Emulator.pythonAbsence))
  func `Firestore's own client distinguishes unanswered questions from those never asked`()
    async throws
  {
    let emulator = try await Emulator.running()
    let reports = [
      WalkReport(hazards: .none, answers: ["mood": .text("good"), "pain": nil]),
      WalkReport(hazards: .unanswered, answers: ["pain": .number(3)]),
      WalkReport(hazards: .reported, answers: [:]), nil,
    ]
    for report in reports {
      var session = MadeSession(sizes: [20])
      let end = session.made.session.end ?? MadeSession.start
      if let report { session.made.events.append(report.event(at: end)) }
      let destination = FirestoreDestination(
        place(.researchers), credentials: .none, over: emulator.client,
        environment: emulator.environment)
      let verdicts = await session.send(to: destination)
      #expect(verdicts.allSatisfy { $0 == .stored })
    }
    let read = try await run(
      Emulator.python, [Emulator.script("read_reports.py"), project, "records"], input: [],
      environment: emulator.environment)
    let lines = Set(read.split(separator: "\n").map(String.init))
    #expect(
      lines == [
        "none: mood='good', pain=None", "unanswered: pain=3.0", "reported: ", "no report",
      ], "\(read)")
  }

  @Test
  func `after a change, a compact session contains its latest state and no obsolete pieces`()
    async throws
  {
    let emulator = try await Emulator.running()
    var session = MadeSession(sizes: [20])
    let destination = FirestoreDestination(
      place(.compact), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    _ = await session.send(to: destination)
    session.made.annotations.append(
      Annotation(time: MadeSession.start.advanced(bySeconds: 11), text: "later"))
    let verdict = await destination.finish(session)
    #expect(verdict == .stored)
    let library = FirestoreLibrary(
      place(.compact), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    let entry = try #require(try await library.entries().first)
    #expect(try await library.session(of: entry).record == session.made)
    let pieces = try await access(emulator).query(
      FirestoreQuery(parent: entry.document.path, collection: "record"))
    #expect(pieces.count == 1)
  }

  @Test func `sessions of the same user that end within the same second get different names`()
    async throws
  {
    let emulator = try await Emulator.running()
    let destination = FirestoreDestination(
      place(.researchers), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    let sessions = [MadeSession(sizes: [20]), MadeSession(sizes: [20])]
    for session in sessions + sessions {
      let verdicts = await session.send(to: destination)
      #expect(verdicts == verdicts.map { _ in .stored })
    }
    let library = FirestoreLibrary(
      place(.researchers), credentials: .none, over: emulator.client,
      environment: emulator.environment)
    let stem = "\(gateway)___20260504093000"
    #expect(
      try await library.entries().map(\.name).sorted() == [
        stem, stem + "-2", stem + "-3", stem + "-4",
      ])
  }

  @Test(arguments: [DestinationSettings.FirestoreLayout.researchers, .compact])
  func `a missing chunk is reported with its id and position, and the other chunks are read`(
    _ layout: DestinationSettings.FirestoreLayout
  ) async throws {
    let emulator = try await Emulator.running()
    let session = MadeSession(sizes: [20, 21, 22])
    _ = await session.send(
      to: FirestoreDestination(
        place(layout), credentials: .none, over: emulator.client,
        environment: emulator.environment))
    let chunk = session.chunks[1]
    let id = chunk.id.description.uppercased()
    let path = [layout == .compact ? "chunks" : "realtime_data", id]
    try await access(emulator).commit([FirestoreWrite(.delete(path: path))])
    let library = FirestoreLibrary(
      place(layout), credentials: .none, over: emulator.client, environment: emulator.environment)
    let entry = try #require(try await library.entries().first)
    let missing: [FirestoreLibrary.MissingChunk]
    if layout == .compact {
      let fetched = try await library.session(of: entry)
      missing = fetched.missingChunks
      var sink = NoSink()
      let totals = try CSVExport().write(fetched, to: &sink)
      #expect(totals.rows == 63 * 3 - 21)
      #expect(totals.missingChunks == 1)
    } else {
      var count = 0
      missing = try await library.samples(of: entry) { samples, _, _ in count += samples.count }
      #expect(count == 42)
    }
    #expect(missing.map(\.id) == [id])
    #expect(missing.map(\.position) == [1])
  }

  @Test func `only a track's missing and damaged pieces are lost, and the loss is reported`()
    async throws
  {
    let emulator = try await Emulator.running()
    let session = MadeSession(sizes: [20], fixes: 12_000)
    let count = session.track.count
    try #require(count > 8_000 && count < 10_000)
    _ = await session.send(
      to: FirestoreDestination(
        place(.compact), credentials: .none, over: emulator.client,
        environment: emulator.environment))
    let library = FirestoreLibrary(
      place(.compact), credentials: .none, over: emulator.client, environment: emulator.environment)
    let entry = try #require(try await library.entries().first)
    let head = entry.document.path
    let damaged = FirestoreDocument(
      path: CompactUpload.track(6_000, in: head),
      fields: [FirestoreField("content", .bytes([1, 2, 3]))])
    try await access(emulator).commit([
      FirestoreWrite(.delete(path: CompactUpload.track(2_000, in: head))),
      FirestoreWrite(.update(damaged, paths: ["content"])),
    ])
    let fetched = try await library.session(of: entry)
    #expect(fetched.missingFixes.map(\.first) == [2_000, 6_000])
    #expect(fetched.missingFixes.map(\.count) == [2_000, 2_000])
    #expect(
      fetched.missingFixes.map(\.reason) == ["not found", "its document is damaged"])
    let kept = [0..<2_000, 4_000..<6_000, 8_000..<count].flatMap { session.track[$0] }
    #expect(fetched.track == kept && fetched.missingChunks.isEmpty)
  }

  @Test func `after lost responses, a chunk that is sent again is reported as stored`() async throws
  {
    let emulator = try await Emulator.running()
    let session = MadeSession(sizes: [50])
    var options = FaultServer.Options()
    options.upstream = "http://\(emulator.host)"
    let faults = try await FaultServer.start(
      [.effect("lost").on("POST", path: ":commit", times: 2)], options)
    let host = "127.0.0.1:\(faults.port)"
    for layout in [DestinationSettings.FirestoreLayout.researchers] {
      let destination = FirestoreDestination(
        place(layout), credentials: .none, over: emulator.client,
        environment: ["FIRESTORE_EMULATOR_HOST": host])
      var verdicts: [[Verdict]] = []
      for _ in 0..<3 {
        verdicts.append(await destination.store([session.chunks[0]], of: session))
      }
      for verdict in verdicts.prefix(2).joined() {
        guard case .failed(let setback) = verdict else {
          Issue.record("\(verdict)")
          continue
        }
        #expect(setback.kind == .unavailable)
      }
      #expect(verdicts[2] == [.stored])
    }
  }

  // MARK: Other programs

  /// Returns a board's exported gyroscope table.
  private func csv(_ session: MadeSession, _ board: BoardIdentity) throws -> [UInt8] {
    var sink = BytesSink()
    _ = try CSVExport(
      selection: ExportSelection(boards: [board.address], signals: ["angular_velocity"])
    ).write(session.source, to: &sink)
    return sink.bytes
  }

  /// Returns only those columns of an exported table that the researchers' table also contains.
  private static func columns(_ bytes: [UInt8]) throws -> String {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    let names = lines[0].split(separator: ",", omittingEmptySubsequences: false)
    let chosen = try WrittenTable.header.split(separator: ",").map {
      try #require(names.firstIndex(of: $0))
    }
    return lines.map { line in
      let fields = line.split(separator: ",", omittingEmptySubsequences: false)
      return chosen.map { fields[$0] }.joined(separator: ",") + "\n"
    }.joined()
  }

  private static func decode(_ chunk: OutgoingChunk) throws -> Chunk {
    try Chunk(decoding: chunk.bytes.span)
  }

  private func run(
    _ program: String, _ arguments: [String], input: [UInt8], environment: [String: String] = [:]
  ) async throws -> String {
    let folder = try TemporaryFolder()
    try Data(input).write(to: URL(filePath: "\(folder.path)/input"))
    // The program is started through a shell, which opens the input file for it.
    let outcome = try await Program.run(
      "/bin/sh", ["-c", "exec \"$0\" \"$@\" < \(folder.path)/input", program] + arguments,
      environment: environment)
    try #require(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }
}

/// A byte sink that stores all bytes.
struct BytesSink: ByteSink {
  var bytes: [UInt8] = []

  mutating func write(_ more: Span<UInt8>) throws {
    for index in more.indices { bytes.append(more[index]) }
  }
}
