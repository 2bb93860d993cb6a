internal import Gateway
internal import Recording
internal import Storage
internal import Values

extension SessionReport {
  /// The report as a JSON object. Times are in seconds since the session's start.
  var json: JSONValue {
    let session = summary.session
    return .object([
      .init("session", session.id), .init("start", utc(session.start)),
      .init("end", utc(summary.end)), .init("timeSource", summary.clock.sourceName),
      .init("timeWarning", summary.clock.disagreement?.description),
      .init("seconds", summary.seconds), .init("ended", ending), .init("gateway", session.gateway),
      .init("participant", session.participant), .init("wearer", session.wearer),
      .init("note", session.note), .init("fixes", summary.fixes),
      .init("statistics", Self.json(summary.statistics)),
      .init("boards", .array(summary.boards.map(json))),
      .init("streams", .array(summary.streams.map(json))),
      .init("hasUnknownLosses", summary.hasUnknownLosses),
      .init("tasks", .array(summary.tasks.map { TaskText.json($0, in: session) })),
      .init("mountings", .array(summary.mountings.map { GatewayStatus.Mounting(fault: $0).json })),
      .init("hazards", .array(summary.hazards.map { Self.json($0, in: session) })),
      .init("reports", .array(WalkReport.all(in: summary.events).map(ReportText.json))),
      .init("annotations", .array(summary.annotations.map { Self.json($0, in: session) })),
      .init("events", .array(summary.events.map { Self.json($0, in: session, summary.clock) })),
    ]).with("missingFixes", missingFixes)
  }

  /// Returns the statistics as JSON. Unknown figures are null.
  static func json(_ statistics: SessionStatistics) -> JSONValue {
    let altitude = statistics.altitude
    let steps = statistics.steps.map { steps in
      JSONValue.object([
        .init("board", steps.board), .init("source", steps.source.rawValue),
        .init("count", steps.count),
      ])
    }
    return .object([
      .init("distanceMetres", statistics.distance.json(decimals: 1)),
      .init("movingSeconds", statistics.movingSeconds.json(decimals: 1)),
      .init("meanSpeed", statistics.meanSpeed.json(decimals: 2)),
      .init("highestSpeed", statistics.highestSpeed.json(decimals: 2)),
      .init("altitudeSource", altitude?.source.rawValue),
      .init("gainMetres", (altitude?.gain).json(decimals: 1)),
      .init("lossMetres", (altitude?.loss).json(decimals: 1)),
      .init("netMetres", (altitude?.net).json(decimals: 1)), .init("steps", .array(steps)),
      .init("fixShare", statistics.fixShare.json(decimals: 3)),
    ])
  }

  static func json(_ hazard: Hazard, in session: Session) -> JSONValue {
    .object([
      .init("name", hazard.name), .init("intensity", hazard.intensity),
      .init("seconds", seconds(hazard.time, in: session)), .init("utc", hazard.utc?.iso8601()),
      .init("latitude", hazard.position?.latitude), .init("longitude", hazard.position?.longitude),
    ])
  }

  static func json(_ annotation: Annotation, in session: Session) -> JSONValue {
    .object([
      .init("seconds", seconds(annotation.time, in: session)), .init("text", annotation.text),
    ])
  }

  private func json(_ board: SessionSummary.Board) -> JSONValue {
    .object([
      .init("address", board.identity.address), .init("name", board.identity.name),
      .init("placement", board.placement), .init("model", board.identity.model),
      .init("firmware", board.identity.firmware),
    ])
  }

  private func json(_ stream: SessionSummary.Stream) -> JSONValue {
    var lost = LossReason.allCases.compactMap { reason in
      stream.lost[reason].map { JSONValue.Member(reason.name, $0) }
    }
    if stream.lostWithChunks > 0 {
      lost.append(.init("chunks", stream.lostWithChunks))
    }
    var members: [JSONValue.Member] = [
      .init("board", stream.board.address), .init("signal", stream.description.signal),
      .init("unit", stream.description.unit), .init("range", stream.description.range),
      .init("samples", stream.samples), .init("lost", .object(lost)),
      .init("loss", stream.lossCertainty.rawValue),
      .init("lossIsEstimate", stream.lossCertainty != .counted),
      .init("requestedHertz", stream.description.rate),
      .init("achievedHertz", stream.achievedRate.json(decimals: 3)),
      .init("driftPpm", stream.drift.json(decimals: 1)), .init("chunkCount", stream.chunks.count),
      .init("missingChunks", stream.missingChunks),
    ]
    if listsChunks { members.append(.init("chunks", .array(stream.chunks.map(json)))) }
    return .object(members)
  }

  private func json(_ chunk: SessionSummary.StreamChunk) -> JSONValue {
    .object([
      .init("id", chunk.row.id), .init("number", chunk.row.sequence),
      .init("seconds", Self.seconds(chunk.row.first, in: summary.session)),
      .init("samples", chunk.row.sampleCount), .init("lost", chunk.row.lostCount),
      .init("bytes", chunk.bytes), .init("whole", chunk.isWhole),
    ])
  }

  /// Returns an event as JSON. If the event has no UTC time, the time is computed from the
  /// session's clock.
  static func json(
    _ event: SessionEvent, in session: Session, _ clock: ClockTable
  ) -> JSONValue {
    .object([
      .init("seconds", seconds(event.time, in: session)),
      .init("utc", (event.utc ?? clock.utc(at: event.time))?.iso8601()),
      .init("kind", event.kind.rawValue), .init("board", event.board), .init("value", event.value),
      .init("text", event.text),
    ])
  }

  private func utc(_ time: BootTime) -> JSONValue {
    (summary.clock.utc(at: time)?.iso8601()).json
  }

  /// Rounds to milliseconds, which is finer than a user's reaction time.
  private static func seconds(_ time: BootTime, in session: Session) -> Double {
    (time.seconds(since: session.start) * 1_000).rounded() / 1_000
  }
}
