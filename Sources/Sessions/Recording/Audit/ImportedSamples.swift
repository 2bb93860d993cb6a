public import Values

/// Turns the rows of a foreign file into the chunks of one stream, in bounded memory.
///
/// A row keeps the file's time as its arrival time. The time of a sample follows from a line
/// through the times of its chunk, as in a recording made by this program.
public struct ImportedSamples: Sendable {
  /// Counts of a file's rows, by the result of the import.
  public struct Counts: Hashable, Sendable {
    public var samples = 0
    /// Samples that are missing from the file, according to its times.
    public var missing = 0
    /// Rows that are incomplete or out of order, and damaged lines in place of rows. They are
    /// counted as malformed samples.
    public var malformed = 0
    /// Rows that repeat the previous row. Skipping them loses no sample.
    public var repeated = 0
    /// The largest difference between a sample's time and the file's time, in microseconds.
    public var deviation = 0.0

    public init() {}
  }

  public let stream: ImportedStream
  public let board: BoardIdentity
  public private(set) var counts = Counts()
  private var sealed: [Chunk] = []

  private let session: Session
  /// The stream's position in its session.
  private let position: Int
  private let gapPlaces: GapPlaces
  /// The session's start in microseconds on the file's clock.
  private let origin: Int64
  private var row = 0
  /// The time of the previous row, and the sample number of the next row if no gap precedes it.
  private var former: (time: Int64, counter: UInt32)?
  private var sequence: UInt32 = 0
  private var counters: [UInt32] = []
  private var times: [Int64] = []
  private var columns: [[Int32]]
  private var gaps: [Gap] = []
  /// The time of the last sample; before any sample, the time of the first row.
  private var lastTime: Int64?
  /// The losses since the last sample.
  private var pending = (missing: 0, malformed: 0)
  /// The time and the number of the previous chunk's last sample, and the period of that chunk's
  /// line.
  private var line: (end: Double, counter: UInt32, period: Double)?

  /// A chunk with fewer samples continues the previous chunk's line.
  private static let leastForLine = 64
  /// If a chunk's rate deviates from the file's rate by more than this fraction, the cause is
  /// jitter, and the file's rate is used.
  private static let steepest = 0.05

  init(
    _ stream: ImportedStream, of board: BoardIdentity, at position: Int, in session: Session,
    gaps: GapPlaces, origin: Int64
  ) {
    (self.stream, self.board, self.position) = (stream, board, position)
    (self.session, gapPlaces, self.origin) = (session, gaps, origin)
    columns = stream.description.axes.map { _ in [] }
  }

  /// Returns the chunks that the file's next rows complete.
  public mutating func take(_ rows: AuditedRows) -> [Chunk] {
    for (place, row) in rows.rows.enumerated() {
      take(row, rows.values[place * rows.width..<(place + 1) * rows.width])
    }
    return takeSealed()
  }

  /// Whether all times agree with the lines through them. Otherwise, rows may be missing.
  public var isSound: Bool { counts.deviation <= stream.tolerance }

  private mutating func takeSealed() -> [Chunk] {
    defer { sealed = [] }
    return sealed
  }

  private mutating func take(_ row: AuditedRows.Row, _ values: ArraySlice<Double>) {
    self.row += 1
    var (step, counter) = (0, UInt32(0))
    if let former {
      if row.isDuplicate {
        counts.repeated += 1
        return
      }
      let spacing = row.time &- former.time
      counter = former.counter &+ 1
      if spacing < 0 {
        // The row's place among the samples is unknown.
        skip(row.time)
        self.former = (former.time, counter)
        return
      }
      step = gapPlaces.missing(before: self.row, spacing: spacing)
      counter &+= UInt32(truncatingIfNeeded: step)
    }
    let damaged = min(step, row.damagedBefore)
    pending.malformed += damaged
    pending.missing += step - damaged
    counts.malformed += damaged
    counts.missing += step - damaged
    former = (row.time, counter)
    guard let raw = stream.raw(values) else { return skip(row.time) }
    add(row.time, counter, raw, isAfterGap: step > 0)
  }

  private mutating func skip(_ time: Int64) {
    pending.malformed += 1
    counts.malformed += 1
    if lastTime == nil { lastTime = time }
  }

  private mutating func add(
    _ time: Int64, _ counter: UInt32, _ raw: [Int32], isAfterGap: Bool
  ) {
    // A gap need not last a whole number of periods, so another line begins after it.
    if isAfterGap, !stream.hasComputedTimes { seal(endsLine: true) }
    if counters.count == Chunk.capacity { seal() }
    addGaps(until: time)
    counters.append(counter)
    times.append(time)
    for (axis, value) in raw.enumerated() { columns[axis].append(value) }
    lastTime = time
    counts.samples += 1
  }

  private mutating func addGaps(until time: Int64) {
    let (start, end) = (boot(lastTime ?? time), boot(time))
    func gap(_ lost: Int, _ reason: LossReason, isEstimate: Bool) -> Gap {
      Gap(
        start: start, end: end, lost: UInt64(lost), isEstimate: isEstimate, reason: reason)
    }
    if pending.malformed > 0 {
      gaps.append(gap(pending.malformed, .malformed, isEstimate: false))
    }
    if pending.missing > 0 { gaps.append(gap(pending.missing, .link, isEstimate: true)) }
    pending = (0, 0)
  }

  /// Returns the last chunk; empty if no samples remain.
  public mutating func finish() -> [Chunk] {
    if let former { addGaps(until: former.time) }
    seal()
    return takeSealed()
  }

  public var end: BootTime { boot(former?.time ?? origin) }

  private func boot(_ time: Int64) -> BootTime {
    BootTime(nanoseconds: (time &- origin) &* 1_000)
  }

  /// If `endsLine` is true, a gap follows, and the next chunk gets its own line.
  private mutating func seal(endsLine: Bool = false) {
    defer { if endsLine { line = nil } }
    guard let first = counters.first, let last = counters.last else { return }
    let clock = clock()
    sealed.append(
      Chunk(
        id: ImportedRecording.id("chunk \(session.id) \(position) \(sequence)"),
        session: session.id, bootID: session.bootID, board: board, stream: stream.description,
        sequence: sequence, clock: clock, counters: counters,
        arrivals: times.map(boot), columns: columns, gaps: gaps, fixes: []))
    line = (
      Double(clock.time(after: last &- first).nanoseconds), last, clock.period
    )
    for (counter, time) in zip(counters, times) {
      let difference = clock.time(after: counter &- first).nanoseconds - boot(time).nanoseconds
      counts.deviation = max(counts.deviation, Double(difference.magnitude) / 1e3)
    }
    sequence += 1
    counters.removeAll(keepingCapacity: true)
    times.removeAll(keepingCapacity: true)
    for axis in columns.indices { columns[axis].removeAll(keepingCapacity: true) }
    gaps = []
  }

  /// Fits a line to the samples' times.
  private func clock() -> Chunk.Clock {
    let first = boot(times[0])
    let steps = counters.map { Double($0 &- counters[0]) }
    let elapsed = times.map { Double($0 &- times[0]) * 1e3 }
    // If a file's times are regular, they are kept exactly as they are.
    if let whole = stream.period,
      zip(steps, elapsed).allSatisfy({ $0 * Double(whole) * 1e3 == $1 })
    {
      return Chunk.Clock(first: first, period: Double(whole) * 1e3)
    }
    if let line, counters.count < Self.leastForLine {
      let start = line.end + Double(counters[0] &- line.counter) * line.period
      return Chunk.Clock(
        first: BootTime(nanoseconds: Int64(start.rounded())), period: line.period)
    }
    let count = Double(steps.count)
    let (middle, time) = (steps.reduce(0, +) / count, elapsed.reduce(0, +) / count)
    var (products, squares) = (0.0, 0.0)
    for (step, elapsed) in zip(steps, elapsed) {
      products += (step - middle) * (elapsed - time)
      squares += (step - middle) * (step - middle)
    }
    var period = squares > 0 ? products / squares : stream.spacing
    if counters.count < Self.leastForLine
      || abs(period / stream.spacing - 1) > Self.steepest
    {
      period = stream.spacing
    }
    var start = Double(first.nanoseconds) + time - period * middle
    // Jitter must not make a chunk begin before the previous chunk ends.
    if let line { start = max(start, line.end + 1_000) }
    return Chunk.Clock(first: BootTime(nanoseconds: Int64(start.rounded())), period: period)
  }
}
