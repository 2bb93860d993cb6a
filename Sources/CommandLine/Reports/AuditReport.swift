internal import Recording
internal import Terminal
internal import Values

/// Formats the judgement of recordings made by other programs.
enum AuditReport {
  /// Returns the judgement in words: a table and the findings for each recording.
  static func lines(_ recordings: [AuditedRecording], within width: Int) -> [String] {
    var lines: [String] = []
    for recording in recordings {
      lines += [TerminalText.harmless(recording.name), ""]
      lines += table(recording).lines(within: width) + [""]
      lines += findings(recording)
      lines += [recording.isSound ? "Sound." : "Not sound.", ""]
    }
    let sound = recordings.count(where: \.isSound)
    return lines + ["\(sound) of \(recordings.count) recordings sound"]
  }

  /// Returns a line for each finding. Sensors with the same finding share a line.
  private static func findings(_ recording: AuditedRecording) -> [String] {
    var lines: [(text: String, mark: String, subjects: [String])] = []
    for finding in recording.findings {
      let mark = finding.kind.isFault ? "!" : "-"
      if let subject = finding.subject,
        let place = lines.firstIndex(where: { $0.text == finding.text && $0.mark == mark })
      {
        lines[place].subjects.append(subject)
      } else {
        lines.append((finding.text, mark, finding.subject.map { [$0] } ?? []))
      }
    }
    return lines.map { line in
      let subjects = line.subjects.joined(separator: ", ")
      return TerminalText.harmless(
        line.mark + " " + (subjects.isEmpty ? "" : subjects + ": ") + line.text)
    }
  }

  private static func table(_ recording: AuditedRecording) -> TextTable {
    var table = TextTable([
      .init("sensor"), .init("rows", .right), .init("duration", .right), .init("set rate", .right),
      .init("by times", .right), .init("true rate", .right), .init("times"), .init("gaps", .right),
      .init("missing", .right), .init("hidden loss", .right), .init("clipped", .right),
    ])
    for (place, file) in recording.files.enumerated() where file.problem == nil {
      let (times, rate) = (file.times, recording.rates[place])
      table.append([
        recording.labels[place], NumberText.grouped(UInt64(file.rows)),
        NumberText.fixed(Double(times.span) / 1e6, decimals: 2) + " s",
        file.name.hertz.map { hertz($0) } ?? "unknown", times.hertz.map { hertz($0) } ?? "unknown",
        rate.map { $0.text + " Hz" } ?? "unknown",
        times.origin.rawValue, String(times.gapCount), String(times.missing),
        recording.hiddenLoss(of: place).map { String($0) } ?? "unknown",
        file.signals.range == nil ? "unknown" : String(file.signals.clipped),
      ])
    }
    return table
  }

  private static func hertz(_ value: Double) -> String {
    NumberText.plain((value * 100).rounded() / 100) + " Hz"
  }

  /// Returns the judgement as JSON. A fact that cannot be known is null.
  static func json(_ recordings: [AuditedRecording]) -> JSONValue {
    [
      "sound": .bool(recordings.allSatisfy(\.isSound)),
      "recordings": .array(recordings.map { json($0) }),
    ]
  }

  private static func json(_ recording: AuditedRecording) -> JSONValue {
    let files = recording.files
    return [
      "name": .string(recording.name),
      "sound": .bool(recording.isSound),
      "files": .array(
        files.indices.map { json(files[$0], at: $0, in: recording) }),
      "comparisons": .array(
        recording.comparisons.map { comparison in
          [
            "first": .string(recording.labels[comparison.first]),
            "second": .string(recording.labels[comparison.second]),
            "rowDifference": comparison.rows.json,
            "startDifferenceMilliseconds": milliseconds(comparison.start),
            "endDifferenceMilliseconds": milliseconds(comparison.end),
          ]
        }),
      "hiddenLosses": .array(
        recording.losses.map { loss in
          [
            "file": .string(files[loss.file].path), "sensor": .string(recording.labels[loss.file]),
            "rows": loss.rows.json, "uncertainty": loss.uncertainty.json,
            "reference": .string(recording.labels[loss.reference]),
          ]
        }),
      "findings": .array(
        recording.findings.map { finding in
          [
            "kind": .string(finding.kind.rawValue), "fault": .bool(finding.kind.isFault),
            "subject": finding.subject.map { .string($0) } ?? .null,
            "text": .string(finding.text),
          ]
        }),
    ]
  }

  private static func json(
    _ file: AuditedFile, at place: Int, in recording: AuditedRecording
  ) -> JSONValue {
    let name = file.name
    var members: [JSONValue.Member] = [
      .init("file", .string(file.path)),
      .init("sensor", file.sensor.map { .string($0) } ?? .null),
      .init("board", name.board.map { .string($0.description) } ?? .null),
      .init("firmware", name.firmware.map { .string($0) } ?? .null),
      .init("problem", file.problem.map { .string($0.rawValue) } ?? .null),
    ]
    guard file.problem == nil else { return .object(members) }
    let times = file.times
    let signals = file.signals
    members += [
      .init("rows", file.rows.json),
      .init(
        "signals",
        .array(
          zip(file.columns, signals.extremes).map { column, extremes in
            [
              "name": .string(column.name), "unit": .string(column.unit),
              "least": .number(extremes.low), "greatest": .number(extremes.high),
            ]
          })),
      .init("separator", .string(file.separator)),
      .init("decimalComma", .bool(file.hasDecimalComma || file.hasSplitNumbers)),
      .init("offsetMinutes", file.offsetMinutes?.json ?? .null),
      .init("statedOffsetMinutes", file.statedOffsetMinutes?.json ?? .null),
      .init("firstMilliseconds", milliseconds(times.first)),
      .init("lastMilliseconds", milliseconds(times.last)),
      .init("seconds", .number(Double(times.span) / 1e6)),
      .init("nominalHertz", file.nominal.map { .number($0) } ?? .null),
      .init(
        "nominalFrom",
        name.hertz != nil ? "name" : file.nominal != nil ? "spacing" : .null),
      .init("hertzByTimes", times.hertz.json(decimals: 4)),
      .init(
        "trueHertz",
        recording.rates[place].map { rate in
          [
            "hertz": rate.hertz.json(decimals: 4),
            "uncertainty": rate.uncertainty.json(decimals: 4),
            "clock": .string(recording.labels[rate.reference]),
          ]
        } ?? .null),
    ]
    members += times.members
    members.append(.init("hiddenLoss", recording.hiddenLoss(of: place)?.json ?? .null))
    members += [
      .init("duplicateRows", signals.duplicates.json),
      .init("damagedLines", file.damaged.json),
      .init("incompleteRows", signals.incomplete.json),
      .init("furtherHeadings", file.headings.json),
      .init("truncated", .bool(file.isCut || file.isCutInside)),
      .init("elapsedContradictions", file.elapsedFaults.json),
      .init("smallestRange", signals.range.map { .number($0) } ?? .null),
      .init(
        "inferredRange",
        signals.clipped > 1 ? signals.range.map { .number($0) } ?? .null : .null),
      .init("clippedRows", signals.range == nil ? .null : signals.clipped.json),
      .init("longestConstantRows", signals.constant.rows.json),
      .init(
        "restSeconds", signals.kind == .other ? .null : signals.restSeconds.json(decimals: 1)),
    ]
    return .object(members)
  }

  fileprivate static func milliseconds(_ time: Int64?) -> JSONValue {
    time.map { .number(Double($0) / 1e3) } ?? .null
  }
}

extension AuditedTimes {
  fileprivate var members: [JSONValue.Member] {
    [
      .init("times", .string(origin.rawValue)),
      .init("timesComputed", origin == .unknown ? .null : .bool(origin.isComputed)),
      .init("chanceOfMeasuredTimes", origin.isComputed ? .number(chance) : .null),
      .init("exactlyRegular", .bool(isRegular)),
      .init("medianSpacingMilliseconds", AuditReport.milliseconds(median)),
      .init("largestGapMilliseconds", AuditReport.milliseconds(largestGap)),
      .init(
        "spacings",
        .array(
          spacings.prefix(12).map { spacing in
            ["milliseconds": .number(Double(spacing.length) / 1e3), "rows": spacing.rows.json]
          })),
      .init("distinctSpacings", spacings.count.json),
      .init("gaps", gapCount.json),
      .init("missingInGaps", missing.json),
      .init(
        "longestGaps",
        .array(
          gaps.map { gap in
            [
              "row": gap.row.json,
              "afterSeconds": .number(Double(gap.time - (first ?? 0)) / 1e6),
              "milliseconds": .number(Double(gap.length) / 1e3),
            ]
          })),
      .init("repeatedTimes", repeated.json),
      .init("backwardTimes", backward.json),
      .init("epochChanges", jumpCount.json),
    ]
  }
}
