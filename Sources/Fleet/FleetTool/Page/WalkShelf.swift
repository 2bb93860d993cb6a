internal import Values

/// The kept copies of walks: the most recently used, up to a number and a size.
struct WalkShelf<Copy: Sendable>: Sendable {
  private struct Place: Sendable {
    var walk: FleetWalk
    var copy: Copy
    var bytes: Int
  }

  private let most: Int
  private let mostBytes: Int
  /// Most recently used last.
  private var places: [Place] = []

  /// A shelf for `most` copies. Eight copies of a day each fit into a gigabyte.
  init(most: Int = 8, mostBytes: Int = 1 << 30) {
    self.most = most
    self.mostBytes = mostBytes
  }

  /// The copy of a walk, which counts as used now.
  mutating func use(_ walk: FleetWalk) -> Copy? {
    guard let position = places.firstIndex(where: { $0.walk == walk }) else { return nil }
    let place = places.remove(at: position)
    places.append(place)
    return place.copy
  }

  /// The walk of a session, if copies from only one gateway are kept.
  func only(_ session: UniqueID) -> FleetWalk? {
    let walks = places.map(\.walk).filter { $0.session == session }
    return walks.count == 1 ? walks[0] : nil
  }

  /// Keeps a copy of a walk, in place of an earlier one. Returns the copies to be removed. The new
  /// one stays whatever its size: someone wants to see it.
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

  /// Removes the least recently used copy; `nil` if none is kept.
  mutating func removeOldest() -> Copy? { places.isEmpty ? nil : places.removeFirst().copy }

  private var total: Int { places.reduce(0) { $0 + $1.bytes } }
}
