internal import LinuxSystem
internal import Values

/// The tokens that the intake has found valid or invalid, by their hashes. A large body is read
/// only from a sender with a valid one: strangers must not fill the memory for bodies.
///
/// It decides nothing else. The intake is asked about each request, so that a revoked token stops
/// working at once.
final class KnownTokens: Sendable {
  /// Bytes of a body that is read before its token is known: a batch of some chunks.
  static let bodyOfStrangers = 64 << 10
  /// Most tokens kept of each kind; beyond that they are looked up again.
  private static let most = 50_000
  /// Seconds for which an invalid token is remembered, since it may be added meanwhile.
  private static let badSeconds = 10.0

  private let tokens = Guarded<(good: Set<[UInt8]>, bad: [[UInt8]: BootTime])>(([], [:]))

  /// Whether the token with this hash is valid; `nil` if it has to be looked up.
  func isGood(_ hash: [UInt8], at now: BootTime = BootClock.now()) -> Bool? {
    tokens.withLock { tokens in
      if tokens.good.contains(hash) { return true }
      let isBad = tokens.bad[hash].map { now.seconds(since: $0) < Self.badSeconds } ?? false
      return isBad ? false : nil
    }
  }

  /// Notes which of the looked-up tokens are valid.
  func note(
    _ asked: Set<[UInt8]>, good: some Sequence<[UInt8]>, at now: BootTime = BootClock.now()
  ) {
    tokens.withLock { tokens in
      tokens.good.subtract(asked)
      if tokens.good.count >= Self.most { tokens.good = [] }
      tokens.good.formUnion(good)
      if tokens.bad.count >= Self.most { tokens.bad = [:] }
      for hash in asked { tokens.bad[hash] = tokens.good.contains(hash) ? nil : now }
    }
  }
}
