import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct ClockSamplerTests {
  private func fix(
    arrival seconds: Double, latency: Double = 0.1, epoch: Double = 1_000,
    quality: Fix.Quality = .autonomous
  ) -> Fix {
    Fix(
      arrival: FixTrackTests.at(seconds),
      utc: UTCTime(nanoseconds: 0).advanced(bySeconds: epoch + seconds - latency), latitude: 1,
      longitude: 2, quality: quality)
  }

  @Test func `each minute, the fix with the shortest delay becomes an entry of the clock table`()
    throws
  {
    var sampler = ClockSampler()
    var entries: [ClockTable.Entry] = []
    for second in 0..<150 {
      // In each minute, the fix at second 17 has the shortest delay.
      let latency = second % 60 == 17 ? 0.15 : 0.3
      if let entry = sampler.observe(fix(arrival: Double(second), latency: latency)) {
        entries.append(entry)
      }
    }
    let last = sampler.take()
    entries.append(try #require(last))
    try #require(entries.count == 4)
    // The first entry appears as soon as the clock is trusted. The usual latency is subtracted from
    // all entries.
    #expect(entries[0].boot == FixTrackTests.at(2))
    for entry in entries.dropFirst() {
      #expect(abs(Double(entry.utc.nanoseconds - entry.boot.nanoseconds) - 999.95e9) < 1_000)
      #expect(entry.source == .satellites)
    }
    let nothing = sampler.take()
    #expect(nothing == nil)
  }

  @Test
  func `a clock entry needs three consecutive satellite times, and a jump restarts the count`() {
    var sampler = ClockSampler()
    let epochs = [1_000.0, 1_000, 1_018, 1_018, 1_000, 1_000, 1_000]
    for (second, epoch) in epochs.enumerated() {
      let entry = sampler.observe(fix(arrival: Double(second), epoch: epoch))
      #expect((entry != nil) == (second == 6))
    }
  }

  @Test func `a receiver time that does not advance is rejected`() {
    var sampler = ClockSampler()
    for second in 0..<9 {
      let entry = sampler.observe(fix(arrival: Double(second), latency: Double(second)))
      #expect(entry == nil)
    }
  }

  @Test(arguments: [Fix.Quality.manual, .simulated])
  func `a position obtained without satellites does not date a session`(quality: Fix.Quality) {
    var sampler = ClockSampler()
    for second in 0..<9 {
      let entry = sampler.observe(fix(arrival: Double(second), quality: quality))
      #expect(entry == nil)
    }
  }

  @Test func `every change to the system clock adds an entry to the clock table`() {
    var sampler = ClockSampler(floor: UTCTime(nanoseconds: 1_000_000_000_000_000_000))
    func entry(
      _ boot: Double, _ epoch: Double, _ isSynchronised: Bool = false
    ) -> ClockTable.Source? {
      sampler.observe(
        boot: FixTrackTests.at(boot),
        system: UTCTime(nanoseconds: 0).advanced(bySeconds: epoch + boot),
        isSynchronised: isSynchronised)?.source
    }
    // A computer without a battery-backed clock starts in 1970, which is not a valid time.
    #expect(entry(0, 0) == nil)
    #expect(entry(10, 1.7e9) == .system)
    #expect(entry(20, 1.7e9 + 0.001) == nil)
    #expect(entry(30, 1.7e9 + 60) == .system)
    #expect(entry(40, 1.78e9, true) == .synchronised)
    #expect(entry(50, 1.78e9, true) == nil)
    #expect(entry(60, 1.6e9) == nil)
    #expect(entry(70, 1.78e9 + 0.05, true) == .synchronised)
  }
}
