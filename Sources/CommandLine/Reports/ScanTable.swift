internal import Terminal
public import Values

/// Formats the devices found by a scan as a table or as JSON. Boards come before other devices, and
/// each group is in the order of discovery, so rows do not move.
public struct ScanTable: Sendable {
  private static let longestName = 26
  private static let shortestName = 8

  private let sightings: [Sighting]
  private let now: BootTime

  public init(_ sightings: [Sighting], now: BootTime) {
    self.sightings = sightings.filter { $0.kind != .other } + sightings.filter { $0.kind == .other }
    self.now = now
  }

  /// The rows below a heading; empty if no device was found.
  public var lines: [String] { lines(longestName: Self.longestName) }

  private func lines(longestName: Int) -> [String] {
    guard !sightings.isEmpty else { return [] }
    // The minimum widths fit common values, so the columns do not shift as more devices are
    // discovered.
    var table = TextTable([
      .init("address"), .init("name", minimumWidth: Self.shortestName),
      .init("model", minimumWidth: 12), .init("signal", minimumWidth: 15),
      .init("battery", .right), .init("heard", .right, minimumWidth: 10),
    ])
    for sighting in sightings {
      table.append([
        sighting.address.description, name(of: sighting, longest: longestName), model(of: sighting),
        SignalStrength.text(sighting.rssi), sighting.battery.map { "\($0) %" } ?? "–",
        age(of: sighting),
      ])
    }
    return table.lines
  }

  /// Returns the table for a terminal, `elapsed` seconds into the scan. On a narrow terminal, names
  /// are truncated to keep the last column visible. That column shows when each device was last
  /// heard.
  public func view(elapsed: Double, width: Int) -> [String] {
    var rows = lines
    let excess = (rows.map { TerminalText.width(of: $0) }.max() ?? 0) - width
    if excess > 0 {
      let longest = sightings.map { TerminalText.width(of: name(of: $0)) }.max() ?? 0
      rows = lines(longestName: max(Self.shortestName, longest - excess))
    }
    return ([summary(elapsed: elapsed)] + (sightings.isEmpty ? [] : [""]) + rows)
      .map { TerminalText.cut($0, to: width) }
  }

  public var json: JSONValue {
    .array(
      sightings.map { sighting in
        .object([
          .init("address", sighting.address), .init("name", sighting.name),
          .init("board", sighting.kind != .other),
          .init("inMetaBoot", sighting.kind == .bootloader), .init("known", sighting.isKnown),
          .init("model", sighting.model), .init("rssi", sighting.rssi),
          .init("battery", sighting.battery),
          .init("ageSeconds", sighting.heard.map { max(0, tenths(now.seconds(since: $0))) }),
          .init("connected", sighting.isConnected),
        ])
      })
  }

  private func summary(elapsed: Double) -> String {
    let boards = sightings.count { $0.kind != .other }
    let others = sightings.count - boards
    return "scanning  \(DurationText.clock(elapsed))  \(NumberText.count(boards, "board"))  "
      + NumberText.count(others, "other device")
  }

  private func name(of sighting: Sighting, longest: Int = longestName) -> String {
    let name = TerminalText.harmless(sighting.name ?? "")
    return name.isEmpty ? "–" : TerminalText.cut(name, to: longest)
  }

  private func model(of sighting: Sighting) -> String {
    switch sighting.kind {
    case .bootloader: "in MetaBoot"
    case .board, .other: sighting.model.map(TerminalText.harmless) ?? "–"
    }
  }

  private func age(of sighting: Sighting) -> String {
    if sighting.isConnected { return "connected" }
    return sighting.heard.map { DurationText.short(now.seconds(since: $0)) + " ago" } ?? "–"
  }

  private func tenths(_ seconds: Double) -> Double { (seconds * 10).rounded() / 10 }
}
