import Recording
import TestSupport
import Testing
import Values

@Suite(.computation) struct FixTrackTests {
  static func at(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  static func fix(
    _ seconds: Double, _ latitude: Double, _ longitude: Double = 0, altitude: Double? = nil,
    quality: Fix.Quality = .autonomous, error: Double? = nil, followsLoss: Bool = false
  ) -> Fix {
    Fix(
      arrival: at(seconds), utc: UTCTime(nanoseconds: 0).advanced(bySeconds: 1e9 + seconds),
      latitude: latitude, longitude: longitude, altitudeMSL: altitude, speed: 2, quality: quality,
      error: error.map { Fix.ErrorEstimate(horizontal: $0, basis: .dilution) },
      followsLoss: followsLoss)
  }

  /// Returns the position at a time, looked up in a new copy of the track.
  static func lookup(_ track: FixTrack, _ seconds: Double) -> PositionLookup {
    var track = track
    return track.position(at: at(seconds))
  }

  @Test func `a sample between two fixes is placed on the line between them`() throws {
    let track = FixTrack([
      Self.fix(1, 10, 20, altitude: 100, error: 3), Self.fix(2, 10.001, 20.002, altitude: 104),
    ])
    let tag = try #require(Self.lookup(track, 1.25).position)
    #expect(abs(tag.latitude - 10.000_25) < 1e-12)
    #expect(abs(tag.longitude - 20.000_5) < 1e-12)
    #expect(tag.altitudeMSL.map { abs($0 - 101) < 1e-9 } == true)
    #expect(tag.age == 0.25)
    #expect(tag.error == 3)
    #expect(tag.method == .interpolated)
  }

  @Test func `a path across the date line takes the shorter route`() throws {
    let track = FixTrack([Self.fix(1, 0, 179.999), Self.fix(2, 0, -179.999)])
    let before = try #require(Self.lookup(track, 1.25).position)
    let after = try #require(Self.lookup(track, 1.75).position)
    #expect(abs(before.longitude - 179.999_5) < 1e-9)
    #expect(abs(after.longitude + 179.999_5) < 1e-9)
  }

  @Test
  func `after a lost fix, the last position is used with its age, without interpolation`()
    throws
  {
    let track = FixTrack([Self.fix(1, 10, error: 4), Self.fix(3, 10.001, followsLoss: true)])
    let tag = try #require(Self.lookup(track, 2.5).position)
    #expect(tag.latitude == 10)
    #expect(tag.method == .last)
    #expect(tag.age == 1.5)
    // The board moves at two metres a second, so it may be three metres away by now.
    #expect(tag.error == 7)
  }

  @Test func `positions are not interpolated across more than three cycles of the receiver`() throws
  {
    let regular = (0..<20).map { Self.fix(Double($0), 10 + Double($0) * 1e-5) }
    let track = FixTrack(regular + [Self.fix(22, 10.001), Self.fix(25.5, 10.001)])
    #expect(track.cycle == 1_000_000_000)
    #expect(Self.lookup(track, 20.5).position?.method == .interpolated)
    #expect(Self.lookup(track, 24).position?.method == .last)
    #expect(Self.lookup(track, 25.5).position?.age == 0)
  }

  @Test func `the receiver's cycle is learned from the track`() {
    let slow = FixTrack((0..<9).map { Self.fix(Double($0) * 5, 10) })
    #expect(slow.cycle == 5_000_000_000)
    #expect(Self.lookup(slow, 2).position?.method == .interpolated)
    let fast = FixTrack(
      (0..<90).map { Self.fix(Double($0) / 10, 10) } + [Self.fix(9.9, 10)])
    #expect(Self.lookup(fast, 9.4).position?.method == .last)
  }

  @Test func `before the first fix the position is unknown`() {
    let track = FixTrack([Self.fix(1, 10), Self.fix(2, 10)])
    #expect(
      FixTrackTests.lookup(track, 0.999_999_999) == .absent(.noFix))
    #expect(Self.lookup(track, 1).position?.latitude == 10)
    #expect(Self.lookup(FixTrack(), 5) == .absent(.noReceiver))
  }

  @Test func `a fix that is too old is not used, and the reason is reported`() {
    let track = FixTrack(
      [Self.fix(1, 10), Self.fix(30, 11), Self.fix(60, 12, followsLoss: true)], maximumAge: 10)
    #expect(Self.lookup(track, 11).position?.latitude == 10)
    #expect(Self.lookup(track, 11.000_000_001) == .absent(.stale))
    #expect(Self.lookup(track, 50) == .absent(.noFix))
    #expect(Self.lookup(track, 75) == .absent(.stale))
    #expect(FixTrack.defaultMaximumAge == 10)
  }

  @Test func `two fixes are not joined if no means of travel could cover the distance in the time`()
  {
    let track = FixTrack([Self.fix(1, 10), Self.fix(2, 10.1)])
    #expect(Self.lookup(track, 1.9).position?.latitude == 10)
  }

  @Test func `a position derived from an estimated fix is marked as estimated`() {
    let track = FixTrack([Self.fix(1, 10), Self.fix(2, 10, quality: .estimated)])
    #expect(Self.lookup(track, 1).position?.quality == .estimated)
    #expect(Self.lookup(track, 1.1).position?.quality == .estimated)
    #expect(Self.lookup(track, 1.9).position?.quality == .estimated)
  }

  @Test func `a fix is valid from its own time if the clock table can convert that time`() throws {
    let fixes = (0..<5).map { second in
      var fix = Self.fix(Double(second), 10 + Double(second) * 1e-5)
      // The receiver reports each second with a delay of 300 ms.
      fix.arrival = fix.arrival.advanced(bySeconds: 0.3)
      return fix
    }
    let entry = ClockTable.Entry(
      boot: Self.at(0), utc: UTCTime(nanoseconds: 0).advanced(bySeconds: 1e9),
      source: .synchronised)
    let track = FixTrack(fixes, clock: ClockTable([entry]))
    let tag = try #require(Self.lookup(track, 2.5).position)
    #expect(abs(tag.latitude - 10.000_025) < 1e-12)
    // An unset clock may be wrong by any amount, so the arrival time is used.
    var wrong = entry
    wrong.source = .system
    let late = try #require(
      Self.lookup(FixTrack(fixes, clock: ClockTable([wrong])), 2.5).position)
    #expect(abs(late.latitude - 10.000_022) < 1e-12)
    // The arrival time is also used if a fix would otherwise have arrived before its own time.
    wrong.source = .synchronised
    wrong.utc.nanoseconds -= 1_000_000_000
    #expect(FixTrack(fixes, clock: ClockTable([wrong])).end == Self.at(4.3))
  }

  @Test func `positions looked up in any order are the same as those found by a linear search`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SeededGenerator(seed: seed)
    var newest = 0.0
    let fixes = (0..<600).map { _ in
      newest += [1, 1, 1, 1, 1, 2.5, 4, 12].randomElement(using: &random) ?? 1
      return Self.fix(
        newest, Double.random(in: 10...10.001, using: &random),
        followsLoss: Int.random(in: 0..<8, using: &random) == 0)
    }
    var track = FixTrack(fixes.shuffled(using: &random), maximumAge: 5)
    for _ in 0..<5_000 {
      let time = Self.at(Double.random(in: 0...(newest + 9), using: &random))
      let place = fixes.lastIndex { $0.arrival <= time }
      let found = track.position(at: time)
      let fix = place.map { fixes[$0] }
      let next = place.map { $0 + 1 < fixes.count ? fixes[$0 + 1] : nil } ?? fixes[0]
      let gap = fix.flatMap { fix in next.map { $0.arrival.seconds(since: fix.arrival) } }
      let isWay = gap.map { $0 <= 3 } ?? false && next?.followsLoss != true
      let age = fix.map { time.seconds(since: $0.arrival) }
      let expected: PositionTag.Method? =
        fix == nil ? nil : isWay ? .interpolated : (age ?? 9) <= 5 ? .last : nil
      if found.position?.method != expected { Issue.record("seed \(seed) at \(time)") }
      if expected == .last, found.position?.latitude != fix?.latitude {
        Issue.record("seed \(seed) at \(time)")
      }
    }
  }
}

@Suite(.computation) struct FixMarkerTests {
  private func report(_ seconds: Double) -> PositionReport {
    .fix(FixTrackTests.fix(seconds, 10))
  }

  @Test func `the fix after an epoch without a fix is marked as the first after a loss`() {
    var marker = FixMarker()
    #expect(marker.mark(report(0))?.followsLoss == false)
    #expect(marker.mark(.noFix(arrival: FixTrackTests.at(1))) == nil)
    #expect(marker.mark(report(2))?.followsLoss == true)
    #expect(marker.mark(report(3))?.followsLoss == false)
  }

  @Test func `a fix after a silence of more than three cycles is marked as the first after a loss`()
  {
    var marker = FixMarker()
    for tenth in 0..<20 { _ = marker.mark(report(Double(tenth) / 10)) }
    #expect(marker.mark(report(2.2))?.followsLoss == false)
    #expect(marker.mark(report(2.6))?.followsLoss == true)
  }
}

extension UTCTime {
  func advanced(bySeconds seconds: Double) -> UTCTime {
    UTCTime(nanoseconds: nanoseconds + Int64((seconds * 1e9).rounded()))
  }
}
