/// Assembles logged values from their pieces.
///
/// Pieces are paired by their order of arrival, not by their ticks: two halves of a sample may
/// differ by a tick, and several samples may share one. A sample whose last piece is missing never
/// becomes complete and is never returned. The same holds for a sample that a reset of the board
/// cut short. Pieces of one sample may be in two pages of the log. So the waiting pieces are stored
/// along with the samples before a page is confirmed: see `Checkpoint`.
public struct LogAssembler: Sendable {
  /// A logged signal: the triggers that record its pieces, in order.
  public struct Signal: Hashable, Sendable {
    /// The triggers; each records the bytes that follow the bytes of the previous one.
    public let triggers: [LogTrigger]

    /// The packet in which the board would have sent the whole value to the host, so that it is
    /// decoded like any other.
    public func packet(holding bytes: [UInt8]) -> [UInt8] {
      guard let source = triggers.first?.source else { return bytes }
      let header = source.header
      let flags: UInt8 = header.isRead ? 0x80 : 0
      let index = source.index == SignalSource.noIndex ? [] : [source.index]
      return [header.moduleCode, header.register | flags] + index + bytes
    }

    /// Bytes of a sample; an entry has four, whatever length its trigger claims.
    public var length: Int {
      triggers.reduce(0) { $0 + min($1.source.length, LogEntry.dataLength) }
    }
  }

  /// One sample of a logged signal.
  public struct Sample: Hashable, Sendable {
    /// Position of its signal in `signals`.
    public let signal: Int
    /// The clock at the piece that arrived last.
    public let tick: UInt32
    /// Number of resets modulo 8.
    public let resetUID: UInt8
    /// Its bytes, as in the signal's notification after its header.
    public let bytes: [UInt8]
  }

  /// State that must be stored with the samples, so that a later download can continue from it.
  public struct Checkpoint: Hashable, Sendable {
    /// The newest entries of each trigger: all entries of its last tick.
    public var newest: [LogEntry]
    /// Pieces of incomplete samples, in the order of their arrival at each trigger.
    public var waiting: [LogEntry]

    /// A stored checkpoint; empty for a first download.
    public init(newest: [LogEntry] = [], waiting: [LogEntry] = []) {
      self.newest = newest
      self.waiting = waiting
    }
  }

  /// The fate of an entry.
  public enum Outcome: Hashable, Sendable {
    /// Kept until the other pieces of its sample arrive.
    case waiting
    /// It completed a sample.
    case sample(Sample)
    /// Stored before the link was lost, and sent again.
    case repeated
    /// Belongs to no known trigger; it must be reported, not guessed at.
    case unknown
  }

  /// The signals, in the order of their first triggers.
  public let signals: [Signal]

  private let places: [UInt8: (signal: Int, piece: Int)]
  /// The newest entries of each trigger, by arrival; all of one tick.
  private var newest: [UInt8: [LogEntry]]
  private var repetition: LogRepetition
  private var queues: [[[LogEntry]]]
  /// Reset number of the pieces in the queues of each signal.
  private var resets: [UInt8?]

  /// An assembler for these triggers, in the order of their creation, that continues from the
  /// checkpoint of an earlier download.
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

  /// Groups the triggers that log one signal: pieces that adjoin one another in its samples, in the
  /// order of their bytes. A board that reuses ids may list them in any order.
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

  /// Joins two groups once the piece between them has been added.
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

  /// State that must be stored with the samples returned so far.
  public var checkpoint: Checkpoint {
    Checkpoint(
      newest: newest.sorted { $0.key < $1.key }.flatMap(\.value),
      waiting: queues.flatMap { $0.flatMap(\.self) })
  }

  /// Adds the next entry in the order of arrival.
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
    // A reset separates these pieces from the waiting ones; pairing them would assemble all later
    // samples wrongly.
    if resets[place.signal] != entry.resetUID {
      for piece in queues[place.signal].indices { queues[place.signal][piece].removeAll() }
      resets[place.signal] = entry.resetUID
    }
    queues[place.signal][place.piece].append(entry)
  }
}

extension SignalSource {
  /// Whether another piece of the same signal begins where this one ends.
  fileprivate func precedes(_ other: SignalSource) -> Bool {
    header == other.header && index == other.index && offset + length == other.offset
  }
}
