/// The program's random numbers: the system's, or those of a simulation that can be repeated.
public struct Chance: RandomNumberGenerator {
  // Safety: set once, by the only thread of the process, before it starts anything else.
  private static nonisolated(unsafe) var simulated: (() -> UInt64)?

  /// A generator.
  public init() {}

  /// Takes all further numbers from this source.
  package static func simulate(_ source: @escaping () -> UInt64) {
    unsafe simulated = source
  }

  /// The next number.
  public func next() -> UInt64 {
    if let simulated = unsafe Self.simulated { return simulated() }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}
