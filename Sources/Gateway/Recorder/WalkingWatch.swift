internal import Recording
internal import Values

/// Detects walking from a recording's accelerometers, with one `WalkingTrigger` per board.
///
/// A walk continues while at least one board detects it. A board is ignored once it has been silent
/// for slightly longer than `lead`, the number of seconds by which walking must exceed rest.
struct WalkingWatch: Sendable {
  /// The sample at a walk's first step.
  struct Step: Hashable, Sendable {
    var board: UInt16
    var stream: UInt8
    var counter: UInt32
  }

  private struct Foot: Sendable {
    let board: UInt16
    let stream: UInt8
    let description: StreamDescription
    var trigger: WalkingTrigger
    var counter: UInt32 = 0
    var last: BootTime?

    var isWalking: Bool { trigger.detector.walk != nil }
  }

  /// The signal used to recognise walking.
  static let signal = "acceleration"
  /// The minimum sample rate in hertz at which walking can be recognised.
  static let leastRate = 12.0

  private var lead: Double
  private var feet: [Foot] = []
  /// Index of each board in `feet`, by board number.
  private var positions: [Int?] = []
  /// Whether a walk is in progress. On at least one board, walking has exceeded rest by `lead`
  /// seconds, and rest has not exceeded walking by that much since.
  private(set) var isOn = false
  /// If a recorder was interrupted during a walk, the wearer of a board that is first heard before
  /// this time is assumed to be walking. `nil` if there was no interruption.
  private var expectedUntil: BootTime?
  /// Whether a wearer is walking now.
  private(set) var isWalking = false

  /// Creates a watch that detects a walk once walking exceeds rest by `lead` seconds.
  init(lead: Double) {
    self.lead = lead
  }

  mutating func change(lead: Double) {
    self.lead = lead
    for index in feet.indices { feet[index].trigger.change(lead: lead) }
  }

  /// Adds a board, if its accelerometer is fast enough.
  mutating func add(_ board: RegisteredBoard) {
    guard
      let index = board.streams.firstIndex(where: {
        $0.signal == Self.signal && $0.rate >= Self.leastRate
      })
    else { return }
    while positions.count <= Int(board.number) { positions.append(nil) }
    positions[Int(board.number)] = feet.count
    feet.append(
      Foot(
        board: board.number, stream: UInt8(index), description: board.streams[index],
        trigger: trigger(board.streams[index])))
  }

  private func trigger(
    _ stream: StreamDescription, isRecording: Bool = false
  ) -> WalkingTrigger {
    WalkingTrigger(lead: lead, rate: stream.rate, isRecording: isRecording)
  }

  /// Assumes that a board's wearer is walking if its first sample arrives before `time`. If `time`
  /// is `nil`, the board must detect the walk first.
  mutating func expectWalk(until time: BootTime?) {
    if time == nil, expectedUntil != nil {
      for index in feet.indices { feet[index].trigger = trigger(feet[index].description) }
      judge()
    }
    expectedUntil = time
  }

  /// Forgets the interrupted walk, because its session has ended.
  mutating func endExpectation() { expectedUntil = nil }

  var isHeard: Bool { feet.contains { $0.last != nil } }

  /// The largest number of seconds by which walking exceeds rest on any board, or 0 during a walk.
  var leadSeconds: Double {
    isOn ? 0 : feet.map(\.trigger.lead).max() ?? 0
  }

  /// Processes a reading. Returns a walk's first step if, with this reading, walking exceeds rest
  /// by `lead` seconds on the board.
  mutating func take(_ reading: Reading) -> Step? {
    guard reading.kind == .sample, Int(reading.board) < positions.count,
      let index = positions[Int(reading.board)], feet[index].stream == reading.stream
    else { return nil }
    let description = feet[index].description
    let force = SIMD3(
      description.value(of: reading.x), description.value(of: reading.y),
      description.value(of: reading.z))
    if feet[index].last == nil, let expectedUntil, reading.arrival <= expectedUntil {
      feet[index].trigger = trigger(description, isRecording: true)
    }
    feet[index].counter = reading.counter
    feet[index].last = reading.arrival
    let decision = feet[index].trigger.add(
      magnitude: (force * force).sum().squareRoot(), counter: reading.counter)
    judge()
    guard case .begin(let place) = decision, let now = feet[index].trigger.detector.place else {
      return nil
    }
    return Step(
      board: reading.board, stream: reading.stream,
      counter: reading.counter &- UInt32(truncatingIfNeeded: now - place))
  }

  /// Ends the walks of boards that have fallen silent.
  mutating func look(at now: BootTime) {
    for index in feet.indices where feet[index].trigger.isRecording || feet[index].isWalking {
      guard let last = feet[index].last,
        now.seconds(since: last) > lead + WalkingDetector.usualDelay
      else { continue }
      feet[index].trigger = trigger(feet[index].description)
      judge()
    }
  }

  private mutating func judge() {
    isOn = feet.contains { $0.trigger.isRecording }
    isWalking = feet.contains { $0.isWalking }
  }
}
