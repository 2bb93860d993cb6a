import MetaWearProtocol
import TestSupport
import Testing
import Values

/// A packet as the board sends it, and its meaning.
struct NotificationCase: CustomTestStringConvertible, Sendable {
  var packet: String
  var meaning: MetaWearProtocol.Notification
  /// The length of the shortest valid packet; `nil` if only the whole packet is valid.
  var shortest: Int?

  init(_ packet: String, _ meaning: MetaWearProtocol.Notification, shortest: Int? = nil) {
    self.packet = packet
    self.meaning = meaning
    self.shortest = shortest
  }

  var testDescription: String { packet }
}

@Suite(.computation) struct NotificationTests {
  static let motionS = ModuleTable([
    .accelerometer: ModuleInfo(implementation: 4, revision: 0),
    .gyroscope: ModuleInfo(implementation: 1, revision: 0),
  ])
  static let motionRL = ModuleTable([
    .accelerometer: ModuleInfo(implementation: 1, revision: 2),
    .gyroscope: ModuleInfo(implementation: 0, revision: 1),
  ])

  static let cases = [
    // A MetaMotion S's accelerometer: BMI270, revision 0.
    NotificationCase(
      "03 80 04 00", .moduleInfo(.accelerometer, ModuleInfo(implementation: 4, revision: 0)),
      shortest: 4),
    // No module 0e.
    NotificationCase("0e 80", .moduleInfo(.notificationCentre, nil)),
    // Tick 1045, reset 5.
    NotificationCase(
      "0b 84 15040000 05", .timeReference(TimeReference(tick: 1045, resetUID: 5))),
    // The upper bits of the reset byte have no meaning.
    NotificationCase(
      "0b 84 ffffffff fb", .timeReference(TimeReference(tick: .max, resetUID: 3))),
    // 99 %, 4148 mV, both when read and when notified.
    NotificationCase("11 8c 63 3410", .battery(Battery(percent: 99, millivolts: 4148))),
    NotificationCase("11 0c 63 3410", .battery(Battery(percent: 99, millivolts: 4148))),
    NotificationCase("11 89 0600 0600 0000 5802", .connectionParameters(.fast)),
    NotificationCase("11 81 4d657461 57656172", .name("MetaWear"), shortest: 2),
    NotificationCase("09 02 01", .created(.dataProcessor, id: 1)),
    NotificationCase("0a 02 03", .created(.event, id: 3)),
    NotificationCase("0b 02 00", .created(.logging, id: 0)),
    NotificationCase("0c 02 07", .created(.timer, id: 7)),
    NotificationCase("0f 02 02", .created(.macro, id: 2)),
    // Channel 0, 32 °C in eighths of a degree.
    NotificationCase("04 81 00 0001", .temperature(channel: 0, counts: 256)),
    NotificationCase("01 01 01", .switchState(isPressed: true)),
    NotificationCase("01 81 00", .switchState(isPressed: false)),
    // 100 Hz and ±8 g, in the BMI270's codes.
    NotificationCase(
      "03 83 a8 02",
      .configuration(
        .accelerometer,
        SensorConfiguration(
          rate: SampleRate(hertz: 100, code: 0xa8),
          range: MeasuringRange(limit: 8, code: 2, countsPerUnit: 4096)))),
    NotificationCase(
      "03 04 16c4 94a2 2ad0",
      .sample(.accelerometer, Vector(x: -15338, y: -23916, z: -12246))),
    NotificationCase(
      "13 04 4001 18fc ff7f", .sample(.gyroscope, Vector(x: 320, y: -1000, z: 32767))),
    NotificationCase(
      "03 05 0100 0200 0300 ffff feff fdff 0080 ff7f 0000",
      .packedSamples(
        .accelerometer, Vector(x: 1, y: 2, z: 3), Vector(x: -1, y: -2, z: -3),
        Vector(x: .min, y: .max, z: 0))),
    // Count 3 and two samples, from processor 1.
    NotificationCase(
      "09 03 01 03000000 0100 0200 0300 0400 0500 0600",
      .processorOutput(id: 1, hex("03000000 0100 0200 0300 0400 0500 0600")), shortest: 3),
    // An accelerometer register that the decoder does not handle.
    NotificationCase(
      "03 3b 02", .other(PacketHeader(.accelerometer, 0x3b), [2]), shortest: 2),
  ]

  @Test(arguments: cases)
  func `a notification is decoded as in the reference`(_ item: NotificationCase) throws {
    let packet = hex(item.packet)
    #expect(try Notification(decoding: packet.span, from: Self.motionS) == item.meaning)
  }

  @Test(arguments: cases)
  func `a truncated notification is rejected`(_ item: NotificationCase) throws {
    let packet = hex(item.packet)
    let shortest = item.shortest ?? packet.count
    for length in 0..<shortest {
      let cut = Array(packet.prefix(length))
      // An absent module replies with two bytes of module information.
      if length == 2, packet[1] == 0x80 { continue }
      #expect(throws: DecodeError.self, "\(length) bytes") {
        try Notification(decoding: cut.span, from: Self.motionS)
      }
    }
  }

  @Test func `surplus bytes after a reply do not change its meaning`() throws {
    let packet = hex("0b 84 15040000 05 aabb")
    #expect(
      try Notification(decoding: packet.span, from: Self.motionS)
        == .timeReference(TimeReference(tick: 1045, resetUID: 5)))
  }

  @Test func `the packet 13 05 contains one sample on the BMI160 and three on the BMI270`() throws {
    let packet = hex("13 05 0100 0200 0300 0400 0500 0600 0700 0800 0900")
    #expect(
      try Notification(decoding: packet.span, from: Self.motionRL)
        == .sample(.gyroscope, Vector(x: 1, y: 2, z: 3)))
    #expect(
      try Notification(decoding: packet.span, from: Self.motionS)
        == .packedSamples(
          .gyroscope, Vector(x: 1, y: 2, z: 3), Vector(x: 4, y: 5, z: 6),
          Vector(x: 7, y: 8, z: 9)))
  }

  @Test func `a packet from an unknown module keeps its header and payload`() throws {
    let packet = hex("77 c3 0102")
    guard
      case .other(let header, let rest) = try Notification(
        decoding: packet.span, from: Self.motionS)
    else {
      Issue.record("an unknown module was taken for a known one")
      return
    }
    #expect(header.moduleCode == 0x77)
    #expect(header.module == nil)
    #expect(header.register == 0x03)
    #expect(header.isRead)
    #expect(header.isSilent)
    #expect(header.description == "77 c3")
    #expect(rest == [1, 2])
  }

  @Test func `samples of a board with unknown modules stay raw`() throws {
    let packet = hex("03 04 0100 0200 0300")
    #expect(
      try Notification(decoding: packet.span, from: ModuleTable())
        == .other(PacketHeader(.accelerometer, 0x04), hex("0100 0200 0300")))
  }

  @Test func `connection parameters reported by a board are decoded even if they are invalid`()
    throws
  {
    let packet: [UInt8] = [0x11, 0x89, 0x06, 0, 0x06, 0, 0, 0, 0x01, 0]
    let notification = try Notification(decoding: packet.span, from: ModuleTable())
    guard case .connectionParameters(let parameters) = notification else {
      Issue.record("\(notification)")
      return
    }
    #expect(parameters.violation == .timeout)
  }
}
