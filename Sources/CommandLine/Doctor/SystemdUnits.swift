internal import DBus

/// The states of systemd units, read over the bus.
struct SystemdUnits: Hashable, Sendable {
  /// A systemd unit's state.
  struct Unit: Hashable, Sendable {
    /// The enablement state: `enabled`, `disabled`, `masked` and others. `nil` if the unit is not
    /// installed.
    var start: String?
    /// The activity state: `active`, `inactive`, `failed` and others. `nil` if the unit has not
    /// been started since boot.
    var activity: String?
  }

  var units: [String: Unit]

  func startsAtBoot(_ name: String) -> Bool {
    units[name]?.start?.hasPrefix("enabled") ?? false
  }
}

extension SystemdUnits {
  private static let service = "org.freedesktop.systemd1"
  private static let path = "/org/freedesktop/systemd1"
  private static let deadline = 1.5

  /// Reads the units with these names. Returns `nil` if systemd does not respond, as in a
  /// container.
  init?(_ names: [String], on bus: BusAddress) async {
    guard let client = try? await BusClient.connect(bus) else { return nil }
    defer { client.hangUp() }
    units = [:]
    for name in names {
      guard let unit = await Self.unit(name, client) else { return nil }
      units[name] = unit
    }
  }

  /// Reads one unit. Returns `nil` if systemd itself does not respond.
  private static func unit(_ name: String, _ client: BusClient) async -> Unit? {
    var unit = Unit()
    do throws(BusError) {
      unit.start = try await ask(client, "GetUnitFileState", [.string(name)]).first?.text
    } catch {
      // systemd replied that the unit does not exist.
      guard
        error.name.hasPrefix("org.freedesktop.systemd1.") || error.kind == .refused
          || error.name.hasSuffix(".FileNotFound")
      else { return nil }
    }
    if let answer = try? await ask(client, "GetUnit", [.string(name)]).first,
      let path = answer.text,
      let state = try? await client.call(
        BusCall(
          "Get", on: path, of: "org.freedesktop.DBus.Properties", at: service,
          [.string(service + ".Unit"), .string("ActiveState")], deadline: deadline,
          startsService: false))
    {
      unit.activity = state.first?.text
    }
    return unit
  }

  private static func ask(
    _ client: BusClient, _ member: String, _ arguments: [BusValue]
  ) async throws(BusError) -> [BusValue] {
    try await client.call(
      BusCall(
        member, on: path, of: service + ".Manager", at: service, arguments, deadline: deadline,
        startsService: false))
  }
}
