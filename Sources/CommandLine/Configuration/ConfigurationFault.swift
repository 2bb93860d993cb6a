internal import Terminal

/// An error in a configuration file, or a line without effect.
struct ConfigurationFault: Hashable, Sendable, CustomStringConvertible {
  /// The file, as the user named it.
  let file: String
  /// The line, from 1; `nil` where the file as a whole is meant.
  let line: Int?
  /// The key or the section, as in `recording.seal` and `board left`; `nil` where none is meant.
  let key: String?
  /// The fault; no capital at the start and no full stop.
  let message: String
  /// The suggestions, one a line.
  let remedy: String

  /// The place and the message on one line, and the remedy below it.
  var description: String {
    let place = line.map { "\(file):\($0): " } ?? (file.isEmpty ? "" : "\(file): ")
    return ([(place + message)[...]] + remedy.split(separator: "\n"))
      .map { TerminalText.harmless(String($0)) }.joined(separator: "\n       ")
  }
}

/// All faults of a configuration file, in the order of its lines.
struct ConfigurationFaults: Explainable, Hashable, Sendable {
  /// The faults; at least one.
  let faults: [ConfigurationFault]

  /// The faults, or `nil` where there are none.
  init?(_ faults: [ConfigurationFault]) {
    guard !faults.isEmpty else { return nil }
    self.faults = faults
  }

  /// The complaint of a command that needs the file.
  var complaint: Complaint {
    let file = faults.first?.file ?? ""
    let lines = faults.flatMap { $0.description.split(separator: "\n") }
    return Complaint(
      "cannot use the configuration\(file.isEmpty ? "" : " " + file): \(Self.count(faults.count))",
      remedy: lines.joined(separator: "\n"), status: .usage)
  }

  /// A number of faults in words.
  static func count(_ number: Int) -> String { number == 1 ? "1 fault" : "\(number) faults" }
}
