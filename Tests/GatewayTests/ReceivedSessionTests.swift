import SessionFolder
import ChunkFormat
import Export
import Foundation
import Gateway
import Upload
import UploadProtocol
import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

/// A session that is sent to a destination and then exported from there.
@Suite(.computation) struct ReceivedSessionTests {
  private let folder: TemporaryFolder
  private var gateway: String { folder.path + "/gateway.sqlite" }
  private var received: String { folder.path + "/received.sqlite" }
  private var archive: String { folder.path + "/archive" }

  private static let session = Session(
    id: UniqueID(high: 5, low: 6), bootID: UniqueID(high: 3, low: 4),
    start: BootTime(nanoseconds: 100_000_000_000), note: "Brücke & \"Weg\"", gateway: "pi",
    wearer: "P07")
  /// The board with the higher address comes first, since an unsorted list could otherwise be in
  /// the correct order by accident.
  private static let boards = [0xf000_0000_0001, 0xc84b_aa97_5005].map { address in
    BoardIdentity(
      address: BoardAddress(value: UInt64(address)), name: "board \(address % 7)",
      model: "MetaMotion S", firmware: "1.7.2")
  }
  private static let streams = [
    StreamDescription(
      signal: "euler", unit: "°", axes: ["heading", "pitch"], rawForm: .float, countsPerUnit: 1,
      rate: 50, lossAccounting: .estimated, hasBoardTicks: true),
    StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 16_384, rate: 100, lossAccounting: .counted),
    StreamDescription(
      signal: "pressure", unit: "Pa", axes: ["value"], countsPerUnit: 256, rate: 10,
      lossAccounting: .estimated),
  ]

  init() throws {
    folder = try TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/archive", withIntermediateDirectories: true)
  }

  private static func chunk(
    _ sequence: UInt32, of stream: StreamDescription, _ board: BoardIdentity
  ) -> Chunk {
    let first = session.start.advanced(bySeconds: Double(sequence) * 3 + 0.123)
    let count = 90
    return Chunk(
      id: .random(), session: session.id, bootID: session.bootID, board: board, stream: stream,
      sequence: sequence, clock: Chunk.Clock(first: first, period: 1.001e9 / stream.rate),
      counters: (0..<count).map { sequence * 100 + UInt32($0) },
      arrivals: (0..<count).map { first.advanced(bySeconds: Double($0) / 90) },
      ticks: stream.hasBoardTicks ? (0..<count).map { UInt32($0) * 13 } : [],
      columns: (0..<stream.axisCount).map { axis in
        (0..<count).map { Int32(bitPattern: Float($0 * (axis + 1)).bitPattern) >> 3 }
      },
      gaps: [
        Gap(
          start: first.advanced(bySeconds: -1), end: first, lost: 10, isEstimate: false,
          reason: .link)
      ], fixes: [])
  }

  private static func fix(_ number: Int) -> Fix {
    let seconds = Double(number) / 100
    return Fix(
      arrival: session.start.advanced(bySeconds: seconds),
      utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000 + Int64(number) * 10_000_000),
      latitude: 50.1 + seconds / 3e3, longitude: -14.7, altitudeMSL: seconds / 7,
      geoidSeparation: number % 3 == 0 ? 44.5 : nil, speed: 1.3, track: 12.7, hdop: 0.8,
      satellites: 9, isThreeDimensional: true, quality: .differential,
      error: Fix.ErrorEstimate(horizontal: 2.5, vertical: 4, basis: .reported),
      followsLoss: number == 50)
  }

  /// Records a walk with every kind of data that a session can contain: 2,100 fixes, hazards,
  /// remarks and losses.
  private func record(dated: Bool = true) throws {
    var store = try Store.open(path: gateway)
    try store.begin(Self.session)
    for board in Self.boards {
      try store.addBoard(board, session: Self.session.id)
      for stream in Self.streams {
        try store.addStream(stream, board: board.address, session: Self.session.id)
        try store.commit(
          chunks: (0..<4).map { Self.chunk($0, of: stream, board) }, fixes: [], clock: [])
      }
    }
    let fixes = (0..<2_100).map(Self.fix)
    try store.commit(
      chunks: [], fixes: fixes,
      clock: dated
        ? [
          ClockTable.Entry(
            boot: Self.session.start, utc: UTCTime(nanoseconds: 1_777_887_000_123_456_789),
            source: .satellites)
        ] : [],
      events: [
        SessionEvent(.battery, board: Self.boards[1].address, at: Self.session.start, value: 97.5),
        SessionEvent(.receiver, at: Self.session.start.advanced(bySeconds: 1), text: "fix"),
      ])
    var statistics = SessionStatistics()
    statistics.elapsed = 12.5
    statistics.distance = 33.3
    try store.end(
      session: Self.session.id, at: Self.session.start.advanced(bySeconds: 13), statistics)
    try store.close()
    let editor = try StoreEditor(path: gateway)
    let time = Self.session.start.advanced(bySeconds: 2)
    // These are stored without position and UTC time, because each reader computes both.
    try editor.report(Hazard(name: "Slippery", intensity: 2, time: time), session: Self.session.id)
    try editor.annotate(Annotation(time: time, text: "gate"), session: Self.session.id)
  }

  /// Sends the session to both kinds of destination, with its chunks in an arbitrary order.
  private func send() throws {
    let reader = try StoreReader(path: gateway)
    let record = try #require(try reader.record(of: Self.session.id))
    let intake = try StoreIntake(path: received)
    var writer = try FolderWriter(folder: archive)
    var chunks: [ReceivedChunk] = []
    for stream in try reader.streams(of: Self.session.id) {
      for entry in try reader.chunks(of: stream) {
        let bytes = try reader.bytes(ofChunk: entry.id)
        chunks.append(ReceivedChunk(bytes: bytes, chunk: try Chunk(decoding: bytes.span)))
      }
    }
    chunks.shuffle()
    _ = try intake.store(chunks)
    _ = try writer.store(chunks.map { ChunkBatch.Part(id: $0.id, bytes: $0.bytes) })
    for first in stride(from: 0, to: record.fixCount, by: TrackPiece.capacity) {
      let piece = TrackPiece(
        session: Self.session.id, first: first,
        fixes: try reader.fixes(of: Self.session.id, from: first, limit: TrackPiece.capacity))
      let travelled = try TrackPiece(decoding: piece.encoded)
      _ = try intake.store(
        TrackPiece(session: Self.session.id, first: first, fixes: travelled.fixes))
      _ = try writer.store(travelled)
    }
    let travelled = try SessionRecord(decoding: record.encoded)
    #expect(travelled.contentHash == record.contentHash)
    _ = try intake.store(travelled)
    _ = try writer.store(travelled)
    #expect(try intake.record(of: Self.session.id) == record)
    try intake.close()
  }

  /// Returns all exported files, by name.
  private func export(_ export: SessionExport, _ name: String) throws -> [String: Data] {
    let target = folder.path + "/" + name
    try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
    for format in ExportFormat.allCases where format.suitsEverySession {
      _ = try export.writeFile(target + "/walk.\(format.rawValue)", as: format)
    }
    _ = try export.writeFolder(target + "/folder")
    var part = export
    part.selection.from = Self.session.start.advanced(bySeconds: 4.5)
    part.selection.to = Self.session.start.advanced(bySeconds: 7)
    _ = try part.writeFile(target + "/part.csv", as: .csv)
    var files: [String: Data] = [:]
    for file in try FileManager.default.subpathsOfDirectory(atPath: target)
    where file.contains(".") {
      files[file] = try Data(contentsOf: URL(fileURLWithPath: target + "/" + file))
    }
    return files
  }

  private func expectEqualExports(_ count: Int) throws {
    let original = try export(SessionExport(store: gateway, session: Self.session.id), "a")
    let stored = try export(SessionExport(store: received, session: Self.session.id), "b")
    let filed = try export(SessionExport(folder: archive, session: Self.session.id), "c")
    #expect(original.count >= count)
    #expect(Set(stored.keys) == Set(original.keys))
    #expect(Set(filed.keys) == Set(original.keys))
    for (name, bytes) in original {
      #expect(stored[name] == bytes, "\(name)")
      #expect(filed[name] == bytes, "\(name)")
    }
  }

  @Test func `the export of a received session is byte-identical to the export on its gateway`()
    throws
  {
    try record()
    try send()
    try expectEqualExports(10)
  }

  @Test
  func `a session without its record is shown as still arriving, and its export is incomplete`()
    throws
  {
    try record()
    let reader = try StoreReader(path: gateway)
    let stream = try #require(try reader.streams(of: Self.session.id).first)
    let entry = try #require(try reader.chunks(of: stream).first)
    let bytes = try reader.bytes(ofChunk: entry.id)
    let intake = try StoreIntake(path: received)
    _ = try intake.store([ReceivedChunk(bytes: bytes, chunk: try Chunk(decoding: bytes.span))])
    try intake.close()
    let known = try #require(try StoreReader(path: received).session(Self.session.id))
    #expect(known.isArriving)
    #expect(try SessionSummary(of: known, in: received).hasUnknownLosses)
    let outlines = try StoreReader(path: received).outlines(of: [known], StoreTail())
    #expect(outlines.map(\.hasUnknownLosses) == [true])
    let export = SessionExport(store: received, session: Self.session.id)
    let written = try export.writeFile(folder.path + "/part.csv", as: .csv)
    let totals = try #require(written.totals)
    #expect(totals.rows > 0 && !totals.isWhole)
    try send()
    let complete = try #require(try StoreReader(path: received).session(Self.session.id))
    #expect(!complete.isArriving)
    #expect(try !SessionSummary(of: complete, in: received).hasUnknownLosses)
  }

  @Test func `a received session that has no UTC reference is exported as on its gateway`() throws {
    try record(dated: false)
    try send()
    try expectEqualExports(10)
  }

  @Test
  func
    `a session dated later is exported as on the gateway, and stays whole if chunks are deleted`()
    throws
  {
    try record(dated: false)
    try send()
    var later = Self.session
    later.id = UniqueID(high: 5, low: 7)
    var store = try Store.open(path: gateway)
    try store.begin(later)
    try store.commit(
      chunks: [], fixes: [],
      clock: [
        ClockTable.Entry(
          boot: later.start, utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000),
          source: .synchronised)
      ])
    try store.end(session: later.id, at: later.start)
    try store.close()
    try send()
    try expectEqualExports(10)
    // The gateway's export has gaps for deleted chunks; the destination's export has none.
    let editor = try StoreEditor(path: gateway)
    let now = UTCTime(nanoseconds: 1_777_887_000_000_000_000)
    let lab = try editor.addDestination(
      named: "lab", place: "folder \(archive)", settings: "{}", at: now)
    let reader = try StoreReader(path: gateway)
    let waiting = try reader.waitingChunks(for: lab, limit: 8)
    try editor.noteUploads(
      waiting.map { ChunkUpload($0.id, .sent, attempts: 1) }, to: lab, at: now)
    #expect(try editor.dropSent(before: now, at: now).chunks == 8)
    try send()
    for var export in [
      SessionExport(store: received, session: Self.session.id),
      SessionExport(folder: archive, session: Self.session.id),
    ] {
      export.replaces = true
      let totals = try export.writeFile(folder.path + "/whole.csv", as: .csv).totals
      #expect(totals?.isWhole == true)
      #expect(totals?.rows == 24 * 90)
    }
    let here = SessionExport(store: gateway, session: Self.session.id)
    let totals = try here.writeFile(folder.path + "/part.csv", as: .csv).totals
    #expect(totals?.missingChunks == 8)
    #expect(totals?.rows == 16 * 90)
  }

  @Test
  func `a listed chunk is never replaced by a copy with another session, boot, board or rate`()
    throws
  {
    try record()
    let reader = try StoreReader(path: gateway)
    let record = try #require(try reader.record(of: Self.session.id))
    var copy = try SessionCopy(of: record, ExportSelection(), into: received)
    let changes: [(inout Chunk) -> Void] = [
      { $0.session = UniqueID(high: 9, low: 9) }, { $0.bootID = UniqueID(high: 9, low: 9) },
      { $0.board.address = BoardAddress(value: 0xf000_0000_0009) }, { $0.stream.rate += 1 },
    ]
    for (place, id) in copy.needed.enumerated() {
      let bytes = try reader.bytes(ofChunk: id)
      var chunk = try Chunk(decoding: bytes.span)
      if place < changes.count { changes[place](&chunk) }
      try copy.take(id, .found(ReceivedChunk(bytes: chunk.encoded(), chunk: chunk)))
    }
    try copy.finish()
    #expect(copy.missing.chunks.map(\.id) == Array(copy.needed.prefix(changes.count)))
    #expect(try StoreReader(path: received).sessions().map(\.id) == [Self.session.id])
  }

  @Test func `a chunk that has not arrived counts as missing, and an unknown session is rejected`()
    throws
  {
    try record()
    try send()
    let reader = try FolderReader(folder: archive)
    let session = try #require(try reader.record(of: Self.session.id))
    let lost = session.streams[1].chunks[3].id
    try FileManager.default.removeItem(
      atPath: archive + "/chunks/\("\(lost)".prefix(2))/\(lost).chunk")
    let export = SessionExport(folder: archive, session: Self.session.id)
    let totals = try export.writeFile(folder.path + "/a.csv", as: .csv).totals
    #expect(totals?.missingChunks == 1)
    #expect(totals?.rows == 23 * 90)
    let unknown = SessionExport(folder: archive, session: UniqueID(high: 9, low: 9))
    #expect(throws: OutputRefusal.self) {
      try unknown.writeFile(folder.path + "/b.csv", as: .csv)
    }
  }
}
