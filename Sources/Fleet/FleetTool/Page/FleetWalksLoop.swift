internal import CommandLineTool
internal import Fleet
internal import LinuxSystem
internal import Recording
internal import Values
internal import Web

/// The loop of the thread `walks`.
final class FleetWalksLoop {
  /// A walk that is being copied, and the requests that wait for the copy.
  private struct Work {
    var copying: WalkCopying
    var waiting: [FleetWalks.Wish] = []
    var asked = BootClock.now()
  }

  private static let mostCopyings = 8
  /// Seconds without a request after which a copy in progress is abandoned. By then, the page has
  /// probably been closed.
  private static let leftSeconds = 30.0

  private let jobs: Mailbox<FleetWalks.Job>
  private let shelf: Guarded<WalkShelf<WalkCopy>>
  private let fleet: FleetConnection
  private let look: (StoreAnswers) -> PageLook
  private var folder: ProcessFolder?
  /// The walks that are being copied. They take turns, one step each.
  private var works: [Work] = []

  init(
    _ jobs: Mailbox<FleetWalks.Job>, _ shelf: Guarded<WalkShelf<WalkCopy>>,
    open: @escaping () throws -> DatabaseIntake, look: @escaping (StoreAnswers) -> PageLook
  ) {
    self.jobs = jobs
    self.shelf = shelf
    fleet = FleetConnection(open)
    self.look = look
  }

  func run() {
    var polls = PollSet()
    polls.add(jobs.bell.number)
    while true {
      polls.wait(seconds: works.isEmpty ? nil : 0)
      for job in jobs.takeAll() {
        switch job {
        case .sessions(let newest, let told):
          told(sessions(newest))
        case .copy(let wish): take(wish)
        case .stop: return end()
        }
      }
      step()
      leaveWaiting()
    }
  }

  private func end() {
    for wish in works.flatMap(\.waiting) { wish.told(.failure(.isEnding)) }
    for job in jobs.shut() {
      switch job {
      case .sessions(_, let told): told(.failure(.isEnding))
      case .copy(let wish): wish.told(.failure(.isEnding))
      case .stop: break
      }
    }
    works = []
    shelf.withLock { $0 = WalkShelf() }
    folder?.remove()
  }

  // MARK: Questions

  private func sessions(_ newest: Int) -> Result<JSONValue, PageFault> {
    do throws(PageFault) {
      return .success(
        try fleet.reading { intake throws(StoreError) in
          try FleetSessions.json(newest, in: intake)
        })
    } catch {
      return .failure(error)
    }
  }

  private func take(_ wish: FleetWalks.Wish) {
    do throws(PageFault) {
      if let copy = try found(wish) { wish.told(.success(copy)) }
    } catch {
      wish.told(.failure(error))
    }
  }

  /// Returns the cached copy. If there is none, starts to copy the walk, queues the request and
  /// returns `nil`.
  private func found(_ wish: FleetWalks.Wish) throws(PageFault) -> WalkCopy? {
    let revision: SessionRevision
    do throws(PageFault) {
      revision = try self.revision(wish)
    } catch {
      let walk =
        wish.gateway.map { FleetWalk(session: wish.session, gateway: $0) }
        ?? shelf.withLock { $0.only(wish.session) }
      if wish.mayBeKept, error.status == 503,
        let copy = walk.flatMap(shelf.kept)
      {
        return copy
      }
      throw error
    }
    let walk = FleetWalk(session: wish.session, gateway: revision.gateway)
    if let copy = shelf.kept(walk), !wish.isNewest || copy.shows(revision) {
      return copy
    }
    if let position = works.firstIndex(where: { $0.copying.walk == walk }) {
      works[position].waiting.append(wish)
      works[position].asked = BootClock.now()
      return nil
    }
    guard works.count < Self.mostCopyings else {
      throw PageFault(
        503, "\(Self.mostCopyings) walks are already being fetched",
        remedy: "wait until one of them is complete", after: 2)
    }
    works.append(
      Work(copying: try begun(wish.session, at: revision), waiting: [wish]))
    return nil
  }

  private func revision(_ wish: FleetWalks.Wish) throws(PageFault) -> SessionRevision {
    let revision = try fleet.reading { intake throws(StoreError) in
      try intake.revision(of: wish.session, gateway: wish.gateway)
    }
    guard let revision else {
      throw PageFault(
        404, "there is no session \(wish.session) in the fleet",
        remedy: "reload the list of walks")
    }
    guard revision.record != nil else {
      throw PageFault(
        409, "the walk is still being uploaded: its record has not arrived yet",
        remedy: "wait until the gateway has sent the record")
    }
    return revision
  }

  private func begun(
    _ session: UniqueID, at revision: SessionRevision
  ) throws(PageFault) -> WalkCopying {
    let (found, name) = try fleet.reading { intake throws(StoreError) in
      (
        try intake.reading(of: .gateway(revision.gateway)).record(of: session),
        try intake.gatewayNames()[revision.gateway]
      )
    }
    guard let record = found else {
      throw PageFault(404, "session \(session) no longer exists", remedy: "reload the list")
    }
    let parent = try parent()
    makeRoom(in: parent)
    return try WalkCopying(record, of: name, at: revision, in: parent)
  }

  /// Returns the folder that contains the copies and creates it if needed.
  private func parent() throws(PageFault) -> String {
    // A cleanup of temporary files may have removed the folder.
    if let folder, Folder.exists(folder.path) { return folder.path }
    do throws(SystemError) {
      let made = try ProcessFolder(prefix: "footbridge-walks")
      folder = made
      return made.path
    } catch {
      throw PageFault(
        507, error.description, remedy: "set TMPDIR to a folder with enough space, and restart")
    }
  }

  // MARK: Copies

  /// Removes the least recently used copies until the disk has space for another copy.
  private func makeRoom(in folder: String) {
    while WalkCopying.lacksRoom(folder) {
      guard let gone = shelf.withLock({ $0.removeOldest() }) else { return }
      // Delete the copy's files here, outside the lock.
      _ = consume gone
    }
  }

  private func step() {
    guard !works.isEmpty else { return }
    var work = works.removeFirst()
    if let folder { makeRoom(in: folder.path) }
    do throws(PageFault) {
      guard try work.copying.step(fleet) else { return works.append(work) }
      let copy = work.copying.finished(look)
      let gone = shelf.withLock {
        $0.put(copy, of: work.copying.walk, bytes: work.copying.bytes)
      }
      // Delete the removed copies' files here, outside the lock.
      _ = consume gone
      for wish in work.waiting { wish.told(.success(copy)) }
    } catch {
      for wish in work.waiting { wish.told(.failure(error)) }
    }
  }

  /// Reports the progress to requests that have reached their deadline. Abandons copies that are no
  /// longer requested.
  private func leaveWaiting() {
    let now = BootClock.now()
    for position in works.indices {
      let progress = works[position].copying.progress
      works[position].waiting.removeAll { wish in
        guard wish.deadline <= now else { return false }
        wish.told(.failure(progress))
        return true
      }
    }
    works.removeAll {
      $0.waiting.isEmpty && now.seconds(since: $0.asked) >= Self.leftSeconds
    }
  }
}
