import ChunkFormat
import Export
import Recording
import TestSupport
import Testing
import Values

/// The measured quality of streams, and the hash of their content.
@Suite(.computation) struct StreamQualityTests {
  private func only(_ source: MemorySource) throws -> StreamQuality {
    let all = try StreamQuality.all(of: source)
    return try #require(all.count == 1 ? all.first : nil)
  }

  private func source(
    _ counts: [Int] = [200, 200, 200], range: Double? = nil
  ) -> MemorySource {
    var source = MemorySource()
    var acceleration = MemorySource.acceleration
    acceleration.range = range
    source.add(acceleration, of: MemorySource.left, offset: 0, counts: counts)
    return source
  }

  @Test func `rate, losses and the longest gap are computed from the chunks`() throws {
    var source = source()
    // The board is 1 % slow, and 100 samples are lost between the second chunk and the third.
    for place in 0..<3 {
      source.chunks[0][place].clock.period = 10_100_000
      source.chunks[0][place].clock.first = source.session.start.advanced(
        bySeconds: Double(place) * 2.02 + (place == 2 ? 1.01 : 0))
      source.chunks[0][place].arrivals = source.chunks[0][place].times
    }
    let times = source.chunks[0].map(\.clock.first)
    source.chunks[0][2].gaps = [
      Gap(
        start: times[2].advanced(bySeconds: -1.01), end: times[2], lost: 90, isEstimate: false,
        reason: .link),
      Gap(
        start: times[2].advanced(bySeconds: -0.1), end: times[2], lost: 10, isEstimate: true,
        reason: .disconnected),
    ]
    let quality = try only(source)
    #expect(quality.samples == 600 && quality.lostCount == 100 && quality.estimatedCount == 10)
    #expect(quality.lost[.link]?.counted == 90 && quality.lost[.disconnected]?.estimated == 10)
    #expect(quality.longestGap?.reason == "link")
    #expect(abs((quality.longestGap?.seconds ?? 0) - 1.01) < 1e-6)
    #expect(abs((quality.boardRate ?? 0) - 99.0099) < 1e-3)
    // The 599 steps between the stored samples span 699 periods.
    #expect(abs((quality.effectiveRate ?? 0) - 599 / (699 * 0.0101)) < 1e-6)
    #expect(abs((quality.lostShare ?? 0) - 1.0 / 7) < 1e-9)
    #expect((quality.timeUncertainty ?? 1) < 1e-9)
  }

  @Test func `the spread of the shortest delays is the uncertainty of the times`() throws {
    var source = source([200, 200, 200, 200])
    for (place, late) in [0.004, 0.006, 0.004, 0.006].enumerated() {
      source.chunks[0][place].arrivals = source.chunks[0][place].times.map {
        $0.advanced(bySeconds: late)
      }
    }
    // The standard deviation of these four delays is 1.155 ms.
    #expect(abs((try only(source).timeUncertainty ?? 0) - 1.96 * 0.0011547) < 1e-6)
    #expect(try only(self.source([200, 200])).timeUncertainty == nil)
  }

  @Test func `samples at the limits of the range are counted as clipped`() throws {
    var source = source([100], range: 2)
    source.chunks[0][0].columns = (0..<3).map { axis in
      (0..<100).map { row in
        switch (axis, row) {
        case (0, 3): 32_767
        case (1, 3), (1, 50): -32_768
        default: 32_760
        }
      }
    }
    #expect(try only(source).clipped == 2)
    #expect(try only(self.source()).clipped == nil)
  }

  @Test func `a damaged or missing chunk is named, and its samples are counted as lost`() throws {
    var source = source([200, 200, 200, 200])
    let whole = try only(source)
    #expect(whole.missing.isEmpty && whole.content.chunks == 4)
    var bytes = source.chunks[0][1].encoded()
    bytes[bytes.count / 2] ^= 1
    source.replaced[source.chunks[0][1].id] = bytes
    let damaged = try only(source)
    #expect(damaged.missing.map(\.count) == [1] && damaged.samples == 600)
    #expect(damaged.lostWithChunks == 200 && damaged.longestGap?.reason == "chunks")
    #expect(damaged.content.hash != whole.content.hash && damaged.content.chunks == 3)
    source.replaced = [:]
    source.chunks[0].remove(at: 3)
    source.described[0].lastSequence = 3
    source.gone[0] = [3: 200]
    let short = try only(source)
    #expect(short.missing.map(\.description) == ["chunk 3: not in the store"])
    #expect(short.lostWithChunks == 200)
  }

  @Test func `positions are counted with their errors`() throws {
    var source = source()
    source.track = (0..<4).map { second in
      var fix = source.fix(Double(second), 50, 14)
      fix.error = Fix.ErrorEstimate(horizontal: 3, basis: .reported)
      return fix
    }
    let quality = try only(source)
    #expect(quality.positioned == 600)
    let median = try #require(quality.positionErrors.quantile(0.5))
    #expect(abs(median / 3 - 1) < 0.05 && quality.positionErrors.largest >= 3)
    #expect(try only(self.source()).positioned == 0)
  }

  @Test func `a firmware update during the session is listed`() throws {
    var source = source()
    source.chunks[0][2].board.firmware = "1.8.0"
    #expect(try only(source).firmware == ["1.7.2", "1.8.0"])
  }

  @Test(arguments: [[], [1]])
  func `a stream with fewer than two samples has no rate`(counts: [Int]) throws {
    let quality = try only(source(counts))
    #expect(quality.samples == counts.count && quality.effectiveRate == nil)
    #expect(quality.boardRate == nil && quality.longestGap == nil)
    #expect((quality.lostShare == nil) == counts.isEmpty)
  }

  @Test func `the hash of a recording depends only on its chunks`() throws {
    var source = source()
    source.add(MemorySource.quaternion, of: MemorySource.right, offset: 0, counts: [30])
    let contents = try StreamContent.all(of: source)
    let hash = StreamContent.hash(of: contents)
    #expect(StreamContent.hash(of: contents.reversed()) == hash)
    #expect(try StreamQuality.all(of: source).map(\.content) == contents)
    source.remarks = [Annotation(time: source.session.start, text: "later")]
    source.session.note = "other"
    source.described[0].board.name = "renamed"
    #expect(StreamContent.hash(of: try StreamContent.all(of: source)) == hash)
    source.chunks[1][0].columns[0][7] += 1
    #expect(StreamContent.hash(of: try StreamContent.all(of: source)) != hash)
  }

  @Test
  func `samples in chunks stored elsewhere are not counted as lost, and other figures are unknown`()
    throws
  {
    var source = source([200, 200, 200, 200], range: 2)
    source.described[0].lastSequence = 3
    let stream = source.described[0]
    let entries = source.chunks[0].map {
      SessionRecord.ChunkEntry(
        id: $0.id, sequence: $0.sequence, sampleCount: $0.count, lostCount: $0.lostCount,
        first: $0.clock.first)
    }
    let record = SessionRecord(
      session: source.session,
      streams: [
        SessionRecord.Stream(
          board: stream.board.address, description: stream.description, chunks: entries)
      ])
    source.chunks[0].remove(at: 1)
    let part = try #require(try StreamQuality.all(of: source, record: record).first)
    #expect(part.elsewhere.chunks == 1 && part.elsewhere.samples == 200)
    #expect(part.samples == 600 && part.lostCount == 0 && part.lostShare == 0)
    #expect(part.missing.map(\.description) == ["chunk 1: not in the store"])
    #expect(part.clipped == nil && part.longestGap == nil && part.effectiveRate == nil)
    // A chunk that is not in the record either is counted as lost, but no other chunk is.
    source.chunks[0].remove(at: 1)
    var short = record
    short.streams[0].chunks.remove(at: 2)
    let lost = try #require(try StreamQuality.all(of: source, record: short).first)
    #expect(lost.elsewhere.samples == 200 && lost.lostCount == 200)
    source.chunks[0] = []
    let none = try #require(try StreamQuality.all(of: source, record: record).first)
    #expect(none.elsewhere.samples == 800 && none.lostCount == 0 && none.clipped == nil)
  }

  @Test func `quantiles of an error distribution are accurate to half a percent`() throws {
    var errors = ErrorDistribution()
    #expect(errors.quantile(0.95) == nil)
    for error in 1...1_000 { errors.add(Double(error) / 100) }
    errors.add(.nan)
    #expect(errors.count == 1_000 && errors.largest == 10)
    for fraction in [0.05, 0.5, 0.95] {
      let found = try #require(errors.quantile(fraction))
      #expect(abs(found / (fraction * 10) - 1) < 0.005)
    }
    #expect(errors.quantile(0.001) == 0.01 && errors.quantile(1) == 10)
    // If all errors are equal, the result is exact, even below and above the range of the classes.
    for error in [0, 1e-9, 1, 13.5, 1e12] {
      var equal = ErrorDistribution()
      for _ in 0..<7 { equal.add(error) }
      for fraction in [0.05, 0.5, 0.95] { #expect(equal.quantile(fraction) == error) }
    }
  }
}
