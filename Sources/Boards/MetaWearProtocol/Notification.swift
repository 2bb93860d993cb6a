internal import Recording
public import Values

/// A notification that does not belong to a recorded stream: a response, an id or a reading.
///
/// Streams are decoded by `StreamDecoder`, which does not allocate.
public enum Notification: Hashable, Sendable {
  /// A module reported its description. The description is `nil` if the response had only two
  /// bytes, which means that the module is missing.
  case moduleInfo(ModuleID, ModuleInfo?)
  /// The board reported a reading of its clock.
  case timeReference(TimeReference)
  case battery(Battery)
  /// The board reported which connection parameters it prefers.
  case connectionParameters(ConnectionParameters)
  /// The board reported the name that it advertises.
  case name(String)
  /// The board created a processor, event, trigger, timer or macro.
  case created(ModuleID, id: UInt8)
  /// The board reported the rate and range of a motion sensor.
  case configuration(ModuleID, SensorConfiguration)
  /// A motion sensor or the magnetometer sent one sample.
  case sample(ModuleID, Vector)
  /// A motion sensor or the magnetometer sent three samples, oldest first.
  case packedSamples(ModuleID, Vector, Vector, Vector)
  /// A data processor sent its output. The meaning of the bytes depends on the processor's function
  /// and source.
  case processorOutput(id: UInt8, [UInt8])
  /// A thermometer's value, with `Temperature.countsPerDegree` counts per degree Celsius.
  case temperature(channel: UInt8, counts: Int16)
  case switchState(isPressed: Bool)
  /// The accelerometer detected motion, taps, an orientation or steps.
  case accelerometerEvent(AccelerometerEvent)
  /// Air pressure, with `Barometer.countsPerPascal` counts per pascal.
  case pressure(counts: UInt32)
  /// Altitude, with `Barometer.countsPerMetre` counts per metre.
  case altitude(counts: Int32)
  /// Relative humidity, with `Humidity.countsPerPercent` counts per percent.
  case humidity(counts: UInt32)
  case illuminance(milliLux: UInt32)
  case colour(ColourSensor.Reading)
  /// Light reflected from a nearby surface, in raw counts.
  case proximity(UInt16)
  case pin(GPIO.Reading)
  /// Bytes read from an I²C or SPI device.
  case busData(id: UInt8, [UInt8])
  /// Sensor fusion sent one sample of an output.
  case fusion(SensorFusion.Output)
  /// The board reported the settings of sensor fusion.
  case fusionConfiguration(SensorFusion.Configuration)
  case calibrationState(SensorFusion.CalibrationState)
  /// Ten bytes that describe a sensor's calibration. They must be written back unchanged.
  case calibrationData(ModuleID, [UInt8])
  case advertising(Advertising)
  case sentPower(dBm: Int8)
  /// The scan response that the board sends to scanning centrals.
  case scanResponse([UInt8])
  /// The board reported its own address.
  case address(BoardAddress)
  /// Whether external power is connected to the board.
  case power(isPresent: Bool)
  case charge(isCharging: Bool)
  /// The signal that a log trigger records, or `nil` if the trigger does not exist.
  case logTrigger(SignalSource?)
  /// Number of entries in the board's log.
  case logLength(UInt32)
  case logEntries(LogEntry, LogEntry?)
  /// Number of log entries that the board has yet to send.
  case logProgress(entriesLeft: UInt32)
  case logPageComplete
  case processorState(id: UInt8, [UInt8])
  /// A processor's source and function. The function is `nil` if it is unknown or the processor
  /// does not exist.
  case processorDescription(SignalSource, ProcessorFunction?)
  case timerFired(id: UInt8)
  /// The magnetic field crossed the threshold. The value contains Bosch's flag bits.
  case magneticThreshold(UInt8)
  /// The board reported the number stored by `Debug.setKey`.
  case debugKey(UInt32)
  /// Whether a stack overflow resets the board, and the number of stack bytes that were never used.
  case stack(isAsserting: Bool, free: UInt16)
  /// Firmware statistics of the kind identified by this register of the debug module.
  case diagnosis(register: UInt8, [UInt8])
  /// A packet of an unknown kind: its header, and the bytes after the header.
  case other(PacketHeader, [UInt8])

  /// The board's modules determine what its registers mean.
  public init(decoding packet: Span<UInt8>, from modules: ModuleTable) throws(DecodeError) {
    let header = try PacketHeader(decoding: packet)
    // Old firmware responds even to silent reads. The silent flag has no meaning without the read
    // flag.
    guard let module = header.module, header.isRead || !header.isSilent else {
      self = .other(header, packet.bytes(from: 2))
      return
    }
    if header.register == 0, header.isRead {
      self = .moduleInfo(module, try ModuleInfo(decoding: packet))
    } else if let known = try Self.known(packet, header, module, modules) {
      self = known
    } else {
      self = .other(header, packet.bytes(from: 2))
    }
  }

  private static func known(
    _ packet: Span<UInt8>, _ header: PacketHeader, _ module: ModuleID, _ modules: ModuleTable
  ) throws(DecodeError) -> Notification? {
    switch module {
    case .switch:
      guard header.register == 0x01 else { return nil }
      return .switchState(isPressed: try packet.byte(at: 2) != 0)
    case .accelerometer:
      guard let sensor = modules.accelerometer else { return nil }
      if let event = try AccelerometerEvent(decoding: packet, header, from: sensor) {
        return .accelerometerEvent(event)
      }
      return try motion(packet, header, of: sensor)
    case .gyroscope:
      guard let sensor = modules.gyroscope else { return nil }
      return try motion(packet, header, of: sensor)
    case .gpio: return try GPIO.Reading(decoding: packet, header).map { .pin($0) }
    case .dataProcessor, .event, .timer, .macro:
      return try resource(packet, header, module)
    case .logging: return try logging(packet, header)
    case .settings: return try settings(packet, header)
    case .sensorFusion: return try fusion(packet, header)
    case .debug: return try debug(packet, header)
    case .serialBus:
      guard (0x01...0x02).contains(header.register) else { return nil }
      return .busData(id: try packet.byte(at: 2), packet.bytes(from: 3))
    case .temperature, .barometer, .ambientLight, .magnetometer, .humidity, .colour, .proximity:
      return try environment(packet, header, module)
    case .led, .neoPixel, .iBeacon, .haptic, .notificationCentre, .conductance: return nil
    }
  }

  private static func motion(
    _ packet: Span<UInt8>, _ header: PacketHeader, of sensor: some MotionSensor
  ) throws(DecodeError) -> Notification? {
    if header == PacketHeader(sensor.module, 0x03, isRead: true) {
      return .configuration(sensor.module, try sensor.configuration(decoding: packet))
    }
    guard !header.isRead else { return nil }
    if header.register == sensor.sampleRegister { return try sample(packet, sensor.module) }
    if header.register == sensor.packedRegister { return try packed(packet, sensor.module) }
    return nil
  }

  private static func sample(
    _ packet: Span<UInt8>, _ module: ModuleID
  ) throws(DecodeError) -> Notification {
    try packet.require(2 + Vector.encodedLength)
    return .sample(module, Vector(decoding: packet, at: 2))
  }

  private static func packed(
    _ packet: Span<UInt8>, _ module: ModuleID
  ) throws(DecodeError) -> Notification {
    try packet.require(2 + 3 * Vector.encodedLength)
    return .packedSamples(
      module, Vector(decoding: packet, at: 2), Vector(decoding: packet, at: 8),
      Vector(decoding: packet, at: 14))
  }

  private static func environment(
    _ packet: Span<UInt8>, _ header: PacketHeader, _ module: ModuleID
  ) throws(DecodeError) -> Notification? {
    switch (module, header.register, header.isRead) {
    case (.temperature, 0x01, true):
      try packet.require(5)
      return .temperature(channel: packet[2], counts: packet.int16(at: 3))
    case (.barometer, 0x01, _):
      try packet.require(6)
      return .pressure(counts: packet.uint32(at: 2))
    case (.barometer, 0x02, _):
      try packet.require(6)
      return .altitude(counts: packet.int32(at: 2))
    case (.ambientLight, 0x03, false):
      try packet.require(6)
      return .illuminance(milliLux: packet.uint32(at: 2))
    case (.humidity, 0x01, true):
      try packet.require(6)
      return .humidity(counts: packet.uint32(at: 2))
    case (.colour, 0x01, true): return .colour(try ColourSensor.Reading(decoding: packet))
    case (.proximity, 0x01, true):
      try packet.require(4)
      return .proximity(packet.uint16(at: 2))
    case (.magnetometer, 0x05, false): return try sample(packet, module)
    case (.magnetometer, 0x09, false): return try packed(packet, module)
    case (.magnetometer, 0x08, false): return .magneticThreshold(try packet.byte(at: 2))
    default: return nil
    }
  }

  private static func resource(
    _ packet: Span<UInt8>, _ header: PacketHeader, _ module: ModuleID
  ) throws(DecodeError) -> Notification? {
    switch (module, header.register, header.isRead) {
    case (_, 0x02, false): return .created(module, id: try packet.byte(at: 2))
    case (.timer, 0x06, false): return .timerFired(id: try packet.byte(at: 2))
    case (.dataProcessor, 0x03, false):
      return .processorOutput(id: try packet.byte(at: 2), packet.bytes(from: 3))
    case (.dataProcessor, 0x04, true):
      return .processorState(id: try packet.byte(at: 2), packet.bytes(from: 3))
    case (.dataProcessor, 0x02, true):
      try packet.require(6)
      return .processorDescription(
        SignalSource(packet.bytes(from: 2)), ProcessorFunction(packet.bytes(from: 6)))
    default: return nil
    }
  }

  private static func logging(
    _ packet: Span<UInt8>, _ header: PacketHeader
  ) throws(DecodeError) -> Notification? {
    switch (header.register, header.isRead) {
    case (0x02, false): return .created(.logging, id: try packet.byte(at: 2))
    case (0x02, true):
      // If the trigger does not exist, the response either consists of the header alone or contains
      // ff in place of a module.
      if packet.count == 2 { return .logTrigger(nil) }
      if packet[2] == SignalSource.noIndex { return .logTrigger(nil) }
      try packet.require(6)
      return .logTrigger(SignalSource(packet.bytes(from: 2)))
    case (0x04, true): return .timeReference(try TimeReference(decoding: packet))
    case (0x05, true):
      try packet.require(6)
      return .logLength(packet.uint32(at: 2))
    case (0x07, false):
      let length = LogEntry.encodedLength
      try packet.require(2 + length)
      let first = LogEntry(decoding: packet, at: 2)
      guard packet.count > 2 + length else { return .logEntries(first, nil) }
      try packet.require(2 + 2 * length)
      return .logEntries(first, LogEntry(decoding: packet, at: 2 + length))
    case (0x08, false):
      try packet.require(6)
      return .logProgress(entriesLeft: packet.uint32(at: 2))
    case (0x0d, false): return .logPageComplete
    default: return nil
    }
  }

  private static func settings(
    _ packet: Span<UInt8>, _ header: PacketHeader
  ) throws(DecodeError) -> Notification? {
    switch (header.register, header.isRead) {
    case (0x01, true): return .name(String(decoding: packet.bytes(from: 2), as: UTF8.self))
    case (0x02, true): return .advertising(try Advertising(decoding: packet))
    case (0x03, true): return .sentPower(dBm: Int8(bitPattern: try packet.byte(at: 2)))
    case (0x07, true): return .scanResponse(packet.bytes(from: 2))
    case (0x09, true):
      return .connectionParameters(try ConnectionParameters(decoding: packet))
    case (0x0b, true): return .address(try BoardAddress(decoding: packet))
    case (0x0c, _): return .battery(try Battery(decoding: packet))
    case (0x11, _): return .power(isPresent: try packet.byte(at: 2) != 0)
    case (0x12, _): return .charge(isCharging: try packet.byte(at: 2) != 0)
    default: return nil
    }
  }

  private static func fusion(
    _ packet: Span<UInt8>, _ header: PacketHeader
  ) throws(DecodeError) -> Notification? {
    switch (header.register, header.isRead) {
    case (0x02, true):
      try packet.require(4)
      guard let configuration = SensorFusion.Configuration(packet[2], packet[3]) else {
        let offset = SensorFusion.Mode(rawValue: packet[2]) == nil ? 2 : 3
        throw .unknownCode(packet[offset], at: offset)
      }
      return .fusionConfiguration(configuration)
    case (0x0b, true):
      return .calibrationState(try SensorFusion.CalibrationState(decoding: packet))
    case (0x0c...0x0e, true):
      try packet.require(12)
      return SensorFusion.calibrated(register: header.register).map {
        .calibrationData($0, Array(packet.bytes(from: 2).prefix(10)))
      }
    default: return try SensorFusion.Output(decoding: packet).map { .fusion($0) }
    }
  }

  private static func debug(
    _ packet: Span<UInt8>, _ header: PacketHeader
  ) throws(DecodeError) -> Notification? {
    guard header.isRead else { return nil }
    switch header.register {
    case 0x04:
      try packet.require(6)
      return .debugKey(packet.uint32(at: 2))
    case 0x09:
      try packet.require(5)
      return .stack(isAsserting: packet[2] != 0, free: packet.uint16(at: 3))
    case 0x0a, 0x0b, 0x13:
      return .diagnosis(register: header.register, packet.bytes(from: 2))
    default: return nil
    }
  }
}

extension ModuleInfo {
  /// Decodes `[module, 80, implementation, revision, extra…]`. If the packet contains only two
  /// bytes, the module is absent.
  fileprivate init?(decoding packet: Span<UInt8>) throws(DecodeError) {
    guard packet.count > 2 else { return nil }
    try packet.require(4)
    self.init(
      implementation: packet[2], revision: packet[3], extra: packet.bytes(from: 4))
  }
}
