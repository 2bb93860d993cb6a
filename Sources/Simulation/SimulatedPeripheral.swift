/// A board in reach of the adapters: one, however many of them hear it.
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
  /// The attributes of its firmware.
  private let firmwareTable: GATTTable

  init(_ board: SimulatedBoard) {
    self.board = board
    firmwareTable = GATTTable(of: board)
  }

  /// The attributes it shows now.
  var table: GATTTable { board.mode == .bootloader ? .bootloader : firmwareTable }

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
