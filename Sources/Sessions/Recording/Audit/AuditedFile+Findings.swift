internal import Values

extension AuditedFile {
  /// The sensor, or the name of the file if the sensor is unknown.
  public var subject: String { sensor ?? name.stem }

  /// The findings that this file alone shows.
  var findings: [AuditFinding] {
    if let problem { return [finding(.unreadable, Self.text(problem))] }
    var found: [AuditFinding] = []
    func add(_ kind: AuditFinding.Kind, _ text: String?) {
      if let text { found.append(finding(kind, text)) }
    }
    func add(_ kind: AuditFinding.Kind, _ count: Int, _ text: String, of noun: String = "row") {
      if count > 0 { add(kind, "\(AuditText.count(count, noun)) \(text)") }
    }
    add(.cutOff, cut)
    add(
      .damagedLines, damaged, "not understood, the first one is line \(firstDamaged ?? 0)",
      of: "line")
    add(.damagedLines, signals.incomplete, "without all values")
    add(
      .joinedFiles,
      headings == 0 ? nil : "the heading occurs \(headings + 1) times: files were joined")
    add(.twoEpochs, epochs)
    add(.computedTimes, computed)
    if times.origin == .arrival {
      add(
        .arrivalTimes,
        "\(AuditText.count(times.repeated, "row")) with the time of the row before: the times are "
          + "those of packets, not of samples")
    } else {
      add(.duplicateRows, times.repeated, "with the time of the row before")
    }
    add(
      .backwardTimes,
      times.backward == 0 ? nil : "the time goes back at \(AuditText.count(times.backward, "row"))")
    add(.duplicateRows, signals.duplicates, "equal to the row before, with the same time")
    add(.gaps, gaps)
    add(.otherRate, otherRate)
    add(
      .elapsedTime,
      elapsedFaults == 0
        ? nil : "the elapsed time contradicts the time in \(AuditText.count(elapsedFaults, "row"))")
    add(.clipped, clipped)
    add(.constant, constant)
    add(.notWorn, rest)
    add(.decimalComma, comma)
    add(.otherOffset, offset)
    return found
  }

  private func finding(_ kind: AuditFinding.Kind, _ text: String) -> AuditFinding {
    AuditFinding(kind, subject, text)
  }

  private static func text(_ problem: Problem) -> String {
    switch problem {
    case .empty: "the file is empty"
    case .binary: "the file is not text"
    case .heading: "the first line does not name a column with times and a column with a signal"
    case .noRows: "the file contains no valid row"
    }
  }

  private var cut: String? {
    if isCutInside { return "the compressed file is truncated; the rows before that were judged" }
    return isCut ? "the last line is truncated" : nil
  }

  private var epochs: String? {
    guard let jump = times.jumps.first else { return nil }
    let others =
      times.jumpCount > 1 ? ", and at \(AuditText.count(times.jumpCount - 1, "other row"))" : ""
    let direction = jump.length < 0 ? "back" : "forward"
    return "the time jumps \(direction) by \(AuditText.duration(jump.length.magnitude)) at row "
      + "\(jump.row)\(others): another epoch begins there"
  }

  private var computed: String? {
    guard times.origin.isComputed, let median = times.median else { return nil }
    let period = AuditText.milliseconds(median)
    let pattern =
      switch times.origin {
      case .computed: "all rows are exactly \(period) apart"
      case .counted: "all spacings are whole multiples of \(period)"
      default: "all rows are evenly spaced, apart from rounding"
      }
    return "\(pattern): the times were computed, not measured (\(sureness))"
  }

  /// The certainty that computed times were not measured, in words.
  private var sureness: String {
    let percent = 100 * times.chance
    return percent < 1
      ? "certain: chance below 1 %" : "likely: chance \(NumberText.fixed(percent, decimals: 0)) %"
  }

  private var gaps: String? {
    guard times.gapCount > 0, let longest = times.gaps.max(by: { $0.length < $1.length }) else {
      return nil
    }
    let place = AuditText.seconds(longest.time.subtractingReportingOverflow(times.first ?? 0).0)
    return
      "\(AuditText.count(times.gapCount, "gap")) with about \(AuditText.count(times.missing, "missing row")), the "
      + "longest of \(AuditText.duration(longest.length.magnitude)) after \(place) (row "
      + "\(longest.row))"
  }

  /// The deviation of the rate by the times from the set rate, in which gaps count as time.
  private var otherRate: String? {
    guard let nominal, let hertz = times.hertz, !isAtNominalRate else { return nil }
    let gaps = times.gapCount > 0 ? " with the gaps" : ""
    return "\(AuditText.hertz(hertz)) by the times\(gaps), but \(AuditText.hertz(nominal)) was set"
  }

  /// Whether the rate by the times is the set one, within the tolerance of a sensor's clock. True
  /// if there are too few rows to judge.
  public var isAtNominalRate: Bool {
    guard let nominal, let hertz = times.hertz, rows > 10 else { return true }
    return abs(hertz / nominal - 1) <= 0.01
  }

  private var clipped: String? {
    guard signals.clipped > 1, let range = signals.range else { return nil }
    return "\(AuditText.count(signals.clipped, "row")) at the limit of ±\(NumberText.plain(range)) "
      + "\(signals.kind == .acceleration ? "g" : "°/s") (range inferred): the signal was clipped"
  }

  /// A sensor's noise changes its values several times a second, so a long run is a stuck sensor or
  /// a filled gap.
  private var constant: String? {
    let (row, rows) = signals.constant
    guard rows >= 50, columns.count > 1 else { return nil }
    return
      "\(AuditText.count(rows, "row")) with identical values from row \(row): the sensor was stuck, or "
      + "a gap was filled"
  }

  private var rest: String? {
    guard let first = signals.rests.first else { return nil }
    let seconds = NumberText.fixed(signals.restSeconds, decimals: 0)
    return "nothing moves for \(seconds) s, first from row \(first.row): probably not worn"
  }

  private var comma: String? {
    guard hasDecimalComma || hasSplitNumbers else { return nil }
    return hasSplitNumbers
      ? "the decimal comma is also the separator; the numbers were joined again"
      : "numbers have a decimal comma, and '\(separator)' separates the columns"
  }

  private var offset: String? {
    guard let found = offsetMinutes, let stated = statedOffsetMinutes, found != stated else {
      return nil
    }
    return "the local time is \(AuditText.offset(found)) from UTC, but the heading states "
      + AuditText.offset(stated)
  }
}

/// Formats the quantities of a judgement.
enum AuditText {
  static func count(_ count: Int, _ noun: String) -> String {
    NumberText.grouped(UInt64(count.magnitude)) + " \(noun)" + (count == 1 ? "" : "s")
  }

  static func milliseconds(_ time: Int64) -> String {
    let decimals = time % 1_000 == 0 ? 0 : 3
    return NumberText.fixed(Double(time) / 1e3, decimals: decimals) + " ms"
  }

  static func seconds(_ time: Int64) -> String {
    NumberText.fixed(Double(time) / 1e6, decimals: 2) + " s"
  }

  /// Formats a duration in microseconds in a unit that fits.
  static func duration(_ time: UInt64) -> String {
    switch time {
    case ..<1_000_000: milliseconds(Int64(time))
    case ..<600_000_000: seconds(Int64(time))
    default: DurationText.short(Double(time) / 1e6)
    }
  }

  static func hertz(_ hertz: Double) -> String {
    let exact = NumberText.plain(hertz)
    return (exact.utf8.count <= 6 ? exact : NumberText.fixed(hertz, decimals: 2)) + " Hz"
  }

  static func offset(_ minutes: Int) -> String {
    let (hours, rest) = minutes.magnitude.quotientAndRemainder(dividingBy: 60)
    return (minutes < 0 ? "-" : "+") + (hours < 10 ? "0" : "") + "\(hours):"
      + (rest < 10 ? "0" : "") + "\(rest)"
  }
}
