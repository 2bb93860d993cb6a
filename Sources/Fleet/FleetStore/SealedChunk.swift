internal import Cryptography
internal import LinuxSystem
internal import ObjectStore
internal import Recording
internal import Values

/// A chunk of a sealed session, in an object.
struct SealedChunk: DistantChunk {
  var id: UniqueID
  /// The name of the object, and the place of the chunk in it.
  var object: String
  var range: Range<Int>
  /// The hash of the chunk, which the database keeps.
  var hash: [UInt8]
  /// Where objects are; `nil` if this program was not told.
  var objects: ObjectStore?

  func bytes() async throws(StoreError) -> [UInt8] {
    guard let objects else {
      throw StoreError(
        .cannotOpen, "chunk \(id) is in the object \(object), and this receiver knows no objects",
        remedy: "start this receiver with the '--objects' of the receiver that sealed it")
    }
    let bytes: [UInt8]
    do throws(ObjectStoreError) {
      bytes = try await objects.read(object, .bytes(range)).bytes
    } catch {
      let kind: StoreError.Kind =
        switch error.kind {
        case .missing, .tooShort: .damaged
        case .unavailable, .unknownOutcome: .busy
        case .refused, .foreign, .exists: .other
        }
      throw StoreError(kind, "cannot read chunk \(id): \(error.message)", remedy: error.remedy)
    }
    guard SHA256.hash(of: bytes) == hash else {
      throw StoreError(
        .damaged, "chunk \(id) is damaged in the object \(object)",
        remedy: "restore the object from a backup")
    }
    return bytes
  }
}

extension HeldChunk {
  /// The bytes, after waiting for them on this thread.
  func waited() throws(StoreError) -> [UInt8] {
    switch self {
    case .bytes(let bytes): return bytes
    case .elsewhere(let chunk): return try ChunkOnItsWay(chunk).waited().get()
    }
  }
}

/// A distant chunk that was asked for, and for which a thread may wait.
struct ChunkOnItsWay {
  private let answer = Monitor<Result<[UInt8], StoreError>?>(nil)

  init(_ chunk: any DistantChunk) {
    Task { [answer] in
      let result: Result<[UInt8], StoreError>
      do throws(StoreError) {
        result = .success(try await chunk.bytes())
      } catch {
        result = .failure(error)
      }
      answer.change { $0 = result }
    }
  }

  /// The bytes, after waiting for them on this thread.
  func waited() -> Result<[UInt8], StoreError> {
    guard let result = answer.wait(for: { $0 }) else {
      preconditionFailure("it waits until there is a result")
    }
    return result
  }
}
