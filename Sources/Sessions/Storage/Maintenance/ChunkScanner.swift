internal import ChunkFormat
internal import Recording

/// Finds chunks by their own bytes in the pages of a torn store.
///
/// A chunk says where it begins and how long it is, and its hash tells whether it was put together
/// right, so nothing else of the file has to be whole. In the file it begins within a row; what
/// does not fit there goes on in pages of their own, each of which begins with the number of the
/// next. Where such a number is damaged, the page after is tried, and pages to which no other
/// leads.
struct ChunkScanner: ~Copyable {
  /// A chunk that is whole.
  struct Found {
    let chunk: Chunk
    let bytes: [UInt8]
    /// The pages that hold nothing but a part of it.
    fileprivate let pages: [Int]
  }

  /// Where a chunk begins.
  private struct Start {
    let page: Int
    let offset: Int
    /// How much of its magic stood at the end of what a row holds itself, on another page.
    let known: Int
  }

  private let image: PageImage
  /// The number that each page begins with: that of the next one, if it holds a part of a row.
  private var next: [Int] = []
  private var isClaimed: [Bool] = []
  private var starts: [Start] = []
  /// Pages that may hold a part of a chunk, to which no page leads.
  private var heads: [Int] = []
  /// How often the beginning at hand may still be put together: one that is really damaged fits
  /// together in no way.
  private var attempts = 0
  private var attemptsLeft = 400_000

  /// Bytes of the number of the next page.
  private static let linkSize = 4
  private static let attemptsForOne = 5_000
  /// Heads that are tried; in a file with many free pages nearly all are.
  private static let headsTried = 256
  /// How many bytes the columns before a chunk may take in its row.
  private static let columnSizes = 20...80

  /// Chunks of which the beginning was found, and the rest was not.
  var missing: Int { starts.count }

  /// Looks through all pages for beginnings; `nil` when `goesOn` said not to.
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

  /// Gives the chunks whose pages lead from one to the next, in the order in which they lie in the
  /// file.
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

  /// Gives those of the others whose pages can be put together all the same.
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

  /// What a row, or the page in which a chunk begins, may hold of it, and the page at which it goes
  /// on.
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
    // To the end of the page; that is also where a chunk may end for which its row has room.
    all.append(
      Beginning(
        bytes: Array(ChunkSignature.magic.prefix(start.known)) + page[start.offset...],
        following: next[start.page - 1]))
    return all
  }

  /// How many bytes of a chunk that begins at `offset` its row may hold itself, if not all.
  private func cuts(_ page: [UInt8], _ offset: Int) -> [Int] {
    let room = page.count - offset - Self.linkSize
    // Where its length does not stand in the row any more, it is known only with the next page.
    var cuts = Array(ChunkSignature.magic.count..<ChunkSignature.size)
    if let length = ChunkSignature.length(of: Array(page[offset...].prefix(ChunkSignature.size))) {
      for columns in Self.columnSizes {
        let cut = Self.ownSize(ofRow: length + columns, pageSize: page.count) - columns
        if cut >= ChunkSignature.size, cut < length, !cuts.contains(cut) { cuts.append(cut) }
      }
    }
    return cuts.filter { $0 <= room }
  }

  /// How many bytes of a row of a table stand in its own page: section 1.6 of SQLite's file format.
  private static func ownSize(ofRow size: Int, pageSize: Int) -> Int {
    let largest = pageSize - 35
    guard size > largest else { return size }
    let least = (pageSize - 12) * 32 / 255 - 23
    let own = least + (size - least) % (pageSize - linkSize)
    return own <= largest ? own : least
  }

  // MARK: Putting together

  private func isPage(_ number: Int) -> Bool { number > 0 && number <= next.count }

  /// The length of the chunk that begins so, for which the next page may have to be asked.
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

  /// How many pages follow.
  private func pageCount(_ length: Int, _ beginning: Beginning) -> Int {
    let content = image.pageSize - Self.linkSize
    return (max(0, length - beginning.bytes.count) + content - 1) / content
  }

  /// The page and those to which it leads, `count` if there are as many.
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

  /// Tries what may follow instead of what the numbers of pages say: another page after the
  /// beginning, then after one of those that follow it, then both.
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
    // Where the pages come to an end too early, any number before may be the wrong one.
    guard isFirst || pages.count < count else { return nil }
    let last = min(pages.count, count - 1) - 1
    for place in stride(from: last, through: isFirst ? 0 : last, by: -1) where place >= 0 {
      // The pages of a row are mostly taken one after the other.
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
