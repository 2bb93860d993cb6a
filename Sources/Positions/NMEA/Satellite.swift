/// A satellite in view of a receiver, as last reported.
public struct Satellite: BitwiseCopyable, Hashable, Sendable {
  /// A satellite's constellation.
  public enum System: UInt8, BitwiseCopyable, CaseIterable, Hashable, Sendable {
    /// The receiver did not report the constellation.
    case unknown = 0
    /// The US constellation.
    case gps = 1
    /// The Russian constellation.
    case glonass = 2
    /// The European constellation.
    case galileo = 3
    /// The Chinese constellation.
    case beidou = 4
    /// The Japanese constellation.
    case qzss = 5
    /// The Indian constellation.
    case navic = 6
    /// Satellites that transmit corrections, in any region.
    case sbas = 7
  }

  public var system: System
  /// The satellite's number, as reported by the receiver. Manufacturers agree only on numbers up to
  /// 32, so the program must not base decisions on this value.
  public var number: Int
  /// Elevation above the horizon in degrees.
  public var elevation: Int?
  /// Azimuth from true north in degrees.
  public var azimuth: Int?
  /// Carrier-to-noise density of the satellite's strongest signal in dB-Hz, or `nil` if the
  /// receiver has no signal from it.
  public var signal: Int?
  /// Whether the receiver uses the satellite in its solution.
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
