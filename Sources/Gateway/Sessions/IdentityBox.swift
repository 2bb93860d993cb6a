internal import LinuxSystem
internal import Recording

/// Who a board is, as it becomes known while it is set up.
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
