/// Figures of one recording after another, and the tables made of them.
struct GaitFigures {
  /// Parts of the time that a detector considered walking.
  struct Share {
    var walked = 0.0
    var seconds = 0.0

    /// Per cent; 0 without any time.
    var percent: Double { seconds > 0 ? 100 * walked / seconds : 0 }

    init() {}

    /// The share of a recording. Seconds of walking without movement do not count: many wearers
    /// stand for some seconds before they start.
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

    /// Whether the deviation of a second is below 0.05 g. Nobody walks that softly: the slowest
    /// bouts of a person with multiple sclerosis reach 0.08 g.
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

  /// The share of each activity, person by person.
  private(set) var people: [(name: String, shares: [String: Share])] = []
  /// Seconds between the date of a walk and its first contact, for each bout that was found.
  var early: [Double] = []
  /// Seconds from the first contact of a bout to the decision of the trigger.
  var latencies: [Double] = []
  /// Samples so far, and nanoseconds for each of them, recording by recording.
  private(set) var samples = 0
  private var costs: [Double] = []

  /// Adds the time that a recording took.
  mutating func add(_ time: Duration, for count: Int) {
    guard count > 0 else { return }
    samples += count
    costs.append(time / .nanoseconds(1) / Double(count))
  }

  /// Adds the findings for a person.
  mutating func add(_ shares: [String: Share], of name: String) {
    people.append((name, shares))
  }

  /// The lines to print above the verdict.
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
      "per cent of the time detected as walking, by activity: mean, least, most of a person"
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
      lines.append("first step dated before the first contact: \(Self.spread(early)) s")
    }
    if !latencies.isEmpty {
      let lead = Self.fixed(GaitTrace.lead)
      lines.append("trigger at \(lead) s, after the first contact: \(Self.spread(latencies)) s")
    }
    if samples > 0 {
      // Half of the recordings: other programs disturb single ones.
      let nanoseconds = costs.sorted()[costs.count / 2]
      lines.append("\(samples) samples, \(Self.fixed(nanoseconds)) ns each (median)")
    }
    return lines
  }

  /// The share of several activities together.
  static func sum(_ shares: [String: Share], of codes: Set<String>) -> Share {
    shares.filter { codes.contains($0.key) }.values.reduce(Share(), +)
  }

  private static func spread(_ values: [Double]) -> String {
    let sorted = values.sorted()
    guard let least = sorted.first, let most = sorted.last else { return "-" }
    let median = sorted[sorted.count / 2]
    return "least \(fixed(least)), median \(fixed(median)), most \(fixed(most))"
  }

  /// Two decimals.
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
