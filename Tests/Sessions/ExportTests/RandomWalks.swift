import Export
import Recording
import TestSupport
import Values

/// Sessions as they occur in a study: one to seven boards with any sensors, gaps, restarts,
/// missing chunks, and texts with any characters.
struct RandomWalks {
  private var random: SeededGenerator

  /// Maximum number of samples in a stream.
  private let longest: Int

  init(seed: UInt64, longest: Int = 600) {
    random = SeededGenerator(seed: seed)
    self.longest = longest
  }

  private static let sensors = [
    StreamDescription(
      signal: "acceleration", unit: "g", countsPerUnit: 4_096, range: 8, rate: 100,
      lossAccounting: .counted),
    StreamDescription(
      signal: "angular_velocity", unit: "deg/s", countsPerUnit: 16.4, range: 2_000, rate: 100,
      lossAccounting: .counted),
    StreamDescription(
      signal: "magnetic_field", unit: "µT", countsPerUnit: 16, rate: 25, lossAccounting: .counted),
    StreamDescription(
      signal: "quaternion", unit: "1", axes: ["x", "y", "z", "w"], rawForm: .float,
      countsPerUnit: 1, rate: 100, lossAccounting: .estimated),
    StreamDescription(
      signal: "euler_angles", unit: "deg", axes: ["heading", "pitch", "roll", "yaw"],
      rawForm: .float, countsPerUnit: 1, rate: 100, lossAccounting: .estimated),
    StreamDescription(
      signal: "linear_acceleration", unit: "m/s²", rawForm: .float, countsPerUnit: 1, rate: 100,
      lossAccounting: .estimated),
    StreamDescription(
      signal: "gravity", unit: "m/s²", rawForm: .float, countsPerUnit: 1, rate: 100,
      lossAccounting: .estimated),
    StreamDescription(
      signal: "pressure", unit: "Pa", axes: ["value"], countsPerUnit: 256, rate: 12.5,
      lossAccounting: .estimated),
    StreamDescription(
      signal: "temperature", unit: "°C", axes: ["value"], countsPerUnit: 8, rate: 1,
      lossAccounting: .estimated),
    StreamDescription(
      signal: "humidity", unit: "%", axes: ["value"], rawForm: .float, countsPerUnit: 1, rate: 1,
      lossAccounting: .estimated),
    StreamDescription(
      signal: "illuminance", unit: "lx", axes: ["value"], countsPerUnit: 1_000, rate: 10,
      lossAccounting: .estimated),
    StreamDescription(
      signal: "colour", unit: "counts", axes: ["clear", "red", "green", "blue"], countsPerUnit: 1,
      rate: 1, lossAccounting: .estimated),
    StreamDescription(
      signal: "steps", unit: "steps", axes: ["value"], countsPerUnit: 1, rate: 1,
      lossAccounting: .estimated),
  ]

  private static let names = [
    "left", "Left", "right foot", "", "Fuß", "足", "a\tb", "\"q\"", "n/a", "-", "gps", "back 2",
  ]

  /// Returns the next session.
  mutating func next() -> MemorySource {
    var source = MemorySource()
    source.session.id = UniqueID(high: random.next(), low: random.next())
    source.session.note = word()
    source.session.gateway = word()
    if random.unit() < 0.8 { source.session.participant = participant() }
    let dates = random.unit() < 0.7
    if dates {
      source.clock = [
        ClockTable.Entry(
          boot: source.session.start, utc: UTCTime(nanoseconds: 1_777_887_000_000_000_000),
          source: ClockTable.Source.allCases.randomElement(using: &random) ?? .system)
      ]
    }
    for number in 0..<Int.random(in: 1...7, using: &random) { addBoard(number, to: &source) }
    addTrack(to: &source)
    addEvents(to: &source)
    return source
  }

  private mutating func word() -> String { Self.names.randomElement(using: &random) ?? "" }

  private mutating func participant() -> Participant {
    var participant = Participant(
      ["P01", "P 01", "p01", "Ärmel", "足", "P-2", "a_b", "x"].randomElement(using: &random)
        ?? "P01")
    if random.unit() < 0.5 { participant.height = .random(in: 0.5...2.2, using: &random) }
    if random.unit() < 0.5 { participant.side = .left }
    if random.unit() < 0.5 { participant.age = "40–49" }
    if random.unit() < 0.5 { participant.group = word() }
    for name in ["sex", "age", "shoe size", "HED"] where random.unit() < 0.3 {
      participant.details[name] = word()
    }
    return participant
  }

  private mutating func addBoard(_ number: Int, to source: inout MemorySource) {
    let board = BoardIdentity(
      address: BoardAddress(value: 0xc84b_aa97_0000 + UInt64(number)), name: word(),
      model: random.unit() < 0.2 ? "" : "MetaMotion S",
      firmware: random.unit() < 0.2 ? "" : "1.7.2")
    if random.unit() < 0.5 { source.worn[board.address] = word() }
    let sensors = Self.sensors.filter { _ in random.unit() < 0.12 }
    let outages = (0..<Int.random(in: 0...2, using: &random)).map { _ in
      (at: random.unit(), seconds: random.unit() < 0.1 ? 4_000 : 20 * random.unit())
    }.sorted { $0.at < $1.at }
    let offset = Double.random(in: 0...2, using: &random)
    for sensor in sensors.isEmpty ? [Self.sensors[0]] : sensors {
      addStream(sensor, of: board, offset: offset, outages, to: &source)
      if random.unit() < 0.05 {
        // The rate or the firmware was changed in the middle of the recording.
        var (other, changed) = (sensor, board)
        other.rate *= random.unit() < 0.5 ? 2 : 1
        other.range = 99
        changed.firmware = "1.7.3"
        addStream(other, of: changed, offset: offset + 30, [], to: &source)
      }
    }
  }

  /// Adds a stream in chunks of random lengths, some of which are missing.
  private mutating func addStream(
    _ sensor: StreamDescription, of board: BoardIdentity, offset: Double,
    _ outages: [(at: Double, seconds: Double)], to source: inout MemorySource
  ) {
    let count = random.unit() < 0.1 ? 1 : Int.random(in: 1...longest, using: &random)
    let length = Double(count) / sensor.rate
    var time = offset + Double.random(in: 0...0.06, using: &random)
    var counter = UInt32.random(in: .min ... .max, using: &random)
    var (chunks, left, done) = ([Chunk](), count, 0)
    var outages = outages
    while left > 0 {
      var size = min(left, Int.random(in: 1...300, using: &random))
      var gaps: [Gap] = []
      if let outage = outages.first, Double(done) / sensor.rate >= outage.at * length, done > 0 {
        outages.removeFirst()
        let lost = UInt64((outage.seconds * sensor.rate).rounded())
        gaps.append(
          Gap(
            start: source.session.start.advanced(bySeconds: time),
            end: source.session.start.advanced(bySeconds: time + outage.seconds), lost: lost,
            isEstimate: random.unit() < 0.5,
            reason: LossReason.allCases.randomElement(using: &random) ?? .link))
        time += outage.seconds
        counter &+= UInt32(lost)
      } else if random.unit() < 0.1 {
        // The clock was fitted again, so the chunk may begin before the end of the previous one.
        time += .random(in: -0.05...0.02, using: &random)
      }
      size = max(1, size)
      var counters: [UInt32] = []
      let origin = counter
      for _ in 0..<size {
        counters.append(counter)
        counter &+= random.unit() < 0.01 ? .random(in: 2...30, using: &random) : 1
      }
      let period = 1 / sensor.rate * .random(in: 0.995...1.005, using: &random)
      let first = source.session.start.advanced(bySeconds: time)
      var chunk = Chunk(
        id: .random(), session: source.session.id, bootID: source.session.bootID, board: board,
        stream: sensor, sequence: UInt32(chunks.count),
        clock: Chunk.Clock(first: first, period: period * 1e9), counters: counters, arrivals: [],
        columns: [], gaps: gaps, fixes: [])
      chunk.arrivals = chunk.times
      for _ in 0..<sensor.axisCount {
        chunk.columns.append(
          counters.map { _ in
            sensor.rawForm == .float
              ? Int32(bitPattern: Float(random.unit() < 0.01 ? .nan : random.gaussian()).bitPattern)
              : Int32(random.gaussian() * 4_000)
          })
      }
      chunks.append(chunk)
      time += Double(counter &- origin) * period
      (left, done) = (left - size, done + size)
    }
    let stored = chunks.filter { _ in random.unit() < 0.95 }
    source.described.append(
      SourceStream(
        board: board, description: sensor,
        sampleCount: stored.reduce(0) { $0 + $1.count }, lastSequence: chunks.last?.sequence))
    source.chunks.append(stored)
  }

  private mutating func addTrack(to source: inout MemorySource) {
    var time = Double.random(in: 0...3, using: &random)
    for _ in 0..<([0, 0, 1, 2, 30].randomElement(using: &random) ?? 0) {
      var fix = source.fix(time, 50 + random.unit(), 14 + random.unit())
      if random.unit() < 0.7 { fix.altitudeMSL = 200 + random.gaussian() }
      if random.unit() < 0.7 { fix.error = Fix.ErrorEstimate(horizontal: 2.5, basis: .reported) }
      if random.unit() < 0.7 { fix.speed = random.unit() }
      source.track.append(fix)
      time += random.unit() < 0.1 ? .random(in: 2...30, using: &random) : 1 + 0.01 * random.unit()
    }
  }

  private mutating func addEvents(to source: inout MemorySource) {
    let start = source.session.start
    let boards = source.described.map(\.board.address)
    for _ in 0..<Int.random(in: 0...8, using: &random) {
      source.happened.append(
        SessionEvent(
          SessionEvent.Kind.allCases.randomElement(using: &random) ?? .battery,
          board: random.unit() < 0.5 ? boards.randomElement(using: &random) : nil,
          at: start.advanced(bySeconds: .random(in: -1...30, using: &random)),
          value: random.unit() < 0.5 ? 87 : nil, text: random.unit() < 0.5 ? word() : "tug: done"))
    }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      source.reportedHazards.append(
        Hazard(
          name: "Slippery, \"wet\"\t\u{1}", intensity: 2,
          time: start.advanced(bySeconds: 20 * random.unit())))
      source.remarks.append(
        Annotation(
          time: start.advanced(bySeconds: 20 * random.unit()), text: "two\r\nlines \(word())"))
    }
  }
}
