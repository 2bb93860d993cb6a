internal import BoardDriver
internal import Export
internal import Gateway
internal import Recording
internal import Simulation
internal import Terminal
internal import Values

/// Compares, for each board of the demo, the samples that the simulation sent with the samples that
/// the gateway stored.
struct DemoReport: Sendable {
  /// The counts of one board or of all boards, in samples unless the name says otherwise.
  struct Counts: Sendable {
    var sent: UInt64 = 0
    var recorded = RecordedCounts()
    var seconds = 0.0
    /// The number of packets that the board sent, including packets with responses.
    var notificationsSent: UInt64 = 0
    /// The number of sent packets that were dropped because the gateway's socket was full.
    var dropped: UInt64 = 0
    /// The number of packets that the gateway received.
    var notifications: UInt64 = 0
    /// The number of received packets that were decoded into samples.
    var decoded: UInt64 = 0
    /// The number of links that were lost and then restored.
    var lostLinks: UInt64 = 0
    /// The number of unusable packets, by kind.
    var unexpected: [PacketDiagnosis.Kind: UInt64] = [:]

    /// Whether every sample that was sent is stored or counted as lost.
    var isBalanced: Bool { sent == recorded.stored + recorded.lost }
  }

  struct Board: Sendable {
    var address: BoardAddress
    var name: String
    var counts: Counts
  }

  var boards: [Board]
  /// Seconds from the first to the last sample, over all boards.
  var seconds: Double

  /// Compares the simulation's counts with the recorded samples and with the samples that were read
  /// back from the store.
  ///
  /// `stored` and `positioned` come from reading the store, not from the recorder.
  init(
    world: [SimulatedWorld.Board], sent: [BoardCounts], recording: RecordingReport,
    exported: ExportTotals?
  ) {
    seconds = recording.seconds()
    boards = zip(world, sent).map { identity, board in
      var counts = Counts()
      counts.sent = board.samples
      counts.notificationsSent = board.notifications
      counts.dropped = UInt64(board.dropped)
      if let recorded = recording.boards.first(where: { $0.identity.address == board.address }) {
        counts.notifications = UInt64(recorded.packets.notifications)
        counts.decoded = UInt64(recorded.packets.decoded)
        counts.lostLinks = UInt64(recorded.lostLinks)
        counts.unexpected = recorded.diagnosis.counts
        counts.seconds = recording.seconds(ofBoard: recorded.number)
        for stream in recording.totals.streams where stream.board == recorded.number {
          counts.recorded.add(stream)
        }
      }
      for stream in exported?.streams ?? [] where stream.board == board.address {
        counts.recorded.add(stream)
      }
      return Board(address: identity.address, name: identity.name, counts: counts)
    }
  }

  var total: Counts {
    var total = Counts()
    for counts in boards.map(\.counts) {
      total.sent += counts.sent
      total.recorded += counts.recorded
      total.notificationsSent += counts.notificationsSent
      total.dropped += counts.dropped
      total.notifications += counts.notifications
      total.decoded += counts.decoded
      total.lostLinks += counts.lostLinks
      total.unexpected.merge(counts.unexpected) { $0 + $1 }
    }
    total.seconds = seconds
    return total
  }

  /// Whether, for every board, each sample that was sent is stored or counted as lost.
  var isBalanced: Bool { boards.allSatisfy(\.counts.isBalanced) }
}

extension DemoReport {
  /// The report as one JSON object: the sum of the counts, followed by the boards.
  var json: JSONValue {
    .object(
      Self.members(of: total)
        + [
          .init(
            "boards",
            .array(
              boards.map { board in
                .object(
                  [
                    .init("address", board.address), .init("name", board.name),
                  ] + Self.members(of: board.counts))
              }))
        ])
  }

  private static func members(of counts: Counts) -> [JSONValue.Member] {
    let recorded = counts.recorded
    let kinds = PacketDiagnosis.Kind.allCases.compactMap { kind in
      counts.unexpected[kind].map { JSONValue.Member(kind.rawValue, $0) }
    }
    return [
      .init("sent", counts.sent), .init("received", recorded.received),
      .init("stored", recorded.stored), .init("lost", recorded.lost),
      .init("positioned", recorded.positioned), .init("notifications", counts.notifications),
      .init("chunks", recorded.chunks), .init("seconds", counts.seconds.json(decimals: 3)),
      .init("lostByReason", recorded.reasons), .init("lostLinks", counts.lostLinks),
      .init("unexpected", .object(kinds)),
    ]
  }

  /// The report as a table with one column per board, and one row per stage, such as sent, received
  /// and stored.
  var lines: [String] {
    let columns = boards.map { TextTable.Column($0.address.description, .right) }
    let hasTotal = boards.count > 1
    var table = TextTable(
      [TextTable.Column("stage")] + columns + (hasTotal ? [TextTable.Column("all", .right)] : []))
    let all = boards.map(\.counts) + (hasTotal ? [total] : [])
    func row(_ title: String, _ count: (Counts) -> UInt64) {
      table.append([title] + all.map { NumberText.grouped(count($0)) })
    }
    row("notifications sent by the board", \.notificationsSent)
    if total.dropped > 0 { row("  dropped (socket full)", \.dropped) }
    row("notifications received", \.notifications)
    row("  decoded into samples", \.decoded)
    row("samples sent by the board", \.sent)
    row("samples received", \.recorded.received)
    row("samples stored", \.recorded.stored)
    row("  with a position", \.recorded.positioned)
    row("samples lost", \.recorded.lost)
    for reason in LossReason.allCases where total.recorded.lostByReason[reason] != nil {
      row("  lost: \(reason.name)") { $0.recorded.lostByReason[reason] ?? 0 }
    }
    row("chunks", \.recorded.chunks)
    let verdict =
      isBalanced
      ? "Every sample the boards sent is stored, or counted as lost with a reason."
      : "The counts do not agree: samples are missing but not counted as lost."
    return table.lines + ["", verdict]
  }
}
