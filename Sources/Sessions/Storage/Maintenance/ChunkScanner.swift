internal import ChunkFormat
internal import Recording
internal import SQLite

/// Finds chunks by their own bytes in the pages of a torn store.
///
/// A chunk contains its own magic and length, and its hash shows whether it was assembled
/// correctly. So no other part of the file has to be intact. A chunk begins within a row; the bytes
/// that do not fit there continue in overflow pages, each of which begins with the number of the
/// next. If such a number is damaged, the scanner tries the following page, and pages to which no
/// other page refers.
struct ChunkScanner: ~Copyable {
  /// An undamaged chunk.
  struct Found {
    let chunk: Chunk
    let bytes: [UInt8]
    /// The pages that contain nothing but a part of this chunk.
    fileprivate let pages: [Int]
  }

  /// The beginning of a chunk.
  private struct Start {
    let page: Int
    let offset: Int
    /// Bytes of its magic at the end of the row's own part; the rest is on another page.
    let known: Int
  }

  private let image: PageImage
  /// The number at the beginning of each page: that of the next page, if the page contains a part
  /// of a row.
  private var next: [Int] = []
  private var isClaimed: [Bool] = []
  private var starts: [Start] = []
  /// Pages that may contain a part of a chunk and to which no page refers.
  private var heads: [Int] = []
  /// The remaining attempts to assemble the present beginning: a chunk that is really damaged
  /// cannot be assembled at all.
  private var attempts = 0
  private var attemptsLeft = 400_000

  /// Bytes of the number of the next page.
  private static let linkSize = 4
  private static let attemptsForOne = 5_000
  /// The most heads tried; in a file with many free pages nearly all pages are heads.
  private static let headsTried = 256
  /// Possible sizes in bytes of the columns before a chunk in its row.
  private static let columnSizes = 20...80

  /// Chunks of which only the beginning was found.
  var missing: Int { starts.count }

  /// Searches all pages for beginnings; `nil` if `goesOn` ended the search.
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

  /// Passes on the chunks whose pages refer from one to the next, in the order of the file.
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

  /// Passes on the other chunks whose pages can still be assembled.
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

  /// The part of a chunk in its row, or in the page where it begins, and the page that continues
  /// it.
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
    // Up to the end of the page: a chunk that fits into its row may end there too.
    all.append(
      Beginning(
        bytes: Array(ChunkSignature.magic.prefix(start.known)) + page[start.offset...],
        following: next[start.page - 1]))
    return all
  }

  /// Possible numbers of bytes in the row itself, for a chunk that begins at `offset` and continues
  /// on other pages.
  private func cuts(_ page: [UInt8], _ offset: Int) -> [Int] {
    let room = page.count - offset - Self.linkSize
    // If the row does not contain the length, only the next page shows it.
    var cuts = Array(ChunkSignature.magic.count..<ChunkSignature.size)
    if let length = ChunkSignature.length(of: Array(page[offset...].prefix(ChunkSignature.size))) {
      for columns in Self.columnSizes {
        let cut = Self.ownSize(ofRow: length + columns, pageSize: page.count) - columns
        if cut >= ChunkSignature.size, cut < length, !cuts.contains(cut) { cuts.append(cut) }
      }
    }
    return cuts.filter { $0 <= room }
  }

  /// Bytes of a table's row that are in its own page: section 1.6 of SQLite's file format.
  private static func ownSize(ofRow size: Int, pageSize: Int) -> Int {
    let largest = pageSize - 35
    guard size > largest else { return size }
    let least = (pageSize - 12) * 32 / 255 - 23
    let own = least + (size - least) % (pageSize - linkSize)
    return own <= largest ? own : least
  }

  // MARK: Putting together

  private func isPage(_ number: Int) -> Bool { number > 0 && number <= next.count }

  /// The length of the chunk with this beginning, which may require the next page.
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

  /// Number of pages that follow.
  private func pageCount(_ length: Int, _ beginning: Beginning) -> Int {
    let content = image.pageSize - Self.linkSize
    return (max(0, length - beginning.bytes.count) + content - 1) / content
  }

  /// A page and the pages to which it refers, at most `count`.
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

  /// Tries other pages than the ones that the stored numbers name: another page after the
  /// beginning, then after one of the following pages, then both.
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
    // If the pages end too early, any number before may be the damaged one.
    guard isFirst || pages.count < count else { return nil }
    let last = min(pages.count, count - 1) - 1
    for place in stride(from: last, through: isFirst ? 0 : last, by: -1) where place >= 0 {
      // The pages of a row are mostly consecutive.
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
