internal import Recording
internal import Values

/// The description of a session in JSON: its gateway, times and boards, and the hazards and remarks
/// that people added.
struct SessionDescription {
  /// The description as one object. Only its clock table grows with the session's length, and only
  /// slowly.
  let json: JSONValue

  init(
    _ source: some SessionSource, selection: ExportSelection
  ) throws {
    let entries = try source.clockEntries()
    let moments = Moments(start: source.session.start, ClockTable(entries))
    json = .object(
      try Self.members(source, selection: selection, decimals: 6) + [
        .init("from", moments.json(selection.from)), .init("to", moments.json(selection.to)),
        .init("bootID", source.session.bootID.description),
        .init(
          "clock",
          .array(
            entries.map { entry in
              [
                "boot": entry.boot.nanoseconds.json, "time": entry.utc.iso8601(decimals: 9).json,
                "source": entry.source.name.json,
              ]
            })),
        .init("hazards", .array(try source.hazards().map { Self.json($0, moments) })),
        .init(
          "annotations",
          .array(
            try source.annotations().map { annotation in
              .object(moments.members(annotation.time) + [.init("text", annotation.text)])
            })),
        .init("columnUnits", Self.columnUnits),
      ])
  }

  /// Units of the columns that have the same unit in all tables. Sample values are in the unit of
  /// their stream instead.
  private static let columnUnits: JSONValue = [
    "seconds": "s", "start_seconds": "s", "end_seconds": "s", "arrival_seconds": "s",
    "board_seconds": "s", "lat": "deg", "lon": "deg", "alt_msl": "m", "geoid_separation": "m",
    "speed": "m/s", "track": "deg", "fix_age": "s", "age": "s", "fix_error": "m", "error": "m",
    "error_vertical": "m", "lost": "samples",
  ]

  /// Returns the members that describe a session in every export. `decimals` is the number of
  /// decimal places in universal times.
  static func members(
    _ source: some SessionSource, selection: ExportSelection, decimals: Int
  ) throws -> [JSONValue.Member] {
    let session = source.session
    let clock = ClockTable(try source.clockEntries())
    let streams = try source.streams().filter(selection.includes)
    let placements = try source.placements()
    func utc(_ time: BootTime?) -> JSONValue {
      time.flatMap { clock.utc(at: $0) }.map { $0.iso8601(decimals: decimals).json } ?? .null
    }
    var boards: [BoardIdentity] = []
    for stream in streams where !boards.contains(stream.board) { boards.append(stream.board) }
    return [
      .init("session", session.id.description), .init("note", session.note),
      .init("gateway", session.gateway), .init("wearer", session.wearer),
      .init("participant", session.participant), .init("start", utc(session.start)),
      .init("end", utc(session.end)), .init("timeSource", clock.sourceName),
      .init("timeWarning", clock.disagreement?.description),
      .init("ending", session.ending?.name),
      .init("boards", .array(boards.map { Self.json($0, placements[$0.address] ?? "") })),
      .init("streams", .array(streams.map(Self.json))),
    ]
  }

  private static func json(_ board: BoardIdentity, _ placement: String) -> JSONValue {
    [
      "address": board.address.json, "name": board.name.json, "model": board.model.json,
      "firmware": board.firmware.json, "placement": placement.json,
    ]
  }

  private static func json(_ stream: SourceStream) -> JSONValue {
    [
      "board": stream.board.address.json, "name": stream.board.name.json,
      "signal": stream.description.signal.json, "unit": stream.description.unit.json,
      "range": stream.description.range.json, "axes": stream.description.axes.json,
      "rate": stream.description.rate.json, "boardClock": stream.description.hasBoardTicks.json,
      "samples": stream.sampleCount.json,
    ]
  }

  private static func json(_ hazard: Hazard, _ moments: Moments) -> JSONValue {
    .object(
      moments.members(hazard.time, utc: hazard.utc) + [
        .init("name", hazard.name), .init("intensity", hazard.intensity),
        .init("lat", hazard.position?.latitude), .init("lon", hazard.position?.longitude),
      ])
  }
}
