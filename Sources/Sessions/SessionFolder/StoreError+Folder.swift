internal import Glibc
internal import LinuxSystem
internal import Recording

extension StoreError {
  /// Converts an operating-system error that occurred in a folder of sessions.
  init(ofFolder error: SystemError) {
    switch error.number {
    case ENOSPC, EDQUOT, EFBIG:
      self.init(
        .full, "\(error)", remedy: "free some space on that disk; data already stored is safe")
    case EACCES, EPERM, EROFS:
      self.init(.cannotOpen, "\(error)", remedy: "give a folder that this user can write to")
    case ENOENT, ENOTDIR:
      self.init(
        .cannotOpen, "\(error)", remedy: "create the folder first, or mount the disk that it is on")
    case EISDIR:
      // An invalid directory entry must not hide other sessions.
      self.init(.damaged, "\(error)", remedy: "remove that folder, or give it another name")
    default:
      self.init(.other, "\(error)", remedy: "check the disk and its mount options with: dmesg")
    }
  }
}
