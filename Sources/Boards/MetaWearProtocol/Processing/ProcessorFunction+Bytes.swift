extension ProcessorFunction {
  /// The function's type and configuration, as encoded for the board.
  public var bytes: [UInt8] {
    switch self {
    case .passThrough(let mode, let value): [0x01, mode.rawValue] + value.littleEndianBytes
    case .accumulator(let sizes): [0x02, sizes.byte]
    case .eventCounter(let sizes): [0x02, sizes.byte | 0x10]
    case .averager(let sizes, let depth, let isHighPass, let channels):
      [0x03, sizes.byte | (isHighPass ? 0x20 : 0), depth] + Self.optional(channels)
    case .comparator(let isSigned, let comparison, let reference):
      [0x06, isSigned.wire, comparison.rawValue, 0] + reference.littleEndianBytes
    case .multiComparator(let isSigned, let size, let comparison, let output, let references):
      [
        0x06,
        isSigned.wire | UInt8(size - 1) << 1 | comparison.rawValue << 3 | output.rawValue << 6,
      ]
        + references.flatMap { $0.littleEndianBytes.prefix(size) }
    case .magnitude(let sizes, let channels, let isSigned, let isMean):
      [
        0x07, sizes.byte | UInt8((channels - 1) & 7) << 4 | (isSigned ? 0x80 : 0),
        isMean ? 0 : 1,
      ]
    case .time(let length, let mode, let period):
      [0x08, UInt8((length - 1) & 7) | mode.rawValue << 3] + period.littleEndianBytes
    case .math(let sizes, let isSigned, let operation, let operand, let channels):
      [0x09, sizes.byte | (isSigned ? 0x10 : 0), operation.rawValue] + operand.littleEndianBytes
        + Self.optional(channels)
    case .delay(let length, let samples): [0x0a, UInt8(clamping: length - 1), samples]
    case .pulse(let length, let output, let threshold, let samples):
      [0x0b, UInt8(clamping: length - 1), 0, output.rawValue] + threshold.littleEndianBytes
        + samples.littleEndianBytes
    case .delta(let size, let isSigned, let mode, let magnitude):
      [0x0c, UInt8((size - 1) & 3) | (isSigned ? 4 : 0) | mode.rawValue << 3]
        + magnitude.littleEndianBytes
    case .threshold(let size, let isSigned, let isBinary, let boundary, let hysteresis):
      [0x0d, UInt8((size - 1) & 3) | (isSigned ? 4 : 0) | (isBinary ? 8 : 0)]
        + boundary.littleEndianBytes + hysteresis.littleEndianBytes
    case .buffer(let length): [0x0f, UInt8(clamping: length - 1)]
    case .packer(let sampleLength, let count): Self.packer(sampleLength, count)
    case .accounter(let isTime, let stampLength):
      [0x11, isTime.wire | UInt8((stampLength - 1) & 3) << 4, 0x03]
    case .fuser(let buffers, let padding):
      [0x1b, UInt8(clamping: buffers.count)] + buffers + [UInt8](repeating: 0, count: padding)
    }
  }

  private static func packer(_ sampleLength: Int, _ count: Int) -> [UInt8] {
    precondition(
      sampleLength > 0 && count > 0 && sampleLength * count <= 17,
      "packed values must leave three bytes of a packet for its header")
    return [0x10, UInt8(sampleLength - 1), UInt8(count - 1)]
  }

  private static func optional(_ channels: Int?) -> [UInt8] {
    channels.map { [UInt8(clamping: $0 - 1)] } ?? []
  }

  /// Decodes a function's type and configuration. Returns `nil` if they are unknown.
  public init?(_ bytes: [UInt8]) {
    guard let type = bytes.first else { return nil }
    let config = Array(bytes.dropFirst())
    guard let function = Self.read(type, config) else { return nil }
    self = function
  }

  private static func read(_ type: UInt8, _ config: [UInt8]) -> ProcessorFunction? {
    let numbers = config.span
    switch (type, config.count) {
    case (0x01, 3):
      guard let mode = PassThrough(rawValue: config[0]) else { return nil }
      return .passThrough(mode, value: numbers.uint16(at: 1))
    case (0x02, 1):
      let sizes = Sizes(config[0])
      return config[0] & 0x10 == 0 ? .accumulator(sizes) : .eventCounter(sizes)
    case (0x03, 2...3):
      return .averager(
        Sizes(config[0]), depth: config[1], isHighPass: config[0] & 0x20 != 0,
        channels: config.count > 2 ? Int(config[2]) + 1 : nil)
    case (0x06, 2...): return readComparator(config)
    case (0x07, 2):
      guard config[1] <= 1 else { return nil }
      return .magnitude(
        Sizes(config[0]), channels: Int(config[0] >> 4 & 7) + 1, isSigned: config[0] & 0x80 != 0,
        isMean: config[1] == 0)
    case (0x08, 5):
      guard let mode = TimeMode(rawValue: config[0] >> 3) else { return nil }
      return .time(
        length: Int(config[0] & 7) + 1, mode, periodMilliseconds: numbers.uint32(at: 1))
    case (0x09, 6...7):
      guard let operation = Operation(rawValue: config[1]) else { return nil }
      return .math(
        Sizes(config[0]), isSigned: config[0] & 0x10 != 0, operation,
        operand: numbers.int32(at: 2), channels: config.count > 6 ? Int(config[6]) + 1 : nil)
    case (0x0a, 2): return .delay(length: Int(config[0]) + 1, samples: config[1])
    case (0x0b, 9):
      guard let output = PulseOutput(rawValue: config[2]) else { return nil }
      return .pulse(
        length: Int(config[0]) + 1, output, threshold: numbers.int32(at: 3),
        samples: numbers.uint16(at: 7))
    case (0x0c, 5):
      guard let mode = DeltaMode(rawValue: config[0] >> 3) else { return nil }
      return .delta(
        size: Int(config[0] & 3) + 1, isSigned: config[0] & 4 != 0, mode,
        magnitude: numbers.int32(at: 1))
    case (0x0d, 7):
      return .threshold(
        size: Int(config[0] & 3) + 1, isSigned: config[0] & 4 != 0,
        isBinary: config[0] & 8 != 0, boundary: numbers.int32(at: 1),
        hysteresis: numbers.uint16(at: 5))
    case (0x0f, 1): return .buffer(length: Int(config[0]) + 1)
    case (0x10, 2):
      let (length, count) = (Int(config[0]) + 1, Int(config[1]) + 1)
      return length * count <= 17 ? .packer(sampleLength: length, count: count) : nil
    case (0x11, 2):
      return .accounter(isTime: config[0] & 1 != 0, stampLength: Int(config[0] >> 4 & 3) + 1)
    case (0x1b, 1...):
      let count = Int(config[0])
      guard config.count > count else { return nil }
      return .fuser(buffers: Array(config[1..<(count + 1)]), padding: config.count - count - 1)
    default: return nil
    }
  }

  /// Decodes a comparator. The old and new forms both have type 06. The old form has seven bytes,
  /// and its third byte is 0.
  private static func readComparator(_ config: [UInt8]) -> ProcessorFunction? {
    if config.count == 7, config[2] == 0, let isSigned = Bool(wire: config[0]),
      let comparison = Comparison(rawValue: config[1])
    {
      return .comparator(isSigned: isSigned, comparison, reference: config.span.int32(at: 3))
    }
    let size = Int(config[0] >> 1 & 3) + 1
    let isSigned = config[0] & 1 != 0
    guard (config.count - 1).isMultiple(of: size),
      let comparison = Comparison(rawValue: config[0] >> 3 & 7),
      let output = ComparatorOutput(rawValue: config[0] >> 6)
    else { return nil }
    let references = stride(from: 1, to: config.count, by: size).map { start in
      Int64(littleEndian: config[start..<(start + size)], isSigned: isSigned)
    }
    return .multiComparator(
      isSigned: isSigned, size: size, comparison, output, references: references)
  }
}

extension Int64 {
  /// Decodes a number from one to eight bytes, least significant byte first.
  init(littleEndian bytes: some Collection<UInt8>, isSigned: Bool) {
    var value: UInt64 = 0
    for (position, byte) in bytes.enumerated() { value |= UInt64(byte) << UInt64(position * 8) }
    let unused = UInt64(64 - bytes.count * 8)
    self = Int64(bitPattern: value << unused) >> Int64(unused)
    if !isSigned { self = Int64(bitPattern: value) }
  }
}
