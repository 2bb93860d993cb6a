public import Values

/// The satellites in view, for users who want to know why there is no fix.
///
/// No decision in the program depends on these data.
public struct Sky: Hashable, Sendable {
  /// Arrival time of the latest sentence about satellites, or `nil` before the first one.
  public var arrival: BootTime?
  /// The satellites, ordered by constellation and number.
  public var satellites: [Satellite]

  public init(arrival: BootTime? = nil, satellites: [Satellite] = []) {
    self.arrival = arrival
    self.satellites = satellites.sorted {
      ($0.system.rawValue, $0.number) < ($1.system.rawValue, $1.number)
    }
  }

  public var used: Int { satellites.count { $0.isUsed } }
}
