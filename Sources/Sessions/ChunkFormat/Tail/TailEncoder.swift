internal import Values

/// Encodes records as the frames of a tail file. Within a group, each frame continues the previous
/// one.
public struct TailEncoder: Sendable {
  private let tail: UInt64
  /// Checksum of the previous frame; `nil` if the next frame must begin a group.
  private var former: UInt32?
  /// Base time of the group. All times in the group are stored relative to it.
  private var base: Int64 = 0
  /// State of each stream in the current group.
  private var runs: [UInt16: TailRun] = [:]
  /// Size in bytes of the previous payload. The next payload usually has about the same size.
  private var lastLength = 0
  /// Buffer for packed bits, reused for every frame.
  private var words: [UInt32] = []

  /// `tail` is the file's number, which the frame checksums cover.
  public init(tail: UInt64) {
    self.tail = tail
  }

  /// Encodes the next frame. The first frame begins a group; later frames do so on request. If a
  /// frame is torn, all later frames up to the next group are unreadable. Beginning a group costs a
  /// few dozen bytes per stream.
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

  /// Records that the last frame was not written completely, so that the next frame begins a group.
  public mutating func breakOff() {
    former = nil
  }

  private mutating func append(_ record: TailRecord, to bytes: inout [UInt8]) {
    guard case .samples(let number, let piece) = record else {
      return record.append(to: &bytes)
    }
    bytes.append(kind: .samples, number)
    // Remove the run from the dictionary, so that it is modified in place instead of being copied.
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
