internal import Glibc

/// The pages of a torn store as they lie in its file, with those that its log has laid over them,
/// for finding what SQLite does not get at any more. What the disk does not give back is read as
/// zeros.
struct PageImage: ~Copyable {
  /// Bytes of a page.
  let pageSize: Int
  /// How many pages there are; the last one may be cut off. They are numbered from 1.
  let count: Int
  private let file: Int32
  /// -1 where there is none, or it is left out.
  private let log: Int32
  /// Where a page stands in the log.
  private var places: [Int: Int] = [:]

  private static let logHeaderSize = 32
  private static let frameHeaderSize = 24

  /// The pages of the store at `path`, if they are of this size; with its log, if there is one, or
  /// without.
  init(path: String, pageSize: Int, withLog: Bool) throws(StoreError) {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw .system("open", path) }
    let log = withLog ? unsafe open(path + "-wal", O_RDONLY | O_CLOEXEC) : -1
    let size = Self.size(of: file)
    let (places, last) = Self.places(in: log, pageSize: pageSize, upTo: size / pageSize)
    self.pageSize = pageSize
    self.file = file
    self.log = log
    self.places = places
    count = max((size + pageSize - 1) / pageSize, last)
  }

  deinit {
    close(file)
    if log >= 0 { close(log) }
  }

  /// The size of pages that a store's header tells; `nil` where it cannot be one.
  static func statedPageSize(of path: String) -> Int? {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return nil }
    defer { close(file) }
    let header = read(file, at: 16, count: 2)
    let size = Int(header[0]) << 8 | Int(header[1])
    // What does not fit in two bytes is written as 1.
    if size == 1 { return 65_536 }
    return size >= 512 && size & (size - 1) == 0 ? size : nil
  }

  /// All bytes of a page, with zeros for missing ones.
  func read(_ page: Int) -> [UInt8] {
    if let place = places[page] { return Self.read(log, at: place, count: pageSize) }
    return Self.read(file, at: (page - 1) * pageSize, count: pageSize)
  }

  /// Where the newest form of each page stands in a log, and the last of them.
  private static func places(
    in log: Int32, pageSize: Int, upTo pages: Int
  ) -> (places: [Int: Int], last: Int) {
    guard log >= 0 else { return ([:], 0) }
    let frameSize = frameHeaderSize + pageSize
    let frames = max(0, size(of: log) - logHeaderSize) / frameSize
    // Frames of an earlier run through the log have other salts.
    let salts = read(log, at: 16, count: 8)
    var places: [Int: Int] = [:]
    var last = 0
    for frame in 0..<frames {
      let start = logHeaderSize + frame * frameSize
      let header = read(log, at: start, count: 16)
      let page = Int(header.bigEndian(at: 0))
      guard page > 0, page <= pages + frames, header[8...] == salts[...] else { continue }
      places[page] = start + frameHeaderSize
      last = max(last, page)
    }
    return (places, last)
  }

  private static func size(of file: Int32) -> Int {
    var status = stat()
    return unsafe fstat(file, &status) == 0 ? Int(status.st_size) : 0
  }

  private static func read(_ file: Int32, at place: Int, count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe pread(file, bytes.baseAddress?.advanced(by: done), count - done, place + done)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { break }
      done += got
    }
    return bytes
  }
}

extension [UInt8] {
  /// The four bytes from `place` on, the highest first, as SQLite writes its numbers.
  func bigEndian(at place: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 << 8 | UInt32(self[place + $1]) }
  }
}
