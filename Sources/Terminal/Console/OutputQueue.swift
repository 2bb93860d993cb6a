/// The pieces that a console has yet to write, in order. If nobody reads the output, some pieces
/// are omitted.
///
/// A new view replaces a queued one. Lines for the person who is watching are queued up to a limit.
/// Further lines are omitted, and their count is shown instead. All results are queued: their
/// producer checks `resultBytes`, and waits or drops results if this number is too large.
struct OutputQueue: Sendable {
  /// The stream to which a piece is written.
  enum Stream: Sendable {
    case output
    case errors
  }

  enum Piece: Hashable, Sendable {
    /// A view that replaces the previous one.
    case view([ViewLine])
    /// Leaves the painted view on the screen and removes the progress line.
    case stand
    /// A progress line that replaces the previous one.
    case progress(String)
    case line(String, to: Stream)
    /// A line on standard error that is never omitted: an error or a question.
    case complaint(String)
    /// Bytes of a result. `units` is the number of result units, such as lines, that these bytes
    /// complete. Text is written below a painted view.
    case result([UInt8], units: Int, isText: Bool)
    /// The number of lines that were omitted at this position.
    case omission(Int, of: Stream)
  }

  /// The maximum number of queued lines: an hour of a busy log.
  static let mostLines = 1_000
  /// The maximum total size of the queued lines in bytes. The longest lines are 10 kB long.
  static let mostLineBytes = 1 << 18

  private var pieces: [Piece] = []
  private var lines = 0
  private var lineBytes = 0
  /// Whether new lines are omitted until half of the queued lines are written. Single lines between
  /// two omissions would be useless to the reader.
  private var isOmitting = false
  private(set) var resultBytes = 0

  init() {}

  var isEmpty: Bool { pieces.isEmpty }

  /// Adds a piece, unless it must be omitted.
  mutating func add(_ piece: Piece) {
    switch piece {
    case .view:
      removeLast(before: \.endsView) { if case .view = $0 { true } else { false } }
    case .progress:
      removeLast(before: \.endsView) { if case .progress = $0 { true } else { false } }
    case .line(let text, let stream):
      let bytes = text.utf8.count
      if isOmitting || lines == Self.mostLines || lineBytes + bytes > Self.mostLineBytes {
        return omit(of: stream)
      }
      lines += 1
      lineBytes += bytes
    case .result(let bytes, _, _):
      resultBytes += bytes.count
    case .stand, .complaint, .omission:
      break
    }
    pieces.append(piece)
  }

  mutating func next() -> Piece? {
    guard !pieces.isEmpty else { return nil }
    let piece = pieces.removeFirst()
    switch piece {
    case .line(let text, _):
      lines -= 1
      lineBytes -= text.utf8.count
      if lines <= Self.mostLines / 2, lineBytes <= Self.mostLineBytes / 2 { isOmitting = false }
    case .result(let bytes, _, _):
      resultBytes -= bytes.count
    case .view, .stand, .progress, .complaint, .omission:
      break
    }
    return piece
  }

  private mutating func omit(of stream: Stream) {
    isOmitting = true
    // If no line was queued after the last omission, the newly omitted line is added to the count
    // of that omission.
    let last = pieces.lastIndex { piece in
      switch piece {
      case .omission(_, of: stream), .line: true
      default: false
      }
    }
    if let last, case .omission(let count, of: stream) = pieces[last] {
      pieces[last] = .omission(count + 1, of: stream)
    } else {
      pieces.append(.omission(1, of: stream))
    }
  }

  /// Removes the last piece for which `matches` is true, unless it is followed by a piece for which
  /// `ends` is true.
  private mutating func removeLast(before ends: (Piece) -> Bool, _ matches: (Piece) -> Bool) {
    for index in pieces.indices.reversed() {
      if ends(pieces[index]) { return }
      if matches(pieces[index]) {
        pieces.remove(at: index)
        return
      }
    }
  }
}

extension OutputQueue.Piece {
  /// Whether this piece prevents an earlier view from being painted over.
  fileprivate var endsView: Bool {
    switch self {
    case .stand, .line(_, to: .output), .result: true
    case .view, .progress, .line, .complaint, .omission: false
    }
  }
}
