internal import LinuxSystem
internal import Values

/// The tokens that the intake has found good or bad, by their hashes. A large body is read only
/// from somebody with a good one: strangers must not fill the memory for bodies.
///
/// It decides on nothing else. The intake is asked about each request, so that a revoked token is
/// worth nothing.
final class KnownTokens: Sendable {
  /// Bytes of a body that is read without knowing the token: a batch of some chunks.
  static let bodyOfStrangers = 64 << 10
  /// Tokens of each kind kept at most; then they are learnt again.
  private static let most = 50_000
  /// Seconds for which a bad token counts as bad: somebody may add it meanwhile.
  private static let badSeconds = 10.0

  private let tokens = Guarded<(good: Set<[UInt8]>, bad: [[UInt8]: BootTime])>(([], [:]))

  /// Whether the token with a hash is good; `nil` if that has to be found out.
  func isGood(_ hash: [UInt8], at now: BootTime = BootClock.now()) -> Bool? {
    tokens.withLock { tokens in
      if tokens.good.contains(hash) { return true }
      let isBad = tokens.bad[hash].map { now.seconds(since: $0) < Self.badSeconds } ?? false
      return isBad ? false : nil
    }
  }

  /// Notes which of the tokens asked about are good.
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
