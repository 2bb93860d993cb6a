/// Four ASCII characters that name the content of a section.
struct SectionTag: Hashable, CustomStringConvertible {
  /// Identity of the chunk, its stream and its clock.
  static let header = SectionTag("head")
  /// The measuring range of the sensor, where it is known.
  static let range = SectionTag("rang")
  /// The board's number of each sample.
  static let counters = SectionTag("cntr")
  /// Arrival of each sample's packet.
  static let arrivals = SectionTag("arrv")
  /// The board's clock at each sample, where the stream has it.
  static let ticks = SectionTag("tick")
  /// Raw values of all axes.
  static let axes = SectionTag("axes")
  /// The gaps: missing samples.
  static let gaps = SectionTag("gaps")
  /// The fixes of the chunk's span.
  static let fixes = SectionTag("fixs")

  /// The characters, the first in the lowest byte.
  let value: UInt32

  init(value: UInt32) {
    self.value = value
  }

  private init(_ text: StaticString) {
    var value: UInt32 = 0
    for (position, byte) in text.description.utf8.enumerated() {
      value |= UInt32(byte) << UInt32(8 * position)
    }
    self.value = value
  }

  var description: String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: value >> UInt32(8 * $0)) }
    return String(decoding: bytes, as: UTF8.self)
  }
}
