internal import MetaWearProtocol
internal import Values

/// A board in reach of the adapters: one object, however many adapters hear it. Some peripherals
/// are strangers, which share only the radio with a board.
final class SimulatedPeripheral {
  var board: SimulatedBoard
  /// The device through which it is linked, by its place among all devices.
  var linkedDevice: Int?
  /// Whether it refuses every request from a host that is not bonded with it.
  var demandsBonding = false
  /// Another central holds it until this time.
  var heldUntil = -Double.infinity
  /// Whether another client of the daemon has acquired the notifications.
  var isAcquiredByOther = false
  /// Notifications for which the listener had no room, or that arrived before it had the socket.
  var dropped = 0
  /// Whether it is not a board.
  let isStranger: Bool
  /// The attributes of its firmware.
  private let firmwareTable: GATTTable

  init(_ board: SimulatedBoard) {
    self.board = board
    isStranger = false
    firmwareTable = GATTTable(of: board)
  }

  /// Another device in the air, such as a wrist band.
  init(stranger number: Int) {
    let address = BoardAddress(value: 0xd0_11_22_33_44_00 + UInt64(number))
    board = SimulatedBoard(.metaWearC, address: address, wearer: StillWearer())
    isStranger = true
    firmwareTable = .stranger
  }

  /// The current attributes.
  var table: GATTTable { board.mode == .bootloader ? .bootloader : firmwareTable }

  var name: String { isStranger ? "Band" : board.advertisedName }

  /// The service in its advertising data.
  var advertisedService: String {
    if isStranger { return GATTTable.heartRateService }
    return board.mode == .bootloader ? GATT.firmwareUpdateService : GATT.service
  }

  /// Whether adapters hear it and can link to it.
  func isAdvertising(at time: Double) -> Bool {
    time >= heldUntil && board.isAdvertising(at: time)
  }

  /// The board's counts so far.
  var counts: BoardCounts {
    BoardCounts(
      address: board.address, notifications: board.notificationsSent, samples: board.samplesSent,
      samplesLost: board.samplesDropped, samplesUnheard: board.samplesUnheard, dropped: dropped,
      complaints: board.complaints)
  }
}
