/// Progress in reading one of the store's lists: waiting chunks, or sessions whose record waits.
enum ReadProgress: Hashable, Sendable {
  /// The store may have more than the queue knows. Next: `reading` or `outdated`.
  case due
  /// The store was asked. Next: `done`, `due` or `outdated`.
  case reading
  /// The store was asked, and something has changed since. Next: `due`.
  case outdated
  /// The store had no more. Next: `due`.
  case done

  /// Whether an answer of the store is pending.
  var isUnderWay: Bool { self == .reading || self == .outdated }

  /// Notes that the list may have grown.
  mutating func expire() { self = isUnderWay ? .outdated : .due }

  /// Notes that the answer has arrived, or that none will.
  mutating func finish(isAll: Bool) { self = self == .reading && isAll ? .done : .due }
}
