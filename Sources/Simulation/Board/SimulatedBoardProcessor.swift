import MetaWearProtocol

/// A value being processed on a simulated board, and the number of samples that it contains.
struct BoardValue: Sendable {
  var bytes: [UInt8]
  var sampleCount: Int
}

/// The register and index by which components of a board refer to each other's values.
struct BoardSource: Hashable, Sendable {
  var module: UInt8
  var register: UInt8
  var index: UInt8
}

/// The reason why a board refuses to create a data processor.
struct ProcessorRefusal: Error {
  let reason: String
}

/// A data processor on a simulated board: its configuration, and the computation of its output.
struct SimulatedProcessor: Sendable {
  /// The board's time, as data processors see it.
  struct Clock: Sendable {
    var tick: UInt32
    /// Seconds on the board's clock, which continues across resets.
    var seconds: Double
  }

  /// A processor's state between inputs. Each kind uses only some of these values.
  struct Memory: Sendable {
    /// A sum, a count, a reference, or the number of inputs that may still pass.
    var number: Int64 = 0
    /// Inputs by channel, oldest first.
    var window: [[Int64]] = []
    /// Received inputs, oldest first.
    var gathered: [BoardValue] = []
    /// Time at which the last input passed, in seconds on the board's clock.
    var passedAt: Double?
    var pulse = Pulse()
    /// Whether the input is above the monitored boundary, allowing for hysteresis.
    var isAbove: Bool?
  }

  /// A period during which the input is above a threshold.
  struct Pulse: Sendable {
    var width = 0
    var area: Int64 = 0
  }

  /// Maximum number of output bytes: the space in a packet after its header.
  static let maximumOutput = 17

  let source: BoardSource
  let function: ProcessorFunction
  /// The number of bytes of the source's value that the processor uses, starting at the offset.
  let length: Int
  /// The number of output bytes.
  let outputLength: Int
  /// Whether the output is sent over the link.
  var isSubscribed = false

  var memory = Memory()
  /// Revision of the board's data processor module.
  private let revision: UInt8
  private let offset: Int
  /// Source and range (the input's offset and length), as received from the client.
  private let head: [UInt8]
  /// Type and configuration, as received from the client.
  private let tail: [UInt8]

  /// Parses at least five bytes: `source, range, type, configuration…`.
  ///
  /// The range has only three bits for the length, so longer lengths are encoded modulo eight. An
  /// accounter after a packer (`isPacked`) declares the length of one packed value, but passes on
  /// all packed values.
  init(
    _ payload: [UInt8], valueLength: Int, isPacked: Bool, revision: UInt8,
    buffers: [UInt8: Int]
  ) throws(ProcessorRefusal) {
    let declared = Int(payload[3] >> 5) + 1
    let offset = Int(payload[3] & 0x1f)
    let rest = valueLength - offset
    let isAccounter = payload[4] == 0x11
    var length = declared
    if isPacked && isAccounter && offset == 0 || rest > 8 && (rest - 1) & 7 == declared - 1 {
      length = rest
    }
    guard length <= rest else {
      throw ProcessorRefusal(reason: "the value of this source has only \(valueLength) bytes")
    }
    try self.init(
      head: Array(payload.prefix(4)), tail: Array(payload.dropFirst(4)), offset: offset,
      length: length, revision: revision, buffers: buffers)
  }

  private init(
    head: [UInt8], tail: [UInt8], offset: Int, length: Int, revision: UInt8,
    buffers: [UInt8: Int]
  ) throws(ProcessorRefusal) {
    // A packer whose output is too long would not be recognised as a packer. Its output length is
    // therefore checked first, to produce a specific complaint.
    if tail.count == 3, tail[0] == 0x10 {
      try Self.checkOutput((Int(tail[1]) + 1) * (Int(tail[2]) + 1))
    }
    guard let function = ProcessorFunction(tail) else {
      throw ProcessorRefusal(
        reason: "there are no data processors of type \(tail[0]) with this configuration")
    }
    self.head = head
    self.tail = tail
    self.offset = offset
    self.length = length
    self.function = function
    source = BoardSource(module: head[0], register: head[1], index: head[2])
    self.revision = revision
    let needed = function.neededRevision
    guard revision >= needed else {
      throw ProcessorRefusal(
        reason: "this function needs revision \(needed) of module dataProcessor")
    }
    try Self.checkInput(of: function, length: length)
    outputLength = try Self.outputLength(of: function, length: length, buffers: buffers)
    try Self.checkOutput(outputLength)
    if case .passThrough(_, let value) = function { memory.number = Int64(value) }
  }

  /// Returns a copy of the processor with a different configuration and an empty state.
  func modified(_ tail: [UInt8], buffers: [UInt8: Int]) throws(ProcessorRefusal) -> Self {
    guard tail[0] == self.tail[0] else {
      throw ProcessorRefusal(reason: "a data processor cannot become one of another type")
    }
    var new = try SimulatedProcessor(
      head: head, tail: tail, offset: offset, length: length, revision: revision,
      buffers: buffers)
    new.isSubscribed = isSubscribed
    return new
  }

  /// Source, range, type and configuration, in the format that a read returns.
  var description: [UInt8] { head + tail }

  /// Whether the output is a packet of several values.
  var isPacker: Bool { tail[0] == 0x10 }

  var isBuffer: Bool { tail[0] == 0x0f }

  /// The buffers whose values a fuser combines.
  var buffers: [UInt8] {
    if case .fuser(let buffers, _) = function { buffers } else { [] }
  }

  /// A buffer's current value; `nil` before its first input.
  var kept: BoardValue? { isBuffer ? memory.gathered.last : nil }

  /// Processes a value and returns the output, or `nil` if there is none. `buffers` contains the
  /// values of a fuser's buffers, in the fuser's order.
  mutating func process(
    _ value: BoardValue, _ clock: Clock, buffers: [BoardValue?]
  ) -> BoardValue? {
    let isWhole = offset == 0 && length == value.bytes.count
    let bytes = isWhole ? value.bytes : Array(value.bytes.dropFirst(offset).prefix(length))
    guard bytes.count == length else { return nil }
    let input = BoardValue(bytes: bytes, sampleCount: value.sampleCount)
    switch function {
    case .packer, .fuser, .buffer, .delay, .accounter:
      return join(input, clock, buffers: buffers)
    default:
      return compute(bytes, clock).map { BoardValue(bytes: $0, sampleCount: input.sampleCount) }
    }
  }

  // MARK: Lengths

  private static func checkOutput(_ length: Int) throws(ProcessorRefusal) {
    guard length > maximumOutput else { return }
    throw ProcessorRefusal(reason: "\(length) bytes of processor output do not fit in a packet")
  }

  /// Checks that the input length repeated in the configuration matches the actual length.
  private static func checkInput(
    of function: ProcessorFunction, length: Int
  ) throws(ProcessorRefusal) {
    let expected: (name: String, length: Int)? =
      switch function {
      case .accumulator(let sizes): ("an accumulator", sizes.input)
      case .averager(let sizes, _, _, let channels):
        ("an averager", sizes.input * (channels ?? 1))
      case .multiComparator(_, let size, _, _, _): ("a comparator", size)
      case .magnitude(let sizes, let channels, _, _): ("a magnitude", sizes.input * channels)
      // As in the source's range, only three bits encode the length.
      case .time(let size, _, _): ("a time limiter", size + (length > 8 ? (length - 1) & ~7 : 0))
      case .math(let sizes, _, _, _, let channels): ("arithmetic", sizes.input * (channels ?? 1))
      case .delay(let size, _): ("a delay", size)
      case .pulse(let size, _, _, _): ("a pulse detector", size)
      case .delta(let size, _, _, _): ("a delta", size)
      case .threshold(let size, _, _, _, _): ("a threshold", size)
      case .buffer(let size): ("a buffer", size)
      case .packer(let size, _): ("a packer", size)
      case .passThrough, .eventCounter, .comparator, .accounter, .fuser: nil
      }
    guard let expected, expected.length != length else { return }
    throw ProcessorRefusal(
      reason: "\(expected.name) of \(expected.length) bytes was attached to a value of \(length)")
  }

  private static func outputLength(
    of function: ProcessorFunction, length: Int, buffers: [UInt8: Int]
  ) throws(ProcessorRefusal) -> Int {
    switch function {
    case .accumulator(let sizes), .eventCounter(let sizes), .magnitude(let sizes, _, _, _):
      return sizes.output
    case .averager(let sizes, _, _, let channels), .math(let sizes, _, _, _, let channels):
      return sizes.output * (channels ?? 1)
    case .multiComparator(_, _, _, .zone, _), .multiComparator(_, _, _, .binary, _): return 1
    case .pulse(_, .width, _, _): return 2
    case .pulse(_, .area, _, _): return 4
    case .pulse(_, .onDetect, _, _), .delta(_, _, .binary, _), .threshold(_, _, true, _, _):
      return 1
    case .packer(let size, let count): return size * count
    case .accounter(let isTime, let stampLength):
      guard !isTime || stampLength == 4 else {
        throw ProcessorRefusal(reason: "ticks take four bytes, not \(stampLength)")
      }
      return stampLength + length
    case .fuser(let ids, _):
      var total = length
      for id in ids {
        guard let kept = buffers[id] else {
          throw ProcessorRefusal(reason: "data processor \(id) is not a buffer")
        }
        total += kept
      }
      return total
    default: return length
    }
  }
}

extension ProcessorFunction {
  /// The first revision of module 09 that supports this function.
  fileprivate var neededRevision: UInt8 {
    switch self {
    case .fuser: 3
    case .packer, .accounter, .averager(_, _, true, _), .averager(_, _, _, .some): 2
    case .time(_, .passThrough, _): 1
    default: 0
    }
  }
}
