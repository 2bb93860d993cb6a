/// Reads packets from lines of hexadecimal, `btmon` output or a btsnoop file, and detects the
/// format automatically.
///
/// The input may arrive in pieces of any size. Every complete packet is returned immediately, so a
/// growing capture can be followed. Unreadable items are reported.
struct CaptureReader: Sendable {
  private enum Format: Sendable {
    case undecided
    case lines
    case monitor(MonitorText)
    case snoop(SnoopFile)
  }

  // Longer than any line of the text formats. The length is limited because files of other kinds
  // may have no line endings at all.
  private static let longestLine = 65_536

  private var format = Format.undecided
  private var pending: [UInt8] = []
  private var line = 0
  private var isSkipping = false

  /// The number of values that were skipped because they belong to other devices or services.
  var passedOver: Int {
    switch format {
    case .undecided, .lines: 0
    case .monitor(let text): text.passedOver
    case .snoop(let file): file.passedOver
    }
  }

  mutating func read(_ bytes: [UInt8]) -> [CaptureItem] {
    if case .undecided = format {
      pending += bytes
      let known = SnoopFile.identification
      guard pending.count >= known.count || !known.starts(with: pending) else { return [] }
      let first = pending
      pending = []
      format = first.starts(with: known) ? .snoop(SnoopFile()) : .lines
      return read(first)
    }
    if case .snoop(var file) = format {
      format = .lines
      let items = file.read(bytes)
      format = .snoop(file)
      return items
    }
    return readLines(bytes)
  }

  /// Handles the end of the input. The last line may have no line ending.
  mutating func finish() -> [CaptureItem] {
    if case .undecided = format { format = .lines }
    if case .snoop(var file) = format {
      let items = file.finish()
      format = .snoop(file)
      return items
    }
    return pending.isEmpty ? [] : readLines([UInt8(ascii: "\n")])
  }

  private mutating func readLines(_ bytes: [UInt8]) -> [CaptureItem] {
    var items: [CaptureItem] = []
    for piece in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      .enumerated()
    {
      if piece.offset > 0 {
        line += 1
        if !isSkipping, let item = readLine() { items.append(item) }
        pending.removeAll(keepingCapacity: true)
        isSkipping = false
      }
      guard !isSkipping else { continue }
      pending += piece.element
      if pending.count > Self.longestLine {
        isSkipping = true
        pending = []
        items.append(.unreadable(.line(line + 1), reason: "longer than any line of a capture"))
      }
    }
    return items
  }

  private mutating func readLine() -> CaptureItem? {
    let place = CapturedPacket.Place.line(line)
    let text = String(decoding: pending, as: UTF8.self)[...]
    if case .lines = format, MonitorText.isRecognised(text) { format = .monitor(MonitorText()) }
    if case .monitor(var monitor) = format {
      format = .lines
      let item = monitor.read(text, at: place)
      format = .monitor(monitor)
      return item
    }
    do {
      guard let hex = try HexLine(text) else { return nil }
      return .packet(
        CapturedPacket(
          place: place, time: hex.time, direction: hex.direction, bytes: hex.bytes))
    } catch {
      return .unreadable(place, reason: error.reason)
    }
  }
}
