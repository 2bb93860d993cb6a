/// The motion of simulated boards' wearers.
public enum WearerKind: Sendable {
  /// The boards lie on a table.
  case still
  /// The wearer walks for ever.
  case walking
  /// The wearer runs for ever.
  case running
  /// The wearer walks, falls this many seconds after the start, and stays there.
  case falling(at: Double)
  /// The wearer stands and then walks, for these numbers of seconds, again and again.
  case intermittent(rest: Double, walk: Double)
  /// A recorded motion, repeated.
  case recorded(RecordedWearer)

  /// The wearer of the board with this number.
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

  /// The wearer's route. The place of a recording is unknown, so it counts as a walk.
  public var route: WalkRoute {
    switch self {
    case .still: WalkRoute(speed: 0)
    case .walking, .intermittent, .recorded: WalkRoute()
    case .running: WalkRoute(speed: Gait.running.speed)
    case .falling(let time): WalkRoute(stopAfter: time)
    }
  }
}
