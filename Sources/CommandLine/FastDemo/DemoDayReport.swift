internal import Export
internal import Gateway
internal import Recording
internal import Terminal
internal import Values

/// A report on a simulated day, with the sample counts at the boards and the gateway, and the chunk
/// counts at the server.
struct DemoDayReport: Sendable {
  /// The counts of one walk or of all walks, in samples unless the name says otherwise.
  struct Counts: Sendable {
    var sent: UInt64 = 0
    var arrived: UInt64 = 0
    var recorded = RecordedCounts()

    /// The number of samples lost over the air.
    var dropped: UInt64 { sent > arrived ? sent - arrived : 0 }

    /// The number of samples that are counted as lost but were never sent, for example while a
    /// board had no power.
    var neverSent: UInt64 { recorded.lost > dropped ? recorded.lost - dropped : 0 }

    /// Whether every sample that arrived is stored, and every sample lost over the air is counted
    /// as lost.
    var isBalanced: Bool { recorded.stored == arrived && recorded.lost >= dropped }
  }

  var walks: [(name: String, counts: Counts)]
  var chunksAtServer: Int
  var repeated: Int
  /// The simulated length of the day in seconds.
  var seconds: Double
  /// Whether the whole day was simulated.
  var isWhole: Bool

  /// `exported` contains, for each walk, the counts of the samples that were read back from the
  /// store.
  init(_ outcome: DemoDay.Outcome, exported: [ExportTotals?], isWhole: Bool) {
    walks = zip(outcome.walks, exported).map { walk, exported in
      var counts = Counts(sent: walk.sent, arrived: walk.arrived)
      for stream in walk.recording.totals.streams { counts.recorded.add(stream) }
      for stream in exported?.streams ?? [] { counts.recorded.add(stream) }
      return (walk.name, counts)
    }
    chunksAtServer = outcome.arrivals.chunks.count
    repeated = outcome.arrivals.repeated
    seconds = outcome.seconds
    self.isWhole = isWhole
  }

  var total: Counts {
    walks.map(\.counts).reduce(into: Counts()) { total, counts in
      total.sent += counts.sent
      total.arrived += counts.arrived
      total.recorded += counts.recorded
    }
  }

  /// Whether every sample is stored or counted as lost, and every stored chunk has reached the
  /// server. If the day was stopped early, uploads may be missing.
  var isBalanced: Bool {
    walks.allSatisfy(\.counts.isBalanced)
      && (!isWhole || UInt64(chunksAtServer) == total.recorded.chunks)
  }
}

extension DemoDayReport {
  /// The report as one JSON object: the walks in order, then the server.
  var json: JSONValue {
    .object([
      .init("seconds", seconds.rounded()),
      .init(
        "walks",
        .array(walks.map { .object([.init("name", $0.name)] + Self.members(of: $0.counts)) })),
      .init(
        "server",
        .object([
          .init("chunks", chunksAtServer), .init("repeated", repeated),
        ])),
    ])
  }

  private static func members(of counts: Counts) -> [JSONValue.Member] {
    let recorded = counts.recorded
    return [
      .init("sent", counts.sent), .init("arrived", counts.arrived),
      .init("stored", recorded.stored), .init("lost", recorded.lost),
      .init("positioned", recorded.positioned), .init("chunks", recorded.chunks),
      .init("lostByReason", recorded.reasons),
    ]
  }

  /// The report as a table with one column per walk, and one row per stage, such as sent, stored
  /// and lost.
  var lines: [String] {
    var table = TextTable(
      [TextTable.Column("stage")] + walks.map { TextTable.Column($0.name, .right) }
        + [TextTable.Column("day", .right)])
    let all = walks.map(\.counts) + [total]
    func row(_ title: String, _ count: (Counts) -> UInt64) {
      table.append([title] + all.map { NumberText.grouped(count($0)) })
    }
    row("samples sent by the boards", \.sent)
    row("  lost over the air", \.dropped)
    row("  stored", \.recorded.stored)
    row("    with a position", \.recorded.positioned)
    row("samples counted as lost", \.recorded.lost)
    row("  lost over the air", \.dropped)
    row("  never sent (estimate)", \.neverSent)
    row("losses by reason", \.recorded.lost)
    for reason in LossReason.allCases where total.recorded.lostByReason[reason] != nil {
      row("  \(reason.name)") { $0.recorded.lostByReason[reason] ?? 0 }
    }
    row("chunks", \.recorded.chunks)
    return table.lines + ["", verdict]
  }

  private var verdict: String {
    guard isBalanced else {
      return "The counts do not agree: samples are missing but not counted as lost."
    }
    let samples =
      "Every sample that arrived is stored once; the others are counted as lost. The 'never sent' count\n"
      + "is an estimate: the board was out of range or without power."
    guard isWhole else { return samples }
    return samples + "\nThe server has all \(NumberText.grouped(chunksAtServer)) chunks; "
      + "\(repeated) of them arrived twice and are stored once."
  }
}
