internal import ChunkFormat
internal import Recording
internal import SQLite

/// Finds chunks in the pages of a torn store by searching for their bytes.
///
/// A chunk contains its own magic number and length, and its hash shows whether it was assembled
/// correctly. No other part of the file has to be intact. A chunk begins within a row. The bytes
/// that do not fit into the row continue in overflow pages, each of which begins with the number of
/// the next page. If such a number is damaged, the scanner tries the following page, and then pages
/// to which no other page refers.
struct ChunkScanner: ~Copyable {
  /// An undamaged chunk that was found, and its bytes.
  struct Found {
    let chunk: Chunk
    let bytes: [UInt8]
    /// The pages that contain only bytes of this chunk.
    fileprivate let pages: [Int]
  }

  /// The start of a chunk within a page.
  private struct Start {
    let page: Int
    let offset: Int
    /// Number of the magic number's bytes that precede this page, at the end of the row's own page.
    let known: Int
  }

  private let image: PageImage
  /// The first four bytes of each page, as a number. In an overflow page, this is the number of the
  /// next page.
  private var next: [Int] = []
  private var isClaimed: [Bool] = []
  private var starts: [Start] = []
  /// Pages that may contain part of a chunk, but to which no other page refers.
  private var heads: [Int] = []
  /// The number of attempts left to assemble the current chunk. Attempts are limited, since a chunk
  /// that is itself damaged can never be assembled.
  private var attempts = 0
  private var attemptsLeft = 400_000

  /// Size in bytes of the page number at the beginning of an overflow page.
  private static let linkSize = 4
  private static let attemptsForOne = 5_000
  /// Maximum number of `heads` to try. In a file with many free pages, nearly all pages are heads.
  private static let headsTried = 256
  /// Possible total sizes, in bytes, of the columns that precede the chunk in its row.
  private static let columnSizes = 20...80

  /// Number of chunks of which only the start was found.
  var missing: Int { starts.count }

  /// Searches all pages for the starts of chunks. Returns `nil` if `goesOn` stopped the search by
  /// returning false.
  init?(_ image: consuming PageImage, _ goesOn: () -> Bool) {
    self.image = image
    next.reserveCapacity(self.image.count)
    for page in 1...max(1, self.image.count) {
      if page % 4_096 == 0, !goesOn() { return nil }
      let bytes = self.image.read(page)
      next.append(Int(bytes.bigEndian(at: 0)))
      for known in 1..<ChunkSignature.magic.count
      where ChunkSignature.goesOn(bytes, at: Self.linkSize, behind: known) {
        starts.append(Start(page: page, offset: Self.linkSize, known: known))
      }
      var offset = 0
      while let place = bytes[offset...].firstIndex(of: ChunkSignature.magic[0]) {
        if bytes[place...].starts(with: ChunkSignature.magic) {
          starts.append(Start(page: page, offset: place, known: 0))
        }
        offset = place + 1
      }
    }
    isClaimed = Array(repeating: false, count: next.count)
  }

  /// Calls `take` with each chunk whose page numbers are intact, in file order.
  mutating func findWhole(
    _ take: (Found) throws(StoreError) -> Void
  ) throws(StoreError) {
    try find(take) { scanner, start in
      for beginning in scanner.beginnings(start) {
        if let found = scanner.whole(beginning) { return found }
      }
      return nil
    }
  }

  /// Calls `take` with each remaining chunk that can be assembled despite damaged page numbers.
  mutating func findBroken(
    _ take: (Found) throws(StoreError) -> Void
  ) throws(StoreError) {
    guard !starts.isEmpty else { return }
    var isReferred = [Bool](repeating: false, count: next.count)
    for page in next where isPage(page) { isReferred[page - 1] = true }
    heads = (1...next.count).filter { page in
      !isReferred[page - 1] && !isClaimed[page - 1]
        && (next[page - 1] == 0 || isPage(next[page - 1]))
    }
    heads = Array(heads.prefix(Self.headsTried))
    try find(take) { scanner, start in
      let given = min(Self.attemptsForOne, scanner.attemptsLeft)
      scanner.attempts = given
      defer { scanner.attemptsLeft -= given - scanner.attempts }
      return scanner.mended(start)
    }
  }

  private mutating func find(
    _ take: (Found) throws(StoreError) -> Void,
    _ put: (inout ChunkScanner, Start) -> Found?
  ) throws(StoreError) {
    let all = starts
    starts = []
    for start in all {
      guard let found = put(&self, start) else {
        starts.append(start)
        continue
      }
      for page in found.pages { isClaimed[page - 1] = true }
      try take(found)
    }
  }

  // MARK: Beginnings

  /// The first part of a chunk, up to the end of its row or page, and the page on which the chunk
  /// continues.
  private struct Beginning {
    var bytes: [UInt8]
    var following: Int
  }

  private func beginnings(_ start: Start) -> [Beginning] {
    let page = image.read(start.page)
    var all: [Beginning] = []
    if start.known == 0 {
      for cut in cuts(page, start.offset) {
        let end = start.offset + cut
        all.append(
          Beginning(
            bytes: Array(page[start.offset..<end]), following: Int(page.bigEndian(at: end))))
      }
    }
    // The chunk may also fit into its row, or its row may have begun on a previous page. Therefore,
    // also try the bytes up to the end of the page as the chunk's first part.
    all.append(
      Beginning(
        bytes: Array(ChunkSignature.magic.prefix(start.known)) + page[start.offset...],
        following: next[start.page - 1]))
    return all
  }

  /// For a chunk that begins at `offset` and continues on other pages, returns the numbers of chunk
  /// bytes that the row's own page may contain.
  private func cuts(_ page: [UInt8], _ offset: Int) -> [Int] {
    let room = page.count - offset - Self.linkSize
    // If the row's own page does not contain the length, the length is on the next page.
    var cuts = Array(ChunkSignature.magic.count..<ChunkSignature.size)
    if let length = ChunkSignature.length(of: Array(page[offset...].prefix(ChunkSignature.size))) {
      for columns in Self.columnSizes {
        let cut = Self.ownSize(ofRow: length + columns, pageSize: page.count) - columns
        if cut >= ChunkSignature.size, cut < length, !cuts.contains(cut) { cuts.append(cut) }
      }
    }
    return cuts.filter { $0 <= room }
  }

  /// Returns how many bytes of a table row are stored in its own page, as specified in section 1.6
  /// of SQLite's file format.
  private static func ownSize(ofRow size: Int, pageSize: Int) -> Int {
    let largest = pageSize - 35
    guard size > largest else { return size }
    let least = (pageSize - 12) * 32 / 255 - 23
    let own = least + (size - least) % (pageSize - linkSize)
    return own <= largest ? own : least
  }

  // MARK: Assembling

  private func isPage(_ number: Int) -> Bool { number > 0 && number <= next.count }

  /// Reads a chunk's length from its first part, or from the next page if necessary.
  private func length(_ beginning: Beginning) -> Int? {
    var bytes = Array(beginning.bytes.prefix(ChunkSignature.size))
    if bytes.count < ChunkSignature.size {
      guard isPage(beginning.following) else { return nil }
      let page = image.read(beginning.following)
      bytes += page[Self.linkSize...].prefix(ChunkSignature.size - bytes.count)
    }
    let length = ChunkSignature.length(of: bytes)
    return length.flatMap { $0 <= next.count * image.pageSize ? $0 : nil }
  }

  /// Returns the number of overflow pages that follow the first part of a chunk of this length.
  private func pageCount(_ length: Int, _ beginning: Beginning) -> Int {
    let content = image.pageSize - Self.linkSize
    return (max(0, length - beginning.bytes.count) + content - 1) / content
  }

  /// Returns a page and the pages linked after it, at most `count` in total.
  private func follow(_ first: Int, _ count: Int) -> [Int] {
    var pages: [Int] = []
    var page = first
    while pages.count < count, isPage(page) {
      pages.append(page)
      page = next[page - 1]
    }
    return pages
  }

  private func read(_ beginning: Beginning, _ pages: [Int], _ length: Int) -> Found? {
    var bytes = Array(beginning.bytes.prefix(length))
    for page in pages {
      bytes += image.read(page)[Self.linkSize...].prefix(length - bytes.count)
    }
    guard let chunk = try? Chunk(decoding: bytes.span) else { return nil }
    return Found(chunk: chunk, bytes: bytes, pages: pages)
  }

  private func whole(_ beginning: Beginning) -> Found? {
    guard let length = length(beginning) else { return nil }
    let count = pageCount(length, beginning)
    let pages = follow(beginning.following, count)
    return pages.count == count ? read(beginning, pages, length) : nil
  }

  /// Assembles a chunk by trying pages other than the ones to which the page numbers refer. First
  /// replaces the page after the chunk's start, then a later page, and then both.
  private mutating func mended(_ start: Start) -> Found? {
    let beginnings = beginnings(start)
    var others: [Beginning] = []
    for beginning in beginnings {
      for first in [start.page + 1] + heads where isPage(first) && first != beginning.following {
        others.append(Beginning(bytes: beginning.bytes, following: first))
      }
    }
    for other in others {
      attempts -= 1
      guard attempts > 0 else { return nil }
      if let found = whole(other) { return found }
    }
    for beginning in beginnings + others where isPage(beginning.following) {
      guard let length = length(beginning) else { continue }
      let count = pageCount(length, beginning)
      guard count > 0 else { continue }
      let pages = follow(beginning.following, count)
      if let found = completed(beginning, pages, count, length, isFirst: true) { return found }
    }
    return nil
  }

  private mutating func completed(
    _ beginning: Beginning, _ pages: [Int], _ count: Int, _ length: Int, isFirst: Bool
  ) -> Found? {
    attempts -= 1
    guard attempts > 0 else { return nil }
    if pages.count == count, let found = read(beginning, pages, length) { return found }
    // If the pages end too early, any of the preceding page numbers may be damaged.
    guard isFirst || pages.count < count else { return nil }
    let last = min(pages.count, count - 1) - 1
    for place in stride(from: last, through: isFirst ? 0 : last, by: -1) where place >= 0 {
      // The pages of a row are usually consecutive.
      for page in [pages[place] + 1] + (isFirst ? heads : [])
      where isPage(page) && page != next[pages[place] - 1] {
        let rest = follow(page, count - place - 1)
        if let found = completed(
          beginning, Array(pages[...place]) + rest, count, length, isFirst: false)
        {
          return found
        }
      }
    }
    return nil
  }
}
