public import Recording
internal import Values

/// The track of a session as GeoJSON (RFC 7946), for maps. The first feature has the session's
/// description as its properties; a feature for each hazard follows.
///
/// Two fixes or more make a `LineString`, one a `Point`, none a `null` geometry. A position has an
/// altitude if the receiver reported one with the height of the geoid: the format requires heights
/// above the ellipsoid, which differ from heights above the sea by up to a hundred metres.
/// `coordTimes` contains the universal time of each position, as other tools expect it. Beside it
/// are the quality of each position and its error in metres.
public struct GeoJSONExport: Sendable {
  /// The part of the session whose track is written, and the streams in the properties.
  public var selection: ExportSelection

  /// An export of the whole track, unless a part is selected.
  public init(selection: ExportSelection = ExportSelection()) {
    self.selection = selection
  }

  /// Writes the track. Returns the number of its fixes.
  ///
  /// - Parameter pause: called now and then; an error that it throws ends the export.
  @discardableResult
  public func write<Sink: ByteSink & ~Copyable>(
    _ source: some SessionSource, to sink: inout Sink,
    pause: () throws -> Void = {}
  ) throws -> Int {
    let track = TrackReader(selection)
    // Two fixes are enough to decide on the kind of geometry. The first pass fixes the count, since
    // a session that is still being recorded may grow before the second pass.
    let ahead = try track.count(upTo: 2, source)
    var buffer = TextBuffer()
    var count = 0
    /// Appends text for each of the first fixes, with commas between.
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
    // The properties form one object; the lists, which may be long, are its last members.
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

  /// The feature of a hazard: a point, or without a geometry if its position is unknown.
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
