import DBus
import TestSupport
import Testing

@Suite(.computation) struct BusErrorTests {
  private static func kind(_ name: String) -> BusError.Kind {
    BusError(name: name, message: "", operation: "").kind
  }

  @Test(arguments: [
    "org.freedesktop.DBus.Error.Spawn.ChildExited",
    "org.freedesktop.DBus.Error.Spawn.ServiceNotFound",
    "org.freedesktop.systemd1.NoSuchUnit",
    "org.freedesktop.systemd1.UnitMasked",
  ])
  func `a service that could not be started is considered missing`(name: String) {
    #expect(Self.kind(name) == .serviceUnknown)
  }

  @Test func `a service's own error is considered a refusal`() {
    #expect(Self.kind("org.bluez.Error.Spawn.Failed") == .refused)
    #expect(Self.kind("org.freedesktop.DBus.Error.InvalidArgs") == .refused)
  }
}
