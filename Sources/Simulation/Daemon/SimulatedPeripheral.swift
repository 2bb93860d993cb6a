internal import MetaWearProtocol
internal import Values

/// A board in range of the adapters. There is one object per board, no matter how many adapters
/// hear the board. Some peripherals are strangers: other Bluetooth devices that are in range but
/// are not boards.
final class SimulatedPeripheral {
  var board: SimulatedBoard
  /// Index of the device that has a link to the board; `nil` if there is no link.
  var linkedDevice: Int?
  /// Whether the board rejects every request from a host that is not bonded with it.
  var demandsBonding = false
  /// The time until which another central is connected to the board.
  var heldUntil = -Double.infinity
  /// Whether another client of the daemon has acquired the notifications.
  var isAcquiredByOther = false
  /// Number of notifications that did not fit into the listener's socket, or that arrived before
  /// the client had its socket.
  var dropped = 0
  /// Whether the peripheral is not a board.
  let isStranger: Bool
  /// The attributes of the board's normal firmware.
  private let firmwareTable: GATTTable

  init(_ board: SimulatedBoard) {
    self.board = board
    isStranger = false
    firmwareTable = GATTTable(of: board)
  }

  /// Creates another device in range, such as a wrist band.
  init(stranger number: Int) {
    let address = BoardAddress(value: 0xd0_11_22_33_44_00 + UInt64(number))
    board = SimulatedBoard(.metaWearC, address: address, wearer: StillWearer())
    isStranger = true
    firmwareTable = .stranger
  }

  var table: GATTTable { board.mode == .bootloader ? .bootloader : firmwareTable }

  var name: String { isStranger ? "Band" : board.advertisedName }

  /// The service in the peripheral's advertising data.
  var advertisedService: String {
    if isStranger { return GATTTable.heartRateService }
    return board.mode == .bootloader ? GATT.firmwareUpdateService : GATT.service
  }

  /// Returns whether adapters can hear the peripheral and connect to it.
  func isAdvertising(at time: Double) -> Bool {
    time >= heldUntil && board.isAdvertising(at: time)
  }

  var counts: BoardCounts {
    BoardCounts(
      address: board.address, notifications: board.notificationsSent, samples: board.samplesSent,
      samplesLost: board.samplesDropped, samplesUnheard: board.samplesUnheard, dropped: dropped,
      complaints: board.complaints)
  }
}
