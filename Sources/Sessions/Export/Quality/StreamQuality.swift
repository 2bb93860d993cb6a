internal import ChunkFormat
public import Recording
public import Values

/// The quality of one stream's recording, measured from all its chunks.
public struct StreamQuality: Sendable {
  public struct Loss: Hashable, Sendable {
    /// Samples whose loss was counted.
    public var counted: UInt64 = 0
    /// Samples whose loss was inferred from timing.
    public var estimated: UInt64 = 0
  }

  public struct Pause: Hashable, Sendable {
    public var start: BootTime
    public var seconds: Double
    /// The name of the loss reason, or `chunks` for chunks that cannot be read.
    public var reason: String
  }

  /// Chunks that the source does not contain, although they are not lost: they were sent and then
  /// deleted, or have not arrived yet.
  public struct Elsewhere: Hashable, Sendable {
    public var chunks = 0
    public var samples: UInt64 = 0
    /// Number of samples that these chunks count as lost.
    public var lost: UInt64 = 0

    mutating func add(_ entry: SessionRecord.ChunkEntry) {
      chunks += 1
      samples = samples.addingSaturated(UInt64(max(0, entry.sampleCount)))
      lost = lost.addingSaturated(entry.lostCount)
    }
  }

  /// The stream, with the number of samples that the store lists.
  public let stream: SourceStream
  public private(set) var samples = 0
  public private(set) var lost: [LossReason: Loss] = [:]
  /// Estimated number of samples in missing and damaged chunks.
  public private(set) var lostWithChunks: UInt64 = 0
  /// The chunks that the record lists but the source does not contain. If there are any, all
  /// figures that require every chunk are unknown.
  public private(set) var elsewhere = Elsewhere()
  /// Missing and damaged chunks, in sequence order.
  public private(set) var missing: [MissingChunks] = []
  /// Sequence numbers of chunks whose number of samples or losses differs from the store's list.
  public private(set) var disagreements: [UInt32] = []
  /// The longest gap; `nil` if there is none, or if it is unknown.
  public private(set) var longestGap: Pause?
  public private(set) var first: BootTime?
  public private(set) var last: BootTime?
  /// Time of the last sample, or end of the last gap if that is later.
  public private(set) var covered: BootTime?
  /// Number of samples with an axis at the end of the measuring range; `nil` if there is no range,
  /// or if no sample was read.
  public private(set) var clipped: Int?
  public private(set) var positioned = 0
  public private(set) var positionErrors = ErrorDistribution()
  /// The firmware revisions, in the order in which they appear in the chunks.
  public private(set) var firmware: [String] = []
  /// The time during which nobody wore the board; `nil` unless the sensor is an accelerometer.
  public private(set) var notWorn: NotWornMeter?
  /// The orientations in which the board was still; `nil` unless the sensor is an accelerometer.
  public private(set) var orientations: GravityCalibration.Orientations?
  /// The gyroscope's bias; `nil` for any other sensor.
  public private(set) var gyroscopeBias: GyroscopeBiasMeter?

  private var running = StreamContent.Running()
  private var windows: StillWindows?
  private let clipping: Clipping?
  /// The board's sample periods, weighted by the number of samples.
  private var period: (sum: Double, weight: Double) = (0, 0)
  private var lateness = Spread()
  private var skipped = SkippedChunks()
  /// Number of samples, since the last chunk that was read, in chunks that the source does not
  /// contain.
  private var passed: UInt64 = 0

  /// Reads all streams of a session, one after the other, with one chunk in memory.
  ///
  /// - Parameters:
  ///   - record: the session's record. Chunks that it lists have a copy, even if they are not in
  ///     the source.
  ///   - pause: called for each chunk with the number of samples read; an error that it throws ends
  ///     the reading.
  public static func all(
    of source: some SessionSource, record: SessionRecord? = nil,
    pause: (Int) throws -> Void = { _ in }
  ) throws -> [StreamQuality] {
    var all: [StreamQuality] = []
    var done = 0
    for (position, stream) in try source.streams().enumerated() {
      var quality = StreamQuality(stream)
      let listed = record?.streams.first {
        $0.board == stream.board.address && $0.description.signal == stream.description.signal
      }
      try quality.read(source, position: position, listed: listed?.chunks ?? []) {
        try pause(done + $0)
      }
      done += quality.samples
      all.append(quality)
    }
    return all
  }

  init(_ stream: SourceStream) {
    self.stream = stream
    clipping = Clipping(stream.description)
    let rate = stream.description.rate
    guard stream.description.axisCount == 3 else { return }
    switch (stream.description.signal, stream.description.unit) {
    case ("acceleration", "g"):
      windows = StillWindows(rate: rate, limit: StillWindows.accelerationLimit)
      guard windows != nil else { return }
      notWorn = NotWornMeter()
      orientations = GravityCalibration.Orientations()
    case ("angular_velocity", "deg/s"):
      windows = StillWindows(rate: rate, limit: StillWindows.rotationLimit)
      gyroscopeBias = windows.map { _ in GyroscopeBiasMeter() }
    default: break
    }
  }

  public var content: StreamContent { running.end(stream) }

  public var lostCount: UInt64 {
    lost.values.reduce(lostWithChunks.addingSaturated(elsewhere.lost)) {
      $0.addingSaturated($1.counted).addingSaturated($1.estimated)
    }
  }

  /// Number of lost samples that were estimated. It includes the losses in chunks that the source
  /// does not contain, since it is unknown how these losses were counted.
  public var estimatedCount: UInt64 {
    lost.values.reduce(lostWithChunks.addingSaturated(elsewhere.lost)) {
      $0.addingSaturated($1.estimated)
    }
  }

  /// The fraction of the samples that were lost, from 0 to 1; `nil` if there are no samples.
  public var lostShare: Double? {
    let all = Double(samples) + Double(elsewhere.samples) + Double(lostCount)
    return all > 0 ? Double(lostCount) / all : nil
  }

  /// Samples per second from the first sample to the last, including gaps; `nil` before the second
  /// sample, or if any chunk is counted in `elsewhere`.
  public var effectiveRate: Double? {
    guard elsewhere.chunks == 0, let first, let last, last > first, samples > 1 else {
      return nil
    }
    return Double(samples - 1) / last.seconds(since: first)
  }

  /// Samples per second according to the board's own clock, while samples were arriving; `nil` if
  /// no chunk is long enough to measure it.
  public var boardRate: Double? {
    period.weight > 0 ? 1e9 / (period.sum / period.weight) : nil
  }

  /// The uncertainty in seconds of a sample's time on the gateway's clock, with 95 % confidence.
  /// The delay that all packets share is not included. `nil` if there are fewer than three chunks.
  ///
  /// The least late packet of each chunk should have the same delay in every chunk. The spread of
  /// these delays is the uncertainty.
  public var timeUncertainty: Double? {
    lateness.count >= 3 ? 1.96 * lateness.deviation : nil
  }

  /// Reads the chunks of a stream, given by its index in the source.
  mutating func read(
    _ source: some SessionSource, position: Int, listed: [SessionRecord.ChunkEntry],
    pause: (Int) throws -> Void
  ) throws {
    var listed = listed.sorted { $0.sequence < $1.sequence }[...]
    var window = FixWindow(
      ClockTable(try source.clockEntries()), maximumAge: FixTrack.defaultMaximumAge)
    var sequence: UInt32?
    func noteAbsent(before next: UInt64) throws {
      func noteLost(before next: UInt64) throws {
        guard let places = MissingChunks.between(sequence, next) else { return }
        note(
          places, MissingChunks.absence,
          try source.missingSamples(ofStream: position, in: places) ?? 0)
      }
      while let entry = listed.first, entry.sequence < next {
        listed.removeFirst()
        guard sequence.map({ $0 < entry.sequence }) ?? true else { continue }
        try noteLost(before: UInt64(entry.sequence))
        sequence = entry.sequence
        elsewhere.add(entry)
        passed = passed.addingSaturated(UInt64(max(0, entry.sampleCount)))
          .addingSaturated(entry.lostCount)
        MissingChunks.note(entry.sequence...entry.sequence, MissingChunks.absence, in: &missing)
      }
      try noteLost(before: next)
    }
    while let stored = try source.chunk(ofStream: position, after: sequence) {
      try pause(samples)
      try noteAbsent(before: UInt64(stored.sequence))
      sequence = stored.sequence
      let chunk: Chunk
      do throws(UnusableChunk) {
        chunk = try stored.chunk(of: stream, in: source.session.id)
      } catch {
        note(stored.sequence...stored.sequence, error.reason, stored.allSamples)
        continue
      }
      if chunk.count != stored.sampleCount || chunk.lostCount != stored.lostCount {
        disagreements.append(stored.sequence)
      }
      running.add(stored.sequence, stored.bytes)
      endMissing(before: chunk)
      take(chunk)
      try take(chunk, &window, source)
    }
    if let last = stream.lastSequence { try noteAbsent(before: UInt64(last) + 1) }
    endMissing(before: nil)
    if elsewhere.chunks > 0 { forgetFigures() }
    try pause(samples)
  }

  private mutating func forgetFigures() {
    (longestGap, clipped, notWorn, orientations, gyroscopeBias) = (nil, nil, nil, nil, nil)
    (positioned, positionErrors) = (0, ErrorDistribution())
    (lateness, period) = (Spread(), (0, 0))
  }

  private mutating func note(_ places: ClosedRange<UInt32>, _ reason: String, _ samples: UInt64) {
    skipped.note(places, reason, samples: samples)
    MissingChunks.note(places, reason, in: &missing)
  }

  private mutating func endMissing(before chunk: Chunk?) {
    guard chunk?.count != 0 else { return }
    defer { passed = 0 }
    let next = chunk.map { ($0.counters[0], $0.lostBeforeFirst.addingSaturated(passed)) }
    guard let (_, lost) = skipped.end(before: next) else { return }
    lostWithChunks = lostWithChunks.addingSaturated(lost ?? 0)
    if let last = skipped.last, let chunk {
      lengthen(from: last.time, to: chunk.clock.first, "chunks")
    }
  }

  private mutating func lengthen(from start: BootTime, to end: BootTime, _ reason: String) {
    let seconds = end.seconds(since: start)
    guard seconds > longestGap?.seconds ?? 0 else { return }
    longestGap = Pause(start: start, seconds: seconds, reason: reason)
  }

  private mutating func take(_ chunk: Chunk) {
    for gap in chunk.gaps {
      var loss = lost[gap.reason] ?? Loss()
      if gap.isEstimate {
        loss.estimated = loss.estimated.addingSaturated(gap.lost)
      } else {
        loss.counted = loss.counted.addingSaturated(gap.lost)
      }
      lost[gap.reason] = loss
      covered = max(covered ?? gap.end, gap.end)
      lengthen(from: gap.start, to: gap.end, gap.reason.name)
    }
    if !firmware.contains(chunk.board.firmware) { firmware.append(chunk.board.firmware) }
    guard chunk.count > 1 else { return }
    // A chunk that is too short to measure the rate has the period of the configured rate.
    if chunk.clock.period > 0, chunk.clock.period != 1e9 / stream.description.rate {
      let steps = Double(chunk.counters[chunk.count - 1] &- chunk.counters[0])
      period = (period.sum + chunk.clock.period * steps, period.weight + steps)
    }
  }

  private mutating func take(
    _ chunk: Chunk, _ fixes: inout FixWindow, _ source: some SessionSource
  ) throws {
    let times = chunk.times
    guard let start = times.first, let end = times.last else { return }
    first = min(first ?? start, start)
    last = max(last ?? end, end)
    covered = max(covered ?? end, end)
    skipped.last = (chunk.counters[chunk.count - 1], end)
    samples += chunk.count
    var least = Int64.max
    for (index, time) in times.enumerated() {
      least = min(least, chunk.arrivals[index].nanoseconds &- time.nanoseconds)
      while fixes.needsMore(at: time) { try fixes.load(from: source) }
      if let position = fixes.position(at: time).position {
        positioned += 1
        if let error = position.error { positionErrors.add(error) }
      }
    }
    lateness.add(Double(least) / 1e9)
    if let clipping {
      let count = times.indices.count { index in
        chunk.columns.contains { clipping.isClipped($0[index]) }
      }
      clipped = (clipped ?? 0) + count
    }
    guard windows != nil else { return }
    let form = stream.description
    for (index, time) in times.enumerated() {
      let value = SIMD3(
        form.value(of: chunk.columns[0][index]), form.value(of: chunk.columns[1][index]),
        form.value(of: chunk.columns[2][index]))
      guard let window = windows?.add(value, at: time.nanoseconds) else { continue }
      notWorn?.add(window)
      orientations?.add(window)
      gyroscopeBias?.add(window)
    }
  }
}

/// Recognises raw values at the end of a measuring range.
private struct Clipping {
  private let limit: Double
  private let form: StreamDescription

  /// `nil` if the stream has no measuring range.
  init?(_ form: StreamDescription) {
    guard let range = form.range, form.countsPerUnit > 0 else { return nil }
    self.form = form
    guard form.rawForm == .integer else {
      limit = range
      return
    }
    var counts = range * form.countsPerUnit
    // The end of the range may be slightly beyond the largest 16-bit number: 2,000 deg/s is 32,800
    // counts.
    if abs(counts - 32_768) < 400 { counts = 32_767 }
    limit = (counts - 1.5) / form.countsPerUnit
  }

  func isClipped(_ raw: Int32) -> Bool { form.value(of: raw).magnitude >= limit }
}

/// Mean and standard deviation of numbers that are added one after the other.
private struct Spread {
  private(set) var count = 0
  private var mean = 0.0
  private var squares = 0.0

  mutating func add(_ value: Double) {
    count += 1
    let difference = value - mean
    mean += difference / Double(count)
    squares += difference * (value - mean)
  }

  var deviation: Double { count > 1 ? (squares / Double(count - 1)).squareRoot() : 0 }
}
