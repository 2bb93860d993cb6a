/// Begins a recording when walking leads, backdated to the first step, and ends it likewise.
///
/// Walking leads by the seconds of walking less those of rest. The balance never falls below 0. So
/// a stop at a traffic light delays the beginning but does not prevent it, and crossing a room now
/// and then begins nothing.
///
/// States and what ends them:
///
/// - *Waiting*, balance 0. A walk begins: its first step is noted, and the state is *leading*.
/// - *Leading*, balance above 0. Walking raises it, and rest lowers it. At 0 the state is *waiting*
///   again, and the step is discarded. At `lead` seconds the decision is `.begin` at that step, and
///   the state is *recording*.
/// - *Recording*, balance of rest 0. The walk ends: the state is *resting*.
/// - *Resting*: rest raises the balance, and walking lowers it. At 0 the state is *recording*
///   again. At `lead` seconds the decision is `.end` a second after the very last step, and the
///   state is *waiting*.
///
/// Missing samples change no balance. Only after some seconds is it certain that a walk continues,
/// so `.end` comes `WalkingDetector.usualDelay` after the balance, but is not dated later.
///
/// Places are those of `WalkingDetector`. Keep enough samples for the longest backdating: the lead,
/// and the same again for each pause to be bridged.
///
///     var trigger = WalkingTrigger(lead: 5, rate: 100)
///     var decisions: [WalkingTrigger.Decision] = []
///     for (counter, magnitude) in walk {
///       if let decision = trigger.add(magnitude: magnitude, counter: counter) {
///         decisions.append(decision)
///       }
///     }
public struct WalkingTrigger: Sendable {
  /// A decision, and the first sample that it affects.
  public enum Decision: Hashable, Sendable {
    /// Begin a recording with the sample at this place.
    case begin(at: Int)
    /// End the recording with the sample at this place.
    case end(at: Int)
  }

  /// The valid leads, in seconds. With a shorter lead, a few steps in a room begin a recording.
  public static let leads = 5.0...90.0
  /// The usual lead, in seconds.
  public static let usualLead = 45.0
  /// Seconds for which a recording continues after the last step.
  private static let margin = 1.0

  /// The detector, for its places.
  public private(set) var detector: WalkingDetector
  private let secondsPerSample: Double
  private let delay: Int
  private var balance: WalkingBalance
  private var runStart = 0
  /// The first step of the walk that the balance includes.
  private var walk: Int?

  /// A trigger for a stream of `rate` samples a second, with a lead in seconds. With `isRecording`,
  /// a recording is already running: rest must lead before it ends.
  public init(lead: Double = usualLead, rate: Double, isRecording: Bool = false) {
    precondition(lead > 0, "the lead must be above 0")
    detector = WalkingDetector(rate: rate)
    secondsPerSample = 1 / rate
    delay = Int((WalkingDetector.usualDelay * rate).rounded())
    balance = WalkingBalance(
      lead: Self.samples(in: lead, at: rate), margin: Int((Self.margin * rate).rounded()),
      isRecording: isRecording)
  }

  private static func samples(in lead: Double, at rate: Double) -> Int {
    Int((lead * rate).rounded(.up))
  }

  /// Changes the lead, in seconds, from the next sample on. The balance stays.
  public mutating func change(lead: Double) {
    precondition(lead > 0, "the lead must be above 0")
    balance.lead = Self.samples(in: lead, at: 1 / secondsPerSample)
  }

  /// Whether a recording is running.
  public var isRecording: Bool { balance.isRecording }

  /// Seconds by which walking leads, or by which rest leads during a recording.
  public var lead: Double {
    Double(balance.balance(at: detector.walk?.last ?? detector.place ?? 0)) * secondsPerSample
  }

  /// Adds the next sample: the magnitude of the acceleration in g, and its number on the board.
  public mutating func add(magnitude: Double, counter: UInt32) -> Decision? {
    let previous = detector.place ?? 0
    detector.add(magnitude: magnitude, counter: counter)
    if walk != nil, detector.walk?.first != walk {
      balance.endWalk(at: detector.formerWalk?.last ?? previous)
      walk = nil
    }
    if detector.runStart != runStart {
      balance.skip(from: previous, to: detector.runStart)
      runStart = detector.runStart
    }
    guard let present = detector.walk else {
      return balance.rested(to: (detector.place ?? 0) - delay)
    }
    if walk == nil {
      balance.beginWalk(at: present.first)
      walk = present.first
    }
    return balance.walked(to: present.last)
  }
}
