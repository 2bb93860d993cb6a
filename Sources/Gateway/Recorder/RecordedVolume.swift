public import Recording

/// The bytes that a recording takes, by figures that were measured on the chunks of recordings.
///
/// docs/setup.md has the measurements, and how far those of people differ from them.
public enum RecordedVolume {
  /// Bytes of a chunk besides its samples: description, hash and checksums.
  public static let bytesPerChunk = 350.0
  /// Bytes of a sample besides its values: number and arrival.
  public static let bytesPerSample = 0.5
  /// Bytes of a value that a sensor counts, while its wearer walks.
  public static let bytesPerInteger = 0.8
  /// Bytes of a value that the board computes, which has 32 bits of its own.
  public static let bytesPerFloat = 3.0
  /// A part of the figures above: a board at rest takes less, one of a runner more.
  public static let spread = 0.7...1.5
  /// Fixes a second of the usual receiver, and of a fixed place.
  public static let usualFixRate = 1.0
  /// Bytes of a fix in every chunk of its time.
  public static let bytesPerFixInChunk = 24.0
  /// Bytes of a fix in the database.
  public static let bytesPerFix = 570.0
  /// Bytes of a fix in the track that destinations get.
  public static let bytesPerSentFix = 92.0
  /// What the database adds to the chunks, as a factor.
  public static let database = 1.06
  /// Samples of a full chunk.
  static let samplesPerChunk = 2_000.0

  /// Bytes that the chunks of a stream take in a second.
  public static func bytesPerSecond(
    of stream: StreamDescription, sealSeconds: Double, fixesPerSecond: Double
  ) -> Double {
    let value = stream.rawForm == .integer ? bytesPerInteger : bytesPerFloat
    let chunks = max(stream.rate / samplesPerChunk, 1 / sealSeconds)
    return stream.rate * bytesPerSample(axes: stream.axes.count, value: value)
      + chunks * bytesPerChunk + fixesPerSecond * bytesPerFixInChunk
  }

  /// Bytes of a sample of motion with its part of a full chunk.
  static let bytesPerMotionSample = bytesPerSample(axes: 3) + bytesPerChunk / samplesPerChunk

  /// Bytes of a sample with so many values.
  static func bytesPerSample(axes: Int, value: Double = bytesPerInteger) -> Double {
    bytesPerSample + Double(axes) * value
  }

  /// Bytes a second that a disk with ext4 writes for a second of so many bytes of chunks.
  ///
  /// A line through two measurements, of one board and of ten, from before commits were gathered
  /// (decision 61): the device writes less since, and a forecast stays cautious. A sync writes
  /// whole blocks, however few bytes are new, so the line does not begin at 0.
  public static func deviceBytesPerSecond(for payload: Double) -> Double {
    payload > 0 ? 9_270 + 5.63 * payload : 0
  }
}
