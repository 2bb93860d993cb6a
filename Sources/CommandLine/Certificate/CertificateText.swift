internal import Export
internal import Gateway
internal import Recording
internal import Terminal
internal import Values

/// A certificate's rows as text, for a terminal and for the page to print.
struct CertificateText {
  let report: CertificateReport
  private let names: [BoardAddress: String]

  init(_ report: CertificateReport) {
    self.report = report
    names = SessionBoards(report.certificate.boards.map(\.identity)).names
  }

  private var certificate: Certificate { report.certificate }

  /// Facts about the whole session, as titles and values.
  var facts: [(String, String)] {
    let session = certificate.session
    let utc = certificate.clock.table.utc(at: session.start)
    var facts = [
      ("Session", "\(session.id)"),
      ("Begun", utc?.iso8601(decimals: 0) ?? "not dated"),
      ("Length", DurationText.clock(certificate.end.seconds(since: session.start))),
      ("Ended", session.ending?.name ?? "not ended: more samples may follow"),
    ]
    if let participant = session.participant { facts.append(("Participant", participant.id)) }
    if !certificate.tasks.isEmpty {
      let tasks = certificate.tasks.map { $0.task + ($0.repetition > 1 ? "/\($0.repetition)" : "") }
      facts.append(("Tasks", tasks.joined(separator: ", ")))
    }
    facts += [
      ("Samples", NumberText.grouped(certificate.samples)), ("Lost", lost),
      ("Date", date), ("Sample times", sampleTimes), ("Position", position),
      ("Chunks", chunks),
    ]
    if let part = certificate.partText { facts.append(("Covers", part)) }
    return facts
  }

  private var lost: String {
    guard let share = certificate.lostShareText else { return "0" }
    let count = "\(NumberText.grouped(certificate.lost)) (\(share)"
    guard certificate.elsewhere.chunks == 0 else {
      return count + "), including losses among the samples elsewhere"
        + (certificate.hasUnknownLosses ? ", or more" : "")
    }
    let estimated = certificate.lostEstimated
    let isCertain = certificate.streams.allSatisfy { $0.lossCertainty != .estimated }
    return count
      + (estimated > 0
        ? ", \(NumberText.grouped(estimated)) of them estimated)"
        : isCertain ? ", all counted)" : ", estimated)")
      + (certificate.hasUnknownLosses ? " or more" : "")
  }

  private var date: String {
    let clock = certificate.clock
    guard clock.table.source != nil else { return "unknown" }
    return "by \(clock.table.sourceName), "
      + (clock.uncertaintyText ?? "error unknown")
      + (clock.table.disagreement.map { "; \($0)" } ?? "")
  }

  private var sampleTimes: String {
    certificate.sampleUncertainty.map {
      "± \(CertificateMethods.milliseconds($0)) (95 %) and a constant radio delay"
    }
      ?? "uncertainty unknown: "
      + (certificate.elsewhere.chunks > 0
        ? "some chunks are not available here" : "fewer than three chunks")
  }

  private var position: String {
    guard certificate.track.fixes > 0 else { return "none" }
    guard let share = certificate.positionShareText else { return "unknown" }
    return share
      + (certificate.positionError(0.5).map {
        ", error (95 %) \(NumberText.fixed($0, decimals: 1)) m at the median"
      } ?? "")
      + (certificate.positionError(0.95).map {
        ", \(NumberText.fixed($0, decimals: 1)) m at the 95th percentile; "
          + certificate.track.basisText
      } ?? "")
  }

  private var chunks: String {
    let read = certificate.streams.reduce(0) { $0 + $1.content.chunks }
    let elsewhere = certificate.elsewhere.chunks
    let missing =
      certificate.streams.reduce(0) { $0 + $1.missing.reduce(0) { $0 + $1.count } } - elsewhere
    let unlike = certificate.streams.reduce(0) { $0 + $1.disagreements.count }
    return "\(NumberText.grouped(read)) intact"
      + (elsewhere > 0 ? ", \(NumberText.grouped(elsewhere)) elsewhere" : "")
      + (missing > 0 ? ", \(NumberText.grouped(missing)) missing or damaged" : "")
      + (unlike > 0 ? ", \(NumberText.grouped(unlike)) contradicting the store's list" : "")
      + (certificate.track.missing > 0
        ? "; \(NumberText.grouped(certificate.track.missing)) fixes missing" : "")
  }

  static let boardTitles = ["board", "placement", "model", "firmware", "battery"]

  var boards: [[String]] {
    certificate.boards.map { board in
      [
        name(board.identity.address), text(board.placement), text(board.identity.model),
        text(board.firmware.joined(separator: ", then ")),
        board.battery.map {
          "\(NumberText.plain($0.first)) → \(NumberText.plain($0.last)) %"
        } ?? "–",
      ]
    }
  }

  static let streamTitles = [
    "board", "signal", "range", "Hz set", "Hz board", "Hz effective", "samples", "lost",
    "longest gap", "clipped",
  ]

  var streams: [[String]] {
    certificate.streams.map { quality in
      let form = quality.stream.description
      return [
        name(quality.stream.board.address), form.signal, text(form.rangeText ?? ""),
        CertificateMethods.hertz(form.rate), hertz(quality.boardRate), hertz(quality.effectiveRate),
        NumberText.grouped(quality.samples),
        SessionText.lost(
          quality.lostCount,
          isEstimate: quality.elsewhere.chunks == 0 && quality.lossCertainty == .estimated),
        quality.longestGap.map {
          "\(NumberText.fixed($0.seconds, decimals: 2)) s, \($0.reason)"
        } ?? (quality.elsewhere.chunks > 0 || quality.samples == 0 ? "unknown" : "none"),
        quality.clipped.map { NumberText.grouped($0) } ?? "–",
      ]
    }
  }

  /// Losses by reason, with one line for each stream that has losses.
  var losses: [String] {
    certificate.streams.compactMap { quality in
      var parts = LossReason.allCases.compactMap { reason -> String? in
        guard let loss = quality.lost[reason], loss.counted > 0 || loss.estimated > 0 else {
          return nil
        }
        let counts = [(loss.counted, ""), (loss.estimated, "~")].filter { $0.0 > 0 }
        return counts.map { "\($0.1)\(NumberText.grouped($0.0))" }.joined(separator: " + ")
          + " " + reason.name
      }
      if quality.lostWithChunks > 0 {
        parts.append("~\(NumberText.grouped(quality.lostWithChunks)) in unavailable chunks")
      }
      if quality.elsewhere.lost > 0 {
        parts.append("\(NumberText.grouped(quality.elsewhere.lost)) in chunks elsewhere")
      }
      let missing = quality.missing.map(\.description)
      let all = parts + missing.prefix(3) + quality.unlikeChunks.prefix(3)
      return all.isEmpty ? nil : "\(title(quality)): \(all.joined(separator: ", "))"
    }
  }

  /// The calibration, the gyroscope bias and the time not worn, for each stream that has any of
  /// these figures.
  var calibrations: [String] {
    certificate.streams.flatMap { quality -> [String] in
      var lines: [String] = []
      if let orientations = quality.orientations {
        let found = orientations.calibration.map { found in
          "offset \(vector(found.offset * 1_000, 1)) ± "
            + "\(NumberText.fixed(found.offsetError.max() * 1_000, decimals: 1)) mg, scale "
            + "\(vector(found.scale, 4)) ± \(NumberText.fixed(found.scaleError.max(), decimals: 4))"
        }
        lines.append(
          "\(title(quality)): "
            + (found ?? "not enough orientations for a calibration (\(orientations.count) of 96)"))
      }
      if let meter = quality.notWorn {
        lines.append(
          "\(title(quality)): time not worn "
            + (meter.seconds.map { DurationText.short($0) }
              ?? "unknown, because no half hour was recorded without a gap"))
      }
      if let meter = quality.gyroscopeBias {
        lines.append(
          "\(title(quality)): "
            + (meter.bias.map {
              "bias \(vector($0, 3)) deg/s in \(NumberText.grouped(meter.windows)) windows"
            } ?? "bias unknown, because the board was never at rest"))
      }
      return lines
    }
  }

  var hashes: [(String, String)] {
    [
      ("recording", certificate.recordingHash), ("track", certificate.track.hash),
      ("description", certificate.descriptionHash), ("certificate", report.hash),
    ]
  }

  func lines(within width: Int) -> [String] {
    var head = TextTable([.init(), .init()])
    for (title, value) in facts { head.append([title.lowercased(), value]) }
    var boards = TextTable(Self.boardTitles.map { .init($0) })
    self.boards.forEach { boards.append($0) }
    var streams = TextTable(
      Self.streamTitles.enumerated().map { .init($1, $0 < 3 ? .left : .right) })
    self.streams.forEach { streams.append($0) }
    var hashes = TextTable([.init("hash"), .init("BLAKE2b")])
    for (title, value) in self.hashes { hashes.append([title, value]) }
    func folded(_ lines: [String]) -> [String] {
      lines.flatMap { TerminalText.folded(TerminalText.harmless($0), to: width) }
    }
    let parts = [
      head.lines(within: width), boards.lines(within: width),
      streams.lines(within: width, keys: 2), folded(losses), folded(calibrations),
      hashes.lines(within: width), folded([methods]),
    ]
    return Array(parts.filter { !$0.isEmpty }.joined(separator: [""]))
  }

  /// The methods paragraph, or the reason why there is none.
  var methods: String {
    CertificateMethods(certificate: certificate).text
      ?? "No methods paragraph: \(certificate.partText ?? "")."
  }

  private func title(_ quality: StreamQuality) -> String {
    "\(name(quality.stream.board.address)) \(quality.stream.description.signal)"
  }

  private func name(_ board: BoardAddress) -> String { names[board] ?? "\(board)" }

  private func text(_ text: String) -> String { text.isEmpty ? "–" : text }

  private func hertz(_ rate: Double?) -> String {
    rate.map { NumberText.fixed($0, decimals: 3) } ?? "unknown"
  }

  private func vector(_ vector: SIMD3<Double>, _ decimals: Int) -> String {
    [vector.x, vector.y, vector.z].map { NumberText.fixed($0, decimals: decimals) }
      .joined(separator: " ")
  }
}
