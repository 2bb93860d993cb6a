public import Recording
internal import Values

/// Writes the files that accompany the samples: the session's description, track, hazards and
/// events.
public struct SideTables: Sendable {
  public var selection: ExportSelection

  public init(selection: ExportSelection = ExportSelection()) {
    self.selection = selection
  }

  /// Writes the session's description as one JSON object. It includes the totals of the exported
  /// samples.
  public func writeDescription(
    _ source: some SessionSource, _ totals: ExportTotals?,
    to sink: inout some ByteSink & ~Copyable
  ) throws {
    try writeDescription(source, exported: totals?.json.text, to: &sink)
  }

  /// Writes the description, with totals and evidence that have already been encoded as JSON.
  func writeDescription(
    _ source: some SessionSource, exported: String?, evidence: String = "",
    to sink: inout some ByteSink & ~Copyable
  ) throws {
    var buffer = TextBuffer()
    var text = try SessionDescription(source, selection: selection).json.text
    text.removeLast()
    text += evidence
    if let exported {
      text += Self.exportedKey + exported
    }
    buffer.append(text + "}\n")
    try buffer.flush(to: &sink)
  }

  /// The text that precedes the totals, the last member of a description. Inside a JSON string,
  /// these quotes would be escaped, so the match is unambiguous.
  private static let exportedKey = #","exported":"#

  /// Extracts the totals from a description, as JSON text.
  static func exported(in description: String) -> String? {
    guard let place = description.firstRange(ofText: exportedKey),
      let end = description.lastIndex(of: "}")
    else { return nil }
    return String(description[place.upperBound..<end])
  }

  public func writeHazards(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable
  ) throws {
    let moments = try Moments(of: source)
    var buffer = TextBuffer()
    buffer.append("time_utc,seconds,hazard,intensity,lat,lon\n")
    for hazard in try source.hazards() where selection.includes(hazard.time) {
      buffer.append(
        "\(moments.utc(hazard.time, noted: hazard.utc)),\(moments.seconds(hazard.time)),"
          + "\(CSVText.field(hazard.name)),\(hazard.intensity),")
      if let position = hazard.position {
        buffer.append(position.latitude, decimals: 7)
        buffer.appendComma()
        buffer.append(position.longitude, decimals: 7)
      } else {
        buffer.appendComma()
      }
      buffer.append("\n")
      if buffer.isFull { try buffer.flush(to: &sink) }
    }
    try buffer.flush(to: &sink)
  }

  /// Writes events and annotations as a table in chronological order. An event precedes an
  /// annotation with the same time.
  public func writeEvents(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable
  ) throws {
    let moments = try Moments(of: source)
    let names = Dictionary(
      try source.streams().map { ($0.board.address, $0.board.name) },
      uniquingKeysWith: { first, _ in first })
    var rows: [(time: BootTime, fields: [String])] = []
    for event in try source.events() where selection.includes(event) {
      rows.append(
        (
          event.time,
          [
            moments.utc(of: event), moments.seconds(event.time),
            event.board?.description ?? "", event.kind.rawValue,
            event.value.map { $0.json.text } ?? "", event.text,
            event.board.flatMap { names[$0] } ?? "", event.value == nil ? "" : event.kind.unit,
          ]
        ))
    }
    for annotation in try source.annotations() where selection.includes(annotation.time) {
      rows.append(
        (
          annotation.time,
          [
            moments.utc(annotation.time), moments.seconds(annotation.time), "", "annotation", "",
            annotation.text, "", "",
          ]
        ))
    }
    // The recorder may store an event long after the event occurred, so the rows are sorted by
    // time.
    let order = rows.indices.sorted { (rows[$0].time, $0) < (rows[$1].time, $1) }
    var buffer = TextBuffer()
    buffer.append("time_utc,seconds,board,event,value,text,name,unit\n")
    for place in order {
      buffer.append(rows[place].fields.map(CSVText.field).joined(separator: ",") + "\n")
      if buffer.isFull { try buffer.flush(to: &sink) }
    }
    try buffer.flush(to: &sink)
  }

  public func writeFixes(
    _ source: some SessionSource, to sink: inout some ByteSink & ~Copyable
  ) throws {
    let moments = try Moments(of: source)
    var buffer = TextBuffer()
    buffer.append(
      "time_utc,arrival_seconds,lat,lon,alt_msl,geoid_separation,speed,track,hdop,satellites,"
        + "three_dimensional,fix_quality,error,error_vertical,error_basis,follows_loss,"
        + "angle_unit,length_unit,speed_unit\n")
    try TrackReader(selection).forEach(of: .max, source) { fix in
      buffer.append("\(fix.utc.iso8601()),\(moments.seconds(fix.arrival)),")
      buffer.append(fix.latitude, decimals: 7)
      buffer.appendComma()
      buffer.append(fix.longitude, decimals: 7)
      for (value, decimals) in [
        (fix.altitudeMSL, 2), (fix.geoidSeparation, 2), (fix.speed, 3), (fix.track, 2),
        (fix.hdop, 2),
      ] {
        buffer.appendComma()
        if let value { buffer.append(value, decimals: decimals) }
      }
      buffer.append(
        ",\(fix.satellites.map(String.init) ?? ""),\(fix.isThreeDimensional),\(fix.quality.word)")
      for value in [fix.error?.horizontal, fix.error?.vertical] {
        buffer.appendComma()
        if let value { buffer.append(value, decimals: 2) }
      }
      buffer.append(",\(fix.error?.basis.word ?? ""),\(fix.followsLoss),deg,m,m/s\n")
      if buffer.isFull { try buffer.flush(to: &sink) }
    }
    try buffer.flush(to: &sink)
  }
}

extension SessionEvent.Kind {
  /// The unit of the value in events of this kind; empty if there is none.
  fileprivate var unit: String {
    switch self {
    case .battery: "%"
    case .dropped, .damaged: "samples"
    default: ""
    }
  }
}

extension ExportTotals {
  var json: JSONValue {
    .object(
      [
        .init("samples", rows), .init("missingChunks", missingChunks),
        .init("hasUnknownLosses", hasUnknownLosses),
        .init("streams", .array(streams.map(\.json))),
      ] + (joining.map { [.init("rows", $0.json)] } ?? []))
  }
}

extension ExportTotals.Stream {
  fileprivate var json: JSONValue {
    [
      "board": board.json, "name": name.json, "signal": signal.json, "samples": rows.json,
      "positioned": positioned.json, "gaps": gaps.json, "lost": lost.json,
      "loss": lossCertainty.rawValue.json, "missing": .array(missing.map { $0.description.json }),
    ]
  }
}

extension ExportTotals.Joining {
  /// The rule as JSON, in words and as a number.
  fileprivate var json: JSONValue {
    switch self {
    case .nearest(let seconds):
      [
        "method": "samples whose times differ by at most the tolerance are in one row".json,
        "toleranceSeconds": .number(seconds),
      ]
    case .resampled(let rate):
      [
        "method":
          ("linear interpolation between neighbouring samples, without a filter; "
          + "quaternions normalised, angles by the shorter way; never across a gap").json,
        "rate": .number(rate),
      ]
    }
  }
}
