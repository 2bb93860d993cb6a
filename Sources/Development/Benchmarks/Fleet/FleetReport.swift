internal import Recording
internal import Values

/// The results and the verdict of `bench fleet`.
struct FleetReport {
  let options: FleetOptions
  let machine: Machine
  let lanes: Int
  let storm: FleetStorm
  /// The number of former primaries that had to be recreated as full copies.
  let copies: Int
  /// The ledger, with sorted times.
  let ledger: FleetLedger
  let oracle: FleetOracle
  /// The processor time used by the receivers and by the bench, in seconds.
  let processor: (receivers: Double, bench: Double)
  /// The number of bytes that the load added to the primary's log and tables.
  let logBytes: Int
  let tableBytes: Int
  /// The size in bytes of the tables that store the chunks' bodies.
  let bodyBytes: Int

  var violations: [String] { oracle.violations(ledger) + storm.violations }

  private var chunks: Int { ledger.times.count }
  private var seconds: Double { ledger.times.last ?? 0 }
  private var chunksPerSecond: Double { seconds > 0 ? Double(chunks) / seconds : 0 }
  private var samplesPerSecond: Double { chunksPerSecond * Double(Chunk.capacity) }
  private var bytesPerSecond: Double { seconds > 0 ? Double(ledger.bytes) / seconds : 0 }
  private var answers: Figures { Figures(ledger.answers.isEmpty ? [0] : ledger.answers) }
  private var longestAnswer: Double { ledger.answers.max() ?? 0 }

  /// For each kind of fault, the number of injected faults, the longest time afterwards without an
  /// acknowledged chunk, and the number of slow responses.
  private var faults: [(fault: FleetFault, count: Int, pause: Double, slow: Int)] {
    FleetFault.allCases.compactMap { fault in
      let events = storm.events.filter { $0.fault == fault }
      guard !events.isEmpty else { return nil }
      return (
        fault, events.count, events.map { $0.pause(ledger) }.max() ?? 0,
        events.reduce(0) { $0 + ledger.slowAnswers(from: $1.began, to: $1.ended) }
      )
    }
  }

  private var isDiskMissing: Bool {
    options.isCluster && options.kills > 0 && options.disk == nil
  }

  private func perChunk(_ value: Double) -> Double { value / Double(max(1, chunks)) }

  var lines: [String] {
    let conflicts = ledger.conflicts
    return [
      "processor \(machine.processor), \(machine.cores) cores; commit \(machine.commit)",
      "\(options.gateways) gateways, \(storm.receivers.count) receivers, "
        + "\(options.isCluster ? 3 : 1) servers; seed \(options.seed)",
      "  \(chunks) chunks acknowledged in \(Self.text(seconds)) s: \(Int(chunksPerSecond)) chunks, "
        + "\(Int(samplesPerSecond)) samples, \(Self.text(bytesPerSecond / 1e6)) MB per second",
      "  response time: median \(Self.text(answers.median * 1e3)) ms, 99th percentile "
        + "\(Self.text(answers.percentile99 * 1e3)) ms, maximum \(Self.text(longestAnswer)) s",
      "  \(ledger.slowAnswers()) of \(ledger.answers.count) responses took more than "
        + "\(Self.text(FleetLedger.slowAnswer)) s",
      "  longest time without an acknowledged chunk: \(Self.text(ledger.longestPause())) s",
    ] + faultLines + [
      "  a chunk takes \(Int(perChunk(Double(tableBytes)))) bytes in a server's tables, "
        + "\(Int(perChunk(Double(bodyBytes)))) of them for its body, and "
        + "\(Int(perChunk(Double(logBytes)))) in its log",
      "  processor time per chunk: \(Int(perChunk(processor.receivers * 1e6))) us for the "
        + "receivers, \(Int(perChunk(processor.bench * 1e6))) us for the bench",
      "  answers: " + statuses.map { "\($0.value) of \($0.key)" }.joined(separator: ", "),
      "  \(ledger.repeated) requests sent again, \(ledger.undecided) unanswered at the end; "
        + "\(ledger.lostAnswers) chunks stored although the response was lost",
      "  \(ledger.twins) requests sent twice at the same moment; conflicts: \(conflicts.sent) sent, "
        + "\(conflicts.reported) reported",
      "  \(oracle.missing) acknowledged chunks missing, \(oracle.altered) altered, "
        + "\(oracle.foreign) never sent",
    ]
      + oracle.counts.map {
        "  \($0.server) has \($0.rows) chunks: \($0.twice) duplicate, \($0.halves) incomplete, "
          + "\($0.altered) altered"
      } + [violations.isEmpty ? "  sound" : "  BROKEN"]
  }

  private var faultLines: [String] {
    var lines = faults.map {
      "  \($0.fault.rawValue): \($0.count) times, longest pause \(Self.text($0.pause)) s; "
        + "\($0.slow) slow responses until recovery"
    }
    if storm.cut > 0 { lines.append("  pending requests when the proxy was killed: \(storm.cut)") }
    if let seconds = storm.addingSeconds {
      lines.append("  an added receiver was ready after \(Self.text(seconds)) s")
    }
    if copies > 0 { lines.append("  former primaries recreated as full copies: \(copies)") }
    if isDiskMissing {
      lines.append("  SKIPPED: no disk was filled, because that needs root and a loop device")
    }
    return lines
  }

  private var statuses: [(key: Int, value: Int)] { ledger.statuses.sorted { $0.key < $1.key } }

  var json: JSONValue {
    let conflicts = ledger.conflicts
    return [
      "processor": machine.processor.json, "cores": machine.cores.json,
      "commit": machine.commit.json, "seed": options.seed.json, "gateways": options.gateways.json,
      "receivers": storm.receivers.count.json, "servers": .integer(options.isCluster ? 3 : 1),
      "lanes": lanes.json, "seconds": seconds.json, "chunks": chunks.json,
      "chunksPerSecond": chunksPerSecond.json, "samplesPerSecond": samplesPerSecond.json,
      "bytesPerSecond": bytesPerSecond.json,
      "answerSeconds": [
        "median": answers.median.json, "percentile99": answers.percentile99.json,
        "longest": longestAnswer.json,
      ],
      "longestPause": ledger.longestPause().json,
      "faults": .array(
        faults.map {
          [
            "fault": $0.fault.rawValue.json, "count": $0.count.json, "longestPause": $0.pause.json,
            "slowAnswers": $0.slow.json,
          ]
        }),
      "requestsCut": storm.cut.json, "copies": copies.json,
      "addingSeconds": storm.addingSeconds.json,
      "diskFilled": .bool(storm.events.contains { $0.fault == .diskFull }),
      "tableBytesPerChunk": perChunk(Double(tableBytes)).json,
      "bodyBytesPerChunk": perChunk(Double(bodyBytes)).json,
      "logBytesPerChunk": perChunk(Double(logBytes)).json,
      "processorMicrosecondsPerChunk": [
        "receivers": perChunk(processor.receivers * 1e6).json,
        "bench": perChunk(processor.bench * 1e6).json,
      ],
      "answers": .object(statuses.map { JSONValue.Member("\($0.key)", $0.value) }),
      "repeated": ledger.repeated.json, "undecided": ledger.undecided.json,
      "lostAnswers": ledger.lostAnswers.json, "twins": ledger.twins.json,
      "conflicts": [
        "sent": conflicts.sent.json, "reported": conflicts.reported.json,
      ],
      "missing": oracle.missing.json, "altered": oracle.altered.json,
      "foreign": oracle.foreign.json, "held": oracle.held.json,
      "counts": .array(
        oracle.counts.map {
          [
            "server": $0.server.json, "rows": $0.rows.json, "twice": $0.twice.json,
            "halves": $0.halves.json, "altered": $0.altered.json,
          ]
        }),
      "violations": violations.json,
    ]
  }

  static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
