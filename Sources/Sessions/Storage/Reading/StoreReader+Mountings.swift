public import Recording
internal import Values

/// Reads how the boards of a session were attached.
extension StoreReader {
  /// Returns the faults of the boards in a session: compared with each other, and with the last
  /// earlier session of the same participant whose mountings are known.
  public func mountingFaults(of session: Session) throws(StoreError) -> [MountingFault] {
    let boards = try placedBoards(of: session.id)
    guard !boards.isEmpty else { return [] }
    return MountingCheck.faults(of: boards, after: try formerBoards(before: session))
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

  private func formerBoards(before session: Session) throws(StoreError) -> [PlacedBoard] {
    guard let participant = session.participant?.id else { return [] }
    let sessions = try sessions().prefix { $0.id != session.id }
    for former in sessions.filter({ $0.participant?.id == participant }).suffix(Self.searched)
      .reversed()
    {
      let boards = try placedBoards(of: former.id)
      if !boards.isEmpty { return boards }
    }
    return []
  }
}
