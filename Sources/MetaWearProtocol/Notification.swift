/// Everything a board says that is not a stream being recorded: replies, ids, readings.
///
/// Streams go through `StreamDecoder`, which allocates nothing.
public enum Notification: Hashable, Sendable {
  /// A module described itself, or said by a two-byte reply that the board has none such.
  case moduleInfo(ModuleID, ModuleInfo?)
  /// The board's clock.
  case timeReference(TimeReference)
  /// State of the battery.
  case battery(Battery)
  /// The link parameters the board prefers.
  case connectionParameters(ConnectionParameters)
  /// The name the board advertises.
  case name(String)
  /// A processor, event, trigger, timer or macro was made.
  case created(ModuleID, id: UInt8)
  /// Rate and range of a motion sensor.
  case configuration(ModuleID, SensorConfiguration)
  /// One sample of a motion sensor.
  case sample(ModuleID, Vector)
  /// Three samples of a motion sensor, oldest first.
  case packedSamples(ModuleID, Vector, Vector, Vector)
  /// Output of a data processor; what the bytes mean is known to whoever made it.
  case processorOutput(id: UInt8, [UInt8])
  /// A thermometer's value in counts of `Temperature.countsPerDegree`.
  case temperature(channel: UInt8, counts: Int16)
  /// The button is pressed or not.
  case switchState(isPressed: Bool)
  /// A packet not known here, with what follows its header.
  case other(PacketHeader, [UInt8])

  /// Reads a notification of a board with these modules; they decide what a register means.
  public init(decoding packet: Span<UInt8>, from modules: ModuleTable) throws(DecodeError) {
    let header = try PacketHeader(decoding: packet)
    guard let module = header.module, !header.isSilent else {
      self = .other(header, packet.bytes(from: 2))
      return
    }
    switch (module, header.register, header.isRead) {
    case (_, 0x00, true):
      self = .moduleInfo(module, try ModuleInfo(decoding: packet))
    case (.switch, 0x01, _):
      try packet.require(3)
      self = .switchState(isPressed: packet[2] != 0)
    case (.temperature, 0x01, true):
      try packet.require(5)
      self = .temperature(channel: packet[2], counts: packet.int16(at: 3))
    case (.dataProcessor, 0x02, false), (.event, 0x02, false), (.logging, 0x02, false),
      (.timer, 0x02, false), (.macro, 0x02, false):
      try packet.require(3)
      self = .created(module, id: packet[2])
    case (.dataProcessor, 0x03, false):
      try packet.require(3)
      self = .processorOutput(id: packet[2], packet.bytes(from: 3))
    case (.logging, 0x04, true):
      self = .timeReference(try TimeReference(decoding: packet))
    case (.settings, 0x01, true):
      self = .name(String(decoding: packet.bytes(from: 2), as: UTF8.self))
    case (.settings, 0x09, true):
      self = .connectionParameters(try ConnectionParameters(decoding: packet))
    case (.settings, 0x0c, _):
      self = .battery(try Battery(decoding: packet))
    case (.accelerometer, _, _):
      self = try Self(decoding: packet, header, from: modules.accelerometer)
    case (.gyroscope, _, _):
      self = try Self(decoding: packet, header, from: modules.gyroscope)
    default:
      self = .other(header, packet.bytes(from: 2))
    }
  }

  private init(
    decoding packet: Span<UInt8>, _ header: PacketHeader, from sensor: (some MotionSensor)?
  ) throws(DecodeError) {
    guard let sensor else {
      self = .other(header, packet.bytes(from: 2))
      return
    }
    if header == PacketHeader(sensor.module, 0x03, isRead: true) {
      self = .configuration(sensor.module, try sensor.configuration(decoding: packet))
    } else if !header.isRead, header.register == sensor.sampleRegister {
      try packet.require(2 + Vector.encodedLength)
      self = .sample(sensor.module, Vector(decoding: packet, at: 2))
    } else if !header.isRead, header.register == sensor.packedRegister {
      try packet.require(2 + 3 * Vector.encodedLength)
      self = .packedSamples(
        sensor.module, Vector(decoding: packet, at: 2), Vector(decoding: packet, at: 8),
        Vector(decoding: packet, at: 14))
    } else {
      self = .other(header, packet.bytes(from: 2))
    }
  }
}

extension ModuleInfo {
  /// Reads `[module, 80, implementation, revision, extra…]`; two bytes alone mean absence.
  fileprivate init?(decoding packet: Span<UInt8>) throws(DecodeError) {
    guard packet.count > 2 else { return nil }
    try packet.require(4)
    self.init(
      implementation: packet[2], revision: packet[3], extra: packet.bytes(from: 4))
  }
}
