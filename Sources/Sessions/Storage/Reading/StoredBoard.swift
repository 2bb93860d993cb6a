public import Recording
public import Values

/// A board that the user of a store has made known to it.
public struct StoredBoard: Hashable, Sendable {
  /// Its address, by which it is known.
  public var address: BoardAddress
  /// What the user calls it; no other board of the store has the same name.
  public var name: String
  /// Where it is worn; empty where the user did not say.
  public var placement: String
  /// Model, such as `MetaMotion S`, when it was asked last.
  public var model: String
  /// Firmware revision, such as `1.7.2`, when it was asked last.
  public var firmware: String
  /// When it was made known.
  public var added: UTCTime
  /// When it was last linked; `nil` if never.
  public var lastSeen: UTCTime?

  /// A board with the given parts.
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
  /// The boards the store knows, by name.
  public func boards() throws(StoreError) -> [StoredBoard] { try database.storedBoards() }
}

extension Database {
  /// The boards the store knows, by name.
  func storedBoards() throws(StoreError) -> [StoredBoard] {
    var query = try prepare(
      """
      SELECT address, name, placement, model, firmware, added_utc_ns, seen_utc_ns FROM known_board
      ORDER BY name COLLATE NOCASE, address
      """, doing: "read")
    var boards: [StoredBoard] = []
    while try query.step() {
      boards.append(
        StoredBoard(
          address: BoardAddress(value: UInt64(bitPattern: query.integer(0))), name: query.text(1),
          placement: query.text(2), model: query.text(3), firmware: query.text(4),
          added: UTCTime(nanoseconds: query.integer(5)),
          lastSeen: query.optionalInteger(6).map { UTCTime(nanoseconds: $0) }))
    }
    return boards
  }
}
