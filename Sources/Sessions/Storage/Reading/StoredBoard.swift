public import Recording
internal import SQLite
public import Values

/// A board that a user has registered in a store.
public struct StoredBoard: Hashable, Sendable {
  public var address: BoardAddress
  /// The user's name for the board, which is unique within the store.
  public var name: String
  /// The board's location on the body; empty if the user has not entered one.
  public var placement: String
  /// Model, such as `MetaMotion S`, as last read from the board.
  public var model: String
  /// Firmware revision, such as `1.7.2`, as last read from the board.
  public var firmware: String
  public var added: UTCTime
  /// Time at which the board was last connected; `nil` if it was never connected.
  public var lastSeen: UTCTime?

  public init(
    address: BoardAddress, name: String, placement: String = "", model: String, firmware: String,
    added: UTCTime, lastSeen: UTCTime? = nil
  ) {
    self.address = address
    self.name = name
    self.placement = placement
    self.model = model
    self.firmware = firmware
    self.added = added
    self.lastSeen = lastSeen
  }
}

extension StoreReader {
  /// Returns the registered boards, sorted by name regardless of case.
  public func boards() throws(StoreError) -> [StoredBoard] { try database.storedBoards() }
}

extension Database {
  func storedBoards() throws(StoreError) -> [StoredBoard] {
    try rows(
      """
      SELECT address, name, placement, model, firmware, added_utc_ns, seen_utc_ns FROM known_board
      ORDER BY name COLLATE NOCASE, address
      """
    ) { row in
      StoredBoard(
        address: row.board(0), name: row.text(1), placement: row.text(2), model: row.text(3),
        firmware: row.text(4), added: row.utc(5), lastSeen: row.optionalUTC(6))
    }
  }
}
