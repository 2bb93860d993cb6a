@testable import ChunkFormat

/// A chunk's bytes taken apart, so that a test can change a part and put right all checksums.
struct ChunkParts {
  struct Part {
    var tag: [UInt8]
    var index: UInt8
    var layout: UInt8
    var compression: UInt8
    var rawLength: UInt32
    var stored: [UInt8]
  }

  var version: UInt8
  var sections: [Part] = []

  init(_ bytes: [UInt8]) {
    func word(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }
    version = bytes[8]
    var offset = 16
    while offset < bytes.count - 8 {
      let end = offset + 20 + Int(word(offset + 12))
      sections.append(
        Part(
          tag: Array(bytes[offset..<offset + 4]), index: bytes[offset + 4],
          layout: bytes[offset + 5], compression: bytes[offset + 6], rawLength: word(offset + 8),
          stored: Array(bytes[offset + 20..<end])))
      offset = end
    }
  }

  /// The parts as a chunk whose checksums all hold.
  var bytes: [UInt8] {
    var body: [UInt8] = []
    for part in sections {
      body += part.tag + [part.index, part.layout, part.compression, 0]
      body.append(littleEndian: part.rawLength)
      body.append(littleEndian: UInt32(part.stored.count))
      body.append(littleEndian: CRC32C.of(part.stored.span))
      body += part.stored
    }
    var bytes = ChunkLayout.magic
    bytes.append(littleEndian: UInt16(version))
    bytes.append(littleEndian: UInt16(sections.count))
    bytes.append(littleEndian: UInt32(16 + body.count + 8))
    bytes += body
    bytes.append(littleEndian: CRC64.of(bytes.span))
    return bytes
  }

  /// Changes one byte or one length somewhere.
  mutating func spoil(using generator: inout some RandomNumberGenerator) {
    let section = sections.indices.randomElement(using: &generator) ?? 0
    let byte = UInt8.random(in: .min ... .max, using: &generator)
    switch Int.random(in: 0..<8, using: &generator) {
    case 0: sections[section].layout = byte & 3
    case 1: sections[section].compression = byte & 3
    case 2: sections[section].rawLength = .random(in: .min ... .max, using: &generator)
    case 3: sections[section].stored.append(byte)
    case 4 where !sections[section].stored.isEmpty: sections[section].stored.removeLast()
    default:
      guard let place = sections[section].stored.indices.randomElement(using: &generator) else {
        return
      }
      sections[section].stored[place] = byte
    }
  }
}
