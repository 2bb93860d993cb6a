import MetaWearProtocol

/// The values a simulated board has for its processors, triggers and events.
extension SimulatedBoard {
  /// Bytes of the value a register gives; `nil` if it gives none that anything can be put on, such
  /// as packed samples, which leave no room in a packet for anything more.
  func valueLength(of source: BoardSource) -> Int? {
    guard let module = ModuleID(rawValue: source.module), let info = model.modules[module] else {
      return nil
    }
    let isPolled = source.register & 0x80 != 0
    let register = source.register & 0x3f
    switch (module, register, isPolled) {
    case (.dataProcessor, 0x03, false): return state.processors[source.index]?.outputLength
    case (.dataProcessor, 0x04, true): return state.processors[source.index]?.stateBytes.count
    case (.temperature, 0x01, true): return Int(source.index) < info.extra.count ? 2 : nil
    case (.gpio, 0x06, true), (.gpio, 0x07, true):
      return Int(source.index) < info.extra.count ? 2 : nil
    case (.gpio, 0x08, true), (.gpio, 0x0a, false):
      return Int(source.index) < info.extra.count ? 1 : nil
    // As many bytes as were asked for, at most 10.
    case (.serialBus, 0x01, true), (.serialBus, 0x02, true): return 10
    default: break
    }
    guard source.index == SignalSource.noIndex else { return nil }
    switch (module, register, isPolled) {
    case (.accelerometer, _, _): return accelerationLength(register, isPolled: isPolled)
    case (.gyroscope, model.modules.gyroscope?.sampleRegister, false),
      (.magnetometer, 0x05, false):
      return 6
    case (.switch, 0x01, _), (.settings, 0x11, _), (.settings, 0x12, _): return 1
    case (.settings, 0x0c, _): return 3
    case (.barometer, 0x01, _), (.barometer, 0x02, _), (.ambientLight, 0x03, false),
      (.humidity, 0x01, true):
      return 4
    case (.colour, 0x01, true): return 8
    case (.proximity, 0x01, true): return 2
    case (.sensorFusion, 0x04...0x06, false): return 13
    case (.sensorFusion, 0x07...0x08, false): return 16
    case (.sensorFusion, 0x09...0x0a, false): return 12
    default: return nil
    }
  }

  private func accelerationLength(_ register: UInt8, isPolled: Bool) -> Int? {
    guard let accelerometer = model.modules.accelerometer else { return nil }
    if register == accelerometer.sampleRegister { return isPolled ? nil : 6 }
    switch (accelerometer.chip, register) {
    case (.bmi160, 0x1a): return isPolled ? 2 : nil
    case (.bmi270, 0x0b): return 2
    case (.bmi160, 0x08), (.bmi160, 0x0b), (.bmi160, 0x0e), (.bmi160, 0x11), (.bmi160, 0x14),
      (.bmi160, 0x19), (.bma255, 0x08), (.bma255, 0x0b), (.bma255, 0x0e), (.bma255, 0x11),
      (.bma255, 0x14), (.bmi270, 0x09), (.bmi270, 0x0a), (.bmi270, 0x0c), (.mma8452q, 0x07),
      (.mma8452q, 0x0a), (.mma8452q, 0x0d), (.mma8452q, 0x10):
      return isPolled ? nil : 1
    default: return nil
    }
  }

  /// Whether something may be made now: the answer to the last such command must have gone out.
  ///
  /// Boards lose all but one of several commands of this kind, since they take a while.
  mutating func canCreate(_ bytes: [UInt8]) -> Bool {
    guard hasUnansweredCreation else { return true }
    complain("something else is being made; wait for its answer", bytes)
    return false
  }

  private var hasUnansweredCreation: Bool {
    let makers: Set<UInt8> = [0x09, 0x0a, 0x0b, 0x0c, 0x0f]
    return outbox.contains {
      $0.bytes.count == 3 && $0.bytes[1] == 0x02 && makers.contains($0.bytes[0])
    }
  }
}
