internal import BoardDriver
internal import MetaWearProtocol
internal import Storage
internal import Terminal
internal import Values

/// Formats a paired board's details as text or as JSON.
struct PairReport {
  /// The facts that were read from the board and the Bluetooth service.
  struct Found: Sendable {
    var advertisedName: String?
    var profile: BoardProfile
    /// The battery charge in percent.
    var battery: Int?
    var rssi: Int?
    var isBonded: Bool
  }

  let board: StoredBoard
  let found: Found

  func lines(within width: Int = .max) -> [String] {
    var table = TextTable([.init(), .init()])
    table.append(["name", TerminalText.harmless(board.name)])
    table.append(["address", board.address.description])
    if !board.placement.isEmpty {
      table.append(["placement", TerminalText.harmless(board.placement)])
    }
    table.append(["model", TerminalText.harmless(board.model)])
    table.append(["firmware", TerminalText.harmless(board.firmware)])
    table.append(["battery", found.battery.map { "\($0) %" } ?? "–"])
    if found.rssi != nil { table.append(["signal", SignalStrength.text(found.rssi)]) }
    table.append(["bonded", found.isBonded ? "yes" : "no"])
    for (position, module) in modules.enumerated() {
      table.append([position == 0 ? "modules" : "", module])
    }
    return table.lines(within: width) + [""]
      + TerminalText.folded(
        "The board is now known as '\(TerminalText.harmless(board.name))'.", to: width)
  }

  var json: JSONValue {
    .object([
      .init("address", board.address), .init("name", board.name),
      .init("placement", board.placement), .init("model", board.model),
      .init("firmware", board.firmware), .init("battery", found.battery), .init("rssi", found.rssi),
      .init("bonded", found.isBonded),
      .init(
        "modules",
        .array(
          found.profile.modules.modules.map { module in
            .object([
              .init("name", module.name), .init("chip", found.profile.modules.chips[module]),
              .init("revision", found.profile.modules[module]?.revision),
            ])
          })),
    ])
  }

  /// The lines about the modules. Modules with a named chip come first, because users look for
  /// them.
  private var modules: [String] {
    let table = found.profile.modules
    let chips = table.chips
    let named = table.modules.compactMap { module in
      chips[module].map { "\(module.name) (\($0))" }
    }
    let others = table.modules.filter { chips[$0] == nil }.map(\.name)
    return named + Self.filled(others)
  }

  /// Wraps comma-separated words into lines that fit into the column for values.
  private static func filled(_ words: [String]) -> [String] {
    var lines: [String] = []
    for (position, word) in words.enumerated() {
      let word = word + (position < words.count - 1 ? "," : "")
      if let last = lines.last, last.count + 1 + word.count <= 60 {
        lines[lines.count - 1] += " " + word
      } else {
        lines.append(word)
      }
    }
    return lines
  }
}
