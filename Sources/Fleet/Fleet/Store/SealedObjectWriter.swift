internal import Coding
internal import LinuxSystem
internal import UploadProtocol
internal import Values

/// Writes a session's object to an unnamed file.
struct SealedObjectWriter: ~Copyable {
  /// The index entries of the data written so far.
  private(set) var entries: [SealedObject.Entry] = []
  let file: UnnamedFile
  private var hash = SHA256.Running()

  init() throws(SystemError) {
    file = try UnnamedFile()
  }

  mutating func add(
    _ chunks: [(part: ChunkBatch.Part, hash: [UInt8])]
  ) throws(SystemError) {
    var end = file.count
    for (part, hash) in chunks {
      let length = part.bytes.count
      end += ChunkBatch.size(ofChunks: CollectionOfOne(length))
      entries.append(
        SealedObject.Entry(
          id: part.id, kind: .chunk, offset: end - length, length: length, hash: hash))
    }
    try append(ChunkBatch.body(of: chunks.map(\.part)))
  }

  /// Adds the session record or a piece of the track.
  mutating func add(
    _ kind: SealedObject.Kind, of session: UniqueID, _ bytes: [UInt8]
  ) throws(SystemError) {
    entries.append(
      SealedObject.Entry(
        id: session, kind: kind, offset: file.count, length: bytes.count,
        hash: SHA256.hash(of: bytes)))
    try append(bytes)
  }

  /// Writes the index and the footer, and returns the whole object's hash.
  consuming func end() throws(SystemError) -> [UInt8] {
    let index = SealedObject.bytes(of: entries)
    let footer = SealedObject.Footer(
      entries: entries.count, indexOffset: file.count, indexHash: SHA256.hash(of: index),
      size: file.count + index.count + SealedObject.footerSize)
    try append(index)
    try append(SealedObject.bytes(of: footer))
    return hash.end()
  }

  private mutating func append(_ bytes: [UInt8]) throws(SystemError) {
    hash.add(bytes)
    try file.append(bytes)
  }
}
