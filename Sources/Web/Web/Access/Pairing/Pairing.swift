public import Values

/// Decides who may pair a browser and how often clients may try: a PIN made by the gateway's user,
/// and the tries of each client and of all clients together.
///
/// A value without a clock, in memory only: after a restart, a gateway has no PIN.
///
///     var pairing = Pairing()
///     let pin = PIN(using: &generator)
///     pairing.offer(pin, role: .operate, at: now)
///     let role = try pairing.attempt(
///       pin.revealed, from: "192.168.4.20", at: now.advanced(bySeconds: 30))
///
/// Behind a proxy or an address translator clients look alike, and a stranger can have several
/// addresses. Therefore the limits for all clients apply too.
public struct Pairing: Sendable {
  /// Limits on the validity of a PIN and on tries.
  public struct Limits: Hashable, Sendable {
    /// Seconds for which a PIN is valid, unless a device used it.
    public var validSeconds = 600.0
    /// Tries of a client in each `windowSeconds`, even while no PIN is valid.
    public var triesInWindow = 5
    /// Seconds after which a try no longer counts against `triesInWindow`.
    public var windowSeconds = 60.0
    /// Wrong tries of all clients after which a PIN is void. This many guesses hit one PIN in
    /// 67,000.
    public var wrongTries = 15
    /// Wrong tries of a client in `daySeconds`.
    public var wrongTriesOfClient = 5
    /// Wrong tries of all clients in `daySeconds`, even if new PINs were made automatically
    /// meanwhile.
    public var wrongTriesOfAll = 30
    /// Seconds after which a wrong try no longer counts against the last two limits.
    public var daySeconds = 86_400.0

    /// The defaults.
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

  /// The most tries remembered, so that many clients cannot fill the memory. Beyond that, the
  /// oldest is forgotten.
  private static let mostTries = 256

  private let limits: Limits
  private var offer: Offer?
  /// The latest tries of all clients, oldest first.
  private var tries: [Try] = []
  /// The wrong tries of a day, oldest first; at most `wrongTriesOfAll`.
  private var wrong: [Try] = []

  /// Without a PIN.
  public init(limits: Limits = Limits()) {
    self.limits = limits
  }

  /// Makes a PIN valid from now on, for one device with this role. The former PIN becomes void.
  ///
  /// If a person asked for it (`isAsked`), the wrong tries of the day are forgotten. A PIN made
  /// automatically does not permit more guesses.
  public mutating func offer(
    _ pin: PIN, role: AccessRole, isAsked: Bool = true, at now: BootTime
  ) {
    if isAsked { wrong = [] }
    offer = Offer(pin: pin, role: role, end: now.advanced(bySeconds: limits.validSeconds))
  }

  /// Makes the PIN void, if there is one.
  public mutating func withdraw() { offer = nil }

  /// The role of the valid PIN and the seconds for which it stays valid; `nil` if there is none.
  public func offered(at now: BootTime) -> (role: AccessRole, seconds: Double)? {
    guard let offer, now < offer.end else { return nil }
    return (offer.role, offer.end.seconds(since: now))
  }

  /// Whether all clients together have used up the wrong tries of a day. Then no PIN is accepted.
  public func isUsedUp(at now: BootTime) -> Bool {
    wrong.count { now.seconds(since: $0.time) < limits.daySeconds } >= limits.wrongTriesOfAll
  }

  /// Handles a client's try. Returns the role for its device; the PIN is then used up, and the
  /// wrong tries before it are forgotten.
  ///
  /// A try beyond a limit is refused without checking the PIN, and does not count as one.
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
    // Also without a PIN: repeated tries must not reveal whether there is one.
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
