import MetaWearProtocol

extension SimulatedBoard {
  /// Details of logging that differ between firmware versions or are unknown.
  public struct LogBehaviour: Hashable, Sendable {
    /// The reply to a query for a trigger or a data processor that does not exist.
    public enum EmptySlot: Hashable, Sendable, CaseIterable {
      /// There is no reply, as with current firmware.
      case silence
      /// The reply consists only of the header.
      case header
      /// The reply contains a value in which every byte is ff.
      case filler
    }

    public var emptySlot = EmptySlot.silence
    /// Whether the board reports the end of a read-out before the end of its last page.
    public var tellsEndFirst = false
    /// Whether the last entries are sent after the board has reported the end of the read-out.
    public var sendsEntriesLate = false
  }

  private static let maximumTriggers = 8
  /// Number of packets that a link can carry in one connection interval.
  private static let packetsPerInterval = 4
  /// Seconds between the log entries of the same value.
  private static let pieceSeconds = 40e-6

  mutating func executeLogging(_ header: PacketHeader, _ bytes: [UInt8]) -> Bool {
    let revision = model.modules[.logging]?.revision ?? 0
    switch (header.register, header.isRead, bytes.count) {
    case (0x01, false, 3): state.logging.isOn = bytes[2] != 0
    case (0x02, false, 6): addTrigger(bytes)
    case (0x02, true, 3):
      answer([0x0b, 0x82], state.logging.triggers[bytes[2]]?.bytes, emptyLength: 4)
    case (0x03, false, 3):
      if !state.logging.triggers.remove(bytes[2]) { complain("there is no such trigger", bytes) }
    case (0x0a, false, 2):
      if isLogIdle(bytes) { state.logging.triggers = [:] }
    case (0x04, true, 2): send([0x0b, 0x84] + tick.littleEndianBytes + [resetUID])
    case (0x05, true, 2): send([0x0b, 0x85] + UInt32(log.count).littleEndianBytes)
    case (0x06, false, 10): readOut(bytes)
    case (0x07, false, 3): state.logging.sendsEntries = bytes[2] != 0
    case (0x08, false, 3): state.logging.sendsProgress = bytes[2] != 0
    case (0x09, false, 6):
      if isLogIdle(bytes) {
        log.removeOldest(Int(bytes.span.uint32(at: 2)))
        state.logging.readOut = nil
      }
    case (0x0b, false, 3): state.logging.isOverwriting = bytes[2] != 0
    case (0x0c, true, 2): send([0x0b, 0x8c] + log.recycledPages.littleEndianBytes)
    case (0x0d, false, 3) where revision >= 2: state.logging.sendsPages = bytes[2] != 0
    case (0x0e, false, 2) where revision >= 2: confirmPage(bytes)
    // Garbage collection is instantaneous here, so there is nothing to disable.
    case (0x0f, false, 3): break
    case (0x10, false, 3) where revision >= 3 && bytes[2] == 1: log.flush()
    default: return false
    }
    return true
  }

  /// Returns whether logging is off. The board removes entries, or all triggers at once, only while
  /// logging is off.
  private mutating func isLogIdle(_ bytes: [UInt8]) -> Bool {
    if state.logging.isOn { complain("ignored while the log is on", bytes) }
    return !state.logging.isOn
  }

  /// Answers a query for a trigger or a data processor. If it does not exist, the reply depends on
  /// `logBehaviour`.
  mutating func answer(_ header: [UInt8], _ found: [UInt8]?, emptyLength: Int) {
    if let found {
      send(header + found)
      return
    }
    switch logBehaviour.emptySlot {
    case .silence: break
    case .header: send(header)
    case .filler: send(header + [UInt8](repeating: 0xff, count: emptyLength))
    }
  }

  private mutating func addTrigger(_ bytes: [UInt8]) {
    guard canCreate(bytes) else { return }
    let trigger = SimulatedTrigger(Array(bytes.dropFirst(2)))
    guard trigger.length <= 4 else {
      complain("a trigger records at most 4 bytes, not \(trigger.length)", bytes)
      return
    }
    guard let length = valueLength(of: trigger.source) else {
      complain("this source has no value to record", bytes)
      return
    }
    guard trigger.offset + trigger.length <= length else {
      complain("the value of this source has only \(length) bytes", bytes)
      return
    }
    let maximum = Self.maximumTriggers
    guard
      let id = state.logging.triggers.freeNumber(below: maximum)
    else {
      complain("all \(maximum) triggers are in use", bytes)
      return
    }
    state.logging.triggers[id] = trigger
    send([0x0b, 0x02, id])
  }

  /// Records the parts of a value that the triggers select.
  mutating func record(_ value: BoardValue, from source: BoardSource) {
    guard state.logging.isOn else { return }
    var piece = 0.0
    for id in state.logging.triggers.numbers {
      guard let trigger = state.logging.triggers[id], trigger.source == source,
        value.bytes.count >= trigger.offset + trigger.length
      else { continue }
      // Four bytes are stored regardless of the trigger's length. Bytes beyond that length come
      // from the rest of the value.
      let data = (value.bytes.dropFirst(trigger.offset) + [0, 0, 0, 0]).prefix(4)
      let entry = LogEntry(
        trigger: id, resetUID: resetUID, tick: tick(at: now + piece * Self.pieceSeconds),
        data: Array(data).span.uint32(at: 0))
      piece += 1
      guard log.append(entry, isOverwriting: state.logging.isOverwriting) else { return }
    }
  }

  // MARK: Read-out

  private mutating func readOut(_ bytes: [UInt8]) {
    guard state.logging.sendsEntries else {
      complain("a read-out without a subscription to entries", bytes)
      return
    }
    let entries = min(Int(bytes.span.uint32(at: 2)), log.count)
    state.logging.readOut = SimulatedReadOut(
      left: entries, interval: Int(bytes.span.uint32(at: 6)), next: now)
    if entries == 0 {
      tellEnd()
      state.logging.readOut = nil
    }
  }

  /// Seconds between connection events, as requested by the client.
  private var connectionInterval: Double {
    Double(max(6, state.settings.connectionParameters.span.uint16(at: 0))) * 0.001_25
  }

  /// True time of the next packets in a read-out.
  var nextReadOut: Double? {
    isLinkUp ? state.logging.readOut?.next : nil
  }

  /// Sends as many packets as fit into one connection interval.
  mutating func continueReadOut() {
    guard var readOut = state.logging.readOut, readOut.next != nil else { return }
    readOut.next = now + connectionInterval
    state.logging.readOut = readOut
    guard isNotifying, faults.isWorking(at: now) else { return }
    for _ in 0..<Self.packetsPerInterval {
      let isPageEnd = sendEntries(&readOut)
      state.logging.readOut = readOut
      if readOut.left == 0 || isPageEnd && state.logging.sendsPages {
        finishPage()
        return
      }
    }
  }

  /// Sends one packet of entries, and the progress report if it is due. Returns `true` at the end
  /// of a page.
  private mutating func sendEntries(_ readOut: inout SimulatedReadOut) -> Bool {
    let room = readOut.interval > 0 ? readOut.interval - readOut.unreported : 2
    let (entries, isPageEnd) = log.read(at: readOut.position, upTo: min(2, readOut.left, room))
    readOut.position += entries.count
    readOut.unreported += entries.count
    // Entries may have been overwritten since the request, so fewer may exist than were requested.
    readOut.left = entries.isEmpty ? 0 : readOut.left - entries.count
    if !entries.isEmpty {
      let packet = [0x0b, 0x07] + entries.flatMap(Self.encode)
      if readOut.left == 0, logBehaviour.sendsEntriesLate {
        readOut.late = packet
      } else {
        send(packet)
      }
    }
    let isReportDue = readOut.interval > 0 ? readOut.unreported == readOut.interval : isPageEnd
    if isReportDue, readOut.left > 0 {
      readOut.unreported = 0
      report(left: readOut.left)
    }
    return isPageEnd
  }

  /// Reports the end of a page. If the client requested confirmations, then waits for the client to
  /// confirm the page.
  private mutating func finishPage() {
    state.logging.readOut?.next = nil
    let isLast = state.logging.readOut?.left == 0
    if isLast, logBehaviour.tellsEndFirst || !state.logging.sendsPages { tellEnd() }
    if state.logging.sendsPages { send([0x0b, 0x0d]) } else { state.logging.readOut = nil }
  }

  private mutating func confirmPage(_ bytes: [UInt8]) {
    guard let readOut = state.logging.readOut, readOut.next == nil else {
      complain("there is no page to confirm", bytes)
      return
    }
    log.removeOldest(readOut.position)
    if readOut.left > 0 {
      var rest = readOut
      rest.position = 0
      rest.next = now + connectionInterval
      state.logging.readOut = rest
    } else {
      if !logBehaviour.tellsEndFirst { tellEnd() }
      state.logging.readOut = nil
    }
  }

  /// Reports that no entries are left, and then sends any late entries.
  private mutating func tellEnd() {
    report(left: 0)
    if let late = state.logging.readOut?.late { send(late) }
  }

  private mutating func report(left: Int) {
    guard state.logging.sendsProgress else { return }
    send([0x0b, 0x08] + UInt32(left).littleEndianBytes)
  }

  private static func encode(_ entry: LogEntry) -> [UInt8] {
    [entry.resetUID << 5 | entry.trigger] + entry.tick.littleEndianBytes
      + entry.data.littleEndianBytes
  }
}

extension BoardModel {
  /// Whether log entries are cached until they fill a page, like those for the MetaMotion S's NAND
  /// flash.
  var hasLogCache: Bool { modelNumber == "8" }
}
