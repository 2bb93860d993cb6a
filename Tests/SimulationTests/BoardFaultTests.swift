import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

/// A board whose accelerometer streams single samples. In most tests, a fault occurs at 2.5 s.
@Suite(.computation) struct BoardFaultTests {
  let sensor = Accelerometer(chip: .bmi270, revision: 0)

  func streaming(seed: UInt64 = 1) throws -> SimulatedBoardClient {
    var client = SimulatedBoardClient(.metaMotionS, seed: seed)
    try client.start(sensor, rate: 100, range: 8, subscribing: sensor.sampleRegister)
    return client
  }

  /// Returns a client after ten seconds of streaming with this fault at 2.5 s.
  func stream(_ fault: BoardFault, seed: UInt64 = 1) throws -> SimulatedBoardClient {
    var client = try streaming(seed: seed)
    client.board.inject(fault, at: 2.5)
    client.wait(seconds: 10)
    return client
  }

  func samplesReceived(_ client: SimulatedBoardClient) -> UInt64 {
    client.received.reduce(0) { $0 + UInt64($1.sampleCount) }
  }

  func times(_ client: SimulatedBoardClient) -> [Double] { client.received.map(\.time) }

  @Test(arguments: [
    BoardFault.drop(count: 7), .dropAll(seconds: 1.5), .delay(seconds: 2), .duplicate(count: 5),
    .garbage(count: 100), .disconnect, .reboot, .stopAnswering(seconds: 3), .hang(seconds: 3),
    .hang(), .haltSensor(.accelerometer), .lowBattery(seconds: 2),
  ])
  func `every sample sent has either arrived or been dropped`(_ fault: BoardFault) throws {
    let client = try stream(fault)
    #expect(client.board.samplesSent == samplesReceived(client) + client.board.samplesDropped)
    #expect(client.board.samplesSent > 200)
    #expect(client.board.complaints == [])
  }

  @Test func `exactly the given number of notifications is dropped`() throws {
    let whole = try streaming(), plain = try stream(.drop(count: 0)).received
    #expect(whole.board.samplesSent == 0)
    let client = try stream(.drop(count: 7))
    let first = try #require(plain.firstIndex { $0.time >= 2.5 })
    #expect(client.received == Array(plain[..<first] + plain[(first + 7)...]))
    #expect(client.board.samplesDropped == 7)
  }

  @Test func `while all packets are dropped, no packet arrives, but the link stays up`() throws {
    let client = try stream(.dropAll(seconds: 1.5))
    #expect(client.board.isLinkUp)
    #expect((149...152).contains(client.board.samplesDropped))
    #expect(times(client).allSatisfy { !(2.5..<4).contains($0) })
    #expect(times(client).contains { $0 >= 4 })
  }

  @Test func `delayed packets arrive in a burst, in order and intact`() throws {
    let plain = try stream(.drop(count: 0)).received
    var client = try streaming()
    client.board.inject(.delay(seconds: 2), at: 2.5)
    #expect(client.wait(seconds: 4).allSatisfy { $0.time < 2.5 })
    client.wait(seconds: 6)
    #expect(client.received.map(\.bytes) == plain.map(\.bytes))
    #expect((199...202).contains(times(client).count { $0 == 4.5 }))
    #expect(client.board.samplesDropped == 0)
  }

  @Test func `packets delayed when the link is lost never arrive`() throws {
    var client = try streaming()
    client.board.inject(.delay(seconds: 2), at: 2.5)
    client.board.inject(.disconnect, at: 3.5)
    client.wait(seconds: 10)
    #expect((99...102).contains(client.board.samplesDropped))
    #expect(client.board.samplesSent == samplesReceived(client) + client.board.samplesDropped)
    // The board continues to measure, because no command stopped it when the link dropped.
    #expect((640...660).contains(client.board.samplesUnheard))
  }

  @Test func `the samples of a repeated notification are counted once`() throws {
    let client = try stream(.duplicate(count: 5))
    let pairs = zip(client.received, client.received.dropFirst()).filter {
      $0.0.time == $0.1.time
    }
    #expect(pairs.count == 5)
    #expect(pairs.allSatisfy { $0.0.bytes == $0.1.bytes && $0.1.sampleCount == 0 })
    #expect(client.board.samplesSent == UInt64(client.received.count - 5))
  }

  @Test
  func `when the link is lost, the armed event stops the sensor, but the board's set-up is kept`()
    throws
  {
    var client = try streaming()
    client.write(Event.record(sensor.powerOff, when: .disconnect).map(\.bytes))
    client.board.inject(.disconnect, at: 2.5)
    client.wait(seconds: 5)
    #expect(!client.board.isLinkUp)
    #expect(client.board.isAdvertising(at: client.time))
    #expect(client.board.samplesUnheard == 0)
    client.board.linkUp()
    #expect(client.wait(seconds: 1).isEmpty)
    client.write(sensor.powerOn(try sensor.configuration(rate: 100, range: 8)))
    #expect(!client.wait(seconds: 1).isEmpty)
  }

  @Test func `a board that restarts loses its set-up, and its clock starts again`() throws {
    var client = try stream(.reboot)
    #expect(!client.board.isLinkUp)
    #expect(times(client).allSatisfy { $0 < 2.5 })
    client.board.linkUp()
    #expect(client.wait(seconds: 1).isEmpty)
    let answer = client.write(Logging.readTime)[0]
    #expect(answer.last == 1)
    let seconds = Double(answer.span.uint32(at: 2)) * Logging.tickSeconds
    #expect(abs(seconds - 8.5 * SimulatedBoard.defaultClockFactor) < 0.01)
  }

  @Test func `a board that does not answer keeps streaming, and still obeys commands`()
    throws
  {
    var client = try streaming()
    client.board.inject(.stopAnswering(seconds: 3), at: 2.5)
    client.wait(seconds: 3)
    #expect(client.write(Settings.readBattery) == [])
    client.write(sensor.powerOff)
    client.wait(seconds: 3)
    #expect((598...604).contains(client.received.count))
    #expect(client.write(Settings.readBattery).count == 1)
    #expect(client.board.complaints == [])
  }

  @Test func `a board that hangs does not answer, measure, or stop when it is disconnected`()
    throws
  {
    var client = try streaming()
    client.write(Event.record(sensor.powerOff, when: .disconnect).map(\.bytes))
    client.board.inject(.hang(seconds: 3), at: 2.5)
    client.wait(seconds: 2.6)
    #expect(client.wait(seconds: 1).isEmpty)
    #expect(client.write(Settings.readBattery) == [])
    client.board.linkDown(at: client.time)
    client.board.linkUp()
    client.wait(seconds: 3)
    #expect((109...112).contains(times(client).count { $0 >= 5.5 }))

    var hung = try stream(.hang())
    #expect(times(hung).allSatisfy { $0 < 2.5 })
    hung.board.reset(at: hung.time)
    hung.board.linkUp()
    #expect(hung.write(Settings.readBattery).count == 1)
  }

  @Test
  func `a sensor that falls silent must be switched on again, while the other sensor continues`()
    throws
  {
    var client = try streaming()
    let other = Gyroscope(chip: .bmi270, revision: 0)
    try client.start(other, rate: 100, range: 500, subscribing: other.sampleRegister)
    client.board.inject(.haltSensor(.accelerometer), at: 2.5)
    let modules = client.wait(seconds: 5).filter { $0.time > 2.5 }.map { $0.bytes[0] }
    #expect(Set(modules) == [0x13])
    client.write(Settings.readBattery)
    client.write(sensor.powerOn(try sensor.configuration(rate: 100, range: 8)))
    #expect(client.wait(seconds: 1).contains { $0.bytes[0] == 0x03 })
  }

  @Test func `a battery runs down one percent at a time until the board disappears`() throws {
    var client = try streaming()
    client.board.inject(.lowBattery(seconds: 99), at: 0)
    for percent in [98, 97, 96] as [UInt8] {
      client.wait(seconds: 1)
      #expect(client.write(Settings.readBattery)[0][2] == percent)
    }
    client.wait(seconds: 95.9)
    #expect(client.board.battery.percent == 1)
    #expect((3_000...3_020).contains(client.board.battery.millivolts))
    #expect(client.board.isLinkUp)
    client.wait(seconds: 1)
    #expect(client.board.battery.percent == 0)
    #expect(!client.board.isLinkUp)
    #expect(!client.board.isAdvertising(at: 1e6))
    #expect(client.board.nextEvent == nil)
    client.board.battery = Battery(percent: 100, millivolts: 4_200)
    client.board.reset(at: client.time)
    client.wait(seconds: SimulatedBoard.bootSeconds)
    #expect(client.board.isAdvertising(at: client.time))
  }

  @Test
  func `every kind of corrupted packet occurs, and the same seed produces the same packets`() throws
  {
    let plain = try stream(.drop(count: 0)).received
    let client = try stream(.garbage(count: 300))
    #expect(try stream(.garbage(count: 300)).received == client.received)
    let good = Set(plain.map(\.bytes))
    let spoilt = client.received.map(\.bytes).filter { !good.contains($0) }
    let kinds: [(String, ([UInt8]) -> Bool)] = [
      ("cut", { $0.count < 8 && $0[0] == 0x03 }),
      ("with surplus", { $0.count > 8 && $0.starts(with: [0x03, 0x04]) }),
      ("unknown module", { ModuleID(rawValue: $0[0]) == nil }),
      ("unasked answer", { $0.count >= 2 && $0[0] < 0x1a && $0[1] & 0x80 != 0 }),
    ]
    for (name, isOfKind) in kinds {
      #expect(spoilt.count(where: isOfKind) > 20, "\(name)")
    }
    #expect((60...180).contains(client.board.samplesDropped))
    #expect(try stream(.garbage(count: 300), seed: 2).received != client.received)
  }

  @Test func `the effects of faults do not depend on how often the host polls`() throws {
    let faults: [ScheduledFault] = [
      .init(.delay(seconds: 0.4), at: 1), .init(.garbage(count: 30), at: 1.2),
      .init(.drop(count: 3), at: 1.2), .init(.duplicate(count: 4), at: 2),
      .init(.disconnect, at: 3),
    ]
    var eager = try streaming()
    var patient = try streaming()
    for fault in faults {
      eager.board.inject(fault.fault, at: fault.time)
      patient.board.inject(fault.fault, at: fault.time)
    }
    var all: [SimulatedNotification] = []
    patient.board.advance(to: 2.9, into: &all)
    patient.board.advance(to: 5, into: &all)
    eager.wait(seconds: 2.9)
    eager.wait(seconds: 2.1)
    #expect(eager.board.samplesSent == patient.board.samplesSent)
    #expect(eager.board.samplesUnheard == patient.board.samplesUnheard)
    // Packets in the host's own queue are lost when the link is lost.
    #expect(eager.received.filter { $0.time <= 2.9 } == all.filter { $0.time <= 2.9 })
  }
}
