internal import MetaWearProtocol

/// A vector that describes a processor.
struct ProcessorVector {
  let vector: MetaWearVector

  private static let comparisons: [String: ProcessorFunction.Comparison] = [
    "eq": .equal, "neq": .notEqual, "lt": .less, "lte": .lessOrEqual, "gt": .greater,
    "gte": .greaterOrEqual,
  ]
  private static let operations: [String: ProcessorFunction.Operation] = [
    "add": .add, "multiply": .multiply, "divide": .divide, "modulo": .modulo,
    "exponent": .exponent, "sqrt": .squareRoot, "lshift": .leftShift, "rshift": .rightShift,
    "subtract": .subtract, "abs": .absolute, "constant": .constant,
  ]

  /// Returns the source of the processor's input, which the vector specifies as module, register
  /// and index in hexadecimal.
  func source() throws(Objection) -> SignalSource {
    let arguments = vector.arguments
    let place = try arguments.bytes("source")
    guard place.count == 3 else { throw .failed("a source must have three bytes") }
    return SignalSource(
      PacketHeader(module: place[0], registerByte: place[1]), index: place[2],
      length: try arguments.integer("length"), offset: try arguments.integer("offset", otherwise: 0)
    )
  }

  func function() throws(Objection) -> ProcessorFunction {
    let arguments = vector.arguments
    let type = try arguments.text("type")
    let length = try arguments.integer("length", otherwise: 4)
    let size = try arguments.integer("size", otherwise: min(length, 4))
    let isSigned = try arguments.bool("signed", otherwise: false)
    switch type {
    case "passthrough":
      return .passThrough(
        try arguments.choice(
          "mode", ["all": .all, "conditional": .conditional, "count": .count], otherwise: .all),
        value: try arguments.word("value", otherwise: 0))
    case "accumulator", "counter":
      let sizes = ProcessorFunction.Sizes(
        input: try arguments.integer("in_size", otherwise: type == "counter" ? 1 : min(length, 4)),
        output: try arguments.integer("out_size", otherwise: 4))
      return type == "counter" ? .eventCounter(sizes) : .accumulator(sizes)
    case "lowpass", "highpass":
      let isHighPass = type == "highpass"
      let channels = arguments.has("channels") || isHighPass
      return .averager(
        .init(input: size, output: size), depth: try arguments.byte("depth"),
        isHighPass: isHighPass,
        channels: channels ? try arguments.integer("channels", otherwise: 1) : nil)
    case "rms", "rss":
      return .magnitude(
        .init(input: size, output: size), channels: try arguments.integer("channels", otherwise: 1),
        isSigned: isSigned, isMean: type == "rms")
    case "math":
      return .math(
        .init(
          input: try arguments.integer("in_size", otherwise: min(length, 4)),
          output: try arguments.integer("out_size", otherwise: 4)), isSigned: isSigned,
        try arguments.choice("op", Self.operations), operand: try number("rhs", otherwise: 0),
        channels: try arguments.integer("channels", otherwise: 1))
    case "comparator", "multi_comparator": return try comparator(type, size, isSigned)
    default: return try limiter(type, length, size, isSigned)
    }
  }

  private func comparator(
    _ type: String, _ size: Int, _ isSigned: Bool
  ) throws(Objection) -> ProcessorFunction {
    let arguments = vector.arguments
    let comparison = try arguments.choice("op", Self.comparisons)
    if type == "comparator" {
      return .comparator(isSigned: isSigned, comparison, reference: try number("reference"))
    }
    return .multiComparator(
      isSigned: isSigned, size: size, comparison,
      try arguments.choice(
        "mode",
        ["absolute": .input, "reference": .reference, "zone": .zone, "binary": .binary],
        otherwise: .input),
      references: try arguments.integers("references").map(Int64.init))
  }

  private func limiter(
    _ type: String, _ length: Int, _ size: Int, _ isSigned: Bool
  ) throws(Objection) -> ProcessorFunction {
    let arguments = vector.arguments
    switch type {
    case "time":
      return .time(
        length: length,
        try arguments.choice(
          "mode",
          ["absolute": .absolute, "differential": .difference, "passthrough": .passThrough],
          otherwise: .absolute),
        periodMilliseconds: UInt32(
          truncatingIfNeeded: try arguments.integer("period_ms")))
    case "delay": return .delay(length: length, samples: try arguments.byte("samples"))
    case "pulse":
      return .pulse(
        length: length,
        try arguments.choice(
          "output", ["width": .width, "area": .area, "peak": .peak, "on_detect": .onDetect],
          otherwise: .width),
        threshold: try number("threshold"), samples: try arguments.word("samples"))
    case "delta":
      return .delta(
        size: size, isSigned: isSigned,
        try arguments.choice(
          "mode",
          ["absolute": .absolute, "differential": .differential, "binary": .binary],
          otherwise: .absolute), magnitude: try number("magnitude"))
    case "threshold":
      return .threshold(
        size: size, isSigned: isSigned,
        isBinary: try arguments.choice(
          "mode", ["absolute": false, "binary": true], otherwise: false),
        boundary: try number("boundary"), hysteresis: try arguments.word("hysteresis", otherwise: 0)
      )
    case "buffer": return .buffer(length: length)
    case "packer":
      return .packer(sampleLength: length, count: try arguments.integer("count"))
    case "accounter":
      let isTime = try arguments.choice("mode", ["time": true, "count": false], otherwise: true)
      return .accounter(
        isTime: isTime,
        stampLength: ProcessorFunction.stampLength(isTime: isTime, inputLength: length))
    case "fuser":
      let buffers = try arguments.integers("buffers").map { UInt8(truncatingIfNeeded: $0) }
      return .fuser(buffers: buffers, padding: 0)
    default: throw .skipped("unknown processor \(type)")
    }
  }

  private func number(_ name: String, otherwise value: Int? = nil) throws(Objection) -> Int32 {
    Int32(truncatingIfNeeded: try vector.arguments.integer(name, otherwise: value))
  }
}
