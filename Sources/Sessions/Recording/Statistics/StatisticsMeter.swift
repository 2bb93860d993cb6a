public import Values

/// Computes a session's statistics from its samples and fixes, live or from a store.
///
/// Streams and fixes may be interleaved in any way, but the data in each of them must be in
/// chronological order.
///
/// Computing a session's distance in metres from its fixes:
///
///     var meter = StatisticsMeter(start: start)
///     for fix in fixes { meter.take(fix) }
///     let distance = meter.statistics().distance
public struct StatisticsMeter: Sendable {
  /// The kind of gauge that a stream uses, and its index in the array of gauges of that kind.
  /// Arrays allow gauges to be modified in place.
  private enum Gauge: Sendable {
    case rhythm(Int)
    case counter(Int)
    case altitude(Int)
  }

  private let start: BootTime
  private var streams: [(board: BoardAddress, gauge: Gauge)] = []
  private var rhythms: [WalkingRhythm] = []
  private var counters: [StepCounter] = []
  private var altitudes: [PressureAltitude] = []
  private var track = TrackMeter()
  private var latest: BootTime

  public init(start: BootTime) {
    self.start = start
    latest = start
  }

  /// Registers a stream. Returns the number to pass to `take`, or `nil` if the stream does not
  /// contribute to the statistics.
  public mutating func add(_ description: StreamDescription, of board: BoardAddress) -> Int? {
    switch (description.signal, description.unit) {
    // Steps are detected in bins of 40 ms. A slower stream would leave more than half of them
    // empty.
    case ("acceleration", "g") where description.rate >= 12 && description.axisCount == 3:
      streams.append((board, .rhythm(rhythms.count)))
      rhythms.append(WalkingRhythm(rate: description.rate))
    case ("steps", _):
      streams.append((board, .counter(counters.count)))
      counters.append(StepCounter())
    case ("pressure", "Pa"):
      streams.append((board, .altitude(altitudes.count)))
      altitudes.append(PressureAltitude(.pressure))
    case ("altitude", "m"):
      streams.append((board, .altitude(altitudes.count)))
      altitudes.append(PressureAltitude(.altitude))
    default: return nil
    }
    return streams.count - 1
  }

  /// Adds a stream's next sample. The values are in the stream's unit, with 0 for missing axes.
  public mutating func take(
    _ values: SIMD3<Double>, counter: UInt32, at time: BootTime, stream: Int
  ) {
    if time > latest { latest = time }
    switch streams[stream].gauge {
    case .rhythm(let place):
      rhythms[place].add(values, counter: counter)
    case .counter(let place): counters[place].add(Int32(values.x))
    case .altitude(let place): altitudes[place].add(values.x, at: time)
    }
  }

  /// Records that a user paused the recording before the next sample of a stream. A loss hides part
  /// of a walk, whereas a pause deliberately excludes movement. Steps and climbing during a pause
  /// are therefore not counted.
  public mutating func interrupt(stream: Int) {
    switch streams[stream].gauge {
    case .rhythm: break
    case .counter(let place): counters[place].interrupt()
    case .altitude(let place): altitudes[place].interrupt()
    }
  }

  /// Adds a stream's next samples, taken from a stored chunk. If `span` is given, samples outside
  /// it are ignored.
  public mutating func take(
    _ chunk: Chunk, stream: Int, within span: Range<BootTime>? = nil
  ) {
    var pauses = chunk.gaps.filter { $0.reason == .paused }[...]
    for index in 0..<chunk.count {
      while let pause = pauses.first, pause.end <= chunk.arrivals[index] {
        interrupt(stream: stream)
        pauses = pauses.dropFirst()
      }
      if let span, !span.contains(chunk.time(at: index)) { continue }
      var values = SIMD3<Double>.zero
      for axis in 0..<min(3, chunk.columns.count) {
        values[axis] = chunk.stream.value(of: chunk.columns[axis][index])
      }
      take(values, counter: chunk.counters[index], at: chunk.arrivals[index], stream: stream)
    }
  }

  public mutating func take(_ fix: Fix) {
    if fix.arrival > latest { latest = fix.arrival }
    track.add(fix)
  }

  /// Returns the statistics of all data so far. In durations, `end` replaces the time of the latest
  /// data.
  public func statistics(until end: BootTime? = nil) -> SessionStatistics {
    let end = end ?? latest
    var statistics = SessionStatistics()
    statistics.elapsed = max(0, end.seconds(since: start))
    if let last = track.last {
      statistics.distance = track.odometer.metres
      statistics.movingSeconds = track.odometer.movingSeconds
      statistics.speed = last.speed
      statistics.highestSpeed = track.odometer.highestSpeed
      statistics.fixSeconds = track.fixSeconds(until: end)
    }
    statistics.altitude = altitude
    statistics.steps = steps
    return statistics
  }

  /// Ascent and descent according to the first barometer. If no board has a barometer, they are
  /// computed from the fixes.
  private var altitude: SessionStatistics.Altitude? {
    if let barometer = altitudes.first(where: { $0.isKnown }) {
      return SessionStatistics.Altitude(
        source: .barometer, gain: barometer.climb.gain, loss: barometer.climb.loss)
    }
    guard track.hasAltitude else { return nil }
    return SessionStatistics.Altitude(
      source: .satellites, gain: track.climb.gain, loss: track.climb.loss)
  }

  /// Steps for each board, counted by its own step counter. If a board has no step counter, its
  /// steps are computed from its accelerometer.
  private var steps: [SessionStatistics.Steps] {
    var rows: [SessionStatistics.Steps] = []
    for (board, gauge) in streams {
      let row = rows.firstIndex { $0.board == board }
      switch gauge {
      case .counter(let place):
        let count = Int(counters[place].steps)
        if let row {
          (rows[row].source, rows[row].count) = (.board, count)
        } else {
          rows.append(.init(board: board, source: .board, count: count))
        }
      case .rhythm(let place):
        let rhythm = rhythms[place]
        if let row {
          rows[row].cadence = rhythm.cadence
        } else {
          rows.append(
            .init(
              board: board, source: .accelerometer, count: Int(rhythm.steps.rounded()),
              cadence: rhythm.cadence))
        }
      case .altitude: break
      }
    }
    return rows
  }
}
