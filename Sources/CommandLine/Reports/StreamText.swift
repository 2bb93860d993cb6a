internal import Gateway
internal import Recording
internal import Terminal
internal import Values

/// The table cells of one stream in the live view.
struct StreamText {
  /// The name, the sparkline and the newest sample.
  let signal: [String]
  /// The rate, the number of samples stored or received, and the number of samples lost.
  let counts: [String]

  /// `missing` is the estimated number of samples lost since the board went out of contact; `nil`
  /// if it is in contact.
  init(
    _ stream: LiveStatus.Stream, of subject: LiveView.Subject, history: MagnitudeHistory?,
    missing: UInt64? = nil
  ) {
    let description = stream.description
    signal = [
      TerminalText.harmless(description.signal),
      history?.sparkline(width: LiveView.historyLength) ?? "",
      Self.values(stream.latest, of: description),
    ]
    counts = [
      Self.rate(stream, of: subject, isHeard: missing == nil),
      NumberText.grouped(stream.received) + (subject == .recording ? " saved" : " received"),
      (missing == nil ? "" : "~")
        + NumberText.grouped(stream.lost.values.reduce(missing ?? 0, +)) + " lost",
    ]
  }

  /// Formats the measured rate. For streams that are not recorded, the text includes the requested
  /// rate.
  private static func rate(
    _ stream: LiveStatus.Stream, of subject: LiveView.Subject, isHeard: Bool
  ) -> String {
    let measured = isHeard ? NumberText.fixed(stream.measuredRate, decimals: 1) : "–"
    let asked = NumberText.plain((stream.description.rate * 1_000).rounded() / 1_000)
    return subject == .recording ? "\(measured) Hz" : "\(measured) of \(asked) Hz"
  }

  /// Formats the axes by name, each with a suitable number of decimals.
  private static func values(_ latest: [Double], of description: StreamDescription) -> String {
    guard !latest.isEmpty else { return "no samples yet" }
    let decimals = decimals(of: description)
    let values = latest.map { padded(NumberText.fixed($0, decimals: decimals), 7) }
    let axes =
      values.count == 1
      ? values : zip(description.axes, values).map { "\(TerminalText.harmless($0)) \($1)" }
    return axes.joined(separator: "  ") + " " + TerminalText.harmless(description.unit)
  }

  /// Returns the number of decimals that the sensor's resolution justifies, at most three.
  private static func decimals(of description: StreamDescription) -> Int {
    // A value computed by a board combines several sensors, so a single sensor's resolution does
    // not apply. The value's scale describes only its encoding, not its precision.
    guard description.rawForm == .integer else { return 3 }
    var decimals = 0
    var scale = 1.0
    while decimals < 3, scale * 3 < description.countsPerUnit {
      decimals += 1
      scale *= 10
    }
    return decimals
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    TerminalText.padding(text, to: width) + text
  }
}
