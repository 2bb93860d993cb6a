public import Values

/// Who may pair a browser, and how often anybody may try: a PIN that the gateway's user made, and
/// the tries of each client and of all together.
///
/// A value without a clock. It is in memory only: a gateway that starts again has no PIN.
///
///     var pairing = Pairing()
///     let pin = PIN(using: &generator)
///     pairing.offer(pin, role: .operate, at: now)
///     let role = try pairing.attempt(
///       pin.revealed, from: "192.168.4.20", at: now.advanced(bySeconds: 30))
///
/// Behind a proxy or an address translator clients look alike, and a stranger can have several
/// addresses. The limits for all therefore hold too.
public struct Pairing: Sendable {
  /// How long a PIN is valid, and how often it may be tried.
  public struct Limits: Hashable, Sendable {
    /// Seconds for which a PIN is valid, unless a device used it.
    public var validSeconds = 600.0
    /// Tries of a client in each `windowSeconds`, also where no PIN is valid.
    public var triesInWindow = 5
    /// Seconds after which a try no longer counts against `triesInWindow`.
    public var windowSeconds = 60.0
    /// Wrong tries of all clients after which a PIN is void. Guessing so often finds one of 67,000
    /// PINs.
    public var wrongTries = 15
    /// Wrong tries of a client in `daySeconds`.
    public var wrongTriesOfClient = 5
    /// Wrong tries of all clients in `daySeconds`, whatever PINs were made by themselves meanwhile.
    public var wrongTriesOfAll = 30
    /// Seconds after which a wrong try no longer counts against the last two limits.
    public var daySeconds = 86_400.0

    /// The usual limits.
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

  /// Tries to remember at most, so that many clients cannot fill the memory. Beyond that, the
  /// oldest is forgotten.
  private static let mostTries = 256

  private let limits: Limits
  private var offer: Offer?
  /// The latest tries of all clients, the oldest first.
  private var tries: [Try] = []
  /// The wrong tries of a day, the oldest first; `wrongTriesOfAll` at most.
  private var wrong: [Try] = []

  /// No PIN yet.
  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Makes a PIN valid from now on, for one device with this role. A former PIN becomes void.
  ///
  /// If somebody asked for it (`isAsked`), the wrong tries of the day are forgotten. A PIN that is
  /// made by itself makes no room for more guesses.
  public mutating func offer(
    _ pin: PIN, role: AccessRole, isAsked: Bool = true, at now: BootTime
  ) {
    if isAsked { wrong = [] }
    offer = Offer(pin: pin, role: role, end: now.advanced(bySeconds: limits.validSeconds))
  }

  /// Makes the PIN void, if there is one.
  public mutating func withdraw() { offer = nil }

  /// The role of the valid PIN, and the seconds for which it stays valid; `nil` if there is none.
  public func offered(at now: BootTime) -> (role: AccessRole, seconds: Double)? {
    guard let offer, now < offer.end else { return nil }
    return (offer.role, offer.end.seconds(since: now))
  }

  /// Whether all clients together have used the wrong tries of a day up. No PIN is taken then.
  public func isUsedUp(at now: BootTime) -> Bool {
    wrong.count { now.seconds(since: $0.time) < limits.daySeconds } >= limits.wrongTriesOfAll
  }

  /// A client's try. Returns the role of its device; the PIN is then used up, and the wrong tries
  /// before it are forgotten.
  ///
  /// A try beyond a limit is refused without a look at the PIN, and does not count as one.
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
    // Also without a PIN: whether there is one must not be found out by asking all the time.
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
