internal import LinuxSystem

/// Processes many items in parallel and delivers the results in order. At any time, at most
/// `parallel` items are being processed or are waiting to be delivered.
public func inOrder<Item: Sendable, Result: Sendable>(
  _ items: [Item], parallel: Int, work: @escaping @Sendable (Item) async -> Result,
  take: (Item, Result) throws -> Void
) async throws {
  // A lock protects the results. The runtime orders the tasks that exchange values, but race
  // detectors cannot see this order.
  let results = Guarded<[Int: Result]>([:])
  try await withThrowingTaskGroup(of: Void.self) { group in
    var (begun, taken) = (0, 0)
    while taken < items.count {
      while begun < items.count, begun - taken < parallel {
        let (position, item) = (begun, items[begun])
        group.addTask {
          let result = await work(item)
          results.withLock { $0[position] = result }
        }
        begun += 1
      }
      try await group.next()
      while let result = results.withLock({ $0.removeValue(forKey: taken) }) {
        try take(items[taken], result)
        taken += 1
      }
    }
  }
}
