internal import ChunkFormat
internal import Recording
internal import Values

/// The tails found next to a store, grouped by session. There may be several sessions, since a file
/// that could not be removed may still exist next to the next recorder's files.
struct LeftTails {
  /// The tail of one session, and the files from which it was read.
  struct Tail {
    let session: UniqueID
    fileprivate(set) var content: TailContent
    fileprivate(set) var files: [String]
  }

  /// A file that does not identify its session, and its contents.
  struct Stray {
    let content: TailContent
    let path: String
    /// Whether the file is not empty, but contains nothing readable.
    var isIllegible: Bool { !isOfUse && content.damagedBytes > 0 }
    /// Whether the file contains data. Such data belongs to the open session.
    var isOfUse: Bool {
      !content.fixes.isEmpty || !content.entries.isEmpty || !content.events.isEmpty
    }
  }

  /// The tails, in the order in which they begin.
  private(set) var tails: [Tail] = []
  /// Files that describe no stream. They may contain only fixes that precede the first stream, or
  /// may come from a program other than a recorder.
  private(set) var strays: [Stray] = []

  var isEmpty: Bool { tails.isEmpty && !strays.contains(where: \.isOfUse) }

  /// Reads the tails of the store at `path`. The store's recorder may continue to write in the
  /// meantime.
  init(store path: String) throws(StoreError) {
    // If a recorder removed a file after the folder was read, that recorder has already written
    // another file.
    if try readAll(path) { return }
    _ = try readAll(path)
  }

  /// Reads all tail files. Returns false if a file disappeared in the meantime.
  private mutating func readAll(_ path: String) throws(StoreError) -> Bool {
    tails = []
    strays = []
    for file in TailFiles.existing(store: path) {
      guard let bytes = try TailFiles.readIfThere(file.path) else { return false }
      read(bytes, of: file.path)
    }
    return true
  }

  private mutating func read(_ bytes: [UInt8], of path: String) {
    var alone = TailContent()
    alone.read(bytes)
    // A recorder records only one session, and describes the session's streams in each file.
    guard let session = alone.outlines.first?.session else {
      strays.append(Stray(content: alone, path: path))
      return
    }
    if let known = tails.firstIndex(where: { $0.session == session }) {
      // The file is read after the preceding files, since a chunk may begin in one file and
      // continue in the next.
      tails[known].content.read(bytes)
      tails[known].files.append(path)
    } else {
      tails.append(Tail(session: session, content: alone, files: [path]))
    }
  }
}
