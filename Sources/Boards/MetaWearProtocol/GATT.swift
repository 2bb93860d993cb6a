/// The characteristics of a board, by their UUIDs in the lower-case form BlueZ uses.
public enum GATT {
  /// The vendor's service; its absence beside `firmwareUpdateService` means a board in MetaBoot.
  public static let service = "326a9000-85cb-9195-d9dd-464cfbbae75a"
  /// Takes one command of at most 20 bytes per write.
  public static let command = "326a9001-85cb-9195-d9dd-464cfbbae75a"
  /// Notifies every reply and every sample.
  public static let notify = "326a9006-85cb-9195-d9dd-464cfbbae75a"
  /// Present while the board runs its bootloader, which has no modules.
  public static let firmwareUpdateService = "00001530-1212-efde-1523-785feabcd123"

  /// The standard device information service.
  public static let deviceInformationService = "0000180a-0000-1000-8000-00805f9b34fb"
  /// Model number: one digit, from which `Model` starts.
  public static let modelNumber = "00002a24-0000-1000-8000-00805f9b34fb"
  /// Serial number, such as `003BF9`.
  public static let serialNumber = "00002a25-0000-1000-8000-00805f9b34fb"
  /// Firmware revision, such as `1.7.2`.
  public static let firmwareRevision = "00002a26-0000-1000-8000-00805f9b34fb"
  /// Hardware revision, such as `0.1` or `r0.1`.
  public static let hardwareRevision = "00002a27-0000-1000-8000-00805f9b34fb"
  /// Manufacturer, `MbientLab Inc`.
  public static let manufacturer = "00002a29-0000-1000-8000-00805f9b34fb"

  /// The standard battery service.
  public static let batteryService = "0000180f-0000-1000-8000-00805f9b34fb"
  /// Battery level, one byte of percent; not every model has it.
  public static let batteryLevel = "00002a19-0000-1000-8000-00805f9b34fb"

  /// The local name that boards advertise until a user changes it.
  public static let defaultName = "MetaWear"
}
