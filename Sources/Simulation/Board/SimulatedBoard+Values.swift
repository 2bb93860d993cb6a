import MetaWearProtocol

/// The values that a simulated board offers to its processors, triggers and events.
extension SimulatedBoard {
  /// Returns the length of a register's value in bytes; `nil` if the value cannot be a source.
  /// Packed samples, for example, would not fit in a packet with a processor's header.
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
    // The value has as many bytes as were requested, but at most 10.
    case (.serialBus, 0x01, true), (.serialBus, 0x02, true): return 10
    default: break
    }
    guard source.index == SignalSource.noIndex,
      let signal = Signal.allCases.first(where: { signal in
        guard let place = signal.place(on: model.modules) else { return false }
        return place.module == module && place.register == register
          && (isPolled ? place.canRead : place.canNotify)
      }), absence(of: signal) == nil
    else { return nil }
    return Self.length(of: signal)
  }

  /// Returns the length of a signal's value in bytes; `nil` if the signal is not a measurement.
  private static func length(of signal: Signal) -> Int? {
    switch signal {
    case .switch, .lowHigh, .motion, .tap, .orientation, .flat, .movement, .shake, .stepDetector,
      .activity, .wrist, .magneticThreshold, .powerStatus, .chargeStatus:
      1
    case .stepCounter, .dieTemperature, .proximity: 2
    case .battery, .fusionCalibrationState: 3
    case .pressure, .altitude, .humidity, .illuminance: 4
    case .acceleration, .angularVelocity, .magneticField: 6
    case .color: 8
    case .gravity, .linearAcceleration: 12
    case .correctedAcceleration, .correctedAngularVelocity, .correctedMagneticField: 13
    case .quaternion, .euler: 16
    default: nil
    }
  }

  /// Returns whether an object may be created now: the board must have replied to the previous
  /// creation command.
  ///
  /// Creation takes some time. If a client sends several creation commands without waiting for the
  /// replies, the board loses all but one.
  mutating func canCreate(_ bytes: [UInt8]) -> Bool {
    // Commands from macros and events need not wait for the reply to the previous creation command.
    guard macroDepth == 0, state.eventDepth == 0, hasUnansweredCreation else { return true }
    complain("another object is being created; wait for the reply", bytes)
    return false
  }

  private var hasUnansweredCreation: Bool {
    let makers: Set<UInt8> = [0x09, 0x0a, 0x0b, 0x0c, 0x0f]
    return outbox.contains {
      $0.bytes.count == 3 && $0.bytes[1] == 0x02 && makers.contains($0.bytes[0])
    }
  }
}
