extension ModuleID {
  /// The module's name, in the form used within sentences.
  public var name: String {
    switch self {
    case .switch: "switch"
    case .led: "LED"
    case .accelerometer: "accelerometer"
    case .temperature: "temperature"
    case .gpio: "GPIO"
    case .neoPixel: "NeoPixel"
    case .iBeacon: "iBeacon"
    case .haptic: "haptic"
    case .dataProcessor: "data processor"
    case .event: "event"
    case .logging: "logging"
    case .timer: "timer"
    case .serialBus: "I2C/SPI"
    case .notificationCentre: "ANCS"
    case .macro: "macro"
    case .conductance: "conductance"
    case .settings: "settings"
    case .barometer: "barometer"
    case .gyroscope: "gyroscope"
    case .ambientLight: "ambient light"
    case .magnetometer: "magnetometer"
    case .humidity: "humidity"
    case .colour: "colour"
    case .proximity: "proximity"
    case .sensorFusion: "sensor fusion"
    case .debug: "debug"
    }
  }
}
