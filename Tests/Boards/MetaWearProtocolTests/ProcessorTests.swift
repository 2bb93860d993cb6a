import MetaWearProtocol
import TestSupport
import Testing

@Suite(.computation) struct ProcessorTests {
  static let acceleration = SignalSource(.accelerometer, 0x04, length: 6)

  static let functions: [(ProcessorFunction, String)] = [
    (.passThrough(.count, value: 10), "01 02 0a00"),
    (.accumulator(.init(input: 2, output: 4)), "02 07"),
    (.eventCounter(.init(input: 1, output: 1)), "02 10"),
    (.averager(.init(input: 2, output: 2), depth: 4, isHighPass: false, channels: nil), "03 05 04"),
    (.averager(.init(input: 2, output: 2), depth: 4, isHighPass: true, channels: 3), "03 25 04 02"),
    (.comparator(isSigned: true, .equal, reference: -1), "06 01 00 00 ffffffff"),
    (
      .multiComparator(
        isSigned: false, size: 2, .greaterOrEqual, .reference, references: [1024, 512, 256, 128]),
      "06 6a 0004 0002 0001 8000"
    ),
    (.multiComparator(isSigned: true, size: 1, .equal, .input, references: [-1]), "06 01 ff"),
    (
      .magnitude(.init(input: 2, output: 2), channels: 3, isSigned: true, isMean: false), "07 a5 01"
    ),
    (.time(length: 16 - 8, .passThrough, periodMilliseconds: 20), "08 17 14000000"),
    (
      .math(.init(input: 2, output: 4), isSigned: true, .constant, operand: 25, channels: 1),
      "09 17 0b 19000000 00"
    ),
    (.delay(length: 2, samples: 16), "0a 01 10"),
    (.pulse(length: 2, .area, threshold: 2048, samples: 16), "0b 01 00 01 00080000 1000"),
    (.delta(size: 2, isSigned: true, .differential, magnitude: 100), "0c 0d 64000000"),
    (
      .threshold(size: 2, isSigned: true, isBinary: true, boundary: 2048, hysteresis: 3),
      "0d 0d 00080000 0300"
    ),
    (.buffer(length: 6), "0f 05"),
    (.packer(sampleLength: 2, count: 4), "10 01 03"),
    (.counter, "11 30 03"), (.timestamp, "11 31 03"),
    (.accounter(isTime: false, stampLength: 1), "11 00 03"),
    (.fuser(buffers: [0], padding: 0), "1b 01 00"),
    (.fuser(buffers: [0, 1], padding: 2), "1b 02 00 01 00 00"),
  ]

  @Test func `every processor function is encoded as in the reference and can be read back`() {
    for (function, bytes) in Self.functions {
      #expect(function.bytes == hex(bytes))
      #expect(ProcessorFunction(hex(bytes)) == function, "\(bytes)")
      let create = DataProcessor.create(function, on: Self.acceleration)
      #expect(create.command.bytes == hex("09 02 03 04 ff a0" + bytes))
      #expect(DataProcessor(create.command) == create)
      let modify = DataProcessor.modify(7, function)
      #expect(DataProcessor(modify.command) == modify)
      // A truncated function decodes to another function or to `nil`, but never traps.
      for length in 0..<function.bytes.count {
        _ = ProcessorFunction(Array(function.bytes.prefix(length)))
      }
    }
  }

  @Test func `a counter is shortened so that its input still fits into the packet`() {
    #expect(ProcessorFunction.stampLength(isTime: false, inputLength: 6) == 4)
    #expect(ProcessorFunction.stampLength(isTime: false, inputLength: 15) == 2)
    #expect(ProcessorFunction.stampLength(isTime: false, inputLength: 16) == 1)
    #expect(ProcessorFunction.stampLength(isTime: true, inputLength: 12) == 4)
  }

  @Test func `a processor's output is decoded according to its layout`() throws {
    let stamped = ProcessorLayout(element: .vector, stampLength: 4)
    let packet = hex("09 03 00 a6330d00 c100 b124 19cd")
    let samples = try stamped.samples(decoding: packet.span)
    #expect(samples.map(\.stamp) == [865_190])
    #expect(samples.map(\.counts) == [[193, 9393, -13031]])
    for length in 0..<packet.count {
      let cut = Array(packet.prefix(length))
      #expect(throws: DecodeError.self) { try stamped.samples(decoding: cut.span) }
    }

    let packed = ProcessorLayout(element: .int16, stampLength: 4, isPacked: true)
    let pair = hex("09 03 01 01000000 f500 02000000 f1ff")
    let values = try packed.samples(decoding: pair.span)
    #expect(values.map(\.stamp) == [1, 2])
    #expect(values.map(\.counts) == [[245], [-15]])

    let state = hex("09 84 02 2a000000")
    #expect(
      try ProcessorLayout(element: .uint32).samples(decoding: state.span).map(\.counts) == [[42]])

    let upper = ProcessorLayout(element: .vectorUpperBytes)
    let bytes = hex("09 03 01 40 c0 ff")
    #expect(try upper.samples(decoding: bytes.span).map(\.counts) == [[16384, -16384, -256]])
  }
}
