public import Recording
internal import Values

/// Reads how the boards of a session were attached.
extension StoreReader {
  /// Returns the faults of the boards in a session: compared with each other, and with the last
  /// earlier session of the same participant whose mountings are known.
  public func mountingFaults(of session: Session) throws(StoreError) -> [MountingFault] {
    let boards = try placedBoards(of: session.id)
    guard !boards.isEmpty else { return [] }
    return MountingCheck.faults(of: boards, after: try formerBoards(of: boards, before: session))
  }

  /// Returns the boards of a session whose mountings are known, each with its latest mounting.
  private func placedBoards(of session: UniqueID) throws(StoreError) -> [PlacedBoard] {
    var mountings: [BoardAddress: Mounting] = [:]
    for event in try events(of: session) where event.kind == .mounting {
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

  /// The number of a participant's last sessions that are searched for mountings.
  private static var searched: Int { 20 }

  /// Returns the boards that a participant wore at the same places in earlier sessions, each as in
  /// the last session that contains it.
  private func formerBoards(
    of boards: [PlacedBoard], before session: Session
  ) throws(StoreError) -> [PlacedBoard] {
    guard let participant = session.participant?.id else { return [] }
    let sessions = try sessions().prefix { $0.id != session.id }
    var found: [PlacedBoard] = []
    func isFound(_ place: String) -> Bool { found.contains { $0.place == place } }
    for former in sessions.filter({ $0.participant?.id == participant }).suffix(Self.searched)
      .reversed()
    {
      for board in try placedBoards(of: former.id) where !isFound(board.place) {
        found.append(board)
      }
      if boards.allSatisfy({ isFound($0.place) }) { break }
    }
    return found
  }
}
