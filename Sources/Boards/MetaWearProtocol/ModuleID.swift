/// The modules that a board may have. The raw value is the first byte of every packet.
public enum ModuleID: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The push button.
  case `switch` = 0x01
  case led = 0x02
  /// Measures acceleration, with one of four chips.
  case accelerometer = 0x03
  /// Measures temperatures on several channels. Values must be read; the module never streams.
  case temperature = 0x04
  /// General-purpose pins.
  case gpio = 0x05
  /// Controls strands of NeoPixel lights, on old boards.
  case neoPixel = 0x06
  /// Makes the board advertise as an iBeacon.
  case iBeacon = 0x07
  /// Drives a vibration motor or a buzzer.
  case haptic = 0x08
  /// Runs filters and counters on the board.
  case dataProcessor = 0x09
  /// Executes commands automatically when a source triggers them.
  case event = 0x0a
  /// Records data to the board's flash.
  case logging = 0x0b
  /// Triggers events periodically.
  case timer = 0x0c
  /// Passes data through to I²C and SPI devices.
  case serialBus = 0x0d
  /// Receives notifications from Apple devices, on old boards.
  case notificationCentre = 0x0e
  /// Stores commands in flash.
  case macro = 0x0f
  /// Measures skin conductance, on old boards.
  case conductance = 0x10
  /// Configures the name, advertising and link parameters, and reports the battery state.
  case settings = 0x11
  case barometer = 0x12
  /// Measures angular velocity, with one of two chips.
  case gyroscope = 0x13
  case ambientLight = 0x14
  case magnetometer = 0x15
  case humidity = 0x16
  case colour = 0x17
  /// Measures the distance to a nearby surface.
  case proximity = 0x18
  /// Computes the orientation from several sensors.
  case sensorFusion = 0x19
  /// Resets, disconnects and diagnoses the board.
  case debug = 0xfe
}
