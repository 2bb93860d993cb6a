/// The rule for destination names. A valid name does not need quotes in a shell.
enum DestinationName {
  /// The rule for names, shown as advice after invalid input.
  static let rule = "a word of 1 to 40 letters, digits, dots, hyphens and underscores"

  static func isFit(_ name: String) -> Bool {
    (1...40).contains(name.utf8.count) && !name.hasPrefix("-")
      && name.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"),
          UInt8(ascii: "."):
          true
        default: false
        }
      }
  }
}
