internal import Recording
internal import Values

/// Formats orientations as rows of a table that OpenSim reads: a time, and a quaternion per board.
///
/// OpenSim calibrates a model with the first row, so the first row is the first instant at which
/// every board has an orientation. In later rows, `nan` denotes a missing orientation. The solver
/// for inverse kinematics in OpenSim 4.6 ignores it, and uses the other boards. The solver fails if
/// all orientations are missing, so such a row is left out.
struct OrientationRows: InstantRows {
  static let havePositions = false

  private static let missing = Array("\tnan,nan,nan,nan".utf8)

  /// The indices of w, x, y and z among the axes of each stream.
  private let orders: [[Int]]
  private let start: BootTime
  private let names: [String]
  private(set) var hasBegun = false

  /// Names the columns after the placements of the boards, or after the boards themselves. The
  /// addresses distinguish boards with the same name.
  init(_ streams: [SourceStream], placements: [BoardAddress: String], start: BootTime) {
    self.start = start
    orders = streams.map { stream in
      ["w", "x", "y", "z"].compactMap { stream.description.axes.firstIndex(of: $0) }
    }
    let stems = streams.map { stream in
      let placement = placements[stream.board.address] ?? ""
      return Self.stem([placement, stream.board.name, "\(stream.board.address)"])
    }
    names = zip(streams, stems).reduce(into: []) { names, pair in
      let (stream, own) = pair
      var stem = own
      if stems.count(where: { $0.lowercased() == stem.lowercased() }) > 1 {
        stem += "_" + "\(stream.board.address)".filter { $0 != ":" }
      }
      names.append(UniqueName.make(stem, among: names, mark: "_", ending: Self.suffix))
    }
  }

  /// OpenSim attaches a column to the body whose name precedes this suffix.
  private static let suffix = "_imu"

  /// Returns the first of these names that contains a letter or a digit, reduced to the characters
  /// that are valid in the name of an OpenSim component.
  private static func stem(_ names: [String]) -> String {
    for name in names {
      let characters = name.prefix(60).map { character in
        character.isASCII && (character.isLetter || character.isNumber) ? character : "_"
      }
      let plain = String(characters)
      guard plain.contains(where: { $0 != "_" }) else { continue }
      let stem = plain.lowercased().hasSuffix(suffix) ? String(plain.dropLast(4)) : plain
      return stem.isEmpty ? plain : stem
    }
    return "board"
  }

  var rowSize: Int { 64 + 128 * names.count }

  func heading(rate: Double) -> String {
    """
    DataRate=\(TextBuffer.text { $0.append(rate, decimals: 6) })
    DataType=Quaternion
    version=3
    OpenSimVersion=4.1
    endheader
    \((["time"] + names).joined(separator: "\t"))

    """
  }

  mutating func append(
    at time: BootTime, _ position: PositionLookup, _ states: [Resampler.State],
    to buffer: inout TextBuffer
  ) {
    let count = states.count { if case .values = $0 { true } else { false } }
    guard count > 0, hasBegun || count == states.count else { return }
    hasBegun = true
    buffer.append(seconds: time.nanoseconds &- start.nanoseconds)
    for (index, state) in states.enumerated() {
      guard case .values(let values) = state,
        orders[index].allSatisfy({ values[$0].magnitude < 1e6 })
      else {
        buffer.append(Self.missing)
        continue
      }
      var separator = UInt8(ascii: "\t")
      for axis in orders[index] {
        buffer.append(separator)
        buffer.append(values[axis], decimals: 8)
        separator = UInt8(ascii: ",")
      }
    }
    buffer.append(UInt8(ascii: "\n"))
  }
}
