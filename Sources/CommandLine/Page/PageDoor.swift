internal import LinuxSystem
internal import Values
internal import WebAccess

/// Lets phones in at a page whose server runs in a terminal: there is a PIN that is good. The next
/// one is shown when a phone has used it, and when it has become too old.
///
/// After a PIN that was guessed at until it was void, the door stays shut for ten minutes, then for
/// twenty, and so on: a page that is served for months must not be guessed at all the time.
final class PageDoor: Sendable {
  /// Minutes for which the door is shut first, and at most.
  private static let shutMinutes = (first: 10, most: 1_440)

  private let role: AccessRole
  private let tell: @Sendable (PageInvitation, _ guest: String?) -> Void
  private let server: Guarded<PageServer?> = Guarded(nil)
  private let task = Guarded<Task<Void, Never>?>(nil)
  /// Times in a row that a PIN was guessed at until it was void.
  private let shuts = Guarded(0)

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
  func greet(_ guest: String) {
    shuts.withLock { $0 = 0 }
    offer(to: guest)
  }

  /// Offers no other PIN for a while, and returns the minutes.
  func shut() -> Int {
    let times = shuts.withLock { shuts in
      defer { shuts += 1 }
      return min(shuts, 10)
    }
    let minutes = min(Self.shutMinutes.first << times, Self.shutMinutes.most)
    offerLater(seconds: Double(60 * minutes))
    return minutes
  }

  private func offer(to guest: String?) {
    guard let server = server.withLock({ $0 }) else { return }
    let invitation = server.invitation(role)
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
