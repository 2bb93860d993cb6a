internal import BlueZ
internal import LinuxSystem
internal import Values

/// Tracks which adapter each board is linked to. The adapter may change with every new link.
///
/// A board that lost its link stays in the list, because it will be linked again.
final class LinkPlaces: Sendable {
  private let adapters = Guarded<[BoardAddress: String]>([:])

  /// Records the adapter of a board's link, or `nil` if the board will not be linked again.
  func note(_ board: BoardAddress, on adapter: String?) {
    adapters.withLock { $0[board] = adapter }
  }

  func place(of board: BoardAddress) -> LinkPlace? {
    adapters.withLock { $0[board] }.map { LinkPlace(adapter: $0, board: board) }
  }

  /// Returns the number of boards on this board's adapter, including the board itself.
  func company(of board: BoardAddress) -> Int {
    adapters.withLock { adapters in
      guard let own = adapters[board] else { return 0 }
      return adapters.values.count { $0 == own }
    }
  }
}
