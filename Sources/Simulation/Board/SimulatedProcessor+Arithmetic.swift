import Glibc
import MetaWearProtocol

// Data processors that calculate with whole numbers in the sensor's units, as the board does.
extension SimulatedProcessor {
  /// Returns the output for an input's bytes; `nil` if there is no output.
  mutating func compute(_ bytes: [UInt8], _ clock: Clock) -> [UInt8]? {
    switch function {
    case .passThrough(let mode, _): return letsThrough(mode) ? bytes : nil
    case .accumulator(let sizes):
      memory.number &+= Self.number(bytes[...], isSigned: true)
      return Self.bytes(memory.number, sizes.output)
    case .eventCounter(let sizes):
      memory.number += 1
      return Self.bytes(memory.number, sizes.output)
    case .averager(let sizes, let depth, let isHighPass, _):
      let input = Self.channels(bytes, sizes.input, isSigned: true)
      return average(input, Int(depth), isHighPass).flatMap { Self.bytes($0, sizes.output) }
    case .comparator(let isSigned, let comparison, let reference):
      let input = Self.number(bytes.prefix(8), isSigned: isSigned)
      let limit = isSigned ? Int64(reference) : Int64(UInt32(bitPattern: reference))
      return comparison.holds(input, limit) ? bytes : nil
    case .multiComparator(let isSigned, let size, let comparison, let output, let references):
      let input = Self.number(bytes[...], isSigned: isSigned)
      let found = references.firstIndex { comparison.holds(input, $0) }
      switch output {
      case .input: return found == nil ? nil : bytes
      case .reference: return found.map { Self.bytes(references[$0], size) }
      case .zone: return [UInt8(found ?? references.count)]
      case .binary: return [found == nil ? 0 : 1]
      }
    case .magnitude(let sizes, let channels, let isSigned, let isMean):
      let squares = Self.channels(bytes, sizes.input, isSigned: isSigned)
        .reduce(0.0) { $0 + Double($1) * Double($1) }
      let root = (isMean ? squares / Double(channels) : squares).squareRoot()
      return Self.bytes(Self.whole(min(root, Self.largest(sizes.output))), sizes.output)
    case .time(_, let mode, let milliseconds):
      return limit(bytes, mode, seconds: Double(milliseconds) / 1_000, clock)
    case .math(let sizes, let isSigned, let operation, let operand, _):
      let right = isSigned ? Int64(operand) : Int64(UInt32(bitPattern: operand))
      return Self.channels(bytes, sizes.input, isSigned: isSigned).flatMap {
        Self.bytes(operation.result($0, right), sizes.output)
      }
    case .pulse(let size, let output, let threshold, let samples):
      let input = Self.number(bytes[...], isSigned: true)
      return pulse(input, output, above: Int64(threshold), samples: Int(samples), size: size)
    case .delta(let size, let isSigned, let mode, let magnitude):
      let input = Self.number(bytes[...], isSigned: isSigned)
      let difference = input - memory.number
      guard abs(difference) >= Int64(magnitude) else { return nil }
      memory.number = input
      switch mode {
      case .absolute: return bytes
      case .differential: return Self.bytes(difference, size)
      case .binary: return [difference < 0 ? 0xff : 1]
      }
    case .threshold(_, let isSigned, let isBinary, let boundary, let hysteresis):
      let input = Self.number(bytes[...], isSigned: isSigned)
      guard let isRising = crosses(input, Int64(boundary), Int64(hysteresis)) else { return nil }
      return isBinary ? [isRising ? 1 : 0xff] : bytes
    case .delay, .buffer, .packer, .accounter, .fuser: return nil
    }
  }

  private mutating func letsThrough(_ mode: ProcessorFunction.PassThrough) -> Bool {
    switch mode {
    case .all: return true
    case .conditional: return memory.number != 0
    case .count:
      guard memory.number > 0 else { return false }
      memory.number -= 1
      return true
    }
  }

  /// Returns the mean of the most recent inputs for each channel, or the input's difference from
  /// that mean.
  private mutating func average(
    _ input: [Int64], _ depth: Int, _ isHighPass: Bool
  ) -> [Int64] {
    memory.window.append(input)
    if memory.window.count > max(1, depth) { memory.window.removeFirst() }
    return input.indices.map { channel in
      let mean = memory.window.reduce(0) { $0 + $1[channel] } / Int64(memory.window.count)
      return isHighPass ? input[channel] - mean : mean
    }
  }

  /// Lets one input pass per period, as measured by the board's clock.
  private mutating func limit(
    _ bytes: [UInt8], _ mode: ProcessorFunction.TimeMode, seconds: Double, _ clock: Clock
  ) -> [UInt8]? {
    // A difference of up to a microsecond is treated as a rounding error.
    if let last = memory.passedAt, clock.seconds - last < seconds - 1e-6 { return nil }
    memory.passedAt = clock.seconds
    guard mode == .difference else { return bytes }
    let input = Self.number(bytes.prefix(8), isSigned: true)
    defer { memory.number = input }
    return Self.bytes(input &- memory.number, bytes.count)
  }

  private mutating func pulse(
    _ input: Int64, _ output: ProcessorFunction.PulseOutput, above threshold: Int64, samples: Int,
    size: Int
  ) -> [UInt8]? {
    guard input > threshold else {
      let pulse = memory.pulse
      memory.pulse = Pulse()
      guard pulse.width > 0, pulse.width >= samples else { return nil }
      switch output {
      case .width: return Self.bytes(Int64(pulse.width), 2)
      case .area: return Self.bytes(pulse.area, 4)
      // Firmware 1.7.2 does not report peaks.
      case .peak, .onDetect: return nil
      }
    }
    memory.pulse.width += 1
    memory.pulse.area &+= input
    return output == .onDetect && memory.pulse.width == max(1, samples) ? [1] : nil
  }

  /// Returns `true` if the input has risen to the boundary plus the hysteresis. Returns `false` if
  /// it has fallen below the boundary minus the hysteresis, and `nil` otherwise.
  private mutating func crosses(
    _ input: Int64, _ boundary: Int64, _ hysteresis: Int64
  ) -> Bool? {
    guard let isAbove = memory.isAbove else {
      memory.isAbove = input >= boundary
      return nil
    }
    if isAbove ? input < boundary - hysteresis : input >= boundary + hysteresis {
      memory.isAbove = !isAbove
      return !isAbove
    }
    return nil
  }

  // MARK: Numbers

  /// Decodes an integer of up to eight bytes, least significant byte first.
  static func number(_ bytes: ArraySlice<UInt8>, isSigned: Bool) -> Int64 {
    guard let last = bytes.last else { return 0 }
    var value: Int64 = isSigned && last >= 0x80 ? -1 : 0
    for byte in bytes.reversed() { value = value << 8 | Int64(byte) }
    return value
  }

  /// Returns a number's lowest bytes. Higher bytes are lost, as on the board.
  static func bytes(_ number: Int64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: number >> Int64(8 * min($0, 7))) }
  }

  private static func channels(_ bytes: [UInt8], _ size: Int, isSigned: Bool) -> [Int64] {
    stride(from: 0, to: bytes.count, by: size).map {
      number(bytes[$0..<min($0 + size, bytes.count)], isSigned: isSigned)
    }
  }

  /// Returns the largest unsigned integer with this many bytes.
  private static func largest(_ bytes: Int) -> Double {
    exp2(Double(8 * bytes)) - 1
  }

  /// Returns a number's integer part, limited to 64 bits.
  static func whole(_ value: Double) -> Int64 {
    Int64(exactly: value.rounded(.towardZero)) ?? (value > 0 ? .max : .min)
  }
}

extension ProcessorFunction.Comparison {
  fileprivate func holds(_ value: Int64, _ reference: Int64) -> Bool {
    switch self {
    case .equal: value == reference
    case .notEqual: value != reference
    case .less: value < reference
    case .lessOrEqual: value <= reference
    case .greater: value > reference
    case .greaterOrEqual: value >= reference
    }
  }
}

extension ProcessorFunction.Operation {
  /// Division by zero yields 0, because the board must keep running.
  fileprivate func result(_ left: Int64, _ right: Int64) -> Int64 {
    switch self {
    case .add: left &+ right
    case .multiply: left &* right
    case .divide: right == 0 ? 0 : left / right
    case .modulo: right == 0 ? 0 : left % right
    case .exponent: SimulatedProcessor.whole(pow(Double(left), Double(right)))
    case .squareRoot: left <= 0 ? 0 : SimulatedProcessor.whole(Double(left).squareRoot())
    case .leftShift: left << right
    case .rightShift: left >> right
    case .subtract: left &- right
    case .absolute: abs(left)
    case .constant: right
    }
  }
}
