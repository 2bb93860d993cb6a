internal import LinuxSystem
internal import Values
internal import WebAccess

/// Lets phones in at a page whose server runs in a terminal: there is always a PIN that is good.
/// The next one is shown when a phone has used it, and when it has become too old.
final class PageDoor: Sendable {
  private let role: AccessRole
  private let tell: @Sendable (PageInvitation, _ guest: String?) -> Void
  private let server: Guarded<PageServer?> = Guarded(nil)
  private let task = Guarded<Task<Void, Never>?>(nil)

  /// A door for phones with this role. `tell` is called with each PIN, and with the name of the
  /// phone that used the one before.
  init(
    _ role: AccessRole, tell: @escaping @Sendable (PageInvitation, _ guest: String?) -> Void
  ) {
    self.role = role
    self.tell = tell
  }

  /// Opens the door of a server.
  func open(_ server: PageServer) {
    self.server.withLock { $0 = server }
    offer(to: nil)
  }

  /// Offers no more PINs.
  func close() {
    server.withLock { $0 = nil }
    task.withLock { $0.take() }?.cancel()
  }

  /// Offers another PIN after a phone has come in.
  func greet(_ guest: String) { offer(to: guest) }

  private func offer(to guest: String?) {
    guard let server = server.withLock({ $0 }) else { return }
    let invitation = server.invitation(role)
    tell(invitation, guest)
    let renewal = Task { [weak self] in
      guard (try? await Pause.seconds(Double(invitation.seconds))) != nil else { return }
      self?.offer(to: nil)
    }
    task.withLock { task in
      task?.cancel()
      task = renewal
    }
  }
}
