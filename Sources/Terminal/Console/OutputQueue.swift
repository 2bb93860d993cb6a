/// The pieces that a console still has to write, in order. It omits some when nobody reads.
///
/// Only the newest view is kept. Lines for the person watching are kept up to a limit; further ones
/// are counted, and the count stands in their place. All results are kept: their producer checks
/// `resultBytes`, and waits or drops them.
struct OutputQueue: Sendable {
  /// The stream that a piece is written to.
  enum Stream: Sendable {
    case output
    case errors
  }

  enum Piece: Hashable, Sendable {
    /// A view in place of the last one.
    case view([ViewLine])
    /// The painted view stays, and the progress line goes away.
    case stand
    /// A progress line in place of the last one.
    case progress(String)
    /// Lines for the person watching.
    case line(String, to: Stream)
    /// A line on standard error that is never omitted: an error, or a question.
    case complaint(String)
    /// A part of a result, with the number of units that end in it. A painted view stays above a
    /// text.
    case result([UInt8], units: Int, isText: Bool)
    /// This number of lines was omitted here.
    case omission(Int, of: Stream)
  }

  /// Lines that wait at most: an hour of a busy log.
  static let mostLines = 1_000
  /// Bytes of these lines at most: the longest have 10 kB.
  static let mostLineBytes = 1 << 18

  private var pieces: [Piece] = []
  private var lines = 0
  private var lineBytes = 0
  /// Whether lines are omitted until half of the waiting ones are written: single lines between two
  /// omissions would be useless to the reader.
  private var isOmitting = false
  /// Bytes of results that wait.
  private(set) var resultBytes = 0

  init() {}

  var isEmpty: Bool { pieces.isEmpty }

  /// Adds a piece, or omits it.
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

  /// Removes and returns the next piece to write; `nil` if none waits.
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
    // A view may have come in between; the same count continues.
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

  /// Removes the last matching piece, unless a piece after it must follow it.
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
  /// Whether the view before it is no longer painted over.
  fileprivate var endsView: Bool {
    switch self {
    case .stand, .line(_, to: .output), .result: true
    case .view, .progress, .line, .complaint, .omission: false
    }
  }
}
