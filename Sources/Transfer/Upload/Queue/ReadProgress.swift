/// How far one of the store's lists is known: waiting chunks, or sessions whose record waits.
enum ReadProgress: Hashable, Sendable {
  /// The store may have more than the queue knows. Next: `reading` or `outdated`.
  case due
  /// The store was asked. Next: `done`, `due` or `outdated`.
  case reading
  /// The store was asked, and something has changed since. Next: `due`.
  case outdated
  /// The store had no more. Next: `due`.
  case done

  /// Whether an answer of the store is still to come.
  var isUnderWay: Bool { self == .reading || self == .outdated }

  /// Something may have been added to the list.
  mutating func expire() { self = isUnderWay ? .outdated : .due }

  /// The answer has come, or none will.
  mutating func finish(isAll: Bool) { self = self == .reading && isAll ? .done : .due }
}
