/// The function that a data processor applies to its input. All numbers are the signal's raw
/// counts.
public enum ProcessorFunction: Hashable, Sendable {
  /// The sizes of a function's input and output, 1 to 4 bytes each.
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

  /// Either passes inputs on or blocks them.
  case passThrough(PassThrough, value: UInt16)
  /// Outputs the sum of all inputs.
  case accumulator(Sizes)
  /// Outputs the number of inputs received, but not the inputs themselves.
  case eventCounter(Sizes)
  /// Outputs the average of `depth` inputs. With `isHighPass`, subtracts the average from each
  /// input. Vectors and the high-pass filter require `channels` and module revision 2.
  case averager(Sizes, depth: UInt8, isHighPass: Bool, channels: Int?)
  /// Passes on an input if its comparison with a reference is true. For firmware before 1.2.3.
  case comparator(isSigned: Bool, Comparison, reference: Int32)
  /// Compares inputs of `size` bytes with one or more references.
  case multiComparator(
    isSigned: Bool, size: Int, Comparison, ComparatorOutput, references: [Int64])
  /// Outputs the root mean square of the channels, or the square root of the sum of their squares.
  case magnitude(Sizes, channels: Int, isSigned: Bool, isMean: Bool)
  /// Passes on one input per period.
  case time(length: Int, TimeMode, periodMilliseconds: UInt32)
  /// Applies an arithmetic operation to each input and a constant operand.
  case math(Sizes, isSigned: Bool, Operation, operand: Int32, channels: Int?)
  /// Delays each input by a number of samples.
  case delay(length: Int, samples: UInt8)
  /// Detects pulses. A pulse consists of at least `samples` samples above a threshold.
  case pulse(length: Int, PulseOutput, threshold: Int32, samples: UInt16)
  /// Produces an output when the input has changed by at least this amount.
  case delta(size: Int, isSigned: Bool, DeltaMode, magnitude: Int32)
  /// Produces an output when the input crosses a boundary.
  case threshold(
    size: Int, isSigned: Bool, isBinary: Bool, boundary: Int32, hysteresis: UInt16)
  /// Stores the latest input. A fuser can use the stored input, and a client can read this input as
  /// the processor's state.
  case buffer(length: Int)
  /// Collects `count` inputs of `sampleLength` bytes and outputs them as one value. Requires module
  /// revision 2.
  case packer(sampleLength: Int, count: Int)
  /// Prefixes each input with a count of the inputs or with the board's log tick. Requires module
  /// revision 2.
  case accounter(isTime: Bool, stampLength: Int)
  /// Appends the values stored in buffers to each input. Requires module revision 3. Some software
  /// pads the list of buffer ids with zeros.
  case fuser(buffers: [UInt8], padding: Int)

  /// Prefixes each input with a four-byte running count of the inputs. Requires module revision 2.
  public static let counter = ProcessorFunction.accounter(isTime: false, stampLength: 4)
  /// Prefixes each input with the board's log tick in four bytes. Requires module revision 2.
  public static let timestamp = ProcessorFunction.accounter(isTime: true, stampLength: 4)

  /// Returns the length in bytes of an accounter's stamp in a packet that also contains an input of
  /// this length. A tick always has four bytes; a count uses the remaining space.
  public static func stampLength(isTime: Bool, inputLength: Int) -> Int {
    isTime ? 4 : max(1, min(4, 17 - inputLength))
  }

  /// Determines which inputs a pass-through processor passes on.
  public enum PassThrough: UInt8, Hashable, Sendable {
    case all = 0
    /// Pass on inputs while the value is not 0.
    case conditional = 1
    /// Pass on as many inputs as the value specifies.
    case count = 2
  }

  /// Comparison of an input with a reference. The raw value is the board's code.
  public enum Comparison: UInt8, Hashable, Sendable, CaseIterable {
    case equal = 0
    case notEqual = 1
    case less = 2
    case lessOrEqual = 3
    case greater = 4
    case greaterOrEqual = 5
  }

  public enum ComparatorOutput: UInt8, Hashable, Sendable {
    case input = 0
    /// Outputs the reference that matched.
    case reference = 1
    /// Outputs the index of the reference that matched.
    case zone = 2
    /// Outputs 1 or 0.
    case binary = 3
  }

  /// Determines the output of a processor that passes on one input per period.
  public enum TimeMode: UInt8, Hashable, Sendable {
    /// Outputs the input itself.
    case absolute = 0
    /// Outputs the difference from the previous input.
    case difference = 1
    /// Outputs the input itself. The vendor's software requests this mode on module revision 1 and
    /// later.
    case passThrough = 2
  }

  /// An arithmetic operation on an input. The raw value is the board's code.
  public enum Operation: UInt8, Hashable, Sendable, CaseIterable {
    case add = 1
    case multiply = 2
    /// Input ÷ operand.
    case divide = 3
    /// Remainder of input ÷ operand.
    case modulo = 4
    /// Input to the power of the operand.
    case exponent = 5
    case squareRoot = 6
    case leftShift = 7
    case rightShift = 8
    /// Input − operand.
    case subtract = 9
    case absolute = 10
    /// The operand.
    case constant = 11
  }

  public enum PulseOutput: UInt8, Hashable, Sendable {
    /// Outputs the pulse's length in samples.
    case width = 0
    /// Outputs the sum of the pulse's samples.
    case area = 1
    /// Outputs the pulse's largest sample.
    case peak = 2
    /// Outputs 1 as soon as a pulse is detected.
    case onDetect = 3
  }

  /// The value to output when the input has changed enough.
  public enum DeltaMode: UInt8, Hashable, Sendable {
    /// Outputs the input itself.
    case absolute = 0
    /// Outputs the change in the input.
    case differential = 1
    /// Outputs 1 if the input has increased, or −1 if it has decreased.
    case binary = 2
  }
}
