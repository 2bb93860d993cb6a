/// Recognises entries that the board is sending again although an earlier download stored them.
///
/// Entries older than the last stored entry are repeats. A fast sensor produces several samples per
/// tick, so entries with the same tick as the last stored entry may be repeated or new. The first
/// entry that the board sends resolves this ambiguity. The board either repeats all stored entries
/// with that tick, because their confirmation was lost, or continues with the entries after them.
struct LogRepetition: Sendable {
  private let last: [UInt8: LogEntry]
  /// For each trigger, the stored entries at its last tick that the board has not yet repeated.
  private var left: [UInt8: [LogEntry]]
  /// Whether the board is repeating stored entries, or `nil` if this is not yet known.
  private var isUnderWay: Bool?

  /// `stored` contains, for each trigger, the stored entries at its last tick.
  init(of stored: [UInt8: [LogEntry]]) {
    last = stored.compactMapValues(\.last)
    left = stored
  }

  /// Returns whether the next entry is already stored. Must be called for entries in order of
  /// arrival.
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
    // If the board starts at the last stored tick, its first entry shows whether it is repeating
    // stored entries.
    let isRepeated = isUnderWay ?? (entry == left[entry.trigger]?.first)
    isUnderWay = isRepeated
    guard isRepeated, left[entry.trigger]?.isEmpty == false else { return false }
    left[entry.trigger]?.removeFirst()
    return true
  }
}
