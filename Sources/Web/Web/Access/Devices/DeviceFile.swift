internal import Glibc
internal import LinuxSystem

/// The file that lists the paired devices: `STORE-web`, next to the store, readable only by its
/// owner.
///
/// The gateway and commands such as `footbridge web forget` may change the file at the same time.
/// Each change locks the folder, reads the file, and replaces the whole file. Concurrent changes
/// therefore cannot overwrite each other, and readers need no lock.
public struct DeviceFile: Hashable, Sendable {
  public let path: String
  private let store: String

  /// Maximum file size in bytes. A list of 64 devices needs less than half of this size.
  private static let largest = 64 << 10
  /// Maximum number of seconds that a change waits for other changes. Each change takes as long as
  /// a disk sync.
  private static let patience = 10.0

  /// Creates a reference to the file next to a store. Neither the file nor the store needs to
  /// exist.
  public init(besides store: String) {
    path = store + "-web"
    self.store = store
  }

  /// The file's content when it was read.
  struct Reading: ~Copyable {
    var list = DeviceList()
    /// The file that was read, kept open so that no other file gets the same inode number. `nil` if
    /// there is no file.
    var descriptor: OwnedDescriptor?
    /// The file's version before it was read.
    var version: FileVersion?
    var fault: DeviceFileFault?
  }

  /// Reads the file. If it does not exist, no device is paired.
  func read() -> Reading {
    var reading = Reading()
    do throws(SystemError) {
      // The file is opened without blocking, because opening a named pipe at this path would block
      // forever.
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

  /// Changes the list of paired devices and returns the result of `body`. Waits for other changes
  /// and for the disk. Writes only if the list has changed.
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
      // The damaged file is renamed, and the list starts empty.
      guard case .damaged = fault else { throw fault }
      _ = setAside()
    }
    var list = reading.list
    let outcome = body(&list)
    if list != reading.list { try write(list) }
    return outcome
  }

  /// Renames a damaged file. Returns the content of the file that exists afterwards.
  func setDamagedAside() -> Reading {
    guard let turn = try? lock() else { return read() }
    return setDamagedAside(holding: turn)
  }

  private func setDamagedAside(holding turn: borrowing FolderLock) -> Reading {
    // Another process may already have renamed the damaged file.
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

  /// Renames the file. The caller must hold the lock. Returns the new path. Replaces a file renamed
  /// earlier, because the latest file is the most useful for diagnosing the current fault.
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
      // If root removes a device from the service's file, the service must still be able to read
      // the file.
      file.copyOwner(of: Folder.exists(path) ? path : store)
      file.setRights(0o600)
      try file.write(Array(list.text.utf8).span)
      try file.commit(replaces: true)
    } catch {
      throw .failed(error)
    }
  }

  /// Deletes the file, which leaves no device paired. Returns whether the file is gone.
  func remove() -> Bool { unsafe unlink(path) == 0 || errno == ENOENT }
}
