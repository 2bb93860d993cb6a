/// The program's random numbers: the system's, or those of a simulation that can be repeated.
public struct Chance: RandomNumberGenerator {
  // Safety: set before and after a simulation, while no thread of the real program draws numbers.
  private static nonisolated(unsafe) var simulated: (() -> UInt64?)?

  /// A generator.
  public init() {}

  /// Takes all further numbers from this source where it has one, or from the system again.
  package static func simulate(_ source: (() -> UInt64?)?) {
    unsafe simulated = source
  }

  /// The next number.
  public func next() -> UInt64 {
    if let number = unsafe Self.simulated?() { return number }
    var system = SystemRandomNumberGenerator()
    return system.next()
  }
}
