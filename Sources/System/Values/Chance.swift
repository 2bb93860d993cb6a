internal import Synchronization

/// Generates random numbers. They come from the system, or from a reproducible source in a
/// simulation.
public struct Chance: RandomNumberGenerator {
  /// The source of the numbers in a simulation.
  private final class Source: Sendable {
    let next: @Sendable () -> UInt64?

    init(_ next: @escaping @Sendable () -> UInt64?) {
      self.next = next
    }
  }

  private static let simulated = AtomicLazyReference<Source>()

  public init() {}

  /// Makes all generators in the process use the numbers that `next` returns. When it returns
  /// `nil`, they use the system's numbers. Only the first call has an effect.
  package static func simulate(_ next: @escaping @Sendable () -> UInt64?) {
    _ = simulated.storeIfNil(Source(next))
  }

  public func next() -> UInt64 {
    if let number = Self.simulated.load()?.next() { return number }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}
