internal import Sharing
internal import Terminal
internal import Values

/// Formats the positions and states of a fleet's gateways for people.
enum FleetTable {
  /// Returns a table of the gateways with a heading, sorted by name.
  static func table(_ fleet: LiveFleet, at now: BootTime) -> [ViewLine] {
    guard !fleet.gateways.isEmpty else { return [ViewLine("No gateway has reported yet.")] }
    var table = TextTable([
      .init("gateway"), .init("state", minimumWidth: 12), .init("age", .right, minimumWidth: 6),
      .init("place", minimumWidth: 20), .init("accuracy", .right, minimumWidth: 8),
      .init("speed", .right, minimumWidth: 8), .init("session", .right), .init("batteries"),
    ])
    let gateways = fleet.gateways.values.sorted { $0.name < $1.name }
    for gateway in gateways {
      let status = gateway.sharedStatus
      let location = gateway.sharedLocation
      table.append([
        gateway.name, state(gateway, at: now), age(gateway, at: now),
        location.map(place) ?? "–",
        location?.accuracy.map { "±\(NumberText.fixed($0, decimals: 0)) m" } ?? "–",
        location?.speed.map { "\(NumberText.fixed($0, decimals: 1)) m/s" } ?? "–",
        status?.session.flatMap { length($0, of: gateway, at: now) } ?? "–",
        batteries(status),
      ])
    }
    let lines = table.lines
    return [ViewLine(lines[0])]
      + zip(gateways, lines.dropFirst()).map { gateway, line in
        ViewLine(line, gateway.worth(at: now) == .stale ? .faded : style(gateway.sharedStatus))
      }
  }

  private static func style(_ status: SharedStatus?) -> ViewLine.Style {
    status?.works == false ? .notable : .plain
  }

  static func line(_ name: String, _ gateway: LiveGateway?, at now: BootTime) -> String {
    guard let gateway else { return "\(name): no longer shares anything" }
    var parts = [state(gateway, at: now)]
    if let location = gateway.sharedLocation {
      let age = gateway.location.flatMap { placeAge($0, location, at: now) }
      parts.append(
        place(location)
          + (location.accuracy.map { " ±\(NumberText.fixed($0, decimals: 0)) m" } ?? "")
          + (age.map { " \(DurationText.short($0)) ago" } ?? ""))
      if let speed = location.speed { parts.append("\(NumberText.fixed(speed, decimals: 1)) m/s") }
    }
    let batteries = batteries(gateway.sharedStatus)
    if batteries != "–" { parts.append(batteries) }
    return "\(name): " + parts.joined(separator: ", ")
  }

  private static func state(_ gateway: LiveGateway, at now: BootTime) -> String {
    let state = gateway.sharedStatus?.state ?? "no status"
    let mark = (gateway.status ?? gateway.location)?.hasDoubtfulClock == true ? " (clock?)" : ""
    return switch gateway.worth(at: now) {
    case .fresh: state + mark
    case .unknown: "\(state), age unknown"
    case .stale: "stale, was \(state)"
    }
  }

  /// Formats the age of the gateway's last status, or of its last location if it has sent no
  /// status.
  private static func age(_ gateway: LiveGateway, at now: BootTime) -> String {
    guard let message = gateway.status ?? gateway.location, let age = message.age(at: now) else {
      return "?"
    }
    return DurationText.short(age)
  }

  /// Returns the position's age in seconds, or `nil` if it is unknown.
  private static func placeAge(
    _ message: LiveMessage, _ location: SharedLocation, at now: BootTime
  ) -> Double? {
    message.age(at: now).map {
      // The message's age, plus the age that the fix had when the message was sent.
      $0 + max(0, Double(message.times.sent.nanoseconds - location.time.nanoseconds) / 1e9)
    }
  }

  private static func length(
    _ session: SharedStatus.Session, of gateway: LiveGateway, at now: BootTime
  ) -> String? {
    guard let status = gateway.status else { return nil }
    let length = Double(status.times.sent.nanoseconds - session.since.nanoseconds) / 1e9
    return DurationText.clock(length + (status.age(at: now) ?? 0))
  }

  /// Uses as many decimals as the gateway shares.
  private static func place(_ location: SharedLocation) -> String {
    let decimals = location.sharing == .rounded ? 2 : 5
    return NumberText.fixed(location.latitude, decimals: decimals) + ", "
      + NumberText.fixed(location.longitude, decimals: decimals)
  }

  private static func batteries(_ status: SharedStatus?) -> String {
    let known = (status?.boards ?? []).compactMap { board in
      board.battery.map { "\(board.name) \($0) %" }
    }
    return known.isEmpty ? "–" : known.joined(separator: ", ")
  }
}
