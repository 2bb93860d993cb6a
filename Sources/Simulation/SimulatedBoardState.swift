import MetaWearProtocol

/// All that a simulated board forgets at a reset.
struct SimulatedBoardState: Sendable {
  static let maximumProcessors = 28
  static let maximumEvents = 28
  static let maximumTimers = 8

  var sensors: [SimulatedSensor]
  var processors: [UInt8: SimulatedProcessor] = [:]
  var processorsNotify = false
  var events: [UInt8: SimulatedEvent] = [:]
  /// The event whose parameters may follow.
  var openEvent: UInt8?
  var timers: [UInt8: SimulatedTimer] = [:]
  var timersNotify = true
  var logging = SimulatedLogging()
  /// How many events are being carried out, one set off by the other.
  var eventDepth = 0
  var switchIsPressed = false
  var switchNotifies = false
  var ledPatterns: Set<UInt8> = []
  var ledPlays = false
  var name: [UInt8]
  var connectionParameters: [UInt8]

  init(model: BoardModel, seed: UInt64, boot: UInt8) {
    sensors = model.modules.motionSensors.map { SimulatedSensor($0, seed: seed, boot: boot) }
    name = Array(model.advertisedName.utf8)
    // 30 to 50 ms and 4 s until something else is asked for.
    connectionParameters = [24, 0, 40, 0, 0, 0, 0x90, 0x01]
  }

  /// The lowest number not in use below `maximum`.
  static func freeID<Value>(in table: [UInt8: Value], maximum: Int) -> UInt8? {
    (0..<UInt8(maximum)).first { table[$0] == nil }
  }
}
