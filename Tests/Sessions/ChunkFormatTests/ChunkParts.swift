@testable import ChunkFormat

/// A chunk's bytes taken apart, so that a test can change a part and put right all checksums.
struct ChunkParts {
  struct Part {
    var tag: [UInt8]
    /// What a section of version 1 or 2 says of itself besides.
    var index: UInt8 = 0
    var layout: UInt8 = 0
    var compression: UInt8 = 0
    var rawLength: UInt32 = 0
    var stored: [UInt8]

    var name: String { String(decoding: tag, as: UTF8.self) }
  }

  var version: UInt8
  var sections: [Part] = []

  init(_ bytes: [UInt8]) {
    func word(_ offset: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[offset + $1]) << UInt32(8 * $1) }
    }
    version = bytes[8]
    var offset = 16
    let isPacked = version < 3
    while offset < bytes.count - (isPacked ? 8 : 32) {
      var part = Part(tag: Array(bytes[offset..<offset + 4]), stored: [])
      var length = word(offset + 4)
      if isPacked {
        (part.index, part.layout) = (bytes[offset + 4], bytes[offset + 5])
        (part.compression, part.rawLength) = (bytes[offset + 6], word(offset + 8))
        length = word(offset + 12)
      }
      offset += isPacked ? 20 : 12
      part.stored = Array(bytes[offset..<offset + Int(length)])
      sections.append(part)
      offset += Int(length)
    }
  }

  /// Where the section with this tag stands.
  func place(_ name: String) -> Int { sections.firstIndex { $0.name == name } ?? -1 }

  /// The parts as a chunk whose checksums all hold.
  var bytes: [UInt8] {
    var body: [UInt8] = []
    for part in sections {
      body += part.tag
      if version < 3 {
        body += [part.index, part.layout, part.compression, 0]
        body.append(littleEndian: part.rawLength)
        body.append(littleEndian: UInt32(part.stored.count))
        body.append(littleEndian: CRC32C.of(part.stored.span))
      } else {
        body.append(littleEndian: UInt32(part.stored.count))
        body.append(littleEndian: CRC32.of(part.stored.span))
      }
      body += part.stored
    }
    var bytes = ChunkLayout.magic
    bytes.append(littleEndian: UInt16(version))
    bytes.append(littleEndian: UInt16(sections.count))
    bytes.append(littleEndian: UInt32(16 + body.count + (version < 3 ? 8 : 32)))
    bytes += body
    return bytes + ChunkFrame.footer(of: bytes.span, version: UInt16(version))
  }

  /// Changes one byte or one length somewhere.
  mutating func spoil(using generator: inout some RandomNumberGenerator) {
    let section = sections.indices.randomElement(using: &generator) ?? 0
    let byte = UInt8.random(in: .min ... .max, using: &generator)
    switch Int.random(in: 0..<10, using: &generator) {
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
