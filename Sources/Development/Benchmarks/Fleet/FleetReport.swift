internal import Recording
internal import Values

/// The figures and the verdict of `bench fleet`.
struct FleetReport {
  /// Programs that were killed.
  struct Kills {
    var receivers = 0
    var databases = 0
  }

  let options: FleetOptions
  let machine: Machine
  let requestsAtOnce: Int
  let kills: Kills
  let ledger: FleetLedger
  let oracle: FleetOracle
  /// Seconds of processor time.
  let processor: (receivers: Double, bench: Double)

  /// The faults found; empty if there are none.
  var violations: [String] { oracle.violations(ledger) }

  private var chunks: Int { ledger.times.count }
  private var seconds: Double { ledger.times.max() ?? 0 }
  private var chunksPerSecond: Double { seconds > 0 ? Double(chunks) / seconds : 0 }
  private var samplesPerSecond: Double { chunksPerSecond * Double(Chunk.capacity) }
  private var bytesPerSecond: Double { seconds > 0 ? Double(ledger.bytes) / seconds : 0 }
  private var answers: Figures { Figures(ledger.answers.isEmpty ? [0] : ledger.answers) }

  private func microsecondsPerChunk(_ seconds: Double) -> Double {
    seconds * 1e6 / Double(max(1, chunks))
  }

  /// The report for people.
  var lines: [String] {
    let conflicts = ledger.conflicts
    return [
      "processor \(machine.processor), \(machine.cores) cores; commit \(machine.commit)",
      "\(options.gateways) gateways, \(options.receivers) receivers, \(requestsAtOnce) requests at a "
        + "time; killed: \(kills.receivers) receivers, \(kills.databases) databases",
      "  \(chunks) chunks acknowledged in \(Self.text(seconds)) s: \(Int(chunksPerSecond)) chunks, "
        + "\(Int(samplesPerSecond)) samples, \(Self.text(bytesPerSecond / 1e6)) MB a second",
      "  an answer takes \(Self.text(answers.median * 1e3)) ms, the 99th percentile is "
        + "\(Self.text(answers.percentile99 * 1e3)) ms",
      "  longest time without an acknowledged chunk: \(Self.text(ledger.longestPause)) s",
      "  processor time for a chunk: \(Int(microsecondsPerChunk(processor.receivers))) us of the "
        + "receivers, \(Int(microsecondsPerChunk(processor.bench))) us of the bench",
      "  \(ledger.repeated) requests sent again, \(ledger.undecided) without an answer at the end",
      "  conflicts: \(conflicts.sent) sent, \(conflicts.reported) reported",
      "  the database has \(oracle.held) chunks: \(oracle.missing) missing, \(oracle.altered) "
        + "altered, \(oracle.twice) twice, \(oracle.halves) by halves, \(oracle.foreign) never sent",
      violations.isEmpty ? "  sound" : "  BROKEN",
    ]
  }

  /// The report for programs.
  var json: JSONValue {
    let conflicts = ledger.conflicts
    return [
      "processor": .string(machine.processor), "cores": .integer(Int64(machine.cores)),
      "commit": .string(machine.commit), "gateways": .integer(Int64(options.gateways)),
      "receivers": .integer(Int64(options.receivers)),
      "requestsAtOnce": .integer(Int64(requestsAtOnce)),
      "killedReceivers": .integer(Int64(kills.receivers)),
      "killedDatabases": .integer(Int64(kills.databases)), "seconds": .number(seconds),
      "chunks": .integer(Int64(chunks)), "chunksPerSecond": .number(chunksPerSecond),
      "samplesPerSecond": .number(samplesPerSecond), "bytesPerSecond": .number(bytesPerSecond),
      "answerSeconds": [
        "median": .number(answers.median), "percentile99": .number(answers.percentile99),
      ],
      "longestPause": .number(ledger.longestPause),
      "processorMicrosecondsPerChunk": [
        "receivers": .number(microsecondsPerChunk(processor.receivers)),
        "bench": .number(microsecondsPerChunk(processor.bench)),
      ],
      "repeated": .integer(Int64(ledger.repeated)),
      "undecided": .integer(Int64(ledger.undecided)),
      "conflicts": [
        "sent": .integer(Int64(conflicts.sent)), "reported": .integer(Int64(conflicts.reported)),
      ],
      "held": .integer(Int64(oracle.held)), "missing": .integer(Int64(oracle.missing)),
      "altered": .integer(Int64(oracle.altered)), "twice": .integer(Int64(oracle.twice)),
      "halves": .integer(Int64(oracle.halves)), "foreign": .integer(Int64(oracle.foreign)),
      "violations": .array(violations.map { .string($0) }),
    ]
  }

  private static func text(_ value: Double) -> String { "\((value * 100).rounded() / 100)" }
}
