import MetaWearProtocol
import TestSupport
import Testing

@testable import Simulation

@Suite(.computation) struct SimulatedPinsTests {
  @Test func `outputs and pull resistors determine the levels that are read back`() throws {
    var client = SimulatedBoardClient(.metaMotionRL)
    let steps: [(GPIO, Bool)] = [
      (.pull(.up, pin: 1), true), (.pull(.down, pin: 1), false),
      (.write(pin: 1, isHigh: true), true), (.write(pin: 1, isHigh: false), false),
      (.pull(.none, pin: 1), false),
    ]
    for (step, isHigh) in steps {
      client.write(step)
      #expect(
        try client.ask(GPIO.read(.level, pin: 1, nil, isSilent: false))
          == [.pin(.level(pin: 1, isHigh: isHigh))])
    }
    #expect(client.board.complaints == [])
  }

  @Test func `voltages are reported in millivolts and as a fraction of the supply`() throws {
    // The MetaMotion S's pins use 1.8 V, and the RL's pins use 3 V.
    for (model, ratio) in [(BoardModel.metaMotionS, UInt16(511)), (.metaMotionRL, 306)] {
      var client = SimulatedBoardClient(model)
      client.board.setPin(2, to: .millivolts(900), at: 0)
      let options = GPIO.ReadOptions()
      #expect(
        try client.ask(GPIO.read(.millivolts, pin: 2, options, isSilent: false))
          == [.pin(.millivolts(pin: 2, 900))])
      #expect(
        try client.ask(GPIO.read(.ratio, pin: 2, options, isSilent: false))
          == [.pin(.ratio(pin: 2, ratio))])
      client.board.setPin(2, to: .millivolts(9_000), at: 0)
      #expect(client.board.millivolts(atPin: 2) == model.supplyMillivolts)
      #expect(client.board.complaints == [])
    }
  }

  @Test
  func `an analogue read can pull its pin up or down, and can report another pin number`()
    throws
  {
    var client = SimulatedBoardClient(.metaMotionRL)
    let options = GPIO.ReadOptions(pullUpPin: 1, pullDownPin: 2, delaySteps: 2, virtualPin: 21)
    #expect(
      try client.ask(GPIO.read(.millivolts, pin: 1, options, isSilent: false))
        == [.pin(.millivolts(pin: 21, 3_000))])
    #expect(
      try client.ask(GPIO.read(.millivolts, pin: 2, options, isSilent: false))
        == [.pin(.millivolts(pin: 21, 0))])
  }

  @Test func `newer pin modules require options for a reading, and older ones do not accept them`()
    throws
  {
    let plain = GPIO.read(.millivolts, pin: 0, nil, isSilent: false)
    let withOptions = GPIO.read(.millivolts, pin: 0, GPIO.ReadOptions(), isSilent: false)
    for (model, right, wrong) in [
      (BoardModel.metaMotionS, withOptions, plain), (.metaWearR, plain, withOptions),
    ] {
      var client = SimulatedBoardClient(model)
      #expect(try client.ask(right).count == 1)
      #expect(client.board.complaints == [])
      #expect(try client.ask(wrong) == [])
      #expect(client.board.complaints.count == 1)
    }
  }

  @Test(arguments: GPIO.Edge.allCases)
  func `a watched pin reports the edges that were requested`(_ edge: GPIO.Edge) throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(GPIO.edge(edge, pin: 3))
    client.write(GPIO.watch(pin: 3, isOn: true))
    client.subscribe(.pinChange)
    client.board.setPin(3, to: .millivolts(1_800), at: 1)
    client.board.setPin(3, to: .millivolts(1_790), at: 2)
    client.board.setPin(3, to: .millivolts(0), at: 3)
    let rising = Notification.pin(.change(pin: 3, isHigh: true))
    let falling = Notification.pin(.change(pin: 3, isHigh: false))
    let expected: [Notification] =
      switch edge {
      case .off: []
      case .rising: [rising]
      case .falling: [falling]
      case .any: [rising, falling]
      }
    #expect(try client.hear(seconds: 4) == expected)
    client.write(GPIO.watch(pin: 3, isOn: false))
    client.board.setPin(3, to: .millivolts(1_800), at: 5)
    #expect(try client.hear(seconds: 2) == [])
  }

  @Test func `a change in a pin's level can trigger an event`() throws {
    var client = SimulatedBoardClient(.metaMotionS)
    client.write(GPIO.edge(.any, pin: 0))
    client.write(GPIO.watch(pin: 0, isOn: true))
    client.write(Event.record(GPIO.write(pin: 1, isHigh: true), when: .pin(0)).map(\.bytes))
    client.board.setPin(0, to: .millivolts(1_800), at: 1)
    #expect(client.board.millivolts(atPin: 1) == 1_800)
    #expect(client.board.complaints == [])
  }
}
