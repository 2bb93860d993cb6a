import ChunkFormat
import Foundation
import LinuxSystem
import Recording
import TestSupport
import Testing

@testable import Storage

/// A file system that becomes full at one page of a recording, tested for each page in turn. The
/// limit also applies to the files that SQLite shares between processes.
@Suite(.realTime, .serialized) struct SmallDiskTests {
  @Test(.enabled(if: geteuid() == 0, "mounting a small disk needs root"))
  func `whichever page no longer fits on the disk, earlier commits are preserved`() async throws {
    let folder = try TemporaryFolder()
    let mount = try await Program.run(
      "/usr/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path])
    guard mount.status == 0 else {
      try Test.cancel("cannot mount a small disk here: \(mount.errors)")
    }
    let outcome = Result { try Self.tryEachPage(of: folder.path) }
    _ = try await Program.run("/usr/bin/umount", ["-l", folder.path])
    let pages = try outcome.get()
    #expect(pages > 15, "the recording needs more pages")
  }

  @Test(.enabled(if: geteuid() == 0, "mounting a small disk needs root"))
  func `appending to a tail fails on a full disk, and the tail's earlier content is recovered`()
    async throws
  {
    let folder = try TemporaryFolder()
    let mount = try await Program.run(
      "/usr/bin/mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder.path])
    guard mount.status == 0 else {
      try Test.cancel("cannot mount a small disk here: \(mount.errors)")
    }
    let outcome = Result { try Self.fillTail(on: folder.path) }
    _ = try await Program.run("/usr/bin/umount", ["-l", folder.path])
    let (written, taken) = try outcome.get()
    #expect(written > 100)
    #expect(taken == written)
  }

  /// Fills a tail. Returns the number of samples written before the disk was full, and the number
  /// that the store recovered after space was freed.
  private static func fillTail(on disk: String) throws -> (written: Int, taken: Int) {
    var store = try Store.open(path: disk + "/store")
    try store.begin(SampleRecording.session)
    try store.addBoard(SampleRecording.board, session: SampleRecording.session.id)
    try store.addStream(
      SampleRecording.acceleration, board: SampleRecording.board.address,
      session: SampleRecording.session.id)
    let rest = disk + "/rest"
    // Recovering a tail requires space for two copies of it: in the write-ahead log and in the
    // database.
    try Data(count: 800 << 10).write(to: URL(filePath: rest))
    var tail = Tail(store: disk + "/store")
    var outline = SampleRecording.chunk(0, count: 0)
    outline.gaps = []
    try tail.append([.stream(0, outline)], beginsGroup: true)
    var written = 0
    var failure: StoreError?
    for sequence in 0..<UInt32(10_000) {
      var chunk = SampleRecording.chunk(sequence, count: 200)
      chunk.gaps = []
      guard let piece = chunk.piece(from: ChunkPosition()) else { break }
      do throws(StoreError) {
        try tail.append([.samples(0, piece)], beginsGroup: false)
      } catch {
        failure = error
        break
      }
      written += chunk.count
    }
    #expect(failure?.kind == .full)
    try free(rest)
    try store.close()
    let again = try Store.open(path: disk + "/store")
    let taken = again.tailRecovery?.samples ?? 0
    try again.close()
    return (written, taken)
  }

  /// Frees the space of a file. Removing the file may not be enough, because a program just started
  /// by another test may still have it open.
  private static func free(_ path: String) throws {
    try Data().write(to: URL(filePath: path))
  }

  /// Waits until the kernel has freed enough pages, then fills that many pages with a file.
  private static func fill(_ path: String, pages: Int) throws {
    let bytes = Data(count: pages * 4_096)
    for _ in 0..<1_000 {
      do {
        return try bytes.write(to: URL(filePath: path))
      } catch {
        usleep(10_000)
      }
    }
    try bytes.write(to: URL(filePath: path))
  }

  /// Returns the number of free pages that the whole recording needs.
  private static func tryEachPage(of disk: String) throws -> Int {
    let files = FileManager.default
    let rest = disk + "/rest"
    for pages in 0..<256 {
      for name in try files.contentsOfDirectory(atPath: disk) {
        try free(disk + "/" + name)
        try files.removeItem(atPath: disk + "/" + name)
      }
      // The disk has one additional page for the folder.
      try fill(rest, pages: 255 - pages)
      var recording = FaultRecording(path: disk + "/store")
      recording.recordUntilError()
      if recording.errors.isEmpty { return pages }
      // The first page that does not fit may belong to the lock file. Only the name of that file
      // matters, not its content.
      let wrong = recording.errors.first { $0.kind != .full }
      #expect(wrong == nil, "with \(pages) pages")
      try free(rest)
      let difference = try FaultRecording.firstDifference(
        at: recording.path, recording.outcomes, isEnded: recording.isEnded)
      #expect(difference == nil, "with \(pages) pages")
    }
    return 256
  }
}
