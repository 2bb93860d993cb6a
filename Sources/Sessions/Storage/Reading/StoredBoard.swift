public import Recording
internal import SQLite
public import Values

/// A board that the user has registered in a store.
public struct StoredBoard: Hashable, Sendable {
  /// The board's address, which identifies it.
  public var address: BoardAddress
  /// The user's name for the board; no other board of the store has the same name.
  public var name: String
  /// The board's place on the body; empty if the user gave none.
  public var placement: String
  /// Model, such as `MetaMotion S`, as last read from the board.
  public var model: String
  /// Firmware revision, such as `1.7.2`, as last read from the board.
  public var firmware: String
  /// Time of the registration.
  public var added: UTCTime
  /// Time of the last connection; `nil` if there was none.
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
  /// The boards of the store, by name.
  public func boards() throws(StoreError) -> [StoredBoard] { try database.storedBoards() }
}

extension Database {
  /// The boards of the store, by name.
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
