public import Values

/// Collects the samples of one stream into chunks and finds the gaps between them.
///
/// The stored numbers increase throughout the session and stay in step with time, whatever the
/// board's own numbers do. The chunker adds losses inferred from timing after a restart, and for a
/// board that does not count its losses.
///
/// A hundred samples of a session's stream become a chunk:
///
///     var chunker = Chunker(
///       session: session.id, bootID: session.bootID, board: board, stream: stream)
///     for number in UInt32(0)..<100 {
///       let time = session.start.advanced(bySeconds: Double(number) / stream.rate)
///       _ = chunker.append(Reading(board: 0, stream: 0, arrival: time, counter: number, z: 4_096))
///     }
///     let chunk = chunker.seal(fixes: [])
public struct Chunker: Sendable {
  /// The outcome of a sample.
  public enum Outcome: Hashable, Sendable {
    /// The sample was appended, or will be when the next packet confirms its number; the chunk has
    /// room for more.
    case appended
    /// The sample was appended and the chunk is full: seal it.
    case full
    /// The sample's number is already in the stream, so the sample was left out.
    case duplicate
    /// The number is impossible at this time, so the sample was left out and counts as malformed.
    case spoiled
  }

  /// Arrivals are stored in whole microseconds. Before it is stamped, a packet crosses a bus that
  /// is polled every 125 µs, or a serial line of some 10 µs a byte. The system clock of the stamps
  /// is mapped to the boot clock with an error of about a microsecond. Finer digits would be noise
  /// in every file.
  private static let arrivalResolution: Int64 = 1_000
  /// A run stores its period in whole parts of a nanosecond, this many to each. Over a chunk that
  /// is an error of 60 ns, which the end of the chunk corrects.
  private static let periodParts = 16.0

  /// Seconds, and periods, without a sample at the end that need not mean a loss.
  private static let longestPause = 0.5
  private static let longestPausePeriods = 3.0

  /// Seconds, and periods, without a sample that end a chunk of a counting board.
  private static let longSilence = 1.0
  private static let longSilencePeriods = 10.0

  private let session: UniqueID
  private let bootID: UniqueID
  private let board: BoardIdentity
  let stream: StreamDescription
  var clock: ClockModel
  private var sequence: UInt32 = 0
  var counters: [UInt32] = []
  var arrivals: [BootTime] = []
  private var ticks: [UInt32] = []
  private var columns: [[Int32]]
  var gaps: [Gap] = []
  /// Counter and arrival of the last sample of the stream.
  var last: (counter: UInt32, arrival: BootTime)?
  /// The number and time at which the previous chunk ended, and whether the board has restarted
  /// since. After a restart only the order of time joins the two.
  private var joint: (counter: UInt32, time: BootTime, isLoose: Bool)?
  /// Samples known to be missing in a gap that has no end yet, by reason.
  var noted: [LossReason: UInt64] = [:]
  /// The losses since the last stored sample, while samples are skipped.
  var pause: PausedLosses?
  /// The reason for a jump of the counter that no note explains.
  var reasonOfJump = LossReason.link
  /// Added to the numbers of readings.
  var offset: UInt32 = 0
  /// Whether the board's numbering starts again with the next sample.
  var isRestarting = false
  /// Whether the board's own count has begun again since then.
  var hasBegunCount = false
  /// The reason why no samples arrive; `nil` after a sample. The stream should have continued, so
  /// its end counts the missing samples.
  var absence: LossReason?
  /// Time of the first report of silence in a stream without any sample so far.
  private var silentSince: BootTime?
  /// Distinguishes plausible numbers from impossible ones.
  var numbers: NumberWatch
  /// Samples whose numbers are doubtful until the next packet.
  private var doubtful: [Reading] = []
  /// Finds the losses that numbers do not show; `nil` if numbers show all.
  var estimator: LossEstimator?
  /// A pause of the packets whose cause is not known yet.
  var hang: HangWatch?
  /// The seconds of such a pause; `nil` if a loss would not show in the numbers of the packets.
  private let longestWait: Double?
  /// Noted losses that come from the board's count.
  var notedByTally: UInt64 = 0
  /// The board's own count, if it keeps one.
  var tally: BoardTally
  /// The board's clock since its first stamp, in ticks.
  var boardTicks: (latest: UInt32, elapsed: Int64)?

  /// A chunker for one stream of a session.
  public init(
    session: UniqueID, bootID: UniqueID, board: BoardIdentity, stream: StreamDescription
  ) {
    self.session = session
    self.bootID = bootID
    self.board = board
    self.stream = stream
    clock = ClockModel(rate: stream.rate)
    numbers = NumberWatch(rate: stream.rate)
    tally = BoardTally(stream)
    columns = Array(repeating: [], count: stream.axisCount)
    estimator = LossEstimator(stream)
    longestWait =
      stream.lossAccounting == .counted && !stream.isTallied
      ? HangWatch.leastSeconds(of: stream) : nil
    reserve()
  }

  /// Continues a stream whose recorder was interrupted after `newest`, the last chunk with samples,
  /// and after the chunks that only count an absence. The next chunk is number `sequence`, and the
  /// next sample ends the gap.
  public mutating func resume(after newest: Chunk?, absences: [Chunk], sequence: UInt32) {
    self.sequence = sequence
    guard let newest, let number = newest.counters.last, let arrival = newest.arrivals.last else {
      return
    }
    let counted = absences.flatMap(\.gaps)
    let missing = counted.reduce(0 as UInt64) { $0.addingSaturated($1.lost) }
    last = (
      number &+ UInt32(truncatingIfNeeded: missing), counted.map(\.end).reduce(arrival, max)
    )
    joint = (number, newest.time(at: newest.count - 1), isLoose: true)
    (reasonOfJump, self.absence) = (.interrupted, .interrupted)
    noteRestart()
  }

  /// Samples in the open chunk.
  public var openCount: Int { counters.count }

  /// The samples of the open chunk from a position on; `nil` if there are none.
  ///
  /// - Parameter withClock: whether the run includes the clock of its samples, which hardly changes
  ///   from run to run.
  public func piece(from position: ChunkPosition, withClock: Bool) -> ChunkPiece? {
    guard position.samples < counters.count, let first = counters.first, let last = counters.last
    else { return nil }
    var clock: Chunk.Clock?
    if withClock {
      let line = chunkClock(first: first, last: last)
      let steps = Double(counters[position.samples] &- first)
      let start = line.first.nanoseconds + Int64((steps * line.period).rounded())
      clock = Chunk.Clock(
        first: BootTime(nanoseconds: start),
        period: (line.period * Self.periodParts).rounded() / Self.periodParts)
    }
    return ChunkPiece(
      sequence: sequence, start: position.samples, clock: clock,
      counters: Array(counters[position.samples...]),
      arrivals: Array(arrivals[position.samples...]),
      ticks: stream.hasBoardTicks ? Array(ticks[position.samples...]) : [],
      columns: columns.map { Array($0[position.samples...]) }, firstGap: position.gaps,
      gaps: Array(gaps[position.gaps...]))
  }

  /// A chunk of this stream without samples: its board and its description.
  public var outline: Chunk {
    Chunk(
      id: .random(), session: session, bootID: bootID, board: board, stream: stream,
      sequence: 0, clock: Chunk.Clock(first: BootTime(nanoseconds: 0), period: clock.period),
      counters: [], arrivals: [], columns: Array(repeating: [], count: stream.axisCount),
      gaps: [], fixes: [])
  }

  /// Whether a sample begins another chunk: it follows a silence, and only the board's next count
  /// can show whether samples were lost in it. A sealed chunk could not be corrected.
  public func ends(before reading: Reading) -> Bool {
    guard let last, !counters.isEmpty, tally.isAlive else { return false }
    return reading.arrival.seconds(since: last.arrival)
      >= max(Self.longSilence, Self.longSilencePeriods / stream.rate)
  }

  /// Arrival of the first sample of the open chunk.
  public var openedAt: BootTime? { arrivals.first }

  /// All gaps so far: the number of missing samples, by reason.
  public internal(set) var lost: [LossReason: UInt64] = [:]

  /// Estimated part of the lost samples.
  public internal(set) var estimatedLoss: UInt64 = 0

  /// Appends a sample.
  ///
  /// A jump of its counter is a gap that ends with it. Samples already explained by `note` are not
  /// counted again.
  public mutating func append(_ reading: Reading) -> Outcome { take(reading, isKept: true) }

  /// Takes only the number and the time of a sample, which counts as lost by a pause.
  ///
  /// All samples of a packet are appended, or all are skipped. The next appended sample ends the
  /// gap, in which losses with other reasons are counted too.
  public mutating func skip(_ reading: Reading) { _ = take(reading, isKept: false) }

  private mutating func take(_ reading: Reading, isKept: Bool) -> Outcome {
    var reading = reading
    reading.arrival.nanoseconds -= reading.arrival.nanoseconds % Self.arrivalResolution
    if isRestarting { numbers.restart() }
    if !doubtful.isEmpty {
      settle(numbers.settle(before: reading.counter, at: reading.arrival))
    }
    if !isKept {
      settle(numbers.believe())
      if pause == nil { pause = PausedLosses(start: last?.arrival ?? reading.arrival) }
    }
    // The open chunk has room for the doubtful samples and for the sample that settles them. A loss
    // in this program explains any jump.
    let mayDoubt =
      isKept && noted.isEmpty && counters.count + NumberWatch.packetSamples < Chunk.capacity
    switch numbers.judge(reading.counter, at: reading.arrival, mayDoubt: mayDoubt) {
    case .follows: break
    case .doubtful:
      doubtful.append(reading)
      return .appended
    case .repeated: return .duplicate
    case .impossible:
      note(lost: 1, reason: .malformed)
      return .spoiled
    case .renumbered: noteRestart()
    }
    return place(reading, isKept: isKept)
  }

  /// Appends or skips a sample with an accepted number.
  private mutating func place(_ reading: Reading, isKept: Bool) -> Outcome {
    let isRestart = isRestarting
    if isRestarting { renumber(from: reading) }
    var counter = reading.counter &+ offset
    if let last {
      let step = counter &- last.counter
      let isEstimate = isRestart || stream.lossAccounting == .estimated
      closeGap(
        missing: UInt64(step - 1), isCounted: !isEstimate, from: last.arrival,
        to: reading.arrival, isEstimate: isEstimate)
      if let longestWait, step == 1, !isRestart,
        reading.arrival.seconds(since: last.arrival) >= longestWait
      {
        watchPause(after: last, until: reading.arrival)
      }
    } else {
      // Events before the first sample explain no jump after it.
      reasonOfJump = .link
    }
    counter &+= inferLoss(before: reading, counter: counter)
    if let samples = hang?.take(counter, at: reading.arrival) { counter &+= count(hang: samples) }
    tally.observe(raw: reading.counter, number: counter, arrival: reading.arrival)
    absence = nil
    clock.observe(counter: counter, arrival: reading.arrival)
    last = (counter, reading.arrival)
    guard isKept else {
      add(1, .paused, reading.arrival, reading.arrival, isEstimate: false)
      return .appended
    }
    endPause(at: reading.arrival)
    counters.append(counter)
    arrivals.append(reading.arrival)
    for axis in columns.indices { columns[axis].append(reading.axis(axis)) }
    if stream.hasBoardTicks { ticks.append(UInt32(bitPattern: reading.w)) }
    return counters.count == Chunk.capacity ? .full : .appended
  }

  /// Appends the doubtful samples, or counts them as lost.
  mutating func settle(_ settlement: NumberWatch.Settlement) {
    switch settlement {
    case .open: return
    case .right: for reading in doubtful { _ = place(reading, isKept: true) }
    case .spoiled: note(lost: UInt64(doubtful.count), reason: .malformed)
    }
    doubtful.removeAll(keepingCapacity: true)
  }

  /// Notes samples known to be missing for a reason; the next sample ends their gap.
  public mutating func note(lost count: UInt64, reason: LossReason) {
    noted[reason, default: 0] += count
  }

  /// Notes that the link is down, which explains a jump at the next sample.
  public mutating func noteLinkLost() {
    settle(numbers.believe())
    settleHang()
    reasonOfJump = .disconnected
    // A board lost before its first sample may never have started its sensors.
    if last != nil { absence = .disconnected }
  }

  /// Notes that the board is alive but sends no samples of this stream.
  public mutating func noteSilence(at time: BootTime) {
    settle(numbers.believe())
    reasonOfJump = .silent
    absence = .silent
    if last == nil, silentSince == nil { silentSince = time }
  }

  /// Notes that the board's numbering restarts with the next sample.
  ///
  /// The samples lost meanwhile are estimated from the elapsed time.
  public mutating func noteRestart() {
    settle(numbers.believe())
    settleHang()
    isRestarting = true
    hasBegunCount = false
    if reasonOfJump == .link { reasonOfJump = .restarted }
    if absence == nil, last != nil { absence = .restarted }
    // The estimator's samples belong to the former numbering. The samples after a loss are in the
    // open chunk, which the restart ends.
    if let loss = settleEstimate() { renumber(behind: loss) }
  }

  /// Ends the stream. Noted losses that no sample followed end at `end`, or at the last sample if
  /// it is later. The open chunk is sealed; losses after the last chunk are in a chunk without
  /// samples.
  public mutating func finish(at end: BootTime, fixes: [Fix]) -> Chunk? {
    settle(numbers.believe())
    settleHang()
    let isAway = last.map { end.seconds(since: $0.arrival) > Self.longestPause } ?? false
    if let loss = settleEstimate(isAway: isAway) { renumber(behind: loss) }
    let start = last?.arrival ?? silentSince ?? end
    let end = max(end, start)
    let seconds = end.seconds(since: start)
    let periods = seconds * 1e9 / clock.period
    // Packets that the link held back have arrived by now: after such a long pause the others are
    // lost. The board's own count is more accurate.
    let isAbsent =
      absence != nil
      || seconds > Self.longestPause && periods > Self.longestPausePeriods && !tally.isUpToDate
    closeGap(
      missing: isAbsent ? UInt64(min(periods, Double(UInt32.max))) : 0, isCounted: false,
      from: start, to: end, isEstimate: isAbsent || stream.lossAccounting == .estimated)
    absence = nil
    endPause(at: end)
    return seal(fixes: fixes) ?? sealGaps()
  }

  /// A chunk with only the gaps; `nil` where there are none.
  private mutating func sealGaps() -> Chunk? {
    guard let first = gaps.first else { return nil }
    return takeChunk(clock: Chunk.Clock(first: first.start, period: clock.period), fixes: [])
  }

  /// Seals the open chunk if it contains a sample; the next chunk follows it.
  public mutating func seal(fixes: [Fix]) -> Chunk? {
    settle(numbers.believe())
    anticipateCount()
    guard let first = counters.first, let last = counters.last else { return nil }
    let chunk = takeChunk(clock: chunkClock(first: first, last: last), fixes: fixes)
    joint = (last, chunk.time(at: chunk.count - 1), false)
    return chunk
  }

  private mutating func takeChunk(clock: Chunk.Clock, fixes: [Fix]) -> Chunk {
    let chunk = Chunk(
      id: .random(), session: session, bootID: bootID, board: board, stream: stream,
      sequence: sequence, clock: clock, counters: counters, arrivals: arrivals, ticks: ticks,
      columns: columns, gaps: gaps, fixes: fixes)
    sequence += 1
    counters.removeAll(keepingCapacity: true)
    arrivals.removeAll(keepingCapacity: true)
    ticks.removeAll(keepingCapacity: true)
    for axis in columns.indices { columns[axis].removeAll(keepingCapacity: true) }
    gaps.removeAll()
    return chunk
  }

  /// The clock of one chunk. It starts where the previous chunk ended, so that time never runs
  /// backwards at the boundary although the model has improved since.
  private func chunkClock(first: UInt32, last: UInt32) -> Chunk.Clock {
    let end = clock.time(of: last) ?? arrivals[0]
    guard let joint, !joint.isLoose else {
      let start = clock.time(of: first) ?? arrivals[0]
      let earliest = (joint?.time.nanoseconds).map { BootTime(nanoseconds: $0 + 1) } ?? start
      return Chunk.Clock(first: max(start, earliest), period: clock.period)
    }
    let steps = Double(last &- joint.counter)
    let elapsed = Double(end.nanoseconds - joint.time.nanoseconds)
    // A correction may stretch or compress a chunk by at most a tenth of its time.
    let period = min(max(elapsed / steps, 0.9 * clock.period), 1.1 * clock.period)
    let start = joint.time.nanoseconds + Int64((Double(first &- joint.counter) * period).rounded())
    return Chunk.Clock(first: BootTime(nanoseconds: start), period: period)
  }

  /// Continues the numbering as if the board had kept counting.
  private mutating func renumber(from reading: Reading) {
    isRestarting = false
    beginCount(before: reading.counter, at: reading.arrival)
    boardTicks = nil
    clock.restart()
    if counters.isEmpty { joint?.isLoose = true }
    guard let last else { return }
    let elapsed = Double(reading.arrival.nanoseconds) - Double(last.arrival.nanoseconds)
    // Samples known to be lost existed, however little time has passed.
    let known = noted.values.reduce(0) { $0 + Double($1) }
    let steps = max((elapsed / clock.period).rounded(), known + 1)
    // A larger step would be mistaken for a late sample.
    let step = UInt32(min(steps, Double(UInt32.max / 2)))
    // The step may include samples that are also in the board's count: all of them if the sensor
    // kept running, otherwise the samples lost before this one.
    let more = UInt32(max(0, Double(step - 1) - known))
    if hasBegunCount {
      tally.noteFirst(at: reading.arrival, mayHaveLost: more)
    } else {
      tally.note(lost: more)
    }
    offset = last.counter &+ step &- reading.counter
  }

  private mutating func reserve() {
    counters.reserveCapacity(Chunk.capacity)
    arrivals.reserveCapacity(Chunk.capacity)
    if stream.hasBoardTicks { ticks.reserveCapacity(Chunk.capacity) }
    for axis in columns.indices { columns[axis].reserveCapacity(Chunk.capacity) }
  }
}
