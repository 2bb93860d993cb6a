internal import Glibc
internal import LinuxSystem

/// The file of the paired devices, beside the store: `STORE-web`, readable by its owner only.
///
/// The gateway and commands such as `footbridge web forget` may all change it, at the same time and
/// independently. Each change takes the lock of the folder, reads the file, and replaces it as a
/// whole. So no change is lost, and readers need no lock.
public struct DeviceFile: Hashable, Sendable {
  public let path: String
  private let store: String

  /// Largest file that is read, in bytes; 64 devices take less than half of it.
  private static let largest = 64 << 10
  /// Seconds that a change waits for others, which take as long as a disk needs to sync.
  private static let patience = 10.0

  /// The file beside a store, which need not exist.
  public init(besides store: String) {
    path = store + "-web"
    self.store = store
  }

  /// The file's content at one moment.
  struct Reading: ~Copyable {
    var list = DeviceList()
    /// Kept open, so that no other file gets this one's inode number; `nil` if there is no file.
    var descriptor: OwnedDescriptor?
    /// The file's version before it was read.
    var version: FileVersion?
    var fault: DeviceFileFault?
  }

  /// Reads the file. If there is none, no device is paired.
  func read() -> Reading {
    var reading = Reading()
    do throws(SystemError) {
      // Without waiting: a named pipe in its place would block for ever.
      let file = try OwnedDescriptor.open(path, flags: OwnedDescriptor.readOnlyWithoutWaiting)
      reading.version = FileVersion(file)
      let bytes = try file.readAll(of: path, upTo: Self.largest)
      reading.descriptor = consume file
      if bytes.count > Self.largest {
        reading.fault = .damaged("it is too large", kept: nil)
      } else {
        do throws(DeviceFileFault) {
          reading.list = try DeviceList(parsing: bytes)
        } catch {
          reading.fault = error
        }
      }
    } catch {
      if error.number != ENOENT { reading.fault = .failed(error) }
    }
    return reading
  }

  /// Changes the list. Waits for other changes, and for the disk. Returns the result of `body`.
  /// Without a change nothing is written.
  func change<Outcome>(
    _ body: (inout DeviceList) -> Outcome
  ) throws(DeviceFileFault) -> Outcome {
    let turn = try lock()
    return try change(body, holding: turn)
  }

  private func change<Outcome>(
    _ body: (inout DeviceList) -> Outcome, holding turn: borrowing FolderLock
  ) throws(DeviceFileFault) -> Outcome {
    let reading = read()
    if let fault = reading.fault {
      // The damaged file is kept under another name, and the list starts empty.
      guard case .damaged = fault else { throw fault }
      _ = setAside()
    }
    var list = reading.list
    let outcome = body(&list)
    if list != reading.list { try write(list) }
    return outcome
  }

  /// Renames a damaged file. Returns the content after that.
  func setDamagedAside() -> Reading {
    guard let turn = try? lock() else { return read() }
    return setDamagedAside(holding: turn)
  }

  private func setDamagedAside(holding turn: borrowing FolderLock) -> Reading {
    // Another process may have done so meanwhile.
    var reading = read()
    if case .damaged(let reason, _) = reading.fault {
      let kept = setAside()
      reading.fault = .damaged(reason, kept: kept)
      if kept != nil {
        reading.descriptor = nil
        reading.version = nil
      }
    }
    return reading
  }

  /// Renames the file, under the lock. Returns its new path. A file that was renamed earlier is
  /// replaced: the latest one shows most about the present fault.
  private func setAside() -> String? {
    let kept = path + ".damaged"
    do throws(SystemError) {
      try Durability.place(path, at: kept)
      return kept
    } catch {
      return nil
    }
  }

  private func lock() throws(DeviceFileFault) -> FolderLock {
    do throws(SystemError) {
      return try FolderLock(Folder.containing(path), waitingAtMost: Self.patience)
    } catch {
      throw .failed(error)
    }
  }

  private func write(_ list: DeviceList) throws(DeviceFileFault) {
    do throws(SystemError) {
      let file = try DurableFile(path, rights: 0o600)
      // Root may forget one of the service's devices, and the service must still be able to read
      // the file.
      file.copyOwner(of: Folder.exists(path) ? path : store)
      file.setRights(0o600)
      try file.write(Array(list.text.utf8).span)
      try file.commit(replaces: true)
    } catch {
      throw .failed(error)
    }
  }

  /// Removes the file, so that no device is paired. Returns whether it is gone.
  func remove() -> Bool { unsafe unlink(path) == 0 || errno == ENOENT }
}
