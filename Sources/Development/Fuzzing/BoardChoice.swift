internal import MetaWearProtocol

/// The boards that a fuzzer's input can select.
enum BoardChoice {
  /// Returns the index of the board that an input byte selects.
  static func place(_ choice: UInt8) -> Int { Int(choice) % tables.count }

  // Add new boards at the end. Otherwise, the bytes in the corpus would select different boards.
  static let tables = [
    // Modules of the MetaMotion S and RL.
    table(accelerometer: (4, 0), gyroscope: (1, 0)),
    table(accelerometer: (1, 2), gyroscope: (0, 1)),
    // Modules of the MetaWear R, and of a MetaDetector without packer and counter.
    table(accelerometer: (0, 0), gyroscope: nil, processor: 0),
    table(accelerometer: (3, 1), gyroscope: nil, processor: 1),
    // A board without known modules.
    ModuleTable(),
    // An unknown chip, a gyroscope of another chip, and a barometer of an unknown kind.
    ModuleTable([
      .accelerometer: ModuleInfo(implementation: 9, revision: 0xff),
      .gyroscope: ModuleInfo(implementation: 1, revision: 0),
      .barometer: ModuleInfo(implementation: 7, revision: 0),
      .dataProcessor: ModuleInfo(implementation: 0, revision: 1),
    ]),
    // The first firmware for the BMI160; it has no packed registers.
    table(accelerometer: (1, 0), gyroscope: (0, 0), processor: 0),
  ]

  private static func table(
    accelerometer: (UInt8, UInt8), gyroscope: (UInt8, UInt8)?, processor: UInt8 = 3
  ) -> ModuleTable {
    var table = ModuleTable([
      .accelerometer: ModuleInfo(implementation: accelerometer.0, revision: accelerometer.1),
      .dataProcessor: ModuleInfo(implementation: 0, revision: processor, extra: [28]),
      .temperature: ModuleInfo(implementation: 1, revision: 0, extra: [0, 3, 1, 2]),
    ])
    if let gyroscope {
      table[.gyroscope] = ModuleInfo(implementation: gyroscope.0, revision: gyroscope.1)
    }
    table[.gpio] = ModuleInfo(implementation: 0, revision: 2, extra: [3, 1])
    let others: [(ModuleID, UInt8)] = [
      (.switch, 0), (.led, 1), (.event, 0), (.logging, 3), (.timer, 0), (.settings, 10),
      (.barometer, 0), (.ambientLight, 0), (.magnetometer, 2), (.humidity, 0), (.colour, 0),
      (.sensorFusion, 3),
      (.debug, 6),
    ]
    for (module, revision) in others {
      table[module] = ModuleInfo(implementation: 0, revision: revision)
    }
    return table
  }
}
