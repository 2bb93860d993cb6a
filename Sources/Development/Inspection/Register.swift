internal import MetaWearProtocol

/// A board register: its name, and the first module revision that supports it.
struct Register {
  let name: String
  let firstRevision: UInt8

  /// Returns the register that a packet addresses on a board with these modules; `nil` if it is
  /// unknown.
  static func find(_ header: PacketHeader, on modules: ModuleTable) -> Register? {
    guard let module = header.module else { return nil }
    if header.register == 0 { return Register(name: "module info", firstRevision: 0) }
    guard let name = names(of: module, on: modules)[header.register] else { return nil }
    return Register(
      name: name, firstRevision: firstRevisions[module]?[header.register] ?? 0)
  }

  private static func names(of module: ModuleID, on modules: ModuleTable) -> [UInt8: String] {
    switch module {
    case .accelerometer: modules.accelerometer.map { accelerometer($0.chip) } ?? motion
    case .gyroscope: modules.gyroscope.map { gyroscope($0.chip) } ?? motion
    default: fixed[module] ?? [:]
    }
  }

  // Every motion sensor has the same first four registers.
  private static let motion: [UInt8: String] = [
    0x01: "power", 0x02: "data ready", 0x03: "configuration",
  ]

  private static func accelerometer(_ chip: Accelerometer.Chip) -> [UInt8: String] {
    let own: [UInt8: String] =
      switch chip {
      case .bmi160: bosch.merging(steps) { $1 }
      case .bma255: bosch
      case .bmi270:
        [
          0x05: "packed samples", 0x06: "features", 0x07: "feature interrupts",
          0x08: "feature configuration", 0x09: "motion", 0x0a: "wrist", 0x0b: "steps",
          0x0c: "activity", 0x0e: "die temperature switch", 0x0f: "die temperature",
          0x10: "offsets", 0x11: "down-sampling",
        ]
      case .mma8452q:
        [
          0x05: "movement switch", 0x06: "movement configuration", 0x07: "movement",
          0x08: "orientation switch", 0x09: "orientation configuration", 0x0a: "orientation",
          0x0b: "tap switch", 0x0c: "tap configuration", 0x0d: "tap", 0x0e: "shake switch",
          0x0f: "shake configuration", 0x10: "shake", 0x12: "packed samples",
        ]
      }
    return motion.merging(own) { $1 }.merging([0x04: "samples"]) { $1 }
  }

  private static let bosch: [UInt8: String] = [
    0x06: "low and high g switch", 0x07: "low and high g configuration", 0x08: "low and high g",
    0x09: "motion switch", 0x0a: "motion configuration", 0x0b: "motion", 0x0c: "tap switch",
    0x0d: "tap configuration", 0x0e: "tap", 0x0f: "orientation switch",
    0x10: "orientation configuration", 0x11: "orientation", 0x12: "flat switch",
    0x13: "flat configuration", 0x14: "flat", 0x1c: "packed samples",
  ]

  private static let steps: [UInt8: String] = [
    0x17: "step detector switch", 0x18: "step configuration", 0x19: "step detector",
    0x1a: "step counter", 0x1b: "step counter reset",
  ]

  private static func gyroscope(_ chip: Gyroscope.Chip) -> [UInt8: String] {
    let own: [UInt8: String] =
      switch chip {
      case .bmi160: [0x05: "samples", 0x07: "packed samples"]
      case .bmi270: [0x04: "samples", 0x05: "packed samples", 0x06: "offsets"]
      }
    return motion.merging(own) { $1 }
  }

  private static let fixed: [ModuleID: [UInt8: String]] = [
    .switch: [0x01: "state"],
    .led: [0x01: "playback", 0x02: "stop", 0x03: "pattern"],
    .temperature: [0x01: "value", 0x02: "thermistor pins"],
    .gpio: [
      0x01: "output high", 0x02: "output low", 0x03: "pull-up", 0x04: "pull-down",
      0x05: "no pull", 0x06: "voltage", 0x07: "voltage ratio", 0x08: "level", 0x09: "edge",
      0x0a: "pin change", 0x0b: "pin watch",
    ],
    .neoPixel: [
      0x01: "strand", 0x02: "hold", 0x03: "clear", 0x04: "colour", 0x05: "rotation",
      0x06: "release",
    ],
    .iBeacon: [
      0x01: "switch", 0x02: "identifier", 0x03: "major number", 0x04: "minor number",
      0x05: "received power", 0x06: "transmit power", 0x07: "period",
    ],
    .haptic: [0x01: "pulse"],
    .dataProcessor: [
      0x02: "processor", 0x03: "output", 0x04: "state", 0x05: "parameters", 0x06: "removal",
      0x07: "output switch", 0x08: "removal of all processors",
    ],
    .event: [
      0x02: "source and command", 0x03: "parameters", 0x04: "removal",
      0x05: "removal of all events",
    ],
    .logging: [
      0x01: "switch", 0x02: "trigger", 0x03: "trigger removal", 0x04: "time", 0x05: "length",
      0x06: "read-out", 0x07: "entries", 0x08: "progress", 0x09: "entry removal",
      0x0a: "removal of all triggers", 0x0b: "circular buffer", 0x0c: "recycled pages",
      0x0d: "page complete", 0x0e: "page confirmation", 0x0f: "garbage collection",
      0x10: "flush",
    ],
    .timer: [
      0x02: "timer", 0x03: "start", 0x04: "stop", 0x05: "removal", 0x06: "fired",
      0x07: "notification switch",
    ],
    .serialBus: [0x01: "I2C", 0x02: "SPI"],
    .macro: [
      0x02: "macro", 0x03: "command", 0x04: "end", 0x05: "run",
      0x08: "removal of all macros",
      0x09: "command start",
    ],
    .settings: [
      0x01: "name", 0x02: "advertising", 0x03: "transmit power", 0x05: "start of advertising",
      0x07: "scan response", 0x08: "scan response start", 0x09: "connection parameters",
      0x0a: "disconnect", 0x0b: "address", 0x0c: "battery", 0x11: "power status",
      0x12: "charge status", 0x13: "whitelist mode", 0x14: "whitelist", 0x1c: "3-V supply",
      0x1d: "1 Mbit/s link",
    ],
    .barometer: [
      0x01: "pressure", 0x02: "altitude", 0x03: "configuration", 0x04: "switch",
    ],
    .ambientLight: [0x01: "switch", 0x02: "configuration", 0x03: "illuminance"],
    .magnetometer: [
      0x01: "power", 0x02: "data ready", 0x03: "rate", 0x04: "repetitions", 0x05: "samples",
      0x06: "threshold switch", 0x07: "threshold configuration", 0x08: "threshold",
      0x09: "packed samples",
    ],
    .humidity: [0x01: "value", 0x02: "oversampling"],
    .colour: [0x01: "value", 0x02: "configuration"],
    .proximity: [0x01: "value", 0x02: "configuration"],
    .sensorFusion: [
      0x01: "switch", 0x02: "mode", 0x03: "outputs", 0x04: "corrected acceleration",
      0x05: "corrected angular velocity", 0x06: "corrected magnetic field", 0x07: "quaternion",
      0x08: "Euler angles", 0x09: "gravity", 0x0a: "linear acceleration",
      0x0b: "calibration state", 0x0c: "accelerometer calibration",
      0x0d: "gyroscope calibration", 0x0e: "magnetometer calibration",
      0x0f: "orientation reset",
    ],
    .debug: [
      0x01: "reset", 0x02: "bootloader", 0x03: "spoofed notification", 0x04: "key",
      0x05: "reset after cleaning", 0x06: "disconnect", 0x07: "power save",
      0x09: "stack check", 0x0a: "queue use", 0x0b: "reset reason", 0x13: "flash statistics",
    ],
  ]

  private static let firstRevisions: [ModuleID: [UInt8: UInt8]] = [
    .accelerometer: [0x12: 1, 0x1c: 1],
    .gyroscope: [0x07: 1],
    .magnetometer: [0x09: 1],
    .dataProcessor: [:],
    .logging: [0x0d: 2, 0x10: 3],
    .sensorFusion: [0x0b: 1, 0x0c: 2, 0x0d: 2, 0x0e: 2, 0x0f: 3],
    .settings: [
      0x09: 1, 0x0a: 2, 0x0b: 2, 0x0c: 3, 0x11: 5, 0x12: 5, 0x13: 6, 0x14: 6, 0x1c: 9, 0x1d: 10,
    ],
  ]
}
