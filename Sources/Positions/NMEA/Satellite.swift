/// A satellite that a receiver has in view, as it told last.
public struct Satellite: BitwiseCopyable, Hashable, Sendable {
  /// Which constellation it belongs to.
  public enum System: UInt8, BitwiseCopyable, CaseIterable, Hashable, Sendable {
    /// The receiver did not say.
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
    /// Satellites that send corrections, of whatever region.
    case sbas = 7
  }

  /// Its constellation.
  public var system: System
  /// Its number as the receiver writes it. Makers number alike up to 32 only, so nothing may be
  /// decided by it.
  public var number: Int
  /// Degrees above the horizon.
  public var elevation: Int?
  /// Degrees from true north.
  public var azimuth: Int?
  /// Carrier to noise density of its strongest signal, dB-Hz; `nil` while it is not received.
  public var signal: Int?
  /// Whether it is part of the solution.
  public var isUsed: Bool

  /// A satellite of the given parts.
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
