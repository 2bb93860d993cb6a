internal import Values

/// Encodes records as the frames of one file of the tail, each of which continues the frame before.
public struct TailEncoder: Sendable {
  private let tail: UInt64
  /// Checksum of the frame before; `nil` where a group has to begin.
  private var former: UInt32?
  /// The moment from which the times of the group are counted.
  private var base: Int64 = 0
  /// State of each stream in the group.
  private var runs: [UInt16: TailRun] = [:]
  /// Bytes of the payload before: the next payload takes about as many.
  private var lastLength = 0
  /// Buffer for packed bits, kept from one frame to the next.
  private var words: [UInt32] = []

  /// An encoder for the file whose frames have this number.
  public init(tail: UInt64) {
    self.tail = tail
  }

  /// Encodes the next frame. The first frame begins a group, as does every frame for which the
  /// caller asks. A torn frame makes all frames up to the next group unreadable. A new group takes
  /// a few dozen bytes per stream.
  public mutating func encode(_ records: [TailRecord], beginsGroup: Bool) -> [UInt8] {
    if beginsGroup { former = nil }
    var payload: [UInt8] = []
    payload.reserveCapacity(lastLength * 2)
    defer { lastLength = payload.count }
    if former == nil {
      runs.removeAll(keepingCapacity: true)
      let time = records.lazy.compactMap(\.time).first ?? BootTime(nanoseconds: 0)
      let milliseconds = time.nanoseconds / TailRun.baseUnit
      base = milliseconds * TailRun.baseUnit
      payload.append(variableLength: milliseconds)
    }
    for record in records { append(record, to: &payload) }
    var frame: [UInt8] = []
    frame.reserveCapacity(payload.count + TailFrame.longestHead)
    frame.append(former == nil ? TailFrame.groupMark : TailFrame.followerMark)
    frame.append(variableLength: UInt64(payload.count))
    let checksum = TailFrame.checksum(
      payload.span, behind: former ?? TailFrame.checksum(ofTail: tail))
    frame.append(littleEndian: checksum)
    former = checksum
    frame += payload
    return frame
  }

  /// Notes that the last frame was written only in part: no frame can continue it.
  public mutating func breakOff() {
    former = nil
  }

  private mutating func append(_ record: TailRecord, to bytes: inout [UInt8]) {
    guard case .samples(let number, let piece) = record else {
      return record.append(to: &bytes)
    }
    bytes.append(kind: .samples, number)
    // Removed from the dictionary, so that it is changed in place.
    if var run = runs.removeValue(forKey: number), run.fits(piece) {
      run.append(piece, isFresh: false, base: base, to: &bytes, through: &words)
      runs[number] = run
    } else {
      var run = TailRun(beginning: piece)
      run.append(piece, isFresh: true, base: base, to: &bytes, through: &words)
      runs[number] = run
    }
  }
}
