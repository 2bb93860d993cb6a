internal import Recording
internal import Values

extension Participant {
  /// The participant in one line, as in "P07, 1.78 m, left side, 40–49, control, cane: yes".
  var text: String {
    let known = [
      id, height.map { "\(NumberText.plain($0)) m" },
      side.map { $0 == .both ? "both sides" : "\($0.rawValue) side" }, age, group,
    ].compactMap(\.self)
    let details = details.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return (known + details).joined(separator: ", ")
  }
}
