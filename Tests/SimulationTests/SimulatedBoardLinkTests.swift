import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedBoardLinkTests {
  let sensor = Accelerometer(chip: .bmi270, revision: 0)

  func streaming() throws -> SimulatedBoardClient {
    var client = SimulatedBoardClient(.metaMotionS)
    try client.start(sensor, rate: 100, range: 8, subscribing: sensor.sampleRegister)
    return client
  }

  @Test func `a sensor continues to run while the link is down, and its samples are lost`() throws {
    var client = try streaming()
    let before = client.wait(seconds: 1).count
    client.board.linkDown(at: client.time)
    #expect(!client.board.isLinkUp)
    #expect(client.board.isAdvertising(at: client.time))
    #expect(client.board.nextEvent == nil)
    #expect(client.wait(seconds: 10).isEmpty)
    #expect(client.board.samplesSent == UInt64(before))

    client.board.linkUp()
    #expect(!client.board.isAdvertising(at: client.time))
    #expect((99...102).contains(client.wait(seconds: 1).count))
  }

  @Test func `the board continues to count while the link is down, so the loss is known`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let id = try client.countPairs(of: sensor)
    try client.start(sensor, rate: 100, range: 8, subscribing: nil)
    var decoder = try #require(StreamDecoder(sensor.samples, layout: .countedPair(processor: id)))
    var batch = SampleBatch()
    let last = try #require(client.wait(seconds: 1).last)
    try decoder.decode(last.bytes.span, into: &batch)
    let before = batch[1].counter
    client.board.linkDown(at: client.time)
    client.wait(seconds: 10)
    client.board.linkUp()
    let first = try #require(client.wait(seconds: 1).first)
    try decoder.decode(first.bytes.span, into: &batch)
    #expect((1_001...1_005).contains(batch[0].counter - before))
  }

  @Test func `an armed disconnect event stops the sensor when the link is lost`() throws {
    var client = try streaming()
    let stop = Event.record(sensor.powerOff, when: .disconnect)
    #expect(client.write(stop.map(\.bytes)).last == [0x0a, 0x02, 0x00])
    #expect(!client.wait(seconds: 1).isEmpty)
    client.board.linkDown(at: client.time)
    client.board.linkUp()
    #expect(client.wait(seconds: 5).isEmpty)
    // The sensor's subscription and settings are preserved, so it needs only its power command.
    let configuration = try sensor.configuration(rate: 100, range: 8)
    client.write(sensor.powerOn(configuration))
    #expect((97...102).contains(client.wait(seconds: 1).count))
    #expect(client.board.complaints == [])
  }

  @Test func `an event takes effect if its parameters follow the reply, or if it needs none`()
    throws
  {
    var client = SimulatedBoardClient(.metaMotionS)
    let parts = Event.record(sensor.powerOff, when: .disconnect)
    #expect(client.write(parts[0]) == [[0x0a, 0x02, 0x00]])
    client.write(parts[1])
    let reset = Event.record(Debug.reset, when: .switch)
    #expect(client.write(reset[0]) == [[0x0a, 0x02, 0x01]])
    client.board.setSwitch(isPressed: true, at: 1)
    #expect(!client.board.isLinkUp)
    #expect(client.board.complaints == [])
  }

  @Test func `a reset drops the link, clears the set-up, restarts the clock and is counted`()
    throws
  {
    var client = try streaming()
    _ = try client.countPairs(of: sensor)
    client.wait(seconds: 5)
    client.write(Debug.reset)
    #expect(!client.board.isLinkUp)
    #expect(!client.board.isAdvertising(at: client.time))
    client.wait(seconds: SimulatedBoard.bootSeconds)
    #expect(client.board.isAdvertising(at: client.time))
    client.board.linkUp()
    #expect(client.wait(seconds: 5).isEmpty)
    let answer = client.write(Logging.readTime)[0]
    guard
      case .timeReference(let reference) = try Notification(
        decoding: answer.span, from: ModuleTable())
    else {
      Issue.record("no time reference")
      return
    }
    #expect(reference.resetUID == 1)
    #expect(abs(Double(reference.tick) * Logging.tickSeconds - 6 * 1.003) < 0.01)
    // Ids start from 0 again after the reset.
    #expect(try client.countPairs(of: sensor) == 1)
    for expected in [2, 3, 4, 5, 6, 7, 0] as [UInt8] {
      client.board.reset(at: client.time)
      client.board.linkUp()
      #expect(client.write(Logging.readTime)[0].last == expected)
    }
  }

  @Test func `a board that is commanded to disconnect does so and can be found again`() throws {
    var client = try streaming()
    client.write(Debug.disconnect)
    #expect(!client.board.isLinkUp)
    #expect(client.board.isAdvertising(at: client.time))
    client.write(Settings.readBattery)
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.first?.contains("without a connection") == true)
  }

  @Test func `samples measured while the client is not subscribed are not sent`() throws {
    var client = try streaming()
    client.board.isNotifying = false
    #expect(client.wait(seconds: 1).isEmpty)
    #expect(client.board.samplesSent == 0)
    client.board.isNotifying = true
    #expect(!client.wait(seconds: 1).isEmpty)
  }

  @Test func `a timer polls the temperature through an event`() throws {
    var client = SimulatedBoardClient(.metaMotionS, clockFactor: 1)
    let id = try client.id(
      client.write(Timer.create(periodMilliseconds: 500, repetitions: 4)))
    let poll = Event.record(Temperature.read(channel: 1), when: .timer(id))
    client.write(poll.map(\.bytes))
    client.write(Timer.start(id))
    let answers = client.wait(seconds: 10)
    #expect(answers.map(\.time) == [0.5, 1, 1.5, 2])
    #expect(answers.allSatisfy { $0.bytes == [0x04, 0x81, 1, 234, 0] })
    client.write(Timer.remove(id))
    #expect(client.board.complaints == [])
  }
}
