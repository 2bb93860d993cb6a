/// A satellite in view of a receiver, by its last report.
public struct Satellite: BitwiseCopyable, Hashable, Sendable {
  /// The constellation of a satellite.
  public enum System: UInt8, BitwiseCopyable, CaseIterable, Hashable, Sendable {
    /// Not reported by the receiver.
    case unknown = 0
    /// United States.
    case gps = 1
    /// Russia.
    case glonass = 2
    /// Europe.
    case galileo = 3
    /// China.
    case beidou = 4
    /// Japan.
    case qzss = 5
    /// India.
    case navic = 6
    /// Satellites that send corrections, in any region.
    case sbas = 7
  }

  /// Its constellation.
  public var system: System
  /// Its number as reported. Makers agree on numbers up to 32 only, so no decision may depend on
  /// it.
  public var number: Int
  /// Degrees above the horizon.
  public var elevation: Int?
  /// Degrees from true north.
  public var azimuth: Int?
  /// Carrier to noise density of its strongest signal, dB-Hz; `nil` while it is not received.
  public var signal: Int?
  /// Whether the solution uses it.
  public var isUsed: Bool

  public init(
    system: System, number: Int, elevation: Int? = nil, azimuth: Int? = nil, signal: Int? = nil,
    isUsed: Bool = false
  ) {
    self.system = system
    self.number = number
    self.elevation = elevation
    self.azimuth = azimuth
    self.signal = signal
    self.isUsed = isUsed
  }
}
