internal import LinuxSystem
internal import Values
internal import Web

/// Pairs phones with a page that is served by a command running in a terminal. Normally, one PIN is
/// always valid: a new PIN is shown after a phone has used the current one, or after it has
/// expired.
///
/// After too many wrong PINs, no PIN is offered for ten minutes. After the daily limit of wrong
/// PINs, no PIN is offered for a day. Otherwise, a page that is served for months would allow
/// endless guessing.
final class PageDoor: Sendable {
  /// Minutes during which no PIN is offered, after too many wrong PINs and after the daily limit.
  private static let shutMinutes = (usually: 10, usedUp: 1_440)

  private let role: AccessRole
  private let tell: @Sendable (PageInvitation, _ guest: String?) -> Void
  private let server: Guarded<PageServer?> = Guarded(nil)
  private let task = Guarded<Task<Void, Never>?>(nil)

  /// Creates a door that assigns this role to each phone that pairs. `tell` is called with each
  /// PIN, and with the name of the phone that used the previous PIN.
  init(
    _ role: AccessRole, tell: @escaping @Sendable (PageInvitation, _ guest: String?) -> Void
  ) {
    self.role = role
    self.tell = tell
  }

  /// Starts offering PINs for a page server.
  func open(_ server: PageServer) {
    self.server.withLock { $0 = server }
    offer(to: nil)
  }

  func close() {
    server.withLock { $0 = nil }
    task.withLock { $0.take() }?.cancel()
  }

  /// Offers a new PIN after the phone `guest` was paired.
  func greet(_ guest: String) { offer(to: guest) }

  /// Stops offering PINs for a while. Returns the length of this pause in minutes.
  func shut(isUsedUp: Bool) -> Int {
    let minutes = isUsedUp ? Self.shutMinutes.usedUp : Self.shutMinutes.usually
    offerLater(seconds: Double(60 * minutes))
    return minutes
  }

  private func offer(to guest: String?) {
    guard let server = server.withLock({ $0 }) else { return }
    // A PIN is not shown if the server would not accept it.
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
