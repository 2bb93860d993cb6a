import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

/// A data processor with its inputs and the output for each input.
struct ProcessorCase: CustomTestStringConvertible, Sendable {
  var name: String
  var function: ProcessorFunction
  var length: Int
  var inputs: [[UInt8]]
  /// The output for each input, or `nil` if the processor sends no output.
  var outputs: [[UInt8]?]

  var testDescription: String { name }

  init(
    _ name: String, _ function: ProcessorFunction, length: Int, _ inputs: [[UInt8]],
    gives outputs: [[UInt8]?]
  ) {
    self.name = name
    self.function = function
    self.length = length
    self.inputs = inputs
    self.outputs = outputs
  }

  /// Creates a case in which all inputs and outputs are two bytes long.
  init(_ name: String, _ function: ProcessorFunction, _ inputs: [Int16], gives outputs: [Int16?]) {
    self.init(
      name, function, length: 2, inputs.map(\.littleEndianBytes),
      gives: outputs.map { $0?.littleEndianBytes })
  }
}

@Suite(.computation) struct SimulatedProcessorTests {
  typealias Sizes = ProcessorFunction.Sizes
  static let words = Sizes(input: 2, output: 2)
  static let channels = [Int16(3), -4, 12].flatMap(\.littleEndianBytes)

  static func math(
    _ operation: ProcessorFunction.Operation, _ operand: Int32, isSigned: Bool = true,
    _ sizes: Sizes = words
  ) -> ProcessorFunction {
    .math(sizes, isSigned: isSigned, operation, operand: operand, channels: nil)
  }

  static func compare(
    _ comparison: ProcessorFunction.Comparison, _ output: ProcessorFunction.ComparatorOutput,
    _ references: [Int64], isSigned: Bool = true
  ) -> ProcessorFunction {
    .multiComparator(
      isSigned: isSigned, size: 2, comparison, output, references: references)
  }

  static let flow = [
    ProcessorCase("all pass", .passThrough(.all, value: 0), [1, 2], gives: [1, 2]),
    ProcessorCase("none pass", .passThrough(.conditional, value: 0), [1, 2], gives: [nil, nil]),
    ProcessorCase("some condition", .passThrough(.conditional, value: 5), [1, 2], gives: [1, 2]),
    ProcessorCase("two pass", .passThrough(.count, value: 2), [1, 2, 3], gives: [1, 2, nil]),
    ProcessorCase("delay", .delay(length: 2, samples: 2), [1, 2, 3, 4], gives: [nil, nil, 1, 2]),
    ProcessorCase("buffer", .buffer(length: 2), [1, 2], gives: [nil, nil]),
    ProcessorCase(
      "packer", .packer(sampleLength: 2, count: 2), length: 2, [[1, 2], [3, 4], [5, 6]],
      gives: [nil, [1, 2, 3, 4], nil]),
    ProcessorCase(
      "counter of one byte", .accounter(isTime: false, stampLength: 1), length: 2,
      [[1, 2], [3, 4]], gives: [[0, 1, 2], [1, 3, 4]]),
    ProcessorCase(
      "ticks", .timestamp, length: 2, [[1, 2], [3, 4]],
      gives: [[0, 1, 0, 0, 1, 2], [1, 1, 0, 0, 3, 4]]),
    // In these tests, the clock advances by 0.1 s with each input.
    ProcessorCase(
      "one in 0.2 s", .time(length: 2, .absolute, periodMilliseconds: 200), [1, 2, 4, 8, 16],
      gives: [1, nil, 4, nil, 16]),
    ProcessorCase(
      "difference over 0.2 s", .time(length: 2, .difference, periodMilliseconds: 200),
      [1, 2, 4, 8, 16], gives: [1, nil, 3, nil, 12]),
  ]

  static let arithmetic = [
    ProcessorCase(
      "sum", .accumulator(Sizes(input: 2, output: 4)), length: 2,
      [[1, 0], [0xff, 0xff], [0xfe, 0xff]],
      gives: [[1, 0, 0, 0], [0, 0, 0, 0], [0xfe, 0xff, 0xff, 0xff]]),
    ProcessorCase(
      "sum in one byte", .accumulator(Sizes(input: 1, output: 1)), length: 1, [[200], [100]],
      gives: [[200], [44]]),
    ProcessorCase(
      "count", .eventCounter(Sizes(input: 2, output: 1)), length: 6, [channels, channels],
      gives: [[1], [2]]),
    ProcessorCase(
      "average of 3", .averager(words, depth: 3, isHighPass: false, channels: nil),
      [3, 6, 9, -30], gives: [3, 4, 6, -5]),
    ProcessorCase(
      "without the average of 2", .averager(words, depth: 2, isHighPass: true, channels: 1),
      [10, 20, 20], gives: [0, 5, 0]),
    ProcessorCase(
      "average of vectors", .averager(words, depth: 2, isHighPass: false, channels: 3), length: 6,
      [channels, [UInt8](repeating: 0, count: 6)],
      gives: [channels, [Int16(1), -2, 6].flatMap(\.littleEndianBytes)]),
    ProcessorCase(
      "root of the sum", .magnitude(words, channels: 3, isSigned: true, isMean: false), length: 6,
      [channels], gives: [[13, 0]]),
    ProcessorCase(
      "root of the mean", .magnitude(words, channels: 3, isSigned: true, isMean: true), length: 6,
      [channels], gives: [[7, 0]]),
    ProcessorCase(
      "root without sign", .magnitude(words, channels: 1, isSigned: false, isMean: false),
      [-1], gives: [-1]),
    ProcessorCase(
      "root too large",
      .magnitude(
        Sizes(input: 2, output: 1), channels: 1, isSigned: true, isMean: false), length: 2,
      [[0, 0x80]], gives: [[0xff]]),
    ProcessorCase("add", math(.add, -3), [1, -1], gives: [-2, -4]),
    ProcessorCase("subtract", math(.subtract, 3), [1, -1], gives: [-2, -4]),
    ProcessorCase("multiply", math(.multiply, -2), [5, -7], gives: [-10, 14]),
    ProcessorCase("divide", math(.divide, 2), [7, -7], gives: [3, -3]),
    ProcessorCase("divide by nothing", math(.divide, 0), [7], gives: [0]),
    ProcessorCase("divide without sign", math(.divide, 2, isSigned: false), [-2], gives: [32767]),
    ProcessorCase("remainder", math(.modulo, 5), [13, -13], gives: [3, -3]),
    ProcessorCase("power", math(.exponent, 3), [5, -5], gives: [125, -125]),
    ProcessorCase("square root", math(.squareRoot, 0), [99, 100, -4], gives: [9, 10, 0]),
    ProcessorCase("shift left", math(.leftShift, 3), [5, -5], gives: [40, -40]),
    ProcessorCase("shift right", math(.rightShift, 1), [5, -5], gives: [2, -3]),
    ProcessorCase(
      "shift right without sign", math(.rightShift, 1, isSigned: false), [-2], gives: [32767]),
    ProcessorCase("absolute", math(.absolute, 0), [5, -5], gives: [5, 5]),
    ProcessorCase("constant", math(.constant, -9), [5], gives: [-9]),
    ProcessorCase(
      "wider", math(.multiply, 1_000, Sizes(input: 2, output: 4)), length: 2,
      [(-300 as Int16).littleEndianBytes], gives: [(-300_000 as Int32).littleEndianBytes]),
    ProcessorCase(
      "by channel", .math(words, isSigned: true, .add, operand: 1, channels: 3), length: 6,
      [channels], gives: [[Int16(4), -3, 13].flatMap(\.littleEndianBytes)]),
  ]

  static let decisions = [
    ProcessorCase(
      "old comparator", .comparator(isSigned: true, .less, reference: 5), [4, 5, -9],
      gives: [4, nil, -9]),
    ProcessorCase("equal", compare(.equal, .input, [5]), [4, 5, 6], gives: [nil, 5, nil]),
    ProcessorCase("not equal", compare(.notEqual, .input, [5]), [4, 5, 6], gives: [4, nil, 6]),
    ProcessorCase("less", compare(.less, .input, [5]), [4, 5, 6], gives: [4, nil, nil]),
    ProcessorCase("at most", compare(.lessOrEqual, .input, [5]), [4, 5, 6], gives: [4, 5, nil]),
    ProcessorCase("greater", compare(.greater, .input, [5]), [4, 5, 6], gives: [nil, nil, 6]),
    ProcessorCase(
      "at least", compare(.greaterOrEqual, .input, [5]), [4, 5, 6], gives: [nil, 5, 6]),
    ProcessorCase(
      "without sign", compare(.greater, .input, [5], isSigned: false), [-1, 4],
      gives: [-1, nil]),
    ProcessorCase(
      "the reference that held", compare(.greater, .reference, [10, 5]), [4, 7, 20],
      gives: [nil, 5, 10]),
    ProcessorCase(
      "its position", compare(.greater, .zone, [10, 5]), length: 2, [[4, 0], [7, 0], [20, 0]],
      gives: [[2], [1], [0]]),
    ProcessorCase(
      "one or nothing", compare(.greater, .binary, [5]), length: 2, [[4, 0], [7, 0]],
      gives: [[0], [1]]),
    ProcessorCase(
      "change", .delta(size: 2, isSigned: true, .absolute, magnitude: 10), [5, 12, 15, 2, 1],
      gives: [nil, 12, nil, 2, nil]),
    ProcessorCase(
      "difference", .delta(size: 2, isSigned: true, .differential, magnitude: 10), [12, 15, -8],
      gives: [12, nil, -20]),
    ProcessorCase(
      "direction", .delta(size: 2, isSigned: true, .binary, magnitude: 10), length: 2,
      [[12, 0], [1, 0]], gives: [[1], [0xff]]),
    ProcessorCase(
      "boundary", .threshold(size: 2, isSigned: true, isBinary: false, boundary: 10, hysteresis: 2),
      [5, 11, 12, 9, 8, 7], gives: [nil, nil, 12, nil, nil, 7]),
    ProcessorCase(
      "side", .threshold(size: 2, isSigned: true, isBinary: true, boundary: 10, hysteresis: 0),
      length: 2, [[5, 0], [10, 0], [11, 0], [9, 0]], gives: [nil, [1], nil, [0xff]]),
    ProcessorCase(
      "width", .pulse(length: 2, .width, threshold: 10, samples: 2), [11, 0, 11, 12, 13, 10],
      gives: [nil, nil, nil, nil, nil, 3]),
    ProcessorCase(
      "area", .pulse(length: 2, .area, threshold: 10, samples: 2), length: 2,
      [[11, 0], [12, 0], [0, 0]], gives: [nil, nil, [23, 0, 0, 0]]),
    ProcessorCase(
      "detected", .pulse(length: 2, .onDetect, threshold: 10, samples: 2), length: 2,
      [[11, 0], [12, 0], [13, 0], [0, 0]], gives: [nil, [1], nil, nil]),
    // Firmware 1.7.2 behaves in this way: it never reports a peak.
    ProcessorCase(
      "peak", .pulse(length: 2, .peak, threshold: 10, samples: 1), [11, 12, 0],
      gives: [nil, nil, nil]),
  ]

  @Test(arguments: flow + arithmetic + decisions)
  func `each type of data processor computes the expected output from raw numbers`(
    _ example: ProcessorCase
  ) throws {
    let range = UInt8(truncatingIfNeeded: (example.length - 1) << 5)
    let payload = [0x03, 0x04, 0xff, range] + example.function.bytes
    var processor = try SimulatedProcessor(
      payload, valueLength: example.length, isPacked: false, revision: 3, buffers: [:])
    for (index, input) in example.inputs.enumerated() {
      let clock = SimulatedProcessor.Clock(
        tick: 256 + UInt32(index), seconds: 7 + 0.1 * Double(index))
      let output = processor.process(
        BoardValue(bytes: input, sampleCount: 1), clock, buffers: [])
      #expect(output?.bytes == example.outputs[index], "input \(index)")
      if let output { #expect(output.bytes.count == processor.outputLength) }
    }
    #expect(processor.description == payload)
  }

  static let source = Accelerometer(chip: .bmi270, revision: 0).source

  /// Feeds one acceleration sample directly into the board.
  func feed(_ client: inout SimulatedBoardClient, _ x: Int16, _ y: Int16 = 0, _ z: Int16 = 0)
    -> [[UInt8]]
  {
    let before = client.received.count
    client.board.process(
      BoardValue(bytes: [x, y, z].flatMap(\.littleEndianBytes), sampleCount: 1),
      from: BoardSource(module: 0x03, register: 0x04, index: 0xff))
    client.board.advance(to: client.time, into: &client.received)
    return client.received[before...].map(\.bytes)
  }

  @Test
  func `a magnitude comparator passes only large values, and a pass-through passes all values`()
    throws
  {
    var client = SimulatedBoardClient(.metaMotionS)
    let magnitude = try client.id(
      client.write(
        DataProcessor.create(
          .magnitude(Self.words, channels: 3, isSigned: true, isMean: false), on: Self.source)))
    let above = try client.id(
      client.write(
        DataProcessor.create(
          Self.compare(.greater, .input, [4_096], isSigned: false),
          on: .processor(magnitude, length: 2))))
    client.write(DataProcessor.subscribe(above), DataProcessor.enableNotifications)
    #expect(feed(&client, 0, 0, 4_096) == [])
    #expect(feed(&client, 3_000, 0, 4_000) == [[0x09, 0x03, above, 0x88, 0x13]])
    let y = SignalSource(.accelerometer, 0x04, length: 2, offset: 2)
    let axis = try client.id(
      client.write(DataProcessor.create(.passThrough(.all, value: 0), on: y)))
    client.write(DataProcessor.subscribe(axis))
    #expect(feed(&client, 1, 2, 3) == [[0x09, 0x03, axis, 2, 0]])
    #expect(client.board.complaints == [])
  }

  @Test func `a fuser appends the latest values of its buffers to each input`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let turning = Gyroscope(chip: .bmi270, revision: 0).source
    let buffer = try client.id(client.write(DataProcessor.create(.buffer(length: 6), on: turning)))
    let fuser = try client.id(
      client.write(
        DataProcessor.create(.fuser(buffers: [buffer], padding: 11), on: Self.source)))
    client.write(DataProcessor.subscribe(fuser), DataProcessor.enableNotifications)
    #expect(feed(&client, 1, 2, 3) == [])
    client.board.process(
      BoardValue(bytes: [9, 8, 7, 6, 5, 4], sampleCount: 1),
      from: BoardSource(module: 0x13, register: 0x04, index: 0xff))
    #expect(
      feed(&client, 1, 2, 3) == [[0x09, 0x03, fuser, 1, 0, 2, 0, 3, 0, 9, 8, 7, 6, 5, 4]])
    client.write(DataProcessor.remove(buffer))
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.first?.contains("depends on this one") == true)
  }

  @Test func `the state of a processor can be read and set, and a silent read can be logged`()
    throws
  {
    var client = SimulatedBoardClient(.metaMotionS)
    let sum = try client.id(
      client.write(
        DataProcessor.create(
          .accumulator(Sizes(input: 2, output: 4)),
          on: SignalSource(.accelerometer, 0x04, length: 2))))
    _ = feed(&client, 1_000)
    #expect(
      client.write(DataProcessor.readState(sum, isSilent: false))
        == [[0x09, 0x84, sum, 0xe8, 3, 0, 0]])
    client.write(DataProcessor.setState(sum, (-5 as Int32).littleEndianBytes))
    _ = feed(&client, 2)
    #expect(
      client.write(DataProcessor.readState(sum, isSilent: false))
        == [[0x09, 0x84, sum, 0xfd, 0xff, 0xff, 0xff]])
    // A trigger on the register for silent reads logs each of these reads.
    let silent = SignalSource(
      PacketHeader(.dataProcessor, 0x04, isRead: true, isSilent: true), index: sum, length: 4)
    client.write(Logging.addTrigger(silent), Logging.run(isOn: true))
    #expect(client.write(DataProcessor.readState(sum, isSilent: true)) == [])
    client.write(Logging.stop)
    client.write(Logging.flush)
    #expect(client.write(Logging.readLength) == [[0x0b, 0x85, 1, 0, 0, 0]])
    #expect(client.board.complaints == [])
  }

  @Test func `a data processor can be read back, changed and queried`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let x = SignalSource(.accelerometer, 0x04, length: 2)
    let create = DataProcessor.create(Self.compare(.greater, .input, [5]), on: x)
    let id = try client.id(client.write(create))
    client.write(DataProcessor.subscribe(id), DataProcessor.enableNotifications)
    #expect(feed(&client, 6).count == 1)
    client.write(DataProcessor.modify(id, Self.compare(.less, .input, [5])))
    #expect(feed(&client, 6).isEmpty)
    #expect(feed(&client, 4).count == 1)
    let answer = client.write(DataProcessor.query(id))[0]
    #expect(
      try Notification(decoding: answer.span, from: ModuleTable())
        == .processorDescription(x, Self.compare(.less, .input, [5])))
    #expect(client.write(DataProcessor.query(7)) == [])
    client.board.logBehaviour.emptySlot = .filler
    #expect(client.write(DataProcessor.query(7)) == [[0x09, 0x82, 0xff]])
    #expect(client.board.complaints == [])
    client.write(DataProcessor.modify(id, .buffer(length: 2)))
    #expect(client.board.complaints.last?.contains("another type") == true)
  }

  @Test func `quaternions are counted with one byte, because the packet has no space for more`()
    throws
  {
    var client = SimulatedBoardClient(.metaMotionS)
    let quaternion = SignalSource(.sensorFusion, 0x07, length: 16)
    let id = try client.id(
      client.write(
        DataProcessor.create(.accounter(isTime: false, stampLength: 1), on: quaternion)))
    client.write(DataProcessor.subscribe(id), DataProcessor.enableNotifications)
    let value = (0..<16).map { UInt8($0) }
    let source = BoardSource(module: 0x19, register: 0x07, index: 0xff)
    for count in 0..<300 {
      let before = client.received.count
      client.board.process(BoardValue(bytes: value, sampleCount: 1), from: source)
      client.board.advance(to: client.time, into: &client.received)
      #expect(
        client.received[before...].map(\.bytes)
          == [[0x09, 0x03, id, UInt8(truncatingIfNeeded: count)] + value])
    }
    #expect(client.board.complaints == [])
    #expect(client.write(DataProcessor.create(.timestamp, on: quaternion)) == [])
    #expect(client.board.complaints.first?.contains("20 bytes of processor output") == true)
  }

  @Test func `older boards lack newer data processors`() throws {
    var client = SimulatedBoardClient(.metaWearC)
    let source = Accelerometer(chip: .bmi160, revision: 1).source
    let later: [ProcessorFunction] = [
      .counter, .packer(sampleLength: 6, count: 2), .fuser(buffers: [0], padding: 0),
      .averager(Self.words, depth: 2, isHighPass: false, channels: 3),
    ]
    for (index, function) in later.enumerated() {
      #expect(client.write(DataProcessor.create(function, on: source)) == [])
      #expect(client.board.complaints.count == index + 1)
      #expect(client.board.complaints.last?.contains("this function needs revision") == true)
    }
    let passes = DataProcessor.create(
      .time(length: 6, .passThrough, periodMilliseconds: 9), on: source)
    #expect(client.write(passes) == [[0x09, 0x02, 0]])
    var oldest = SimulatedBoardClient(.metaWearR)
    let old = Accelerometer(chip: .mma8452q, revision: 1).source
    #expect(
      oldest.write(
        DataProcessor.create(.time(length: 6, .passThrough, periodMilliseconds: 9), on: old)) == [])
    #expect(
      oldest.write(
        DataProcessor.create(.time(length: 6, .absolute, periodMilliseconds: 9), on: old))
        == [[0x09, 0x02, 0]])
  }

  static let mistakes = [
    MistakeCase(
      packets: [[0x09, 0x02, 0x03, 0x04, 0xff, 0xa4, 0x01, 0, 0, 0]], complaint: "only 6 bytes"),
    MistakeCase(
      packets: [[0x09, 0x02, 0x03, 0x04, 0xff, 0xa0, 0x2f, 0]], complaint: "of type 47"),
    MistakeCase(
      packets: [[0x09, 0x02, 0x03, 0x04, 0xff, 0xa0, 0x0f, 0x03]],
      complaint: "a buffer of 4 bytes was attached to a value of 6"),
    MistakeCase(
      packets: [[0x09, 0x02, 0x03, 0x04, 0xff, 0xa0, 0x11, 0x11, 0x03]],
      complaint: "ticks take four bytes"),
    MistakeCase(
      packets: [[0x09, 0x02, 0x03, 0x04, 0xff, 0xa0, 0x1b, 0x01, 0x05]],
      complaint: "data processor 5 is not a buffer"),
    MistakeCase(
      packets: [[0x09, 0x02, 0x09, 0x03, 0x00, 0xa0, 0x01, 0, 0, 0]],
      complaint: "to this source"),
    MistakeCase(
      packets: [[0x09, 0x02, 0x04, 0xc1, 0x00, 0x20, 0x01, 0, 0, 0], [0x09, 0x84, 0x04]],
      complaint: "silent reads reach"),
    MistakeCase(
      packets: [
        [0x09, 0x02, 0x03, 0x04, 0xff, 0xa0, 0x10, 0x05, 0x00], [0x09, 0x84, 0x00],
      ], complaint: "has no state to read"),
    MistakeCase(
      packets: [
        [0x09, 0x02, 0x03, 0x04, 0xff, 0xa0, 0x10, 0x05, 0x00], [0x09, 0x04, 0x00, 0x01],
      ], complaint: "no such state"),
    MistakeCase(
      packets: [
        [0x09, 0x02, 0x03, 0x04, 0xff, 0xa0, 0x10, 0x05, 0x00],
        [0x09, 0x02, 0x09, 0x03, 0x00, 0xa0, 0x11, 0x30, 0x03],
        [0x09, 0x05, 0x00, 0x10, 0x05, 0x01],
      ], complaint: "output length"),
  ]

  @Test(arguments: mistakes)
  func `an invalid data processor command is reported`(_ mistake: MistakeCase) {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(mistake.packets)
    #expect(client.board.complaints.first?.contains(mistake.complaint) == true)
  }
}
