public import Recording
internal import Values

/// Writes a session's track as GPX 1.1, for maps and navigation devices, with hazards as waypoints.
///
/// Elevations are above mean sea level, as the format requires; the height of the geoid above the
/// ellipsoid is included. A new track segment begins after the receiver has lost its fix, or has
/// sent no fix for longer than `longestPause`.
public struct GPXExport: Sendable {
  public var selection: ExportSelection
  /// Maximum time in seconds between consecutive fixes of a segment.
  public var longestPause: Double

  public init(
    selection: ExportSelection = ExportSelection(),
    longestPause: Double = FixTrack.defaultMaximumAge
  ) {
    self.selection = selection
    self.longestPause = longestPause
  }

  /// Writes the track and returns the number of its fixes.
  ///
  /// - Parameter pause: called periodically; an error that it throws ends the export.
  @discardableResult
  public func write(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable,
    pause: () throws -> Void = {}
  ) throws -> Int {
    let clock = ClockTable(try source.clockEntries())
    let session = source.session
    var buffer = TextBuffer()
    buffer.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="Footbridge" xmlns="http://www.topografix.com/GPX/1/1" \
      xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
      xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">
      <metadata><name>\(XMLText.escaped(session.id.description))</name>
      """)
    if !session.note.isEmpty { buffer.append("<desc>\(XMLText.escaped(session.note))</desc>") }
    if let start = clock.utc(at: session.start) {
      buffer.append("<time>\(start.iso8601(decimals: 3))</time>")
    }
    buffer.append("</metadata>\n")
    for hazard in try source.hazards() where selection.includes(hazard.time) {
      Self.append(hazard, clock, to: &buffer)
      if buffer.isFull { try buffer.flush(to: &sink) }
    }
    buffer.append("<trk><name>\(XMLText.escaped(session.id.description))</name>")
    var count = 0
    var last: BootTime?
    try TrackReader(selection).forEach(of: .max, source) { fix in
      let isPaused = last.map {
        fix.followsLoss || fix.arrival.seconds(since: $0) > longestPause
      }
      if isPaused == true { buffer.append("</trkseg>") }
      if isPaused ?? true { buffer.append("<trkseg>") }
      last = fix.arrival
      Self.append(fix, to: &buffer)
      count += 1
      if buffer.isFull {
        try buffer.flush(to: &sink)
        try pause()
      }
    }
    buffer.append((last == nil ? "" : "</trkseg>") + "</trk>\n</gpx>\n")
    try buffer.flush(to: &sink)
    return count
  }

  private static func append(_ fix: Fix, to buffer: inout TextBuffer) {
    appendPlace(fix.latitude, fix.longitude, behind: "\n<trkpt", to: &buffer)
    append("ele", fix.altitudeMSL, to: &buffer)
    buffer.append("<time>\(fix.utc.iso8601(decimals: 3))</time>")
    append("geoidheight", fix.geoidSeparation, to: &buffer)
    if let kind = kind(of: fix) { buffer.append("<fix>\(kind)</fix>") }
    if let satellites = fix.satellites { buffer.append("<sat>\(satellites)</sat>") }
    append("hdop", fix.hdop, to: &buffer)
    buffer.append("</trkpt>")
  }

  /// Appends an element with two decimals, or nothing if the value is unknown.
  private static func append(_ name: String, _ value: Double?, to buffer: inout TextBuffer) {
    guard let value else { return }
    buffer.append("<\(name)>")
    buffer.append(value, decimals: 2)
    buffer.append("</\(name)>")
  }

  private static func append(_ hazard: Hazard, _ clock: ClockTable, to buffer: inout TextBuffer) {
    // A waypoint needs a position. A hazard without one appears only in the other formats.
    guard let position = hazard.position else { return }
    appendPlace(position.latitude, position.longitude, behind: "<wpt", to: &buffer)
    if let utc = clock.utc(at: hazard.time) ?? hazard.utc {
      buffer.append("<time>\(utc.iso8601(decimals: 3))</time>")
    }
    buffer.append("<name>\(XMLText.escaped(hazard.name))</name>")
    buffer.append("<desc>intensity \(hazard.intensity)</desc><type>hazard</type></wpt>\n")
  }

  private static func appendPlace(
    _ latitude: Double, _ longitude: Double, behind name: String, to buffer: inout TextBuffer
  ) {
    buffer.append(name + " lat=\"")
    buffer.append(latitude, decimals: 7)
    buffer.append("\" lon=\"")
    // The schema does not accept a longitude of 180°, so the antimeridian is written as −180°.
    buffer.append(longitude >= 179.999_999_95 ? -180 : longitude, decimals: 7)
    buffer.append("\">")
  }

  /// Returns the GPX type of the fix; `nil` if no GPX type matches.
  private static func kind(of fix: Fix) -> String? {
    switch fix.quality {
    case .autonomous: fix.isThreeDimensional ? "3d" : "2d"
    case .differential, .realTimeKinematic, .floatRealTimeKinematic: "dgps"
    case .precise: "pps"
    case .estimated, .manual, .simulated: nil
    }
  }
}

private enum XMLText {
  /// Escapes text for the content of an element. A character that XML 1.0 does not allow becomes
  /// U+FFFD, the replacement character.
  static func escaped(_ text: String) -> String {
    var escaped = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": escaped += "&amp;"
      case "<": escaped += "&lt;"
      case ">": escaped += "&gt;"
      // An XML parser converts an unescaped carriage return to a line feed.
      case "\r": escaped += "&#13;"
      case "\t", "\n": escaped.unicodeScalars.append(scalar)
      case "\u{0}"..."\u{1f}", "\u{fffe}", "\u{ffff}": escaped += "\u{fffd}"
      default: escaped.unicodeScalars.append(scalar)
      }
    }
    return escaped
  }
}
