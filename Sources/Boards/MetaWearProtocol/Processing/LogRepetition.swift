/// Distinguishes new entries from entries that an earlier download stored and that are sent again.
///
/// Entries older than the last stored one are known. At the last tick itself there may be both
/// stored and new entries, since a fast sensor has several samples in a tick. There, the position
/// from which the board starts decides. It sends either the stored entries again, because their
/// confirmation was lost, or the entries after them.
struct LogRepetition: Sendable {
  private let last: [UInt8: LogEntry]
  /// Stored entries of the last tick that have not been sent again.
  private var left: [UInt8: [LogEntry]]
  /// Whether the board repeats stored entries; unknown until it has sent one.
  private var isUnderWay: Bool?

  /// A repetition of these entries: for each trigger, the entries of its last tick.
  init(of stored: [UInt8: [LogEntry]]) {
    last = stored.compactMapValues(\.last)
    left = stored
  }

  /// Takes an entry in the order of arrival; `true` if it is already stored.
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
