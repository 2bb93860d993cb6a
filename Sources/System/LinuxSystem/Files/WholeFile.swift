internal import Glibc

public enum WholeFile {
  /// Reads all bytes of a file. Returns `nil` if the file does not exist. If the file is longer
  /// than `limit`, returns slightly more than `limit` bytes.
  ///
  /// - Parameter waits: whether to wait until a named pipe has a writer. Otherwise, a pipe without
  ///   a writer is treated as empty.
  public static func read(
    _ path: String, upTo limit: Int = .max, waits: Bool = true
  ) throws(SystemError) -> [UInt8]? {
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try OwnedDescriptor.open(path, flags: O_RDONLY | (waits ? 0 : O_NONBLOCK))
    } catch {
      if error.number == ENOENT || error.number == ENOTDIR { return nil }
      throw error
    }
    return try file.readAll(of: path, upTo: limit)
  }

  /// Reads a small text file, such as one of the kernel's status files. Returns `nil` if the file
  /// cannot be read.
  public static func text(_ path: String, upTo limit: Int = 1 << 20) -> String? {
    do throws(SystemError) {
      return try read(path, upTo: limit).map { String(decoding: $0.prefix(limit), as: UTF8.self) }
    } catch {
      return nil
    }
  }
}

extension OwnedDescriptor {
  /// Reads the rest of the file. If there are more than `limit` bytes, returns slightly more than
  /// `limit`. `path` is used only in the error message.
  public func readAll(of path: String, upTo limit: Int = .max) throws(SystemError) -> [UInt8] {
    var status = stat()
    let size = unsafe fstat(number, &status) == 0 ? Int(status.st_size) : 0
    // The buffer is one byte larger than the expected content, so that the end of the file is
    // detected without another call.
    var piece = [UInt8](repeating: 0, count: min(max(4_096, size + 1), 1 << 20))
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      let count = read(into: &piece)
      if count == -Int(EINTR) { continue }
      guard count >= 0 else { throw SystemError("read \(path)", number: Int32(-count)) }
      guard count > 0 else { break }
      bytes += piece[..<count]
    }
    return bytes
  }

  /// Reads `count` bytes at the offset `place`. Bytes that are beyond the end of the file, or that
  /// the disk cannot read, are returned as zeros.
  public func read(at place: Int, count: Int) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let got = unsafe bytes.withUnsafeMutableBytes { bytes in
        unsafe pread(number, bytes.baseAddress?.advanced(by: done), count - done, place + done)
      }
      if got < 0, errno == EINTR { continue }
      guard got > 0 else { break }
      done += got
    }
    return bytes
  }

  /// Writes all the bytes. `path` is used only in the error message.
  public func writeAll(_ bytes: Span<UInt8>, to path: String) throws(SystemError) {
    var done = 0
    while done < bytes.count {
      let count = write(bytes.extracting(done...))
      if count == -Int(EINTR) { continue }
      guard count > 0 else {
        throw SystemError("write \(path)", number: count < 0 ? Int32(-count) : EIO)
      }
      done += count
    }
  }

  /// Writes all the bytes at the offset `place`. `path` is used in the error message and by a
  /// simulated computer.
  public func writeAll(
    _ bytes: Span<UInt8>, to path: String, at place: Int
  ) throws(SystemError) {
    if Computer.simulated != nil {
      let copy = unsafe bytes.withUnsafeBytes { unsafe [UInt8]($0) }
      if let error = Computer.admit(path, { .write($0, at: place, copy) }) {
        let part = FileOperation.partOfFailedWrite(copy.count)
        _ = unsafe copy.withUnsafeBytes { unsafe pwrite(number, $0.baseAddress, part, place) }
        throw SystemError("write \(path)", number: error)
      }
    }
    var done = 0
    while done < bytes.count {
      let count = unsafe bytes.extracting(done...).withUnsafeBytes { bytes in
        unsafe pwrite(number, bytes.baseAddress, bytes.count, place + done)
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else {
        throw SystemError("write \(path)", number: count < 0 ? errno : EIO)
      }
      done += count
    }
  }
}
