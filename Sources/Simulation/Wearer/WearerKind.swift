/// What the wearers of simulated boards do.
public enum WearerKind: Sendable {
  /// The boards lie on a table.
  case still
  /// Somebody walks for ever.
  case walking
  /// Somebody runs for ever.
  case running
  /// Somebody walks, falls so many seconds after the start, and stays where they fell.
  case falling(at: Double)
  /// A recorded motion, repeated.
  case recorded(RecordedWearer)

  /// Who wears the board of this number.
  func wearer(seed: UInt64, board: Int) -> any Wearer {
    switch self {
    case .still: StillWearer()
    case .walking: GaitWearer(seed: seed, board: board)
    case .running: GaitWearer(seed: seed, board: board, gait: .running)
    case .falling(let time): FallingWearer(seed: seed, board: board, at: time)
    case .recorded(let wearer): wearer
    }
  }

  /// Where they go meanwhile. Nobody knows where a recording was made, so that it is taken for a
  /// walk.
  var route: WalkRoute {
    switch self {
    case .still: WalkRoute(speed: 0)
    case .walking, .recorded: WalkRoute()
    case .running: WalkRoute(speed: Gait.running.speed)
    case .falling(let time): WalkRoute(stopAfter: time)
    }
  }
}
