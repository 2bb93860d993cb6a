import MetaWearProtocol

/// The state that a simulated board loses on a reset.
struct SimulatedBoardState: Sendable {
  static let maximumProcessors = 28
  static let maximumEvents = 28
  static let maximumTimers = 8

  /// Registers whose values are sent over the link.
  var subscriptions: Set<BoardSource> = []
  var sensors: [SimulatedMotionSensor]
  var features: AccelerometerFeatures?
  var magnetometer: SimulatedMagnetometer?
  var fusion: SimulatedFusion?
  var barometer: SimulatedBarometer?
  var thermometers = SimulatedThermometers()
  var humidity: SimulatedHumidity?
  var light: SimulatedAmbientLight?
  var colour: SimulatedColourSensor?
  var proximity: SimulatedProximity?
  var pins: SimulatedPins
  var led = SimulatedLED()
  var haptic = SimulatedHaptic()
  var beacon = SimulatedIBeacon()
  var strands: [UInt8: SimulatedNeoPixels] = [:]
  var settings: SimulatedSettings
  var debug = SimulatedDebug()
  var recording: MacroRecording?
  var processors: NumberedEntries<SimulatedProcessor> = [:]
  var processorsNotify = false
  var events: NumberedEntries<SimulatedEvent> = [:]
  /// The event whose parameters are expected next.
  var openEvent: UInt8?
  var timers: NumberedEntries<SimulatedTimer> = [:]
  var timersNotify = true
  var logging = SimulatedLogging()
  /// Current nesting depth of events triggered by other events.
  var eventDepth = 0
  var switchIsPressed = false

  init(model: BoardModel, seed: UInt64, boot: UInt8) {
    let modules = model.modules
    sensors = modules.motionSensors.map { SimulatedMotionSensor($0, seed: seed, boot: boot) }
    features = modules.accelerometer.map { AccelerometerFeatures($0) }
    magnetometer = modules[.magnetometer].map {
      SimulatedMagnetometer(revision: $0.revision, seed: seed, boot: boot)
    }
    fusion = modules.has(.sensorFusion) ? SimulatedFusion(seed: seed, boot: boot) : nil
    barometer = modules.barometer.map { SimulatedBarometer(chip: $0, seed: seed, boot: boot) }
    humidity = modules.has(.humidity) ? SimulatedHumidity(seed: seed, boot: boot) : nil
    light = modules.has(.ambientLight) ? SimulatedAmbientLight(seed: seed, boot: boot) : nil
    colour = modules.has(.colour) ? SimulatedColourSensor() : nil
    proximity = modules.has(.proximity) ? SimulatedProximity() : nil
    pins = SimulatedPins(count: modules[.gpio]?.extra.count ?? 0)
    settings = SimulatedSettings(model: model)
  }
}
