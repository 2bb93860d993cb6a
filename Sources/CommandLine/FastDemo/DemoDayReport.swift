internal import Export
internal import Gateway
internal import Recording
internal import Values

/// What a simulated day amounts to, counted at both ends, walk by walk.
struct DemoDayReport: Sendable {
  /// The counts of one walk or of all, in samples unless named otherwise.
  struct Counts: Sendable {
    var sent: UInt64 = 0
    var arrived: UInt64 = 0
    var stored: UInt64 = 0
    var positioned: UInt64 = 0
    var chunks: UInt64 = 0
    var lostByReason: [LossReason: UInt64] = [:]

    /// Samples that were lost on the air.
    var dropped: UInt64 { sent > arrived ? sent - arrived : 0 }
    var lost: UInt64 { lostByReason.values.reduce(0, +) }

    /// Whether each sample that arrived is stored, and no loss on the air is missing in the count.
    var isBalanced: Bool { stored == arrived && lost >= dropped }
  }

  var walks: [(name: String, counts: Counts)]
  /// Chunks that the server has, and those of them that were sent again.
  var chunksAtServer: Int
  var repeated: Int
  /// Seconds of the day.
  var seconds: Double
  /// Whether the day was lived through to its end.
  var isWhole: Bool

  /// The report on a day; `exported` has what the exports read back from the store, walk by walk.
  init(_ outcome: DemoDay.Outcome, exported: [ExportTotals?], isWhole: Bool) {
    walks = zip(outcome.walks, exported).map { walk, exported in
      var counts = Counts()
      counts.sent = walk.sent
      counts.arrived = walk.arrived
      for stream in walk.recording.totals.streams {
        counts.chunks += stream.chunks
        counts.lostByReason.merge(stream.lost) { $0 + $1 }
      }
      for stream in exported?.streams ?? [] {
        counts.stored += UInt64(stream.rows)
        counts.positioned += UInt64(stream.positioned)
      }
      return (walk.name, counts)
    }
    chunksAtServer = outcome.arrivals.chunks.count
    repeated = outcome.arrivals.repeated
    seconds = outcome.seconds
    self.isWhole = isWhole
  }

  /// The sum over all walks.
  var total: Counts {
    walks.map(\.counts).reduce(into: Counts()) { total, counts in
      total.sent += counts.sent
      total.arrived += counts.arrived
      total.stored += counts.stored
      total.positioned += counts.positioned
      total.chunks += counts.chunks
      total.lostByReason.merge(counts.lostByReason) { $0 + $1 }
    }
  }

  /// Whether nothing is missing anywhere. A day that was ended early has not uploaded everything.
  var isBalanced: Bool {
    walks.allSatisfy(\.counts.isBalanced)
      && (!isWhole || UInt64(chunksAtServer) == total.chunks)
  }
}

extension DemoDayReport {
  /// One object: the walks in their order, then the server.
  var json: JSONValue {
    .object([
      .init("seconds", .number(seconds.rounded())),
      .init(
        "walks",
        .array(
          walks.map { .object([.init("name", .string($0.name))] + Self.members(of: $0.counts)) })),
      .init(
        "server",
        .object([
          .init("chunks", .integer(Int64(chunksAtServer))),
          .init("repeated", .integer(Int64(repeated))),
        ])),
    ])
  }

  private static func members(of counts: Counts) -> [JSONValue.Member] {
    func member(_ name: String, _ count: UInt64) -> JSONValue.Member {
      .init(name, .integer(Int64(count)))
    }
    let reasons = LossReason.allCases.compactMap { reason in
      counts.lostByReason[reason].map { member(reason.name, $0) }
    }
    return [
      member("sent", counts.sent), member("arrived", counts.arrived),
      member("stored", counts.stored),
      member("lost", counts.lost), member("positioned", counts.positioned),
      member("chunks", counts.chunks), .init("lostByReason", .object(reasons)),
    ]
  }

  /// A table for people: stages down, walks across.
  var lines: [String] {
    var table = TextTable(
      [TextTable.Column("stage")] + walks.map { TextTable.Column($0.name, .right) }
        + [TextTable.Column("day", .right)])
    let all = walks.map(\.counts) + [total]
    func row(_ title: String, _ count: (Counts) -> UInt64) {
      table.append([title] + all.map { NumberText.grouped(count($0)) })
    }
    row("samples sent by the boards", \.sent)
    row("  of these lost on the air", \.dropped)
    row("samples stored", \.stored)
    row("  of these with a position", \.positioned)
    row("samples lost, as the gateway counts", \.lost)
    for reason in LossReason.allCases where total.lostByReason[reason] != nil {
      row("  lost: \(reason.name)") { $0.lostByReason[reason] ?? 0 }
    }
    row("chunks", \.chunks)
    return table.lines + ["", verdict]
  }

  private var verdict: String {
    guard isBalanced else {
      return "The counts do not agree: samples are missing and not counted as lost."
    }
    let samples = "Every sample that arrived is stored once; the others are counted as lost."
    guard isWhole else { return samples }
    return samples + "\nThe server has all \(NumberText.grouped(UInt64(chunksAtServer))) chunks; "
      + "\(repeated) of them came twice and are there once."
  }
}
