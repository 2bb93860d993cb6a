internal import Glibc

extension StoreError {
  /// A call to the system that failed just now, on this file.
  static func system(_ doing: String, _ path: String) -> StoreError {
    let number = errno
    let isFull = [ENOSPC, EDQUOT].contains(number)
    let kind: Kind = isFull ? .full : number == EIO ? .other : .cannotOpen
    let reason = isFull ? "the disk is full" : unsafe String(cString: strerror(number))
    return .found(kind, "cannot \(doing) \(path): \(reason)", path: path)
  }
}
