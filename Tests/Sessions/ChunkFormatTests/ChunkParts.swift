import Values
import Coding

@testable import ChunkFormat

/// The bytes of a chunk, split into parts, so that a test can change one part and recompute all
/// checksums.
struct ChunkParts {
  struct Part {
    var tag: [UInt8]
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
    while offset < bytes.count - 32 {
      var part = Part(tag: Array(bytes[offset..<offset + 4]), stored: [])
      let length = word(offset + 4)
      offset += 12
      part.stored = Array(bytes[offset..<offset + Int(length)])
      sections.append(part)
      offset += Int(length)
    }
  }

  /// Returns the index of the section with this tag, or -1 if there is none.
  func place(_ name: String) -> Int { sections.firstIndex { $0.name == name } ?? -1 }

  /// The bytes of a chunk with these parts and valid checksums.
  var bytes: [UInt8] {
    var body: [UInt8] = []
    for part in sections {
      body += part.tag
      body.append(littleEndian: UInt32(part.stored.count))
      body.append(littleEndian: CRC32.of(part.stored.span))
      body += part.stored
    }
    var bytes = ChunkLayout.magic
    bytes.append(littleEndian: UInt16(version))
    bytes.append(littleEndian: UInt16(sections.count))
    bytes.append(littleEndian: UInt32(16 + body.count + 32))
    bytes += body
    return bytes + BLAKE2b.hash(of: bytes.span)
  }

  /// Changes one byte or one length at random.
  mutating func spoil(using generator: inout some RandomNumberGenerator) {
    let section = sections.indices.randomElement(using: &generator) ?? 0
    let byte = UInt8.random(in: .min ... .max, using: &generator)
    switch Int.random(in: 0..<7, using: &generator) {
    case 0: sections[section].stored.append(byte)
    case 1 where !sections[section].stored.isEmpty: sections[section].stored.removeLast()
    default:
      guard let place = sections[section].stored.indices.randomElement(using: &generator) else {
        return
      }
      sections[section].stored[place] = byte
    }
  }
}
