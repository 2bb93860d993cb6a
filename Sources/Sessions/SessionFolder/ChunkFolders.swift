internal import Recording
internal import Values

/// A digest of a folder's chunk files, which shows what other programs add or delete. Names are
/// read again only if their folder changed.
struct ChunkFolders {
  private struct Names {
    var stamp: FileStamp?
    /// Digest of all ids, independent of their order.
    var digest: UInt64 = 0

    mutating func toggle(_ id: UniqueID) { digest ^= id.high &* 0x9e37_79b9_7f4a_7c15 ^ id.low }
  }

  private var folders: [String: Names] = [:]

  /// Notes a chunk that this program has stored.
  mutating func note(_ id: UniqueID) {
    folders[FolderLayout.chunkFolderName(id), default: Names()].toggle(id)
  }

  /// Whether chunks were added or deleted without `note` since the last call.
  mutating func haveChanged(in reader: FolderReader) throws(StoreError) -> Bool {
    var found: [String: Names] = [:]
    for folder in try reader.chunkFolders() {
      // Before the names, so that it does not vouch for a name added in between.
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
