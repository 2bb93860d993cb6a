internal import COpenSSL
internal import Glibc

/// A certificate's validity period, in seconds since 1970.
public struct CertificateDates: Hashable, Sendable {
  public let start: Int
  /// The last second in which the certificate is valid.
  public let end: Int

  /// Reads the dates of the server's own certificate, which is the first certificate in a PEM
  /// string. Returns `nil` if the string contains no readable certificate.
  public init?(pem: String) {
    // Safety: OpenSSL reads the string in place while the BIO exists, so both exist in the same
    // scope. The times belong to the certificate, which is freed after they are read.
    var pem = pem
    let dates = pem.withUTF8 { text -> (start: Int, end: Int)? in
      guard let file = unsafe BIO_new_mem_buf(text.baseAddress, Int32(clamping: text.count)) else {
        return nil
      }
      defer {
        unsafe BIO_free(file)
        ERR_clear_error()
      }
      guard let certificate = unsafe PEM_read_bio_X509(file, nil, nil, nil) else { return nil }
      defer { unsafe X509_free(certificate) }
      var (start, end) = unsafe (tm(), tm())
      guard unsafe ASN1_TIME_to_tm(X509_get0_notBefore(certificate), &start) == 1,
        unsafe ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1
      else { return nil }
      return unsafe (timegm(&start), timegm(&end))
    }
    guard let dates else { return nil }
    (start, end) = dates
  }
}
