internal import Recording
internal import Terminal
internal import Values

/// Formats the assessment of recordings made by other programs.
enum AuditReport {
  /// Returns the results as text: a table and the findings for each recording.
  static func lines(_ recordings: [AuditedRecording], within width: Int) -> [String] {
    var lines: [String] = []
    for recording in recordings {
      lines += [TerminalText.harmless(recording.name), ""]
      lines += table(recording).lines(within: width) + [""]
      lines += findings(recording)
      lines += [verdict(recording), ""]
    }
    let sound = recordings.count { $0.isSound && !$0.isTooShort }
    return lines + ["\(sound) of \(recordings.count) recordings are sound"]
  }

  private static func verdict(_ recording: AuditedRecording) -> String {
    guard recording.isSound else { return "Not sound." }
    return recording.isTooShort ? "Too short to judge." : "Sound."
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
      .init("mean rate", .right), .init("true rate", .right), .init("times"), .init("gaps", .right),
      .init("missing", .right), .init("hidden loss", .right), .init("clipped", .right),
    ])
    for (place, file) in recording.files.enumerated() where file.problem == nil {
      let (times, rate) = (file.times, recording.rates[place])
      table.append([
        recording.labels[place], NumberText.grouped(file.rows),
        NumberText.fixed(Double(times.span) / 1e6, decimals: 2) + " s",
        file.name.hertz.map { hertz($0) } ?? "unknown", times.hertz.map { hertz($0) } ?? "unknown",
        rate.map { $0.text + " Hz" } ?? "unknown",
        times.origin.rawValue, file.explainsRate ? String(times.gapCount) : "unknown",
        file.explainsRate ? String(times.missing) : "unknown",
        recording.hiddenLoss(of: place).map { $0 == 0 ? "none found" : String($0) } ?? "unknown",
        file.signals.range == nil ? "unknown" : String(file.signals.clipped),
      ])
    }
    return table
  }

  private static func hertz(_ value: Double) -> String {
    NumberText.plain((value * 100).rounded() / 100) + " Hz"
  }

  /// Returns the results as JSON. A fact that cannot be determined is null.
  static func json(_ recordings: [AuditedRecording]) -> JSONValue {
    [
      "sound": recordings.allSatisfy(\.isSound).json,
      "recordings": .array(recordings.map { json($0) }),
    ]
  }

  private static func json(_ recording: AuditedRecording) -> JSONValue {
    let (files, labels) = (recording.files, recording.labels)
    let sound: JSONValue =
      recording.isSound && recording.isTooShort ? .null : recording.isSound.json
    return [
      "name": recording.name.json, "sound": sound,
      "files": .array(files.indices.map { json(files[$0], at: $0, in: recording) }),
      "comparisons": .array(
        recording.comparisons.map { comparison in
          [
            "first": labels[comparison.first].json, "second": labels[comparison.second].json,
            "rowDifference": comparison.rows.json,
            "startDifferenceMilliseconds": milliseconds(comparison.start),
            "endDifferenceMilliseconds": milliseconds(comparison.end),
          ]
        }),
      "hiddenLosses": .array(
        recording.losses.map { loss in
          [
            "file": files[loss.file].path.json, "sensor": labels[loss.file].json,
            "rows": loss.rows.json, "uncertainty": loss.uncertainty.json,
            "reference": labels[loss.reference].json,
          ]
        }),
      "findings": .array(
        recording.findings.map { finding in
          [
            "kind": finding.kind.rawValue.json, "fault": finding.kind.isFault.json,
            "subject": finding.subject.json, "text": finding.text.json,
          ]
        }),
    ]
  }

  private static func json(
    _ file: AuditedFile, at place: Int, in recording: AuditedRecording
  ) -> JSONValue {
    let name = file.name
    var members: [JSONValue.Member] = [
      .init("file", file.path), .init("sensor", file.sensor), .init("board", name.board),
      .init("firmware", name.firmware), .init("problem", file.problem?.rawValue),
    ]
    guard file.problem == nil else { return .object(members) }
    let times = file.times
    let signals = file.signals
    members += [
      .init("rows", file.rows),
      .init(
        "signals",
        .array(
          zip(file.columns, signals.extremes).map { column, extremes in
            [
              "name": column.name.json, "unit": column.unit.json, "least": extremes.low.json,
              "greatest": extremes.high.json,
            ]
          })),
      .init("separator", file.separator),
      .init("decimalComma", file.hasDecimalComma || file.hasSplitNumbers),
      .init("offsetMinutes", file.offsetMinutes),
      .init("statedOffsetMinutes", file.statedOffsetMinutes),
      .init("firstMilliseconds", milliseconds(times.first)),
      .init("lastMilliseconds", milliseconds(times.last)),
      .init("seconds", Double(times.span) / 1e6), .init("nominalHertz", file.nominal),
      .init("nominalFrom", name.hertz != nil ? "name" : file.nominal != nil ? "spacing" : nil),
      .init("hertzByTimes", times.hertz.json(decimals: 4)),
      .init(
        "trueHertz",
        recording.rates[place].map { rate in
          [
            "hertz": rate.hertz.json(decimals: 4),
            "uncertainty": rate.uncertainty.json(decimals: 4),
            "clock": recording.labels[rate.reference].json,
          ]
        } ?? .null),
    ]
    members += spacings(file)
    members += [
      // A comparison of row counts cannot detect a loss that is smaller than the rate's tolerance.
      .init(
        "hiddenLoss",
        recording.hiddenLoss(of: place).flatMap { $0 == 0 && times.origin.mayBeComputed ? nil : $0 }
      ),
      .init("duplicateRows", signals.duplicates), .init("damagedLines", file.damaged),
      .init("incompleteRows", signals.incomplete), .init("furtherHeadings", file.headings),
      .init("truncated", file.isCut || file.isCutInside),
      .init("damaged", file.isDamagedInside),
      .init("elapsedContradictions", file.elapsedFaults), .init("smallestRange", signals.range),
      .init("inferredRange", signals.clipped > 1 ? signals.range : nil),
      .init("clippedRows", signals.range == nil ? nil : signals.clipped),
      .init("longestConstantRows", signals.constant.rows),
      .init(
        "restSeconds", signals.kind == .other ? .null : signals.restSeconds.json(decimals: 1)),
    ]
    return .object(members)
  }

  private static func spacings(_ file: AuditedFile) -> [JSONValue.Member] {
    let (times, origin) = (file.times, file.times.origin)
    return [
      .init("times", origin.rawValue),
      .init("timesComputed", [.unknown, .rounded].contains(origin) ? nil : origin.isComputed),
      .init("chanceOfMeasuredTimes", origin.isComputed ? times.chance : nil),
      .init("exactlyRegular", times.isRegular),
      .init("medianSpacingMilliseconds", milliseconds(times.median)),
      .init("largestGapMilliseconds", milliseconds(times.largestGap)),
      .init(
        "spacings",
        .array(
          times.spacings.prefix(12).map { spacing in
            ["milliseconds": milliseconds(spacing.length), "rows": spacing.rows.json]
          })),
      .init("distinctSpacings", times.spacings.count),
      .init("gaps", file.explainsRate ? times.gapCount : nil),
      .init("missingInGaps", file.explainsRate ? times.missing : nil),
      .init(
        "longestGaps",
        .array(
          times.gaps.map { gap in
            [
              "row": gap.row.json,
              "afterSeconds": (Double(gap.time - (times.first ?? 0)) / 1e6).json,
              "milliseconds": milliseconds(gap.length),
            ]
          })),
      .init("repeatedTimes", times.repeated), .init("backwardTimes", times.backward),
      .init("epochChanges", times.jumpCount),
    ]
  }

  private static func milliseconds(_ time: Int64?) -> JSONValue {
    time.map { .number(Double($0) / 1e3) } ?? .null
  }
}
