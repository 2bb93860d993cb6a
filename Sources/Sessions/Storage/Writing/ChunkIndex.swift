/// The chunks listed in a torn store, whether or not their bytes can be read.
struct ChunkIndex {
  struct Place: Hashable {
    var stream: Int64
    var sequence: UInt32
  }

  /// Numbers of the chunks that are listed in the table or in one of its indexes.
  var numbers: Set<Int64> = []
  /// Whether `numbers` contains the numbers of all chunks.
  var areAllTold = false
  /// The positions of chunks in their streams, from the readable part of the position index.
  var places: [Int64: Place] = [:]
  /// The streams up to which, and from which, the position index can be read: forwards from its
  /// beginning, and backwards from its end. `nil` if the index is completely readable or completely
  /// unreadable.
  var readable: (upTo: Int64, from: Int64)?
  /// Whether the position index is completely readable.
  var areAllPlaced = false

  /// Whether all chunks of a stream are known. They are known if the position index is readable for
  /// this stream, or if all unsaved chunks are listed with known positions.
  func tellsAll(of stream: Int64, unsaved: Set<Int64>) -> Bool {
    if areAllPlaced { return true }
    if areAllTold, unsaved.allSatisfy({ places[$0] != nil }) { return true }
    guard let readable else { return false }
    return stream < readable.upTo || stream > readable.from
  }
}
