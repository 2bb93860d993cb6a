extension SpacePolicy {
  /// Returns the number of bytes that may still be written before the quota or the floor is
  /// reached.
  public func room(_ usage: Usage) -> UInt64 {
    let onDisk = usage.free > floor ? usage.free - floor : 0
    guard let quota else { return onDisk }
    return min(onDisk, quota > usage.used ? quota - usage.used : 0)
  }
}
