/// The names that BlueZ uses on the bus.
public enum BlueZName {
  public static let service = "org.bluez"
  /// Path prefix shared by all the daemon's objects.
  public static let root = "/org/bluez"
  public static let adapter = "org.bluez.Adapter1"
  public static let device = "org.bluez.Device1"
  public static let gattService = "org.bluez.GattService1"
  public static let characteristic = "org.bluez.GattCharacteristic1"
  public static let battery = "org.bluez.Battery1"
  /// Interface of a pairing agent, which a client implements.
  public static let agent = "org.bluez.Agent1"
  /// Interface for registering pairing agents.
  public static let agentManager = "org.bluez.AgentManager1"
  /// Interface for listing objects and for reporting when objects are added or removed.
  public static let objectManager = "org.freedesktop.DBus.ObjectManager"
  /// Interface for reading, setting and watching properties.
  public static let properties = "org.freedesktop.DBus.Properties"
  public static let bus = "org.freedesktop.DBus"
  public static let errorPrefix = "org.bluez.Error."
}
