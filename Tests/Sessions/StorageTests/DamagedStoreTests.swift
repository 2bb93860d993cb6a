import ChunkFormat
import DiskFaults
import Foundation
import Recording
@testable import Storage
import SQLite
import TestSupport
import Testing
import Values

/// A store whose file is truncated or contains flipped bits.
///
/// Whatever the damage, the store opens, or the error suggests a remedy. Every query terminates,
/// and every readable chunk is one that was stored.
@Suite(.computation) struct DamagedStoreTests {
  /// The files of a store whose recorder was killed, with part of the data in the write-ahead log.
  private struct Files {
    let store: [UInt8]
    let log: [UInt8]

    init() throws {
      let disk = try SimulatedDisk(keeping: .history)
      var recording = FaultRecording(path: disk.path + "/store")
      var length = 0
      recording.onStored = { if $0 == 4 { length = disk.historyCount } }
      recording.recordUntilError()
      var state = FolderState()
      for operation in disk.history.prefix(length) { state.apply(operation) }
      var random = SeededGenerator(seed: 0)
      let image = state.image(.kept, using: &random)
      store = try #require(image["store"])
      log = try #require(image["store-wal"])
      try #require(store.count > 20_000 && log.count > 5_000)
    }
  }

  private static let known = Dictionary(
    uniqueKeysWithValues: FaultRecording.commits.flatMap { commit in
      zip(commit.chunks, commit.bytes).map { ($0.id, $1) }
    })

  /// Opens a store as a reader and as a recorder, and reads everything. Returns a description of
  /// the first fault, or `nil` if there is none.
  private func fault(
    _ store: [UInt8], _ log: [UInt8], isSalvaged: Bool = false
  ) throws -> String? {
    let disk = try SimulatedDisk(holding: ["store": store, "store-wal": log])
    defer { withExtendedLifetime(disk) {} }
    let path = disk.path + "/store"
    if isSalvaged, let fault = faultOfSalvage(path) { return fault }
    for isRecorder in [false, true] {
      do throws(StoreError) {
        if isRecorder {
          var store = try Store.open(path: path)
          var session = SampleRecording.session
          session.id = UniqueID(high: 55, low: 55)
          try store.begin(session)
          try store.commit(chunks: [], fixes: SampleRecording.fixes, clock: [])
          try store.close()
        } else if let difference = try readAll(path) {
          return difference
        }
      } catch {
        guard !error.remedy.isEmpty, error.message.contains(path) else {
          return "an error does not help: \(error)"
        }
      }
    }
    return nil
  }

  /// Salvages the readable data of a store into a new store, which must be intact.
  private func faultOfSalvage(_ path: String) -> String? {
    do throws(StoreError) {
      _ = try StoreSalvage.run(path)
    } catch {
      return error.remedy.isEmpty ? "an error does not help: \(error)" : nil
    }
    do throws(StoreError) {
      let reader = try StoreReader(path: path)
      guard let check = try reader.check(), check.isWhole else { return "a salvaged store is torn" }
      return try readAll(path)
    } catch {
      return "a salvaged store cannot be read: \(error)"
    }
  }

  private func readAll(_ path: String) throws(StoreError) -> String? {
    let reader = try StoreReader(path: path)
    _ = try reader.boards()
    for session in try reader.sessions() {
      _ = try reader.boards(of: session.id)
      _ = try reader.fixes(of: session.id)
      _ = try reader.clockEntries(of: session.id)
      for stream in try reader.streams(of: session.id) {
        for row in try reader.chunks(of: stream) {
          let bytes = try reader.bytes(ofChunk: row.id)
          guard (try? Chunk(decoding: bytes.span)) != nil else { continue }
          // If the damage affects the id in the table, the chunk itself still contains its id.
          guard Self.known.values.contains(bytes) else { return "a chunk is read that never was" }
        }
      }
    }
    return nil
  }

  @Test func `a store truncated anywhere opens, or the error suggests a remedy`() throws {
    let files = try Files()
    var cuts = 0
    for length in stride(from: 0, to: files.store.count, by: 1_021) {
      let isSalvaged = cuts % 4 == 3
      if let fault = try fault(Array(files.store.prefix(length)), [], isSalvaged: isSalvaged) {
        Issue.record("cut at \(length): \(fault)")
      }
      cuts += 1
    }
    for length in stride(from: 0, to: files.log.count, by: 521) {
      if let fault = try fault(files.store, Array(files.log.prefix(length))) {
        Issue.record("log cut at \(length): \(fault)")
      }
    }
    #expect(cuts > 20)
  }

  @Test(arguments: [-1, Int32.min, 0])
  func `a store with an impossible schema version is rejected as damaged`(version: Int32) throws {
    let disk = try SimulatedDisk()
    defer { withExtendedLifetime(disk) {} }
    let path = disk.path + "/store"
    do {
      let store = try Store.open(path: path)
      try store.database.execute("PRAGMA user_version = \(version)", doing: "change")
      try store.close()
    }
    var kinds: [StoreError.Kind] = []
    do throws(StoreError) { _ = try Store.open(path: path) } catch { kinds.append(error.kind) }
    do throws(StoreError) { _ = try StoreReader(path: path) } catch { kinds.append(error.kind) }
    #expect(kinds == [.damaged, .damaged])
  }

  @Test func `a store with flipped bits anywhere opens, or the error suggests a remedy`() throws {
    let environment = ProcessInfo.processInfo.environment
    let rounds = environment["FOOTBRIDGE_ROUNDS"].flatMap { Int($0) } ?? 1
    let seed =
      environment["FOOTBRIDGE_SEED"].flatMap { UInt64($0) } ?? .random(in: 0..<1_000_000)
    print("wrong bits: FOOTBRIDGE_SEED=\(seed)")
    var random = SeededGenerator(seed: seed)
    let files = try Files()
    let pageSize = Int(files.store[16]) << 8 | Int(files.store[17])
    try #require(pageSize >= 512)
    for round in 0..<150 * rounds {
      var store = files.store
      var log = files.log
      // One flipped bit or many. In every third round, page headers are damaged.
      for _ in 0..<(round % 2 == 0 ? 1 : Int.random(in: 2...20, using: &random)) {
        let bit = UInt8(1) << UInt8.random(in: 0..<8, using: &random)
        switch round % 3 {
        case 0:
          let page = Int.random(in: 0..<store.count / pageSize, using: &random)
          let place = page * pageSize + Int.random(in: 0..<(page == 0 ? 120 : 24), using: &random)
          store[place] ^= bit
        case 1: store[Int.random(in: store.indices, using: &random)] ^= bit
        default: log[Int.random(in: log.indices, using: &random)] ^= bit
        }
      }
      if let fault = try fault(store, log, isSalvaged: round % 4 == 3) {
        Issue.record("seed \(seed), round \(round): \(fault)")
        return
      }
    }
  }
}
