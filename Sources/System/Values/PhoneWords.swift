/// Rewrites the gateway's messages for a person who uses a phone and cannot access a terminal.
public enum PhoneWords {
  /// Returns a message and its remedy in the wording for phones, as a JSON object. The object is
  /// sent together with the terminal wording.
  public static func json(_ text: String, _ remedy: String) -> JSONValue {
    ["text": .string(Self.text(text)), "remedy": .string(Self.remedy(remedy))]
  }

  /// Returns a message that contains no file paths on the gateway's computer, and that refers to
  /// buttons on the page instead of commands.
  public static func text(_ text: String) -> String {
    if let bus = text.firstRange(ofText: "cannot connect to the system bus: ") {
      return text[..<bus.lowerBound] + "the Bluetooth service of the gateway cannot be reached"
    }
    var plain = ""
    var rest = text[...]
    while let start = rest.firstRange(ofText: " ("),
      let end = rest[start.upperBound...].firstRange(ofText: ")")
    {
      let aside = rest[start.upperBound..<end.lowerBound]
      let isPlace = aside.holds("org.") || aside.holds("/") && aside.holds("socket")
      plain += rest[..<(isPlace ? start.lowerBound : end.upperBound)]
      rest = rest[end.upperBound...]
    }
    return (plain + rest)
      .replacing("waiting for 'footbridge start'", by: "waiting until someone presses Start")
      .replacing("stopped by command", by: "stopped until someone presses Start")
  }

  /// Returns a remedy without repeated suggestions. Suggestions that require the gateway's terminal
  /// are left out, because only the person who set up the gateway can follow them.
  public static func remedy(_ remedy: String) -> String {
    let lines = remedy.split(separator: "\n").map(suggestion)
    return lines.indices.filter { !lines[..<$0].contains(lines[$0]) }.map { lines[$0] }
      .joined(separator: "\n")
  }

  private static func suggestion(_ line: Substring) -> String {
    if line.holds("'footbridge doctor'") { return "open Health and press “Check the gateway”" }
    if line.holds("'footbridge resume'") {
      return "press Resume on a phone that may control the gateway"
    }
    let words = line.lowercased()
    if ["dbus", "d-bus", "systemctl", "usermod", "rfkill"].contains(where: { words.holds($0) }) {
      return "switch the gateway off and on; if that does not help, tell the person who set it up"
    }
    let parts = line.split(at: "; ").filter { !needsTerminal($0) }
    return parts.isEmpty ? "tell the person who set up the gateway" : parts.joined(separator: "; ")
  }

  private static let tools = [
    "sudo ", "chmod ", "mount -", "mount /", "mount '", "udev", "dmesg", "journalctl", " --",
    "/etc/",
  ]

  private static func needsTerminal(_ part: Substring) -> Bool {
    if tools.contains(where: { part.holds($0) }) { return true }
    // Commands that begin with `web` are kept: the user creates a PIN with them at the terminal,
    // but enters the PIN on the phone.
    return part.firstRange(ofText: "footbridge ").map { command in
      let verb = part[command.upperBound...]
      return verb.first?.isLowercase == true && !verb.hasPrefix("web")
    } ?? false
  }
}
