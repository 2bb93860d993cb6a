/// Distinguishes entries that an earlier download stored, and that are sent again, from new ones.
///
/// Entries older than the last stored one are known. At the last tick itself there may be both
/// stored entries and new ones, since a fast sensor has several samples in a tick. There the
/// board's starting point decides: either the stored entries, because their confirmation was lost,
/// or the entries after them.
struct LogRepetition: Sendable {
  private let last: [UInt8: LogEntry]
  /// Stored entries of the last tick that have not been sent again.
  private var left: [UInt8: [LogEntry]]
  /// Whether the board repeats stored entries; unknown until it has sent one.
  private var isUnderWay: Bool?

  /// A repetition of these entries: for each trigger, those of its last tick.
  init(of stored: [UInt8: [LogEntry]]) {
    last = stored.compactMapValues(\.last)
    left = stored
  }

  /// Takes an entry in the order of arrival; `true` if it is stored already.
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
    // If a short page contains only one tick, its content decides.
    let isRepeated = isUnderWay ?? (entry == left[entry.trigger]?.first)
    isUnderWay = isRepeated
    guard isRepeated, left[entry.trigger]?.isEmpty == false else { return false }
    left[entry.trigger]?.removeFirst()
    return true
  }
}
