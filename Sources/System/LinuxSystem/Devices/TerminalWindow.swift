internal import CLinux
internal import Glibc

/// Reads the size of a terminal window, in characters.
public enum TerminalWindow {
  /// Returns the size, or `nil` if the descriptor is not a terminal or if the terminal's size was
  /// never set.
  public static func size(of descriptor: Int32) -> (columns: Int, rows: Int)? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0
    else { return nil }
    return (Int(size.ws_col), Int(size.ws_row))
  }
}

extension PseudoTerminal {
  /// Sets the terminal's size, like a terminal emulator whose window is resized.
  public func resize(columns: UInt16, rows: UInt16) throws(SystemError) {
    var size = winsize(ws_row: rows, ws_col: columns, ws_xpixel: 0, ws_ypixel: 0)
    guard unsafe ioctl(controller.number, UInt(TIOCSWINSZ), &size) == 0 else {
      throw SystemError("resize \(path)")
    }
  }
}
