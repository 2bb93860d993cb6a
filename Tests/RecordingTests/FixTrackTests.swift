import Recording
import Testing

@Suite struct FixTrackTests {
  static func at(_ seconds: Double) -> BootTime {
    BootTime(nanoseconds: 0).advanced(bySeconds: seconds)
  }

  static func fix(_ seconds: Double) -> Fix {
    Fix(
      arrival: at(seconds), utc: UTCTime(nanoseconds: 0), latitude: seconds, longitude: 0)
  }

  /// What a copy of a track answers when it is asked once.
  static func position(in track: FixTrack, at time: BootTime) -> (fix: Fix, age: Double)? {
    var track = track
    return track.position(at: time)
  }

  @Test func `a sample has the last fix that had arrived, and its age`() throws {
    let track = FixTrack([Self.fix(1), Self.fix(2), Self.fix(3)])
    let position = try #require(Self.position(in: track, at: Self.at(2.25)))
    #expect(position.fix.latitude == 2)
    #expect(position.age == 0.25)
  }

  @Test func `a fix counts from the instant of its arrival, not before`() {
    let track = FixTrack([Self.fix(1)])
    #expect(Self.position(in: track, at: BootTime(nanoseconds: 999_999_999)) == nil)
    #expect(Self.position(in: track, at: Self.at(1))?.age == 0)
  }

  @Test func `a fix that is too old is none`() {
    let track = FixTrack([Self.fix(1)], maximumAge: 10)
    #expect(Self.position(in: track, at: Self.at(11))?.fix.latitude == 1)
    #expect(Self.position(in: track, at: BootTime(nanoseconds: 11_000_000_001)) == nil)
  }

  @Test func `without fixes there is no position`() {
    let track = FixTrack()
    #expect(Self.position(in: track, at: Self.at(5)) == nil)
    #expect(FixTrack.defaultMaximumAge == 10)
  }

  @Test func `fixes given out of order are put into order`() {
    let track = FixTrack([Self.fix(3), Self.fix(1), Self.fix(2)])
    #expect(track.fixes.map(\.latitude) == [1, 2, 3])
    #expect(Self.position(in: track, at: Self.at(1.5))?.fix.latitude == 1)
  }

  @Test func `asked in any order, while fixes are added, it answers as a plain search does`() {
    let seed = UInt64.random(in: .min ... .max)
    print("seed \(seed)")
    var random = SplitMix(state: seed)
    var track = FixTrack(maximumAge: 3)
    var newest = 0.0
    for _ in 0..<5_000 {
      if Bool.random(using: &random) {
        newest += Double.random(in: 0..<2, using: &random)
        track.append(Self.fix(newest))
      }
      let time = Self.at(Double.random(in: 0...(newest + 4), using: &random))
      let expected = track.fixes.last { $0.arrival <= time }
        .flatMap { time.seconds(since: $0.arrival) <= 3 ? $0 : nil }
      let found = track.position(at: time)?.fix
      if found != expected { Issue.record("seed \(seed)") }
    }
  }
}
