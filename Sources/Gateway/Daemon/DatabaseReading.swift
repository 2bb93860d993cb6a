internal import LinuxSystem
internal import Storage
internal import Upload
internal import Values

/// Reads the positions of other gateways from a Firestore database while a page requests them.
///
/// A request starts a new reading if the last one is at least one interval old. Without requests,
/// nothing is read, which saves mobile data.
final class DatabaseReading: Sendable {
  /// The destination that this gateway publishes its position to.
  struct Source: Hashable, Sendable {
    var store: String
    var destination: String
  }

  private struct State: Sendable {
    var source: Source?
    var locations: PublishedLocations?
    var places = DatabasePlaces()
    /// The start time of the last reading.
    var began: BootTime?
    var reading: Task<Void, Never>?
    var reason = RepeatedReason()
    /// Unreadable documents that have already been logged. Their number is limited, because anyone
    /// with an account can add documents.
    var told: Set<UnreadableDocument> = []
  }

  private let state = Guarded(State())
  private let reporter: DaemonReporter
  private let open: @Sendable (Source) throws -> PublishedLocations?

  /// Creates a reader. `open` returns the positions published at a destination, or `nil` if the
  /// store does not contain that destination.
  init(
    _ reporter: DaemonReporter, open: @escaping @Sendable (Source) throws -> PublishedLocations?
  ) {
    self.reporter = reporter
    self.open = open
  }

  /// Creates a reader of the destinations in the gateway's store.
  convenience init(_ reporter: DaemonReporter) {
    self.init(reporter) { source in
      try DestinationSettings.stored(source.destination, in: source.store).map {
        try DestinationFactory.publishedLocations($0, agent: reporter.agent)
      }
    }
  }

  /// Sets the destination to read from, or `nil` to stop reading.
  func take(_ source: Source?) {
    state.withLock { state in
      guard source != state.source else { return }
      state.reading?.cancel()
      state = State(source: source)
    }
  }

  /// Returns the other gateways as of the last reading. The first call only starts a reading, so it
  /// returns no gateways.
  func others(at now: BootTime) -> [OtherGateway] {
    state.withLock { state in
      if let source = state.source, state.reading == nil,
        state.began.map({ now.seconds(since: $0) >= DatabasePlaces.interval }) ?? true
      {
        state.began = now
        state.reading = Task { await read(source) }
      }
      return state.places.others(at: now)
    }
  }

  private func read(_ source: Source) async {
    do {
      guard let locations = try locations(of: source) else {
        finish(source) { _ in }
        return
      }
      let (found, unreadable) = try await locations.read()
      let now = BootClock.now()
      let news = finish(source) { state in
        state.places.take(found, at: now)
        let new = unreadable.filter { !state.told.contains($0) }
          .prefix(PublishedLocations.most - state.told.count)
        state.told.formUnion(new)
        return Array(new)
      }
      for document in news ?? [] {
        reporter.log(
          LogEvent(
            .warning, "place of a gateway skipped",
            ["document": document.name, "reason": document.reason]))
      }
    } catch {
      let (text, remedy) = reporter.explain(error)
      let now = BootClock.now()
      let isNews = finish(source) { state in
        // The next reading opens the destination again, because it may have been changed.
        state.locations = nil
        return state.reason.tells(text, at: now)
      }
      guard isNews == true else { return }
      reporter.log(
        LogEvent(
          .warning, "cannot read the positions of the other gateways",
          ["reason": text, "remedy": remedy]))
    }
  }

  /// Returns the positions at the destination. The destination stays open between readings, so that
  /// its account can reuse its token.
  private func locations(of source: Source) throws -> PublishedLocations? {
    if let known = state.withLock({ $0.source == source ? $0.locations : nil }) { return known }
    let locations = try open(source)
    state.withLock { if $0.source == source { $0.locations = locations } }
    return locations
  }

  /// Ends a reading. Returns the result of `change`. If the configuration has changed in the
  /// meantime, returns `nil` without calling `change`.
  @discardableResult
  private func finish<Outcome: Sendable>(
    _ source: Source, _ change: (inout State) -> Outcome
  ) -> Outcome? {
    state.withLock { state in
      guard state.source == source else { return nil }
      state.reading = nil
      return change(&state)
    }
  }
}

extension DestinationSettings {
  /// Returns a stored destination's settings, or `nil` if the store does not contain it.
  static func stored(_ name: String, in store: String) throws -> DestinationSettings? {
    guard StoreReader.exists(at: store),
      let stored = try StoreReader(path: store).destination(named: name)
    else { return nil }
    return try DestinationSettings(placeText: stored.place, text: stored.settings)
  }
}
