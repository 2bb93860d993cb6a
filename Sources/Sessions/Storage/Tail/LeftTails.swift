internal import ChunkFormat
internal import Recording
internal import Values

/// The tails that lie beside a store, put together again: one for each session, since a file that
/// could not be removed may lie there beside those of the next recorder.
struct LeftTails {
  /// The tail of one session, and its files.
  struct Tail {
    let session: UniqueID
    fileprivate(set) var content: TailContent
    fileprivate(set) var files: [String]
  }

  /// What a file holds that does not say to which session it belongs.
  struct Stray {
    let content: TailContent
    let path: String
    /// Whether nothing in it can be read, though it is not empty.
    var isIllegible: Bool { !isOfUse && content.damagedBytes > 0 }
    /// Whether there is something in it for the session that is open.
    var isOfUse: Bool {
      !content.fixes.isEmpty || !content.entries.isEmpty || !content.events.isEmpty
    }
  }

  /// In the order in which they were begun.
  private(set) var tails: [Tail] = []
  /// Fixes may come before the first stream does; and a file may be none of ours.
  private(set) var strays: [Stray] = []

  /// Whether there is nothing to be taken in.
  var isEmpty: Bool { tails.isEmpty && !strays.contains(where: \.isOfUse) }

  /// Reads the tails of the store at `path`, whose recorder may go on meanwhile.
  init(store path: String) throws(StoreError) {
    // A recorder may remove a file between the look at the folder and the look at the file, and
    // then has written another.
    if try readAll(path) { return }
    _ = try readAll(path)
  }

  /// False when a file disappeared meanwhile.
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
      // Behind those before it: a chunk may begin in one file and go on in the next.
      tails[known].content.read(bytes)
      tails[known].files.append(path)
    } else {
      tails.append(Tail(session: session, content: alone, files: [path]))
    }
  }
}
