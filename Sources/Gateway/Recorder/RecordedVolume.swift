public import Recording

/// Estimates a recording's size in bytes, from figures measured on real chunks.
///
/// docs/setup.md lists the measurements, and shows how they vary from person to person.
public enum RecordedVolume {
  /// Bytes needed for a chunk in addition to its samples: description, hash and checksums.
  public static let bytesPerChunk = 350.0
  /// Bytes needed for a sample in addition to its values: number and arrival time.
  public static let bytesPerSample = 0.5
  /// Bytes needed for an integer value while the wearer walks.
  public static let bytesPerInteger = 0.8
  /// Bytes needed for a value that the board computes as a 32-bit float.
  public static let bytesPerFloat = 3.0
  /// Range of factors to apply to these figures: lowest for a board at rest, highest for a runner.
  public static let spread = 0.7...1.5
  /// Fixes per second from a typical receiver, and for a fixed position.
  public static let usualFixRate = 1.0
  /// Bytes needed for a fix in each chunk that covers the fix's time.
  public static let bytesPerFixInChunk = 24.0
  /// Bytes needed for a fix in the database.
  public static let bytesPerFix = 570.0
  /// Bytes needed for a fix in the uploaded track.
  public static let bytesPerSentFix = 92.0
  /// Ratio of the database's size to the size of the chunks.
  public static let database = 1.06
  /// Number of samples in a full chunk.
  static let samplesPerChunk = 2_000.0

  /// Returns the bytes per second that a stream's chunks need.
  public static func bytesPerSecond(
    of stream: StreamDescription, sealSeconds: Double, fixesPerSecond: Double
  ) -> Double {
    let value = stream.rawForm == .integer ? bytesPerInteger : bytesPerFloat
    let chunks = max(stream.rate / samplesPerChunk, 1 / sealSeconds)
    return stream.rate * bytesPerSample(axes: stream.axes.count, value: value)
      + chunks * bytesPerChunk + fixesPerSecond * bytesPerFixInChunk
  }

  /// Bytes needed for a motion sample, including its share of a full chunk's overhead.
  static let bytesPerMotionSample = bytesPerSample(axes: 3) + bytesPerChunk / samplesPerChunk

  static func bytesPerSample(axes: Int, value: Double = bytesPerInteger) -> Double {
    bytesPerSample + Double(axes) * value
  }

  /// Returns the bytes per second that an ext4 file system writes to the disk for this many bytes
  /// of chunks per second.
  ///
  /// The result is a linear fit through two measurements, with one board and with ten, made before
  /// commits were batched (decision 61). Less is written now, so the estimate is too high rather
  /// than too low. The line does not start at 0, because a sync always writes whole blocks, even
  /// for a few new bytes.
  public static func deviceBytesPerSecond(for payload: Double) -> Double {
    payload > 0 ? 9_270 + 5.63 * payload : 0
  }
}
