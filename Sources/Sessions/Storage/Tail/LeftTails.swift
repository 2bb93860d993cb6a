internal import ChunkFormat
internal import Recording
internal import Values

/// The assembled tails beside a store: one for each session, since a file that could not be removed
/// may exist beside the files of the next recorder.
struct LeftTails {
  /// The tail of one session, and its files.
  struct Tail {
    let session: UniqueID
    fileprivate(set) var content: TailContent
    fileprivate(set) var files: [String]
  }

  /// The content of a file that does not name its session.
  struct Stray {
    let content: TailContent
    let path: String
    /// Whether the file is unreadable but not empty.
    var isIllegible: Bool { !isOfUse && content.damagedBytes > 0 }
    /// Whether the file has data of the open session.
    var isOfUse: Bool {
      !content.fixes.isEmpty || !content.entries.isEmpty || !content.events.isEmpty
    }
  }

  /// The tails in the order of their beginning.
  private(set) var tails: [Tail] = []
  /// Files without a stream: fixes may precede the first stream, and a file may not come from a
  /// recorder.
  private(set) var strays: [Stray] = []

  /// Whether there are no data to recover.
  var isEmpty: Bool { tails.isEmpty && !strays.contains(where: \.isOfUse) }

  /// Reads the tails of the store at `path`, whose recorder may continue meanwhile.
  init(store path: String) throws(StoreError) {
    // A recorder may remove a file after the folder was read; it has then written another file.
    if try readAll(path) { return }
    _ = try readAll(path)
  }

  /// Returns false if a file disappeared meanwhile.
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
    // A recorder records one session, and names its streams in each file.
    guard let session = alone.outlines.first?.session else {
      strays.append(Stray(content: alone, path: path))
      return
    }
    if let known = tails.firstIndex(where: { $0.session == session }) {
      // After the files before it: a chunk may begin in one file and continue in the next.
      tails[known].content.read(bytes)
      tails[known].files.append(path)
    } else {
      tails.append(Tail(session: session, content: alone, files: [path]))
    }
  }
}
