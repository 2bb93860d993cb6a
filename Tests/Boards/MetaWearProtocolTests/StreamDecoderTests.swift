import MetaWearProtocol
import TestSupport
import Testing

@Suite(.computation) struct StreamDecoderTests {
  let bmi270 = Accelerometer(chip: .bmi270, revision: 0)
  let gyro160 = Gyroscope(chip: .bmi160, revision: 1)
  let gyro270 = Gyroscope(chip: .bmi270, revision: 0)

  /// Returns the counter and the x, y and z values of every sample in a packet.
  func samples(
    _ decoder: inout StreamDecoder, _ packet: [UInt8]
  ) throws(DecodeError) -> [[Int64]] {
    var batch = SampleBatch()
    try decoder.decode(packet.span, into: &batch)
    return (0..<batch.count).map { index in
      let sample = batch[index]
      return [Int64(sample.counter), Int64(sample.x), Int64(sample.y), Int64(sample.z)]
    }
  }

  func decoder(
    _ sensor: any MotionSensor, _ layout: StreamLayout, firstCounter: UInt32 = 0
  ) throws -> StreamDecoder {
    guard let decoder = StreamDecoder(sensor.samples, layout: layout, firstCounter: firstCounter)
    else {
      throw DecodeError.otherPacket
    }
    return decoder
  }

  @Test func `single samples are numbered in order`() throws {
    var stream = try decoder(gyro160, .single)
    #expect(try samples(&stream, hex("13 05 3e43 ff7f 0080")) == [[0, 17214, 32767, -32768]])
    #expect(try samples(&stream, hex("13 05 0100 0200 0300")) == [[1, 1, 2, 3]])
  }

  @Test func `a packet of three samples begins with the oldest`() throws {
    var stream = try decoder(bmi270, .packed)
    let packet = hex("03 05 0100 0200 0300 0400 0500 0600 ffff feff fdff")
    #expect(
      try samples(&stream, packet) == [[0, 1, 2, 3], [1, 4, 5, 6], [2, -1, -2, -3]])
    #expect(try samples(&stream, packet).map { $0[0] } == [3, 4, 5])
  }

  @Test func `a counted pair of samples is numbered by the board's counter`() throws {
    var stream = try decoder(bmi270, .countedPair(processor: 1))
    #expect(
      try samples(&stream, hex("09 03 01 07000000 0100 0200 0300 0400 0500 0600"))
        == [[14, 1, 2, 3], [15, 4, 5, 6]])
    // Two packets were lost, as the counter shows.
    #expect(
      try samples(&stream, hex("09 03 01 0a000000 0100 0200 0300 0400 0500 0600")).map { $0[0] }
        == [20, 21])
    // 2³¹ packets contain 2³² samples, after which the numbering starts again.
    #expect(
      try samples(&stream, hex("09 03 01 00000080 0100 0200 0300 0400 0500 0600")).map { $0[0] }
        == [0, 1])
    #expect(
      try samples(&stream, hex("09 03 01 ffffffff 0100 0200 0300 0400 0500 0600")).map { $0[0] }
        == [4_294_967_294, 4_294_967_295])
  }

  @Test func `the numbering of samples continues from a given number and wraps around`() throws {
    var stream = try decoder(bmi270, .packed, firstCounter: .max - 1)
    let packet = hex("03 05 0100 0200 0300 0400 0500 0600 ffff feff fdff")
    #expect(try samples(&stream, packet).map { $0[0] } == [4_294_967_294, 4_294_967_295, 0])
  }

  @Test
  func `a packet from register 05 contains one sample on the BMI160 and three on the BMI270`()
    throws
  {
    let packet = hex("13 05 0100 0200 0300 0400 0500 0600 0700 0800 0900")
    var old = try decoder(gyro160, .single)
    #expect(try samples(&old, packet) == [[0, 1, 2, 3]])
    var new = try decoder(gyro270, .packed)
    #expect(try samples(&new, packet).count == 3)
  }

  @Test func `a decoder claims only packets of its own stream, and rejects others`() throws {
    let stream = try decoder(bmi270, .countedPair(processor: 1))
    let other = [
      "09 03 02 07000000 0100 0200 0300 0400 0500 0600",  // another processor
      "09 02 01",  // an id
      "03 04 0100 0200 0300", "09 03", "09", "",
    ]
    for packet in other {
      let isClaimed = stream.claims(hex(packet).span)
      #expect(!isClaimed, "\(packet)")
    }
    let isClaimed = stream.claims(hex("09 03 01").span)
    #expect(isClaimed)
    var single = try decoder(bmi270, .single)
    #expect(throws: DecodeError.otherPacket) {
      try samples(&single, hex("03 84 0100 0200 0300"))
    }
  }

  @Test
  func `a truncated packet is rejected, and skips sample numbers if its header is intact`() throws {
    let packets: [(any MotionSensor, StreamLayout, [UInt8])] = [
      (bmi270, .single, hex("03 04 0100 0200 0300")),
      (bmi270, .packed, hex("03 05 0100 0200 0300 0400 0500 0600 0700 0800 0900")),
      (
        bmi270, .countedPair(processor: 1),
        hex("09 03 01 05000000 0100 0200 0300 0400 0500 0600")
      ),
    ]
    for (sensor, layout, packet) in packets {
      for length in 0..<packet.count {
        var stream = try decoder(sensor, layout)
        var batch = SampleBatch()
        try stream.decode(packet.span, into: &batch)
        let cut = Array(packet.prefix(length))
        let isClaimed = stream.claims(cut.span)
        #expect(throws: DecodeError.self, "\(layout), \(length) bytes") {
          try stream.decode(cut.span, into: &batch)
        }
        #expect(batch.count == 0)
        let next = try samples(&stream, packet)
        let perPacket = Int64(layout.samplesPerPacket)
        switch layout {
        case .countedPair, .counted: #expect(next[0][0] == 10)
        case .single, .packed, .timed:
          #expect(next[0][0] == (isClaimed ? 2 * perPacket : perPacket))
        }
      }
    }
  }

  static let quaternion = SampleSource(
    .sensorFusion, 0x07, encoding: SampleEncoding(.float32, axisCount: 4, isScalarFirst: true))
  static let pressure = SampleSource(
    .barometer, 0x01, encoding: SampleEncoding(.int32, axisCount: 1))
  static let corrected = SampleSource(
    .sensorFusion, 0x04, encoding: SampleEncoding(.float32, axisCount: 3, surplus: 1))
  static let channel = SampleSource(
    reading: .temperature, 0x01, index: 1, encoding: SampleEncoding(.int16, axisCount: 1))

  func stream(_ source: SampleSource, _ layout: StreamLayout) throws -> StreamDecoder {
    guard let decoder = StreamDecoder(source, layout: layout) else {
      throw DecodeError.otherPacket
    }
    return decoder
  }

  @Test func `a one-byte counter continues past 255, and a repeated packet keeps its number`()
    throws
  {
    var stream = try stream(Self.quaternion, .counted(processor: 3, stampLength: 1))
    let values = "0000803f 00000000 00000000 00000000"
    var numbers: [Int64] = []
    for stamp in ["fd", "fe", "fe", "ff", "00", "03", "02"] {
      numbers += try samples(&stream, hex("09 03 03 \(stamp) \(values)")).map { $0[0] }
    }
    // A counter that appears to go back has wrapped, because packets never overtake each other.
    #expect(numbers == [253, 254, 254, 255, 256, 259, 514])
  }

  @Test func `a quaternion's real part is decoded into the fourth axis`() throws {
    var decoder = try stream(Self.quaternion, .single)
    var batch = SampleBatch()
    try decoder.decode(
      hex("19 07 0000803f 00000040 00004040 00008040").span, into: &batch)
    let sample = batch[0]
    let values = [sample.x, sample.y, sample.z, sample.w]
      .map { Float(bitPattern: UInt32(bitPattern: $0)) }
    #expect(values == [2, 3, 4, 1])
  }

  @Test func `a packet with a non-finite value is rejected, but its sample number is not reused`()
    throws
  {
    var stream = try stream(Self.corrected, .single)
    for bad in ["0000c07f", "0000807f", "000080ff"] {
      #expect(throws: DecodeError.notFinite(at: 6)) {
        try samples(&stream, hex("19 04 0000803f \(bad) 00000000 03"))
      }
    }
    let good = try samples(&stream, hex("19 04 0000803f 00000000 00000000 03"))
    #expect(good.map { $0[0] } == [3])
  }

  @Test func `the board's tick is decoded into the fourth axis`() throws {
    var stream = try decoder(bmi270, .timed(processor: 2))
    let packet = hex("09 03 02 78563412 0100 0200 ffff")
    var batch = SampleBatch()
    for number: UInt32 in 0..<2 {
      try stream.decode(packet.span, into: &batch)
      try #require(batch.count == 1)
      let sample = batch[0]
      #expect(sample.counter == number)
      #expect([sample.x, sample.y, sample.z, sample.w] == [1, 2, -1, 0x1234_5678])
    }
  }

  @Test func `single 32-bit numbers and the replies of thermometer channels are decoded`() throws {
    var pressure = try stream(Self.pressure, .counted(processor: 0, stampLength: 4))
    #expect(
      try samples(&pressure, hex("09 03 00 05000000 00888b01")) == [[5, 0x18b_8800, 0, 0]])
    var temperature = try stream(Self.channel, .single)
    #expect(try samples(&temperature, hex("04 81 01 e0ff")) == [[0, -32, 0, 0]])
    let other = temperature.claims(hex("04 81 02 e0ff").span)
    #expect(!other)
  }

  @Test func `a layout is offered only for samples that fit into it`() {
    let acceleration = bmi270.samples
    let fitting: [(SampleSource, [StreamLayout.Kind])] = [
      (acceleration, [.single, .packed, .countedPair, .counted, .timed]),
      (Self.pressure, [.single, .countedPair, .counted, .timed]),
      (Self.quaternion, [.single, .counted]),
      // Corrected values have a thirteenth byte, the accuracy, which does not fit beside a tick.
      (Self.corrected, [.single, .counted]),
      (Self.channel, [.single]),
    ]
    for (source, kinds) in fitting {
      #expect(StreamLayout.Kind.allCases.filter { $0.fits(source) } == kinds, "\(source)")
    }
  }

  @Test func `bytes beyond a packet's layout are ignored`() throws {
    var stream = try decoder(bmi270, .single)
    #expect(try samples(&stream, hex("03 04 0100 0200 0300 aabbcc")) == [[0, 1, 2, 3]])
  }

  @Test func `a module that is too old to pack samples offers no packed stream`() {
    let decoder = StreamDecoder(
      Accelerometer(chip: .bmi160, revision: 0).samples, layout: .packed)
    let isMissing = decoder == nil
    #expect(isMissing)
  }

  @Test
  func `random bytes after a stream's header are decoded only if they form a whole packet`() throws
  {
    let seed = UInt64.random(in: .min ... .max)
    var generator = SeededGenerator(seed: seed)
    var batch = SampleBatch()
    for _ in 0..<5_000 {
      var packet = (0..<Int.random(in: 0...24, using: &generator)).map { _ in
        UInt8.random(in: .min ... .max, using: &generator)
      }
      if packet.count >= 2 { packet.replaceSubrange(0..<2, with: [0x03, 0x05]) }
      var stream = try decoder(bmi270, .packed)
      let isWhole = packet.count >= 20
      do {
        try stream.decode(packet.span, into: &batch)
        #expect(isWhole, "seed \(seed)")
      } catch {
        #expect(!isWhole, "seed \(seed)")
      }
    }
  }
}
