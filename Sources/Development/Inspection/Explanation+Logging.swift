internal import MetaWearProtocol

extension Logging: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .run(let isOn): return Statement("turns recording to flash \(Words.onOff(isOn))")
    case .addTrigger(let source):
      return Statement(
        "records \(context.name(of: source))",
        remarks: source.length > 4 ? ["a trigger records at most 4 bytes"] : [])
    case .queryTrigger(let id): return Statement("asks for the signal of trigger \(id)")
    case .removeTrigger(let id): return Statement("removes trigger \(id)\(context.trigger(id))")
    case .removeAllTriggers:
      return Statement("removes all triggers; ignored while recording")
    case .readOut(let entries, let interval):
      let progress =
        interval == 0 ? "once a page" : "every \(Words.count(interval, "entry", "entries"))"
      return Statement(
        "asks for \(Words.count(entries, "entry", "entries")) of the log, progress \(progress)",
        .count("entries", entries), .count("interval", interval))
    case .drop(.max): return Statement("drops all entries; ignored while recording")
    case .drop(let entries):
      return Statement(
        "drops \(Words.count(entries, "entry", "entries")); ignored while recording",
        .count("entries", entries))
    case .overwrite(let isOn):
      return Statement(isOn ? "overwrites the oldest entries when full" : "stops when full")
    case .confirmPage: return Statement("confirms a page, which the board then erases")
    case .flush: return Statement("writes the cache to flash")
    }
  }
}

extension Words {
  static func count(_ number: some BinaryInteger, _ noun: String, _ plural: String) -> String {
    "\(number) \(number == 1 ? noun : plural)"
  }
}

extension Context {
  func trigger(_ id: UInt8) -> String {
    board.triggers[id].map { " (\(name(of: $0)))" } ?? ""
  }

  /// Describes a log entry, and the value if the entry completes one.
  mutating func statement(of entry: LogEntry, number: Int) -> [Statement.Row] {
    var values: [Statement.Value] = [
      .count("trigger", entry.trigger),
      .text("records", board.triggers[entry.trigger].map(name) ?? "unknown"),
      .quantity(
        "since_reset", Double(entry.tick) * Logging.tickSeconds, "s", decimals: 3, raw: entry.tick),
      .count("reset_uid", entry.resetUID),
      .text("data", Words.hex(data(of: entry))),
    ]
    if let age = board.clock?.millisecondsSince(tick: entry.tick, resetUID: entry.resetUID) {
      values.append(.quantity("before_clock", age / 1000, "s", decimals: 3))
    }
    var rows = [Statement.Row("entry \(number)", values)]
    if case .sample(let sample) = assemble(entry), let signals = board.assembler?.signals {
      let source = signals[sample.signal].triggers[0].source
      let whole = SignalSource(
        source.header, index: source.index, length: min(sample.bytes.count, 32),
        offset: source.offset)
      if let layout = board.layout(of: whole, on: modules(for: source.header)) {
        for row in layout.rows(sample.bytes[...]).rows {
          rows.append(.init("  \(name(of: whole))", row.values))
        }
      }
    }
    return rows
  }

  private func modules(for header: PacketHeader) -> ModuleTable {
    board.readings(of: header.module).first?.modules ?? modules
  }

  private func data(of entry: LogEntry) -> ArraySlice<UInt8> {
    entry.data.littleEndianBytes.prefix(board.triggers[entry.trigger]?.length ?? 4)
  }

  private mutating func assemble(_ entry: LogEntry) -> LogAssembler.Outcome {
    board.assemble(entry)
  }
}

extension BoardKnowledge {
  /// Combines a log entry with the other entries for the same value.
  mutating func assemble(_ entry: LogEntry) -> LogAssembler.Outcome {
    var assembler =
      self.assembler
      ?? LogAssembler(
        triggers.sorted { $0.key < $1.key }.map { LogTrigger(id: $0.key, source: $0.value) })
    let outcome = assembler.add(entry)
    self.assembler = assembler
    return outcome
  }
}
