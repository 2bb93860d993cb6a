import SessionFolder
import ChunkFormat
import Foundation
import UploadProtocol
import LinuxSystem
import Recording
import TestSupport
import Testing
@testable import Upload
import Values

@Suite(.realTime) struct FolderDestinationTests {
  private let folder: TemporaryFolder
  private let session = TestSession(fixes: 2_100)

  init() throws {
    folder = try TemporaryFolder()
  }

  private func setback(_ verdict: Verdict?) -> Setback? {
    if case .failed(let setback) = verdict { setback } else { nil }
  }

  private func chunk(_ sequence: UInt32, value: Int32 = 0) -> OutgoingChunk {
    let chunk = SampleChunk.make(sequence, session: session.content.session.id, value: value)
    return OutgoingChunk(
      id: chunk.id, session: chunk.session, board: chunk.board.address, signal: chunk.stream.signal,
      sequence: sequence, sampleCount: chunk.count, bytes: chunk.encoded())
  }

  private func read(_ id: UniqueID) throws -> [UInt8]? {
    try FolderReader(folder: folder.path).bytes(ofChunk: id)
  }

  @Test func `chunks, track and record are stored in the folder, and a changed record is replaced`()
    async throws
  {
    let destination = try FolderDestination(path: folder.path)
    #expect(await destination.test() == nil)
    let chunks = (0..<70).map { chunk($0) }
    for _ in 0..<2 {
      #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    }
    for chunk in chunks { #expect(try read(chunk.id) == chunk.bytes) }
    #expect(await destination.finish(session) == .stored)
    let reader = try FolderReader(folder: folder.path)
    let id = session.content.session.id
    #expect(try reader.record(of: id) == session.content)
    #expect(try reader.trackPieces(of: id) == [0, 2_000])
    let fixes = try [0, 2_000].compactMap { try reader.track(of: id, from: $0)?.fixes }.flatMap {
      $0
    }
    #expect(fixes == session.track)
    // A note is added to the session later.
    var changed = session
    changed.content.annotations = [
      Annotation(time: BootTime(nanoseconds: 70_000_000_000), text: "later")
    ]
    #expect(await destination.finish(changed) == .stored)
    #expect(try reader.record(of: id) == changed.content)
  }

  @Test func `if a record claims too many fixes, the fixes that exist are written`() async throws {
    let destination = try FolderDestination(path: folder.path)
    var session = session
    session.content.fixCount = 1 << 53
    #expect(await destination.finish(session) == .stored)
    let reader = try FolderReader(folder: folder.path)
    #expect(try reader.trackPieces(of: session.content.session.id) == [0, 2_000])
  }

  @Test func `writing a long track can be stopped between two pieces`() async throws {
    let destination = try FolderDestination(path: folder.path)
    let session = LongSession()
    let work = Task { await destination.finish(session) }
    _ = await session.asked.next()
    work.cancel()
    let verdict = await work.value
    #expect(setback(verdict)?.kind == .unavailable, "\(verdict)")
    let pieces = try FolderReader(folder: folder.path)
      .trackPieces(of: session.content.session.id)
    #expect(pieces.count < LongSession.pieces / 2)
  }

  @Test
  func `a different chunk with the id of a stored chunk is rejected, and the stored chunk is kept`()
    async throws
  {
    let destination = try FolderDestination(path: folder.path)
    let first = chunk(1)
    #expect(await destination.store([first], of: session) == [.stored])
    let verdicts = await destination.store([chunk(1, value: 5), chunk(2)], of: session)
    #expect(
      verdicts == [.refused("the folder already contains another chunk with this id"), .stored])
    #expect(try read(first.id) == first.bytes)
  }

  @Test func `an upload waits for an unplugged USB stick, and creates nothing in its place`()
    async throws
  {
    let stick = folder.path + "/stick"
    try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: false)
    let destination = try FolderDestination(path: stick)
    let chunks = (0..<3).map { chunk($0) }
    #expect(await destination.store([chunks[0]], of: session) == [.stored])
    try FileManager.default.moveItem(atPath: stick, toPath: folder.path + "/pocket")
    let verdicts = await destination.store(chunks, of: session)
    #expect(verdicts.count == 3)
    for verdict in verdicts {
      #expect(setback(verdict)?.kind == .unavailable)
      #expect(setback(verdict)?.reason == "the folder \(stick) does not exist")
      #expect(setback(verdict)?.remedy.contains("plug in its disk") == true)
    }
    #expect(setback(await destination.finish(session))?.kind == .unavailable)
    #expect(await destination.test()?.kind == .unavailable)
    #expect(!FileManager.default.fileExists(atPath: stick), "nothing is created in its place")
    try FileManager.default.moveItem(atPath: folder.path + "/pocket", toPath: stick)
    #expect(await destination.test() == nil)
    #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    // A different stick, which is empty, replaces the first one.
    try FileManager.default.moveItem(atPath: stick, toPath: folder.path + "/pocket")
    try FileManager.default.createDirectory(atPath: stick, withIntermediateDirectories: false)
    #expect(await destination.store(chunks, of: session) == chunks.map { _ in .stored })
    for chunk in chunks {
      #expect(try FolderReader(folder: stick).bytes(ofChunk: chunk.id) == chunk.bytes)
    }
  }

  @Test(.enabled(if: geteuid() == 0, "only root can mount"))
  func `uploads pause while the disk is full, and wait for the user if it is write-protected`()
    async throws
  {
    let disk = folder.path + "/disk"
    try FileManager.default.createDirectory(atPath: disk, withIntermediateDirectories: false)
    let outcome = try await Program.run(
      "/usr/bin/mount", ["-t", "tmpfs", "-o", "size=128k", "tmpfs", disk])
    guard outcome.status == 0 else {
      try Test.cancel("this machine lets nobody mount: \(outcome.errors)")
    }
    var stored = 0
    do {
      let destination = try FolderDestination(path: disk)
      var last: Verdict?
      for sequence in 0..<200 where last == nil || last == .stored {
        last = await destination.store([chunk(UInt32(sequence))], of: session).first
        if last == .stored { stored += 1 }
      }
      #expect(stored > 5)
      #expect(setback(last)?.kind == .unavailable)
      #expect(setback(last)?.remedy.contains("free some space") == true)
      for sequence in 0..<stored {
        let chunk = chunk(UInt32(sequence))
        #expect(try FolderReader(folder: disk).bytes(ofChunk: chunk.id) == chunk.bytes)
      }
      let remount = try await Program.run("/usr/bin/mount", ["-o", "remount,ro", disk])
      #expect(remount.status == 0, "\(remount.errors)")
      #expect(await destination.test()?.kind == .rejected)
      #expect(
        setback(await destination.store([chunk(0)], of: session).first)?.kind == .rejected)
    }
    let unmounted = try await Program.run("/usr/bin/umount", ["-l", disk])
    #expect(unmounted.status == 0, "\(unmounted.errors)")
  }

  @Test func `an empty mount point is recognised as a missing disk`() {
    let meant = """
      # device  point  type
      UUID=1 / ext4 defaults 0 1
      /dev/sda1\t/mnt/stick\tvfat\tnoauto 0 0
      nas:/walks /srv/my\\040walks/ nfs defaults 0 0
      UUID=2 none swap sw 0 0
      """
    let none = MountTable(meant: meant, mounted: "/dev/root / ext4 rw 0 0\n")
    #expect(none.missing(above: "/mnt/stick") == "/mnt/stick")
    #expect(none.missing(above: "/mnt/stick/walks/2026") == "/mnt/stick")
    #expect(none.missing(above: "/srv/my walks/a") == "/srv/my walks")
    #expect(none.missing(above: "/home/pi") == nil)
    #expect(none.missing(above: "/mnt/stick2") == nil)
    let both = MountTable(
      meant: meant, mounted: "/dev/sda1 /mnt/stick vfat rw 0 0\nnas:/w /srv/my\\040walks nfs rw 0 0"
    )
    #expect(both.missing(above: "/mnt/stick/walks") == nil)
    #expect(both.missing(above: "/srv/my walks/a") == nil)
    // The folder is on another disk, which is mounted on a folder below the mount point.
    let below = MountTable(meant: meant, mounted: "/dev/sdb1 /mnt/stick/inner ext4 rw 0 0")
    #expect(below.missing(above: "/mnt/stick/inner/walks") == nil)
  }
}

/// A session whose track takes far longer to send than any test runs. The session reports each time
/// that fixes are requested.
private struct LongSession: OutgoingSession {
  static let pieces = 20_000
  let asked = EventQueue<Int>()
  let content: SessionRecord
  private let page = TestSession(fixes: TrackPiece.capacity).track

  init() {
    content = TestSession(fixes: 0).content.counting(Self.pieces * TrackPiece.capacity)
  }

  func record() async throws -> SessionRecord { content }

  func fixes(from first: Int, limit: Int) async throws -> [Fix] {
    asked.post(first)
    return page
  }
}

extension SessionRecord {
  /// Returns a copy of the record with a different number of fixes.
  fileprivate func counting(_ fixes: Int) -> SessionRecord {
    var record = self
    record.fixCount = fixes
    return record
  }
}
