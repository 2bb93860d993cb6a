import Export
import Foundation
import Gateway
import LinuxSystem
import Recording
import SQLite
@testable import Storage
import TestSupport
import Testing
import Values

/// Exports of a session from a real store. Some run while the session is still being recorded.
@Suite(.computation) struct SessionExportTests {
  private let folder: TemporaryFolder
  private var path: String { folder.path + "/store.sqlite" }

  private static let session = Session(
    bootID: UniqueID(high: 3, low: 4), start: BootTime(nanoseconds: 100_000_000_000), note: "walk",
    wearer: "P07")
  private static let board = BoardIdentity(
    address: BoardAddress(value: 0xc84b_aa97_5005), name: "left", model: "MetaMotion S",
    firmware: "1.7.2")
  private static let acceleration = StreamDescription(
    signal: "acceleration", unit: "g", countsPerUnit: 4_096, rate: 100, lossAccounting: .counted)

  init() throws {
    folder = try TemporaryFolder()
  }

  private func openStore() throws -> Store {
    var store = try Store.open(path: path)
    try store.begin(Self.session)
    try store.addBoard(Self.board, session: Self.session.id)
    try store.addStream(
      Self.acceleration, board: Self.board.address, session: Self.session.id)
    return store
  }

  /// Returns a one-second chunk of a hundred samples.
  private func chunk(_ sequence: UInt32) -> Chunk {
    let first = Self.session.start.advanced(bySeconds: Double(sequence))
    return Chunk(
      id: .random(), session: Self.session.id, bootID: Self.session.bootID, board: Self.board,
      stream: Self.acceleration, sequence: sequence,
      clock: Chunk.Clock(first: first, period: 1e7),
      counters: (0..<100).map { sequence * 100 + $0 },
      arrivals: [BootTime](repeating: first, count: 100),
      columns: (0..<3).map { axis in (0..<100).map { Int32($0 + axis) } }, gaps: [], fixes: [])
  }

  private func commit(_ sequences: ClosedRange<UInt32>, to store: inout Store) throws {
    try store.commit(chunks: sequences.map(chunk), fixes: [], clock: [])
  }

  private var export: SessionExport { SessionExport(store: path, session: Self.session.id) }

  private func lines(_ name: String) throws -> [Substring] {
    try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8).split(separator: "\n")
  }

  @Test func `the stored part of a session is exported while the session is running`() throws {
    var store = try openStore()
    #expect(try export.writeFile(folder.path + "/a.csv", as: .csv).totals?.rows == 0)
    try commit(0...4, to: &store)
    let totals = try export.writeFile(folder.path + "/b.csv", as: .csv).totals
    #expect(totals?.rows == 500 && totals?.isWhole == true)
    try commit(5...6, to: &store)
    #expect(try export.writeFile(folder.path + "/c.csv", as: .csv).totals?.rows == 700)
    #expect(try lines("c.csv").starts(with: try lines("b.csv")))
    try store.end(session: Self.session.id, at: Self.session.start.advanced(bySeconds: 7))
    try store.close()
  }

  @Test func `an export ends with the samples stored at its start, however fast the session grows`()
    throws
  {
    var store = try openStore()
    // Enough samples for several progress reports.
    try commit(0...49, to: &store)
    var next: UInt32 = 50
    let totals = try export.writeFile(folder.path + "/a.csv", as: .csv) { _ in
      try commit(next...(next + 20), to: &store)
      next += 21
    }.totals
    #expect(next > 50)
    #expect(totals?.rows == 5_000 && totals?.isWhole == true)
    try store.close()
  }

  @Test func `the export of a time range in the middle of a session contains only its samples`()
    throws
  {
    var store = try openStore()
    try commit(0...59, to: &store)
    try store.close()
    var export = export
    export.selection.from = Self.session.start.advanced(bySeconds: 40.5)
    export.selection.to = Self.session.start.advanced(bySeconds: 41.5)
    let totals = try export.writeFile(folder.path + "/a.csv", as: .csv).totals
    #expect(totals?.rows == 100 && totals?.isWhole == true)
    let rows = try lines("a.csv").dropFirst()
    #expect(rows.first?.hasPrefix(",40.500000,") == true)
    #expect(rows.last?.hasPrefix(",41.490000,") == true)
  }

  @Test func `hazards and notes added while the session is running are exported`() throws {
    var store = try openStore()
    try commit(0...0, to: &store)
    let editor = try StoreEditor(path: path)
    let time = Self.session.start.advanced(bySeconds: 0.5)
    try editor.report(
      Hazard(
        name: "Slippery", intensity: 2, time: time,
        position: GeoPosition(latitude: 50, longitude: 14)), session: Self.session.id)
    try editor.annotate(Annotation(time: time, text: "gate"), session: Self.session.id)
    _ = try export.writeFile(folder.path + "/a.csv", as: .csv)
    #expect(
      try lines("a.hazards.csv").last == ",0.500000,Slippery,2,50.0000000,14.0000000")
    #expect(try lines("a.events.csv").last == ",0.500000,,annotation,,gate,,")
    #expect(try lines("a.session.json")[0].contains(#""wearer":"P07""#))
    try store.close()
  }

  @Test
  func `an upload changes no hash of a certificate; a row that contradicts its chunk is found`()
    throws
  {
    var store = try openStore()
    try commit(0...3, to: &store)
    try store.end(session: Self.session.id, at: Self.session.start.advanced(bySeconds: 4))
    try store.close()
    let before = try export.certificate()
    #expect(before.isWhole && before.samples == 400)
    let database = try Database.open(path: path, mode: .recording)
    try database.execute(
      "INSERT INTO destination (name, place, settings, added_utc_ns) VALUES ('x', '/x', '', 0)",
      doing: "add")
    try database.execute(
      "INSERT INTO upload (chunk, destination, state, attempts, error, utc_ns) "
        + "SELECT number, 1, 1, 1, '', 0 FROM chunk", doing: "send")
    let sent = try export.certificate()
    #expect(sent.recordingHash == before.recordingHash)
    #expect(sent.descriptionHash == before.descriptionHash)
    try database.execute("UPDATE chunk SET samples = 99 WHERE sequence = 2", doing: "spoil")
    let spoiled = try export.certificate()
    #expect(!spoiled.isWhole && spoiled.streams.first?.disagreements == [2])
    #expect(spoiled.recordingHash == before.recordingHash)
  }

  @Test func `the export of an unknown session is rejected`() throws {
    try openStore().close()
    let unknown = SessionExport(store: path, session: UniqueID(high: 9, low: 9))
    #expect(throws: OutputRefusal.self) { try unknown.writeFile(folder.path + "/a.csv", as: .csv) }
  }
}
