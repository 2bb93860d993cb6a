internal import DBus
internal import LinuxSystem

/// Writes values to one characteristic, one at a time, in call order.
actor CharacteristicWriter {
  private static let deadline = 30.0

  private let client: BlueZClient
  private let path: String
  private var order: WriteOrder
  private var last: Task<Void, Never>?

  init(_ client: BlueZClient, _ characteristic: Characteristic) {
    self.client = client
    path = characteristic.path
    order = WriteOrder(flags: characteristic.flags)
  }

  /// Writes a value. Returns when the daemon has accepted the value or, for an acknowledged write,
  /// when the device has accepted it.
  func write(_ bytes: [UInt8], acknowledged: Bool) async throws(BusError) {
    let previous = last
    let write = Task { () -> Result<Void, BusError> in
      await previous?.value
      return await perform(bytes, acknowledged: acknowledged)
    }
    last = Task { _ = await write.value }
    try await write.value.get()
  }

  private func perform(_ bytes: [UInt8], acknowledged: Bool) async -> Result<Void, BusError> {
    while true {
      let asRequest = order.isRequest(acknowledged)
      do throws(BusError) {
        try await client.call(
          "WriteValue", on: path, of: BlueZName.characteristic,
          [
            .bytes(bytes),
            .properties(["type": .string(asRequest ? "request" : "command")]),
          ], deadline: Self.deadline)
        order.wrote(asRequest: asRequest)
        return .success(())
      } catch {
        guard order.isOfferedAgain(after: Refusal(error)) else { return .failure(error) }
        try? await Pause.seconds(WriteOrder.retrySeconds)
      }
    }
  }
}
