internal import Glibc
internal import LinuxSystem

extension PositionSource {
  /// The directory containing the device files of receivers, which appear when a receiver is
  /// plugged in.
  private static let deviceFolder = "/dev/"

  /// The reason this source can never provide a position, or `nil` if no such reason is known
  /// before the source is opened.
  ///
  /// A missing receiver or gpsd is not an obstacle, because it may appear later. A missing replay
  /// file is an obstacle, because it is not expected to appear. A path that is not a serial port,
  /// or that is missing outside `/dev/`, is an obstacle too.
  public var obstacle: ReceiverProblem? {
    switch self {
    case .file(let replay): Self.obstacle(toReading: replay.path)
    case .serial(let path, _): PathPattern.isPattern(path) ? nil : Self.obstacle(toPort: path)
    case .gpsd, .fixed: nil
    }
  }

  private static func obstacle(toReading path: String) -> ReceiverProblem? {
    do throws(SystemError) {
      let file = try OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
      guard kind(of: file) == S_IFREG else {
        return ReceiverProblem(
          "cannot read \(path): it is not a file", reason: "it is not a file",
          remedy: "name a file of NMEA sentences")
      }
      return nil
    } catch {
      return .file(error)
    }
  }

  private static func obstacle(toPort path: String) -> ReceiverProblem? {
    do throws(SystemError) {
      let port = try OwnedDescriptor.open(
        path, flags: OwnedDescriptor.readOnlyWithoutWaiting | O_NOCTTY)
      guard isatty(port.number) != 1 else { return nil }
      let isFile = kind(of: port) == S_IFREG
      return ReceiverProblem(
        "cannot use \(path) as a GPS receiver: it is not a serial port",
        reason: "it is not a serial port",
        remedy: isFile
          ? "to replay a file of sentences, use file:\(path)"
          : "name the port of a receiver, as in /dev/ttyUSB0")
    } catch {
      guard error.number == ENOENT || error.number == ENOTDIR, !path.hasPrefix(deviceFolder)
      else { return nil }
      return ReceiverProblem(
        error.message, reason: error.reason,
        remedy: "name a receiver's port, as in /dev/ttyUSB0, or a file of sentences as file:PATH")
    }
  }

  private static func kind(of file: borrowing OwnedDescriptor) -> mode_t {
    var facts = stat()
    return unsafe fstat(file.number, &facts) == 0 ? facts.st_mode & S_IFMT : 0
  }
}
