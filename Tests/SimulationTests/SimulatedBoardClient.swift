import MetaWearProtocol
@testable import Simulation
import Values

/// A central that writes commands to a simulated board and stores the board's notifications.
struct SimulatedBoardClient {
  var board: SimulatedBoard
  var time = 0.0
  var received: [SimulatedNotification] = []

  init(
    _ model: BoardModel, wearer: any Wearer = StillWearer(), seed: UInt64 = 1,
    clockFactor: Double = SimulatedBoard.defaultClockFactor
  ) {
    board = SimulatedBoard(
      model, address: BoardAddress(value: 0xc84b_aa97_5005), wearer: wearer, seed: seed,
      clockFactor: clockFactor)
    board.linkUp()
  }

  /// Writes commands, each after the reply to the previous command. Returns the board's immediate
  /// replies.
  @discardableResult
  mutating func write(_ commands: Command...) -> [[UInt8]] {
    write(commands.map(\.bytes))
  }

  @discardableResult
  mutating func write(_ commands: any ModuleCommand...) -> [[UInt8]] {
    write(commands.map(\.command.bytes))
  }

  @discardableResult
  mutating func write(_ packets: [[UInt8]]) -> [[UInt8]] {
    let before = received.count
    for packet in packets {
      board.receive(packet, at: time)
      board.advance(to: time, into: &received)
    }
    return received[before...].map(\.bytes)
  }

  /// Advances the time, and returns the notifications. Like a host that sleeps until the next
  /// event, the client advances the time in steps.
  @discardableResult
  mutating func wait(seconds: Double) -> [SimulatedNotification] {
    let before = received.count
    let end = time + seconds
    while let next = board.nextEvent, next <= end {
      time = max(time, next)
      board.advance(to: time, into: &received)
    }
    time = end
    board.advance(to: time, into: &received)
    return Array(received[before...])
  }

  /// Configures a sensor, opens its stream and starts it.
  mutating func start(
    _ sensor: any MotionSensor, rate: Double, range: Double, subscribing register: UInt8?
  ) throws {
    let configuration = try sensor.configuration(rate: rate, range: range)
    write(sensor.configure(configuration))
    if let register { write(.subscribe(sensor.module, register)) }
    write(sensor.enableDataReady, sensor.powerOn(configuration))
  }

  /// Creates a packer and a counter for a sensor, and returns the counter's id.
  mutating func countPairs(of sensor: any MotionSensor) throws -> UInt8 {
    let packer = try id(
      write(
        DataProcessor.create(
          .packer(sampleLength: 6, count: 2), on: sensor.source)))
    let counter = try id(
      write(DataProcessor.create(.counter, on: .processor(packer, length: 6))))
    write(DataProcessor.subscribe(counter), DataProcessor.enableNotifications)
    return counter
  }

  /// Returns the id from the board's reply, which must be the only reply.
  func id(_ answers: [[UInt8]]) throws(DecodeError) -> UInt8 {
    guard let answer = answers.first, answers.count == 1,
      case .created(_, let id) = try Notification(
        decoding: answer.span, from: board.model.modules)
    else { throw .otherPacket }
    return id
  }
}
