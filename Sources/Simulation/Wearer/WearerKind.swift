/// The motion of simulated boards' wearers.
public enum WearerKind: Sendable {
  /// The boards lie on a table.
  case still
  /// The wearer walks forever.
  case walking
  /// The wearer runs forever.
  case running
  /// The wearer walks, falls this many seconds after the start, and then lies still.
  case falling(at: Double)
  /// The wearer alternates between standing and walking, for the given numbers of seconds.
  case intermittent(rest: Double, walk: Double)
  /// The wearer repeats a recorded motion.
  case recorded(RecordedWearer)

  func wearer(seed: UInt64, board: Int) -> any Wearer {
    switch self {
    case .still: StillWearer()
    case .walking: GaitWearer(seed: seed, board: board)
    case .running: GaitWearer(seed: seed, board: board, gait: .running)
    case .falling(let time): FallingWearer(seed: seed, board: board, at: time)
    case .intermittent(let rest, let walk):
      IntermittentWearer(seed: seed, board: board, rest: rest, walk: walk)
    case .recorded(let wearer): wearer
    }
  }

  /// The wearer's route. A recorded motion's route is unknown, so a walk is assumed.
  public var route: WalkRoute {
    switch self {
    case .still: WalkRoute(speed: 0)
    case .walking, .intermittent, .recorded: WalkRoute()
    case .running: WalkRoute(speed: Gait.running.speed)
    case .falling(let time): WalkRoute(stopAfter: time)
    }
  }
}
