internal import BlueZ
internal import LinuxSystem
internal import Values

/// The adapter through which each board is linked. It may change with every link.
///
/// A board whose link was lost keeps its entry, since it will be linked again.
final class LinkPlaces: Sendable {
  private let adapters = Guarded<[BoardAddress: String]>([:])

  /// Notes the adapter of a board's link; `nil` if the board will not be linked again.
  func note(_ board: BoardAddress, on adapter: String?) {
    adapters.withLock { $0[board] = adapter }
  }

  func place(of board: BoardAddress) -> LinkPlace? {
    adapters.withLock { $0[board] }.map { LinkPlace(adapter: $0, board: board) }
  }

  /// The number of boards on this board's adapter, including the board itself.
  func company(of board: BoardAddress) -> Int {
    adapters.withLock { adapters in
      guard let own = adapters[board] else { return 0 }
      return adapters.values.count { $0 == own }
    }
  }
}
