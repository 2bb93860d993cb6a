import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

/// Packets for a model. Only the last packet must cause a complaint.
struct ModuleMistake: CustomTestStringConvertible, Sendable {
  var model: BoardModel
  var packets: [[UInt8]]
  var complaint: String

  init(_ packets: [UInt8]..., says complaint: String) {
    self.init(.metaMotionS, packets, complaint)
  }

  init(_ model: BoardModel, _ packets: [UInt8]..., says complaint: String) {
    self.init(model, packets, complaint)
  }

  private init(_ model: BoardModel, _ packets: [[UInt8]], _ complaint: String) {
    self.model = model
    self.packets = packets
    self.complaint = complaint
  }

  var testDescription: String { "\(model): \(complaint)" }
}

@Suite(.computation) struct ModuleComplaintsTests {
  static let lights = [
    ModuleMistake(
      [0x02, 0x03, 3, 2, 31, 0, 0, 0, 50, 0, 0, 0, 244, 1, 0, 0, 255], says: "must be below 3"),
    ModuleMistake(
      [0x02, 0x03, 0, 2, 32, 0, 0, 0, 50, 0, 0, 0, 244, 1, 0, 0, 255], says: "at most 31"),
    ModuleMistake(
      [0x02, 0x03, 0, 2, 31, 0, 0, 0, 50, 0, 0, 0, 40, 0, 0, 0, 255], says: "into its period"),
    ModuleMistake(
      .metaWearR, [0x02, 0x03, 0, 2, 31, 0, 0, 0, 50, 0, 0, 0, 244, 1, 9, 0, 255],
      says: "revision 1"),
    ModuleMistake([0x02, 0x01, 1], says: "no pattern to play"),
    ModuleMistake(.metaMotionC, [0x06, 0x02, 0, 1], says: "not in use"),
    ModuleMistake(.metaMotionC, [0x06, 0x01, 3, 0, 0, 5], says: "3 strands"),
    ModuleMistake(.metaMotionC, [0x06, 0x01, 0, 0, 9, 5], says: "no such pin"),
    ModuleMistake(
      .metaMotionC, [0x06, 0x01, 0, 0, 1, 5], [0x06, 0x01, 0, 0, 2, 5], says: "already in use"),
    ModuleMistake(
      .metaMotionC, [0x06, 0x01, 0, 0, 1, 5], [0x06, 0x04, 0, 5, 1, 1, 1], says: "has 5 lights"),
    ModuleMistake(.metaMotionRL, [0x07, 0x01, 1], says: "needs an identifier"),
    ModuleMistake(.metaMotionRL, [0x07, 0x07, 50, 0], says: "every 100 ms"),
    ModuleMistake([0x08, 0x01, 249, 100, 0, 0], says: "at most 248"),
    ModuleMistake([0x08, 0x01, 100, 0, 0, 0], says: "has no effect"),
  ]

  static let motion = [
    ModuleMistake(.metaMotionRL, [0x03, 0x03, 0x2d, 0x03], says: "no such rate or range"),
    ModuleMistake(.metaMotionRL, [0x13, 0x03, 0x28, 0x05], says: "no such rate or range"),
    ModuleMistake(.metaWearR, [0x03, 0x03, 3, 0, 0, 0, 0], says: "no such rate or range"),
    ModuleMistake(.metaWearR, [0x03, 0x03, 0x28, 0x03], says: "no such rate or range"),
    ModuleMistake(.metaWearR, [0x03, 0x02, 1, 0], says: "takes one byte"),
    ModuleMistake(.metaMotionS, [0x03, 0x02, 1], says: "a mask to enable"),
    ModuleMistake(.metaMotionRL, [0x03, 0x01, 2], says: "no such power mode"),
    ModuleMistake([0x13, 0x01, 2], says: "no such power mode"),
    // The BMI270 lacks the register that the BMI160 uses for any-motion detection.
    ModuleMistake([0x03, 0x17, 1, 0], says: "not a command"),
    ModuleMistake(.metaMotionRL, [0x13, 0x06, 1, 2, 3], says: "not a command"),
    ModuleMistake(.metaEnvironment, [0x03, 0x17, 1, 0], says: "does not count steps"),
    ModuleMistake(.metaEnvironment, [0x03, 0x0a, 0, 1, 1, 1], says: "have 3 bytes"),
    ModuleMistake(.metaMotionRL, [0x03, 0x0c, 4, 0], says: "no such interrupts"),
    ModuleMistake(
      .metaMotionRL, [0x03, 0x0c, 1, 0], [0x03, 0x0d, 4, 10], says: "while it is on"),
    ModuleMistake([0x03, 0x06, 0x40, 0], says: "turned on before"),
    ModuleMistake(
      [0x03, 0x07, 0x40, 0], [0x03, 0x06, 0x40, 0], [0x03, 0x06, 0, 0x40], says: "turned off before"
    ),
    ModuleMistake(
      [0x03, 0x07, 0x40, 0], [0x03, 0x06, 0x40, 0], [0x03, 0x08, 1, 5, 0xe0, 0xaa, 0x38],
      says: "while it is on"),
    ModuleMistake([0x03, 0x08, 12, 1, 1], says: "no such bank"),
    ModuleMistake([0x03, 0x06, 0, 0], says: "does not turn any feature"),
    ModuleMistake([0x03, 0x8f], says: "thermometer is off"),
    ModuleMistake(.metaWearR, [0x03, 0x0b, 1], says: "before turning it on"),
    ModuleMistake(.metaWearR, [0x03, 0x0f, 0x12, 0, 7, 5, 1], says: "4 bytes"),
  ]

  static let surroundings = [
    ModuleMistake([0x15, 0x03, 6], says: "is suspended"),
    ModuleMistake([0x15, 0x03, 8], says: "no such code"),
    ModuleMistake(.metaMotionC, [0x15, 0x01, 2], says: "needs revision 2"),
    ModuleMistake(
      .metaMotionC, [0x15, 0x03, 7], [0x15, 0x04, 255, 255], [0x15, 0x01, 1],
      says: "longer than a period"),
    ModuleMistake(.metaMotionC, [0x15, 0x01, 1], [0x15, 0x03, 6], says: "while it is running"),
    ModuleMistake([0x12, 0x03, 0x18, 0], says: "no such code"),
    ModuleMistake([0x12, 0x04, 1, 1], [0x12, 0x03, 0x2c, 0], says: "while it is running"),
    ModuleMistake([0x12, 0x03, 0x20, 0], [0x12, 0x04, 1, 1], says: "skip the pressure"),
    ModuleMistake([0x14, 0x02, 0x10, 0], says: "no such code"),
    ModuleMistake([0x14, 0x02, 0, 7], says: "no such rate"),
    ModuleMistake([0x14, 0x02, 0, 0x18], says: "too long for a value every 50 ms"),
    ModuleMistake([0x14, 0x01, 1], [0x14, 0x02, 0, 3], says: "while it is running"),
    ModuleMistake(.metaEnvironment, [0x16, 0x02, 6], says: "no such code"),
    ModuleMistake(.metaEnvironment, [0x17, 0x02, 0, 4, 0], says: "no such code"),
    ModuleMistake(.metaMotionRL, [0x12, 0x04, 1, 1], says: "no module barometer"),
    ModuleMistake([0x04, 0x02, 0, 1, 2, 0], says: "not an external thermistor"),
    ModuleMistake([0x04, 0x02, 2, 1, 9, 0], says: "two pins"),
  ]

  static let connections = [
    ModuleMistake([0x05, 0x01, 6], says: "no such pin"),
    ModuleMistake([0x05, 0x86, 5, 0xff, 0xff, 0, 0xff], says: "no analogue input"),
    ModuleMistake([0x05, 0x86, 1, 9, 0xff, 0, 0xff], says: "the pin to pull"),
    ModuleMistake([0x05, 0x0b, 1, 1], says: "before watching the pin"),
    ModuleMistake([0x0d, 0x81, 0x1c, 0x0d, 1, 11], says: "1 to 10 bytes"),
    ModuleMistake([0x0d, 0x81, 0x55, 0x0d, 1, 1], says: "no device answers"),
    ModuleMistake([0x0d, 0x01, 0x1c, 0x0d, 0xff, 2, 1], says: "not a command"),
    ModuleMistake([0x0d, 0x82, 10, 0, 11, 7, 0x38, 0, 0x80], says: "no such clock"),
    ModuleMistake([0x0d, 0x82, 9, 0, 11, 7, 0x30, 0, 0x80], says: "no device is selected"),
    ModuleMistake([0x0d, 0x02, 10, 0, 11, 7, 0x30, 0x80, 1], says: "a register and"),
  ]

  static let firmware = [
    ModuleMistake([0x11, 0x01, 0x41, 0x2f], says: "letters, digits"),
    ModuleMistake([0x11, 0x02, 0, 1, 0], says: "an advertising type"),
    ModuleMistake(.metaWearC, [0x11, 0x02, 0, 1, 0, 0], says: "an advertising type"),
    ModuleMistake([0x11, 0x02, 5, 0, 0, 0], says: "10,240 ms"),
    ModuleMistake([0x11, 0x08, 1, 2], says: "13 bytes"),
    ModuleMistake([0x11, 0x09, 6, 0, 5, 0, 0, 0, 88, 2], says: "link parameters"),
    ModuleMistake([0x11, 0x09, 6, 0, 200, 0, 99, 0, 88, 2], says: "link parameters"),
    ModuleMistake([0x11, 0x14, 9, 1, 1, 2, 3, 4, 5, 6], says: "entries 0 to 8"),
    ModuleMistake([0x11, 0x94, 3], says: "no entry at this index"),
    ModuleMistake(.metaMotionRL, [0x11, 0x1c, 1], says: "no 3-V supply"),
    ModuleMistake([0x0f, 0x03, 2, 1, 1], says: "no macro is being recorded"),
    ModuleMistake([0x0f, 0x05, 0], says: "no such macro"),
    ModuleMistake([0x0f, 0x02, 0], [0x0f, 0x09, 1, 2], [0x0f, 0x04], says: "rest of a command"),
    ModuleMistake(.metaMotionRL, [0xfe, 0x93], says: "no NAND flash"),
    ModuleMistake([0xfe, 0x08], says: "not a command"),
    ModuleMistake([0x19, 0x02, 5, 0x10], says: "no such mode"),
    ModuleMistake([0x19, 0x01, 1], says: "needs a mode"),
    ModuleMistake([0x19, 0x0f, 1], says: "no orientation while it is stopped"),
    ModuleMistake([0x19, 0x0c, 1, 2, 3, 4, 5, 6, 7, 8, 2, 0], says: "accuracy 3"),
  ]

  @Test(arguments: lights + motion + surroundings + connections + firmware)
  func `a command that a real board would ignore is reported`(_ mistake: ModuleMistake) {
    var client = SimulatedBoardClient(mistake.model)
    client.write(Array(mistake.packets.dropLast()))
    #expect(client.board.complaints == [])
    client.write(Array(mistake.packets.suffix(1)))
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.first?.contains(mistake.complaint) == true)
  }

  @Test(arguments: BoardModel.all)
  func `random commands cause complaints, but do not crash the simulation`(_ model: BoardModel) {
    var noise = SensorNoise(seed: 20_261)
    var client = SimulatedBoardClient(model)
    let modules = ModuleID.allCases
    for _ in 0..<20_000 {
      if !client.board.isLinkUp { client.board.linkUp() }
      let count = 1 + Int(noise.uniform() * 21)
      var packet = (0..<count).map { _ in UInt8(noise.uniform() * 256) }
      packet[0] = modules[Int(noise.uniform() * Double(modules.count))].rawValue
      // Small numbers reach deeper into the code than large ones.
      for index in packet.indices.dropFirst() where noise.uniform() < 0.5 {
        packet[index] = UInt8(noise.uniform() * 12)
      }
      if client.board.mode != .running { client.board.reset(at: client.time) }
      client.write([packet])
      client.time += 0.002
    }
    #expect(client.board.complaints.count > 10_000)
  }
}
