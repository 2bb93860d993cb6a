internal import Coding
internal import LinuxSystem
internal import Values

/// A file in a folder of recordings. Its errors name the file and a remedy.
struct RecordingFile {
  let path: String
  /// The remedies for a file that cannot be read, and for a file with invalid content. The default
  /// is for a folder with a manifest.
  var remedies = (
    unreadable: "specify a folder with a manifest.json and all recordings that it lists",
    damaged: "copy the folder again, with its manifest.json and all recordings"
  )

  /// Returns the file's content. Throws if it is longer than `limit` bytes.
  func bytes(upTo limit: Int) throws(VectorFileError) -> [UInt8] {
    let bytes: [UInt8]?
    do throws(SystemError) {
      // A pipe without a writer reads as an empty file.
      bytes = try WholeFile.read(path, upTo: limit, waits: false)
    } catch {
      throw unreadable(error.reason)
    }
    guard let bytes else { throw unreadable("it does not exist") }
    guard bytes.count <= limit else { throw damaged("it has more than \(limit >> 20) MiB") }
    return bytes
  }

  /// Returns the decompressed content of a gzip file. Throws if the compressed or the decompressed
  /// content is longer than `limit` bytes.
  func unpacked(upTo limit: Int) throws(VectorFileError) -> [UInt8] {
    let packed = try bytes(upTo: limit)
    do throws(Gzip.Problem) {
      return try Gzip.unpack(packed, limit: limit)
    } catch {
      switch error {
      case .malformed: throw damaged("it is not a gzip file, or it is truncated")
      case .tooLarge: throw damaged("it unpacks to more than \(limit >> 20) MiB")
      }
    }
  }

  /// Parses a JSON file of at most `limit` bytes and `mostValues` values.
  func json(upTo limit: Int, mostValues: Int) throws(VectorFileError) -> JSON {
    let bytes = try bytes(upTo: limit)
    do throws(JSONError) {
      var parser = JSONParser(bytes, mostValues: mostValues)
      let json = try parser.value()
      try parser.finish()
      return json
    } catch {
      throw damaged("it is not JSON (\(error.description))")
    }
  }

  /// Parses a manifest, which is a list of recordings.
  func entries() throws(VectorFileError) -> [JSON] {
    let json = try json(upTo: 8 << 20, mostValues: 1 << 20)
    guard let list = json.list else { throw damaged("it is not a list of recordings") }
    return list
  }

  /// Whether a path listed in a manifest is inside the manifest's folder.
  static func isInside(_ path: String) -> Bool {
    !path.hasPrefix("/") && !path.split(separator: "/").contains("..")
  }

  func unreadable(_ reason: String) -> VectorFileError {
    failure("read", reason, remedies.unreadable)
  }

  func damaged(_ reason: String) -> VectorFileError {
    failure("use", reason, remedies.damaged)
  }

  private func failure(_ verb: String, _ reason: String, _ remedy: String) -> VectorFileError {
    VectorFileError(
      description: """
        error: cannot \(verb) \(PlainText.cleaned(path)): \(reason)
               \(remedy)
        """)
  }
}
