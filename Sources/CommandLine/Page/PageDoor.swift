internal import LinuxSystem
internal import Values
internal import Web

/// Pairs phones with a page that a command serves in a terminal: there is always a valid PIN. The
/// next one is shown after a phone has used it, and after it has expired.
///
/// After too many wrong tries have voided a PIN, no other is offered for ten minutes. Once the
/// wrong tries of a day are used up, none is offered for a day: a page that is served for months
/// must not allow endless guessing.
final class PageDoor: Sendable {
  /// Minutes without a PIN: usually, and once the wrong tries of a day are used up.
  private static let shutMinutes = (usually: 10, usedUp: 1_440)

  private let role: AccessRole
  private let tell: @Sendable (PageInvitation, _ guest: String?) -> Void
  private let server: Guarded<PageServer?> = Guarded(nil)
  private let task = Guarded<Task<Void, Never>?>(nil)

  /// A door for phones with this role. `tell` is called with each PIN, and with the name of the
  /// phone that used the previous one.
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

  /// Offers another PIN after a phone is paired.
  func greet(_ guest: String) { offer(to: guest) }

  /// Offers no other PIN for a while, and returns the minutes.
  func shut(isUsedUp: Bool) -> Int {
    let minutes = isUsedUp ? Self.shutMinutes.usedUp : Self.shutMinutes.usually
    offerLater(seconds: Double(60 * minutes))
    return minutes
  }

  private func offer(to guest: String?) {
    guard let server = server.withLock({ $0 }) else { return }
    // A PIN that nobody may type is not shown.
    guard !server.isUsedUp else { return offerLater(seconds: 3_600) }
    let invitation = server.invitation(role, isAsked: false)
    tell(invitation, guest)
    offerLater(seconds: Double(invitation.seconds))
  }

  private func offerLater(seconds: Double) {
    let renewal = Task { [weak self] in
      guard (try? await Pause.seconds(seconds)) != nil else { return }
      self?.offer(to: nil)
    }
    task.withLock { task in
      task?.cancel()
      task = renewal
    }
  }
}
