import MetaWearProtocol
import Recording
@testable import Simulation
import TestSupport
import Testing

/// Every stream that the protocol library offers for a model. The library sets the stream up, and
/// the simulated board runs it.
@Suite(.computation) struct SensorStreamTests {
  static let streams = BoardModel.all.flatMap { model in
    model.modules.sensors.map { StreamCase(model: model, signal: $0.signal) }
  }

  struct StreamCase: CustomTestStringConvertible, Sendable {
    var model: BoardModel
    var signal: String

    var testDescription: String { "\(model): \(signal)" }
  }

  @Test(arguments: streams)
  func `a stream runs at its rate and without complaints when the protocol library sets it up`(
    _ item: StreamCase
  ) throws {
    let sensor = try #require(item.model.modules.sensors.first { $0.signal == item.signal })
    for rate in Set([sensor.rates.first, sensor.rates.last].compactMap(\.self)) {
      for range in Set([sensor.ranges.first, sensor.ranges.last]) {
        let setup = try sensor.setup(rate: rate, range: range)
        if let poll = setup.poll {
          try expectAnswer(to: poll, setup, on: item.model)
        } else {
          try expectStream(setup, on: item.model)
        }
      }
    }
  }

  /// Returns a client that has stopped all sensors and configured one stream.
  func configured(
    _ setup: SensorSetup, on model: BoardModel
  ) -> SimulatedBoardClient {
    var client = SimulatedBoardClient(model, clockFactor: 1)
    client.write(model.modules.halt.map(\.bytes))
    client.wait(seconds: setup.settleSeconds)
    client.write(setup.configure.map(\.bytes))
    if let check = setup.check {
      #expect(
        client.write(check.read).map { Array($0.prefix(check.answer.count)) } == [check.answer])
    }
    return client
  }

  func expectAnswer(to poll: Command, _ setup: SensorSetup, on model: BoardModel) throws {
    var client = configured(setup, on: model)
    var decoder = try #require(StreamDecoder(setup.samples, layout: .single))
    var batch = SampleBatch()
    for _ in 0..<3 {
      let answers = client.write(poll)
      #expect(answers.count == 1)
      for answer in answers { try decoder.decode(answer.span, into: &batch) }
      #expect(batch.count == 1)
    }
    #expect(client.board.complaints == [])
  }

  func expectStream(_ setup: SensorSetup, on model: BoardModel) throws {
    var client = configured(setup, on: model)
    client.write([[setup.samples.module.rawValue, setup.samples.register, 1]])
    client.write((setup.enable + setup.powerOn + setup.run).map(\.bytes))
    // This is enough time for the fusion sensors to start, and for some samples of slow streams.
    let rate = setup.description.rate
    client.wait(seconds: 0.3)
    let seconds = max(0.5, 4 / rate)
    var decoder = try #require(StreamDecoder(setup.samples, layout: .single))
    var batch = SampleBatch()
    var count = 0
    for notification in client.wait(seconds: seconds) {
      try decoder.decode(notification.bytes.span, into: &batch)
      count += batch.count
    }
    #expect(abs(Double(count) - seconds * rate) <= 1.5, "\(count) at \(rate) Hz")
    client.write(setup.powerOff.map(\.bytes))
    #expect(client.wait(seconds: 1).isEmpty)
    #expect(client.board.complaints == [])
  }
}
