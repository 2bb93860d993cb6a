public import Recording
internal import SQLite
public import Values

/// Registers boards in a store, and edits their descriptions. Not thread-safe.
///
/// Each call is one short transaction, and works even while a recorder is using the store. Calls do
/// not write to any of the recorder's tables, and wait a few milliseconds for the recorder's lock.
/// Opening a store from an earlier version migrates it.
public struct BoardRegister: ~Copyable {
  private let database: Database

  /// Opens the store at `path`, or creates it if it does not exist. The folder must exist.
  public init(path: String) throws(StoreError) {
    let database = try Database.open(path: path, mode: .recording)
    let version = try database.checkSchema(mayBeNew: true)
    // The recorder uses the same options, since all connections to a store share one journal mode.
    if version == 0 { try database.choosePageSize() }
    try database.prepareForWriting()
    try database.migrate(from: version)
    self.database = database
  }

  /// Returns all boards, sorted by name.
  public func boards() throws(StoreError) -> [StoredBoard] {
    try database.storedBoards()
  }

  /// Registers a board. If the board is already registered, replaces its description but keeps the
  /// time of its registration.
  ///
  /// Throws `.refused` if another board already has the name.
  public func remember(_ board: StoredBoard) throws(StoreError) {
    try database.transaction(doing: doing(board.address)) { () throws(StoreError) in
      try refuseTaken(board.name, for: board.address)
      try database.run(
        """
        INSERT INTO known_board (address, name, placement, model, firmware, added_utc_ns, seen_utc_ns)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (address) DO UPDATE SET name = excluded.name, placement = excluded.placement,
          model = excluded.model, firmware = excluded.firmware, seen_utc_ns = excluded.seen_utc_ns
        """,
        [
          board.address, board.name, board.placement, board.model, board.firmware, board.added,
          board.lastSeen,
        ], doing: doing(board.address))
    }
  }

  /// Changes the name, the placement, or both, of a registered board. A value that is `nil` is not
  /// changed.
  ///
  /// Returns the board's new description; `nil` if the board is not registered. Throws `.refused`
  /// if another board already has the name.
  public func change(
    _ address: BoardAddress, name: String?, placement: String?
  ) throws(StoreError) -> StoredBoard? {
    try database.transaction(doing: doing(address)) { () throws(StoreError) in
      if let name {
        try refuseTaken(name, for: address)
        try set("name", to: name, of: address)
      }
      if let placement { try set("placement", to: placement, of: address) }
    }
    return try boards().first { $0.address == address }
  }

  /// Records that a board was connected, and which model and firmware it reported. An unregistered
  /// board is ignored.
  public func noteSeen(_ board: BoardIdentity, at time: UTCTime) throws(StoreError) {
    try database.run(
      "UPDATE known_board SET model = ?, firmware = ?, seen_utc_ns = ? WHERE address = ?",
      [board.model, board.firmware, time, board.address], doing: doing(board.address))
  }

  /// Removes a board from the register. Returns whether it was registered. Recordings of the board
  /// remain.
  public func forget(_ address: BoardAddress) throws(StoreError) -> Bool {
    let forgotten = try database.run(
      "DELETE FROM known_board WHERE address = ?", [address], doing: doing(address))
    return forgotten == 1
  }

  private func set(_ column: String, to text: String, of address: BoardAddress) throws(StoreError) {
    try database.run(
      "UPDATE known_board SET \(column) = ? WHERE address = ?", [text, address],
      doing: doing(address))
  }

  private func refuseTaken(_ name: String, for address: BoardAddress) throws(StoreError) {
    let other = try database.first(
      "SELECT address FROM known_board WHERE name = ? COLLATE NOCASE AND address <> ?",
      [name, address], doing: doing(address)
    ) { row in row.board(0) }
    guard let other else { return }
    throw StoreError(
      .refused, "cannot call board \(address) '\(name)': board \(other) has that name",
      remedy: "choose another name, or rename the other board with 'footbridge boards set'")
  }

  private func doing(_ address: BoardAddress) -> String { "update board \(address) in" }
}
