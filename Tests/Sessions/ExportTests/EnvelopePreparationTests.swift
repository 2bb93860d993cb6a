import LinuxSystem
import Recording
import Storage
import TestSupport
import Testing
import Values

@testable import Export

@Suite(.computation) struct EnvelopePreparationTests {
  /// A store with its prepared envelopes.
  private struct Place: ~Copyable {
    let reader: StoreReader
    var cache: EnvelopeCache
    var preparation: EnvelopePreparation

    init(_ path: String, steps: Int = 720) throws {
      reader = try StoreReader(path: path)
      cache = EnvelopeCache(store: path)
      preparation = EnvelopePreparation(steps: steps)
    }

    /// Prepares envelopes until none remain to be prepared, and returns the number of steps taken.
    mutating func finish() -> Int {
      var steps = 0
      while !preparation.isIdle {
        preparation.step(reader, &cache)
        steps += 1
      }
      return steps
    }

    /// Returns how many of these chunks have been prepared.
    mutating func known(_ chunks: [UniqueID]?) -> Int {
      cache.pyramids(of: chunks ?? []).count { $0 != nil }
    }
  }

  @Test
  func `envelopes are prepared first for an opened session, then for the eight newest listed ones`()
    throws
  {
    var store = try UploadStore()
    for _ in 0..<10 { try store.record(chunks: 20) }
    var place = try Place(store.path)
    let isIdle = place.preparation.isIdle
    #expect(isIdle)
    place.preparation.list()
    place.preparation.step(place.reader, &place.cache)
    place.preparation.open(store.sessions[0])
    place.preparation.step(place.reader, &place.cache)
    let first = store.sessions.map { place.known(store.chunks[$0]) }
    #expect(first == [16, 0, 0, 0, 0, 0, 0, 0, 0, 16])
    _ = place.finish()
    let all = store.sessions.map { place.known(store.chunks[$0]) }
    #expect(all == [20, 0] + Array(repeating: 20, count: 8))
    // Sessions that have ended cannot grow.
    place.preparation.list()
    let steps = place.finish()
    #expect(steps == 1)
  }

  @Test
  func `envelopes are prepared up to a limit for listed sessions, and in full for an opened one`()
    throws
  {
    var store = try UploadStore()
    for _ in 0..<3 { try store.record(chunks: 40) }
    var place = try Place(store.path, steps: 4)
    for _ in 0..<2 {
      place.preparation.list()
      let steps = place.finish()
      #expect(steps <= 4)
      let known = store.sessions.map { place.known(store.chunks[$0]) }
      #expect(known == [0, 16, 40])
    }
    for session in store.sessions { place.preparation.open(session) }
    _ = place.finish()
    let known = store.sessions.map { place.known(store.chunks[$0]) }
    #expect(known == [40, 40, 40])
  }

  @Test func `the envelopes of a session still being recorded are prepared up to its current end`()
    throws
  {
    let folder = try TemporaryFolder()
    let path = folder.path + "/store.sqlite"
    var store = try SampleChunk.store(path)
    var place = try Place(path)
    for sequence in 0..<3 {
      let chunk = SampleChunk.make(UInt32(sequence))
      try store.commit(chunks: [chunk], fixes: [], clock: [])
      place.preparation.list()
      _ = place.finish()
      let known = place.known([chunk.id])
      #expect(known == 1)
    }
  }
}
