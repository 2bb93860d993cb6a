internal import CInih

/// One line of an INI file, as libinih understands it.
///
/// The library reports only the first faulty line of a file, tells no line of a key, and continues
/// a value in the next line if that one is indented. So it gets each line by itself, and after it a
/// probe: a pair that shows which section the line has opened.
enum INILine: Hashable {
  /// A blank line or a comment.
  case nothing
  /// The text between brackets.
  case heading(String)
  /// A key and its value, without the blanks around them and without a comment after ` ;`.
  case pair(key: String, value: String)
  /// Anything else.
  case neither
  /// More bytes than the library reads: it would take the rest for another line.
  case tooLong

  /// The most bytes of a line. The library's buffer has 200, three of them for the end of the line.
  static let longest = 197

  /// Reads a line, which has neither a line feed nor a byte 0.
  init(_ line: String) {
    var desk = Desk(line)
    // Safety: the library uses the pointer only in the two functions, which run during this call.
    let firstFault = unsafe withUnsafeMutablePointer(to: &desk) { desk in
      unsafe ini_parse_stream(Desk.read, desk, Desk.note, desk)
    }
    if desk.isTooLong {
      self = .tooLong
    } else if firstFault != 0 {
      self = .neither
    } else if let pair = desk.pair {
      self = .pair(key: pair.key, value: pair.value)
    } else {
      self = Self.meaning(of: line, opening: desk.section)
    }
  }

  /// A line that is no pair, after which a section of this name is open.
  private static func meaning(of line: String, opening section: String) -> INILine {
    // By bytes, as the library goes: a mark above a bracket would make another character of it.
    let begun = line.utf8.drop { (9...13).contains($0) || $0 == UInt8(ascii: " ") }
    switch begun.first {
    case nil, UInt8(ascii: ";"), UInt8(ascii: "#"): return .nothing
    case UInt8(ascii: "["):
      let inside = begun.dropFirst().prefix { $0 != UInt8(ascii: "]") }
      // The library cuts a long heading, which must not become another one.
      return inside.elementsEqual(section.utf8) ? .heading(section) : .tooLong
    default:
      // The library passes over a byte order mark at the beginning of all that it gets.
      return .neither
    }
  }

  /// What the two functions that the library calls have in common.
  private struct Desk {
    /// What the library gets next, from the end.
    private var lines: [[UInt8]]
    var isTooLong = false
    var pair: (key: String, value: String)?
    var section = ""

    init(_ line: String) {
      lines = [Array("probe=".utf8), Array(line.utf8)]
      isTooLong = line.utf8.count > INILine.longest
    }

    private var isProbing: Bool { lines.isEmpty }

    /// Gives the library the next line, as `fgets` does.
    static let read: ini_reader = { buffer, size, desk in
      // Safety: the pointer is that of `init`, and nobody else uses the desk during the call.
      guard let buffer = unsafe buffer, let desk = unsafe desk?.assumingMemoryBound(to: Desk.self),
        unsafe !desk.pointee.isTooLong, let line = unsafe desk.pointee.lines.popLast()
      else { return nil }
      guard line.count + 2 <= Int(size) else {
        unsafe desk.pointee.isTooLong = true
        return nil
      }
      // Safety: the buffer has room for the line, its end and a byte 0, as was just checked.
      for (place, byte) in (line + [UInt8(ascii: "\n"), 0]).enumerated() {
        unsafe buffer[place] = CChar(bitPattern: byte)
      }
      return unsafe buffer
    }

    /// Takes a pair from the library.
    static let note: ini_handler = { desk, section, key, value in
      // Safety: as in `read`; the texts end with a byte 0, and are copied before this returns.
      guard let desk = unsafe desk?.assumingMemoryBound(to: Desk.self),
        let section = unsafe section, let key = unsafe key, let value = unsafe value
      else { return 0 }
      if unsafe desk.pointee.isProbing {
        unsafe desk.pointee.section = String(cString: section)
      } else {
        unsafe desk.pointee.pair = (String(cString: key), String(cString: value))
      }
      return 1
    }
  }
}
