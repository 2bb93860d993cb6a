internal import Values

/// A cache of the most recently used walk copies, limited by number and by total size.
struct WalkShelf<Copy: Sendable>: Sendable {
  private struct Place: Sendable {
    var walk: FleetWalk
    var copy: Copy
    var bytes: Int
  }

  private let most: Int
  private let mostBytes: Int
  /// The cached copies, most recently used last.
  private var places: [Place] = []

  /// Creates a cache for up to `most` copies. Eight copies of day-long walks fit into a gigabyte.
  init(most: Int = 8, mostBytes: Int = 1 << 30) {
    self.most = most
    self.mostBytes = mostBytes
  }

  /// Returns a walk's copy and marks it as most recently used.
  mutating func use(_ walk: FleetWalk) -> Copy? {
    guard let position = places.firstIndex(where: { $0.walk == walk }) else { return nil }
    let place = places.remove(at: position)
    places.append(place)
    return place.copy
  }

  /// Returns the walk with this session id if the cache contains exactly one. Returns `nil` if
  /// several gateways have such a walk.
  func only(_ session: UniqueID) -> FleetWalk? {
    let walks = places.map(\.walk).filter { $0.session == session }
    return walks.count == 1 ? walks[0] : nil
  }

  /// Adds or replaces a walk's copy. Returns the copies to delete. The new copy stays in the cache
  /// regardless of its size, because someone is viewing it.
  mutating func put(_ copy: Copy, of walk: FleetWalk, bytes: Int) -> [Copy] {
    var gone: [Copy] = []
    if let former = places.firstIndex(where: { $0.walk == walk }) {
      gone.append(places.remove(at: former).copy)
    }
    places.append(Place(walk: walk, copy: copy, bytes: bytes))
    while places.count > 1, places.count > most || total > mostBytes {
      gone.append(places.removeFirst().copy)
    }
    return gone
  }

  /// Removes and returns the least recently used copy, or returns `nil` if the cache is empty.
  mutating func removeOldest() -> Copy? { places.isEmpty ? nil : places.removeFirst().copy }

  private var total: Int { places.reduce(0) { $0 + $1.bytes } }
}
