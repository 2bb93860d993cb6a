/// UUIDs of a board's services and characteristics, in the lower-case form that BlueZ uses.
public enum GATT {
  /// The vendor's service. A board that has only `firmwareUpdateService` is running MetaBoot.
  public static let service = "326a9000-85cb-9195-d9dd-464cfbbae75a"
  /// Characteristic that accepts commands, at most 20 bytes per write.
  public static let command = "326a9001-85cb-9195-d9dd-464cfbbae75a"
  /// Characteristic that sends a notification for every response and every sample.
  public static let notify = "326a9006-85cb-9195-d9dd-464cfbbae75a"
  /// Service that exists only while the board runs its bootloader, which has no modules.
  public static let firmwareUpdateService = "00001530-1212-efde-1523-785feabcd123"

  /// Bluetooth's standard device information service.
  public static let deviceInformationService = "0000180a-0000-1000-8000-00805f9b34fb"
  /// Characteristic with the model number, a single digit that `Model` interprets.
  public static let modelNumber = "00002a24-0000-1000-8000-00805f9b34fb"
  /// Characteristic with the serial number, such as `003BF9`.
  public static let serialNumber = "00002a25-0000-1000-8000-00805f9b34fb"
  /// Characteristic with the firmware revision, such as `1.7.2`.
  public static let firmwareRevision = "00002a26-0000-1000-8000-00805f9b34fb"
  /// Characteristic with the hardware revision, such as `0.1` or `r0.1`.
  public static let hardwareRevision = "00002a27-0000-1000-8000-00805f9b34fb"
  /// Characteristic with the manufacturer's name, `MbientLab Inc`.
  public static let manufacturer = "00002a29-0000-1000-8000-00805f9b34fb"

  /// Bluetooth's standard battery service.
  public static let batteryService = "0000180f-0000-1000-8000-00805f9b34fb"
  /// Characteristic with the battery level in percent, as one byte. Not every model provides it.
  public static let batteryLevel = "00002a19-0000-1000-8000-00805f9b34fb"

  /// The name that boards advertise until a user changes it.
  public static let defaultName = "MetaWear"
}
