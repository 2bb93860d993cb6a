internal import MetaWearProtocol

extension DataProcessor: Explained {
  func statement(in context: Context) -> Statement {
    switch self {
    case .create(let function, let source):
      return Statement(
        "creates a processor on \(context.name(of: source)): \(function.words)",
        remarks: context.isPacked(source.header)
          ? ["a packed packet has no space for the bytes that a processor adds"] : [])
    case .modify(let id, let function):
      return Statement("changes \(context.processor(id)) to: \(function.words)")
    case .setState(let id, let bytes):
      return Statement(
        "sets the state of \(context.processor(id))", .text("bytes", Words.hex(bytes)))
    case .readState(let id, let isSilent):
      return Statement(
        "asks for the state of \(context.processor(id))"
          + (isSilent ? ", for consumers on the board only" : ""))
    case .query(let id): return Statement("asks for the function of processor \(id)")
    case .subscribe(let id): return Statement("sends the output of \(context.processor(id))")
    case .unsubscribe(let id):
      return Statement("no longer sends the output of \(context.processor(id))")
    case .remove(let id): return Statement("removes \(context.processor(id))")
    case .removeAll: return Statement("removes all processors")
    }
  }
}

extension Context {
  func processor(_ id: UInt8) -> String { name(of: PacketHeader(.dataProcessor, 0x03), index: id) }

  /// Whether a register sends several samples per packet.
  func isPacked(_ header: PacketHeader) -> Bool {
    guard !header.isRead else { return false }
    let signal = board.readings(of: header.module).lazy
      .compactMap { Signal.at(header, on: $0.modules) }.first
    return [.accelerationPacked, .angularVelocityPacked, .magneticFieldPacked].contains(signal)
  }
}

extension ProcessorFunction {
  var words: String {
    switch self {
    case .passThrough(.all, _): "lets everything through"
    case .passThrough(.conditional, let value):
      "lets inputs through while a value is not 0, now \(value)"
    case .passThrough(.count, let value): "lets \(value) inputs through"
    case .accumulator(let sizes): "sum in \(Words.count(sizes.output, "byte"))"
    case .eventCounter(let sizes): "counts inputs in \(Words.count(sizes.output, "byte"))"
    case .averager(_, let depth, let isHighPass, _):
      isHighPass ? "high-pass over \(depth) inputs" : "average over \(depth) inputs"
    case .comparator(_, let comparison, let reference):
      "passes on inputs \(comparison.words) \(reference)"
    case .multiComparator(_, _, let comparison, let output, let references):
      "\(output.words) for inputs \(comparison.words) "
        + Words.list(references.map { "\($0)" })
    case .magnitude(_, let channels, _, let isMean):
      "\(isMean ? "root mean square" : "root of the sum of squares") of "
        + Words.count(channels, "channel")
    case .time(_, let mode, let period):
      (mode == .difference ? "difference" : "one input")
        + " every \(Words.duration(milliseconds: Double(period)))"
    case .math(_, _, let operation, let operand, _): operation.words(operand)
    case .delay(_, let samples): "delays inputs by \(Words.count(samples, "sample"))"
    case .pulse(_, let output, let threshold, let samples):
      "\(output.words) of stretches above \(threshold) that last at least "
        + Words.count(samples, "sample")
    case .delta(_, _, let mode, let magnitude):
      "\(mode.words) at changes of \(magnitude)"
    case .threshold(_, _, let isBinary, let boundary, let hysteresis):
      "\(isBinary ? "1 or -1" : "the input") on crossing \(boundary), hysteresis \(hysteresis)"
    case .buffer(let length): "keeps the latest \(Words.count(length, "byte"))"
    case .packer(let length, let count):
      "packs \(count) inputs of \(Words.count(length, "byte"))"
    case .accounter(let isTime, let length):
      "puts \(isTime ? "the board's tick" : "a count") of \(Words.count(length, "byte")) before "
        + "each input"
    case .fuser(let buffers, _):
      "joins each input with " + (buffers.count == 1 ? "buffer " : "buffers ")
        + Words.list(buffers.map { "\($0)" })
    }
  }
}

extension ProcessorFunction.Comparison {
  fileprivate var words: String {
    switch self {
    case .equal: "equal to"
    case .notEqual: "other than"
    case .less: "below"
    case .lessOrEqual: "at most"
    case .greater: "above"
    case .greaterOrEqual: "at least"
    }
  }
}

extension ProcessorFunction.ComparatorOutput {
  fileprivate var words: String {
    switch self {
    case .input: "the input"
    case .reference: "the reference"
    case .zone: "the reference's index"
    case .binary: "1 or 0"
    }
  }
}

extension ProcessorFunction.Operation {
  fileprivate func words(_ operand: Int32) -> String {
    switch self {
    case .add: "adds \(operand)"
    case .multiply: "multiplies by \(operand)"
    case .divide: "divides by \(operand)"
    case .modulo: "remainder after division by \(operand)"
    case .exponent: "to the power of \(operand)"
    case .squareRoot: "square root"
    case .leftShift: "shifts left by \(operand)"
    case .rightShift: "shifts right by \(operand)"
    case .subtract: "subtracts \(operand)"
    case .absolute: "absolute value"
    case .constant: "always \(operand)"
    }
  }
}

extension ProcessorFunction.PulseOutput {
  fileprivate var words: String {
    switch self {
    case .width: "the width"
    case .area: "the area"
    case .peak: "the peak"
    case .onDetect: "1 at the beginning"
    }
  }
}

extension ProcessorFunction.DeltaMode {
  fileprivate var words: String {
    switch self {
    case .absolute: "the input"
    case .differential: "the difference"
    case .binary: "1 or -1"
    }
  }
}
