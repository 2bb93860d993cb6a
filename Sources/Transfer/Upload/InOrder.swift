internal import LinuxSystem

/// Processes many items in parallel and passes on the results in order. It holds no more results
/// than there are items under way.
public func inOrder<Item: Sendable, Result: Sendable>(
  _ items: [Item], parallel: Int, work: @escaping @Sendable (Item) async -> Result,
  take: (Item, Result) throws -> Void
) async throws {
  // Protected by a lock: race detectors do not see the runtime pass values from task to task.
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
