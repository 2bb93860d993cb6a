internal import Glibc
internal import LinuxSystem
internal import Recording

/// The pages of a torn store, from its file and from its log, which replaces older pages. It is
/// used to find data that SQLite can no longer reach. Bytes that the disk cannot read are zeros.
struct PageImage: ~Copyable {
  /// Bytes of a page.
  let pageSize: Int
  /// Number of pages, counted from 1; the last one may be truncated.
  let count: Int
  private let file: OwnedDescriptor
  /// `nil` if there is no log, or if it is left out.
  private let log: OwnedDescriptor?
  /// Offset of each page in the log.
  private var places: [Int: Int] = [:]

  private static let logHeaderSize = 32
  private static let frameHeaderSize = 24

  /// The pages of the store at `path`, in pages of this size, with or without its log.
  init(path: String, pageSize: Int, withLog: Bool) throws(StoreError) {
    self.pageSize = pageSize
    file = try StoreError.explained("open", path) { () throws(SystemError) in
      try OwnedDescriptor.open(path, flags: O_RDONLY)
    }
    log = withLog ? try? OwnedDescriptor.open(path + "-wal", flags: O_RDONLY) : nil
    let size = StoreFile.size(path)
    let (places, last) = Self.places(
      in: log, of: StoreFile.size(path + "-wal"), pageSize: pageSize, upTo: size / pageSize)
    self.places = places
    count = max((size + pageSize - 1) / pageSize, last)
  }

  /// The page size in a store's header; `nil` if it is invalid.
  static func statedPageSize(of path: String) -> Int? {
    guard let file = try? OwnedDescriptor.open(path, flags: O_RDONLY) else { return nil }
    let header = file.read(at: 16, count: 2)
    let size = Int(header[0]) << 8 | Int(header[1])
    // 65,536 does not fit in two bytes and is written as 1.
    if size == 1 { return 65_536 }
    return size >= 512 && size & (size - 1) == 0 ? size : nil
  }

  /// All bytes of a page, with zeros for missing ones.
  func read(_ page: Int) -> [UInt8] {
    if let place = places[page], let bytes = log?.read(at: place, count: pageSize) { return bytes }
    return file.read(at: (page - 1) * pageSize, count: pageSize)
  }

  /// The offset of the newest version of each page in a log, and the highest page number.
  private static func places(
    in log: borrowing OwnedDescriptor?, of size: Int, pageSize: Int, upTo pages: Int
  ) -> (places: [Int: Int], last: Int) {
    // Frames of an earlier pass through the log have other salts.
    guard let salts = log?.read(at: 16, count: 8) else { return ([:], 0) }
    let frameSize = frameHeaderSize + pageSize
    let frames = max(0, size - logHeaderSize) / frameSize
    var places: [Int: Int] = [:]
    var last = 0
    for frame in 0..<frames {
      let start = logHeaderSize + frame * frameSize
      guard let header = log?.read(at: start, count: 16) else { break }
      let page = Int(header.bigEndian(at: 0))
      guard page > 0, page <= pages + frames, header[8...] == salts[...] else { continue }
      places[page] = start + frameHeaderSize
      last = max(last, page)
    }
    return (places, last)
  }
}

extension [UInt8] {
  /// The four bytes from `place` on, most significant first, as SQLite writes its numbers.
  func bigEndian(at place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(self[place + $1]) }
  }
}
