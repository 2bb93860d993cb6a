internal import Synchronization

/// The program's random numbers: the system's, or repeatable ones of a simulation.
public struct Chance: RandomNumberGenerator {
  /// The numbers of a simulation.
  private final class Source: Sendable {
    let next: @Sendable () -> UInt64?

    init(_ next: @escaping @Sendable () -> UInt64?) {
      self.next = next
    }
  }

  private static let simulated = AtomicLazyReference<Source>()

  /// A generator.
  public init() {}

  /// Takes numbers from this source from now on, whenever it supplies one. There is one source for
  /// the whole process, and the first one stays.
  package static func simulate(_ next: @escaping @Sendable () -> UInt64?) {
    _ = simulated.storeIfNil(Source(next))
  }

  /// The next number.
  public func next() -> UInt64 {
    if let number = Self.simulated.load()?.next() { return number }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}
