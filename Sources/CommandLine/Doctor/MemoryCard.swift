internal import Values

/// The wear of a memory card or soldered memory, if it is reported.
struct MemoryCard: Hashable, Sendable {
  /// Its name, such as `mmcblk0`.
  var name: String
  /// The part of its life that is used up, in tenths: the larger of two estimates. `nil` if not
  /// reported, as by SD cards; 11 beyond its end.
  var tenths: Int?
  /// Its reserve of blocks: 1 normal, 2 mostly used, 3 nearly all used.
  var reserve: Int?

  var finding: Finding {
    guard let tenths else { return .ok(.card, "\(name) does not report its wear") }
    let remedy = "save the recordings with 'footbridge store backup', and replace it"
    if tenths > 10 || reserve == 3 {
      return .fault(.card, "\(name) is at the end of its life", remedy: remedy)
    }
    let text = "\(name) has used up \((tenths - 1) * 10) to \(tenths * 10) % of its life"
    guard tenths >= 9 || reserve == 2 else { return .ok(.card, text) }
    return .warning(.card, text, remedy: remedy)
  }
}

extension MemoryCard {
  /// All cards. Partitions and boot areas of one are not listed.
  static func all(_ tree: SystemTree) -> [MemoryCard] {
    let folder = "/sys/block"
    return tree.names(folder).filter { $0.hasPrefix("mmcblk") && !$0.holds("boot") }
      .map { name in
        let device = "\(folder)/\(name)/device"
        // 0 means not reported.
        return MemoryCard(
          name: name, tenths: tree.hexadecimals("\(device)/life_time").filter { $0 > 0 }.max(),
          reserve: tree.hexadecimals("\(device)/pre_eol_info").first { $0 > 0 })
      }
  }
}
