public import Recording

/// The bytes that a recording takes, by figures measured on the chunks of recordings.
///
/// docs/setup.md has the measurements, and their spread among people.
public enum RecordedVolume {
  /// Bytes of a chunk besides its samples: description, hash and checksums.
  public static let bytesPerChunk = 350.0
  /// Bytes of a sample besides its values: number and arrival.
  public static let bytesPerSample = 0.5
  /// Bytes of an integer value while the wearer walks.
  public static let bytesPerInteger = 0.8
  /// Bytes of a value computed by the board, a 32-bit float.
  public static let bytesPerFloat = 3.0
  /// Factors on these figures: less for a board at rest, more for a runner.
  public static let spread = 0.7...1.5
  /// Fixes per second of the usual receiver, and of a fixed place.
  public static let usualFixRate = 1.0
  /// Bytes of a fix in each chunk of its time.
  public static let bytesPerFixInChunk = 24.0
  /// Bytes of a fix in the database.
  public static let bytesPerFix = 570.0
  /// Bytes of a fix in the uploaded track.
  public static let bytesPerSentFix = 92.0
  /// Size of the database relative to the chunks, as a factor.
  public static let database = 1.06
  /// Samples of a full chunk.
  static let samplesPerChunk = 2_000.0

  /// Bytes per second of the chunks of a stream.
  public static func bytesPerSecond(
    of stream: StreamDescription, sealSeconds: Double, fixesPerSecond: Double
  ) -> Double {
    let value = stream.rawForm == .integer ? bytesPerInteger : bytesPerFloat
    let chunks = max(stream.rate / samplesPerChunk, 1 / sealSeconds)
    return stream.rate * bytesPerSample(axes: stream.axes.count, value: value)
      + chunks * bytesPerChunk + fixesPerSecond * bytesPerFixInChunk
  }

  /// Bytes of a motion sample with its share of a full chunk.
  static let bytesPerMotionSample = bytesPerSample(axes: 3) + bytesPerChunk / samplesPerChunk

  /// Bytes of a sample with this number of values.
  static func bytesPerSample(axes: Int, value: Double = bytesPerInteger) -> Double {
    bytesPerSample + Double(axes) * value
  }

  /// Bytes per second that a disk with ext4 writes for this number of bytes of chunks per second.
  ///
  /// A line through two measurements, of one board and of ten, from before commits were gathered
  /// (decision 61). The device writes less since then, so a forecast stays cautious. A sync writes
  /// whole blocks, however few bytes are new, so the line does not begin at 0.
  public static func deviceBytesPerSecond(for payload: Double) -> Double {
    payload > 0 ? 9_270 + 5.63 * payload : 0
  }
}
