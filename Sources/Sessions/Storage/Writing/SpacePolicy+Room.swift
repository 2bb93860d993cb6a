extension SpacePolicy {
  /// Bytes that may still be written before there is no space left, by these limits.
  public func room(_ usage: Usage) -> UInt64 {
    let onDisk = usage.free > floor ? usage.free - floor : 0
    guard let quota else { return onDisk }
    return min(onDisk, quota > usage.used ? quota - usage.used : 0)
  }
}
