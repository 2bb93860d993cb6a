/// Whether walking predominates: the seconds of walking less those of rest, and the resulting
/// decision.
///
/// It receives the ends of walks and gaps, and does not know how they were found. All moments are
/// places of samples, and all lengths are numbers of samples.
///
/// States: `waiting` → `recording` when walking leads by `lead`. `recording` → `waiting` when rest
/// leads by `lead`. The balance never falls below 0, so only events since then count.
struct WalkingBalance: Sendable {
  private(set) var isRecording: Bool
  /// Samples by which walking, or rest, must lead.
  var lead: Int
  /// Samples after the last step at which the recording ends.
  private let margin: Int
  /// The balance at the place `since`; from there it rises or falls by one per sample.
  private var settled = 0
  private var since = 0
  private var isWalking = false
  /// The first step of the walk that began at a balance of 0.
  private var firstStep = 0
  private var lastStep = 0
  /// The end of the last recording; the next one begins after it.
  private var former = 0

  init(lead: Int, margin: Int, isRecording: Bool = false) {
    self.lead = lead
    self.margin = margin
    self.isRecording = isRecording
  }

  /// Samples by which walking leads, or rest during a recording, at a place not before the last
  /// event.
  func balance(at place: Int) -> Int {
    let passed = max(0, place - since)
    return isWalking == isRecording ? max(0, settled - passed) : settled + passed
  }

  /// Notes that a walk has begun.
  mutating func beginWalk(at first: Int) {
    let first = max(first, former)
    settle(at: first)
    if !isRecording, settled == 0 { firstStep = first }
    isWalking = true
  }

  /// Notes that the walk has ended.
  mutating func endWalk(at last: Int) {
    // The recording may have begun in a pause that proves to be the end of the walk.
    settle(at: last)
    isWalking = false
    lastStep = last
  }

  /// Notes missing samples. Movement in that time is unknown, so the balance stays.
  mutating func skip(from last: Int, to next: Int) {
    settle(at: last)
    since = next
  }

  private mutating func settle(at place: Int) {
    settled = balance(at: place)
    since = place
  }

  /// The decision after a walk that has reached `place`.
  mutating func walked(to place: Int) -> WalkingTrigger.Decision? {
    guard !isRecording, isWalking, balance(at: place) >= lead else { return nil }
    // The walk continues: the lead of rest is zero.
    (isRecording, settled, since) = (true, 0, place)
    return .begin(at: firstStep)
  }

  /// The decision after a rest that is certain up to `place`.
  mutating func rested(to place: Int) -> WalkingTrigger.Decision? {
    guard isRecording, !isWalking, place > since, balance(at: place) >= lead else { return nil }
    (isRecording, settled, since) = (false, 0, lastStep)
    former = lastStep + margin
    return .end(at: former)
  }
}
