/// Whether walking leads: the seconds of walking less those of no walking, and what follows from
/// it.
///
/// It gets the ends of walks and gaps, and does not know how they were found. All moments are
/// places of samples, and so are all lengths.
///
/// States: `waiting` → `recording` when walking leads by `lead`. `recording` → `waiting` when rest
/// leads by `lead`. In each state the balance is 0 at least, so that only what has happened since
/// then counts.
struct WalkingBalance: Sendable {
  private(set) var isRecording: Bool
  /// By how many samples walking has to lead, or rest.
  var lead: Int
  /// Samples by which the end is dated after the last step.
  private let margin: Int
  /// The balance at the place `since`, from which on it rises or falls by one a sample.
  private var settled = 0
  private var since = 0
  private var isWalking = false
  /// The first step of the walk that began at a balance of 0.
  private var firstStep = 0
  private var lastStep = 0
  /// The end of the last recording: the next one begins after it.
  private var former = 0

  init(lead: Int, margin: Int, isRecording: Bool = false) {
    self.lead = lead
    self.margin = margin
    self.isRecording = isRecording
  }

  /// By how many samples walking leads, or rest during a recording, at a place that is not before
  /// the last event.
  func balance(at place: Int) -> Int {
    let passed = max(0, place - since)
    return isWalking == isRecording ? max(0, settled - passed) : settled + passed
  }

  /// A walk has begun.
  mutating func beginWalk(at first: Int) {
    let first = max(first, former)
    settle(at: first)
    if !isRecording, settled == 0 { firstStep = first }
    isWalking = true
  }

  /// The walk is over.
  mutating func endWalk(at last: Int) {
    // The recording may have begun in a pause that is the end of the walk now.
    settle(at: last)
    isWalking = false
    lastStep = last
  }

  /// Samples are missing. What the wearer did meanwhile is unknown, so it changes nothing.
  mutating func skip(from last: Int, to next: Int) {
    settle(at: last)
    since = next
  }

  private mutating func settle(at place: Int) {
    settled = balance(at: place)
    since = place
  }

  /// What follows from a walk that has come to `place`.
  mutating func walked(to place: Int) -> WalkingTrigger.Decision? {
    guard !isRecording, isWalking, balance(at: place) >= lead else { return nil }
    // The walk goes on: rest leads by nothing.
    (isRecording, settled, since) = (true, 0, place)
    return .begin(at: firstStep)
  }

  /// What follows from a rest that is certain up to `place`.
  mutating func rested(to place: Int) -> WalkingTrigger.Decision? {
    guard isRecording, !isWalking, place > since, balance(at: place) >= lead else { return nil }
    (isRecording, settled, since) = (false, 0, lastStep)
    former = lastStep + margin
    return .end(at: former)
  }
}
