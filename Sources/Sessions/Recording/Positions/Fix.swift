public import Values

/// One epoch of a positioning receiver: where and when it was.
///
/// What the receiver did not say is `nil`, never zero.
public struct Fix: BitwiseCopyable, Hashable, Sendable {
  /// How the position was found, numbered as in NMEA's GGA sentence.
  public enum Quality: UInt8, BitwiseCopyable, Hashable, Sendable {
    /// A plain satellite fix.
    case autonomous = 1
    /// Corrected by a reference station or SBAS.
    case differential = 2
    /// Precise positioning service.
    case precise = 3
    /// Carrier phase, integer ambiguities solved.
    case realTimeKinematic = 4
    /// Carrier phase, ambiguities afloat.
    case floatRealTimeKinematic = 5
    /// Dead reckoning: an estimate without satellites.
    case estimated = 6
    /// Entered by hand or surveyed.
    case manual = 7
    /// Made up by a simulator.
    case simulated = 8
  }

  /// How far a position may be off: with 95 % confidence not by more.
  public struct ErrorEstimate: BitwiseCopyable, Hashable, Sendable {
    /// How the figures were made.
    public enum Basis: UInt8, BitwiseCopyable, Hashable, Sendable {
      /// The receiver gave its own, in `GST`, `PGRME` or `PUBX,00`.
      case reported = 1
      /// From the dilution of precision and what a range is usually off by: a guess.
      case dilution = 2
      /// gpsd gave them.
      case daemon = 3
    }

    /// Metres over ground.
    public var horizontal: Double
    /// Metres of altitude; `nil` for a position without.
    public var vertical: Double?
    /// How the figures were made.
    public var basis: Basis

    /// An estimate of the given parts.
    public init(horizontal: Double, vertical: Double? = nil, basis: Basis) {
      self.horizontal = horizontal
      self.vertical = vertical
      self.basis = basis
    }
  }

  /// Arrival of the epoch's first byte.
  public var arrival: BootTime
  /// When the position was true.
  public var utc: UTCTime
  /// Degrees north.
  public var latitude: Double
  /// Degrees east.
  public var longitude: Double
  /// Metres above mean sea level, by the receiver's geoid.
  public var altitudeMSL: Double?
  /// Height of the geoid above the ellipsoid, metres.
  public var geoidSeparation: Double?
  /// The source's own height above the ellipsoid, metres, where it is not the sum of both: gpsd
  /// may take the separation from another model than the receiver. Chunks do not keep it.
  public var ownAltitudeHAE: Double?
  /// Metres per second over ground.
  public var speed: Double?
  /// Direction of movement, degrees from true north.
  public var track: Double?
  /// Horizontal dilution of precision.
  public var hdop: Double?
  /// Number of satellites in the solution.
  public var satellites: UInt8?
  /// Whether the altitude is part of the solution (a 3D fix).
  public var isThreeDimensional: Bool
  /// How the position was found.
  public var quality: Quality
  /// How far it may be off.
  public var error: ErrorEstimate?
  /// Whether the receiver had no fix, or was not heard, between the fix before and this one: there
  /// is no way between the two that anybody knows.
  public var followsLoss: Bool

  /// A fix with the given parts.
  public init(
    arrival: BootTime, utc: UTCTime, latitude: Double, longitude: Double,
    altitudeMSL: Double? = nil, geoidSeparation: Double? = nil, speed: Double? = nil,
    track: Double? = nil, hdop: Double? = nil, satellites: UInt8? = nil,
    isThreeDimensional: Bool = false, quality: Quality = .autonomous,
    error: ErrorEstimate? = nil, followsLoss: Bool = false
  ) {
    self.arrival = arrival
    self.utc = utc
    self.latitude = latitude
    self.longitude = longitude
    self.altitudeMSL = altitudeMSL
    self.geoidSeparation = geoidSeparation
    self.speed = speed
    self.track = track
    self.hdop = hdop
    self.satellites = satellites
    self.isThreeDimensional = isThreeDimensional
    self.quality = quality
    self.error = error
    self.followsLoss = followsLoss
  }

  /// Metres above the ellipsoid: the source's own where it tells one, else the sum of altitude and
  /// geoid separation.
  public var altitudeHAE: Double? {
    if let ownAltitudeHAE { return ownAltitudeHAE }
    guard let altitudeMSL, let geoidSeparation else { return nil }
    return altitudeMSL + geoidSeparation
  }
}

/// What a position source reports once an epoch: a fix, or that there is none.
public enum PositionReport: BitwiseCopyable, Hashable, Sendable {
  /// A valid fix.
  case fix(Fix)
  /// The receiver speaks and has no fix.
  case noFix(arrival: BootTime)
}
