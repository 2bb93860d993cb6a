/// Collects the results of all recordings and formats them as tables.
struct GaitFigures {
  /// The fraction of time during which a detector reported walking.
  struct Share {
    var walked = 0.0
    var seconds = 0.0

    /// The share of time classified as walking, in per cent; 0 if no part of the recording is
    /// evaluated.
    var percent: Double { seconds > 0 ? 100 * walked / seconds : 0 }

    init() {}

    /// Computes the share of a recording that is classified as walking. If `withoutRests` is set,
    /// seconds without movement are excluded, because many wearers stand still for a few seconds
    /// before they start walking.
    init(_ trace: GaitTrace, of magnitudes: [Double], rate: Double, withoutRests: Bool) {
      let length = max(1, Int(rate))
      for first in stride(from: 0, to: magnitudes.count, by: length) {
        let second = magnitudes[first..<min(first + length, magnitudes.count)]
        guard !withoutRests || !Self.isRest(second) else { continue }
        seconds += Double(second.count) / rate
        for place in second.indices where trace.isWalking(at: Double(place) / rate) {
          walked += 1 / rate
        }
      }
    }

    /// Whether the wearer is resting: the standard deviation within the second is below 0.05 g.
    /// Nobody walks that softly. The slowest bouts of a person with multiple sclerosis reach 0.08
    /// g.
    private static func isRest(_ second: ArraySlice<Double>) -> Bool {
      let mean = second.reduce(0, +) / Double(second.count)
      let squares = second.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
      return squares < 0.05 * 0.05 * Double(second.count)
    }

    static func + (left: Share, right: Share) -> Share {
      var sum = left
      sum.walked += right.walked
      sum.seconds += right.seconds
      return sum
    }
  }

  /// For each person, the share of each activity that was classified as walking.
  private(set) var people: [(name: String, shares: [String: Share])] = []
  /// For each detected bout, the number of seconds by which the detected start of the walk precedes
  /// the first contact.
  var early: [Double] = []
  /// Seconds from a bout's first contact to the trigger's decision to start the recording.
  var latencies: [Double] = []
  /// The total number of samples, and the processing time per sample in nanoseconds for each
  /// recording.
  private(set) var samples = 0
  private var costs: [Double] = []

  /// Adds the time needed to process a recording.
  mutating func add(_ time: Duration, for count: Int) {
    guard count > 0 else { return }
    samples += count
    costs.append(time / .nanoseconds(1) / Double(count))
  }

  mutating func add(_ shares: [String: Share], of name: String) {
    people.append((name, shares))
  }

  /// The tables' lines, to be printed above the verdict.
  var lines: [String] {
    peopleTable + activityTable + summary
  }

  private static let columns = ["D01", "D02", "D03", "D04", "D01-D04", "D07-D17"]

  private var peopleTable: [String] {
    guard !people.isEmpty else { return [] }
    var lines = ["per cent of the time detected as walking, by person"]
    lines.append(Self.row("", Self.columns))
    for (name, shares) in people {
      let walking = Self.sum(shares, of: GaitRunner.walking)
      let other = Self.sum(shares, of: GaitRunner.other)
      let cells = Self.columns.prefix(4).map { shares[$0].map { Self.fixed($0.percent) } ?? "-" }
      lines.append(
        Self.row(name, cells + [Self.fixed(walking.percent), Self.fixed(other.percent)]))
    }
    return lines + [""]
  }

  private var activityTable: [String] {
    guard !people.isEmpty else { return [] }
    let codes = Set(people.flatMap { $0.shares.keys }).sorted()
    var lines = [
      "per cent of the time detected as walking, by activity: "
        + "mean, minimum and maximum across participants"
    ]
    for code in codes {
      let all = people.compactMap { $0.shares[code] }
      let percents = all.map(\.percent)
      let mean = all.reduce(Share(), +).percent
      let cells = [mean, percents.min() ?? 0, percents.max() ?? 0].map(Self.fixed)
      lines.append(Self.row(code, cells + [GaitRunner.isJudged(code) ? "" : "not judged"]))
    }
    return lines + [""]
  }

  private var summary: [String] {
    var lines: [String] = []
    if !early.isEmpty {
      lines.append("from the detected first step to the first contact: \(Self.spread(early)) s")
    }
    if !latencies.isEmpty {
      let lead = Self.fixed(GaitTrace.lead)
      lines.append(
        "from the first contact to the trigger, with a lead of \(lead) s: "
          + "\(Self.spread(latencies)) s")
    }
    if samples > 0 {
      // Take the median, because other programs may slow down the processing of individual
      // recordings.
      let nanoseconds = costs.sorted()[costs.count / 2]
      lines.append("\(samples) samples, \(Self.fixed(nanoseconds)) ns each (median)")
    }
    return lines
  }

  /// Combines the shares of the activities with these codes.
  static func sum(_ shares: [String: Share], of codes: Set<String>) -> Share {
    shares.filter { codes.contains($0.key) }.values.reduce(Share(), +)
  }

  private static func spread(_ values: [Double]) -> String {
    let sorted = values.sorted()
    guard let least = sorted.first, let most = sorted.last else { return "-" }
    let median = sorted[sorted.count / 2]
    return "min \(fixed(least)), median \(fixed(median)), max \(fixed(most))"
  }

  /// Formats a number with two decimal places.
  static func fixed(_ value: Double) -> String {
    let hundredths = Int((abs(value) * 100).rounded())
    let rest = hundredths % 100
    let sign = value < 0 && hundredths > 0 ? "-" : ""
    return "\(sign)\(hundredths / 100).\(rest < 10 ? "0" : "")\(rest)"
  }

  private static func row(_ name: String, _ cells: [String]) -> String {
    let padded = cells.map { String(repeating: " ", count: max(1, 10 - $0.count)) + $0 }
    let line = name + String(repeating: " ", count: max(0, 6 - name.count)) + padded.joined()
    return String(line.reversed().drop { $0 == " " }.reversed())
  }
}
