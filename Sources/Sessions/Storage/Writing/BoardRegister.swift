public import Recording
public import Values

/// The boards of a store, for changes. One thread uses it.
///
/// Each call is one short transaction, also while a recorder has the store: it writes no table of
/// the recorder, and waits some milliseconds for the recorder's lock. Opening an older store adds
/// an index first.
public struct BoardRegister: ~Copyable {
  private let database: Database

  /// Opens the store at `path`, and creates it if there is none. The folder must exist.
  public init(path: String) throws(StoreError) {
    let database = try Database.open(path: path, mode: .recording)
    let version = try database.checkSchema(mayBeNew: true)
    // The same options as the recorder's: a store has one mode for all connections.
    if version == 0 { try database.choosePageSize() }
    try database.prepareForWriting()
    try database.migrate(from: version)
    self.database = database
  }

  /// All boards, by name.
  public func boards() throws(StoreError) -> [StoredBoard] {
    try database.storedBoards()
  }

  /// Registers a board, or replaces its description; the time when it was added stays.
  ///
  /// Throws `.refused` when another board has the name.
  public func remember(_ board: StoredBoard) throws(StoreError) {
    try database.transaction(doing: doing(board.address)) { () throws(StoreError) in
      try refuseTaken(board.name, for: board.address)
      var insert = try database.prepare(
        """
        INSERT INTO known_board (address, name, placement, model, firmware, added_utc_ns, seen_utc_ns)
        VALUES (?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (address) DO UPDATE SET name = excluded.name, placement = excluded.placement,
          model = excluded.model, firmware = excluded.firmware, seen_utc_ns = excluded.seen_utc_ns
        """, doing: doing(board.address))
      try insert.bind(Int64(board.address.value))
      try insert.bind(board.name)
      try insert.bind(board.placement)
      try insert.bind(board.model)
      try insert.bind(board.firmware)
      try insert.bind(board.added.nanoseconds)
      try insert.bind(board.lastSeen?.nanoseconds)
      try insert.run()
    }
  }

  /// Gives a registered board another name, another placement, or both; `nil` leaves one unchanged.
  ///
  /// Returns the board's new description; `nil` if the board is not registered. Throws `.refused`
  /// when another board has the name.
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

  /// Notes that a board was linked, with its model and firmware. An unregistered board is ignored.
  public func noteSeen(_ board: BoardIdentity, at time: UTCTime) throws(StoreError) {
    var update = try database.prepare(
      "UPDATE known_board SET model = ?, firmware = ?, seen_utc_ns = ? WHERE address = ?",
      doing: doing(board.address))
    try update.bind(board.model)
    try update.bind(board.firmware)
    try update.bind(time.nanoseconds)
    try update.bind(Int64(board.address.value))
    try update.run()
  }

  /// Removes a board. Returns whether it was registered. Its recordings stay.
  public func forget(_ address: BoardAddress) throws(StoreError) -> Bool {
    var delete = try database.prepare(
      "DELETE FROM known_board WHERE address = ?", doing: doing(address))
    try delete.bind(Int64(address.value))
    try delete.run()
    return database.changes == 1
  }

  private func set(_ column: String, to text: String, of address: BoardAddress) throws(StoreError) {
    var update = try database.prepare(
      "UPDATE known_board SET \(column) = ? WHERE address = ?", doing: doing(address))
    try update.bind(text)
    try update.bind(Int64(address.value))
    try update.run()
  }

  private func refuseTaken(_ name: String, for address: BoardAddress) throws(StoreError) {
    var query = try database.prepare(
      "SELECT address FROM known_board WHERE name = ? COLLATE NOCASE AND address <> ?",
      doing: doing(address))
    try query.bind(name)
    try query.bind(Int64(address.value))
    guard try query.step() else { return }
    let other = BoardAddress(value: UInt64(bitPattern: query.integer(0)))
    throw StoreError(
      .refused, "cannot call board \(address) '\(name)': board \(other) has that name",
      remedy: "choose another name, or rename the other with 'footbridge boards set'")
  }

  private func doing(_ address: BoardAddress) -> String { "note board \(address) in" }
}
