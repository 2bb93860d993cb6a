internal import MetaWearProtocol
internal import Values

/// A board in reach of the adapters: one, however many of them hear it. Some are strangers: they
/// have the radio of a board and nothing else of it.
final class SimulatedPeripheral {
  var board: SimulatedBoard
  /// The device over which it is linked, by its place among all devices.
  var linkedDevice: Int?
  /// Whether it refuses everything from those it is not bonded with.
  var demandsBonding = false
  /// Another central holds it until this time.
  var heldUntil = -Double.infinity
  /// Whether another client of the daemon has acquired its notifications.
  var isAcquiredByOther = false
  /// Notifications the listener had no room for, or that came before it was told where they come.
  var dropped = 0
  /// Whether it is no board at all.
  let isStranger: Bool
  /// The attributes of its firmware.
  private let firmwareTable: GATTTable

  init(_ board: SimulatedBoard) {
    self.board = board
    isStranger = false
    firmwareTable = GATTTable(of: board)
  }

  /// Something else that is in the air, such as a wrist band.
  init(stranger number: Int) {
    let address = BoardAddress(value: 0xd0_11_22_33_44_00 + UInt64(number))
    board = SimulatedBoard(.metaWearC, address: address, wearer: StillWearer())
    isStranger = true
    firmwareTable = .stranger
  }

  /// The attributes it shows now.
  var table: GATTTable { board.mode == .bootloader ? .bootloader : firmwareTable }

  /// The name it advertises.
  var name: String { isStranger ? "Band" : board.advertisedName }

  /// The service in its advertising data.
  var advertisedService: String {
    if isStranger { return GATTTable.heartRateService }
    return board.mode == .bootloader ? GATT.firmwareUpdateService : GATT.service
  }

  /// Whether adapters hear it and can link it.
  func isAdvertising(at time: Double) -> Bool {
    time >= heldUntil && board.isAdvertising(at: time)
  }

  /// What the board has done so far.
  var counts: BoardCounts {
    BoardCounts(
      address: board.address, notifications: board.notificationsSent, samples: board.samplesSent,
      samplesLost: board.samplesDropped, samplesUnheard: board.samplesUnheard, dropped: dropped,
      complaints: board.complaints)
  }
}
