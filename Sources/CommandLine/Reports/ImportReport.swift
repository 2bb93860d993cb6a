internal import Recording
internal import Terminal
internal import Values

/// The result of importing one recording.
struct ImportReport {
  let recording: ImportedRecording
  /// Whether the store already contained the session.
  var wasThere = false
  /// The imported streams, each in its state after the last row.
  var streams: [ImportedSamples] = []

  /// Whether every file is whole, and every row became a sample or a counted loss.
  var isComplete: Bool { recording.refusals.isEmpty && damage.isEmpty }

  /// The damage to the imported files. The counts may not include all of it.
  private var damage: [String] {
    guard !streams.isEmpty else { return [] }
    return recording.recording.findings.filter {
      [.cutOff, .damagedLines, .joinedFiles].contains($0.kind)
    }.map { "! \($0.subject ?? ""): \($0.text)" }
  }

  func lines(within width: Int) -> [String] {
    var lines = [TerminalText.harmless(recording.recording.name)]
    if !streams.isEmpty {
      lines.append(
        (wasThere ? "already imported as session " : "imported as session ")
          + String("\(recording.session.id)".prefix(8))
          + (recording.clock.isEmpty ? ", date unknown" : ""))
      var table = TextTable([
        .init("board"), .init("signal"), .init("samples", .right), .init("lost", .right),
        .init("malformed", .right), .init("repeated", .right), .init("times within", .right),
      ])
      for stream in streams {
        let counts = stream.counts
        table.append([
          "\(stream.board.address)",
          TerminalText.harmless(stream.stream.description.signal),
          Self.count(counts.samples), Self.count(counts.missing), Self.count(counts.malformed),
          Self.count(counts.repeated),
          NumberText.fixed(counts.deviation / 1e3, decimals: 3) + " ms",
        ])
      }
      lines += table.lines(within: width)
    }
    lines += damage.map(TerminalText.harmless)
    for refusal in recording.refusals {
      lines.append(TerminalText.harmless("! \(refusal.path) was not imported: \(refusal.reason)"))
    }
    return lines + [""]
  }

  private static func count(_ count: Int) -> String { NumberText.grouped(UInt64(count)) }

  var json: JSONValue {
    [
      "name": recording.recording.name.json,
      "session": streams.isEmpty ? .null : "\(recording.session.id)".json,
      "alreadyImported": wasThere.json,
      "start": (recording.clock.first?.utc.iso8601()).json,
      "streams": .array(
        streams.map { stream in
          let counts = stream.counts
          return [
            "board": "\(stream.board.address)".json,
            "signal": stream.stream.description.signal.json,
            "unit": stream.stream.description.unit.json,
            "rate": stream.stream.description.rate.json, "samples": counts.samples.json,
            "lost": counts.missing.json, "malformed": counts.malformed.json,
            "repeatedRows": counts.repeated.json,
            "timeDeviationMilliseconds": (counts.deviation / 1e3).json,
          ]
        }),
      "damage": damage.json,
      "refused": .array(
        recording.refusals.map { ["file": $0.path.json, "reason": $0.reason.json] }),
    ]
  }
}
