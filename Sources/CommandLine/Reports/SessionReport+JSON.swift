internal import Gateway
internal import Recording
internal import Storage
internal import Values

extension SessionReport {
  /// One object with everything the text has; times in seconds since the start.
  var json: JSONValue {
    let session = summary.session
    return .object([
      .init("session", .string("\(session.id)")),
      .init("start", utc(session.start)), .init("end", utc(summary.end)),
      .init("timeSource", .string(summary.clock.sourceName)),
      .init(
        "timeWarning", summary.clock.disagreement.map { .string($0.description) } ?? .null),
      .init("seconds", .number(summary.seconds)), .init("ended", .string(ending)),
      .init("gateway", .string(session.gateway)), .init("wearer", .string(session.wearer)),
      .init("note", .string(session.note)), .init("fixes", .integer(Int64(summary.fixes))),
      .init("statistics", Self.json(summary.statistics)),
      .init("boards", .array(summary.boards.map(json))),
      .init("streams", .array(summary.streams.map(json))),
      .init("hasUnknownLosses", .bool(summary.hasUnknownLosses)),
      .init("hazards", .array(summary.hazards.map { Self.json($0, in: session) })),
      .init("annotations", .array(summary.annotations.map { Self.json($0, in: session) })),
      .init(
        "events", .array(summary.events.map { Self.json($0, in: session, summary.clock) })),
    ]).with("missingFixes", missingFixes)
  }

  /// Figures that are not known are null.
  static func json(_ statistics: SessionStatistics) -> JSONValue {
    func tenths(_ number: Double?) -> JSONValue {
      number.map { .number(($0 * 10).rounded() / 10) } ?? .null
    }
    func hundredths(_ number: Double?) -> JSONValue {
      number.map { .number(($0 * 100).rounded() / 100) } ?? .null
    }
    return .object([
      .init("distanceMetres", tenths(statistics.distance)),
      .init("movingSeconds", tenths(statistics.movingSeconds)),
      .init("meanSpeed", hundredths(statistics.meanSpeed)),
      .init("highestSpeed", hundredths(statistics.highestSpeed)),
      .init("altitudeSource", statistics.altitude.map { .string($0.source.rawValue) } ?? .null),
      .init("gainMetres", tenths(statistics.altitude?.gain)),
      .init("lossMetres", tenths(statistics.altitude?.loss)),
      .init("netMetres", tenths(statistics.altitude?.net)),
      .init(
        "steps",
        .array(
          statistics.steps.map {
            .object([
              .init("board", .string($0.board.description)),
              .init("source", .string($0.source.rawValue)),
              .init("count", .integer(Int64($0.count))),
            ])
          })),
      .init("fixShare", .number((statistics.fixShare * 1_000).rounded() / 1_000)),
    ])
  }

  static func json(_ hazard: Hazard, in session: Session) -> JSONValue {
    .object([
      .init("name", .string(hazard.name)), .init("intensity", .integer(Int64(hazard.intensity))),
      .init("seconds", .number(seconds(hazard.time, in: session))),
      .init("utc", hazard.utc.map { .string($0.iso8601()) } ?? .null),
      .init("latitude", hazard.position.map { .number($0.latitude) } ?? .null),
      .init("longitude", hazard.position.map { .number($0.longitude) } ?? .null),
    ])
  }

  static func json(_ annotation: Annotation, in session: Session) -> JSONValue {
    .object([
      .init("seconds", .number(seconds(annotation.time, in: session))),
      .init("text", .string(annotation.text)),
    ])
  }

  private func json(_ board: SessionSummary.Board) -> JSONValue {
    .object([
      .init("address", .string(board.identity.address.description)),
      .init("name", .string(board.identity.name)), .init("placement", .string(board.placement)),
      .init("model", .string(board.identity.model)),
      .init("firmware", .string(board.identity.firmware)),
    ])
  }

  private func json(_ stream: SessionSummary.Stream) -> JSONValue {
    var lost = LossReason.allCases.compactMap { reason in
      stream.lost[reason].map { JSONValue.Member(reason.name, .integer(Int64(clamping: $0))) }
    }
    if stream.lostWithChunks > 0 {
      lost.append(.init("chunks", .integer(Int64(clamping: stream.lostWithChunks))))
    }
    var members: [JSONValue.Member] = [
      .init("board", .string(stream.board.address.description)),
      .init("signal", .string(stream.description.signal)),
      .init("unit", .string(stream.description.unit)),
      .init("range", stream.description.range.map { .number($0) } ?? .null),
      .init("samples", .integer(Int64(stream.samples))), .init("lost", .object(lost)),
      .init("loss", .string(stream.lossCertainty.rawValue)),
      .init("lossIsEstimate", .bool(stream.lossCertainty != .counted)),
      .init("requestedHertz", .number(stream.description.rate)),
      .init(
        "achievedHertz",
        stream.achievedRate.map { .number(($0 * 1_000).rounded() / 1_000) } ?? .null),
      .init("driftPpm", stream.drift.map { .number(($0 * 10).rounded() / 10) } ?? .null),
      .init("chunkCount", .integer(Int64(stream.chunks.count))),
      .init("missingChunks", .integer(Int64(stream.missingChunks))),
    ]
    if listsChunks { members.append(.init("chunks", .array(stream.chunks.map(json)))) }
    return .object(members)
  }

  private func json(_ chunk: SessionSummary.StreamChunk) -> JSONValue {
    .object([
      .init("id", .string("\(chunk.row.id)")), .init("number", .integer(Int64(chunk.row.sequence))),
      .init("seconds", .number(Self.seconds(chunk.row.first, in: summary.session))),
      .init("samples", .integer(Int64(chunk.row.sampleCount))),
      .init("lost", .integer(Int64(clamping: chunk.row.lostCount))),
      .init("bytes", chunk.bytes.map { .integer(Int64($0)) } ?? .null),
      .init("whole", .bool(chunk.isWhole)),
    ])
  }

  /// An event; without a universal time of its own, it is dated by the clock of its session.
  static func json(
    _ event: SessionEvent, in session: Session, _ clock: ClockTable
  ) -> JSONValue {
    .object([
      .init("seconds", .number(seconds(event.time, in: session))),
      .init(
        "utc", (event.utc ?? clock.utc(at: event.time)).map { .string($0.iso8601()) } ?? .null),
      .init("kind", .string(event.kind.rawValue)),
      .init("board", event.board.map { .string($0.description) } ?? .null),
      .init("value", event.value.map { .number($0) } ?? .null), .init("text", .string(event.text)),
    ])
  }

  private func utc(_ time: BootTime) -> JSONValue {
    summary.clock.utc(at: time).map { .string($0.iso8601()) } ?? .null
  }

  /// To the millisecond, which is more than a person can mean.
  private static func seconds(_ time: BootTime, in session: Session) -> Double {
    (time.seconds(since: session.start) * 1_000).rounded() / 1_000
  }
}
