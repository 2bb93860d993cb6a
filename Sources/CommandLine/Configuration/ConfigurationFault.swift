internal import Terminal

/// An error in a configuration file, or a line that has no effect.
struct ConfigurationFault: Hashable, Sendable, CustomStringConvertible {
  /// The file's path, as given by the user.
  let file: String
  /// The line number, starting at 1; `nil` if the fault concerns the whole file.
  let line: Int?
  /// The key or section, as in `recording.seal` and `board left`; `nil` if the fault concerns
  /// neither.
  let key: String?
  /// The fault's description, without an initial capital or a full stop.
  let message: String
  /// The suggested remedies, one per line.
  let remedy: String

  /// The fault as text: the location and the message on one line, and the remedy below.
  var description: String {
    let place = line.map { "\(file):\($0): " } ?? (file.isEmpty ? "" : "\(file): ")
    return ([(place + message)[...]] + remedy.split(separator: "\n"))
      .map { TerminalText.harmless(String($0)) }.joined(separator: "\n       ")
  }
}

/// All faults in a configuration file, in line order.
struct ConfigurationFaults: Explainable, Hashable, Sendable {
  /// The faults, never empty.
  let faults: [ConfigurationFault]

  /// Returns `nil` if there are no faults.
  init?(_ faults: [ConfigurationFault]) {
    guard !faults.isEmpty else { return nil }
    self.faults = faults
  }

  /// The complaint from a command that cannot run without a valid file.
  var complaint: Complaint {
    let file = faults.first?.file ?? ""
    let lines = faults.flatMap { $0.description.split(separator: "\n") }
    return Complaint(
      "cannot use the configuration\(file.isEmpty ? "" : " " + file): \(Self.count(faults.count))",
      remedy: lines.joined(separator: "\n"), status: .usage)
  }

  /// Returns the count with its noun, such as `1 fault` or `2 faults`.
  static func count(_ number: Int) -> String { number == 1 ? "1 fault" : "\(number) faults" }
}
