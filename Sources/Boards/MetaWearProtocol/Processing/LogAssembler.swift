/// Assembles values that the board logged in pieces.
///
/// Pieces are paired in order of arrival, not by their ticks. The two halves of a sample may be
/// recorded one tick apart, and several samples may have the same tick. A sample is never returned
/// if its last piece is missing, or if the board was reset before the sample was complete. The
/// pieces of a sample may be spread over two pages of the log. The waiting pieces are therefore
/// stored together with the samples before a page is confirmed; see `Checkpoint`.
public struct LogAssembler: Sendable {
  /// A signal that the board logs, and the triggers that record its pieces in byte order.
  public struct Signal: Hashable, Sendable {
    /// The triggers that log the signal. Each trigger records the bytes that follow those recorded
    /// by the previous trigger.
    public let triggers: [LogTrigger]

    /// Returns the packet that the board would have sent to the host if it had streamed the value
    /// instead of logging it. This packet can be decoded like any streamed packet.
    public func packet(holding bytes: [UInt8]) -> [UInt8] {
      guard let source = triggers.first?.source else { return bytes }
      let header = source.header
      let flags: UInt8 = header.isRead ? 0x80 : 0
      let index = source.index == SignalSource.noIndex ? [] : [source.index]
      return [header.moduleCode, header.register | flags] + index + bytes
    }

    /// Number of bytes in a sample. A log entry contains at most four bytes, regardless of the
    /// length that its trigger declares.
    public var length: Int {
      triggers.reduce(0) { $0 + min($1.source.length, LogEntry.dataLength) }
    }
  }

  /// One sample of a logged signal, assembled from its pieces.
  public struct Sample: Hashable, Sendable {
    /// Index of the sample's signal in `signals`.
    public let signal: Int
    /// The board's clock in ticks when the last piece was recorded.
    public let tick: UInt32
    /// Number of times the board had been reset, modulo 8, when the sample was recorded.
    public let resetUID: UInt8
    /// The sample's bytes, exactly as they would follow the header in a notification.
    public let bytes: [UInt8]
  }

  /// The state that must be stored together with the samples, so that a later download can
  /// continue.
  public struct Checkpoint: Hashable, Sendable {
    /// The newest entries from each trigger: all entries with the trigger's last tick.
    public var newest: [LogEntry]
    /// Pieces of incomplete samples, in order of arrival for each trigger.
    public var waiting: [LogEntry]

    /// An empty checkpoint, the default, is correct for a first download.
    public init(newest: [LogEntry] = [], waiting: [LogEntry] = []) {
      self.newest = newest
      self.waiting = waiting
    }
  }

  /// The result of adding an entry to the assembler.
  public enum Outcome: Hashable, Sendable {
    /// The entry is waiting for the other pieces of its sample.
    case waiting
    /// The entry completed a sample.
    case sample(Sample)
    /// The entry was stored before the link was lost, and the board has sent it again.
    case repeated
    /// The entry does not belong to any known trigger. The caller must report the entry instead of
    /// guessing which signal it belongs to.
    case unknown
  }

  /// The logged signals, sorted by their first triggers.
  public let signals: [Signal]

  private let places: [UInt8: (signal: Int, piece: Int)]
  /// The newest entries from each trigger, in order of arrival. All entries stored for a trigger
  /// have the same tick.
  private var newest: [UInt8: [LogEntry]]
  private var repetition: LogRepetition
  private var queues: [[[LogEntry]]]
  /// Number of board resets, modulo 8, when the newest piece of each signal was recorded. `nil`
  /// before the first piece.
  private var resets: [UInt8?]

  /// Creates an assembler for these triggers, in the order in which the triggers were created. The
  /// assembler continues from the checkpoint of an earlier download.
  public init(_ triggers: [LogTrigger], after checkpoint: Checkpoint = Checkpoint()) {
    let groups = Self.groups(of: triggers)
    signals = groups.map(Signal.init)
    var places: [UInt8: (signal: Int, piece: Int)] = [:]
    for (signal, group) in groups.enumerated() {
      for (piece, trigger) in group.enumerated() { places[trigger.id] = (signal, piece) }
    }
    self.places = places
    newest = Dictionary(grouping: checkpoint.newest, by: \.trigger)
    repetition = LogRepetition(of: newest)
    queues = groups.map { $0.map { _ in [] } }
    resets = groups.map { _ in nil }
    for entry in checkpoint.waiting {
      if let place = places[entry.trigger] { queue(entry, at: place) }
    }
  }

  /// Groups the triggers that log the same signal. The triggers in a group record adjacent pieces
  /// of a sample, in byte order. A board that reuses ids may list the triggers in any order.
  private static func groups(of triggers: [LogTrigger]) -> [[LogTrigger]] {
    var groups: [[LogTrigger]] = []
    for trigger in triggers {
      if let open = groups.lastIndex(where: { $0.last?.source.precedes(trigger.source) == true }) {
        groups[open].append(trigger)
      } else if let open = groups.lastIndex(where: {
        $0.first.map { trigger.source.precedes($0.source) } == true
      }) {
        groups[open].insert(trigger, at: 0)
      } else {
        groups.append([trigger])
        continue
      }
      join(&groups)
    }
    return groups
  }

  /// Joins two groups if the pieces of the second follow those of the first.
  private static func join(_ groups: inout [[LogTrigger]]) {
    for (place, group) in groups.enumerated() {
      guard let end = group.last?.source,
        let next = groups.indices.first(where: { other in
          other != place && groups[other].first.map { end.precedes($0.source) } == true
        })
      else { continue }
      groups[min(place, next)] = group + groups[next]
      groups.remove(at: max(place, next))
      return
    }
  }

  /// The state that must be stored together with all samples returned so far.
  public var checkpoint: Checkpoint {
    Checkpoint(
      newest: newest.sorted { $0.key < $1.key }.flatMap(\.value),
      waiting: queues.flatMap { $0.flatMap(\.self) })
  }

  /// Entries must be added in order of arrival.
  public mutating func add(_ entry: LogEntry) -> Outcome {
    guard let place = places[entry.trigger] else { return .unknown }
    if repetition.includes(entry) { return .repeated }
    if newest[entry.trigger]?.last?.isSimultaneous(with: entry) == true {
      newest[entry.trigger]?.append(entry)
    } else {
      newest[entry.trigger] = [entry]
    }
    queue(entry, at: place)
    guard queues[place.signal].allSatisfy({ !$0.isEmpty }) else { return .waiting }
    var bytes: [UInt8] = []
    for (piece, trigger) in signals[place.signal].triggers.enumerated() {
      let data = queues[place.signal][piece].removeFirst().data.littleEndianBytes
      bytes += data.prefix(trigger.source.length)
    }
    return .sample(
      Sample(signal: place.signal, tick: entry.tick, resetUID: entry.resetUID, bytes: bytes))
  }

  private mutating func queue(_ entry: LogEntry, at place: (signal: Int, piece: Int)) {
    // The board was reset between the waiting pieces and this piece. Pairing them would garble all
    // later samples.
    if resets[place.signal] != entry.resetUID {
      for piece in queues[place.signal].indices { queues[place.signal][piece].removeAll() }
      resets[place.signal] = entry.resetUID
    }
    queues[place.signal][place.piece].append(entry)
  }
}

extension SignalSource {
  /// Whether `other` is a piece of the same signal that starts where this piece ends.
  fileprivate func precedes(_ other: SignalSource) -> Bool {
    header == other.header && index == other.index && offset + length == other.offset
  }
}
