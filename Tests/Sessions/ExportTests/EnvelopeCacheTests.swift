import Foundation
import LinuxSystem
import Recording
import SQLite
import Storage
import TestSupport
import Testing
import Values

@testable import Export

@Suite(.computation) struct EnvelopeCacheTests {
  private let folder: TemporaryFolder
  private let path: String
  private let file: String
  private let ids = (0..<10).map { UniqueID(high: 7, low: $0) }

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path + "/store.sqlite"
    file = EnvelopeCache.path(ofStore: path)
    try SampleChunk.store(path).close()
  }

  private func pyramid(_ id: UniqueID) -> (chunk: UniqueID, bytes: [UInt8]) {
    (id, [UInt8(id.low), 1, 2])
  }

  /// Returns the number of chunks that a newly opened cache contains.
  private func known() -> Int {
    var cache = EnvelopeCache(store: path)
    return cache.pyramids(of: ids).compactMap(\.self).count
  }

  private func fill() {
    var cache = EnvelopeCache(store: path)
    cache.keep(ids.map(pyramid))
    let fault = cache.fault
    #expect(fault == nil)
  }

  @Test func `pyramids stored by one process are found by another process`() {
    var cache = EnvelopeCache(store: path)
    cache.keep(ids.prefix(3).map(pyramid))
    // Storing the same pyramid again is allowed, and a different one replaces it.
    cache.keep([(ids[2], [9])])
    var later = EnvelopeCache(store: path)
    let found = later.pyramids(of: [ids[5], ids[2], ids[0]])
    #expect(found == [nil, [9], [0, 1, 2]])
    // Two processes have the file open at the same time.
    later.keep([pyramid(ids[5])])
    let shared = cache.pyramids(of: [ids[5]])
    #expect(shared == [[5, 1, 2]])
  }

  @Test func `the cache file has the same permissions as the store`() throws {
    try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
    fill()
    let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions]
    #expect(rights as? Int == 0o640)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        == ["store.sqlite", "store.sqlite-envelopes"])
  }

  @Test(arguments: ["", "no database", String(repeating: "x", count: 10_000)])
  func `a file of another type in place of the cache is replaced`(_ content: String) throws {
    fill()
    try Data(content.utf8).write(to: URL(fileURLWithPath: file))
    #expect(known() == 0)
    fill()
    #expect(known() == 10)
  }

  @Test func `a cache file of another version is replaced`() throws {
    do {
      let other = try ChunkSummaryFile(
        store: path, suffix: "-envelopes", version: 1_000, limit: 10)
      try other.keep(ids.map(pyramid))
    }
    #expect(known() == 0)
    fill()
    #expect(known() == 10)
  }

  @Test func `if the cache file is damaged, envelopes are computed and stored again`() throws {
    var random = SeededGenerator(seed: 3)
    fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    for _ in 0..<100 {
      var damaged = whole
      if random.unit() < 0.3 {
        damaged = damaged.prefix(.random(in: 0..<whole.count, using: &random))
      } else {
        let place = Int.random(in: 0..<whole.count, using: &random)
        for index in place..<min(place + 200, whole.count) {
          damaged[index] = UInt8.random(in: 0...255, using: &random)
        }
      }
      try damaged.write(to: URL(fileURLWithPath: file))
      // The first pass may notice the damage only while it stores the pyramids. It then replaces
      // the file, and the second pass fills the new one.
      for _ in 0..<2 {
        var cache = EnvelopeCache(store: path)
        _ = cache.pyramids(of: ids)
        cache.keep(ids.map(pyramid))
      }
      var cache = EnvelopeCache(store: path)
      let (count, isKeeping) = (cache.pyramids(of: ids).count, cache.isKeeping)
      #expect(count == ids.count && isKeeping)
    }
  }

  @Test func `no envelopes are lost if the cache file is deleted while in use`() throws {
    var cache = EnvelopeCache(store: path)
    cache.keep(ids.prefix(5).map(pyramid))
    try FileManager.default.removeItem(atPath: file)
    _ = cache.pyramids(of: ids)
    cache.keep(ids.map(pyramid))
    _ = cache.pyramids(of: ids)
    fill()
    #expect(known() == 10)
  }

  @Test func `if the cache file cannot be used, the reason is reported and envelopes are computed`()
    throws
  {
    try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
    var cache = EnvelopeCache(store: path)
    let (fault, isKeeping) = (cache.fault, cache.isKeeping)
    #expect(fault?.kind == .cannotOpen && !isKeeping)
    cache.keep(ids.map(pyramid))
    let found = cache.pyramids(of: ids)
    #expect(found.allSatisfy { $0 == nil })
    let reader = try StoreReader(path: path)
    var warming = EnvelopeWarming(session: SampleChunk.session.id)
    let hasMore = try warming.step(reader, &cache)
    #expect(!hasMore)
  }

  @Test(.realTime)
  func `the cache neither waits for a process that has locked the file nor discards the file`()
    throws
  {
    fill()
    var cache = EnvelopeCache(store: path)
    let other = try SQLiteDatabase<SQLiteError>.open(path: file, .creating)
    try other.execute("BEGIN EXCLUSIVE", doing: "hold")
    let begin = BootClock.now()
    let held = cache.pyramids(of: ids).compactMap(\.self)
    cache.keep([pyramid(UniqueID(high: 9, low: 9))])
    #expect(held.isEmpty && BootClock.now().seconds(since: begin) < 5)
    try other.execute("COMMIT", doing: "hold")
    let (found, isKeeping) = (cache.pyramids(of: ids).compactMap(\.self), cache.isKeeping)
    #expect(found.count == ids.count && isKeeping)
  }

  @Test func `if the cache exceeds its limit, the oldest pyramids are deleted`() throws {
    let file = try ChunkSummaryFile(store: path, suffix: "-some", version: 1, limit: 8)
    for id in ids { try file.keep([pyramid(id)]) }
    let found = try file.summaries(of: ids).map { $0 != nil }
    #expect(found.suffix(4) == [true, true, true, true])
    #expect(found.count { $0 } <= 8 && !found[0])
  }
}
