/// The names that BlueZ uses on the bus.
public enum BlueZName {
  public static let service = "org.bluez"
  /// Path above all the daemon's objects.
  public static let root = "/org/bluez"
  /// Interface of an adapter.
  public static let adapter = "org.bluez.Adapter1"
  /// Interface of a device.
  public static let device = "org.bluez.Device1"
  /// Interface of a GATT service.
  public static let gattService = "org.bluez.GattService1"
  /// Interface of a GATT characteristic.
  public static let characteristic = "org.bluez.GattCharacteristic1"
  /// Interface of a device's battery.
  public static let battery = "org.bluez.Battery1"
  /// Interface of a pairing agent, which a client offers.
  public static let agent = "org.bluez.Agent1"
  /// Interface that registers pairing agents.
  public static let agentManager = "org.bluez.AgentManager1"
  /// Interface that lists and announces objects.
  public static let objectManager = "org.freedesktop.DBus.ObjectManager"
  /// Interface of properties.
  public static let properties = "org.freedesktop.DBus.Properties"
  public static let bus = "org.freedesktop.DBus"
  /// Prefix of the daemon's errors.
  public static let errorPrefix = "org.bluez.Error."
}
