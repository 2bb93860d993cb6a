internal import LinuxSystem
internal import Recording

/// The identity of a board, completed during setup.
final class IdentityBox: Sendable {
  private let held: Guarded<BoardIdentity>

  init(_ identity: BoardIdentity) {
    held = Guarded(identity)
  }

  var value: BoardIdentity {
    get { held.withLock { $0 } }
    set { held.withLock { $0 = newValue } }
  }
}
