import MetaWearProtocol

/// A value on its way through a simulated board, and how many samples are in it.
struct BoardValue: Sendable {
  var bytes: [UInt8]
  var sampleCount: Int
}

/// Register and index by which parts of a board refer to each other's values.
struct BoardSource: Hashable, Sendable {
  var module: UInt8
  var register: UInt8
  var index: UInt8
}

/// A data processor of a simulated board: packer or accounter.
struct SimulatedProcessor: Sendable {
  /// What it does and what it has gathered so far.
  private enum Function: Sendable {
    case packer(count: Int, gathered: [BoardValue])
    case counter(stampLength: Int, next: UInt32)
    case timestamp
  }

  let source: BoardSource
  /// Bytes of its output.
  let outputLength: Int
  /// Whether its output is sent over the link.
  var isSubscribed = false

  private let offset: Int
  private let length: Int
  private var function: Function

  /// Whether its output is a packet of several values.
  var isPacker: Bool {
    if case .packer = function { true } else { false }
  }

  /// Reads `source, range, type, configuration…`; `nil` with a complaint if it makes no sense.
  ///
  /// `packedLength` is the output length of the packer it feeds on, if it does: then the declared
  /// length names one of the packed values, and all of them pass.
  init?(_ payload: [UInt8], packedLength: Int?, complain: (String) -> Void) {
    guard payload.count >= 5 else {
      complain("a data processor needs source, range and type")
      return nil
    }
    source = BoardSource(module: payload[0], register: payload[1], index: payload[2])
    offset = packedLength == nil ? Int(payload[3] & 0x1f) : 0
    length = packedLength ?? Int(payload[3] >> 5) + 1
    let type = payload[4]
    let configuration = Array(payload.dropFirst(5))
    switch (type, configuration.count) {
    case (0x10, 2...):
      let count = Int(configuration[1]) + 1
      guard Int(configuration[0]) + 1 == length else {
        complain("a packer of \(configuration[0] + 1) bytes was put on a value of \(length)")
        return nil
      }
      function = .packer(count: count, gathered: [])
      outputLength = length * count
    case (0x11, 2...):
      let stampLength = Int(configuration[0] >> 4 & 0x03) + 1
      switch configuration[0] & 0x0f {
      case 0: function = .counter(stampLength: stampLength, next: 0)
      case 1 where stampLength == 4: function = .timestamp
      default:
        complain("an accounter has no mode \(configuration[0])")
        return nil
      }
      outputLength = length + stampLength
    default:
      complain("data processors of type \(type) with this configuration are not simulated")
      return nil
    }
    guard outputLength <= 17 else {
      complain("\(outputLength) bytes of processor output do not fit into a packet")
      return nil
    }
  }

  /// Takes a value in and returns what comes out, if anything does yet.
  mutating func process(_ value: BoardValue, tick: UInt32) -> BoardValue? {
    let input = BoardValue(
      bytes: Array(value.bytes.dropFirst(offset).prefix(length)), sampleCount: value.sampleCount)
    switch function {
    case .packer(let count, var gathered):
      gathered.append(input)
      guard gathered.count == count else {
        function = .packer(count: count, gathered: gathered)
        return nil
      }
      function = .packer(count: count, gathered: [])
      return BoardValue(
        bytes: gathered.flatMap(\.bytes),
        sampleCount: gathered.reduce(0) { $0 + $1.sampleCount })
    case .counter(let stampLength, let next):
      function = .counter(stampLength: stampLength, next: next &+ 1)
      return BoardValue(
        bytes: next.littleEndianBytes.prefix(stampLength) + input.bytes,
        sampleCount: input.sampleCount)
    case .timestamp:
      return BoardValue(
        bytes: tick.littleEndianBytes + input.bytes, sampleCount: input.sampleCount)
    }
  }
}
