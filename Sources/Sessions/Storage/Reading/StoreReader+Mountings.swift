public import Recording
internal import SQLite
internal import Values

/// Reads how a session's boards were attached.
extension StoreReader {
  /// Compares the mountings of a session's boards with each other and with the participant's
  /// earlier sessions.
  public func mountingFaults(of session: Session) throws(StoreError) -> [MountingFault] {
    let boards = try placedBoards(of: session.id)
    guard !boards.isEmpty else { return [] }
    return MountingCheck.faults(of: boards, after: try formerBoards(of: boards, before: session))
  }

  /// Returns a session's boards with known mountings, each with its latest mounting.
  private func placedBoards(of session: UniqueID) throws(StoreError) -> [PlacedBoard] {
    var mountings: [BoardAddress: Mounting] = [:]
    for event in try database.events(of: session, only: .mounting) {
      guard let board = event.board,
        let mounting = Mounting(text: event.text, looseness: event.value ?? 0)
      else { continue }
      mountings[board] = mounting
    }
    guard !mountings.isEmpty else { return [] }
    let placements = try placements(of: session)
    return try boards(of: session).compactMap { board in
      mountings[board.address].map {
        PlacedBoard(board.address, at: placements[board.address] ?? board.name, $0)
      }
    }
  }

  /// Maximum number of a participant's latest sessions to search for mountings.
  private static var searched: Int { 20 }

  /// Returns the boards that a participant wore at these places in earlier sessions. For each
  /// place, this is the board in the latest session with a known mounting at that place.
  private func formerBoards(
    of boards: [PlacedBoard], before session: Session
  ) throws(StoreError) -> [PlacedBoard] {
    guard let participant = session.participant?.id else { return [] }
    let former = try database.rows(
      """
      SELECT id FROM session
      WHERE (number, boot_id, start_ns, id) <
          (SELECT number, boot_id, start_ns, id FROM session WHERE id = ?1)
        AND iif(json_valid(participant), json_extract(participant, '$.id'), NULL) = ?2
      ORDER BY number DESC, boot_id DESC, start_ns DESC, id DESC LIMIT \(Self.searched)
      """, [session.id, participant]
    ) { row throws(StoreError) in try row.id(0) }
    var found: [PlacedBoard] = []
    func isFound(_ place: String) -> Bool { found.contains { $0.place == place } }
    for session in former {
      for board in try placedBoards(of: session) where !isFound(board.place) {
        found.append(board)
      }
      if boards.allSatisfy({ isFound($0.place) }) { break }
    }
    return found
  }
}
