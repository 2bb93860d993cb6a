internal import Values

extension AuditedFile {
  public var subject: String { sensor ?? name.stem }

  /// The findings that are based on this file alone.
  var findings: [AuditFinding] {
    if let problem { return [AuditFinding(.unreadable, subject, text(problem))] }
    var found: [AuditFinding] = []
    func add(_ kind: AuditFinding.Kind, _ text: String?) {
      if let text { found.append(AuditFinding(kind, subject, text)) }
    }
    func add(_ kind: AuditFinding.Kind, _ count: Int, _ text: String, of noun: String = "row") {
      if count > 0 { add(kind, "\(NumberText.count(count, noun)) \(text)") }
    }
    if isDamagedInside {
      add(.cutOff, "the compressed file is damaged; the rows before the damage were judged")
    } else if isCutInside {
      add(.cutOff, "the compressed file is truncated; the rows before that were judged")
    } else if isCut {
      add(.cutOff, "the last line is truncated")
    }
    add(
      .damagedLines, damaged, "not understood, the first one is line \(firstDamaged ?? 0)",
      of: "line")
    add(.damagedLines, signals.incomplete, "without all values")
    if headings > 0 {
      add(.joinedFiles, "the heading occurs \(headings + 1) times: files were joined")
    }
    add(.twoEpochs, epochs)
    add(times.origin.isComputed ? .computedTimes : .evenTimes, computed)
    if times.origin == .arrival {
      add(
        .arrivalTimes,
        "\(NumberText.count(times.repeated, "row")) with the same time as the previous row: the "
          + "times are those of packets, not of samples")
    } else if times.median ?? .max > 2 * times.resolution {
      // At a higher rate, rows share a time because times are rounded.
      add(
        .duplicateRows, times.repeated - times.duplicates,
        "with the same time as the previous row, but different values")
    }
    if times.isReversed {
      add(.backwardTimes, "the rows are in reverse order")
    } else if times.backward > 0 {
      add(.backwardTimes, "the time goes back at \(NumberText.count(times.backward, "row"))")
    }
    add(.duplicateRows, signals.duplicates, "equal to the previous row, with the same time")
    add(.gaps, gaps)
    add(name.hertz == nil ? .assumedRate : .otherRate, otherRate)
    add(.unknown, unexplained)
    if times.hidesSingleRows {
      add(.unknown, "the times vary so much that gaps of single rows cannot be found")
    }
    if rows < 3 {
      add(.tooShort, "\(NumberText.count(rows, "row")): too short to judge the times")
    }
    if elapsedFaults > 0 {
      let rows = NumberText.count(elapsedFaults, "row")
      add(.elapsedTime, "the elapsed time contradicts the time in \(rows)")
    }
    if signals.clipped > 1, let range = signals.range {
      let (rows, limit) = (NumberText.count(signals.clipped, "row"), NumberText.plain(range))
      let unit = signals.kind == .acceleration ? "g" : "°/s"
      add(
        .clipped,
        "\(rows) at the limit of ±\(limit) \(unit) (range inferred): the signal was clipped")
    }
    // A sensor's noise changes its values several times a second.
    if signals.constant.rows >= 50, columns.count > 1 {
      add(
        .constant,
        "\(NumberText.count(signals.constant.rows, "row")) with identical values from row "
          + "\(signals.constant.row): the sensor was stuck, or a gap was filled")
    }
    if let first = signals.rests.first {
      let seconds = NumberText.fixed(signals.restSeconds, decimals: 0)
      add(
        .notWorn, "nothing moves for \(seconds) s, first from row \(first.row): probably not worn")
    }
    if hasSplitNumbers {
      add(
        .decimalComma, "the decimal comma is also the separator; their parts were joined")
    } else if hasDecimalComma {
      add(
        .decimalComma, "numbers have a decimal comma, and '\(separator)' separates the columns")
    }
    if let found = offsetMinutes, let stated = statedOffsetMinutes, found != stated {
      add(
        .otherOffset,
        "the local time is \(AuditText.offset(found)) from UTC, but the heading states "
          + AuditText.offset(stated))
    }
    return found
  }

  private func text(_ problem: Problem) -> String {
    let columns = "the columns are " + headingNames.prefix(12).joined(separator: ", ")
    return switch problem {
    case .empty: "the file is empty"
    case .binary: "the file is not text"
    case .heading:
      "the first line does not name a column with times and a column with a signal: \(columns)"
    case .noRows where damaged == 0: "the file contains no row"
    case .noRows:
      "the file contains no valid row: no column contains both times and a known unit of them, or "
        + "the rows do not fit the heading; \(columns)"
    case .mixed:
      "the file contains several signals, each with its own times: export them one by one"
    }
  }

  private var epochs: String? {
    guard let jump = times.jumps.first else { return nil }
    let others =
      times.jumpCount > 1 ? ", and at \(NumberText.count(times.jumpCount - 1, "other row"))" : ""
    let direction = jump.length < 0 ? "back" : "forward"
    return "the time jumps \(direction) by \(AuditText.duration(jump.length.magnitude)) at row "
      + "\(jump.row)\(others): another epoch begins there"
  }

  private var computed: String? {
    guard times.origin.mayBeComputed, let median = times.period ?? times.median else { return nil }
    if times.origin == .rounded {
      return "all rows are evenly spaced, apart from rounding: the times were computed, or "
        + "measured with less jitter than the file can express"
    }
    let period = AuditText.milliseconds(median)
    let pattern =
      times.origin == .computed
      ? "all rows are exactly \(period) apart" : "all spacings are whole multiples of \(period)"
    let percent = 100 * times.chance
    let certainty =
      percent < 1
      ? "certain: chance below 1 %" : "likely: chance \(NumberText.fixed(percent, decimals: 0)) %"
    return "\(pattern): the times were computed, not measured (\(certainty))"
  }

  private var gaps: String? {
    guard times.gapCount > 0, !times.isTicking,
      let longest = times.gaps.max(by: { $0.length < $1.length })
    else { return nil }
    let time = longest.time.subtractingReportingOverflow(times.first ?? 0).0
    let place = "after \(AuditText.seconds(time)) (row \(longest.row))"
    let length = AuditText.duration(longest.length.magnitude)
    // If losses are frequent, the usual spacing is not the sensor's period.
    guard explainsRate || times.period != nil else {
      return "gaps, of which the longest takes \(length) \(place); the number of missing rows is "
        + "unknown"
    }
    return "\(NumberText.count(times.gapCount, "gap")) with about "
      + "\(NumberText.count(times.missing, "missing row")), the longest of \(length) \(place)"
  }

  /// The difference between the set rate and the rate that the times show, including gaps.
  private var otherRate: String? {
    guard let nominal, let hertz = times.hertz, !isAtNominalRate else { return nil }
    let gaps = times.gapCount > 0 ? " with the gaps" : ""
    let rate = "\(AuditText.hertz(hertz)) by the times\(gaps)"
    return name.hertz == nil
      ? "\(rate); the nearest standard rate is \(AuditText.hertz(nominal)), but no name states the "
        + "set rate"
      : "\(rate), but \(AuditText.hertz(nominal)) was set"
  }

  /// The possible explanations if the rate between gaps differs from the set rate.
  var unexplained: String? {
    if times.isTicking, let median = times.median {
      return "at regular intervals, a row is \(AuditText.milliseconds(2 * median)) after the "
        + "previous row: either a row is missing there, or the times are rounded to "
        + "\(AuditText.milliseconds(median)); losses and the true rate are unknown"
    }
    guard !explainsRate, let hertz = times.hertzBetweenGaps else { return nil }
    let start =
      "losses and the true rate are unknown: \(AuditText.hertz(hertz)) between gaps"
    guard let nominal else {
      return "\(start) is not a standard rate, and no name states the set rate"
    }
    let expected = "the \(name.hertz == nil ? "assumed" : "set") \(AuditText.hertz(nominal))"
    return hertz < nominal
      ? "\(start) means that rows are missing, or that the sensor ran slower than \(expected)"
      : "\(start) is more than \(expected)"
  }

  /// Whether the times agree with the set rate, within the tolerance of a sensor's clock. True if
  /// there are too few rows to judge.
  public var isAtNominalRate: Bool {
    guard let nominal, let hertz = times.hertz, rows > 10 else { return true }
    return abs(hertz / nominal - 1) <= 0.01
  }
}

/// Formats the quantities in findings.
enum AuditText {
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
