/// Decides when to record, by comparing the time spent walking with the time spent at rest.
///
/// The caller reports the start and end of each walk, and any gaps; the method of detection does
/// not matter. All positions are sample positions, and all durations are numbers of samples.
///
/// States: `waiting` → `recording` when walking exceeds rest by `lead`. `recording` → `waiting`
/// when rest exceeds walking by `lead`. The difference never falls below 0, and events before it
/// last reached 0 have no influence.
struct WalkingBalance: Sendable {
  private(set) var isRecording: Bool
  /// Number of samples by which walking must exceed rest before a recording starts, and by which
  /// rest must exceed walking before it ends.
  var lead: Int
  /// Number of samples from the last step to the end of the recording.
  private let margin: Int
  /// Number of samples by which walking exceeds rest at the position `since` or, during a
  /// recording, by which rest exceeds walking. After this position, the number rises or falls by
  /// one per sample.
  private var settled = 0
  private var since = 0
  private var isWalking = false
  /// The position of the first step of the walk in which walking last began to exceed rest.
  private var firstStep = 0
  private var lastStep = 0
  /// The end of the last recording. The next recording must not begin before it.
  private var former = 0

  init(lead: Int, margin: Int, isRecording: Bool = false) {
    self.lead = lead
    self.margin = margin
    self.isRecording = isRecording
  }

  /// Returns the number of samples by which walking exceeds rest at a position, which must not
  /// precede the last event. During a recording, returns the number of samples by which rest
  /// exceeds walking.
  func balance(at place: Int) -> Int {
    let passed = max(0, place - since)
    return isWalking == isRecording ? max(0, settled - passed) : settled + passed
  }

  mutating func beginWalk(at first: Int) {
    let first = max(first, former)
    settle(at: first)
    if !isRecording, settled == 0 { firstStep = first }
    isWalking = true
  }

  mutating func endWalk(at last: Int) {
    // The recording may have started during a pause that turns out to be the end of the walk.
    settle(at: last)
    isWalking = false
    lastStep = last
  }

  /// Records missing samples. Movement in that time is unknown, so it counts neither as walking nor
  /// as rest.
  mutating func skip(from last: Int, to next: Int) {
    settle(at: last)
    since = next
  }

  private mutating func settle(at place: Int) {
    settled = balance(at: place)
    since = place
  }

  /// Returns the decision to start a recording if the walk, which lasts at least up to this
  /// position, is long enough; otherwise `nil`.
  mutating func walked(to place: Int) -> WalkingTrigger.Decision? {
    guard !isRecording, isWalking, balance(at: place) >= lead else { return nil }
    // The walk continues, so no rest has been counted yet.
    (isRecording, settled, since) = (true, 0, place)
    return .begin(at: firstStep)
  }

  /// Returns the decision to end the recording if rest, which is certain up to this position, is
  /// long enough; otherwise `nil`.
  mutating func rested(to place: Int) -> WalkingTrigger.Decision? {
    guard isRecording, !isWalking, place > since, balance(at: place) >= lead else { return nil }
    (isRecording, settled, since) = (false, 0, lastStep)
    former = lastStep + margin
    return .end(at: former)
  }
}
