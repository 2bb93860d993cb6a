import SessionFolder
import ChunkFormat
import Export
import Foundation
import UploadProtocol
import LinuxSystem
import Recording
import TestSupport
import Testing
import Values

@Suite(.realTime) struct SessionFolderTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/archive" }

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/archive", withIntermediateDirectories: true)
  }

  static let session = Session(
    id: UniqueID(high: 1, low: 2), bootID: UniqueID(high: 3, low: 4),
    start: BootTime(nanoseconds: 5_000_000_000), end: BootTime(nanoseconds: 90_000_000_000),
    note: "Fahrt über die Brücke", gateway: "pi")
  static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")
  static let stream = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 100, lossAccounting: .counted)

  static func chunk(_ sequence: UInt32, id: UniqueID = .random()) -> Chunk {
    let first = session.start.advanced(bySeconds: Double(sequence))
    return Chunk(
      id: id, session: session.id, bootID: session.bootID, board: board, stream: stream,
      sequence: sequence, clock: Chunk.Clock(first: first, period: 1e7),
      counters: (0..<100).map { UInt32($0) + sequence * 100 },
      arrivals: (0..<100).map { first.advanced(bySeconds: Double($0) / 100) },
      columns: (0..<3).map { axis in
        (0..<100).map { Int32(sequence) * 1_000 + Int32($0 * (axis + 1)) }
      }, gaps: [], fixes: [])
  }

  static func part(_ chunk: Chunk) -> ChunkBatch.Part {
    ChunkBatch.Part(id: chunk.id, bytes: chunk.encoded())
  }

  static func record(of chunks: [Chunk], fixCount: Int = 0) -> SessionRecord {
    SessionRecord(
      session: session, boards: [board], placements: [board.address: "left ankle"],
      streams: [
        SessionRecord.Stream(
          board: board.address, description: stream,
          chunks: chunks.map {
            SessionRecord.ChunkEntry(
              id: $0.id, sequence: $0.sequence, sampleCount: $0.count, lostCount: 0,
              first: $0.clock.first)
          })
      ], fixCount: fixCount,
      clock: [
        ClockTable.Entry(
          boot: session.start, utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000),
          source: .satellites)
      ])
  }

  static func fixes(_ count: Int) -> [Fix] {
    (0..<count).map { number in
      Fix(
        arrival: session.start.advanced(bySeconds: Double(number)),
        utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000 + Int64(number) * 1_000_000_000),
        latitude: 50 + Double(number) / 7e5, longitude: 14)
    }
  }

  /// Returns all files below the folder, by relative path.
  private func files() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: path).filter { name in
      name.hasSuffix(".chunk") || name.hasSuffix(".json") || name.hasSuffix(".part")
    }.sorted()
  }

  @Test(arguments: [0o700, 0o2770, 0o755])
  func `files and folders in a session folder get the permissions of its root folder`(_ rights: Int)
    throws
  {
    unsafe chmod(path, mode_t(rights))
    var writer = try FolderWriter(folder: path)
    _ = try writer.store([Self.part(Self.chunk(0))])
    _ = try writer.store(Self.record(of: []))
    for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
      var status = stat()
      try #require(unsafe stat(path + "/" + name, &status) == 0)
      let isFolder = status.st_mode & S_IFMT == S_IFDIR
      let expected = mode_t(isFolder ? rights : rights & 0o666)
      #expect(status.st_mode & 0o7777 == expected, "\(name)")
    }
  }

  @Test func `a session is stored in the documented layout and can be read back`() throws {
    let chunks = (0..<3).map { Self.chunk($0, id: UniqueID(high: 0xab << 56, low: UInt64($0))) }
    let record = Self.record(of: chunks, fixCount: 2_001)
    let fixes = Self.fixes(2_001)
    var writer = try FolderWriter(folder: path + "/")
    try #require(try writer.store(chunks.map(Self.part)) == [.stored, .stored, .stored])
    for first in [2_000, 0] {
      let piece = TrackPiece(
        session: Self.session.id, first: first, fixes: Array(fixes.dropFirst(first).prefix(2_000)))
      #expect(try writer.store(piece) == .stored)
      #expect(try writer.store(piece) == .held)
    }
    #expect(try writer.store(record) == .stored)
    #expect(try writer.store(record) == .held)
    let folderName = "sessions/00000000-0000-0001-0000-000000000002"
    #expect(
      try files() == [
        "chunks/ab/ab000000-0000-0000-0000-000000000000.chunk",
        "chunks/ab/ab000000-0000-0000-0000-000000000001.chunk",
        "chunks/ab/ab000000-0000-0000-0000-000000000002.chunk", "\(folderName)/record.json",
        "\(folderName)/track/0.json", "\(folderName)/track/2000.json",
      ])
    let reader = try FolderReader(folder: path)
    #expect(try reader.sessionIDs() == [Self.session.id])
    #expect(try reader.sessions() == [Self.session])
    #expect(try reader.record(of: Self.session.id) == record)
    #expect(try reader.bytes(ofChunk: chunks[1].id) == chunks[1].encoded())
    #expect(try reader.track(of: Self.session.id, from: 2_000)?.fixes == [fixes[2_000]])
    let session = try #require(try FolderSession(Self.session.id, in: path))
    #expect(session.missingChunks == [])
    #expect(session.missingFixes == 0)
    for (first, limit) in [(0, 2_001), (0, 5_000), (1_990, 20), (2_000, 1), (2_001, 1), (0, 1)] {
      #expect(
        try session.fixes(from: first, limit: limit)
          == Array(fixes.dropFirst(first).prefix(limit)), "\(first), \(limit)")
    }
    #expect(session.sequence(ofStream: 0, before: Self.session.start) == nil)
    #expect(session.sequence(ofStream: 0, before: Self.session.start.advanced(bySeconds: 3.2)) == 1)
    let source = try #require(session.streams().first)
    #expect(source.sampleCount == 300)
    #expect(source.lastSequence == 2)
    #expect(source.board == Self.board)
  }

  @Test
  func `a chunk is reported as held if its bytes are already stored, and rejected if they differ`()
    throws
  {
    let chunk = Self.chunk(0)
    var other = chunk
    other.columns[0][0] += 1
    var writer = try FolderWriter(folder: path)
    #expect(
      try writer.store([Self.part(chunk), Self.part(chunk), Self.part(other)])
        == [.stored, .held, .otherContent])
    // Another writer, for example after a restart or on another computer.
    var second = try FolderWriter(folder: path)
    #expect(
      try second.store([Self.part(other), Self.part(chunk)]) == [.otherContent, .held])
    #expect(try FolderReader(folder: path).bytes(ofChunk: chunk.id) == chunk.encoded())
    #expect(try second.store([ChunkBatch.Part]()) == [])
  }

  @Test(arguments: [IntakeVerdict.held, .otherContent, .replaced])
  func `two receivers that share a folder never confirm different bytes for the same chunk id`(
    _ verdict: IntakeVerdict
  ) throws {
    let chunk = Self.chunk(0)
    var other = chunk
    other.columns[0][0] += 1
    let rival =
      switch verdict {
      case .held: chunk.encoded()
      case .otherContent: other.encoded()
      default: Array(chunk.encoded().dropLast(9))
      }
    let file = "\(path)/chunks/\("\(chunk.id)".prefix(2))/\(chunk.id).chunk"
    var writer = try FolderWriter(folder: path)
    Computer.simulate(
      WatchedComputer { operation in
        // The other writer stores the file after this writer has checked for it but before it
        // renames its own.
        if case .sync = operation, !FileManager.default.fileExists(atPath: file) {
          try? Data(rival).write(to: URL(filePath: file))
        }
        return nil
      })
    defer { Computer.simulate(nil) }
    #expect(try writer.store([Self.part(chunk), Self.part(chunk)]).first == verdict)
    let kept = try FolderReader(folder: path).bytes(ofChunk: chunk.id)
    #expect(kept == (verdict == .otherContent ? other : chunk).encoded())
    #expect(try files().count == 1)
  }

  @Test
  func `a receiver does not replace a longer track piece that another receiver has confirmed`()
    throws
  {
    @Sendable func piece(_ count: Int) -> TrackPiece {
      TrackPiece(session: Self.session.id, first: 0, fixes: Self.fixes(count))
    }
    let confirmed = try meanwhile("sessions/\(Self.session.id)/track") { writer in
      try writer.store(piece(9))
    } during: { writer in
      try writer.store(piece(3))
    }
    #expect(confirmed == [.stored])
    let held = try FolderReader(folder: path).track(of: Self.session.id, from: 0)
    #expect(held == piece(3))
  }

  @Test
  func `two receivers never confirm records from different gateways for the same session`() throws {
    let record = Self.record(of: [])
    var stranger = record
    stranger.session.gateway = "zero"
    let confirmed = try meanwhile("sessions/\(Self.session.id)") { [stranger] writer in
      try writer.store(stranger)
    } during: { writer in
      try writer.store(record)
    }
    #expect(confirmed == [.stored])
    #expect(try FolderReader(folder: path).record(of: Self.session.id) == record)
  }

  /// Runs `act` with a second writer after the first has checked for the file but before it renames
  /// its own, unless a lock prevents this. Returns the results.
  private func meanwhile(
    _ part: String, _ act: @escaping @Sendable (inout FolderWriter) throws -> IntakeVerdict,
    during first: (inout FolderWriter) throws -> IntakeVerdict
  ) throws -> [IntakeVerdict] {
    let verdicts = Guarded<[IntakeVerdict]>([])
    let isAsked = Guarded(false)
    Computer.simulate(
      WatchedComputer { [path] operation in
        guard case .sync = operation else { return nil }
        let wasAsked = isAsked.withLock { asked in
          defer { asked = true }
          return asked
        }
        guard !wasAsked else { return nil }
        do {
          _ = try FolderLock("\(path)/\(part)", waitingAtMost: 0)
        } catch {
          return nil
        }
        if var writer = try? FolderWriter(folder: path), let verdict = try? act(&writer) {
          verdicts.withLock { $0.append(verdict) }
        }
        return nil
      })
    defer { Computer.simulate(nil) }
    var writer = try FolderWriter(folder: path)
    let verdict = try first(&writer)
    return verdicts.withLock { $0 } + [verdict]
  }

  @Test
  func `another gateway's record is rejected, but the same gateway's record replaces the old one`()
    throws
  {
    var record = Self.record(of: [])
    var writer = try FolderWriter(folder: path)
    #expect(try writer.store(record) == .stored)
    record.annotations = [Annotation(time: Self.session.start, text: "bridge")]
    #expect(try writer.store(record) == .replaced)
    var stranger = record
    stranger.session.gateway = "zero"
    #expect(
      try writer.store(stranger)
        == .refused("session \(Self.session.id) came from the gateway 'pi', not 'zero'"))
    stranger = record
    stranger.session.bootID = UniqueID(high: 7, low: 7)
    guard case .refused = try writer.store(stranger) else {
      Issue.record("accepted")
      return
    }
    #expect(try FolderReader(folder: path).record(of: Self.session.id) == record)
  }

  @Test func `a file damaged by its storage medium is written again`() throws {
    let chunk = Self.chunk(0)
    let record = Self.record(of: [chunk])
    var writer = try FolderWriter(folder: path)
    _ = try writer.store([Self.part(chunk)])
    _ = try writer.store(record)
    for name in try files() {
      let file = try FileHandle(forUpdating: URL(fileURLWithPath: path + "/" + name))
      try file.seek(toOffset: 20)
      try file.write(contentsOf: Data([0xff, 0xfe]))
      try file.close()
    }
    let reader = try FolderReader(folder: path)
    #expect(throws: StoreError.self) { try reader.record(of: Self.session.id) }
    #expect(try reader.sessions() == [])
    #expect(try writer.store([Self.part(chunk)]) == [.replaced])
    #expect(try writer.store(record) == .stored)
    #expect(try reader.record(of: Self.session.id) == record)
    #expect(try reader.bytes(ofChunk: chunk.id) == chunk.encoded())
  }

  @Test func `a shorter track piece that arrives late does not delete later fixes`() throws {
    var writer = try FolderWriter(folder: path)
    func piece(_ count: Int) -> TrackPiece {
      TrackPiece(session: Self.session.id, first: 0, fixes: Self.fixes(count))
    }
    #expect(try writer.store(piece(5)) == .stored)
    #expect(try writer.store(piece(3)) == .held)
    #expect(try writer.store(piece(7)) == .replaced)
    var better = piece(4)
    better.fixes[0].speed = 1
    #expect(try writer.store(better) == .replaced)
    #expect(try FolderReader(folder: path).track(of: Self.session.id, from: 0) == better)
  }

  @Test func `a missing or damaged chunk becomes a gap that the export reports`() throws {
    let chunks = (0..<5).map { Self.chunk($0) }
    var writer = try FolderWriter(folder: path)
    _ = try writer.store([0, 2, 3].map { Self.part(chunks[$0]) })
    _ = try writer.store(Self.record(of: chunks, fixCount: 2_500))
    _ = try writer.store(
      TrackPiece(session: Self.session.id, first: 2_000, fixes: Self.fixes(500)))
    let spoilt = try #require(try files().first { $0.contains("\(chunks[2].id)") })
    try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path + "/" + spoilt))
    let session = try #require(try FolderSession(Self.session.id, in: path))
    #expect(session.missingChunks.map(\.id) == [chunks[1].id, chunks[4].id])
    #expect(session.missingFixes == 2_000)
    #expect(try session.fixes(from: 0, limit: 9_999).count == 500)
    let outcome = try SessionFiles().write(session, as: .csv, to: folder.path + "/out.csv") { _ in }
    let totals = try #require(outcome.totals)
    #expect(totals.rows == 200)
    #expect(!totals.isWhole)
    #expect(totals.missingChunks == 3)
    #expect(try FolderSession(UniqueID(high: 9, low: 9), in: path) == nil)
  }

  @Test func `the export of a folder omits a chunk that contradicts the record`() throws {
    let chunks = (0..<3).map { Self.chunk($0) }
    var other = chunks[1]
    other.clock.first = other.clock.first.advanced(bySeconds: 1_000)
    var writer = try FolderWriter(folder: path)
    _ = try writer.store([chunks[0], other, chunks[2]].map(Self.part))
    _ = try writer.store(Self.record(of: chunks))
    let session = try #require(try FolderSession(Self.session.id, in: path))
    let outcome = try SessionFiles().write(session, as: .csv, to: folder.path + "/out.csv") { _ in }
    #expect(outcome.totals?.rows == 200)
    #expect(outcome.totals?.missingChunks == 1)
  }

  @Test
  func `files left by an interrupted writer are removed after a day, and are never read as chunks`()
    throws
  {
    let chunk = Self.chunk(0)
    var writer = try FolderWriter(folder: path)
    _ = try writer.store([Self.part(chunk)])
    let folder = path + "/chunks/\("\(chunk.id)".prefix(2))"
    for (name, age) in [("old", 90_000.0), ("new", 60)] {
      let file = folder + "/.\(name).chunk-1f.part"
      #expect(FileManager.default.createFile(atPath: file, contents: Data([1])))
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file)
    }
    var later = try FolderWriter(folder: path)
    var neighbour = Self.chunk(1)
    neighbour.id = UniqueID(high: chunk.id.high, low: ~chunk.id.low)
    _ = try later.store([Self.part(neighbour)])
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasPrefix(".") }
        == [".new.chunk-1f.part"])
  }

  @Test func `the error for a folder that is missing or contains no sessions suggests a remedy`()
    throws
  {
    do throws(StoreError) {
      _ = try FolderWriter(folder: path + "/stick")
      Issue.record("accepted")
    } catch {
      #expect(error.kind == .cannotOpen)
      #expect(error.remedy == "create the folder first, or mount the disk that it is on")
    }
    do throws(StoreError) {
      _ = try FolderReader(folder: path)
      Issue.record("accepted")
    } catch {
      #expect(error.message == "cannot open \(path): this folder contains no sessions")
    }
  }

  @Test func `a full disk is reported, and earlier chunks are kept`() async throws {
    // If the test cannot mount a disk, it limits the file size instead, which is the closest
    // substitute for a full disk.
    let chunk = Self.chunk(0)
    var writer = try FolderWriter(folder: path)
    _ = try writer.store([Self.part(chunk)])
    await #expect(processExitsWith: .success) { [path = path as String] in
      Self.limitFiles(to: 1_000)
      var writer = try FolderWriter(folder: path)
      let large = ChunkBatch.Part(
        id: UniqueID(high: 5, low: 5), bytes: [UInt8](repeating: 7, count: 5_000))
      do throws(StoreError) {
        _ = try writer.store([large])
        exit(1)
      } catch {
        exit(error.kind == .full ? 0 : 2)
      }
    }
    #expect(try files() == ["chunks/\("\(chunk.id)".prefix(2))/\(chunk.id).chunk"])
  }

  private static func limitFiles(to bytes: UInt) {
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t(bytes))
    unsafe setrlimit(Int32(RLIMIT_FSIZE.rawValue), &limit)
  }

  @Test
  func `every chunk that a killed writer has confirmed is intact, and the writer can continue`()
    async throws
  {
    let answers = folder.path + "/answers"
    for _ in 0..<6 {
      let batches = Int.random(in: 1...12)
      let delay = UInt32.random(in: 0...3_000)
      await #expect(processExitsWith: .signal(SIGKILL)) {
        [
          path = path as String, answers = answers as String, batches = batches as Int,
          delay = delay as UInt32
        ] in
        try Self.storeAndDie(path, answers: answers, after: batches, delay)
      }
      let ids = try String(contentsOfFile: answers, encoding: .utf8).split(separator: "\n")
      #expect(!ids.isEmpty)
      let reader = try FolderReader(folder: path)
      for text in ids {
        let id = try #require(UniqueID(text))
        let bytes = try #require(try reader.bytes(ofChunk: id))
        #expect(bytes == Self.numbered(Int(id.low)).bytes, "\(batches) batches, \(delay) µs")
      }
    }
    var writer = try FolderWriter(folder: path)
    let verdicts = try writer.store((0..<400).map(Self.numbered))
    #expect(verdicts.allSatisfy { $0 == .stored || $0 == .held })
    #expect(try files().filter { $0.hasSuffix(".chunk") }.count == 400)
  }

  /// Returns a chunk whose content depends only on the number.
  private static func numbered(_ number: Int) -> ChunkBatch.Part {
    part(
      chunk(
        UInt32(number),
        id: UniqueID(high: UInt64(number) &* 0x9e37_79b9_7f4a_7c15, low: UInt64(number))))
  }

  private static func storeAndDie(
    _ path: String, answers: String, after batches: Int, _ delay: UInt32
  ) throws {
    let log = try OwnedDescriptor.open(answers, flags: O_WRONLY | O_CREAT | O_APPEND)
    var writer = try FolderWriter(folder: path)
    var left = batches
    while true {
      for start in stride(from: 0, to: 400, by: 8) {
        let batch = (start..<(start + 8)).map(numbered)
        _ = try writer.store(batch)
        _ = log.write(Array(batch.map { "\($0.id)\n" }.joined().utf8))
        left -= 1
        guard left == 0 else { continue }
        Thread.detachNewThread {
          usleep(delay)
          kill(getpid(), SIGKILL)
        }
      }
    }
  }

  @Test func `chunks stored concurrently share their syncs`() throws {
    let parts = (0..<1_000).map(Self.numbered)
    var writer = try FolderWriter(folder: path)
    let start = ContinuousClock.now
    for first in stride(from: 0, to: parts.count, by: 64) {
      let batch = Array(parts[first..<min(parts.count, first + 64)])
      #expect(try writer.store(batch).allSatisfy { $0 == .stored })
    }
    print("1,000 chunks into a folder, 64 at a time: \(ContinuousClock.now - start)")
  }
}
