internal import Values

/// Marks each fix that follows a loss. A loss is an epoch without a fix, or a silence of more than
/// three receiver cycles. The path between the last fix before a loss and the first fix after it is
/// unknown.
public struct FixMarker: Sendable {
  /// Number of recent intervals between fixes that determine the cycle.
  private static let memory = 5

  private var last: BootTime?
  private var steps: [Int64] = []
  private var isLost = false

  public init() {}

  /// Processes a report. Returns the report's fix, marked if it follows a loss; `nil` for an epoch
  /// without a fix.
  public mutating func mark(_ report: PositionReport) -> Fix? {
    guard case .fix(var fix) = report else {
      isLost = true
      return nil
    }
    if let last {
      let step = fix.arrival.nanoseconds &- last.nanoseconds
      if step > FixTrack.longestGap * cycle { isLost = true }
      if steps.count == Self.memory { steps.removeFirst() }
      steps.append(step)
    }
    last = fix.arrival
    if isLost { fix.followsLoss = true }
    isLost = false
    return fix
  }

  /// The typical interval between recent fixes, in nanoseconds.
  private var cycle: Int64 {
    steps.count < 3
      ? FixTrack.usualCycle : min(steps.sorted()[steps.count / 2], FixTrack.longestCycle)
  }
}
