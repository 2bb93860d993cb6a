public import NMEA
public import Values

/// One line from gpsd, with the values used here.
public enum GPSDMessage: Hashable, Sendable {
  /// The greeting: the release, and the version of the protocol.
  case version(release: String, major: Int, minor: Int)
  /// All receivers of gpsd; may be empty.
  case devices([Device])
  /// A receiver was added or removed.
  case device(Device)
  /// Time, position and velocity.
  case position(Position)
  /// Satellites.
  case sky(SkyView)
  /// gpsd rejected a request.
  case error(String)
  /// A line of an unused class.
  case other

  /// A receiver of gpsd.
  public struct Device: Hashable, Sendable {
    /// Its port, such as `/dev/ttyUSB0`.
    public var path: String
    /// Whether gpsd receives data from it.
    public var isActive: Bool
    /// Its protocol, such as `NMEA0183`.
    public var driver: String?
    /// Speed of its line, bits per second.
    public var speed: Int?
    /// Seconds between two of its fixes.
    public var cycle: Double?
  }

  /// A `TPV`: gpsd's data on an epoch so far. Several may arrive for one epoch.
  public struct Position: Hashable, Sendable {
    /// The receiver that it belongs to.
    public var device: String?
    /// 0 unknown, 1 no fix, 2 without and 3 with altitude.
    public var mode: Int
    public var time: UTCTime?
    /// Degrees north.
    public var latitude: Double?
    /// Degrees east.
    public var longitude: Double?
    /// Metres above mean sea level.
    public var altitudeMSL: Double?
    /// Metres above the ellipsoid.
    public var altitudeHAE: Double?
    /// Height of the geoid above the ellipsoid, metres.
    public var geoidSeparation: Double?
    /// Metres per second over ground.
    public var speed: Double?
    /// Degrees from true north.
    public var track: Double?
    /// Horizontal error, metres, 95 %.
    public var horizontalError: Double?
    /// Vertical error, metres, 95 %.
    public var verticalError: Double?
    /// Quality of the position, if gpsd reports it.
    public var status: Int?
  }

  /// A `SKY`. It may be without satellites.
  public struct SkyView: Hashable, Sendable {
    /// The receiver that it belongs to.
    public var device: String?
    /// Horizontal dilution of precision.
    public var hdop: Double?
    /// Satellites in the solution.
    public var used: Int?
    /// The satellites; `nil` if the message omits them.
    public var satellites: [Satellite]?
  }

  /// Reads a line without its end. `nil` for a line that is not a JSON object, such as the
  /// sentences that gpsd mixes in on request.
  public init?(line: [UInt8]) {
    guard line.first == UInt8(ascii: "{"),
      let json = try? JSON(parsing: line), let wire = GPSDWire(json)
    else { return nil }
    self.init(wire)
  }

  private init(_ wire: GPSDWire) {
    switch wire.name {
    case "VERSION":
      self = .version(
        release: wire["release"]?.text ?? "unknown", major: wire["proto_major"]?.rounded ?? 0,
        minor: wire["proto_minor"]?.rounded ?? 0)
    case "DEVICES": self = .devices((wire["devices"]?.list ?? []).compactMap(Device.init))
    case "DEVICE": self = Device(.object(wire.members)).map { .device($0) } ?? .other
    case "TPV": self = .position(Position(wire))
    case "SKY": self = .sky(SkyView(wire))
    case "ERROR": self = .error(wire["message"]?.text ?? "an error without words")
    default: self = .other
    }
  }
}

extension GPSDMessage.Device {
  fileprivate init?(_ value: JSON) {
    guard let path = value["path"]?.text else { return nil }
    self.path = path
    // A time while the receiver is active; 0 or missing when it is not.
    switch value["activated"] {
    case .text(let text): isActive = !text.isEmpty
    case .number(let number): isActive = number != 0
    default: isActive = false
    }
    driver = value["driver"]?.text
    speed = value["bps"]?.rounded
    cycle = value["cycle"]?.number
  }
}

extension GPSDMessage.Position {
  fileprivate init(_ wire: GPSDWire) {
    device = wire["device"]?.text
    mode = wire["mode"]?.rounded ?? 0
    time = wire["time"]?.text.flatMap { UTCTime(iso8601: $0) }
    latitude = wire.number("lat", in: -90...90)
    longitude = wire.number("lon", in: -180...180)
    altitudeMSL = wire.number("altMSL", in: -2_000...100_000)
    altitudeHAE = wire.number("altHAE", in: -2_000...100_000)
    geoidSeparation = wire.number("geoidSep", in: -200...200)
    if altitudeMSL == nil, altitudeHAE == nil {
      // Before 3.20 there was one altitude, mostly above mean sea level.
      altitudeMSL = wire.number("alt", in: -2_000...100_000)
    }
    speed = wire.number("speed", in: 0...10_000)
    track = wire.number("track", in: 0...360).map { $0 == 360 ? 0 : $0 }
    horizontalError = wire.number("eph", in: 0...1e6)
    if horizontalError == nil, let east = wire.number("epx", in: 0...1e6),
      let north = wire.number("epy", in: 0...1e6)
    {
      horizontalError = (east * east + north * north).squareRoot()
    }
    verticalError = wire.number("epv", in: 0...1e6)
    status = wire["status"]?.rounded
  }
}

extension GPSDMessage.SkyView {
  fileprivate init(_ wire: GPSDWire) {
    device = wire["device"]?.text
    hdop = wire["hdop"]?.number.flatMap { $0 > 0 && $0 < 50 ? $0 : nil }
    satellites = wire["satellites"]?.list?.compactMap(Satellite.init)
    used = wire["uSat"]?.rounded ?? satellites?.count { $0.isUsed }
  }
}

extension Satellite {
  fileprivate init?(_ value: JSON) {
    guard let number = value["PRN"]?.rounded else { return nil }
    let systems: [Int: System] = [
      0: .gps, 1: .sbas, 2: .galileo, 3: .beidou, 5: .qzss, 6: .glonass, 7: .navic,
    ]
    self.init(
      system: value["gnssid"]?.rounded.flatMap { systems[$0] } ?? .unknown, number: number,
      elevation: value["el"]?.rounded, azimuth: value["az"]?.rounded,
      // gpsd writes 0 for a satellite that is not received.
      signal: value["ss"]?.rounded.flatMap { $0 > 0 ? $0 : nil },
      isUsed: value["used"] == .bool(true))
  }
}
