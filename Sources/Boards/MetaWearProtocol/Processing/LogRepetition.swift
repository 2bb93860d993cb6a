/// Recognises entries that an earlier download has stored and that the board sends again.
///
/// Entries older than the last stored one are repeated. At the tick of the last stored entry, there
/// may be both stored and new entries, because a fast sensor produces several samples per tick. In
/// that case, the first entry that the board sends is decisive. The board either repeats the stored
/// entries, because their confirmation was lost, or continues with the entries after them.
struct LogRepetition: Sendable {
  private let last: [UInt8: LogEntry]
  /// Stored entries with each trigger's last tick that the board has not yet repeated.
  private var left: [UInt8: [LogEntry]]
  /// Whether the board is repeating stored entries, or `nil` if this is not known yet.
  private var isUnderWay: Bool?

  /// Creates the filter. `stored` contains the stored entries with each trigger's last tick.
  init(of stored: [UInt8: [LogEntry]]) {
    last = stored.compactMapValues(\.last)
    left = stored
  }

  /// Returns whether the next entry is already stored. Must be called for entries in the order of
  /// their arrival.
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
    // If a short page contains only one tick, its first entry is decisive.
    let isRepeated = isUnderWay ?? (entry == left[entry.trigger]?.first)
    isUnderWay = isRepeated
    guard isRepeated, left[entry.trigger]?.isEmpty == false else { return false }
    left[entry.trigger]?.removeFirst()
    return true
  }
}
