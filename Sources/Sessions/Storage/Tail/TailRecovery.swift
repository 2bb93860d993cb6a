internal import ChunkFormat
internal import Recording
internal import Values

/// The data recovered from the tail of an interrupted recorder.
public struct TailRecovery: Hashable, Sendable {
  /// Recovered samples.
  public var samples = 0
  /// Chunks sealed from these samples.
  public var chunks = 0
  /// Recovered fixes that were not in the store yet.
  public var fixes = 0
  /// Samples that the recorder received, but whose frames are not complete on the disk.
  public var missing = 0
  /// Bytes of such frames.
  public var damagedBytes = 0
  /// Damaged chunks of the store that were set aside before the recovery.
  public var damagedChunks = 0
  /// Files that could not be read, or whose session is unknown, by their new names.
  public var kept: [String] = []
}

/// The assembled content of a recorder's tail.
struct TailContent {
  private struct Place: Hashable {
    var stream: Int
    var sequence: UInt32
  }

  /// The streams, in the order of their first record, as chunks without samples.
  private(set) var outlines: [Chunk] = []
  private(set) var fixes: [Fix] = []
  private var knownFixes: Set<Fix> = []
  private(set) var entries: [ClockTable.Entry] = []
  private(set) var events: [SessionEvent] = []
  /// The last time at which the recorder was alive and had nothing to write.
  private(set) var alive: BootTime?
  private var knownEvents: Set<SessionEvent> = []
  private(set) var damagedBytes = 0
  /// Samples of streams that no frame names.
  private(set) var nameless = 0
  private var assemblies: [Place: ChunkAssembly] = [:]
  /// Places in the order of their first piece.
  private var places: [Place] = []
  /// The losses after the last sample of each stream, as chunks without samples.
  private var endings: [Chunk] = []

  /// Reads one file, after the files before it.
  mutating func read(_ bytes: [UInt8]) {
    // Zeros follow the frames of a file; before its first sync a file may contain only zeros.
    let end = bytes.lastIndex { $0 != 0 }.map { $0 + 1 } ?? 0
    guard end > 0 else { return }
    guard bytes.count >= TailSegment.headerSize, bytes.starts(with: TailSegment.magic) else {
      damagedBytes += end
      return
    }
    let tail = (0..<8).reduce(UInt64(0)) { number, index in
      number | UInt64(bytes[TailSegment.magic.count + index]) << UInt64(8 * index)
    }
    var scanner = TailScanner(tail: tail, offset: TailSegment.headerSize, end: end)
    var streams: [UInt16: Int] = [:]
    // If the frame that first names the streams is damaged, a later one names them again.
    var unnamed: [UInt16: [ChunkPiece]] = [:]
    while let records = scanner.next(in: bytes.span) {
      for record in records {
        switch record {
        case .stream(let number, let outline):
          let stream = position(of: outline)
          streams[number] = stream
          if !outline.gaps.isEmpty { endings.append(outline) }
          for piece in unnamed.removeValue(forKey: number) ?? [] { take(piece, of: stream) }
        case .samples(let number, let piece):
          if let stream = streams[number] {
            take(piece, of: stream)
          } else {
            unnamed[number, default: []].append(piece)
          }
        default: take(record)
        }
      }
    }
    nameless += unnamed.values.joined().reduce(0) { $0 + $1.counters.count }
    damagedBytes += scanner.damaged
  }

  /// The position of a stream in `outlines`, to which it is added if it is new.
  private mutating func position(of outline: Chunk) -> Int {
    let known = outlines.firstIndex { $0.isOfStream(of: outline) }
    if known == nil { outlines.append(outline) }
    return known ?? outlines.count - 1
  }

  private mutating func take(_ piece: ChunkPiece, of stream: Int) {
    let place = Place(stream: stream, sequence: piece.sequence)
    if assemblies[place] == nil {
      places.append(place)
      assemblies[place] = ChunkAssembly(
        like: outlines[stream], id: .random(), sequence: piece.sequence)
    }
    assemblies[place]?.add(piece)
  }

  /// Takes a record that belongs to no single stream.
  private mutating func take(_ record: TailRecord) {
    switch record {
    case .stream, .samples: return
    case .fix(let fix):
      if knownFixes.insert(fix).inserted { fixes.append(fix) }
    case .clock(let entry):
      if !entries.contains(entry) { entries.append(entry) }
    case .alive(let time):
      alive = max(alive ?? time, time)
    case .event(let event):
      if knownEvents.insert(event).inserted { events.append(event) }
    }
  }

  /// The chunks for which `isWanted` returns true, with the fixes of their span, and the number of
  /// their missing samples. A contradictory chunk becomes a chunk without samples, whose gap counts
  /// them.
  func chunks(
    fixes: [Fix], where isWanted: (Chunk) throws(StoreError) -> Bool
  ) throws(StoreError) -> (chunks: [Chunk], missing: Int) {
    var chunks: [Chunk] = []
    var missing = nameless
    var endings = self.endings
    for place in places {
      guard let assembly = assemblies[place], var chunk = assembly.sealed(fixes: fixes),
        try isWanted(chunk)
      else { continue }
      let ending = endings.firstIndex { [chunk] in
        $0.sequence == chunk.sequence && $0.isOfStream(of: chunk)
      }
      if let ending {
        for gap in endings.remove(at: ending).gaps where !chunk.gaps.contains(gap) {
          chunk.gaps.append(gap)
        }
      }
      if chunk.isSound {
        chunks.append(chunk)
        missing += assembly.missing
      } else {
        chunks.append(chunk.lost(as: .malformed))
        missing += assembly.missing + chunk.count
      }
    }
    for ending in endings where try isWanted(ending) { chunks.append(ending) }
    return (chunks, missing)
  }
}

extension [Chunk] {
  /// These chunks of a tail; the last one of each stream includes the samples lost in an outage
  /// just before the interruption.
  ///
  /// - Parameter stored: the last stored chunk of each stream.
  func countingLastOutages(after stored: [Chunk]) -> [Chunk] {
    indices.map { index in
      let chunk = self[index]
      guard !self[(index + 1)...].contains(where: chunk.isOfStream) else { return chunk }
      let former = (stored + self[..<index]).last(where: chunk.isOfStream)
      return chunk.countingLastOutages(after: former)
    }
  }
}

extension Chunk {
  /// Whether both belong to one stream of a session.
  fileprivate func isOfStream(of other: Chunk) -> Bool {
    session == other.session && board.address == other.board.address
      && stream.signal == other.stream.signal
  }
}
