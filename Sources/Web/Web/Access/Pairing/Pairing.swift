public import Values

/// Decides who may pair a browser by entering a PIN that the gateway's user created. Limits the
/// attempts by each client and by all clients together.
///
/// The caller supplies the time. The state exists only in memory, so a gateway has no PIN after a
/// restart.
///
///     var pairing = Pairing()
///     let pin = PIN()
///     pairing.offer(pin, role: .operate, at: now)
///     let role = try pairing.attempt(
///       pin.revealed, from: "192.168.4.20", at: now.advanced(bySeconds: 30))
///
/// Behind a proxy or network address translation, clients share an address, and an attacker may
/// have several addresses. The limits for all clients therefore apply as well.
public struct Pairing: Sendable {
  /// Limits on the validity of a PIN and on attempts.
  public struct Limits: Hashable, Sendable {
    /// Validity of an unused PIN in seconds.
    public var validSeconds = 600.0
    /// Maximum number of attempts per client in any period of `windowSeconds`, even when no PIN is
    /// valid.
    public var triesInWindow = 5
    /// Seconds after which an attempt no longer counts against `triesInWindow`.
    public var windowSeconds = 60.0
    /// Maximum number of wrong attempts by all clients before a PIN becomes invalid. An attacker
    /// with this many guesses has a 1 in 67,000 chance of success.
    public var wrongTries = 15
    /// Maximum number of wrong attempts per client in `daySeconds`.
    public var wrongTriesOfClient = 5
    /// Maximum number of wrong attempts by all clients in `daySeconds`, even if new PINs are
    /// created automatically in that time.
    public var wrongTriesOfAll = 30
    /// Seconds after which a wrong attempt no longer counts against the daily limits.
    public var daySeconds = 86_400.0

    public init() {}
  }

  private struct Offer {
    var pin: PIN
    var role: AccessRole
    var end: BootTime
    var wrong = 0
  }

  private struct Try {
    var client: String
    var time: BootTime
  }

  /// Maximum number of attempts that are remembered. The limit prevents a large number of clients
  /// from exhausting memory. The oldest attempts are dropped first.
  private static let mostTries = 256

  private let limits: Limits
  private var offer: Offer?
  /// The latest attempts by all clients, oldest first.
  private var tries: [Try] = []
  /// The wrong attempts in the last day, oldest first; at most `wrongTriesOfAll`.
  private var wrong: [Try] = []

  /// Creates a state in which no PIN is valid.
  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Makes a PIN valid for one device with this role. The previous PIN becomes invalid.
  ///
  /// If a user requested the PIN (`isAsked`), the day's count of wrong attempts is reset. A PIN
  /// created automatically does not allow any more guesses.
  public mutating func offer(
    _ pin: PIN, role: AccessRole, isAsked: Bool = true, at now: BootTime
  ) {
    if isAsked { wrong = [] }
    offer = Offer(pin: pin, role: role, end: now.advanced(bySeconds: limits.validSeconds))
  }

  /// Invalidates the current PIN.
  public mutating func withdraw() { offer = nil }

  /// Returns the valid PIN's role and the seconds until it expires; `nil` if no PIN is valid.
  public func offered(at now: BootTime) -> (role: AccessRole, seconds: Double)? {
    guard let offer, now < offer.end else { return nil }
    return (offer.role, offer.end.seconds(since: now))
  }

  /// Returns whether the wrong attempts by all clients have reached the daily limit. If so, no PIN
  /// is accepted.
  public func isUsedUp(at now: BootTime) -> Bool {
    wrong.count { now.seconds(since: $0.time) < limits.daySeconds } >= limits.wrongTriesOfAll
  }

  /// Handles a client's attempt. If the PIN is correct, returns the role for the device,
  /// invalidates the PIN, and clears the earlier wrong attempts.
  ///
  /// An attempt that exceeds a limit is refused without a check of the PIN, and is not counted.
  public mutating func attempt(
    _ text: String, from client: String, at now: BootTime
  ) throws(AccessRefusal) -> AccessRole {
    tries.removeAll { now.seconds(since: $0.time) >= limits.windowSeconds }
    wrong.removeAll { now.seconds(since: $0.time) >= limits.daySeconds }
    guard !isUsedUp(at: now) else { throw .triesUsedUp(byAll: true) }
    guard wrong.count(where: { $0.client == client }) < limits.wrongTriesOfClient else {
      throw .triesUsedUp(byAll: false)
    }
    let own = tries.filter { $0.client == client }
    if own.count >= limits.triesInWindow, let oldest = own.first {
      let wait = limits.windowSeconds - now.seconds(since: oldest.time)
      throw .tooManyTries(seconds: max(1, Int(min(wait, limits.windowSeconds).rounded(.up))))
    }
    // Attempts count even if no PIN is valid. Otherwise, repeated attempts would reveal whether a
    // PIN is valid.
    tries.append(Try(client: client, time: now))
    if tries.count > Self.mostTries { tries.removeFirst() }
    guard var current = offer, now < current.end else {
      offer = nil
      throw .noPIN
    }
    if current.pin.matches(text) {
      offer = nil
      wrong = []
      return current.role
    }
    current.wrong += 1
    wrong.append(Try(client: client, time: now))
    let left = min(limits.wrongTries - current.wrong, limits.wrongTriesOfAll - wrong.count)
    offer = left > 0 ? current : nil
    throw .wrongPIN(left: max(0, left))
  }
}
