internal import MetaWearProtocol

/// What is made of packets that are no answer and no sample that is wanted: counted and kept.
extension BoardSession {
  mutating func noteMalformed(_ bytes: [UInt8]) {
    do throws(DecodeError) {
      // A packet of a processor is too short for its stream and still has a form of its own.
      _ = try Notification(decoding: bytes.span, from: modules)
      diagnosis.note(.truncated, bytes)
    } catch {
      diagnosis.note(error, bytes)
    }
  }

  mutating func noteUnexpected(_ notification: Notification, _ bytes: [UInt8]) {
    switch notification {
    case .other(let header, _):
      diagnosis.note(header.module == nil ? .unknownModule : .unknownRegister, bytes)
    case .moduleInfo(let module, let info) where info != modules[module]:
      diagnosis.note(.contradiction, bytes)
    case .sample, .packedSamples, .processorOutput, .pressure, .altitude, .illuminance, .fusion:
      diagnosis.note(.strayedSample, bytes)
    default:
      diagnosis.note(.unasked, bytes)
    }
  }
}
