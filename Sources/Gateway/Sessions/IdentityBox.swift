internal import LinuxSystem
internal import Recording

/// A board's identity, completed during setup.
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
