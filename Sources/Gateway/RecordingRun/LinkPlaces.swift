internal import BlueZ
internal import LinuxSystem
internal import Values

/// The adapter through which each board is linked, which may change with every link.
///
/// A board whose link was lost keeps its entry, since the board will be linked again.
final class LinkPlaces: Sendable {
  private let adapters = Guarded<[BoardAddress: String]>([:])

  /// Notes the adapter of a board's link; `nil` when the board will not be linked any more.
  func note(_ board: BoardAddress, on adapter: String?) {
    adapters.withLock { $0[board] = adapter }
  }

  /// The link of a board, by adapter and address.
  func place(of board: BoardAddress) -> LinkPlace? {
    adapters.withLock { $0[board] }.map { LinkPlace(adapter: $0, board: board) }
  }

  /// The number of boards on this board's adapter, including itself.
  func company(of board: BoardAddress) -> Int {
    adapters.withLock { adapters in
      guard let own = adapters[board] else { return 0 }
      return adapters.values.count { $0 == own }
    }
  }
}
