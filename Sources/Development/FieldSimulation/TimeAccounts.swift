internal import Recording
internal import Values

/// The losses and the times of one board in a short recording, judged to the sample.
struct TimeAccounts {
  /// Seconds after the first sample in which the board's rate is being learned.
  private static let learningSeconds = 10.0
  /// Seconds around a loss in which times may be wrong: until the board's next count.
  private static let lossSeconds = 1.2
  /// Seconds to which ninety-nine of a hundred times must be right, over all recordings.
  private static let goal = 0.001
  /// Seconds by which all but one in a hundred of the other times may differ from the truth. With
  /// few packets a second, packets and the link's turns beat over seconds, which hides half a turn
  /// for as long. After another link the phase is learned again, and a whole turn may be hidden.
  private static let precision = 0.002
  private static let precisionOfBeats = 0.0075
  private static let precisionAfterLink = 0.015
  /// Packets a second that count as few.
  private static let fewPackets = 60.0
  /// Samples by which an estimate may be wrong, and the fraction of it.
  private static let estimateSamples = 12.0
  private static let estimatePart = 0.03
  /// Seconds before the end after which the board's answers may be lost too.
  private static let endSeconds = 1.5
  /// The fewest samples that are judged.
  private static let fewest = 100

  var air: AirLog
  var streams: [StoredStream]
  /// Samples that were lost on the air.
  var dropped: Int
  /// Time of the request to stop.
  var stoppedAt: Double
  /// Periods in which packets were lost.
  var losses: [ClosedRange<Double>]
  /// The boot clock at the start of the trip.
  var bootOffset: Double

  /// The broken invariants, the number of judged times, and the number of these that are right to a
  /// millisecond.
  func judge() -> (violations: [Violation], judged: Int, right: Int) {
    let errors = streams.indices.map(errors)
    return (
      checkLosses() + zip(streams, errors).flatMap(checkTimes),
      errors.reduce(0) { $0 + $1.count },
      errors.joined().count { abs($0.error) <= Self.goal }
    )
  }

  /// Every sample that was lost on the air is counted.
  private func checkLosses() -> [Violation] {
    let gaps = streams.flatMap(\.gaps)
    let lost = gaps.reduce(0) { $0 + Int($1.lost) }
    let isOpen = losses.contains { $0.upperBound > stoppedAt - Self.endSeconds }
    let isEstimate = isOpen || gaps.contains(where: \.isEstimate)
    let tolerance =
      isEstimate ? Self.estimateSamples + Self.estimatePart * Double(dropped) : 0
    // Samples that a board did not make while its link was down are counted too.
    let away = gaps.filter { [.disconnected, .silent, .restarted].contains($0.reason) }
      .reduce(0) { $0 + Int($1.lost) }
    guard
      Double(lost) < Double(dropped) - tolerance
        || Double(lost - away) > Double(dropped) + tolerance
    else { return [] }
    return [
      Violation(
        invariant: .counted, time: stoppedAt,
        text: "\(dropped) samples were lost on the air, but \(lost) are counted: "
          + gaps.map(\.words).joined(separator: ", "))
    ]
  }

  private func checkTimes(
    _ stream: StoredStream, _ errors: [(time: Double, error: Double)]
  ) -> [Violation] {
    guard errors.count >= Self.fewest else { return [] }
    let isRelinked = stream.gaps.contains { $0.reason == .disconnected }
    let seconds = (errors.last?.time ?? 0) - (errors.first?.time ?? 0)
    let bar =
      isRelinked
      ? Self.precisionAfterLink
      : Double(errors.count) < Self.fewPackets * seconds
        ? Self.precisionOfBeats : Self.precision
    let wrong = errors.filter { abs($0.error) > bar }
    guard wrong.count * 100 > errors.count, let first = wrong.first,
      let worst = wrong.max(by: { abs($0.error) < abs($1.error) })
    else { return [] }
    return [
      Violation(
        invariant: .moments, time: first.time,
        text: "\(stream.signal): \(wrong.count) of \(errors.count) times are wrong, by up to "
          + "\(worst.error) s; gaps: "
          + stream.gaps.map(\.words).joined(separator: ", "))
    ]
  }

  /// The errors of the judged times, each without the delay that all packets of its link share.
  /// Arrivals cannot show that delay.
  private func errors(of place: Int) -> [(time: Double, error: Double)] {
    let stream = streams[place]
    guard let begin = stream.arrivals.first else { return [] }
    let gaps = stream.gaps.map {
      (
        reason: $0.reason, start: Double($0.start.nanoseconds) / 1e9 - bootOffset,
        end: Double($0.end.nanoseconds) / 1e9 - bootOffset
      )
    }
    let judged = deviations(of: place).filter { time, _ in
      time > begin - bootOffset + Self.learningSeconds && time < stoppedAt - Self.lossSeconds
        && !gaps.contains {
          time > $0.start - Self.lossSeconds && time < $0.end + Self.lossSeconds
        }
    }
    let links = gaps.filter { $0.reason == .disconnected }.map(\.end).sorted()
    return Dictionary(grouping: judged) { sample in links.count { $0 < sample.time } }
      .sorted { $0.key < $1.key }
      .flatMap { _, errors in
        let common = errors.map(\.error).sorted()[errors.count / 2]
        return errors.map { ($0.time, $0.error - common) }
      }
  }

  /// Seconds from the sending of each packet by the board to the stored time of its last sample.
  private func deviations(of wanted: Int) -> [(time: Double, error: Double)] {
    var next = Array(repeating: 0, count: streams.count)
    var found: [(time: Double, error: Double)] = []
    for sample in air.delivered {
      guard
        let place = streams.indices.first(where: {
          next[$0] < streams[$0].words.count && streams[$0].words[next[$0]] == sample.words
        })
      else { continue }
      defer { next[place] += 1 }
      guard place == wanted else { continue }
      let error = streams[place].times[next[place]] - bootOffset - sample.time
      if found.last?.time == sample.time { found.removeLast() }
      found.append((sample.time, error))
    }
    return found
  }
}
