internal import Recording
internal import Terminal
internal import Values

/// Formats a session's statistics as text.
struct StatisticsText {
  let statistics: SessionStatistics
  /// The user's names for the boards.
  let names: [BoardAddress: String]

  /// Table rows, each with the title and the value of a known figure.
  var rows: [[String]] {
    var rows: [[String]] = []
    if let distance { rows.append(["distance", distance]) }
    if let climb { rows.append(["climb", climb]) }
    for steps in statistics.steps {
      let name = TerminalText.harmless(names[steps.board] ?? steps.board.description)
      rows.append(["steps", "\(name): \(count(steps)) by its \(source(steps))"])
    }
    if statistics.distance != nil { rows.append(["position", "\(share) of the time"]) }
    return rows
  }

  /// The statistics on one line for live views; `nil` if no figure is known yet.
  var line: String? {
    var parts: [String] = []
    if let metres = statistics.distance {
      parts.append(NumberText.grouped(whole(metres)) + " m")
      if let speed = statistics.speed { parts.append(self.speed(speed)) }
    }
    if let altitude = statistics.altitude {
      parts.append(
        "\(whole(altitude.gain)) m up \(whole(altitude.loss)) m down (\(altitude.source.rawValue))")
    }
    // Two boards on one wearer's legs count the same steps, so only one of the counts is shown.
    if let most = statistics.steps.max(by: { $0.count < $1.count }) {
      parts.append(count(most) + (most.count == 1 ? " step" : " steps"))
      if let cadence = statistics.steps.compactMap(\.cadence).max() {
        parts.append("\(whole(cadence))/min")
      }
    }
    if statistics.distance != nil { parts.append("fix \(share)") }
    return parts.isEmpty ? nil : parts.joined(separator: "  ")
  }

  private var distance: String? {
    guard let distance = statistics.distance else { return nil }
    var text = NumberText.grouped(whole(distance)) + " m"
    guard let mean = statistics.meanSpeed else { return text }
    text += " in \(DurationText.clock(statistics.movingSeconds)), \(speed(mean)) on average"
    if let highest = statistics.highestSpeed { text += ", \(speed(highest)) at most" }
    return text
  }

  private var climb: String? {
    guard let altitude = statistics.altitude else { return nil }
    return "\(whole(altitude.gain)) m up, \(whole(altitude.loss)) m down, net "
      + NumberText.fixed(altitude.net, decimals: 0) + " m, by \(altitude.source.rawValue)"
  }

  private func count(_ steps: SessionStatistics.Steps) -> String {
    NumberText.grouped(max(0, steps.count))
  }

  private func source(_ steps: SessionStatistics.Steps) -> String {
    switch steps.source {
    case .board: "own counter"
    case .accelerometer: "accelerometer"
    }
  }

  private var share: String { NumberText.fixed(statistics.fixShare * 100, decimals: 0) + " %" }

  private func speed(_ speed: Double) -> String { NumberText.fixed(speed, decimals: 2) + " m/s" }

  /// Converts a number to an integer without trapping, because a damaged store may contain any
  /// value.
  private func whole(_ number: Double) -> UInt64 {
    number.isFinite ? UInt64(min(max(0, number.rounded()), 1e15)) : 0
  }
}
