public import Values

/// The satellites in view, for people who look why there is no fix.
///
/// Nothing is decided by it.
public struct Sky: Hashable, Sendable {
  /// When the latest word on it arrived; `nil` while there was none.
  public var arrival: BootTime?
  /// The satellites, ordered by constellation and number.
  public var satellites: [Satellite]

  /// A sky with these satellites.
  public init(arrival: BootTime? = nil, satellites: [Satellite] = []) {
    self.arrival = arrival
    self.satellites = satellites.sorted {
      ($0.system.rawValue, $0.number) < ($1.system.rawValue, $1.number)
    }
  }

  /// How many of them are part of the solution.
  public var used: Int { satellites.count { $0.isUsed } }
}
