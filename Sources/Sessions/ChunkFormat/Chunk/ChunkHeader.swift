internal import Recording
internal import Values

/// The identity, stream and clock of a chunk, as stored in the header section.
struct ChunkHeader {
  var ids: [UniqueID] = []
  var sequence: UInt32
  var count: Int
  var clock: Chunk.Clock
  var stream: StreamDescription
  var board: BoardIdentity

  /// Reads the header; `nil` if a field has an invalid value.
  init?(_ bytes: Span<UInt8>) throws(ByteCursor.EndOfBytes) {
    var cursor = ByteCursor()
    for _ in 0..<3 {
      let high = try cursor.next(UInt64.self, in: bytes).byteSwapped
      let low = try cursor.next(UInt64.self, in: bytes).byteSwapped
      ids.append(UniqueID(high: high, low: low))
    }
    sequence = try cursor.next(UInt32.self, in: bytes)
    count = Int(try cursor.next(UInt32.self, in: bytes))
    clock = Chunk.Clock(
      first: BootTime(nanoseconds: try cursor.next(Int64.self, in: bytes)),
      period: try cursor.nextDouble(in: bytes))
    let countsPerUnit = try cursor.nextDouble(in: bytes)
    let rate = try cursor.nextDouble(in: bytes)
    let axisCount = Int(try cursor.next(UInt8.self, in: bytes))
    let accounting = StreamDescription.LossAccounting(
      rawValue: try cursor.next(UInt8.self, in: bytes))
    let form = StreamDescription.RawForm(rawValue: try cursor.next(UInt8.self, in: bytes))
    let tickFlag = try cursor.next(UInt8.self, in: bytes)
    let address = try cursor.next(UInt64.self, in: bytes)
    guard let accounting, let form, tickFlag <= 1, count <= ChunkLayout.maximumCount,
      (1...StreamDescription.maximumAxisCount).contains(axisCount),
      BoardAddress(value: address).value == address
    else { return nil }
    var texts: [String] = []
    for _ in 0..<5 + axisCount {
      guard let length = try cursor.nextVariableLength(in: bytes).flatMap({ Int(exactly: $0) }),
        length <= ChunkLayout.maximumTextLength
      else { return nil }
      let text = try cursor.nextBytes(length, in: bytes)
      guard let text = String(validating: text, as: UTF8.self) else { return nil }
      texts.append(text)
    }
    guard cursor.offset == bytes.count else { return nil }
    stream = StreamDescription(
      signal: texts[0], unit: texts[1],
      axes: Array(texts[5...]), rawForm: form, countsPerUnit: countsPerUnit, rate: rate,
      lossAccounting: accounting,
      hasBoardTicks: tickFlag == 1)
    board = BoardIdentity(
      address: BoardAddress(value: address), name: texts[2], model: texts[3], firmware: texts[4])
  }
}
