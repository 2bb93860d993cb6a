/// The kernel's on/off switch for a Bluetooth radio (rfkill).
struct RadioSwitch: Hashable, Sendable {
  /// The radio's name, such as `hci0`.
  var name: String
  var isBlockedBySoftware: Bool
  /// Whether a physical switch on the computer blocks the radio.
  var isBlockedByHardware: Bool

  static func findings(_ switches: [RadioSwitch]) -> [Finding] {
    let blocked = switches.filter { $0.isBlockedBySoftware || $0.isBlockedByHardware }
    guard !blocked.isEmpty else { return [.ok(.rfkill, "nothing blocks the Bluetooth radio")] }
    return blocked.map { radio in
      radio.isBlockedByHardware
        ? .fault(
          .rfkill, "a hardware switch blocks the radio of \(radio.name)",
          remedy: "use the computer's wireless switch or key, or turn off flight mode")
        : .fault(
          .rfkill, "the radio of \(radio.name) is blocked by software",
          remedy: "unblock it with 'rfkill unblock bluetooth'")
    }
  }

  /// Returns all Bluetooth switches that the kernel lists.
  static func all(_ tree: SystemTree) -> [RadioSwitch] {
    let folder = "/sys/class/rfkill"
    return tree.names(folder).filter { tree.line("\(folder)/\($0)/type") == "bluetooth" }
      .map { name in
        RadioSwitch(
          name: tree.line("\(folder)/\(name)/name") ?? name,
          isBlockedBySoftware: tree.line("\(folder)/\(name)/soft") == "1",
          isBlockedByHardware: tree.line("\(folder)/\(name)/hard") == "1")
      }
  }
}
