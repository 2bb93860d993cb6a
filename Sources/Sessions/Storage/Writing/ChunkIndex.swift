/// Which chunks a torn store tells of, whether or not they can be read.
struct ChunkIndex {
  /// The place of a chunk.
  struct Place: Hashable {
    var stream: Int64
    var sequence: UInt32
  }

  /// Numbers of chunks that the table or one of its indexes tells.
  var numbers: Set<Int64> = []
  /// Whether these are all.
  var areAllTold = false
  /// The places of those of which the index of places tells.
  var places: [Int64: Place] = [:]
  /// How far that index can be read from both its ends; `nil` where it can be read whole, or not
  /// at all.
  var readable: (upTo: Int64, from: Int64)?
  /// Whether that index can be read whole.
  var areAllPlaced = false

  /// Whether it tells all chunks of a stream, of which some are not saved.
  func tellsAll(of stream: Int64, unsaved: Set<Int64>) -> Bool {
    if areAllPlaced { return true }
    if areAllTold, unsaved.allSatisfy({ places[$0] != nil }) { return true }
    guard let readable else { return false }
    return stream < readable.upTo || stream > readable.from
  }
}
