internal import Glibc
internal import LinuxSystem

/// A small C or C++ program that the bench compiles for comparison. The program is deleted when
/// this object is released.
final class CompiledProgram {
  enum Language {
    case c
    case cPlusPlus

    var compiler: String { self == .c ? "cc" : "c++" }
    fileprivate var suffix: String { self == .c ? ".c" : ".cpp" }
    fileprivate var options: [String] {
      self == .c ? ["-O2"] : ["-std=c++17", "-O3", "-DNDEBUG", "-pthread"]
    }
    fileprivate var words: (name: String, package: String) {
      self == .c ? ("C", "gcc") : ("C++", "g++")
    }
  }

  let path: String
  private let folder: TemporaryFolder

  /// Compiles the program; throws if no compiler is installed.
  init(_ name: String, _ language: Language, source: String) throws {
    guard ChildProcess.locate(language.compiler) != nil else {
      throw MeasurementError(
        "no \(language.words.name) compiler is installed: apt install \(language.words.package)")
    }
    folder = try TemporaryFolder(prefix: "footbridge-bench")
    path = folder.path + "/" + name
    let file = try OwnedDescriptor.create(path + language.suffix)
    let text = Array(source.utf8)
    let output = try ChildOutput()
    guard file.write(text) == text.count else {
      throw MeasurementError("there is no space in \(folder.path)")
    }
    let compiler = try ChildProcess(
      language.compiler, language.options + ["-o", path, path + language.suffix],
      inheriting: [(output.writing.number, 1)])
    defer { compiler.kill() }
    // The compiler prints nothing, so its output stream ends only when it exits.
    _ = output.closeWriting().firstLine(seconds: 60)
    guard unsafe access(path, X_OK) == 0 else {
      throw MeasurementError("the \(language.words.name) compiler produced no program")
    }
  }

  deinit {
    folder.remove()
  }
}
