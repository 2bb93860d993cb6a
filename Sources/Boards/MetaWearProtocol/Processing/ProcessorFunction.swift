/// A data processor's function on its input. All numbers are the raw counts of the signal.
public enum ProcessorFunction: Hashable, Sendable {
  /// Bytes of a value before and after the function, 1 to 4 each.
  public struct Sizes: Hashable, Sendable, BitwiseCopyable {
    public let input: Int
    public let output: Int

    public init(input: Int, output: Int) {
      self.input = input
      self.output = output
    }

    init(_ byte: UInt8) {
      self.init(input: Int(byte >> 2 & 3) + 1, output: Int(byte & 3) + 1)
    }

    var byte: UInt8 { UInt8((output - 1) & 3 | ((input - 1) & 3) << 2) }
  }

  /// Passes inputs on or blocks them.
  case passThrough(PassThrough, value: UInt16)
  /// Adds inputs up.
  case accumulator(Sizes)
  /// Counts inputs and passes on the count alone.
  case eventCounter(Sizes)
  /// Averages over `depth` inputs, or with `isHighPass` subtracts the average; vectors and
  /// high-pass need the number of channels and module revision 2.
  case averager(Sizes, depth: UInt8, isHighPass: Bool, channels: Int?)
  /// Passes on inputs for which the comparison with a reference holds; for firmware before 1.2.3.
  case comparator(isSigned: Bool, Comparison, reference: Int32)
  /// Compares inputs of `size` bytes with one or more references.
  case multiComparator(
    isSigned: Bool, size: Int, Comparison, ComparatorOutput, references: [Int64])
  /// Root of the mean or of the sum of the squares of the channels.
  case magnitude(Sizes, channels: Int, isSigned: Bool, isMean: Bool)
  /// Passes on one input per period.
  case time(length: Int, TimeMode, periodMilliseconds: UInt32)
  /// Arithmetic with a constant.
  case math(Sizes, isSigned: Bool, Operation, operand: Int32, channels: Int?)
  /// Passes inputs on with a delay in samples.
  case delay(length: Int, samples: UInt8)
  /// Finds pulses: at least `samples` samples above a threshold.
  case pulse(length: Int, PulseOutput, threshold: Int32, samples: UInt16)
  /// Passes on inputs that changed by a magnitude.
  case delta(size: Int, isSigned: Bool, DeltaMode, magnitude: Int32)
  /// Passes on inputs that cross a boundary.
  case threshold(
    size: Int, isSigned: Bool, isBinary: Bool, boundary: Int32, hysteresis: UInt16)
  /// Keeps the latest input, for a fuser or for a read of its state.
  case buffer(length: Int)
  /// Collects `count` inputs of `sampleLength` bytes and passes them on as one; module revision 2.
  case packer(sampleLength: Int, count: Int)
  /// Puts a count of the inputs, or the board's log tick, before each; module revision 2.
  case accounter(isTime: Bool, stampLength: Int)
  /// Appends the values of buffers to each input; module revision 3. Some software pads the list of
  /// ids with zeros.
  case fuser(buffers: [UInt8], padding: Int)

  /// Puts a count of the inputs so far before each, in four bytes; module revision 2.
  public static let counter = ProcessorFunction.accounter(isTime: false, stampLength: 4)
  /// Puts the board's log tick before each input, in four bytes; module revision 2.
  public static let timestamp = ProcessorFunction.accounter(isTime: true, stampLength: 4)

  /// Bytes of an accounter's stamp that fit into a packet before an input of this length: ticks
  /// always take four, a count takes the remaining bytes.
  public static func stampLength(isTime: Bool, inputLength: Int) -> Int {
    isTime ? 4 : max(1, min(4, 17 - inputLength))
  }

  /// The condition for passing inputs on.
  public enum PassThrough: UInt8, Hashable, Sendable {
    /// Always.
    case all = 0
    /// While a value is not 0.
    case conditional = 1
    /// For a number of inputs.
    case count = 2
  }

  /// Comparison of an input with a reference; the raw value is the board's code.
  public enum Comparison: UInt8, Hashable, Sendable, CaseIterable {
    case equal = 0
    case notEqual = 1
    /// Below.
    case less = 2
    /// Below or equal.
    case lessOrEqual = 3
    /// Above.
    case greater = 4
    /// Above or equal.
    case greaterOrEqual = 5
  }

  public enum ComparatorOutput: UInt8, Hashable, Sendable {
    case input = 0
    /// The matching reference.
    case reference = 1
    /// The position of the matching reference.
    case zone = 2
    /// 1 or 0.
    case binary = 3
  }

  /// Output of a time limiter.
  public enum TimeMode: UInt8, Hashable, Sendable {
    /// The input.
    case absolute = 0
    /// The difference from the input before.
    case difference = 1
    /// The input, as the vendor's software requests on module revision 1 and later.
    case passThrough = 2
  }

  /// Arithmetic; the raw value is the board's code.
  public enum Operation: UInt8, Hashable, Sendable, CaseIterable {
    /// Input + operand.
    case add = 1
    /// Input × operand.
    case multiply = 2
    /// Input ÷ operand.
    case divide = 3
    /// Remainder of input ÷ operand.
    case modulo = 4
    /// Input to the power of the operand.
    case exponent = 5
    /// Square root of the input.
    case squareRoot = 6
    /// Input shifted left.
    case leftShift = 7
    /// Input shifted right.
    case rightShift = 8
    /// Input − operand.
    case subtract = 9
    /// Absolute value of the input.
    case absolute = 10
    /// The operand.
    case constant = 11
  }

  public enum PulseOutput: UInt8, Hashable, Sendable {
    /// Its length in samples.
    case width = 0
    /// The sum of its samples.
    case area = 1
    /// Its largest sample.
    case peak = 2
    /// 1, as soon as it is found.
    case onDetect = 3
  }

  /// Output for a change.
  public enum DeltaMode: UInt8, Hashable, Sendable {
    /// The input.
    case absolute = 0
    /// The difference.
    case differential = 1
    /// 1 or −1.
    case binary = 2
  }
}
