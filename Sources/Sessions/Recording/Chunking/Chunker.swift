public import Values

/// Collects the samples of one stream into chunks and finds the gaps between them.
///
/// The stored sample numbers increase throughout the session and match the elapsed time, regardless
/// of the board's own numbers. After a restart, or if a board does not count its losses, the
/// chunker infers the losses from timing and adds them to the numbers.
///
/// Collecting a hundred samples into a chunk:
///
///     var chunker = Chunker(
///       session: session.id, bootID: session.bootID, board: board, stream: stream)
///     for number in UInt32(0)..<100 {
///       let time = session.start.advanced(bySeconds: Double(number) / stream.rate)
///       _ = chunker.append(Reading(board: 0, stream: 0, arrival: time, counter: number, z: 4_096))
///     }
///     let chunk = chunker.seal(fixes: [])
public struct Chunker: Sendable {
  /// The result of appending a sample.
  public enum Outcome: Hashable, Sendable {
    /// The sample was appended, or will be appended when the next packet confirms its number. The
    /// chunk is not full yet.
    case appended
    /// The sample was appended, and the chunk is now full: seal it.
    case full
    /// The stream already contains a sample with this number, so the new sample was discarded.
    case duplicate
    /// The number is impossible at this time, so the sample was discarded and counted as malformed.
    case spoiled
  }

  /// Arrival times are stored in whole microseconds. Before a packet is timestamped, it crosses a
  /// bus that is polled every 125 µs, or a serial line at about 10 µs per byte. The timestamps are
  /// mapped from the system clock to the boot clock with an error of about a microsecond. More
  /// digits would only store noise.
  private static let arrivalResolution: Int64 = 1_000
  /// Resolution with which a run of samples stores the clock's period, in units per nanosecond.
  /// Over a chunk, rounding adds an error of 60 ns, which is corrected when the chunk is sealed.
  private static let periodParts = 16.0

  /// Seconds without a sample, at the end of a stream, after which samples are treated as lost.
  private static let longestPause = 0.5
  /// Sample periods without a sample, at the end of a stream, after which samples are treated as
  /// lost.
  private static let longestPausePeriods = 3.0

  /// Seconds without a sample after which a new chunk begins, if the board counts its samples.
  private static let longSilence = 1.0
  /// Sample periods without a sample after which a new chunk begins, if the board counts its
  /// samples.
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
  /// Counter and arrival time of the stream's last sample.
  var last: (counter: UInt32, arrival: BootTime)?
  /// Counter and time of the previous chunk's last sample, and whether the board has restarted
  /// since then. After a restart, the next chunk's clock need not continue the previous clock; it
  /// only has to start later.
  private var joint: (counter: UInt32, time: BootTime, isLoose: Bool)?
  /// Number of samples known to be missing in a gap that has not ended yet, by reason.
  var noted: [LossReason: UInt64] = [:]
  /// The losses since the last stored sample, while samples are being skipped.
  var pause: PausedLosses?
  /// The assumed reason for a counter jump without a recorded cause.
  var reasonOfJump = LossReason.link
  /// Difference between a stored sample number and the number in the reading.
  var offset: UInt32 = 0
  /// Whether the board's numbering restarts with the next sample.
  var isRestarting = false
  /// Whether the board's own count has restarted since the last restart of the numbering.
  var hasBegunCount = false
  /// The reason why no samples are arriving; `nil` while they arrive. If it is set, the stream was
  /// expected to continue, so samples missing at its end are counted.
  var absence: LossReason?
  /// Time at which the board was first reported silent, if no sample of the stream has arrived yet.
  private var silentSince: BootTime?
  /// Checks whether sample numbers are plausible.
  var numbers: NumberWatch
  /// Samples whose numbers remain in doubt until the next packet arrives.
  private var doubtful: [Reading] = []
  /// Detects losses that the numbers do not show; `nil` if the numbers show all losses.
  var estimator: LossEstimator?
  /// Observes a pause between packets while its cause is unknown.
  var hang: HangWatch?
  /// Seconds without a packet after which the board itself may have paused; `nil` if the packets
  /// are not numbered.
  private let longestWait: Double?
  /// Number of samples in `noted` that were counted by the board.
  var notedByTally: UInt64 = 0
  /// The board's own count of its samples, if it reports one.
  var tally: BoardTally
  /// The board's latest timestamp, and the number of ticks since its first timestamp.
  var boardTicks: (latest: UInt32, elapsed: Int64)?

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

  /// Continues a stream after an interruption. `newest` is the last chunk with samples, and
  /// `absences` are later chunks that only record missing samples. The next chunk gets the sequence
  /// number `sequence`, and the next sample ends the gap.
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

  /// Number of samples in the open chunk.
  public var openCount: Int { counters.count }

  /// Returns the open chunk's samples after a position; `nil` if no samples follow it.
  ///
  /// - Parameter withClock: whether to include the samples' clock, which changes little from run to
  ///   run.
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

  /// A chunk of this stream that contains no samples, only the board and the stream's description.
  public var outline: Chunk {
    Chunk(
      id: .random(), session: session, bootID: bootID, board: board, stream: stream,
      sequence: 0, clock: Chunk.Clock(first: BootTime(nanoseconds: 0), period: clock.period),
      counters: [], arrivals: [], columns: Array(repeating: [], count: stream.axisCount),
      gaps: [], fixes: [])
  }

  /// Whether the open chunk must be sealed before this sample, because the sample follows a long
  /// silence. Only the board's next count shows whether samples were lost in the silence, and a
  /// sealed chunk cannot be corrected. In a new chunk, the samples after the silence can still be
  /// renumbered.
  public func ends(before reading: Reading) -> Bool {
    guard let last, !counters.isEmpty, tally.isAlive else { return false }
    return reading.arrival.seconds(since: last.arrival)
      >= max(Self.longSilence, Self.longSilencePeriods / stream.rate)
  }

  /// Arrival time of the first sample in the open chunk.
  public var openedAt: BootTime? { arrivals.first }

  /// Number of missing samples in all gaps, by reason.
  public internal(set) var lost: [LossReason: UInt64] = [:]

  public internal(set) var estimatedLoss: UInt64 = 0

  /// A jump in the counter becomes a gap that ends at this sample. Samples that were already
  /// recorded with `note` are not counted again.
  public mutating func append(_ reading: Reading) -> Outcome { take(reading, isKept: true) }

  /// Processes only the number and the time of a sample, and counts the sample as lost because of a
  /// pause.
  ///
  /// All samples of a packet must be appended, or all must be skipped. The next appended sample
  /// ends the gap, which also includes losses for other reasons.
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
    // Hold samples back only if the open chunk has space for them and for the sample that settles
    // the doubt. If this program has lost samples, any jump is plausible.
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

  /// Appends or skips a sample whose number has been accepted.
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
      // Events before the first sample do not explain a jump after it.
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

  mutating func settle(_ settlement: NumberWatch.Settlement) {
    switch settlement {
    case .open: return
    case .right: for reading in doubtful { _ = place(reading, isKept: true) }
    case .spoiled: note(lost: UInt64(doubtful.count), reason: .malformed)
    }
    doubtful.removeAll(keepingCapacity: true)
  }

  /// Records that samples are missing for a known reason. The next sample ends their gap.
  public mutating func note(lost count: UInt64, reason: LossReason) {
    noted[reason, default: 0] += count
  }

  /// Records that the link is down, which explains a jump in the counter at the next sample.
  public mutating func noteLinkLost() {
    settle(numbers.believe())
    settleHang()
    reasonOfJump = .disconnected
    // If a board disconnects before its first sample, its sensors may never have started.
    if last != nil { absence = .disconnected }
  }

  /// Records that the board is alive but sends no samples of this stream.
  public mutating func noteSilence(at time: BootTime) {
    settle(numbers.believe())
    reasonOfJump = .silent
    absence = .silent
    if last == nil, silentSince == nil { silentSince = time }
  }

  /// Records that the board's numbering restarts with the next sample.
  ///
  /// Samples lost during the restart are estimated from the elapsed time.
  public mutating func noteRestart() {
    settle(numbers.believe())
    settleHang()
    isRestarting = true
    hasBegunCount = false
    if reasonOfJump == .link { reasonOfJump = .restarted }
    if absence == nil, last != nil { absence = .restarted }
    // The estimator's samples belong to the numbering before the restart. The samples after the
    // loss are in the open chunk, which ends at the restart.
    if let loss = settleEstimate() { renumber(behind: loss) }
  }

  /// Ends the stream. Recorded losses that are not followed by a sample become gaps that end at
  /// `end`, or at the last sample if it is later. The open chunk is sealed. If it is empty, the
  /// remaining losses are returned as a chunk without samples.
  public mutating func finish(at end: BootTime, fixes: [Fix]) -> Chunk? {
    settle(numbers.believe())
    settleHang()
    let isAway = last.map { end.seconds(since: $0.arrival) > Self.longestPause } ?? false
    if let loss = settleEstimate(isAway: isAway) { renumber(behind: loss) }
    let start = last?.arrival ?? silentSince ?? end
    let end = max(end, start)
    let seconds = end.seconds(since: start)
    let periods = seconds * 1e9 / clock.period
    // After a pause of this length, packets that were only delayed by the link would have arrived,
    // so the missing samples are lost. If the board counts its samples, that count is more
    // accurate.
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

  private mutating func sealGaps() -> Chunk? {
    guard let first = gaps.first else { return nil }
    return takeChunk(clock: Chunk.Clock(first: first.start, period: clock.period), fixes: [])
  }

  /// Seals the open chunk and starts the next one. Returns `nil` if the open chunk contains no
  /// sample.
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

  /// Returns a clock that continues where the previous chunk ended, so that time never runs
  /// backwards at the boundary, even if the clock model has improved since then.
  private func chunkClock(first: UInt32, last: UInt32) -> Chunk.Clock {
    let end = clock.time(of: last) ?? arrivals[0]
    guard let joint, !joint.isLoose else {
      let start = clock.time(of: first) ?? arrivals[0]
      let earliest = (joint?.time.nanoseconds).map { BootTime(nanoseconds: $0 + 1) } ?? start
      return Chunk.Clock(first: max(start, earliest), period: clock.period)
    }
    let steps = Double(last &- joint.counter)
    let elapsed = Double(end.nanoseconds - joint.time.nanoseconds)
    // To join the previous chunk, a chunk may be stretched or compressed by at most a tenth of its
    // duration.
    let period = min(max(elapsed / steps, 0.9 * clock.period), 1.1 * clock.period)
    let start = joint.time.nanoseconds + Int64((Double(first &- joint.counter) * period).rounded())
    return Chunk.Clock(first: BootTime(nanoseconds: start), period: period)
  }

  /// Continues the stored numbering as if the board had not restarted its count.
  private mutating func renumber(from reading: Reading) {
    isRestarting = false
    beginCount(before: reading.counter, at: reading.arrival)
    boardTicks = nil
    clock.restart()
    if counters.isEmpty { joint?.isLoose = true }
    guard let last else { return }
    let elapsed = Double(reading.arrival.nanoseconds) - Double(last.arrival.nanoseconds)
    // Skip at least the samples known to be lost, however little time has passed.
    let known = noted.values.reduce(0) { $0 + Double($1) }
    let steps = max((elapsed / clock.period).rounded(), known + 1)
    // A larger step in the sample numbers would be mistaken for a sample that arrived late.
    let step = UInt32(min(steps, Double(UInt32.max / 2)))
    // According to an estimate, `more` additional samples were lost before this sample. The board's
    // next count may include them too: all of them if the board has continued to count, otherwise
    // at most `more`.
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
