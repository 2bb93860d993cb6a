/// Tells entries that were stored in an earlier download, and come again, from new ones.
///
/// Entries older than the last one stored are known. At the last tick itself there may be stored
/// entries and new ones, since a fast sensor has several samples in a tick. There it matters
/// where the board begins: with the stored entries, because their confirmation was lost, or after
/// them.
struct LogRepetition: Sendable {
  private let last: [UInt8: LogEntry]
  /// Stored entries of the last tick that have not come again.
  private var left: [UInt8: [LogEntry]]
  /// Whether the board repeats stored entries; unknown until it has sent something.
  private var isUnderWay: Bool?

  /// A repetition of these entries, of each trigger those of its last tick.
  init(of stored: [UInt8: [LogEntry]]) {
    last = stored.compactMapValues(\.last)
    left = stored
  }

  /// Takes an entry in the order of arrival; `true` if it was stored.
  mutating func includes(_ entry: LogEntry) -> Bool {
    guard let last = last[entry.trigger] else { return false }
    if entry.isNewer(than: last) {
      isUnderWay = isUnderWay ?? false
      return false
    }
    guard entry.isSimultaneous(with: last) else {
      isUnderWay = true
      return true
    }
    // A page so short that all of it is of one tick shows by its content.
    let isRepeated = isUnderWay ?? (entry == left[entry.trigger]?.first)
    isUnderWay = isRepeated
    guard isRepeated, left[entry.trigger]?.isEmpty == false else { return false }
    left[entry.trigger]?.removeFirst()
    return true
  }
}
