internal import LinuxSystem
internal import Values

/// The hashes of tokens that the intake has found valid or invalid. A large body is read only if
/// its sender has a valid token, because unknown senders must not fill the memory reserved for
/// bodies.
///
/// These hashes are used only to check a request's head. The intake itself checks each request's
/// token, so a revoked token stops working at once.
final class KnownTokens: Sendable {
  /// The maximum size, in bytes, of a body that may be read before its token is known. This is
  /// enough for a batch of several chunks.
  static let bodyOfStrangers = 64 << 10
  /// The number of tokens of each kind, valid and invalid, above which all of that kind are
  /// forgotten. They are then looked up again.
  private static let most = 50_000
  /// The number of seconds that a token is remembered as invalid. The token may become valid later.
  private static let badSeconds = 10.0

  private let tokens = Guarded<(good: Set<[UInt8]>, bad: [[UInt8]: BootTime])>(([], [:]))

  /// Returns whether the token with this hash is valid, or `nil` if it must be looked up.
  func isGood(_ hash: [UInt8], at now: BootTime = BootClock.now()) -> Bool? {
    tokens.withLock { tokens in
      if tokens.good.contains(hash) { return true }
      let isBad = tokens.bad[hash].map { now.seconds(since: $0) < Self.badSeconds } ?? false
      return isBad ? false : nil
    }
  }

  /// Records which of the looked-up tokens are valid and which are not.
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
