import MetaWearProtocol

// Data processors that store and combine values without interpreting them.
extension SimulatedProcessor {
  mutating func join(
    _ input: BoardValue, _ clock: Clock, buffers: [BoardValue?]
  ) -> BoardValue? {
    switch function {
    case .packer(_, let count):
      memory.gathered.append(input)
      guard memory.gathered.count >= count else { return nil }
      defer { memory.gathered = [] }
      return Self.together(memory.gathered)
    case .fuser:
      let kept = buffers.compactMap(\.self)
      // A fuser has no output until every buffer contains a value.
      guard kept.count == buffers.count else { return nil }
      return Self.together([input] + kept)
    case .buffer:
      memory.gathered = [input]
      return nil
    case .delay(_, let samples):
      memory.gathered.append(input)
      guard memory.gathered.count > Int(samples) else { return nil }
      return memory.gathered.removeFirst()
    case .accounter(let isTime, let stampLength):
      let stamp = isTime ? clock.tick : UInt32(truncatingIfNeeded: memory.number)
      if !isTime { memory.number += 1 }
      return BoardValue(
        bytes: stamp.littleEndianBytes.prefix(stampLength) + input.bytes,
        sampleCount: input.sampleCount)
    default: return nil
    }
  }

  private static func together(_ values: [BoardValue]) -> BoardValue {
    BoardValue(
      bytes: values.flatMap(\.bytes), sampleCount: values.reduce(0) { $0 + $1.sampleCount })
  }
}

// A data processor's state, in the form in which the host reads and sets it.
extension SimulatedProcessor {
  /// The state; empty if the processor has no state.
  var stateBytes: [UInt8] {
    switch function {
    case .passThrough: Self.bytes(memory.number, 2)
    case .accumulator(let sizes), .eventCounter(let sizes): Self.bytes(memory.number, sizes.output)
    case .accounter(false, let stampLength): Self.bytes(memory.number, stampLength)
    case .delta(let size, _, _, _): Self.bytes(memory.number, size)
    case .buffer(let size): kept?.bytes ?? [UInt8](repeating: 0, count: size)
    default: []
    }
  }

  /// Sets the state. Returns `false` if the processor has no state of this length.
  mutating func setState(_ bytes: [UInt8]) -> Bool {
    switch function {
    case .passThrough, .accumulator, .eventCounter, .accounter(false, _), .delta:
      guard (1...4).contains(bytes.count) else { return false }
      let isSigned = if case .delta(_, true, _, _) = function { true } else { false }
      memory.number = Self.number(bytes[...], isSigned: isSigned)
    // A client clears an averager by writing an empty state.
    case .averager:
      guard bytes.isEmpty else { return false }
      memory.window = []
    case .buffer(let size):
      guard bytes.count == size else { return false }
      memory.gathered = [BoardValue(bytes: bytes, sampleCount: 0)]
    default: return false
    }
    return true
  }
}
