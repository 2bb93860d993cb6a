internal import ChunkFormat
internal import Recording
internal import Values

/// The amount of data that was recovered from the tail of an interrupted recorder.
public struct TailRecovery: Hashable, Sendable {
  public var samples = 0
  /// Number of chunks sealed from the recovered samples.
  public var chunks = 0
  /// Number of recovered fixes that were not in the store yet.
  public var fixes = 0
  /// Number of samples that the recorder received, but whose frames are incomplete on disk.
  public var missing = 0
  /// Number of bytes in incomplete frames.
  public var damagedBytes = 0
  /// Number of damaged chunks in the store that were set aside before the recovery.
  public var damagedChunks = 0
  /// The new names of files that could not be read, or whose session is unknown.
  public var kept: [String] = []
}

/// Assembles the contents of a recorder's tail from its files.
struct TailContent {
  private struct Place: Hashable {
    var stream: Int
    var sequence: UInt32
  }

  /// The streams as chunks without samples, in the order in which they were first described.
  private(set) var outlines: [Chunk] = []
  private(set) var fixes: [Fix] = []
  private var knownFixes: Set<Fix> = []
  private(set) var entries: [ClockTable.Entry] = []
  private(set) var events: [SessionEvent] = []
  /// Time of the last record that only shows that the recorder was running; `nil` if there is none.
  private(set) var alive: BootTime?
  private var knownEvents: Set<SessionEvent> = []
  private(set) var damagedBytes = 0
  /// Number of samples that belong to streams that no frame describes.
  private(set) var nameless = 0
  private var assemblies: [Place: ChunkAssembly] = [:]
  /// Streams and sequence numbers of the chunks, in the order in which their first samples were
  /// read.
  private var places: [Place] = []
  /// The losses after the last sample of each stream, as chunks without samples.
  private var endings: [Chunk] = []

  /// Reads the next file. Files must be read in the order in which they were written.
  mutating func read(_ bytes: [UInt8]) {
    // The frames of a file are followed by zeros. Before its first sync, a file may contain only
    // zeros.
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
    // If the frame that first describes the streams is damaged, a later frame describes them again.
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

  /// Returns the index of a stream in `outlines`. Adds the stream if it is new.
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

  /// Processes a record that does not belong to a single stream.
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

  /// Returns the chunks for which `isWanted` returns true, with the fixes from their time spans.
  /// Also returns the number of samples missing from them or belonging to streams that no frame
  /// describes. A chunk with contradictory contents is replaced with a chunk without samples, whose
  /// gap counts the samples as lost.
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
  /// Returns the chunks of a tail, in which the last chunk of each stream also counts samples lost
  /// in outages shortly before the interruption.
  ///
  /// - Parameter stored: the last chunk of each stream in the store.
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
  fileprivate func isOfStream(of other: Chunk) -> Bool {
    session == other.session && board.address == other.board.address
      && stream.signal == other.stream.signal
  }
}
