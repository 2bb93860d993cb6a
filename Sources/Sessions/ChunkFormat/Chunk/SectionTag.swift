/// Four ASCII characters that name the content of a section.
struct SectionTag: Hashable, CustomStringConvertible {
  /// The identity of the chunk, its stream and its clock.
  static let header = SectionTag("head")
  /// The sensor's measuring range, if known.
  static let range = SectionTag("rang")
  /// The board's counter at each sample.
  static let counters = SectionTag("cntr")
  /// The arrival time of each sample's packet.
  static let arrivals = SectionTag("arrv")
  /// The board's clock at each sample, if the stream contains it.
  static let ticks = SectionTag("tick")
  /// Raw sample values, one column per axis.
  static let axes = SectionTag("axes")
  static let gaps = SectionTag("gaps")
  /// The fixes from the chunk's time span.
  static let fixes = SectionTag("fixs")

  /// The four characters, the first in the lowest byte.
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
