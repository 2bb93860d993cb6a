import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedBoardEventTests {
  @Test func `an event copies bytes from its source into its command`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let x = SignalSource(.accelerometer, 0x04, length: 2)
    let all = try client.id(
      client.write(DataProcessor.create(.passThrough(.all, value: 0), on: x)))
    let limit = try client.id(
      client.write(
        DataProcessor.create(
          .multiComparator(isSigned: true, size: 2, .greater, .input, references: [0]), on: x)))
    // The latest value becomes the comparator's reference.
    let change = DataProcessor.modify(
      limit, .multiComparator(isSigned: true, size: 2, .greater, .input, references: [0x7777]))
    _ = try client.id(
      client.write(
        Event.record(
          change, when: .processor(all), copying: Event.Copy(length: 2, parameterOffset: 3)
        ).map(\.bytes)))
    client.write(DataProcessor.subscribe(limit), DataProcessor.enableNotifications)
    for value in [5, 7, 6, 9, 8] as [Int16] {
      client.board.process(
        BoardValue(bytes: value.littleEndianBytes + [0, 0, 0, 0], sampleCount: 1),
        from: BoardSource(module: 0x03, register: 0x04, index: 0xff))
      client.board.advance(to: client.time, into: &client.received)
    }
    // Each value is compared with itself, because the event that it triggered has already made it
    // the comparator's reference.
    #expect(client.received.filter { $0.bytes.starts(with: [0x09, 0x03, limit]) }.isEmpty)
    let answer = client.write(DataProcessor.query(limit))[0]
    #expect(answer.suffix(2) == [8, 0])
    #expect(client.board.complaints == [])
  }

  @Test func `a comparator can switch the LED on without a host`() throws {
    struct Shaken: Wearer {
      func acceleration(at time: Double) -> SIMD3<Double> { SIMD3(0, 0, time > 5 ? 3 : 1) }
      func angularVelocity(at time: Double) -> SIMD3<Double> { .zero }
    }
    var client = SimulatedBoardClient(.metaMotionS, wearer: Shaken())
    let sensor = Accelerometer(chip: .bmi270, revision: 0)
    let z = SignalSource(.accelerometer, 0x04, length: 2, offset: 4)
    let above = try client.id(
      client.write(
        DataProcessor.create(
          .multiComparator(
            isSigned: true, size: 2, .greater, .input, references: [8_192]), on: z)))
    _ = try client.id(
      client.write(
        Event.record(Command(.led, 0x01, [1]), when: .processor(above)).map(\.bytes)))
    try client.start(sensor, rate: 100, range: 8, subscribing: nil)
    client.board.linkDown(at: client.time)
    client.wait(seconds: 4.5)
    #expect(client.board.state.led.playback == .pause)
    client.wait(seconds: 1)
    #expect(client.board.state.led.playback == .play)
  }

  @Test func `one timer's event can stop another timer`() throws {
    var client = SimulatedBoardClient(.metaMotionS, clockFactor: 1)
    let timer = try client.id(client.write(Timer.create(periodMilliseconds: 100)))
    let other = try client.id(client.write(Timer.create(periodMilliseconds: 250)))
    _ = try client.id(
      client.write(Event.record(Timer.stop(timer), when: .timer(other)).map(\.bytes)))
    client.write(
      Timer.notify(timer, isOn: true), Timer.start(timer), Timer.start(other))
    #expect(client.wait(seconds: 2).map(\.bytes) == [[0x0c, 0x06, timer], [0x0c, 0x06, timer]])
    client.write(Timer.notify(timer, isOn: false), Timer.start(timer))
    client.write(Timer.remove(other))
    #expect(client.wait(seconds: 2).isEmpty)
    #expect(client.board.complaints == [])
  }

  @Test func `events that trigger each other do not cause an endless loop`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    let read = Temperature.read(channel: 0)
    let source = Event.Source(PacketHeader(.temperature, 0x01, isRead: true), index: 0)
    _ = try client.id(client.write(Event.record(read, when: source).map(\.bytes)))
    #expect(client.write(read).count < 20)
    #expect(client.board.complaints.first?.contains("endlessly") == true)
  }

  @Test func `the ninth timer and the twenty-ninth event get no reply`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    for id in 0..<8 as Range<UInt8> {
      #expect(client.write(Timer.create(periodMilliseconds: 100)) == [[0x0c, 0x02, id]])
    }
    #expect(client.write(Timer.create(periodMilliseconds: 100)) == [])
    let stop = Event.record(LED.stopAndClear, when: .disconnect)
    for id in 0..<28 as Range<UInt8> {
      #expect(client.write(stop.map(\.bytes)) == [[0x0a, 0x02, id]])
    }
    #expect(client.write(stop.prefix(1).map(\.bytes)) == [])
    #expect(client.board.complaints.count == 2)
  }

  @Test func `a macro creates several timers without waiting for each reply`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(Macro.begin(runsAtBoot: false))
    client.write(
      Macro.store(Timer.create(periodMilliseconds: 100).command.bytes),
      Macro.store(Timer.create(periodMilliseconds: 200).command.bytes))
    client.write(Macro.end)
    #expect(client.write(Macro.run(0)) == [[0x0c, 0x02, 0], [0x0c, 0x02, 1]])
    #expect(client.board.complaints == [])
  }

  static let mistakes = [
    MistakeCase(
      packets: [[0x0a, 0x02, 0x0c, 0x06, 0x03, 0x03, 0x01, 0x01]],
      complaint: "cannot trigger an event"),
    MistakeCase(
      packets: [[0x0a, 0x02, 0x03, 0x3c, 0xff, 0x03, 0x01, 0x01]],
      complaint: "cannot trigger an event"),
    MistakeCase(packets: [[0x0a, 0x02, 0x01, 0x01, 0xff, 0x03]], complaint: "an event needs"),
    MistakeCase(
      packets: [[0x0a, 0x02, 0x01, 0x01, 0xff, 0x03, 0x01, 0x01, 0x02, 0x00]],
      complaint: "the first of them odd"),
    MistakeCase(
      packets: [[0x0a, 0x02, 0x01, 0x01, 0xff, 0x03, 0x01, 0x01, 0x05, 0x00]],
      complaint: "does not allow this copy"),
    MistakeCase(packets: [[0x0c, 0x02, 0, 0, 0, 0, 1, 0, 0]], complaint: "needs a period"),
  ]

  @Test(arguments: mistakes)
  func `an invalid event command is ignored and reported`(_ mistake: MistakeCase) {
    var client = SimulatedBoardClient(.metaMotionS)
    #expect(client.write(mistake.packets) == [])
    #expect(client.board.complaints.count == 1)
    #expect(client.board.complaints.first?.contains(mistake.complaint) == true)
  }
}
