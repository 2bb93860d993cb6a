import MetaWearProtocol

/// The log memory of a simulated board: entries in pages, oldest first. It survives resets.
struct SimulatedLog: Sendable {
  /// Bytes of flash for one entry.
  private static let entryBytes = 8

  let pageEntries: Int
  /// The greatest number of entries; the rest of the last page counts as free.
  var capacity: Int
  /// Whether entries wait outside the flash until they fill a page or are flushed.
  let hasCache: Bool
  /// Pages overwritten because the memory was full.
  private(set) var recycledPages: UInt32 = 0
  /// Entries in flash, which a host can read.
  private(set) var count = 0

  private var pages: [[LogEntry]] = []
  private var cache: [LogEntry] = []
  /// A flushed page takes no more entries, even if it is not full.
  private var isLastPageClosed = false

  /// The memory described by the module info: triggers, capacity, and bytes of a page.
  init(_ info: ModuleInfo?, hasCache: Bool) {
    let extra = (info?.extra ?? []) + [UInt8](repeating: 0, count: 7)
    capacity = Int(extra.span.uint32(at: 1))
    let pageBytes = Int(extra.span.uint16(at: 5))
    pageEntries = (pageBytes > 0 ? pageBytes : 512) / Self.entryBytes
    self.hasCache = hasCache
  }

  /// Takes an entry; false if the memory is full and may not be overwritten.
  mutating func append(_ entry: LogEntry, isOverwriting: Bool) -> Bool {
    while count + cache.count >= capacity {
      guard isOverwriting, !pages.isEmpty else { return false }
      removeOldest(pages[0].count)
      recycledPages += 1
    }
    guard hasCache else {
      store(entry)
      return true
    }
    cache.append(entry)
    if cache.count == pageEntries { flush() }
    return true
  }

  /// Writes the waiting entries as a separate page.
  mutating func flush() {
    guard !cache.isEmpty else { return }
    pages.append(cache)
    count += cache.count
    cache = []
    isLastPageClosed = true
  }

  /// Drops every entry that is not in flash, as at a loss of power.
  mutating func losePower() {
    cache = []
  }

  /// Drops the oldest entries in flash.
  mutating func removeOldest(_ number: Int) {
    var rest = min(number, count)
    count -= rest
    while rest > 0, let first = pages.first {
      if first.count <= rest {
        pages.removeFirst()
        rest -= first.count
      } else {
        pages[0].removeFirst(rest)
        rest = 0
      }
    }
  }

  /// Up to `number` entries from `position` on, at most to the end of the page; `isPageEnd` says
  /// whether they reach it.
  func read(at position: Int, upTo number: Int) -> (entries: ArraySlice<LogEntry>, isPageEnd: Bool)
  {
    var start = position
    for page in pages {
      if start < page.count {
        let entries = page[start...].prefix(number)
        return (entries, entries.endIndex == page.count)
      }
      start -= page.count
    }
    return ([], true)
  }

  private mutating func store(_ entry: LogEntry) {
    if let last = pages.indices.last, !isLastPageClosed, pages[last].count < pageEntries {
      pages[last].append(entry)
    } else {
      pages.append([entry])
      isLastPageClosed = false
    }
    count += 1
  }
}

/// A log trigger of a simulated board.
struct SimulatedTrigger: Sendable {
  let source: BoardSource
  let offset: Int
  let length: Int
  /// The trigger's four bytes, in their read-back form.
  let bytes: [UInt8]

  /// Reads `module, register, index, length and offset`.
  init(_ bytes: [UInt8]) {
    source = BoardSource(module: bytes[0], register: bytes[1], index: bytes[2])
    offset = Int(bytes[3] & 0x1f)
    length = Int(bytes[3] >> 5) + 1
    self.bytes = bytes
  }
}

/// The part of a board's logging state that a reset clears.
struct SimulatedLogging: Sendable {
  var isOn = false
  var isOverwriting = false
  var triggers: NumberedEntries<SimulatedTrigger> = [:]
  var sendsEntries = false
  var sendsProgress = false
  var sendsPages = false
  var readOut: SimulatedReadOut?
}

/// A read-out under way.
struct SimulatedReadOut: Sendable {
  /// Entries still to be sent.
  var left: Int
  /// Entries between two reports, 0 for a page.
  let interval: Int
  /// True time of the next packets; `nil` while a page waits to be confirmed.
  var next: Double?
  /// Entries sent and not erased.
  var position = 0
  /// Entries since the last report.
  var unreported = 0
  /// A last packet that is sent late, if there is one.
  var late: [UInt8]?
}
