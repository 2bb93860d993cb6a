public import BlueZ
internal import BoardDriver
internal import LinuxSystem
internal import MetaWearProtocol
internal import Values

extension GATTShape {
  /// The GATT services and characteristics that identify a MetaWear board.
  public static let metaWear = GATTShape(
    service: GATT.service, command: GATT.command, notify: GATT.notify,
    bootloader: GATT.firmwareUpdateService)
}

/// A `Link` that reaches its board through BlueZ.
struct BlueZLink: Link {
  let link: DeviceLink

  func readInformation() async throws -> DeviceInformation {
    try await DeviceInformation(
      modelNumber: text(GATT.modelNumber), firmware: text(GATT.firmwareRevision))
  }

  func subscribe() async throws -> OwnedDescriptor {
    guard let descriptor = link.notifications.take() else {
      throw BlueZError(
        .linkLost, "the link to \(link.device.address) has already been used",
        remedy: "connect again")
    }
    return descriptor
  }

  func write(_ command: Command, acknowledged: Bool) async throws {
    try await link.write(command.bytes, acknowledged: acknowledged)
  }

  func disconnect(hasHungUp: Bool) async {
    await link.disconnect(hasHungUp: hasHungUp)
  }

  /// Reads a characteristic as text. Replaces the characters that upload servers reject, because a
  /// board can send any text.
  private func text(_ uuid: String) async throws -> String {
    PlainText.cleaned(
      String(decoding: try await link.read(uuid).prefix { $0 != 0 }, as: UTF8.self))
  }
}
