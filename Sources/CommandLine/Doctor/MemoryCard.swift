internal import Values

/// The wear of a memory card or soldered memory, if the device reports it.
struct MemoryCard: Hashable, Sendable {
  /// The device's name, such as `mmcblk0`.
  var name: String
  /// The share of the card's lifetime that is used up, in tenths: the larger of the card's two
  /// estimates. 11 means that the expected lifetime is exceeded. `nil` means that the card does not
  /// report its wear; SD cards never do.
  var tenths: Int?
  /// The use of the card's spare blocks: 1 normal, 2 mostly used, 3 nearly all used.
  var reserve: Int?

  var finding: Finding {
    guard let tenths else { return .ok(.card, "\(name) does not report its wear") }
    let remedy = "save the recordings with 'footbridge store backup', and replace the card"
    if tenths > 10 || reserve == 3 {
      return .fault(.card, "\(name) is at the end of its life", remedy: remedy)
    }
    let text = "\(name) has used up \((tenths - 1) * 10) to \(tenths * 10) % of its life"
    guard tenths >= 9 || reserve == 2 else { return .ok(.card, text) }
    return .warning(.card, text, remedy: remedy)
  }
}

extension MemoryCard {
  /// Returns all memory cards, each once. Partitions and boot areas are not listed separately.
  static func all(_ tree: SystemTree) -> [MemoryCard] {
    let folder = "/sys/block"
    return tree.names(folder).filter { $0.hasPrefix("mmcblk") && !$0.holds("boot") }
      .map { name in
        let device = "\(folder)/\(name)/device"
        // The value 0 means that the card does not report its wear.
        return MemoryCard(
          name: name, tenths: tree.hexadecimals("\(device)/life_time").filter { $0 > 0 }.max(),
          reserve: tree.hexadecimals("\(device)/pre_eol_info").first { $0 > 0 })
      }
  }
}
