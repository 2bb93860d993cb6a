import MetaWearProtocol

/// A simulated board's log memory: entries in pages, oldest first. Its contents survive resets.
struct SimulatedLog: Sendable {
  /// Bytes of flash per entry.
  private static let entryBytes = 8

  let pageEntries: Int
  /// Maximum number of entries. The rest of the last page is considered free.
  var capacity: Int
  /// Whether entries are cached outside the flash until they fill a page or are flushed.
  let hasCache: Bool
  /// Number of pages overwritten because the memory was full.
  private(set) var recycledPages: UInt32 = 0
  /// Number of entries in flash, which a host can read.
  private(set) var count = 0

  private var pages: [[LogEntry]] = []
  private var cache: [LogEntry] = []
  /// Whether the last page was flushed. A flushed page accepts no more entries, even if it is not
  /// full.
  private var isLastPageClosed = false

  /// Creates the memory described by the module info: triggers, capacity, and bytes per page.
  init(_ info: ModuleInfo?, hasCache: Bool) {
    let extra = (info?.extra ?? []) + [UInt8](repeating: 0, count: 7)
    capacity = Int(extra.span.uint32(at: 1))
    let pageBytes = Int(extra.span.uint16(at: 5))
    pageEntries = (pageBytes > 0 ? pageBytes : 512) / Self.entryBytes
    self.hasCache = hasCache
  }

  /// Adds an entry. Returns `false` if the memory is full and must not be overwritten.
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

  /// Writes the cached entries as a separate page.
  mutating func flush() {
    guard !cache.isEmpty else { return }
    pages.append(cache)
    count += cache.count
    cache = []
    isLastPageClosed = true
  }

  /// Drops every entry that is not in flash, as a power failure would.
  mutating func losePower() {
    cache = []
  }

  /// Drops the `number` oldest entries in flash.
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

  /// Returns up to `number` entries starting at `position`, but none beyond the end of their page.
  /// `isPageEnd` is true if they include the page's last entry, or if there are none.
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

/// A log trigger on a simulated board.
struct SimulatedTrigger: Sendable {
  let source: BoardSource
  let offset: Int
  let length: Int
  /// The trigger's four bytes, in the format that a read returns.
  let bytes: [UInt8]

  /// Parses four bytes: module, register, index, and length with offset.
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

/// The progress of a read-out.
struct SimulatedReadOut: Sendable {
  /// Number of entries still to be sent.
  var left: Int
  /// Number of entries between two progress reports; 0 to report after each page.
  let interval: Int
  /// True time of the next packets; `nil` while a page is waiting to be confirmed.
  var next: Double?
  /// Number of entries that were sent but have not been erased yet.
  var position = 0
  /// Number of entries since the last progress report.
  var unreported = 0
  /// The last packet, if it is sent late.
  var late: [UInt8]?
}
