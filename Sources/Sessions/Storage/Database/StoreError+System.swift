internal import Glibc
internal import LinuxSystem
internal import Recording

extension StoreError {
  /// Returns the error for a system call that has just failed on this file.
  static func system(
    _ doing: String, _ path: String, _ number: Int32 = errno
  ) -> StoreError {
    let isFull = [ENOSPC, EDQUOT].contains(number)
    let kind: Kind = isFull ? .full : number == EIO ? .other : .cannotOpen
    let reason = isFull ? "the disk is full" : SystemError("", number: number).reason
    return .found(kind, "cannot \(doing) \(path): \(reason)", path: path)
  }

  /// Runs `body`, and converts an operating-system error to a store error.
  static func explained<Outcome: ~Copyable>(
    _ doing: String, _ path: String, _ body: () throws(SystemError) -> Outcome
  ) throws(StoreError) -> Outcome {
    do { return try body() } catch { throw .system(doing, path, error.number) }
  }
}
