import MetaWearProtocol

/// Sends a simulated board's values, either on request or to subscribers.
extension SimulatedBoard {
  mutating func obey(_ request: SignalRequest) {
    guard let place = request.signal.place(on: model.modules) else { return }
    if let reason = absence(of: request.signal) {
      complain(reason)
      return
    }
    let source = BoardSource(
      module: place.module.rawValue, register: place.register, index: SignalSource.noIndex)
    switch request.kind {
    case .subscribe:
      complainAboutFusion(using: place.module, beside: request.signal)
      state.subscriptions.insert(source)
    case .unsubscribe: state.subscriptions.remove(source)
    case .read, .readSilently:
      guard let value = value(of: request.signal) else { return }
      // A client records steps by reading the step count, so the value counts as a sample.
      answer(request.command.header, value, isSample: request.signal == .stepCounter)
    }
  }

  /// Answers a read over the link. If the read was silent, passes the value only to consumers on
  /// the board.
  ///
  /// In a packet, the index precedes the value. Consumers on the board know the index from their
  /// source.
  mutating func answer(
    _ header: PacketHeader, index: UInt8? = nil, _ value: [UInt8], isSample: Bool = false
  ) {
    if !header.isSilent {
      send(
        [header.moduleCode, header.registerByte] + (index.map { [$0] } ?? []) + value,
        sampleCount: isSample || Self.answersWithSample(header) ? 1 : 0)
    }
    process(
      BoardValue(bytes: value, sampleCount: 0),
      from: BoardSource(
        module: header.moduleCode, register: header.registerByte,
        index: index ?? SignalSource.noIndex))
  }

  /// Returns whether the reply to a read is a sample, as it is for sensors that send values only on
  /// request.
  private static func answersWithSample(_ header: PacketHeader) -> Bool {
    switch (header.module, header.register) {
    case (.temperature, 0x01), (.humidity, 0x01), (.colour, 0x01), (.proximity, 0x01),
      (.gpio, 0x06), (.gpio, 0x07):
      true
    default: false
    }
  }

  /// Sends a value that was not requested: over the link if a client has subscribed to it, and to
  /// consumers on the board.
  mutating func tell(_ signal: Signal, _ value: [UInt8], sampleCount: Int = 0) {
    guard let place = signal.place(on: model.modules) else { return }
    let source = BoardSource(
      module: place.module.rawValue, register: place.register, index: SignalSource.noIndex)
    if state.subscriptions.contains(source) {
      send([source.module, source.register] + value, sampleCount: sampleCount)
    }
    process(BoardValue(bytes: value, sampleCount: sampleCount), from: source)
  }

  /// Sends three samples in one packet. Only the host can use them, because a processor's header
  /// would not fit into the packet.
  mutating func tellPacked(_ signal: Signal, _ samples: [UInt8]) {
    if isSubscribed(signal), let place = signal.place(on: model.modules) {
      send([place.module.rawValue, place.register] + samples, sampleCount: 3)
    }
  }

  func isSubscribed(_ signal: Signal) -> Bool {
    guard let place = signal.place(on: model.modules) else { return false }
    return state.subscriptions.contains(
      BoardSource(
        module: place.module.rawValue, register: place.register, index: SignalSource.noIndex))
  }

  /// Returns the reason why this board does not have a signal that other boards have; `nil` if it
  /// has the signal.
  func absence(of signal: Signal) -> String? {
    let needed: (module: ModuleID, revision: UInt8)? =
      switch signal {
      case .magneticFieldPacked: (.magnetometer, 1)
      case .connectionParameters: (.settings, 1)
      case .mac: (.settings, 2)
      case .battery: (.settings, 3)
      case .powerStatus, .chargeStatus: (.settings, 5)
      case .fusionCalibrationState: (.sensorFusion, 1)
      case .accelerometerCalibration, .gyroscopeCalibration, .magnetometerCalibration:
        (.sensorFusion, 2)
      default: nil
      }
    if let needed, !model.modules.has(needed.module, revision: needed.revision) {
      return "\(signal) needs revision \(needed.revision) of module \(needed.module)"
    }
    switch signal {
    case .powerStatus where !hasSettingsFeature(0): return "this board does not report its power"
    case .chargeStatus where !hasSettingsFeature(1): return "this board does not report its charger"
    case .flashStatistics where !model.hasLogCache: return "this board has no NAND flash"
    default: return nil
    }
  }

  /// Returns the current value of a readable signal, or `nil` if it has none.
  private mutating func value(of signal: Signal) -> [UInt8]? {
    switch signal {
    case .switch: [state.switchIsPressed ? 1 : 0]
    case .accelerometerConfiguration: configuration(of: .accelerometer)
    case .gyroscopeConfiguration: configuration(of: .gyroscope)
    case .stepCounter: state.features?.steps?.littleEndianBytes
    case .dieTemperature: dieTemperature()
    case .pressure, .altitude: barometerValue(signal)
    case .humidity: humidityValue()
    case .color: colourValue()
    case .proximity: proximityValue()
    case .fusionConfiguration, .fusionCalibrationState, .accelerometerCalibration,
      .gyroscopeCalibration, .magnetometerCalibration:
      fusionValue(signal)
    case .name, .advertising, .sentPower, .scanResponse, .connectionParameters, .mac, .battery,
      .powerStatus, .chargeStatus:
      settingsValue(signal)
    case .debugKey, .stackOverflow, .scheduleQueue, .resetReason, .flashStatistics:
      debugValue(signal)
    default: nil
    }
  }
}
