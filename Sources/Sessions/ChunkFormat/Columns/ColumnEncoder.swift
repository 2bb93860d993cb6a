/// Encodes columns of integers as residuals of a prediction, as described in `docs/data-format.md`.
struct ColumnEncoder {
  /// Buffer for packed bits, reused for every column.
  private var words: [UInt32] = []
  /// Number of copies of the first value that precede a column.
  private static let lead = 4

  init() {}

  /// Writes nothing for an empty column.
  mutating func append<Value: ColumnValue>(
    _ values: [Value], to bytes: inout [UInt8]
  ) {
    guard let first = values.first else { return }
    // The first value is repeated before the column, so every predictor has enough values from the
    // start.
    var padded = [Value](repeating: first, count: Self.lead)
    padded.reserveCapacity(Self.lead + values.count + Predictor.blockSize)
    padded.append(contentsOf: values)
    // Pads the column, since the encoder always reads whole blocks.
    padded.append(contentsOf: repeatElement(first, count: Predictor.blockSize))
    let count = values.count
    if let list = ExceptionList(of: padded.span, lead: Self.lead, count: count) {
      bytes.append(ColumnCoding.exceptions.rawValue)
      bytes.append(variableLength: Int64(first))
      list.append(to: &bytes)
      return
    }
    bytes.append(ColumnCoding.blocks.rawValue)
    bytes.append(variableLength: Int64(first))
    let needed = (count * (ResidualCode.escapeZeros + 1 + Value.bitWidth) + count / 4) / 32 + 4
    if words.count < needed { words = [UInt32](repeating: 0, count: needed) }
    var words = words.mutableSpan
    BlockEncoder(padded.span, lead: Self.lead, count: count).append(to: &bytes, through: &words)
  }
}

/// The encoding of a column's residuals.
enum ColumnCoding: UInt8 {
  /// Lists only the nonzero residuals. Used if a column has few of them.
  case exceptions = 0
  /// Packs the residuals of every block into bits, and stores which predictor each block uses.
  case blocks = 1
}

/// Lists the nonzero residuals of a column that has only a few of them.
private struct ExceptionList {
  private let predictor: Predictor
  private var residuals: [(distance: Int, value: Int64)] = []

  /// Fails if there are too many nonzero residuals.
  init?<Value: ColumnValue>(of padded: Span<Value>, lead: Int, count: Int) {
    let limit = count / 32 + 1
    // If the first values show that the column is noisy, the list would be too long, so the
    // residuals are not computed.
    let glance = min(count, 48)
    let changes = (1..<max(glance, 1)).reduce(0) { changes, index in
      let step = padded[lead + index] &- padded[lead + index - 1]
      let before = padded[lead + index - 1] &- padded[lead + index - 2]
      return changes + (step != 0 && step != before ? 1 : 0)
    }
    guard changes <= limit else { return nil }
    // In a column that counts up, the slope predictor leaves the fewest residuals.
    let isCounting = count > 1 && padded[lead + 1] != padded[lead]
    for predictor in isCounting ? [Predictor.slope, .previous] : [.previous, .slope] {
      let residuals = Self.residuals(
        predictor, of: padded, lead: lead, count: count, limit: limit)
      if let residuals {
        self.predictor = predictor
        self.residuals = residuals
        return
      }
    }
    return nil
  }

  private static func residuals<Value: ColumnValue>(
    _ predictor: Predictor, of padded: Span<Value>, lead: Int, count: Int, limit: Int
  ) -> [(distance: Int, value: Int64)]? {
    var residuals: [(distance: Int, value: Int64)] = []
    var last = 0
    for start in stride(from: 1, to: count, by: Predictor.blockSize) {
      let before = BlockResiduals.block(padded, at: lead + start - 1)
      var block = BlockResiduals.block(padded, at: lead + start) &- before
      if predictor == .slope {
        block &-= before &- BlockResiduals.block(padded, at: lead + start - 2)
      }
      if BlockResiduals.isZero(block) { continue }
      for index in start..<min(start + Predictor.blockSize, count) where block[index - start] != 0 {
        guard residuals.count < limit else { return nil }
        residuals.append((index - last - 1, Int64(block[index - start])))
        last = index
      }
    }
    return residuals
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(predictor.rawValue)
    bytes.append(variableLength: UInt64(residuals.count))
    for (distance, value) in residuals {
      bytes.append(variableLength: UInt64(distance))
      bytes.append(variableLength: value)
    }
  }
}
