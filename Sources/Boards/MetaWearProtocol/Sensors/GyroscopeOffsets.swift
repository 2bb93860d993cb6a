/// A command that sets the offsets of the BMI270's gyroscope (module 13, register 06). The offsets
/// are written to the chip's own offset registers.
public struct GyroscopeOffsets: ModuleCommand {
  public let x: UInt8
  public let y: UInt8
  public let z: UInt8

  public init(x: UInt8, y: UInt8, z: UInt8) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Decodes `13 06 x y z`.
  public init?(_ command: Command) {
    let payload = command.payload
    guard command.header == PacketHeader(.gyroscope, 0x06), payload.count == 3 else { return nil }
    self.init(x: payload[0], y: payload[1], z: payload[2])
  }

  public var command: Command { Command(.gyroscope, 0x06, [x, y, z]) }
}
