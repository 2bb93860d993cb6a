/// A value: the pieces a console still has to write, in order. It leaves some out when the reader
/// does not read.
///
/// Of a view only the newest is kept. Lines for the person watching are kept up to a number; those
/// that find no room are counted, and the count stands in their place. Results are all kept: their
/// producer looks at `resultBytes` and waits, or drops them.
struct OutputQueue: Sendable {
  /// Which of the two streams something is written to.
  enum Stream: Sendable {
    case output
    case errors
  }

  /// Something to write.
  enum Piece: Hashable, Sendable {
    /// A view in place of the one before.
    case view([ViewLine])
    /// The painted view stays, and the progress line goes away.
    case stand
    /// A progress line, in place of the one before.
    case progress(String)
    /// Lines for the person watching.
    case line(String, to: Stream)
    /// A line on standard error that is not left out: an error, or a question.
    case complaint(String)
    /// A part of a result, and how many of its units end in it. A painted view stays above a text.
    case result([UInt8], units: Int, isText: Bool)
    /// So many lines were left out here.
    case omission(Int, of: Stream)
  }

  /// Lines that wait at most: an hour of a busy log.
  static let mostLines = 1_000
  /// Bytes of them at most: the longest have 10 kB.
  static let mostLineBytes = 1 << 18

  private var pieces: [Piece] = []
  private var lines = 0
  private var lineBytes = 0
  /// Whether lines are left out until half of those that wait are written: single lines between two
  /// omissions would tell the reader nothing.
  private var isOmitting = false
  /// Bytes of results that wait.
  private(set) var resultBytes = 0

  /// Nothing to write.
  init() {}

  /// Whether nothing waits.
  var isEmpty: Bool { pieces.isEmpty }

  /// Adds something, or leaves it out.
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

  /// Takes the piece to write next; `nil` if none waits.
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
    // A view may have come in between; the count goes on where it began.
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

  /// Removes the last piece that matches, unless one that has to stand after it follows.
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
  /// Whether a view before it is no longer painted over.
  fileprivate var endsView: Bool {
    switch self {
    case .stand, .line(_, to: .output), .result: true
    case .view, .progress, .line, .complaint, .omission: false
    }
  }
}
