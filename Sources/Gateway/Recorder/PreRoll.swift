internal import Recording
internal import Values

/// The most recent readings, positions and events, buffered so that a session can start with them.
struct PreRoll: Sendable {
  /// Readings are dropped in whole blocks, so that memory is neither moved nor duplicated.
  private static let blockSize = 1_024

  private var blocks: [[Reading]] = []
  private(set) var reports: [PositionReport] = []
  private(set) var events: [SessionEvent] = []

  var isEmpty: Bool { blocks.isEmpty && reports.isEmpty && events.isEmpty }

  /// Arrival time of the oldest reading.
  var start: BootTime? { blocks.first?.first?.arrival }

  mutating func add(_ reading: Reading) {
    if blocks.last.map({ $0.count == Self.blockSize }) ?? true {
      var block: [Reading] = []
      block.reserveCapacity(Self.blockSize)
      blocks.append(block)
    }
    blocks[blocks.count - 1].append(reading)
  }

  mutating func add(_ report: PositionReport) { reports.append(report) }
  mutating func add(_ event: SessionEvent) { events.append(event) }

  /// Drops everything before `time`. A block of readings remains until its last reading is older
  /// than `time`.
  mutating func forget(before time: BootTime) {
    var old = 0
    while old < blocks.count, let last = blocks[old].last, last.arrival < time { old += 1 }
    if old > 0 { blocks.removeFirst(old) }
    if let first = reports.first, first.arrival < time { reports.removeAll { $0.arrival < time } }
    if let first = events.first, first.time < time { events.removeAll { $0.time < time } }
  }

  /// Returns the arrival time of the newest sample that has the step's sample number, or `nil` if
  /// the pre-roll contains no such sample.
  func arrival(of step: WalkingWatch.Step) -> BootTime? {
    for block in blocks.reversed() {
      for reading in block.reversed()
      where reading.kind == .sample && reading.board == step.board && reading.stream == step.stream
        && reading.counter == step.counter
      {
        return reading.arrival
      }
    }
    return nil
  }

  var readings: some Sequence<Reading> { blocks.lazy.joined() }

  mutating func removeAll() {
    blocks.removeAll()
    reports.removeAll()
    events.removeAll()
  }
}

extension PositionReport {
  var arrival: BootTime {
    switch self {
    case .fix(let fix): fix.arrival
    case .noFix(let arrival): arrival
    }
  }
}
