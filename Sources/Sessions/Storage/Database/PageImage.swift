internal import Glibc
internal import LinuxSystem
internal import Recording

/// Reads the pages of a torn store. A page is read from the log if the log contains it, and
/// otherwise from the file. The pages reveal data that SQLite can no longer reach. Unreadable bytes
/// are replaced with zeros.
struct PageImage: ~Copyable {
  /// Bytes per page.
  let pageSize: Int
  /// Number of pages. They are numbered from 1, and the last page may be truncated.
  let count: Int
  private let file: OwnedDescriptor
  /// The write-ahead log; `nil` if it does not exist or is ignored.
  private let log: OwnedDescriptor?
  /// Offset of each page's newest version in the log.
  private var places: [Int: Int] = [:]

  private static let logHeaderSize = 32
  private static let frameHeaderSize = 24

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

  /// Reads the page size from a store's header; `nil` if it is invalid.
  static func statedPageSize(of path: String) -> Int? {
    guard let file = try? OwnedDescriptor.open(path, flags: O_RDONLY) else { return nil }
    let header = file.read(at: 16, count: 2)
    let size = Int(header[0]) << 8 | Int(header[1])
    // 65,536 does not fit in two bytes and is stored as 1.
    if size == 1 { return 65_536 }
    return size >= 512 && size & (size - 1) == 0 ? size : nil
  }

  /// Returns all bytes of a page, with zeros in place of unreadable bytes.
  func read(_ page: Int) -> [UInt8] {
    if let place = places[page], let bytes = log?.read(at: place, count: pageSize) { return bytes }
    return file.read(at: (page - 1) * pageSize, count: pageSize)
  }

  /// Returns the offset of each page's newest version in a log, and the highest page number in the
  /// log.
  private static func places(
    in log: borrowing OwnedDescriptor?, of size: Int, pageSize: Int, upTo pages: Int
  ) -> (places: [Int: Int], last: Int) {
    // Frames that remain from an earlier cycle of the log have different salts.
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
  /// Decodes the four bytes at `place` as a number, most significant byte first, as in SQLite's
  /// file format.
  func bigEndian(at place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(self[place + $1]) }
  }
}
