public import Recording
internal import Values

/// Writes a session's track as GeoJSON (RFC 7946), for maps. The properties of the first feature
/// are the session's description; a feature for each hazard follows.
///
/// Two or more fixes become a `LineString`, one fix a `Point`, and no fix a `null` geometry. A
/// position has an altitude only if the receiver also reported the height of the geoid: the format
/// requires heights above the ellipsoid, which differ from heights above sea level by up to a
/// hundred metres. `coordTimes` contains the universal time of each position, as other tools
/// expect. Parallel lists contain the quality of each position and its error in metres.
public struct GeoJSONExport: Sendable {
  /// The part of the session whose track is written, and the streams that the properties include.
  public var selection: ExportSelection

  public init(selection: ExportSelection = ExportSelection()) {
    self.selection = selection
  }

  /// Writes the track and returns the number of its fixes.
  ///
  /// - Parameter pause: called periodically; an error that it throws ends the export.
  @discardableResult
  public func write<Sink: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout Sink,
    pause: () throws -> Void = {}
  ) throws -> Int {
    let track = TrackReader(selection)
    // Two fixes are enough to choose the geometry. The pass that writes the coordinates counts the
    // fixes for the later passes, because a session that is still being recorded may grow between
    // the passes.
    let ahead = try track.count(upTo: 2, source)
    var buffer = TextBuffer()
    var count = 0
    /// Appends text for each of the first `limit` fixes, separated by commas.
    func appendEach(of limit: Int, _ append: (Fix, inout TextBuffer) -> Void) throws {
      count = 0
      try track.forEach(of: limit, source) { fix in
        if count > 0 { buffer.appendComma() }
        append(fix, &buffer)
        count += 1
        if buffer.isFull {
          try buffer.flush(to: &sink)
          try pause()
        }
      }
    }
    buffer.append(#"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":"#)
    switch ahead {
    case 0: buffer.append("null")
    case 1:
      buffer.append(#"{"type":"Point","coordinates":"#)
      try appendEach(of: 1, Self.append)
      buffer.append("}")
    default:
      buffer.append(#"{"type":"LineString","coordinates":["#)
      try appendEach(of: .max, Self.append)
      buffer.append("]}")
    }
    // The properties form one object. Its last members, lists with a value for each fix, are
    // streamed, since they may be long.
    buffer.append(#","properties":"#)
    let members = try SessionDescription.members(source, selection: selection, decimals: 3)
    buffer.append(String(JSONValue.object(members).text.dropLast()))
    buffer.append(#","coordTimes":["#)
    try appendEach(of: count) { fix, buffer in
      buffer.append(fix.utc.iso8601(decimals: 3).json.text)
    }
    buffer.append(#"],"coordQualities":["#)
    try appendEach(of: count) { fix, buffer in
      buffer.append(fix.quality.word.json.text)
    }
    buffer.append(#"],"coordErrors":["#)
    try appendEach(of: count) { fix, buffer in
      if let error = fix.error?.horizontal {
        buffer.append(error, decimals: 2)
      } else {
        buffer.append("null")
      }
    }
    buffer.append("]}}")
    let moments = try Moments(of: source)
    for hazard in try source.hazards() where selection.includes(hazard.time) {
      buffer.append("," + Self.feature(hazard, moments).text)
      if buffer.isFull { try buffer.flush(to: &sink) }
    }
    buffer.append("]}\n")
    try buffer.flush(to: &sink)
    return count
  }

  private static func append(_ fix: Fix, to buffer: inout TextBuffer) {
    buffer.append("[")
    buffer.append(fix.longitude, decimals: 7)
    buffer.appendComma()
    buffer.append(fix.latitude, decimals: 7)
    if let altitude = fix.altitudeMSL, let separation = fix.geoidSeparation {
      buffer.appendComma()
      buffer.append(altitude + separation, decimals: 2)
    }
    buffer.append("]")
  }

  /// Returns a hazard as a feature. Its geometry is a point, or null if the position of the hazard
  /// is unknown.
  private static func feature(_ hazard: Hazard, _ moments: Moments) -> JSONValue {
    [
      "type": "Feature",
      "geometry": hazard.position.map { position in
        [
          "type": "Point", "coordinates": [position.longitude.json, position.latitude.json],
        ]
      } ?? .null,
      "properties": .object(
        [
          .init("hazard", hazard.name), .init("intensity", hazard.intensity),
        ] + moments.members(hazard.time, utc: hazard.utc)),
    ]
  }
}
