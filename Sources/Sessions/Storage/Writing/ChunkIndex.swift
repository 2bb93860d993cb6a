/// The chunks listed in a torn store, whether or not they can be read.
struct ChunkIndex {
  struct Place: Hashable {
    var stream: Int64
    var sequence: UInt32
  }

  /// Numbers of chunks in the table or in one of its indexes.
  var numbers: Set<Int64> = []
  /// Whether these are the numbers of all chunks.
  var areAllTold = false
  /// The places of chunks, as far as the index of places is readable.
  var places: [Int64: Place] = [:]
  /// The parts of the index of places that can be read from its two ends; `nil` if it is completely
  /// readable or completely unreadable.
  var readable: (upTo: Int64, from: Int64)?
  /// Whether the index of places is completely readable.
  var areAllPlaced = false

  /// Whether the index and the unsaved chunks together list all chunks of a stream.
  func tellsAll(of stream: Int64, unsaved: Set<Int64>) -> Bool {
    if areAllPlaced { return true }
    if areAllTold, unsaved.allSatisfy({ places[$0] != nil }) { return true }
    guard let readable else { return false }
    return stream < readable.upTo || stream > readable.from
  }
}
