/// Starts a recording once walking exceeds rest by a set time, and backdates the start to the first
/// step. Ends the recording once rest exceeds walking by the same time.
///
/// While no recording is running, the balance is the seconds of walking minus the seconds of rest.
/// During a recording, it is the seconds of rest minus the seconds of walking. The balance is never
/// negative. A stop at a traffic light therefore delays the start but does not prevent it, and
/// occasionally crossing a room does not start a recording.
///
/// The states and their transitions:
///
/// - *Waiting*, while the balance of walking over rest is 0. When a walk begins, the position of
///   its first step is stored, and the state becomes *leading*.
/// - *Leading*, while the balance of walking over rest is above 0. Walking raises the balance, and
///   rest lowers it. At 0 the state becomes *waiting* again, and the stored position is discarded.
///   At `lead` seconds the decision is `.begin` at that position, and the state becomes
///   *recording*.
/// - *Recording*, while the balance of rest over walking is 0. When the walk ends, the state
///   becomes *resting*.
/// - *Resting*, while the balance of rest over walking is above 0. Rest raises the balance, and
///   walking lowers it. At 0 the state becomes *recording* again. At `lead` seconds the decision is
///   `.end` one second after the last step, and the state becomes *waiting*.
///
/// Missing samples count neither as walking nor as rest. It takes a few seconds to be certain that
/// a walk has not continued. `.end` is therefore returned `WalkingDetector.usualDelay` seconds
/// after rest has exceeded walking by `lead` seconds. This delay does not change the position at
/// which the recording ends.
///
/// Positions are those of `WalkingDetector`. A recording begins at the first step, which is in the
/// past. The caller must therefore keep `lead` seconds of samples, plus twice the length of each
/// pause between the first step and the decision.
///
///     var trigger = WalkingTrigger(lead: 5, rate: 100)
///     var decisions: [WalkingTrigger.Decision] = []
///     for (counter, magnitude) in walk {
///       if let decision = trigger.add(magnitude: magnitude, counter: counter) {
///         decisions.append(decision)
///       }
///     }
public struct WalkingTrigger: Sendable {
  /// A decision, and the position of the first sample that it affects.
  public enum Decision: Hashable, Sendable {
    /// Begin a recording with the sample at this position.
    case begin(at: Int)
    /// End the recording with the sample at this position.
    case end(at: Int)
  }

  /// The valid values of `lead`, the seconds by which walking must exceed rest before a recording
  /// begins. With a smaller value, a few steps across a room would start a recording.
  public static let leads = 5.0...90.0
  /// The default number of seconds by which walking must exceed rest before a recording begins.
  public static let usualLead = 45.0
  /// Seconds for which a recording continues after the last step.
  private static let margin = 1.0

  /// Detects walks, and defines the positions.
  public private(set) var detector: WalkingDetector
  private let secondsPerSample: Double
  private let delay: Int
  private var balance: WalkingBalance
  private var runStart = 0
  /// The position at which the current walk began; `nil` while the wearer is at rest.
  private var walk: Int?

  /// `rate` is in samples per second. A recording begins once walking exceeds rest by `lead`
  /// seconds. If `isRecording` is true, a recording is already running. It ends once rest exceeds
  /// walking by the same time.
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

  /// Sets by how many seconds walking must exceed rest before a recording begins, and rest must
  /// exceed walking before it ends. Applies from the next sample onwards. The seconds counted so
  /// far are retained.
  public mutating func change(lead: Double) {
    precondition(lead > 0, "the lead must be above 0")
    balance.lead = Self.samples(in: lead, at: 1 / secondsPerSample)
  }

  public var isRecording: Bool { balance.isRecording }

  /// Seconds by which walking exceeds rest so far. During a recording, seconds by which rest
  /// exceeds walking.
  public var lead: Double {
    Double(balance.balance(at: detector.walk?.last ?? detector.place ?? 0)) * secondsPerSample
  }

  /// Adds the next sample: the magnitude of the acceleration in g, and the sample number assigned
  /// by the board. Returns the decision, if there is one.
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
