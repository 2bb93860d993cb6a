internal import BlueZ
internal import Boards
internal import LinuxSystem
internal import MetaWearProtocol

/// A board reached through BlueZ.
struct BlueZLink: Link {
  private let link: DeviceLink
  private let command: Characteristic
  private let notify: Characteristic

  /// Fails when the device has not the two characteristics of a MetaWear board.
  init(_ link: DeviceLink) throws(BlueZError) {
    self.link = link
    command = try link.characteristic(GATT.command)
    notify = try link.characteristic(GATT.notify)
  }

  func readInformation() async throws -> DeviceInformation {
    try await DeviceInformation(
      modelNumber: text(GATT.modelNumber), firmware: text(GATT.firmwareRevision))
  }

  func subscribe() async throws -> OwnedDescriptor {
    try await link.acquireNotify(notify)
  }

  func write(_ command: Command, acknowledged: Bool) async throws {
    try await link.write(
      command.bytes, to: self.command,
      acknowledged: acknowledged && self.command.flags.contains("write"))
  }

  func disconnect() async {
    await link.disconnect()
  }

  private func text(_ uuid: String) async throws -> String {
    let bytes = try await link.read(link.characteristic(uuid))
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }
}
