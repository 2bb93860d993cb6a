internal import Export
internal import Gateway
internal import Recording
internal import Values

/// The paragraph about the recording for the methods section of a paper, ready to paste.
struct CertificateMethods {
  let certificate: Certificate

  static let citation =
    "The Footbridge authors. Footbridge (version \(Version.number)) [computer software]. "
    + "\(Version.date.prefix(4))."

  /// The paragraph; `nil` if some samples are unavailable, since the paragraph would then cover
  /// only part of the recording.
  var text: String? {
    guard certificate.elsewhere.chunks == 0 else { return nil }
    let sentences = [devices, signals, losses, certificate.isImported ? "" : times, positions]
      .filter { !$0.isEmpty }
    return sentences.joined(separator: " ") + " [\(Self.citation)]"
  }

  private var devices: String {
    guard !certificate.boards.isEmpty else {
      return "No motion sensor was recorded with Footbridge \(Version.number)."
    }
    let boards = certificate.boards.map { board in
      let model = board.identity.model.isEmpty ? "board of unknown model" : board.identity.model
      let firmware =
        board.firmware.isEmpty
        ? "unknown firmware" : "firmware " + board.firmware.joined(separator: ", then ")
      let place = board.placement.isEmpty ? "" : ", worn at: \(board.placement)"
      return "\(model) (\(firmware)\(place))"
    }
    let devices = boards.unique.map { board in
      let count = boards.count { $0 == board }
      return count > 1 ? "\(count) × \(board)" : board
    }
    guard !certificate.isImported else {
      return "Motion was recorded with \(Self.list(devices)) by another program, and imported into "
        + "Footbridge \(Version.number). The losses and times are those of the imported files."
    }
    return "Motion was recorded with \(Self.list(devices)) over Bluetooth Low Energy by Footbridge "
      + "\(Version.number)."
  }

  private var signals: String {
    let described = certificate.streams.map { quality in
      let form = quality.stream.description
      let range = form.rangeText.map { " (\($0))" } ?? ""
      let text = "\(form.signal.replacing("_", by: " "))\(range) at \(Self.hertz(form.rate)) Hz"
      return (text: text, rate: quality.effectiveRate)
    }
    let phrases = described.map(\.text).unique.map { text in
      let rates = described.filter { $0.text == text }.compactMap(\.rate)
      let ends = [rates.min(), rates.max()].compactMap(\.self)
        .map { NumberText.fixed($0, decimals: 2) }.unique.joined(separator: " to ")
      return rates.isEmpty ? text : "\(text) (effectively \(ends) Hz)"
    }
    return phrases.isEmpty ? "" : "The recorded signals were \(Self.list(phrases))."
  }

  private var losses: String {
    guard let share = certificate.lostShareText else { return "No samples were recorded." }
    let most = certificate.streams.compactMap { $0.longestGap?.seconds }.max()
    return "Of \(NumberText.grouped(certificate.taken)) samples, "
      + (certificate.lost > 0 ? share : "none") + " were lost"
      + (certificate.lostEstimated > 0
        ? " (\(NumberText.grouped(certificate.lostEstimated)) of them estimated)" : "")
      + (most.map { "; the longest gap lasted \(NumberText.fixed($0, decimals: 2)) s" } ?? "")
      + (certificate.hasUnknownLosses ? "; an unknown number of further samples is missing" : "")
      + "."
  }

  private var times: String {
    let clock = certificate.clock
    let source =
      switch clock.table.source {
      case .satellites: "by satellites"
      case .synchronised: "by a system clock that NTP synchronised"
      case .system: "by a system clock that was not synchronised"
      case nil: ""
      }
    let dated =
      source.isEmpty
      ? "The recording has no date"
      : "The recording was dated \(source)"
        + " (\(clock.uncertaintyText ?? "uncertainty unknown"))"
    let relative = certificate.sampleUncertainty.map {
      ", and the times of samples are consistent within \(Self.milliseconds($0)) (95 %), apart from "
        + "a constant radio delay of a few milliseconds"
    }
    return dated + (relative ?? "") + "."
  }

  private var positions: String {
    guard let share = certificate.positionShareText, certificate.track.fixes > 0 else { return "" }
    return "A position is known for \(share)"
      + (certificate.positionError(0.95).map {
        "; its error (95 %, \(certificate.track.basisText)) was at most "
          + "\(NumberText.fixed($0, decimals: 1)) m for 95 % of them"
      } ?? "") + "."
  }

  /// Formats a configured rate, which may have a fractional part, as in 83.333 Hz.
  static func hertz(_ rate: Double) -> String {
    Int64(exactly: rate).map(String.init) ?? NumberText.fixed(rate, decimals: 3)
  }

  static func milliseconds(_ seconds: Double) -> String {
    // No fit is exact, so 0.00 ms would claim too much: arrival times have a resolution of 1 µs.
    NumberText.fixed(max(0.01, seconds * 1_000), decimals: 2) + " ms"
  }

  /// Joins phrases into a list, as in a sentence.
  static func list(_ phrases: [String]) -> String {
    guard let last = phrases.last, phrases.count > 1 else { return phrases.first ?? "" }
    return phrases.dropLast().joined(separator: ", ") + " and " + last
  }
}
