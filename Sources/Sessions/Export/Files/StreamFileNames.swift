internal import Recording
internal import Values

/// Generates file names for a session's streams, such as `left.acceleration.csv`.
struct StreamFileNames {
  /// A unique name for each stream, in the order of the streams.
  let names: [String]

  init(_ streams: [SourceStream]) {
    let boards = Set(streams.map(\.board))
    func isAlone(_ board: BoardIdentity) -> Bool {
      let name = Self.plain(board.name).lowercased()
      return !name.isEmpty && boards.count { Self.plain($0.name).lowercased() == name } == 1
    }
    names = streams.reduce(into: []) { names, stream in
      let address = stream.board.address.description.filter { $0 != ":" }
      let board = isAlone(stream.board) ? Self.plain(stream.board.name) : address
      let stem = board + "." + Self.plain(stream.description.signal)
      names.append(UniqueName.make(stem, among: names, mark: "-", ending: ".csv"))
    }
  }

  /// Replaces characters that some file systems reject, since a name may come from the board.
  private static func plain(_ text: String) -> String {
    String(
      text.prefix(60).map { character in
        character.isASCII && (character.isLetter || character.isNumber || "-_".contains(character))
          ? character : "_"
      })
  }
}
