internal import LinuxSystem

/// The tokens that the intake has found good, by their hashes. A large body is read only from
/// somebody with one of these: strangers must not fill the memory for bodies.
///
/// It decides on nothing else. The intake is asked about each request, so that a revoked token is
/// worth nothing.
final class KnownTokens: Sendable {
  /// Bytes of a body that is read without knowing the token: a batch of some chunks.
  static let bodyOfStrangers = 64 << 10
  /// Tokens kept at most; then they are learnt again.
  private static let most = 50_000

  private let hashes = Guarded<Set<[UInt8]>>([])

  func contains(_ hash: [UInt8]) -> Bool { hashes.withLock { $0.contains(hash) } }

  /// Notes which of the tokens asked about are good.
  func note(_ asked: Set<[UInt8]>, good: some Sequence<[UInt8]>) {
    hashes.withLock { hashes in
      hashes.subtract(asked)
      if hashes.count >= Self.most { hashes = [] }
      hashes.formUnion(good)
    }
  }
}
