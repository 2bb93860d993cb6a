import UploadProtocol
import Recording
import TestSupport
import Values

/// Generates random records with every kind of content.
struct RandomRecord {
  var generator: SeededGenerator

  init(seed: UInt64) {
    generator = SeededGenerator(seed: seed)
  }

  private mutating func below(_ limit: Int) -> Int { Int.random(in: 0..<limit, using: &generator) }
  private mutating func long() -> Int64 { Int64.random(in: .min ... .max, using: &generator) }
  private mutating func boot() -> BootTime { BootTime(nanoseconds: long()) }
  private mutating func utc() -> UTCTime { UTCTime(nanoseconds: long()) }
  private mutating func number() -> Double {
    [0, -0.0, 1e-300, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1 + 0.2, 48.5, -1.0 / 3]
      .randomElement(using: &generator).map { $0 * Double.random(in: -1...1, using: &generator) }
      ?? 0
  }

  private mutating func degrees(_ most: Double) -> Double {
    min(max(number(), -most), most)
  }

  private mutating func id() -> UniqueID {
    UniqueID(
      high: UInt64.random(in: .min ... .max, using: &generator),
      low: UInt64.random(in: .min ... .max, using: &generator))
  }

  private mutating func text() -> String {
    let parts = [
      "", "left wrist", "Fahrt über die Brücke", "\"quoted\" \\ / path", "line\nline\ttab\r",
      "\u{0}\u{1}\u{1f}\u{7f}", "😀👨‍👩‍👧", "e\u{301}", "{\"format\":2}", "\u{2028}",
    ]
    return (parts.randomElement(using: &generator) ?? "") + "\(below(100))"
  }

  private mutating func maybe<Value>(_ make: (inout RandomRecord) -> Value) -> Value? {
    below(2) == 0 ? nil : make(&self)
  }

  private mutating func list<Value>(_ make: (inout RandomRecord) -> Value) -> [Value] {
    (0..<below(4)).map { _ in make(&self) }
  }

  private mutating func stream(_ board: BoardAddress, _ signal: String) -> SessionRecord.Stream {
    var sequence: UInt32 = 0
    let chunks = list { random in
      sequence += UInt32(1 + random.below(3))
      return SessionRecord.ChunkEntry(
        id: random.id(), sequence: sequence, sampleCount: random.below(2_001),
        lostCount: UInt64.random(in: .min ... .max, using: &random.generator),
        first: random.boot())
    }
    let gone = list { random in
      SessionRecord.GoneChunk(
        id: random.id(), sequence: UInt32(random.below(9)), sampleCount: random.below(2_001),
        lostCount: UInt64(random.below(9)))
    }
    return SessionRecord.Stream(
      board: board,
      description: StreamDescription(
        signal: signal, unit: text(), axes: (0...below(4)).map { "axis\($0)" },
        rawForm: below(2) == 0 ? .integer : .float, countsPerUnit: number(),
        range: maybe { $0.number().magnitude + 0.5 }, rate: number(),
        lossAccounting: below(2) == 0 ? .counted : .estimated, hasBoardTicks: below(2) == 0),
      chunks: chunks, gone: gone, lastSequence: maybe { $0.below(2) == 0 ? .max : sequence })
  }

  private mutating func statistics(_ boards: [BoardIdentity]) -> SessionStatistics {
    var statistics = SessionStatistics()
    statistics.elapsed = number()
    statistics.distance = maybe { $0.number() }
    statistics.movingSeconds = number()
    statistics.highestSpeed = maybe { $0.number() }
    statistics.altitude = maybe { random in
      SessionStatistics.Altitude(
        source: random.below(2) == 0 ? .barometer : .satellites, gain: random.number(),
        loss: random.number())
    }
    for board in boards {
      statistics.steps.append(
        SessionStatistics.Steps(
          board: board.address, source: below(2) == 0 ? .board : .accelerometer, count: below(9)))
    }
    statistics.fixSeconds = number()
    return statistics
  }

  private mutating func participant() -> Participant {
    Participant(
      "P\(below(100))", height: maybe { Double($0.below(200)) / 100 + 0.5 },
      side: [.left, .right, .both, nil][below(4)], age: maybe { "\($0.below(9))0–\($0.below(9))9" },
      group: maybe { "group \($0.below(3))" }, details: below(2) == 0 ? [:] : ["cane": "oui \"1\""])
  }

  /// Returns the next random record.
  mutating func next() -> SessionRecord {
    let end = maybe { $0.boot() }
    var record = SessionRecord(
      session: Session(
        id: id(), bootID: id(), start: boot(), end: end,
        ending: end == nil ? nil : below(2) == 0 ? .closed : .recovered, note: text(),
        gateway: text(), wearer: text(), participant: maybe { $0.participant() }))
    for number in 0..<below(4) {
      let board = BoardIdentity(
        address: BoardAddress(value: UInt64(number) * 0x1234_5678_9a + 1), name: text(),
        model: text(), firmware: text())
      record.boards.append(board)
      if below(2) == 0 { record.placements[board.address] = text() }
      for signal in ["acceleration", "gyroscope"] where below(2) == 0 {
        record.streams.append(stream(board.address, signal))
      }
    }
    record.fixCount = below(1_000_000)
    record.clock = list { random in
      ClockTable.Entry(
        boot: random.boot(), utc: random.utc(),
        source: [.system, .synchronised, .satellites][random.below(3)])
    }
    for name in ["Slope", "Slippery", text()] where below(2) == 0 {
      record.hazards.append(
        Hazard(
          name: name, intensity: below(4), time: boot(), utc: maybe { $0.utc() },
          position: maybe { GeoPosition(latitude: $0.degrees(90), longitude: $0.degrees(180)) }))
    }
    record.annotations = list { Annotation(time: $0.boot(), text: $0.text()) }
    for kind in SessionEvent.Kind.allCases where below(2) == 0 {
      record.events.append(
        SessionEvent(
          kind, board: maybe { _ in BoardAddress(value: 0xc84b_aa97_5005) }, at: boot(),
          utc: maybe { $0.utc() }, value: maybe { $0.number() }, text: text()))
    }
    record.statistics = below(2) == 0 ? statistics(record.boards) : nil
    return record
  }

  /// Returns the next random fix.
  mutating func fix() -> Fix {
    Fix(
      arrival: boot(), utc: utc(), latitude: degrees(90), longitude: degrees(180),
      altitudeMSL: maybe { $0.number() }, geoidSeparation: maybe { $0.number() },
      speed: maybe { $0.number() }, track: maybe { $0.number() }, hdop: maybe { $0.number() },
      satellites: maybe { UInt8($0.below(256)) }, isThreeDimensional: below(2) == 0,
      quality: Fix.Quality(rawValue: UInt8(1 + below(8))) ?? .autonomous,
      error: maybe { random in
        Fix.ErrorEstimate(
          horizontal: random.number(), vertical: random.maybe { $0.number() },
          basis: Fix.ErrorEstimate.Basis(rawValue: UInt8(1 + random.below(3))) ?? .reported)
      }, followsLoss: below(2) == 0)
  }
}
