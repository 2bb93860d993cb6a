/// A decoder for comparison, written the way most libraries decode packets. For each sample, it
/// allocates an object and a list of values, and passes the object to a handler.
final class NaiveDecoder {
  final class Sample {
    let number: UInt32
    let values: [Int32]

    init(number: UInt32, values: [Int32]) {
      self.number = number
      self.values = values
    }
  }

  enum Failure: Error {
    case otherPacket
    case truncated
  }

  private let header: [UInt8]
  private let samplesPerPacket: Int
  private var nextNumber: UInt32 = 0
  private let handler: (Sample) -> Void

  init(header: [UInt8], samplesPerPacket: Int, handler: @escaping (Sample) -> Void) {
    self.header = header
    self.samplesPerPacket = samplesPerPacket
    self.handler = handler
  }

  func decode(_ packet: ArraySlice<UInt8>) throws {
    guard packet.starts(with: header) else { throw Failure.otherPacket }
    guard packet.count >= header.count + 6 * samplesPerPacket else { throw Failure.truncated }
    for index in 0..<samplesPerPacket {
      let start = packet.startIndex + header.count + 6 * index
      let values = (0..<3).map { axis in
        Int32(Int16(packet[start + 2 * axis]) | Int16(packet[start + 2 * axis + 1]) << 8)
      }
      handler(Sample(number: nextNumber, values: values))
      nextNumber &+= 1
    }
  }
}
