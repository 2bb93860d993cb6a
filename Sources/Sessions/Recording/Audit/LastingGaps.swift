/// Finds the gaps after which all later rows remain displaced, in bounded memory.
///
/// Jitter lengthens individual spacings, but shortens the next ones by the same amount. So the rows
/// after a long spacing are compared with a line through the rows before it.
struct LastingGaps: Sendable {
  private(set) var count = 0
  /// Number of rows that fit into the gaps.
  private(set) var missing = 0
  /// Total length of the gaps in microseconds.
  private(set) var time: Int64 = 0
  private(set) var gaps = LongestGaps()
  /// Number of rows that fit into each gap, by the row after the gap; `nil` if there are too many
  /// gaps.
  private(set) var places: [Int: Int]? = [:]
  /// The sum of all spreads: how far the times deviate from their line, in microseconds.
  private var spreads = 0.0
  private var periods = 0.0
  private var blocks = 0.0

  private var recent: [(time: Int64, row: Int)] = []
  /// Index of the row after the first spacing that has not been judged yet.
  private var next = 1
  /// The first row after the last gap.
  private var start = 0
  private static let (side, block, margin) = (16, 320, 4)
  private static let mostPlaces = 1 << 16

  /// The average spread of the times about their line, in microseconds.
  var spread: Double { blocks > 0 ? spreads / blocks : 0 }

  /// Whether the spread hides a gap of a single row.
  var hidesSingleRows: Bool { blocks > 0 && 2.2 * spread > 0.6 * periods / blocks }

  mutating func add(_ time: Int64, row: Int) {
    recent.append((time, row))
    guard recent.count >= Self.block else { return }
    judge(until: recent.count - Self.side)
    let old = recent.count - 2 * Self.side
    recent.removeFirst(old)
    next -= old
    start = max(0, start - old)
  }

  /// Judges the last rows. The next row begins another line.
  ///
  /// If rows are out of order, no gap is reported close to them.
  mutating func close(beforeDisorder: Bool = false) {
    judge(until: recent.count - (beforeDisorder ? Self.margin : 0))
    recent.removeAll(keepingCapacity: true)
    (next, start) = (beforeDisorder ? Self.margin : 1, 0)
  }

  private mutating func judge(until end: Int) {
    guard recent.count > 2, next < end, let (period, spread) = line() else { return }
    spreads += spread
    periods += period
    blocks += 1
    for place in next..<end {
      let spacing = recent[place].time - recent[place - 1].time
      guard Double(spacing) > 1.5 * period else { continue }
      let displacement = displacement(at: place, period, spread)
      guard displacement > 0.5 * period else { continue }
      count += 1
      let lacking = max(1, Int((displacement / period).rounded()))
      missing += lacking
      places?[recent[place].row] = lacking
      if count > Self.mostPlaces { places = nil }
      time += spacing
      start = place
      gaps.add(
        AuditedTimes.Gap(row: recent[place].row, time: recent[place - 1].time, length: spacing))
    }
    next = end
  }

  /// Returns the usual spacing and the spread of the times about a line, from spans of up to 16
  /// spacings. Most spans contain no gap.
  private func line() -> (period: Double, spread: Double)? {
    let width = min(Self.side, max(1, recent.count / 4))
    let spans = (width..<recent.count).map { recent[$0].time - recent[$0 - width].time }
    guard let span = Self.median(spans.map(Double.init)), span > 0 else { return nil }
    let deviation = Self.median(spans.map { abs(Double($0) - span) }) ?? 0
    return (span / Double(width), deviation * 1.05)
  }

  /// Returns how far the rows from `place` onwards lie behind the line of the preceding rows; 0 if
  /// that is within their spread.
  private func displacement(at place: Int, _ period: Double, _ spread: Double) -> Double {
    let first = max(start, place - Self.side)
    var last = min(recent.count, place + Self.side)
    // Another gap would displace the rows that follow it even further.
    if let other = (place + 1..<max(place + 1, last)).first(where: {
      Double(recent[$0].time - recent[$0 - 1].time) > 1.5 * period + 4 * spread
    }) {
      last = other
    }
    func offsets(_ rows: Range<Int>) -> [Double] {
      rows.map { Double(recent[$0].time - recent[place].time) - Double($0 - place) * period }
    }
    let (before, after) = (offsets(first..<place), offsets(place..<last))
    guard let low = before.min(), let high = after.min(), let middle = Self.median(before),
      let later = Self.median(after)
    else { return 0 }
    let error =
      1.25 * spread * (1 / Double(before.count) + 1 / Double(after.count)).squareRoot()
    // Delays displace some rows of a line, but not the earliest one.
    return min(high - low, later - middle) > max(0.5 * period, 5 * error) ? later - middle : 0
  }

  private static func median(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : values.sorted()[values.count / 2]
  }
}

/// A file's longest spacings, in no particular order.
struct LongestGaps: Sendable {
  static let most = 256
  private(set) var list: [AuditedTimes.Gap] = []
  /// The shortest of the spacings once the list is full.
  private var entry = Int64.min

  mutating func add(_ gap: AuditedTimes.Gap) {
    guard gap.length > entry else { return }
    if list.count < Self.most {
      list.append(gap)
    } else if let place = list.indices.min(by: { list[$0].length < list[$1].length }) {
      list[place] = gap
    }
    if list.count == Self.most { entry = list.lazy.map(\.length).min() ?? entry }
  }
}

/// The places of all gaps in a file.
public struct GapPlaces: Hashable, Sendable {
  /// The period of which the spacings are multiples, in microseconds.
  var period: Int64?
  /// Number of missing rows before each row, if the spacings are not multiples of a period.
  var missing: [Int: Int] = [:]

  /// Rows are counted from 1. `spacing` is the time since the previous row in microseconds.
  public func missing(before row: Int, spacing: Int64) -> Int {
    guard let period else { return missing[row] ?? 0 }
    return 2 * spacing > 3 * period
      ? Int((Double(spacing) / Double(period)).rounded()) - 1 : 0
  }
}
