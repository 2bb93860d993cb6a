public import NMEA
public import Recording
public import Values

/// Converts the bytes received over a gpsd connection into one report per epoch.
///
/// gpsd sends several `TPV` messages per epoch. The first one lacks a time, and some report "no
/// fix" in between. The session therefore identifies an epoch by its time and uses the last `TPV`
/// with that time. An epoch is reported when another time arrives or the line pauses (`flush`). The
/// session uses neither a socket nor a clock.
public struct GPSDSession: Sendable {
  public enum Event: Hashable, Sendable {
    /// gpsd sent its greeting, which contains its release.
    case greeted(release: String)
    /// gpsd uses an unsupported version of the protocol, so the session ignores all its messages.
    case refused(major: Int)
    /// gpsd listed its receivers. The list may be empty.
    case devices([GPSDMessage.Device])
    /// The receiver is sending data again.
    case deviceBack(path: String)
    case deviceLost(path: String)
    /// An epoch ended, with or without a fix.
    case position(PositionReport)
    case error(String)
  }

  /// Returns the line to send to gpsd after its greeting. The line requests reports, from one
  /// receiver or from all of them.
  public static func watch(device: String?) -> String {
    let choice =
      device.map { ",\"device\":" + JSONValue.string($0).text } ?? ""
    return "?WATCH={\"enable\":true,\"json\":true\(choice)};\r\n"
  }

  /// Maximum length of a line in bytes. A `SKY` message with all constellations exceeds 10 kB, but
  /// gpsd never sends a line longer than this limit.
  static let longestLine = 131_072
  /// Maximum age in seconds at which a satellite report still applies to a new fix.
  static let skyAge = 2.0

  /// Number of consecutive messages with neither a fix nor a time after which the fix is considered
  /// lost, even if the line does not pause.
  static let bareDenialsOfLoss = 5

  /// Number of lines with content that was used.
  public private(set) var accepted = 0
  /// Number of valid lines that were not used. Excludes NMEA sentences and empty lines.
  public private(set) var ignored = 0
  /// Number of lines that were not JSON or were too long.
  public private(set) var refused = 0
  public private(set) var sky = Sky()
  /// Whether gpsd uses an unsupported version of the protocol.
  public private(set) var isRefused = false

  private let device: String?
  private var line: [UInt8] = []
  private var isOverlong = false

  private var pending: Fix?
  /// Arrival time of the first message that reported no fix, and the time in that message, if it
  /// contains one.
  private var denial: (arrival: BootTime, time: UTCTime?)?
  /// Number of messages with neither a fix nor a time since the last fix.
  private var bareDenials = 0
  /// Times of the last two epochs that were reported with a fix. A late message about either epoch
  /// must not produce a second fix.
  private var reported: (UTCTime?, UTCTime?) = (nil, nil)
  private var view: (arrival: BootTime, hdop: Double?, used: UInt8?)?

  /// Creates a session that waits for gpsd's greeting.
  ///
  /// - Parameter device: The receiver to use, or `nil` for all of gpsd's receivers.
  public init(device: String? = nil) {
    self.device = device
  }

  /// Reads bytes that arrived at `arrival`, and reports the resulting events. The bytes may begin
  /// and end anywhere within a line.
  public mutating func receive(
    _ bytes: Span<UInt8>, at arrival: BootTime, tell: (Event) -> Void
  ) {
    for position in bytes.indices {
      let byte = bytes[position]
      if byte == UInt8(ascii: "\n") {
        endLine(at: arrival, tell)
      } else if line.count < Self.longestLine {
        line.append(byte)
      } else {
        isOverlong = true
      }
    }
  }

  /// Reports the epoch that is still open. Call this when the line has paused for 200 ms or has
  /// ended.
  public mutating func flush(tell: (Event) -> Void) {
    let had = pending != nil
    publish(tell)
    if let denial {
      // In a burst with a fix, any messages with neither a fix nor a time were sent before gpsd had
      // decoded the whole epoch.
      if !had || denial.time != nil { tell(.position(.noFix(arrival: denial.arrival))) }
      self.denial = nil
    }
  }

  private mutating func endLine(at arrival: BootTime, _ tell: (Event) -> Void) {
    defer {
      line.removeAll(keepingCapacity: true)
      isOverlong = false
    }
    if isOverlong {
      refused += 1
      return
    }
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    // NMEA sentences appear between the JSON lines if another client requested sentences on this
    // connection.
    guard let first = line.first, first != UInt8(ascii: "$"), first != UInt8(ascii: "!") else {
      return
    }
    guard let message = GPSDMessage(line: line) else {
      refused += 1
      return
    }
    take(message, at: arrival, tell)
  }

  public mutating func take(
    _ message: GPSDMessage, at arrival: BootTime, _ tell: (Event) -> Void
  ) {
    if case .version(let release, let major, _) = message {
      accepted += 1
      isRefused = major != 3
      tell(isRefused ? .refused(major: major) : .greeted(release: release))
      return
    }
    guard !isRefused else { return }
    switch message {
    case .version, .other:
      ignored += 1
      return
    case .devices(let devices):
      tell(.devices(devices))
    case .device(let found) where concerns(found.path):
      if !found.isActive { flush(tell: tell) }
      tell(found.isActive ? .deviceBack(path: found.path) : .deviceLost(path: found.path))
    case .position(let position) where concerns(position.device):
      take(position, at: arrival, tell)
    case .sky(let sky) where concerns(sky.device):
      view = (arrival, sky.hdop, sky.used.flatMap { UInt8(exactly: $0) })
      if let satellites = sky.satellites {
        self.sky = Sky(arrival: arrival, satellites: satellites)
      }
    case .error(let text):
      tell(.error(text))
    case .device, .position, .sky:
      ignored += 1
      return
    }
    accepted += 1
  }

  private func concerns(_ path: String?) -> Bool {
    guard let device, let path else { return true }
    return device == path
  }

  private mutating func take(
    _ position: GPSDMessage.Position, at arrival: BootTime, _ tell: (Event) -> Void
  ) {
    guard position.mode >= 2 else {
      deny(position.time, at: arrival, tell)
      return
    }
    guard let time = position.time, let latitude = position.latitude,
      let longitude = position.longitude, time != reported.0, time != reported.1
    else { return }
    if let pending, pending.utc != time { publish(tell) }
    // Either gpsd sent the "no fix" message before it had received the whole epoch, or the message
    // belongs to an epoch that has ended.
    if let denial, let denied = denial.time, denied != time {
      tell(.position(.noFix(arrival: denial.arrival)))
    }
    denial = nil
    bareDenials = 0
    var fix = Fix(
      arrival: pending?.arrival ?? arrival, utc: time, latitude: latitude, longitude: longitude,
      altitudeMSL: position.meanSeaLevelAltitude, geoidSeparation: position.geoid,
      speed: position.speed, track: position.track, isThreeDimensional: position.mode == 3,
      quality: position.quality,
      error: position.horizontalError.map {
        Fix.ErrorEstimate(horizontal: $0, vertical: position.verticalError, basis: .daemon)
      })
    fix.ownAltitudeHAE = position.otherHAE(than: fix.altitudeHAE)
    if let view, arrival.seconds(since: view.arrival) <= Self.skyAge {
      fix.hdop = view.hdop
      fix.satellites = view.used
    }
    pending = fix
  }

  private mutating func deny(
    _ time: UTCTime?, at arrival: BootTime, _ tell: (Event) -> Void
  ) {
    if let time {
      guard time != pending?.utc, time != reported.0, time != reported.1 else { return }
      publish(tell)
      if let denial, denial.time != time { tell(.position(.noFix(arrival: denial.arrival))) }
      denial = (denial?.time == time ? denial?.arrival ?? arrival : arrival, time)
    } else {
      bareDenials += 1
      denial = denial ?? (arrival, nil)
      // A few messages with neither a fix nor a time can arrive within an epoch that has a fix, but
      // not this many. A receiver that sends ten epochs per second never pauses, so no pause can
      // reveal that the fix is lost.
      guard bareDenials >= Self.bareDenialsOfLoss, let first = denial?.arrival else { return }
      publish(tell)
      tell(.position(.noFix(arrival: first)))
      denial = nil
    }
  }

  private mutating func publish(_ tell: (Event) -> Void) {
    guard let fix = pending else { return }
    pending = nil
    reported = (fix.utc, reported.0)
    tell(.position(.fix(fix)))
  }
}

extension GPSDMessage.Position {
  /// Altitude above mean sea level in metres. gpsd sometimes omits one of the three heights, which
  /// can then be computed from the other two.
  fileprivate var meanSeaLevelAltitude: Double? {
    if let altitudeMSL { return altitudeMSL }
    guard let altitudeHAE, let geoidSeparation else { return nil }
    return altitudeHAE - geoidSeparation
  }

  /// Returns the height above the ellipsoid that gpsd sent, or `nil` if it equals the sum of the
  /// other two heights.
  fileprivate func otherHAE(than sum: Double?) -> Double? {
    guard let altitudeHAE, let sum, abs(altitudeHAE - sum) < Self.roundingError else {
      return altitudeHAE
    }
    return nil
  }

  /// gpsd rounds each height to a millimetre or more, so a difference of half a millimetre is a
  /// rounding error.
  private static let roundingError = 0.0005

  fileprivate var geoid: Double? {
    if let geoidSeparation { return geoidSeparation }
    guard let altitudeHAE, let altitudeMSL else { return nil }
    return altitudeHAE - altitudeMSL
  }

  fileprivate var quality: Fix.Quality {
    switch status {
    case 2: .differential
    case 3: .realTimeKinematic
    case 4: .floatRealTimeKinematic
    case 5: .estimated
    case 7: .manual
    case 8: .simulated
    case 9: .precise
    // Status 6 means that dead reckoning assisted the fix, but the position was still measured.
    default: .autonomous
    }
  }
}
