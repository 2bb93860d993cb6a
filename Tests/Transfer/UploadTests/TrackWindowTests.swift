@testable import Upload
import Recording
import TestSupport
import Testing
import Values

@Suite(.realTime) struct TrackWindowTests {
  @Test func `positions looked up in any order in a long track equal those from the whole track`()
    async throws
  {
    let seed = UInt64.random(in: .min ... .max)
    var random = SeededGenerator(seed: seed)
    // Six hours of fixes with gaps, with one chunk per stream.
    var session = MadeSession(sizes: [1], fixes: 21_600)
    let clock = ClockTable(session.made.clock)
    let whole = session.track
    session.track = whole.filter { _ in Double.random(in: 0..<1, using: &random) > 0.01 }
    session.made.fixCount = session.track.count
    let windows = TrackWindows(of: session, clock: clock)
    var reference = FixTrack(session.track, clock: clock)
    // Positions are looked up forwards, backwards and in random order.
    let hours = (0..<40).map { Int64($0) * 550 }
    let anywhere = (0..<40).map { _ in Int64.random(in: 0..<22_000, using: &random) }
    // Times after the last fix, each looked up after a time in a different hour.
    let beyond: [Int64] = [0, 5_000, 10_000, 15_000].flatMap { [$0, 21_605, 21_700] }
    for second in hours + hours.reversed() + beyond + anywhere {
      let time = MadeSession.start.advanced(bySeconds: Double(second) + 0.37)
      var track = try await windows.window(at: time).track
      let (here, there) = (track.position(at: time), reference.position(at: time))
      #expect(here == there, "seed \(seed), second \(second)")
    }
  }

  @Test func `a session without fixes yields no positions`() async throws {
    let session = MadeSession(sizes: [10], fixes: 0)
    let dated = try await DatedSession(session)
    let samples = try await dated.samples(of: try session.decoded(0))
    #expect(samples?.count == 10)
    #expect(samples?.size == 10 * 69)
  }

  @Test func `a session without a trusted clock yields no samples`() async throws {
    let session = MadeSession(sizes: [10], isDated: false)
    let dated = try await DatedSession(session)
    let samples = try await dated.samples(of: try session.decoded(0))
    #expect(samples == nil)
  }

  @Test func `a full chunk with positions becomes a request body of the expected size`()
    async throws
  {
    let session = MadeSession(sizes: [2_000], fixes: 60)
    let dated = try await DatedSession(session)
    let chunk = try session.decoded(0)
    let clock = ContinuousClock()
    var best = Duration.seconds(1_000)
    var bytes = 0
    for _ in 0..<20 {
      let begun = clock.now
      let samples = try #require(try await dated.samples(of: chunk))
      let document = FirestoreDocument(
        path: ["realtime_data", "A"], fields: [FirestoreField("gscope_data", .samples(samples))])
      bytes =
        FirestoreWrite.body(
          [FirestoreWrite(.create(document))],
          of: FirestoreDatabase(project: "demo", database: "(default)")
        ).count
      best = min(best, clock.now - begun)
    }
    // The measured time is for information only. The documented value comes from an optimised
    // build.
    print("a chunk of 2,000 samples: \(bytes) bytes of JSON in \(best)")
    #expect((550_000..<760_000).contains(bytes))
  }
}
