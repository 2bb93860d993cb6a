internal import HostController
internal import LinuxSystem
internal import Values

/// Through which adapter each board is linked, which may be another one with every link.
///
/// A board whose link was lost keeps its place, since it will be back.
final class LinkPlaces: Sendable {
  private let adapters = Guarded<[BoardAddress: String]>([:])

  /// Notes where a board is linked; `nil` when it will not be any more.
  func note(_ board: BoardAddress, on adapter: String?) {
    adapters.withLock { $0[board] = adapter }
  }

  /// Where a board is linked.
  func place(of board: BoardAddress) -> LinkPlace? {
    adapters.withLock { $0[board] }.map { LinkPlace(adapter: $0, board: board) }
  }

  /// Boards on the adapter of this one, itself among them.
  func company(of board: BoardAddress) -> Int {
    adapters.withLock { adapters in
      guard let own = adapters[board] else { return 0 }
      return adapters.values.count { $0 == own }
    }
  }
}
