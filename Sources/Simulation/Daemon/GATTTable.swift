internal import MetaWearProtocol

/// A simulated board's GATT attributes and their handles.
struct GATTTable {
  struct Service {
    let handle: Int
    let uuid: String
    let characteristics: [Attribute]
  }

  struct Attribute {
    let handle: Int
    let uuid: String
    let flags: [String]
    let role: Role
  }

  /// A characteristic's purpose.
  enum Role {
    case text(String)
    case batteryLevel
    case command
    case notify
    /// Receives new firmware for the bootloader, which is not simulated.
    case firmwareUpdate
  }

  let services: [Service]

  private init(services: [Service]) {
    self.services = services
  }

  init(of board: SimulatedBoard) {
    let model = board.model
    let texts = [
      (GATT.modelNumber, model.modelNumber), (GATT.serialNumber, board.serialNumber),
      (GATT.firmwareRevision, model.firmwareRevision),
      (GATT.hardwareRevision, model.hardwareRevision), (GATT.manufacturer, model.manufacturer),
    ]
    services = [
      Service(
        handle: 0x10, uuid: GATT.deviceInformationService,
        characteristics: texts.enumerated().map { index, text in
          Attribute(
            handle: 0x11 + 2 * index, uuid: text.0, flags: ["read"], role: .text(text.1))
        }),
      Service(
        handle: 0x1b, uuid: GATT.batteryService,
        characteristics: [
          Attribute(
            handle: 0x1c, uuid: GATT.batteryLevel, flags: ["read"], role: .batteryLevel)
        ]),
      Service(
        handle: 0x20, uuid: GATT.service,
        characteristics: [
          Attribute(
            handle: 0x21, uuid: GATT.command, flags: ["write-without-response", "write"],
            role: .command),
          Attribute(handle: 0x23, uuid: GATT.notify, flags: ["notify"], role: .notify),
        ]),
    ]
  }

  /// The handles of the characteristic that sends notifications, and of its service.
  var notifyHandles: (service: Int, characteristic: Int)? {
    for service in services {
      for attribute in service.characteristics {
        if case .notify = attribute.role { return (service.handle, attribute.handle) }
      }
    }
    return nil
  }

  var hasBattery: Bool { services.contains { $0.uuid == GATT.batteryService } }

  /// The attributes of a board that runs its bootloader.
  static let bootloader = GATTTable(services: [
    Service(
      handle: 0x10, uuid: GATT.firmwareUpdateService,
      characteristics: [
        Attribute(
          handle: 0x11, uuid: "00001531-1212-efde-1523-785feabcd123",
          flags: ["write", "notify"], role: .firmwareUpdate),
        Attribute(
          handle: 0x14, uuid: "00001532-1212-efde-1523-785feabcd123",
          flags: ["write-without-response"], role: .firmwareUpdate),
      ])
  ])

  /// The service advertised by a device that is not a board.
  static let heartRateService = "0000180d-0000-1000-8000-00805f9b34fb"

  /// The attributes of a device that is not a board. It has a readable body sensor location.
  static let stranger = GATTTable(services: [
    Service(
      handle: 0x10, uuid: heartRateService,
      characteristics: [
        Attribute(
          handle: 0x11, uuid: "00002a38-0000-1000-8000-00805f9b34fb", flags: ["read"],
          role: .text("\u{2}"))
      ])
  ])

  /// Formats a handle as four lower-case hexadecimal digits, as in the daemon's paths.
  static func digits(_ handle: Int) -> String {
    let digits = String(handle, radix: 16)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }
}
