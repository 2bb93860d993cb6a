internal import Recording

/// The track of a session as GeoJSON (RFC 7946), for maps: one feature, with what was recorded on
/// the way as its properties.
///
/// Two fixes or more make a `LineString`, one a `Point`, none a `null` geometry. A position has an
/// altitude where the receiver gave one and the height of the geoid with it: the format wants
/// heights above the ellipsoid, which is up to a hundred metres away from the sea.
/// `coordTimes` holds the universal time of each position, as other tools expect it.
public struct GeoJSONExport: Sendable {
  private static let pageSize = 4_096

  /// There is nothing to choose.
  public init() {}

  /// Writes the whole track: how many fixes it has.
  @discardableResult
  public func write(
    _ source: borrowing some SessionSource & ~Copyable, to sink: inout some ByteSink & ~Copyable
  ) throws -> Int {
    // Looking two ahead is enough to know the kind of geometry, and the count is settled by the
    // first pass: a session that is still being recorded may grow before the second one.
    let ahead = try source.fixes(from: 0, limit: 2).count
    var buffer = TextBuffer()
    buffer.append(#"{"type":"FeatureCollection","features":[{"type":"Feature","geometry":"#)
    var count = 0
    switch ahead {
    case 0: buffer.append("null")
    case 1:
      buffer.append(#"{"type":"Point","coordinates":"#)
      count = try appendEach(of: 1, source, to: &buffer, &sink) { Self.append($0, to: &$1) }
      buffer.append("}")
    default:
      buffer.append(#"{"type":"LineString","coordinates":["#)
      count = try appendEach(of: .max, source, to: &buffer, &sink) { Self.append($0, to: &$1) }
      buffer.append("]}")
    }
    // The properties as one object, whose last member is the list that may be long.
    buffer.append(#","properties":"#)
    buffer.append(String(try properties(source).text.dropLast()))
    buffer.append(#","coordTimes":["#)
    _ = try appendEach(of: count, source, to: &buffer, &sink) { fix, buffer in
      buffer.append(JSONValue.string(fix.utc.iso8601(decimals: 3)).text)
    }
    buffer.append("]}}]}\n")
    try buffer.flush(to: &sink)
    return count
  }

  private func properties(
    _ source: borrowing some SessionSource & ~Copyable
  ) throws -> JSONValue {
    let session = source.session
    let clock = ClockTable(try source.clockEntries())
    let streams = try source.streams()
    func utc(_ time: BootTime?) -> JSONValue {
      time.flatMap { clock.utc(at: $0) }.map { .string($0.iso8601(decimals: 3)) } ?? .null
    }
    var boards: [BoardIdentity] = []
    for stream in streams where !boards.contains(stream.board) { boards.append(stream.board) }
    return [
      "session": .string(session.id.description),
      "note": .string(session.note),
      "start": utc(session.start),
      "end": utc(session.end),
      "boards": .array(
        boards.map { board in
          [
            "address": .string(board.address.description), "name": .string(board.name),
            "model": .string(board.model), "firmware": .string(board.firmware),
          ]
        }),
      "streams": .array(
        streams.map { stream in
          [
            "board": .string(stream.board.address.description),
            "signal": .string(stream.description.signal),
            "unit": .string(stream.description.unit),
            "axes": .array(stream.description.axes.map { .string($0) }),
            "rate": .number(stream.description.rate),
            "boardClock": .bool(stream.description.hasBoardTicks),
            "samples": .integer(Int64(stream.sampleCount)),
          ]
        }),
    ]
  }

  /// Appends something for each of the first fixes, with commas between: how many there were.
  private func appendEach<Sink: ByteSink & ~Copyable>(
    of limit: Int, _ source: borrowing some SessionSource & ~Copyable,
    to buffer: inout TextBuffer, _ sink: inout Sink, _ append: (Fix, inout TextBuffer) -> Void
  ) throws -> Int {
    var count = 0
    while count < limit {
      let page = try source.fixes(from: count, limit: min(Self.pageSize, limit - count))
      for fix in page {
        if count > 0 { buffer.appendComma() }
        append(fix, &buffer)
        count += 1
        if buffer.isFull { try buffer.flush(to: &sink) }
      }
      if page.isEmpty { break }
    }
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
}
