internal import Recording
internal import Values

/// Detects chunks added or deleted by other programs, using a digest of the names in each chunk
/// folder. Names are read again only if their folder has changed.
struct ChunkFolders {
  private struct Names {
    var stamp: FileStamp?
    /// Digest of the identifiers of all chunks in the folder, independent of their order.
    var digest: UInt64 = 0

    mutating func toggle(_ id: UniqueID) { digest ^= id.high &* 0x9e37_79b9_7f4a_7c15 ^ id.low }
  }

  private var folders: [String: Names] = [:]

  /// Adds a chunk that this program has stored.
  mutating func note(_ id: UniqueID) {
    folders[FolderLayout.chunkFolderName(id), default: Names()].toggle(id)
  }

  /// Whether other programs have added or deleted chunks since the last call.
  mutating func haveChanged(in reader: FolderReader) throws(StoreError) -> Bool {
    var found: [String: Names] = [:]
    for folder in try reader.chunkFolders() {
      // The stamp is taken before the names are read, so that it does not cover a name that is
      // added in the meantime.
      let stamp = reader.stamp(ofChunkFolder: folder)
      if let known = folders[folder], let stamp, known.stamp == stamp {
        found[folder] = known
      } else {
        var names = Names(stamp: stamp)
        for id in try reader.chunkIDs(in: folder) { names.toggle(id) }
        found[folder] = names
      }
    }
    let former = folders
    folders = found
    return Set(former.keys).union(found.keys).contains { folder in
      former[folder]?.digest ?? 0 != found[folder]?.digest ?? 0
    }
  }
}
