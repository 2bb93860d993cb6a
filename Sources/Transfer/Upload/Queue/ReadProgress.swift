/// The progress of reading a list from the store: waiting chunks, or sessions with a waiting
/// record.
enum ReadProgress: Hashable, Sendable {
  /// The store may contain items that the queue has not read yet. Next: `reading` or `outdated`.
  case due
  /// A read is in progress. Next: `done`, `due` or `outdated`.
  case reading
  /// A read is in progress, but something has changed since it started. Next: `due`.
  case outdated
  /// The queue has read all items that the store contains. Next: `due`.
  case done

  var isUnderWay: Bool { self == .reading || self == .outdated }

  /// Records that the list in the store may contain more items.
  mutating func expire() { self = isUnderWay ? .outdated : .due }

  /// Records that the read has finished or was abandoned.
  mutating func finish(isAll: Bool) { self = self == .reading && isAll ? .done : .due }
}
