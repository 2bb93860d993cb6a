public import Values

/// Who may pair a browser, and how often anybody may try: a PIN that the gateway's user made, and
/// the tries of all clients together.
///
/// A value without a clock. It is in memory only: a gateway that starts again has no PIN.
///
///     var pairing = Pairing()
///     let pin = PIN(using: &generator)
///     pairing.offer(pin, role: .operate, at: now)
///     let role = try pairing.attempt(pin.revealed, at: now.advanced(bySeconds: 30))
///
/// The limits do not know clients apart. Behind a proxy or an address translator they look alike,
/// and a phone can have as many addresses of IPv6 as it likes.
public struct Pairing: Sendable {
  /// How long a PIN is valid, and how often it may be tried.
  public struct Limits: Hashable, Sendable {
    /// Seconds for which a PIN is valid, unless a device used it.
    public var validSeconds = 600.0
    /// Tries in each `windowSeconds`, by all clients together.
    public var triesInWindow = 5
    /// Seconds after which a try no longer counts against `triesInWindow`.
    public var windowSeconds = 60.0
    /// Wrong tries after which a PIN is void. Guessing so often finds one of 67,000 PINs.
    public var wrongTries = 15

    /// The usual limits.
    public init() {}
  }

  private struct Offer {
    var pin: PIN
    var role: AccessRole
    var end: BootTime
    var wrong = 0
  }

  private let limits: Limits
  private var offer: Offer?
  /// The latest tries that were looked at, the oldest first; `triesInWindow` at most.
  private var tries: [BootTime] = []

  /// No PIN yet.
  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Makes a PIN valid from now on, for one device with this role. A former PIN becomes void. The
  /// limit of tries goes on, so that new PINs do not make room for more guesses.
  public mutating func offer(_ pin: PIN, role: AccessRole, at now: BootTime) {
    offer = Offer(pin: pin, role: role, end: now.advanced(bySeconds: limits.validSeconds))
  }

  /// Makes the PIN void, if there is one.
  public mutating func withdraw() { offer = nil }

  /// The role of the valid PIN, and the seconds for which it stays valid; `nil` if there is none.
  public func offered(at now: BootTime) -> (role: AccessRole, seconds: Double)? {
    guard let offer, now < offer.end else { return nil }
    return (offer.role, offer.end.seconds(since: now))
  }

  /// A client's try. Returns the role of its device; the PIN is then used up.
  ///
  /// A try beyond the limit is refused without a look at the PIN, and does not count as one.
  public mutating func attempt(
    _ text: String, at now: BootTime
  ) throws(AccessRefusal) -> AccessRole {
    tries.removeAll { now.seconds(since: $0) >= limits.windowSeconds }
    if tries.count >= limits.triesInWindow, let oldest = tries.first {
      let wait = limits.windowSeconds - now.seconds(since: oldest)
      throw .tooManyTries(seconds: max(1, Int(min(wait, limits.windowSeconds).rounded(.up))))
    }
    // Also without a PIN: whether there is one must not be found out by asking all the time.
    tries.append(now)
    guard var current = offer, now < current.end else {
      offer = nil
      throw .noPIN
    }
    if current.pin.matches(text) {
      offer = nil
      return current.role
    }
    current.wrong += 1
    let left = limits.wrongTries - current.wrong
    offer = left > 0 ? current : nil
    throw .wrongPIN(left: max(0, left))
  }
}
