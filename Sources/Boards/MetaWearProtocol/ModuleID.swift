/// The modules a board may have; the raw value is the first byte of every packet.
public enum ModuleID: UInt8, Hashable, Sendable, BitwiseCopyable, CaseIterable {
  /// The push button.
  case `switch` = 0x01
  /// The coloured LEDs.
  case led = 0x02
  /// Acceleration, on one of four chips.
  case accelerometer = 0x03
  /// Temperatures by channel; never streams by itself.
  case temperature = 0x04
  /// Pins.
  case gpio = 0x05
  /// Strands of NeoPixel lights, on old boards.
  case neoPixel = 0x06
  /// iBeacon advertising.
  case iBeacon = 0x07
  /// Vibration motor and buzzer driver.
  case haptic = 0x08
  /// Filters and counters that run on the board.
  case dataProcessor = 0x09
  /// Commands that the board executes by itself when something happens.
  case event = 0x0a
  /// Recording to the board's flash.
  case logging = 0x0b
  /// Periodic events.
  case timer = 0x0c
  /// I²C and SPI pass-through.
  case serialBus = 0x0d
  /// Apple notifications, on old boards.
  case notificationCentre = 0x0e
  /// Commands stored in flash.
  case macro = 0x0f
  /// Skin conductance, on old boards.
  case conductance = 0x10
  /// Name, advertising, link parameters, battery.
  case settings = 0x11
  /// Air pressure.
  case barometer = 0x12
  /// Angular velocity, on one of two chips.
  case gyroscope = 0x13
  /// Illuminance.
  case ambientLight = 0x14
  /// Magnetic field.
  case magnetometer = 0x15
  /// Relative humidity.
  case humidity = 0x16
  /// Colour of light.
  case colour = 0x17
  /// Distance to a near surface.
  case proximity = 0x18
  /// Orientation from several sensors.
  case sensorFusion = 0x19
  /// Reset, disconnect, diagnosis.
  case debug = 0xfe
}
