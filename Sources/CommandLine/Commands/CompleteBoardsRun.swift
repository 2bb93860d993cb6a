internal import Storage

/// Body of `footbridge complete-boards`: a key pressed in a shell must give no errors.
enum CompleteBoardsRun {
  static let body: Commands.Body<CompleteBoardsConfiguration> = { configuration, console in
    let directory = try? configuration.store.directory()
    let words = directory?.completions(of: configuration.prefix ?? "") ?? []
    if !words.isEmpty { try console.print(words.joined(separator: "\n")) }
    return .ok
  }
}
