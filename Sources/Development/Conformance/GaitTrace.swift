internal import Recording

/// Runs the walking detector and the trigger on one recording, and stores their output.
struct GaitTrace {
  /// The minimum number of seconds by which walking must exceed rest before the trigger starts a
  /// recording.
  static let lead = WalkingTrigger.leads.lowerBound

  /// A detected walk. Times are in seconds from the first sample.
  struct Walk {
    var first: Double
    var last: Double
    /// The time at which the walk was detected.
    var found: Double
  }

  /// A recording that the trigger starts. Times are in seconds from the first sample.
  struct Beginning {
    /// The time at which the walk started, according to the trigger.
    var dated: Double
    /// The time at which the trigger decided to start the recording.
    var decided: Double
  }

  private(set) var walks: [Walk] = []
  private(set) var beginnings: [Beginning] = []
  let seconds: Double

  init(_ magnitudes: [Double], rate: Double) {
    seconds = Double(magnitudes.count) / rate
    var trigger = WalkingTrigger(lead: Self.lead, rate: rate)
    var present: WalkingDetector.Walk?
    for (place, magnitude) in magnitudes.enumerated() {
      let now = Double(place) / rate
      let decision = trigger.add(magnitude: magnitude, counter: UInt32(truncatingIfNeeded: place))
      if case .begin(let dated) = decision {
        beginnings.append(Beginning(dated: Double(dated) / rate, decided: now))
      }
      let walk = trigger.detector.walk
      if walk == nil, present != nil { end(trigger.detector.formerWalk?.last, rate: rate) }
      if let walk, present == nil {
        let first = Double(walk.first) / rate
        walks.append(Walk(first: first, last: now, found: now))
      }
      present = walk
    }
    // A walk that has not ended lasts until the end of the recording.
    if present != nil { end(magnitudes.count, rate: rate) }
  }

  private mutating func end(_ place: Int?, rate: Double) {
    guard let place else { return }
    walks[walks.count - 1].last = Double(place) / rate
  }

  func isWalking(at seconds: Double) -> Bool {
    walks.contains { $0.first <= seconds && seconds < $0.last }
  }

  /// Returns the first detected walk that overlaps a bout.
  func walk(in bout: GaitFolder.Bout) -> Walk? {
    walks.first { $0.first < bout.end && $0.last > bout.start }
  }
}
