internal import ChunkFormat
internal import Recording
internal import Values

/// Limits on received data. Every intake enforces them, so that all intakes accept the same data.
enum IntakeBounds {
  /// The maximum number of lost samples that a chunk may report. It corresponds to 35 years at 8
  /// kHz. Stores add these counts together as 64-bit integers.
  private static let mostLost: UInt64 = 1 << 43
  private static let year: Int64 = 31_557_600_000_000_000
  /// The permitted range of boot times in nanoseconds. Readers add and subtract such times, and the
  /// results must fit in 64 bits.
  private static let bootTimes = -40 * year...40 * year
  private static let universalTimes = -year...200 * year
  /// The maximum absolute value of a number in a record's statistics or events. Floating-point
  /// numbers far above this value cannot represent every integer.
  private static let mostMeasured = 1e15
  /// The permitted range of sampling rates, in samples per second.
  private static let rates = 0...1e6
  /// These ranges are twice as wide as the ranges that a gateway accepts from its receiver. They
  /// apply to altitudes and geoid separations in metres, speeds in metres per second, dilutions,
  /// and errors in metres.
  private static let altitudes = -4_000.0...200_000
  private static let separations = -400.0...400
  private static let speeds = 0.0...20_000
  private static let dilutions = 0.0...100
  private static let errors = 0.0...2e6
  /// The maximum time, in nanoseconds, by which a fix's arrival time may precede the previous
  /// fix's.
  private static let disorder: Int64 = 60_000_000_000

  /// Returns the reason a chunk is unacceptable, or `nil` if it is acceptable.
  static func fault(of chunk: Chunk) -> String? {
    if let fault = fault(of: chunk.stream) ?? fault(of: chunk.board) { return fault }
    // Stores join the axis names into one comma-separated string.
    if chunk.stream.axes.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) }) {
      return "an axis name contains a comma"
    }
    return fault(ofLost: chunk.lostCount)
      ?? fault([chunk.clock.first], []) ?? fault(chunk.arrivals, [])
      ?? fault(chunk.gaps.lazy.flatMap { [$0.start, $0.end] }, []) ?? fault(of: chunk.fixes)
  }

  static func fault(of record: SessionRecord) -> String? {
    record.streams.lazy.compactMap { stream in
      fault(of: stream.description)
        ?? fault(ofCounts: stream) ?? fault(ofLast: stream)
        ?? fault(stream.chunks.lazy.map(\.first), [])
    }.first ?? fault(ofTexts: record) ?? fault(ofTimes: record) ?? fault(ofNumbers: record)
  }

  static func fault(of piece: TrackPiece) -> String? { fault(of: piece.fixes) }

  private static func fault(of stream: StreamDescription) -> String? {
    if let fault = stream.fault { return fault }
    guard Set(stream.axes).count == stream.axes.count else { return "two axes have the same name" }
    guard rates.contains(stream.rate) else {
      return "its rate is \(stream.rate) samples per second"
    }
    return stream.countsPerUnit > 0 ? nil : "it has \(stream.countsPerUnit) counts per unit"
  }

  private static func fault(ofCounts stream: SessionRecord.Stream) -> String? {
    let counts = stream.chunks.map(\.lostCount) + stream.gone.map(\.lostCount)
    return counts.lazy.compactMap { fault(ofLost: $0) }.first
  }

  private static func fault(ofLast stream: SessionRecord.Stream) -> String? {
    guard let last = stream.lastSequence, let listed = stream.chunks.last?.sequence, listed > last
    else { return nil }
    return "chunk \(listed) is listed after chunk \(last), the last of its stream"
  }

  /// Checks the strings that come from users and boards, because they are shown on terminals and
  /// pages.
  private static func fault(ofTexts record: SessionRecord) -> String? {
    var record = record
    var fault: String?
    record.changeTexts { text, what, mayHaveLines in
      fault =
        fault
        ?? PlainText.fault(in: text, mayHaveLines: mayHaveLines).map { "the \(what) \($0)" }
    }
    return fault
  }

  private static func fault(of board: BoardIdentity) -> String? {
    var board = board
    var fault: String?
    board.changeTexts { text, what in
      fault = fault ?? PlainText.fault(in: text).map { "the \(what) \($0)" }
    }
    return fault
  }

  private static func fault(ofTimes record: SessionRecord) -> String? {
    let (start, end) = (record.session.start, record.session.end ?? record.session.start)
    guard start <= end else { return "its end is before its start" }
    return fault([start, end], [])
      ?? fault(record.clock.lazy.map(\.boot), record.clock.lazy.map(\.utc))
      ?? fault(record.hazards.lazy.map(\.time), record.hazards.lazy.compactMap(\.utc))
      ?? fault(record.annotations.lazy.map(\.time), [])
      ?? fault(record.events.lazy.map(\.time), record.events.lazy.compactMap(\.utc))
  }

  private static func fault(ofNumbers record: SessionRecord) -> String? {
    let sums = record.statistics.map { statistics in
      [
        statistics.elapsed, statistics.distance, statistics.movingSeconds, statistics.highestSpeed,
        statistics.fixSeconds, statistics.altitude?.gain, statistics.altitude?.loss,
      ].compactMap(\.self) + statistics.steps.map { Double($0.count) }
    }
    let measured = record.events.lazy.compactMap(\.value)
    return fault(sums ?? [], outside: 0...mostMeasured, "a number in its statistics")
      ?? fault(measured, outside: -mostMeasured...mostMeasured, "a number in its events")
  }

  private static func fault(of fixes: [Fix]) -> String? {
    // Coordinates in chunks can be any numbers. Coordinates in JSON are checked when they are read.
    if fixes.contains(where: {
      !(-90...90).contains($0.latitude) || !(-180...180).contains($0.longitude)
    }) {
      return "a fix has an impossible latitude or longitude"
    }
    let wrong =
      fault(fixes.lazy.compactMap(\.altitudeMSL), outside: altitudes, "the altitude of a fix")
      ?? fault(
        fixes.lazy.compactMap(\.geoidSeparation), outside: separations, "the geoid at a fix")
      ?? fault(fixes.lazy.compactMap(\.speed), outside: speeds, "the speed of a fix")
      ?? fault(fixes.lazy.compactMap(\.track), outside: 0...360, "the direction of a fix")
      ?? fault(fixes.lazy.compactMap(\.hdop), outside: dilutions, "the dilution of a fix")
      ?? fault(
        fixes.lazy.compactMap(\.error).flatMap { [$0.horizontal, $0.vertical ?? 0] },
        outside: errors, "the error of a fix")
    if let wrong { return wrong }
    if fixes.contains(where: { $0.arrival.nanoseconds < 0 }) {
      return "a fix arrived before the boot"
    }
    // The times are checked first, so that their differences are known to fit in 64 bits.
    if let fault = fault(fixes.lazy.map(\.arrival), fixes.lazy.map(\.utc)) { return fault }
    let isInOrder = zip(fixes, fixes.dropFirst()).allSatisfy { former, next in
      former.arrival.nanoseconds - next.arrival.nanoseconds <= disorder
    }
    return isInOrder ? nil : "its fixes are not in order of arrival"
  }

  private static func fault(
    _ times: some Sequence<BootTime>, _ universal: some Sequence<UTCTime>
  ) -> String? {
    if let time = times.first(where: { !bootTimes.contains($0.nanoseconds) }) {
      return "one of its times is \(time.nanoseconds) ns from the boot, but the limit is 40 years"
    }
    return universal.first { !universalTimes.contains($0.nanoseconds) }.map { time in
      "one of its times is \(time.nanoseconds) ns from 1970, outside the years 1969 to 2170"
    }
  }

  private static func fault(
    _ numbers: some Sequence<Double>, outside range: ClosedRange<Double>, _ what: String
  ) -> String? {
    numbers.first { !range.contains($0) }.map { "\(what) is \($0)" }
  }

  private static func fault(ofLost count: UInt64) -> String? {
    count > mostLost ? "it counts \(count) samples as lost, but the limit is \(mostLost)" : nil
  }
}
