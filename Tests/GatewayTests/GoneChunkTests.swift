import Export
import Foundation
import Gateway
import LinuxSystem
import Recording
import SQLite
import TestSupport
import Testing

@testable import Storage
import Values

/// Reports on a session with missing chunks. Each report counts the chunks as losses, and all show
/// the same number.
@Suite(.computation) struct GoneChunkTests {
  let folder: TemporaryFolder
  var path: String { folder.path + "/store" }
  private let session = SampleChunk.session
  /// The number of samples lost after the second sample of the third chunk.
  private let gap: UInt64 = 7

  init() throws {
    folder = try TemporaryFolder()
  }

  /// Records five chunks of ten samples and damages some of them. The damaged chunks can also be
  /// quarantined.
  private func record(spoiling spoiled: [UInt32], repairing: Bool) throws {
    var store = try SampleChunk.store(path)
    let chunks = (0..<UInt32(5)).map { sequence in
      var chunk = SampleChunk.make(sequence)
      if sequence == 2 {
        for row in 2..<chunk.count { chunk.counters[row] += UInt32(gap) }
        chunk.gaps = [
          Gap(
            start: chunk.arrivals[1], end: chunk.arrivals[2], lost: gap, isEstimate: false,
            reason: .link)
        ]
      } else if sequence > 2 {
        for row in chunk.counters.indices { chunk.counters[row] += UInt32(gap) }
      }
      return chunk
    }
    try store.commit(chunks: chunks, fixes: [], clock: [])
    for sequence in spoiled {
      try store.database.execute(
        "UPDATE chunk SET bytes = zeroblob(length(bytes)) WHERE sequence = \(sequence)",
        doing: "spoil")
    }
    try store.end(
      session: session.id, at: session.start.advanced(bySeconds: 90), SessionStatistics())
    try store.close()
    guard repairing else { return }
    let check = try #require(try StoreMaintenance(path: path).setDamageAside())
    #expect(check.findings.count == spoiled.count)
  }

  @Test(
    arguments: [[0], [4], [2], [1, 2], [0, 4], [2, 3, 4], [0, 1, 2, 3, 4]], [false, true])
  func `a damaged chunk's samples count as lost in report and export, and after repair in the list`(
    _ spoiled: [UInt32], _ repaired: Bool
  ) throws {
    try record(spoiling: spoiled, repairing: repaired)
    // Every recorded sample is either stored or lost.
    let samples = 10 * (5 - spoiled.count)
    let lost = UInt64(10 * spoiled.count) + gap

    let reader = try StoreReader(path: path)
    let stored = try #require(try reader.sessions().first)
    let stream = try #require(
      try SessionSummary(of: stored, in: path, readingAll: true).streams.first)
    #expect(stream.samples == samples && stream.lostCount == lost)
    #expect(stream.missingChunks == (repaired ? spoiled.count : 0))
    #expect(stream.lostWithChunks == lost - (spoiled.contains(2) ? 0 : gap))

    let totals = try #require(
      try SessionExport(store: path, session: session.id).writeFile(
        folder.path + "/walk.csv", as: .csv
      ).totals)
    #expect(totals.rows == samples && totals.streams.map(\.lost) == [lost])
    #expect(totals.streams.map(\.lossCertainty) == [stream.lossCertainty])
    #expect(totals.missingChunks == spoiled.count)

    // The list does not read chunks, so it cannot show the damage before the repair.
    let outline = try #require(try reader.outlines(of: [stored], StoreTail()).first)
    #expect(outline.lost == (repaired ? lost : gap))
    #expect(outline.samples == (repaired ? samples : 50))
  }

  @Test func `if a repair restores a chunk's row, a later export counts no chunk as lost`()
    throws
  {
    try record(spoiling: [], repairing: false)
    do {
      let database = try Database.open(path: path, mode: .recording)
      try database.execute("UPDATE chunk SET sequence = 9 WHERE sequence = 3", doing: "spoil")
    }
    #expect(try StoreMaintenance(path: path).setDamageAside()?.restored == 1)
    let totals = try #require(
      try SessionExport(store: path, session: session.id).writeFile(
        folder.path + "/walk.csv", as: .csv
      ).totals)
    #expect(totals.rows == 50 && totals.streams.map(\.lost) == [gap])
    #expect(totals.missingChunks == 0)
    let reader = try StoreReader(path: path)
    let outline = try #require(try reader.outlines(of: reader.sessions(), StoreTail()).first)
    #expect(outline.samples == 50 && outline.lost == gap && outline.lostChunks == 0)
  }

  @Test
  func `list and summary count the earlier losses in a chunk that was sent and then quarantined`()
    throws
  {
    try record(spoiling: [2], repairing: false)
    let now = UTCTime(nanoseconds: 1)
    let reader = try StoreReader(path: path)
    let damaged = try reader.chunks(of: reader.streams(of: session.id)[0])[2]
    let editor = try StoreEditor(path: path)
    let lab = try editor.addDestination(
      named: "lab", place: "folder /lab", settings: "{}", at: now)
    try editor.noteUploads([ChunkUpload(damaged.id, .sent, attempts: 1)], to: lab, at: now)
    #expect(try StoreMaintenance(path: path).setDamageAside()?.damaged == 1)
    // The destination has the samples in the chunk, but not the samples that were already lost when
    // the chunk was recorded.
    let stored = try #require(try reader.sessions().first)
    let outline = try #require(try reader.outlines(of: [stored], StoreTail()).first)
    #expect(outline.samples == 40 && outline.lost == gap && outline.lostChunks == 0)
    let stream = try #require(try SessionSummary(of: stored, in: path).streams.first)
    #expect(stream.samples == 40 && stream.lostCount == gap && stream.missingChunks == 1)
  }

  @Test func `after a damaged store is recovered, its losses include a lost chunk's samples`()
    throws
  {
    try record(spoiling: [4], repairing: false)
    _ = try StoreSalvage.run(path)
    let reader = try StoreReader(path: path)
    let stored = try #require(try reader.sessions().first)
    let stream = try #require(try SessionSummary(of: stored, in: path).streams.first)
    #expect(stream.samples == 40 && stream.lostCount == 10 + gap)
  }
}
