/// Judges the number that a sample comes with by the numbers and the time before it.
///
/// A spoiled number must cost its own packet and nothing else: believed, one that is far too high
/// makes repetitions of all right ones after it. A numbering that really begins elsewhere goes on
/// from there.
struct NumberWatch: Sendable {
  /// What a number means.
  enum Verdict: Hashable, Sendable {
    /// It follows the number before; so many are missing between them.
    case follows(missing: UInt32)
    /// It was there already, or was counted as missing.
    case repeated
    /// No sample of this time can have it.
    case impossible
    /// The board has begun another numbering, of which this is no longer the first.
    case renumbered
  }

  /// Seconds by which the sample before may have been late, and by what part a board may be faster
  /// than configured.
  private static let slackSeconds = 10.0
  private static let slackRate = 1.25
  /// Numbers that no one reaches without more than this are always believed: some packets.
  private static let slackNumbers = 64.0
  /// Samples, and seconds, for which another numbering has to go on before it is believed.
  private static let provingSamples = 8
  private static let provingSeconds = 1.0

  private let rate: Double
  private var last: (number: UInt32, arrival: BootTime)?
  /// The numbers that the latest jump left out, as the first of them and how many.
  private var skipped: (first: UInt32, count: UInt32) = (0, 0)
  /// A numbering that does not follow, as far as it has come.
  private var stray: (number: UInt32, arrival: BootTime, began: BootTime, samples: Int)?

  /// A watch over a stream of this many samples a second.
  init(rate: Double) {
    self.rate = rate
  }

  /// Takes the number of the next sample.
  mutating func judge(_ number: UInt32, at arrival: BootTime) -> Verdict {
    guard let last else {
      self.last = (number, arrival)
      return .follows(missing: 0)
    }
    if let missing = steps(from: last, to: number, at: arrival) {
      if missing > 0 { skipped = (last.number &+ 1, missing) }
      self.last = (number, arrival)
      stray = nil
      return .follows(missing: missing)
    }
    if number == last.number || number &- skipped.first < skipped.count { return .repeated }
    guard let former = stray,
      steps(from: (former.number, former.arrival), to: number, at: arrival) != nil
    else {
      stray = (number, arrival, arrival, 1)
      return refusal(of: number, after: last.number)
    }
    stray = (number, arrival, former.began, former.samples + 1)
    guard former.samples >= Self.provingSamples,
      arrival.seconds(since: former.began) >= Self.provingSeconds
    else { return refusal(of: number, after: last.number) }
    restart()
    self.last = (number, arrival)
    return .renumbered
  }

  /// Forgets the numbering: the next number begins another.
  mutating func restart() {
    last = nil
    stray = nil
    skipped = (0, 0)
  }

  /// How many numbers are missing between two samples; `nil` where the second cannot follow the
  /// first.
  private func steps(
    from former: (number: UInt32, arrival: BootTime), to number: UInt32, at arrival: BootTime
  ) -> UInt32? {
    let step = number &- former.number
    guard (1...UInt32.max / 2).contains(step) else { return nil }
    let seconds = max(0, arrival.seconds(since: former.arrival)) + Self.slackSeconds
    guard Double(step) <= seconds * rate * Self.slackRate + Self.slackNumbers else { return nil }
    return step - 1
  }

  private func refusal(of number: UInt32, after last: UInt32) -> Verdict {
    number &- last > UInt32.max / 2 ? .repeated : .impossible
  }
}
