internal import Recording
internal import Values

extension Benchmark {
  /// Measures the cost of adding positions to samples.
  public static let tagging = Benchmark(
    name: "tagging",
    summary: "finding the position, error and age of a sample from its time and the track",
    unit: "sample", defaultCount: 5_000_000, defaultRepeats: 15,
    sides: {
      [
        Side("interpolated", samplesPerUnit: 1) { tag($0, everyFixFollowsLoss: false) },
        Side("last", samplesPerUnit: 1) { tag($0, everyFixFollowsLoss: true) },
      ]
    })

  /// Tags samples of four streams at 100 Hz each, with one fix per second, in chronological order.
  /// Returns the number of samples that received a position.
  private static func tag(_ samples: Int, everyFixFollowsLoss: Bool) -> Int {
    var fixes: [Fix] = []
    for second in 0...samples / 400 + 1 {
      let nanoseconds = Int64(second) * 1_000_000_000
      let degrees = Double(second) * 1e-6
      fixes.append(
        Fix(
          arrival: BootTime(nanoseconds: nanoseconds), utc: UTCTime(nanoseconds: nanoseconds),
          latitude: 50 + degrees, longitude: 14 + degrees, altitudeMSL: Double(second % 100),
          speed: 1.4, isThreeDimensional: true,
          error: Fix.ErrorEstimate(horizontal: 4, basis: .dilution),
          followsLoss: everyFixFollowsLoss))
    }
    var track = FixTrack(fixes)
    var count = 0
    var sum = 0.0
    for sample in 0..<samples {
      let time = BootTime(nanoseconds: Int64(sample) * 2_500_000)
      if case .position(let tag) = track.position(at: time) {
        count += 1
        // If the results were unused, the compiler would remove the computation.
        sum += tag.latitude + tag.longitude + (tag.altitudeMSL ?? 0) + (tag.error ?? 0)
      }
    }
    return sum.isFinite ? count : 0
  }
}
