import MetaWearProtocol
import TestSupport
import Testing

/// Packets that are truncated, overlong, from unknown modules, or inconsistent with their board.
@Suite(.computation) struct DamagedPacketTests {
  typealias Notification = MetaWearProtocol.Notification

  /// Registers that accept longer packets: the additional bytes change or extend the meaning.
  static let openEnded = [
    "03 0b",  // one byte reports a step, two bytes the number of steps
    "0b 07",  // one entry or two
    "0b 82",  // an empty slot, or four bytes
    "0d 81", "11 81", "11 87", "09 03", "09 82", "09 84", "fe 8a", "fe 8b", "fe 93",
    "11 82",  // without or with the type
    "11 8b",  // six bytes, or the type before them
    "03 3b",
  ]

  /// The cases of `ModuleNotificationTests` and `NotificationTests` with exactly one valid length.
  static let fixed =
    (ModuleNotificationTests.all + [
      (NotificationTests.motionS, NotificationTests.cases)
    ])
    .flatMap { modules, cases in
      cases.filter { item in
        !hex(item.packet).starts(with: [0x03, 0x80])
          && !hex(item.packet).starts(with: [0x0e, 0x80])
          && !openEnded.contains { hex(item.packet).starts(with: hex($0)) }
      }.map { (modules, $0) }
    }

  func error(_ packet: [UInt8], on modules: ModuleTable) -> DecodeError? {
    do throws(DecodeError) {
      _ = try Notification(decoding: packet.span, from: modules)
      return nil
    } catch {
      return error
    }
  }

  @Test func `the error for a truncated packet states the length expected for its register`() {
    #expect(Self.fixed.count > 60)
    for (modules, item) in Self.fixed {
      let packet = hex(item.packet)
      for length in 0..<packet.count {
        let expected = length < 2 ? 2 : packet.count
        #expect(
          error(Array(packet.prefix(length)), on: modules)
            == .truncated(expected: expected, found: length), "\(item.packet)")
      }
    }
  }

  @Test func `surplus bytes, up to 200 of them, do not change a packet's meaning`() throws {
    for (modules, item) in Self.fixed {
      for surplus in [1, 2, 18, 200] {
        let packet = hex(item.packet) + [UInt8](repeating: 0xa5, count: surplus)
        let found = try Notification(decoding: packet.span, from: modules)
        #expect(found == item.meaning, "\(item.packet) and \(surplus) more")
      }
    }
  }

  @Test
  func `a register with several valid lengths rejects the lengths below and between them`() throws {
    let cases: [(String, ModuleTable, Int, [Int])] = [
      ("0b 07 a0e6420000f5003d01 a1e6420000dd0f0000", ModuleTable(), 11, [11, 20]),
      ("0b 82 0304ff24", ModuleTable(), 6, [2, 6]),
      ("11 82 9b02 b4 01", ModuleTable(), 5, [5, 6]),
      ("11 8b 01 077b528fc9e8", ModuleTable(), 8, [8, 9]),
      ("03 0b 1400", ModuleCommandTests.bmi270, 3, [3, 4]),
      ("04 80 01 00 00030102", ModuleTable(), 4, [2, 4, 5, 6, 7, 8]),
    ]
    for (text, modules, shorter, lengths) in cases {
      let packet = hex(text)
      for length in 2...packet.count {
        let found = error(Array(packet.prefix(length)), on: modules)
        if lengths.contains(length) {
          #expect(found == nil, "\(text), \(length) bytes")
        } else {
          let expected = length < shorter ? shorter : packet.count
          #expect(
            found == .truncated(expected: expected, found: length), "\(text), \(length) bytes")
        }
      }
    }
  }

  @Test func `packets of unknown modules and registers keep their bytes`() throws {
    let known = Set(ModuleID.allCases.map(\.rawValue))
    for module in UInt8.min...UInt8.max where !known.contains(module) {
      let packet = [module, 0x04, 1, 2, 3]
      let found = try Notification(decoding: packet.span, from: ModuleCommandTests.bmi160)
      #expect(found == .other(PacketHeader(module: module, registerByte: 0x04), [1, 2, 3]))
    }
    // A register that no module has.
    for module in ModuleID.allCases {
      let packet: [UInt8] = [module.rawValue, 0x3e, 1, 2, 3]
      let found = try Notification(decoding: packet.span, from: ModuleCommandTests.bmi160)
      #expect(found == .other(PacketHeader(module, 0x3e), [1, 2, 3]))
    }
  }

  @Test func `a reply is decoded without a preceding request`() throws {
    let packet = hex("13 83 28 02")
    guard
      case .configuration(.gyroscope, let found) = try Notification(
        decoding: packet.span, from: ModuleCommandTests.bmi270)
    else {
      Issue.record("no configuration")
      return
    }
    #expect(found.rate.hertz == 100)
    #expect(found.range.limit == 500)
  }

  /// Every number in every output of §15, by register and position.
  @Test(arguments: [Float.nan, .infinity, -.infinity, .signalingNaN])
  func `fusion output with a non-finite number is rejected`(_ number: Float) {
    let layouts: [(UInt8, count: Int, surplus: Int)] = [
      (0x04, 3, 1), (0x05, 3, 1), (0x06, 3, 1), (0x07, 4, 0), (0x08, 4, 0), (0x09, 3, 0),
      (0x0a, 3, 0),
    ]
    for (register, count, surplus) in layouts {
      for position in 0..<count {
        var numbers = [Float](repeating: 0.5, count: count)
        numbers[position] = number
        let packet =
          [0x19, register] + numbers.flatMap(\.bitPattern.littleEndianBytes)
          + [UInt8](repeating: 3, count: surplus)
        #expect(
          error(packet, on: ModuleTable()) == .notFinite(at: 2 + 4 * position),
          "register \(register)")
        // Truncation is reported first, whatever numbers the packet contains.
        #expect(
          error(Array(packet.dropLast()), on: ModuleTable())
            == .truncated(expected: packet.count, found: packet.count - 1))
      }
    }
  }

  // MARK: Contradictory tables

  @Test
  func `an unknown accelerometer and gyroscope offer no streams, and their packets stay raw`()
    throws
  {
    let modules = ModuleTable([
      .accelerometer: ModuleInfo(implementation: 9, revision: 1),
      .gyroscope: ModuleInfo(implementation: 0xff, revision: 0),
    ])
    #expect(modules.motionSensors.isEmpty)
    #expect(modules.chips.isEmpty)
    for text in ["03 04 0100 0200 0300", "03 83 28 03", "03 0b 12", "13 05 0100 0200 0300"] {
      let packet = hex(text)
      guard
        case .other(_, Array(packet.dropFirst(2))) = try Notification(
          decoding: packet.span, from: modules)
      else {
        Issue.record("\(text) was taken for known")
        continue
      }
    }
    // The power and data-ready registers are identical on every chip, but the configuration
    // register is not.
    #expect(SensorControl.power(.accelerometer, .on).command.meaning(on: modules) is SensorControl)
    #expect(Command(.accelerometer, 0x03, [0x28, 0x03]).meaning(on: modules) is Command)
    #expect(SignalRequest(.subscribe, .acceleration, on: modules) == nil)
  }

  @Test
  func `a gyroscope's packets are decoded according to its own chip, not the accelerometer's`()
    throws
  {
    let modules = ModuleTable([
      .accelerometer: ModuleInfo(implementation: 1, revision: 2),
      .gyroscope: ModuleInfo(implementation: 1, revision: 0),
    ])
    let packet = hex("13 05 0100 0200 0300 0400 0500 0600 0700 0800 0900")
    guard case .packedSamples = try Notification(decoding: packet.span, from: modules) else {
      Issue.record("read as one sample")
      return
    }
    #expect(modules.chips == [.accelerometer: "BMI160", .gyroscope: "BMI270"])
  }

  @Test func `an unknown barometer's pressure is decoded, but its chip is not named`()
    throws
  {
    let modules = ModuleTable([.barometer: ModuleInfo(implementation: 7, revision: 0)])
    #expect(modules.barometer == nil)
    #expect(modules.chips.isEmpty)
    let packet = hex("12 01 d3358b01")
    #expect(
      try Notification(decoding: packet.span, from: modules) == .pressure(counts: 25_900_499))
  }

  @Test
  func `an absent gyroscope's packets stay raw, but an absent barometer's pressure is decoded`()
    throws
  {
    var modules = ModuleCommandTests.bmi160
    modules[.gyroscope] = nil
    let packet = hex("13 05 0100 0200 0300")
    #expect(
      try Notification(decoding: packet.span, from: modules)
        == .other(PacketHeader(.gyroscope, 0x05), hex("0100 0200 0300")))
    let pressure = hex("12 01 d3358b01")
    #expect(
      try Notification(decoding: pressure.span, from: modules) == .pressure(counts: 25_900_499))
  }

  @Test
  func `for any implementation and revision, lookups never trap and offered rates can be set`() {
    for implementation in Array(0...15) + [UInt8.max] {
      for revision: UInt8 in [0, 1, 2, 3, 0xff] {
        let info = ModuleInfo(
          implementation: implementation, revision: revision, extra: [implementation, revision])
        let modules = ModuleTable(
          Dictionary(uniqueKeysWithValues: ModuleID.allCases.map { ($0, info) }))
        #expect(modules.motionSensors.count <= 2)
        #expect(modules.chips.count >= 5)
        for number in ["0", "1", "2", "5", "x"] {
          #expect(!Model(number: number, modules: modules).description.isEmpty)
        }
        for sensor in modules.sensors {
          for rate in sensor.rates {
            let setup = try? sensor.setup(rate: rate, range: nil)
            // The MMA8452Q lacks some of the fusion rates and ranges, but no real board with this
            // chip has sensor fusion.
            let isRefused = implementation == 0 && sensor.chipName == "sensor fusion"
            #expect(setup != nil || isRefused, "\(sensor.signal) of \(implementation)")
          }
        }
      }
    }
  }
}
