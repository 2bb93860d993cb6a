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

  var text: String {
    let sentences = [devices, signals, losses, times, positions].filter { !$0.isEmpty }
    return sentences.joined(separator: " ") + " [\(Self.citation)]"
  }

  private var devices: String {
    guard !certificate.boards.isEmpty else {
      return "No motion sensor was recorded with Footbridge \(Version.number)."
    }
    var kinds: [String] = []
    for board in certificate.boards {
      let model = board.identity.model.isEmpty ? "board of unknown model" : board.identity.model
      let firmware =
        board.firmware.isEmpty
        ? "unknown firmware" : "firmware " + board.firmware.joined(separator: ", then ")
      let place = board.placement.isEmpty ? "" : ", worn at: \(board.placement)"
      kinds.append("\(model) (\(firmware)\(place))")
    }
    return "Motion was recorded with \(Self.list(kinds)) over Bluetooth Low Energy by Footbridge "
      + "\(Version.number)."
  }

  private var signals: String {
    var described: [String] = []
    for quality in certificate.streams {
      let form = quality.stream.description
      let effective =
        quality.effectiveRate.map { ", effectively \(NumberText.fixed($0, decimals: 2)) Hz" } ?? ""
      let text =
        "\(form.signal) at \(NumberText.plain(form.rate)) Hz"
        + (form.rangeText.map { " (\($0)\(effective))" }
          ?? (effective.isEmpty ? "" : " (\(effective.dropFirst(2)))"))
      if !described.contains(text) { described.append(text) }
    }
    return described.isEmpty ? "" : "The recorded signals were \(Self.list(described))."
  }

  private var losses: String {
    let all = Double(certificate.samples) + Double(certificate.lost)
    guard all > 0 else { return "No sample was recorded." }
    let share = NumberText.fixed(Double(certificate.lost) / all * 100, decimals: 3)
    let most = certificate.streams.compactMap { $0.longestGap?.seconds }.max()
    return "Of \(NumberText.grouped(UInt64(all))) samples, \(share) % were lost"
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
        + (clock.uncertainty.map { " (± \(NumberText.fixed($0, decimals: 1)) s)" }
          ?? " (uncertainty unknown)")
    let relative = certificate.sampleUncertainty.map {
      ", and the times of samples are consistent within \(Self.milliseconds($0)) (95 %), apart from "
        + "a constant radio delay of a few milliseconds"
    }
    return dated + (relative ?? "") + "."
  }

  private var positions: String {
    guard let share = certificate.positionShare, certificate.track.fixes > 0 else { return "" }
    let errors = certificate.streams.compactMap { $0.positionErrors.quantile(0.95) }
    return "A position is known for \(NumberText.fixed(share * 100, decimals: 1)) % of the samples"
      + (errors.max().map {
        "; the receiver's own estimate of its error (95 %) was at most "
          + "\(NumberText.fixed($0, decimals: 1)) m for 95 % of them"
      } ?? "") + "."
  }

  static func milliseconds(_ seconds: Double) -> String {
    NumberText.fixed(seconds * 1_000, decimals: 2) + " ms"
  }

  /// Joins phrases as in a sentence.
  private static func list(_ phrases: [String]) -> String {
    guard let last = phrases.last, phrases.count > 1 else { return phrases.first ?? "" }
    return phrases.dropLast().joined(separator: ", ") + " and " + last
  }
}
